/** The values of a task as a picture: a box for each, and what is decrypted in the end. */
import type { ExplainedValue } from 'cipherloom';
import type { ShapeGroup } from '../../graph/layout.js';
import type { Group, Item } from '../../graph/picture.js';
import { detailOf, precisionText, shareText, titleOf, whereText } from './value-text.js';

/** Of the picture's monospaced font, in its units. */
const CHARACTER = 7.3;
/** Of the smaller lines. */
const SMALL = 6.8;
const LEAST_WIDTH = 130;
const HEIGHT = 74;
const PORT_HEIGHT = 26;
/** A prime that is left, as a bar; and the room from one to the next. */
export const PRIME = { width: 5, step: 8 } as const;

/** Boxes are numbered as the values are. */
export function valueGroup(values: readonly ExplainedValue[]): Group {
  const items: Item[] = values.map((value, node) => ({
    kind: 'operator',
    node,
    member: node,
    type: titleOf(value),
    children: 0,
    inner: undefined,
  }));
  const edges: number[] = [];
  for (const [reader, { operands }] of values.entries())
    for (const operand of new Set(operands)) edges.push(operand, reader);
  for (const [node, { outputs }] of values.entries())
    for (const text of outputs) edges.push(node, items.push({ kind: 'output', text, target: node }) - 1);
  return { node: undefined, items, edges, page: 0, pages: 1 };
}

/** Sizes of the boxes. */
export function valueShapes({ items, edges }: Group, values: readonly ExplainedValue[]): ShapeGroup {
  const most = mostPrimes(values);
  return {
    edges,
    shapes: items.map((item) => {
      if (item.kind !== 'operator') return { width: item.text.length * CHARACTER + 26, height: PORT_HEIGHT };
      const value = values[item.node]!;
      const primes = value.level === undefined ? 0 : most * PRIME.step + 10;
      const widths = [
        (titleOf(value).length + shareText(value).length + 2) * CHARACTER,
        detailOf(value, values).length * SMALL,
        value.level === undefined
          ? whereText(value).length * SMALL
          : primes + (precisionText(value) ?? '').length * SMALL,
      ];
      return { width: Math.max(...widths.map((width) => width + 28), LEAST_WIDTH), height: HEIGHT };
    }),
  };
}

/** Primes that fresh ciphertexts have. */
export function mostPrimes(values: readonly ExplainedValue[]): number {
  return Math.max(0, ...values.map(({ level = 0 }) => level));
}

/** The largest share of the work. */
export function mostCost(values: readonly ExplainedValue[]): number {
  return Math.max(0, ...values.map(({ cost }) => cost));
}

/** Who reads a value. */
export function readersOf(values: readonly ExplainedValue[], index: number): number[] {
  return values.flatMap(({ operands }, reader) => (operands.includes(index) ? [reader] : []));
}
