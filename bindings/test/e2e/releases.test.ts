// Results that may be published: declared, told, hidden by noise and counted. Runs once per build of the wasm.
import { createTask, type Ciphertexts, type Client, type Loom, type Program, type Task } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from './builds.js';
import { errorOf } from './error-of.js';
import { openWatched, type WatchedLoom } from './mail.js';

const x = Array.from({ length: 500 }, (_, i) => Math.sin(i * i));
const votes = Array.from({ length: 500 }, (_, i) => (i * 7) % 3);

/** Numbers, each twice as large, and their mean. */
function reals(): Task {
  const task = createTask();
  const numbers = task.encrypted('x', { kind: 'real', shape: [500], min: -1, max: 1 });
  task.output('double', numbers.multiply(2));
  task.output('mean', numbers.mean());
  return task;
}

function integers(): Task {
  const task = createTask();
  task.output('votes', task.encrypted('votes', { shape: [500], min: 0, max: 2 }).sum());
  return task;
}

async function resultsOf(program: Program, client: Client, values: object): Promise<Ciphertexts> {
  return program.run(await client.encrypt(values as never), client.evaluationKeys);
}

describe.each(BUILDS)('the %s build', (mode) => {
  let watched: WatchedLoom;
  let loom: Loom;
  beforeAll(async () => {
    watched = await openWatched(mode);
    ({ loom } = watched);
  });
  afterAll(() => loom?.dispose());

  it('hides the key in reals, and tells by how much', async () => {
    const releases = { count: 10, statisticalBits: 30 };
    using program = await loom.compile(reals(), { releases, precision: 12 });
    using opened = await loom.program(program.toBytes());
    expect(opened.info).toEqual(program.info);
    expect(program.info.releases).toEqual(releases);
    const [told] = program.info.ciphertexts.filter(({ values }) => values.includes('double'));
    const off = 2 ** told!.errorBits!;
    expect(off).toBeLessThan(2 ** -11);
    expect(2 ** told!.noiseBits!).toBeLessThan(off / 6);
    const text = String(await program.explain());
    expect(text).toMatch(
      /releases +10 under one key: noise of a deviation of up to 2\^-[\d.]+ hides errors, by 30 bits/,
    );

    using client = await opened.client();
    const results = await resultsOf(opened, client, { x });
    const first = (await client.decrypt(results))['double'] as number[];
    const second = (await client.decrypt(results))['double'] as number[];
    const square = (all: number[]): number => all.reduce((sum, one) => sum + one * one, 0);
    // Two-sided, of 500 each, and drawn anew.
    const expected = 500 * 4 ** told!.noiseBits!;
    for (const noise of [first, second].map((all) => all.map((one, i) => one - 2 * x[i]!))) {
      for (const one of noise) expect(Math.abs(one)).toBeLessThan(off);
      expect(Math.abs(square(noise) / expected - 1)).toBeLessThan(6 * Math.sqrt(2 / 500));
    }
    expect(Math.abs(square(first.map((one, i) => one - second[i]!)) / (2 * expected) - 1)).toBeLessThan(0.4);
    expect(await client.released()).toBe(2);
  });

  it('counts, along with the key, and tells no noise', async () => {
    using program = await loom.compile(integers(), { releases: { count: 3 } });
    expect(program.info.releases).toEqual({ count: 3, statisticalBits: 30 });
    expect(program.info.ciphertexts[0]!.noiseBits).toBeUndefined();
    const client = await program.client();
    const results = await resultsOf(program, client, { votes });
    const details = await client.decryptDetails(results);
    const sum = votes.reduce((sum, one) => sum + one, 0);
    expect(details['votes']).toEqual({
      value: { units: BigInt(sum), decimals: 0 },
      problem: undefined,
      budgetBits: undefined,
    });

    const sealed = await client.exportKey('a passphrase of some length');
    client.dispose();
    using restored = await program.restoreClient(sealed, { passphrase: 'a passphrase of some length' });
    expect(await restored.released()).toBe(1);
    expect(await restored.decrypt(results)).toEqual({ votes: sum });
    // What was counted since it was saved outlives its worker.
    for (const { worker } of watched.of('client')) await worker.terminate();
    await loom.restart();
    expect(await restored.released()).toBe(2);
    expect(await restored.decrypt(results)).toEqual({ votes: sum });
    const error = await errorOf(restored.decrypt(results));
    expect(error).toMatchObject({
      name: 'KeyError',
      code: 'key.released',
      details: { found: '4', expected: '3' },
    });

    // Under the same key, for the client alone.
    using alone = await loom.compile(integers(), { parameters: program.info });
    expect(alone.info.releases).toBeUndefined();
    expect(String(await alone.explain())).toMatch(/releases +none: results are for who holds the key alone/);
    using own = await alone.restoreClient(await restored.save());
    const kept = await resultsOf(alone, own, { votes });
    expect((await own.decryptDetails(kept))['votes']!.budgetBits).toBeGreaterThan(1);
    expect(await own.released()).toBe(3);
    using more = await loom.compile(integers(), { parameters: program.info, releases: { count: 9 } });
    using holder = await more.restoreClient(await own.save());
    const others = await resultsOf(more, holder, { votes });
    expect(await errorOf(holder.decrypt(others))).toMatchObject({ code: 'key.foreign' });
  });

  it('says what is wrong, and what is to be had', async () => {
    const refused = async (releases: object): Promise<string> =>
      (await errorOf(loom.compile(integers(), { releases: releases as never }))).code;
    expect(await refused({})).toBe('input.type');
    expect(await refused({ count: 1.5 })).toBe('input.type');
    expect(await refused({ count: 5, bits: 3 })).toBe('input.option');
    expect(await refused({ count: 0 })).toBe('parameters.invalid');
    expect(await refused({ count: 5, statisticalBits: 10 })).toBe('parameters.invalid');
    const error = await errorOf(loom.compile(reals(), { releases: { count: 1000, statisticalBits: 40 } }));
    expect(error.message).toMatch(/a precision of \d+ is to be had/);
  });
});
