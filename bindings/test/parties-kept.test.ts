/** What a party keeps of a run. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { inFolder, inMemory, keptRandom, newRun, type PartyStore } from '../src/parties/index.js';
import { Kept } from '../src/parties/kept.js';
import type { Port } from '../src/graph-types.js';

const folders: string[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true }));
});
const folder = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), 'cipherloom-kept-')));
  return folders.at(-1) as string;
};

test('results are of the graph that they came from', async () => {
  const store = inMemory();
  const ports = [{ name: 'o', element: 'u32', shape: [2] }] as unknown as Port[];
  const whose = { run: 'r', party: 'one', id: 'first', inputs: [Uint8Array.of(1), Uint8Array.of(2, 3)] };
  const kept = await Kept.open(store, whose);
  expect(await kept.outputs(ports)).toBeUndefined();
  await kept.finish(ports, { o: Uint32Array.of(1, 2) } as never);
  const again = await Kept.open(store, whose);
  expect((await again.outputs(ports))?.['o']).toEqual(Uint32Array.of(1, 2));
  const other = await Kept.open(store, { ...whose, id: 'second' });
  await expect(other.outputs(ports)).rejects.toMatchObject({
    code: 'party.store',
    message: expect.stringContaining('another graph') as string,
  });
  // The same bytes, cut otherwise.
  const changed = await Kept.open(store, { ...whose, inputs: [Uint8Array.of(1, 2), Uint8Array.of(3)] });
  await expect(changed.outputs(ports)).rejects.toMatchObject({ code: 'party.changed' });
  // A page without WebCrypto has no digests.
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes });
  const without = await Kept.open(store, whose);
  expect((await without.outputs(ports))?.['o']).toEqual(Uint32Array.of(1, 2));
});

test('random bytes that are asked for twice at once are the same', async () => {
  const path = folder();
  const all: [string, () => PartyStore][] = [
    [
      'in memory',
      (
        (store) => () =>
          store
      )(inMemory()),
    ],
    ['in a folder', () => inFolder(path)],
  ];
  for (const [where, store] of all) {
    const run = newRun();
    const drawn = await Promise.all([1, 2, 3].map(() => keptRandom(store(), run, 'mask', 32)));
    const kept = await keptRandom(store(), run, 'mask', 32);
    for (const bytes of drawn) expect(bytes, where).toEqual(kept);
    // Each may be changed by who has it.
    drawn[0]?.fill(0);
    expect(await keptRandom(store(), run, 'mask', 32)).toEqual(kept);
    expect(await keptRandom(store(), run, 'another', 32)).not.toEqual(kept);
    // Of one name and run, parties have their own.
    expect(await keptRandom(inMemory(), run, 'mask', 32)).not.toEqual(kept);
  }
  // Who fails holds nobody up.
  const run = newRun();
  const broken = { ...inMemory(), put: () => Promise.reject(new Error('full')) };
  const [failed, drawn] = await Promise.allSettled([
    keptRandom(broken, run, 'mask', 8),
    keptRandom(inMemory(), run, 'mask', 8),
  ]);
  expect(failed).toMatchObject({ reason: { code: 'party.store' } });
  expect(drawn.status).toBe('fulfilled');
});

test('a folder takes two values of one name at once, and forgets what was not written to its end', async () => {
  const path = folder();
  const store = inFolder(path);
  const values = Array.from({ length: 20 }, (_, at) => new Uint8Array(1000).fill(at));
  await Promise.all(values.map((value) => store.put('name', value)));
  expect(values).toContainEqual(await store.get('name'));
  const [file, ...more] = readdirSync(path);
  expect(more).toEqual([]);
  await store.put('other', Uint8Array.of(1));
  // As a process that dies halfway leaves it.
  writeFileSync(join(path, `${file}.1.part`), 'half');
  await store.remove('name');
  expect(readdirSync(path)).toHaveLength(1);
  expect(await store.get('other')).toEqual(Uint8Array.of(1));
  await inFolder(join(path, 'not there')).remove('name');
});

test.each([null, 'secret', 5, new ArrayBuffer(8)])('a store that gives %s is told of', async (given) => {
  const store = { ...inMemory(), get: async () => given } as unknown as PartyStore;
  const error = (await keptRandom(store, newRun(), 'x', 8).catch((error: unknown) => error)) as Error;
  expect(error).toMatchObject({ code: 'party.store' });
  expect(error.message).toMatch(
    /get gave (null|a string|a number|an object \(ArrayBuffer\)).*expected bytes/,
  );
  expect(error.message).not.toContain('secret');
  const whose = { run: newRun(), party: 'one', id: 'first', inputs: [] };
  await expect(Kept.open(store, whose)).rejects.toMatchObject({ code: 'party.store' });
});

test('random bytes have bounds', async () => {
  for (const length of [2 ** 40, 2 ** 31, -1, 1.5, Number.NaN])
    await expect(keptRandom(inMemory(), newRun(), 'x', length)).rejects.toMatchObject({
      code: 'input.type',
      message: expect.stringContaining('at most 2147483647') as string,
    });
  expect(await keptRandom(inMemory(), newRun(), 'x', 0)).toHaveLength(0);
});
