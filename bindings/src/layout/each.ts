/** What operators have in common that compute each element by itself. */
import type { Operand } from '../graph-types.js';
import { DIMENSIONS } from './dimensions.js';
import type { LayoutAttributes, LayoutOperator, LayoutPort } from './operator.js';
import type { Recorder } from './recorded.js';
import { wrong } from './wrong.js';

const leads = /* @__PURE__ */ Object.fromEntries(
  DIMENSIONS.map((to) => [to, { to }] as const),
) as LayoutPort['leads'];
const usual = ['C', 'NC', 'NCW', 'NCHW', 'NCDHW', 'TNCDHW'];
const PORTS: readonly LayoutPort[] = [
  { name: 'input', letter: 'i', role: 'neuron', usual, leads },
  { name: 'weight', letter: 'w', role: 'neuron', usual, leads },
];

/** An operator of one or two operands of equal sizes, element by element; what `of` gives is rounded, and so are attributes. */
export function each(
  name: string,
  operands: 1 | 2,
  of: (a: number, b: number, attributes: LayoutAttributes) => number,
  record: (recorder: Recorder, a: Operand, b: Operand | undefined, attributes: LayoutAttributes) => Operand,
  defaults: LayoutAttributes = {},
): LayoutOperator {
  return {
    name,
    family: 'each',
    ports: PORTS.slice(0, operands),
    defaults,
    graph: [name],
    local: (attributes) => attributes,
    output(input, weight) {
      const print = (sizes: object): string => JSON.stringify(Object.entries(sizes).sort());
      if (operands === 2 && print(input) !== print(weight))
        throw wrong('layout.operands', name, print(weight), `operands of equal sizes, ${print(input)}`);
      return input;
    },
    compute([input, other], attributes, dims, round) {
      if (input === undefined || (operands === 2 && other === undefined))
        throw wrong('layout.plan', name, 'an operand that is missing', `${operands}`);
      if (dims !== input.dims) throw wrong('layout.plan', name, `dimensions ${dims}`, input.dims);
      if (other !== undefined && (other.dims !== dims || other.sizes.join() !== input.sizes.join()))
        throw wrong(
          'layout.plan',
          name,
          `${other.dims} ${other.sizes.join(' x ')}`,
          `${dims} ${input.sizes.join(' x ')}`,
        );
      const rounded = Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [key, round(value)] as const),
      );
      const values = input.values.map((a, index) => round(of(a, other?.values[index] ?? 0, rounded)));
      return { dims, sizes: input.sizes, values };
    },
    record(recorder, [input, other], attributes) {
      if (input === undefined) throw wrong('layout.plan', name, 'no operand', `${operands}`);
      const second = other && recorder.transpose(other, input.dims).operand;
      return { ...input, operand: record(recorder, input.operand, second, attributes) };
    },
    operations: (input) => Object.values(input).reduce((all, size) => all * size, 1),
  };
}
