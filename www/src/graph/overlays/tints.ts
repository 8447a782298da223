/** Colours of overlays: levels of heat for amounts, and colours apart for names. Few, so that canvases know them all. */
import type { Kind } from '../kinds.js';
import type { NodeId } from '../staged-graphs.js';
import type { Meaning, Overlay } from './overlay.js';

/** Levels of heat above none. */
const LEVELS = 12;
/** Whose colours names have: then they come again. */
const APART: readonly Kind[] = ['transform', 'product', 'sum', 'move', 'key', 'modulus', 'encoding', 'logic'];

/** As styles name them. */
export const TINTS: readonly string[] = [
  ...Array.from({ length: LEVELS + 1 }, (_, level) => heat(level)),
  ...APART.map((kind) => `var(--kind-${kind})`),
];

/** What a box, or a line of the legend, of that colour is called in styles. */
export function classOf(tint: number): string {
  return tint <= LEVELS ? `heat heat-${tint}` : `heat kind-${APART[tint - LEVELS - 1]}`;
}

/** Of an amount as a share of the most. */
export function heatOf(share: number): number {
  return Math.round(Math.min(Math.max(share, 0), 1) * LEVELS);
}

/** Of the name that comes at that place. */
export function apartOf(place: number): number {
  return LEVELS + 1 + (place % APART.length);
}

/** The legend of amounts. */
export function scale(least: string, most: string): Meaning[] {
  return [
    { tint: 0, text: least },
    { tint: LEVELS, text: most },
  ];
}

/** Names, in the order in which they were first met. */
export class Names {
  readonly #places = new Map<string, number>();

  /** The colour of a name, which is met. */
  meet(name: string): number {
    const known = this.#places.get(name) ?? this.#places.size;
    this.#places.set(name, known);
    return apartOf(known);
  }

  /** The colour of one that was met. */
  tint(name: string | undefined): number | undefined {
    const place = name === undefined ? undefined : this.#places.get(name);
    return place === undefined ? undefined : apartOf(place);
  }

  get legend(): Meaning[] {
    return Array.from(this.#places, ([text, place]) => ({ tint: apartOf(place), text }));
  }

  /** The overlay in which `of` names operators; all names were met. */
  overlay(of: (node: NodeId) => string | undefined): Overlay {
    return { legend: this.legend, tint: (node) => this.tint(of(node)), text: of };
  }
}

/** A colour between that of cards and that of heat; styles have the same as `.heat-...`. */
function heat(level: number): string {
  return `color-mix(in oklab, var(--heat) ${Math.round((level / LEVELS) * 100)}%, var(--line))`;
}
