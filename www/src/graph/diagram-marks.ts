/** How operators are marked: selected, told about, producers and readers of that, found. */
import type { Marks } from './diagram.js';
import type { NodeSet } from './hits.js';
import type { Ink } from './ink.js';
import type { OperatorItem } from './picture.js';

/** Whether an item is of a set: itself, or as the box in which one of them lies whose own cannot be seen. */
export function holds(set: NodeSet, { node, member }: OperatorItem, isClosed: boolean): boolean {
  if (set.has(node) || (member !== node && set.has(member))) return true;
  return isClosed && set.holds !== undefined && (set.holds(node) || (member !== node && set.holds(member)));
}

/** Its colour, if it is marked. */
export function marked(marks: Marks, item: OperatorItem, isClosed: boolean, ink: Ink): string | undefined {
  const is = (node: number | undefined): boolean =>
    node !== undefined && (node === item.node || node === item.member);
  if (is(marks.selected) || is(marks.subject)) return ink.text;
  if (marks.kin !== undefined && holds(marks.kin, item, isClosed)) return ink.kin;
  if (holds(marks.producers, item, isClosed)) return ink.client;
  if (holds(marks.readers, item, isClosed)) return ink.evaluator;
  return holds(marks.found, item, isClosed) ? ink.text : undefined;
}
