/** How the boxes of a picture look. */
import { s } from '../ui/dom.js';
import { kindOf } from './kinds.js';
import { subtitle } from './measure.js';
import type { Overlay } from './overlays/overlay.js';
import { classOf, TINTS } from './overlays/tints.js';
import type { OperatorItem } from './picture.js';
import { opOf } from './staged-graphs.js';

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
  /** The colour that it has from afar, as styles name it. */
  paint(item: OperatorItem): string;
  /** How wide the lines of what it writes are, and what is said of them; undefined as usual. */
  edge?(item: OperatorItem): { readonly width: number; readonly text: string } | undefined;
  /** What stands in a closed box. */
  draw(item: OperatorItem, place: Place): SVGElement[];
}

/** Operators of a graph: by the kind of their work. */
export const operatorLooks: Looks = {
  title: 'Operators',
  classOf: ({ type }) => `kind-${kindOf(type)}`,
  labelOf: (item) => `${item.type} ${subtitle(item)}`,
  paint: ({ type }) => `var(--kind-${kindOf(type)})`,
  draw: (item, { x, y }) => [
    s('text', { class: 'type', x: x + 13, y: y + 19 }, item.type),
    s('text', { class: 'sub', x: x + 13, y: y + 36 }, subtitle(item)),
  ],
};

/** Pixels of the widest line. */
const WIDEST = 7;

/** Pixels of a letter in a box's second line, and of what is left free beside it. */
const [LETTER, FREE] = [6.7, 20];

/** The same, coloured by what `overlay` says instead, if there is one. */
export function overlaidLooks(overlay: () => Overlay | undefined): Looks {
  const line = (item: OperatorItem, width: number): string => {
    const text = overlay()?.text(item.node);
    if (text === undefined) return subtitle(item);
    const whole = `#${opOf(item.node)} · ${text}`;
    return whole.length * LETTER + FREE <= width ? whole : text;
  };
  return {
    ...operatorLooks,
    classOf: (item) => {
      const tint = overlay()?.tint(item.node);
      return tint === undefined ? operatorLooks.classOf(item) : classOf(tint);
    },
    labelOf: (item) => {
      const text = overlay()?.text(item.node);
      return `${operatorLooks.labelOf(item)}${text === undefined ? '' : `, ${text}`}`;
    },
    paint: (item) => {
      const shown = overlay();
      if (shown === undefined) return operatorLooks.paint(item);
      const tint = shown.tint(item.node);
      return tint === undefined ? 'var(--line)' : TINTS[tint]!;
    },
    edge: (item) => {
      const shown = overlay();
      const [share, text] = [shown?.width?.(item.node), shown?.text(item.node)];
      return share === undefined || text === undefined
        ? undefined
        : { width: 1 + share * (WIDEST - 1), text };
    },
    draw: (item, { x, y, width }) => [
      s('text', { class: 'type', x: x + 13, y: y + 19 }, item.type),
      s('text', { class: 'sub', x: x + 13, y: y + 36 }, line(item, width)),
    ],
  };
}
