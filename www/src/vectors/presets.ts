/** Ready choices of a map and an operator, to begin with. */
import type { Preset } from './choice.js';
import type { MapName, Work } from './work.js';

const READY: readonly (readonly [work: string, map: MapName, title: string])[] = [
  ['word-count', 'DirMap', 'Count words'],
  ['word-index', 'DirMap', 'Index words'],
  ['file-facts', 'DirMap', 'Measure files'],
  ['likeness', 'CrossMap', 'Compare texts'],
  ['groups', 'VectorMap', 'Sums and means by group'],
  ['encrypted', 'VectorMap', 'Encrypted statistics of each table'],
  ['mandelbrot', 'VectorMap', 'Paint the Mandelbrot set'],
];

export function presetsOf(works: readonly Work[]): Preset[] {
  return READY.map(([id, map, title]) => ({ title, map, work: works.find((work) => work.id === id)! }));
}
