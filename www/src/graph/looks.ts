/** How the boxes of a picture look. */
import { s } from '../ui/dom.js';
import { kindOf } from './kinds.js';
import { subtitle } from './measure.js';
import type { Overlay } from './overlays.js';
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

/** Levels of an overlay's colour: few, so that canvases know them all. */
const LEVELS = 12;
/** Colours of all levels. */
export const HEATS: readonly string[] = Array.from({ length: LEVELS + 1 }, (_, level) => heat(level));
/** Pixels of the widest line. */
const WIDEST = 7;

/** The same, coloured by what `overlay` says instead, if there is one. */
export function overlaidLooks(overlay: () => Overlay | undefined): Looks {
  const line = (item: OperatorItem): string => {
    const text = overlay()?.text(item.node);
    return text === undefined ? subtitle(item) : `#${opOf(item.node)} · ${text}`;
  };
  const levelOf = ({ node }: OperatorItem): number | undefined => {
    const share = overlay()?.share(node);
    return share === undefined ? undefined : Math.round(Math.min(Math.max(share, 0), 1) * LEVELS);
  };
  return {
    ...operatorLooks,
    classOf: (item) => {
      const level = levelOf(item);
      return level === undefined ? operatorLooks.classOf(item) : `heat heat-${level}`;
    },
    labelOf: (item) => {
      const text = overlay()?.text(item.node);
      return `${operatorLooks.labelOf(item)}${text === undefined ? '' : `, ${text}`}`;
    },
    paint: (item) => {
      const level = levelOf(item);
      if (level !== undefined) return HEATS[level]!;
      return overlay() === undefined ? operatorLooks.paint(item) : 'var(--line)';
    },
    edge: (item) => {
      const shown = overlay();
      const [share, text] = [shown?.share(item.node), shown?.text(item.node)];
      if (shown?.id !== 'size' || share === undefined || text === undefined) return undefined;
      return { width: 1 + share * (WIDEST - 1), text };
    },
    draw: (item, { x, y }) => [
      s('text', { class: 'type', x: x + 13, y: y + 19 }, item.type),
      s('text', { class: 'sub', x: x + 13, y: y + 36 }, line(item)),
    ],
  };
}

/** A colour between that of cards and that of heat; styles have the same as `.heat-...`. */
function heat(level: number): string {
  return `color-mix(in oklab, var(--heat) ${Math.round((level / LEVELS) * 100)}%, var(--line))`;
}
