import { DOCS } from 'virtual:operator-docs';
import { OPERATORS } from 'virtual:operator-names';
import { expect, test } from 'vitest';
import { KIND_OF_TASK } from '../src/graph/kinds.js';

test('every operator that the page can show has a definition', () => {
  expect(OPERATORS.size).toBeGreaterThan(300);
  expect([...OPERATORS.keys()].filter((name) => !DOCS.has(name))).toEqual([]);
  const ofTasks = Object.keys(KIND_OF_TASK);
  expect(ofTasks.filter((name) => !DOCS.has(`value.${name}`) && !DOCS.has(`packed.${name}`))).toEqual([]);
  expect([...DOCS].filter(([, doc]) => (doc?.text.length ?? 0) < 15).map(([name]) => name)).toEqual([]);
});

test.each([
  ['bfv.relinearize_switch', 'src/schemes/rlwe/relinearize_divide.rs'],
  ['ckks.rescale_extract', 'src/schemes/rlwe/divide_extract.rs'],
  ['party.receive', 'src/parties/receive.rs'],
  ['poly.mul', 'engine/src/ops/base/mul.rs'],
  ['value.sum', 'src/values/ops/sum.rs'],
  ['packed.rotate', 'src/packed/ops/rotate.rs'],
  ['stats.variance', 'src/values/stats/variance.rs'],
])('%s is defined in %s', (name, file) => expect(DOCS.get(name)?.file).toBe(file));
