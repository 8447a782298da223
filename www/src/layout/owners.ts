/** How the parts of cores are told apart: by a number, one of eight colours and one of four patterns. */
import { s } from '../ui/dom.js';

const COLOURS = 8;
const PATTERNS = ['plain', 'dots', 'bars', 'rings'] as const;

/** Classes of what a core has. */
export function ownerClass(core: number): string {
  return `owner owner-${core % COLOURS}`;
}

/** What lies over the colour, `url(#...)`; undefined for the first eight cores. */
export function ownerPattern(core: number, ids: string): string | undefined {
  const pattern = PATTERNS[Math.floor(core / COLOURS) % PATTERNS.length]!;
  return pattern === 'plain' ? undefined : `url(#${ids}-${pattern})`;
}

/** The hatching of padding. */
export function paddingPattern(ids: string): string {
  return `url(#${ids}-padding)`;
}

/** The patterns that a picture refers to; `ids` is the picture's own. */
export function patterns(ids: string): SVGElement {
  const pattern = (name: string, size: number, ...shapes: SVGElement[]): SVGElement =>
    s(
      'pattern',
      {
        id: `${ids}-${name}`,
        class: 'owner-pattern',
        width: size,
        height: size,
        patternUnits: 'userSpaceOnUse',
      },
      ...shapes,
    );
  return s(
    'defs',
    {},
    pattern('padding', 7, s('path', { d: 'M-1 8L8 -1M-1 1L1 -1M6 8L8 6' })),
    pattern('dots', 8, s('circle', { class: 'solid', cx: 4, cy: 4, r: 1.1 })),
    pattern('bars', 8, s('path', { d: 'M4 0V8' })),
    pattern('rings', 10, s('circle', { cx: 5, cy: 5, r: 2.5 })),
  );
}
