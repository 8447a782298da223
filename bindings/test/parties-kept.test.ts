/** What a party keeps of a run. */
import { afterEach, expect, test, vi } from 'vitest';
import { inMemory } from '../src/parties/index.js';
import { Kept } from '../src/parties/kept.js';
import type { Port } from '../src/graph-types.js';

afterEach(() => void vi.unstubAllGlobals());

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
