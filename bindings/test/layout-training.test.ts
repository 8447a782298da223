// A network of two layers and one with a convolution, trained for 100 steps under each mode on simulated machines: the same weights, bit for bit, as plain loops with the same order of sums.
import { describe, expect, it } from 'vitest';
import {
  type LayoutTensor,
  type Machine,
  machine,
  type Mode,
  MODES,
  partsOf,
  ruleStrategy,
  type Strategy,
  tableStrategy,
} from '../src/layout/index.js';
import { at, plainMlp } from './layout-machines.js';
import { convNetwork, loss, mlpNetwork, plain, simulated, train } from './layout-training.js';

const MACHINES: Readonly<Record<string, Machine>> = {
  'two clusters of two cores, with caches': machine({
    memories: 2,
    clusters: [
      { cores: 2, cache: true },
      { cores: 2, cache: true },
    ],
  }),
  'three cores of bus type over one memory': machine({
    architecture: 'smp',
    memories: 1,
    clusters: [{ cores: 3 }],
    order: 'TNDHWC',
  }),
};

const LABELS: readonly (readonly [mode: Mode, strategy: Strategy])[] = [
  ...MODES.map((mode) => [mode, tableStrategy()] as const),
  ['model', ruleStrategy],
];

/** What is summed, in the order that the table's model parallel labels say: weights are cut along C, inputs along N: one part after the other. */
function tableSums(on: Machine): (x: LayoutTensor, w: LayoutTensor) => number[] {
  return (x, w) => {
    const size = ({ dims, sizes }: LayoutTensor, letter: string): number =>
      sizes[dims.indexOf(letter)] as number;
    const [items, summed, outputs] = [size(x, 'N'), size(x, 'C'), size(w, 'N')];
    const cores = on.clusterOf.length;
    // The weight's only row is C, whatever its size.
    const ranges = partsOf(summed, cores, on.memories);
    const out: number[] = [];
    for (let n = 0; n < items; n++)
      for (let f = 0; f < outputs; f++) {
        const partial = ranges.map(([from, to]) => {
          let sum = 0;
          for (let c = from; c < to; c++)
            sum = Math.fround(sum + Math.fround(at(x, { N: n, C: c }) * at(w, { N: f, C: c })));
          return sum;
        });
        out.push(partial.reduce((sum, next) => Math.fround(sum + next)));
      }
    return out;
  };
}

describe.each([
  ['two layers', mlpNetwork()],
  ['a convolution and a layer', convNetwork()],
])('%s', (_, network) => {
  const alone = train(network, plain(), 100);

  it('learns', () => {
    expect(loss(network, alone)).toBeLessThan(loss(network, network.weights) / 4);
  });

  describe.each(Object.entries(MACHINES))('on %s', (_name, on) => {
    it.each(LABELS.map(([mode, strategy]) => [mode, strategy.name, strategy] as const))(
      '%s parallel, by the %s',
      (mode, name, strategy) => {
        const summed = mode === 'model' && name === 'table';
        const expected = summed ? train(network, plain(tableSums(on)), 100) : alone;
        const found = train(network, simulated(on, { mode, strategy }), 100);
        // Where the rule cuts what is summed, sums differ by rounding.
        if (name !== 'rule')
          found.forEach((weights, index) =>
            expect(Array.from(weights.of)).toEqual(
              Array.from((expected[index] as (typeof alone)[number]).of),
            ),
          );
        found.forEach((weights, index) =>
          weights.of.forEach((value, k) =>
            expect(
              Math.abs(value - ((expected[index] as (typeof alone)[number]).of[k] as number)),
            ).toBeLessThan(1e-4),
          ),
        );
      },
    );
  });
});

it('plain sums are those of the definition', () => {
  const x: LayoutTensor = { dims: 'NC', sizes: [1, 2], values: Float64Array.of(2, 3) };
  expect(plainMlp(x, { dims: 'NC', sizes: [1, 2], values: Float64Array.of(5, 7) })).toEqual([31]);
});
