/** What a party keeps of a run. */
import { expect, test } from 'vitest';
import { inMemory } from '../src/parties/index.js';
import { digestOf, Kept } from '../src/parties/kept.js';
import type { Port } from '../src/graph-types.js';

test('results are of the graph that they came from', async () => {
  const store = inMemory();
  const ports = [{ name: 'o', element: 'u32', shape: [2] }] as unknown as Port[];
  const whose = { run: 'r', party: 'one', id: 'first' };
  const kept = await Kept.open(store, whose);
  const digest = await digestOf([Uint8Array.of(1), Uint8Array.of(2, 3)]);
  expect(await kept.outputs(ports, digest)).toBeUndefined();
  await kept.finish(ports, { o: Uint32Array.of(1, 2) } as never, digest);
  const again = await Kept.open(store, whose);
  expect((await again.outputs(ports, digest))?.['o']).toEqual(Uint32Array.of(1, 2));
  const other = await Kept.open(store, { ...whose, id: 'second' });
  await expect(other.outputs(ports, digest)).rejects.toMatchObject({
    code: 'party.store',
    message: expect.stringContaining('another graph') as string,
  });
  // The same bytes, cut otherwise.
  const changed = await digestOf([Uint8Array.of(1, 2), Uint8Array.of(3)]);
  await expect(again.outputs(ports, changed)).rejects.toMatchObject({ code: 'party.changed' });
  // A page without WebCrypto has no digests.
  expect((await again.outputs(ports, new Uint8Array()))?.['o']).toEqual(Uint32Array.of(1, 2));
});
