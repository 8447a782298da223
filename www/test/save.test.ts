// A stage as text and as JSON: every operator, once, with what it reads.
import type { GraphView } from 'cipherloom';
import { expect, it } from 'vitest';
import { jsonPieces, listing } from '../src/graph/save.js';
import { StageGraph } from '../src/graph/stage-graph.js';

/** Operator k reads operator k - 1 and input `a"b`; the first the input alone. */
function chain(length: number): StageGraph {
  const inputs = Array.from({ length }, (_, op) => (op === 0 ? [-1] : [op - 1, -1]));
  let edges = 0;
  const view: GraphView = {
    types: ['x.add', 'x.neg'],
    type: Uint32Array.from(inputs, (_, op) => op % 2),
    parent: Int32Array.from(inputs, (_, op) => op - 1),
    inputsStart: Uint32Array.from([0, ...inputs.map((one) => (edges += one.length))]),
    inputs: Int32Array.from(inputs.flat()),
    placeholders: Float64Array.from(inputs.flatMap((_, op) => [op, op + 1])),
    labels: ['{}', '{k=3}'],
    label: Uint32Array.from(inputs, (_, op) => op % 2),
    inputNames: ['a"b'],
    outputs: [{ name: 'out', op: length - 1 }],
    wave: Uint32Array.from(inputs, (_, op) => op),
  };
  return new StageGraph(view, length);
}

it('writes a line for each operator', async () => {
  expect((await listing(chain(3))).join('')).toBe(
    [
      '#0 x.add <- input a"b -> [0, 1)',
      '#1 x.neg {k=3} <- #0, input a"b -> [1, 2)',
      '#2 x.add <- #1, input a"b -> [2, 3)',
      'output out <- #2\n',
    ].join('\n'),
  );
});

it.each([0, 1, 4096, 4097, 10_000])('writes JSON of %i operators that reads back', async (length) => {
  const read = JSON.parse((await jsonPieces(chain(length), 'Base "1"', 64)).join('')) as {
    operators: {
      op: number;
      type: string;
      inputs: number[];
      units: number[];
      parent: number;
      wave: number;
    }[];
  };
  expect(read).toMatchObject({ stage: 'Base "1"', unit: 64, inputs: ['a"b'] });
  expect(read.operators.map(({ op }) => op)).toEqual(Array.from({ length }, (_, op) => op));
  if (length > 1)
    expect(read.operators.at(-1)).toEqual({
      op: length - 1,
      type: length % 2 === 0 ? 'x.neg' : 'x.add',
      attributes: length % 2 === 0 ? 'k=3' : '',
      inputs: [length - 2, -1],
      units: [length - 1, length],
      parent: length - 2,
      wave: length - 1,
    });
});
