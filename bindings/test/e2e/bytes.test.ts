// What leaves the workers: nothing twice where it has to be random, the same everywhere where it must not be.
import { type Ciphertexts, createTask, type Task } from 'cipherloom';
import { describe, expect, it } from 'vitest';
import { BUILDS, threadsOf } from './builds.js';
import { open } from './opened.js';

const ROWS = 300;
const COLUMNS = { a: Array<number>(ROWS).fill(7), b: Array<number>(ROWS).fill(7) };

function covariance(): Task {
  const task = createTask();
  const [a, b] = ['a', 'b'].map((name) => task.encrypted(name, { shape: [ROWS], min: 0, max: 9 }));
  if (a === undefined || b === undefined) throw new Error('no inputs');
  task.output('covariance', a.covariance(b));
  task.output('turned', a.rotate(1).multiply(b));
  return task;
}

/** Words of 64 bits that stand in both, at the same distance from the end: residues are what stands last. */
function shared(a: Uint8Array, b: Uint8Array): number {
  const words = (bytes: Uint8Array) => {
    // Without the checksum, and without the header, which is shorter than that.
    const list = bytes.slice(bytes.length % 8, -16);
    return new BigUint64Array(list.buffer, 0, list.length / 8).subarray(32);
  };
  const [x, y] = [words(a), words(b)];
  const length = Math.min(x.length, y.length);
  const [u, v] = [x.subarray(x.length - length), y.subarray(y.length - length)];
  return u.reduce((count, word, at) => count + Number(word === v[at]), 0);
}

describe.each(BUILDS)('the %s build', (mode) => {
  it('encrypts the same values to other bytes, in every call, column, key, client and tab', async () => {
    const loom = await open({ mode, threads: threadsOf(mode) });
    const tab = await open({ mode: 'single' });
    using program = await loom.compile(covariance());
    using elsewhere = await tab.program(program.toBytes());
    using client = await program.client();
    using other = await program.client();
    const saved = await client.save();
    using restored = await elsewhere.restoreClient(saved);
    using again = await program.restoreClient(saved);
    const sent: Ciphertexts[] = [];
    for (const one of [client, client, other, restored, again]) sent.push(await one.encrypt(COLUMNS));
    const keys = [client, other, restored, again].flatMap((one) => [...one.evaluationKeys]);
    const all = [...sent.flatMap((inputs) => Object.values(inputs)), ...keys];
    expect(all.length).toBeGreaterThan(20);
    // Residues of 30 bits or more at 2^20 places: 16 by chance in one of a thousand pairs with less than 2^-120.
    all.forEach((bytes, i) => {
      for (const later of all.slice(i + 1)) expect(shared(bytes, later)).toBeLessThan(16);
    });
    expect(shared(all[0] as Uint8Array, all[0] as Uint8Array)).toBeGreaterThan(1000);
  });

  it('takes ciphertexts as they are when they are handed in', async () => {
    const loom = await open({ mode, threads: threadsOf(mode) });
    using program = await loom.compile(covariance());
    using client = await program.client();
    const inputs = await client.encrypt(COLUMNS);
    const running = program.run(inputs, client.evaluationKeys);
    for (const bytes of Object.values(inputs)) bytes.fill(0);
    const { covariance: found } = await client.decrypt(await running);
    expect(found).toBe(0);
  });

  it.runIf(threadsOf(mode) > 1)('computes the same bytes on 2, 3 and 4 threads as on one', async () => {
    const single = await open({ mode: 'single' });
    using program = await single.compile(covariance());
    using client = await program.client();
    const inputs = await client.encrypt(COLUMNS);
    const expected = await program.run(inputs, client.evaluationKeys);
    for (const threads of [2, 3, 4]) {
      const loom = await open({ mode, threads });
      using same = await loom.program(program.toBytes());
      const found = await same.run(inputs, client.evaluationKeys);
      expect(Object.keys(found)).toEqual(Object.keys(expected));
      for (const [name, bytes] of Object.entries(expected)) {
        expect(Buffer.compare(found[name] as Uint8Array, bytes), `${name}, ${threads} threads`).toBe(0);
      }
    }
  });
});
