// Values and ciphertexts whose messages are large enough for their memory to come back, again and again, also at once.
import { load, type Loom } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { errorOf } from './error-of.js';

/** More than 64 kB of cells, and some of each value's ciphertexts. */
const ROWS = 9000;

/** Cells, what lies in them added up, and how many there are. */
function column(): { cells: (number | null)[]; sum: number; count: number } {
  const cells = Array.from({ length: ROWS }, () => (random(3) === 0 ? null : random(1000)));
  const there = cells.filter((cell) => cell !== null);
  return { cells, sum: there.reduce((sum, cell) => sum + cell, 0), count: there.length };
}

describe.each([{ threads: 2 }, { workers: false }] as const)('with %o', (options) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load(options);
  });
  afterAll(() => loom?.dispose());

  it('nothing of one value or call is in another', async () => {
    const task = loom.task();
    const v = task.encrypted('v', { shape: [ROWS], min: 0, max: 999, missing: true });
    task.output('sum', v.sum());
    task.output('count', v.count());
    using program = await task.compile();
    using client = await program.client();
    const whole = async () => {
      const { cells, sum, count } = column();
      const encrypted = await client.encrypt({ v: cells });
      const kept = encrypted['v']?.slice();
      const results = await program.run(encrypted, client.evaluationKeys);
      expect(await client.decrypt(results, { inputs: encrypted })).toEqual({ sum, count });
      // What the caller has stays his.
      expect(encrypted['v']).toEqual(kept);
    };
    await whole();
    await whole();
    const wrong = column().cells.with(ROWS - 1, 1000);
    const error = await errorOf(client.encrypt({ v: wrong }));
    expect(error).toMatchObject({ code: 'range.value', details: { input: 'v', cell: ROWS - 1 } });
    await Promise.all([whole(), whole(), whole()]);
    await whole();
  });
});
