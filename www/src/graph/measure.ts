/** Sizes of what is drawn. */
import * as format from '../format.js';
import type { Group, Item, OperatorItem } from './picture.js';
import { opOf } from './staged-graphs.js';
import type { Shape, ShapeGroup } from './layout.js';

/** Width of a character of the diagram's monospaced font, in its units. */
const CHARACTER = 7.3;
const OPERATOR_HEIGHT = 46;
const PORT_HEIGHT = 26;

/** The second line of an operator's box. */
export function subtitle({ node, children }: OperatorItem): string {
  return children === 0 ? `#${opOf(node)}` : `#${opOf(node)}, ${format.count(children)} inside`;
}

const shapes = new WeakMap<Group, ShapeGroup>();

/** The same object for the same group: it is laid out once. */
export function shapeOf(group: Group): ShapeGroup {
  let shape = shapes.get(group);
  if (shape === undefined) {
    shape = { shapes: group.items.map(sizeOf), edges: group.edges };
    shapes.set(group, shape);
  }
  return shape;
}

function sizeOf(item: Item): Shape {
  if (item.kind !== 'operator') return { width: item.text.length * CHARACTER + 26, height: PORT_HEIGHT };
  const letters = Math.max(item.type.length, subtitle(item).length);
  if (item.inner === undefined) {
    return { width: Math.max(letters * CHARACTER + 52, 120), height: OPERATOR_HEIGHT };
  }
  const title = item.type.length + String(opOf(item.node)).length + (item.inner.pages > 1 ? 28 : 4);
  return { width: title * CHARACTER + 60, height: OPERATOR_HEIGHT, inner: shapeOf(item.inner) };
}
