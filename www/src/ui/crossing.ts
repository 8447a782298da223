/** The strip between the two sides: what crosses, as bytes. */
import * as format from '../format.js';
import type { Crossings } from '../run/runner.js';
import { byTestId } from './dom.js';

/** Shows sizes as planned or as measured; `prefix` is before the test ids. */
export function showCrossings(sizes: Crossings, planned: boolean, prefix = ''): void {
  for (const [name, size] of Object.entries(sizes) as [keyof Crossings, number][]) {
    const cell = byTestId(`${prefix}crossing-${name}`);
    cell.textContent = format.bytes(size);
    cell.dataset['bytes'] = String(size);
    cell.dataset['planned'] = String(planned);
  }
}
