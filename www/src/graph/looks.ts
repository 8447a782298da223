/** How the boxes of a picture look. */
import { s } from '../ui/dom.js';
import { kindOf } from './kinds.js';
import { subtitle } from './measure.js';
import type { OperatorItem } from './picture.js';

/** Where a box is. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Looks {
  /** Of the whole picture. */
  readonly title: string;
  classOf(item: OperatorItem): string;
  /** What is said of it to those who do not see it. */
  labelOf(item: OperatorItem): string;
  /** What stands in a closed box. */
  draw(item: OperatorItem, place: Place): SVGElement[];
}

/** Operators of a graph: by the kind of their work. */
export const operatorLooks: Looks = {
  title: 'Operators',
  classOf: ({ type }) => `kind-${kindOf(type)}`,
  labelOf: (item) => `${item.type} ${subtitle(item)}`,
  draw: (item, { x, y }) => [
    s('text', { class: 'type', x: x + 13, y: y + 19 }, item.type),
    s('text', { class: 'sub', x: x + 13, y: y + 36 }, subtitle(item)),
  ],
};
