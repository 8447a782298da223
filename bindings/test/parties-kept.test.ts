/** What a party keeps of a run. */
import { expect, test } from 'vitest';
import { inMemory } from '../src/parties/index.js';
import { Kept } from '../src/parties/kept.js';
import type { Port } from '../src/graph-types.js';

test('results are of the graph that they came from', async () => {
  const store = inMemory();
  const ports = [{ name: 'o', element: 'u32', shape: [2] }] as unknown as Port[];
  const whose = { run: 'r', party: 'one', id: 'first' };
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
});
