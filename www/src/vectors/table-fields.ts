/** What fields of works over tables have in common. */
import { h } from '../ui/dom.js';

export function noTable(files: readonly File[]): string | undefined {
  return files.length === 0 ? 'Needs tables: files that end in .csv or .tsv' : undefined;
}

/** Fills a choice, unless what was chosen is still there; else with the first, or the last, that is likely. */
export function offer(
  select: HTMLSelectElement,
  names: readonly string[],
  isLikely: (name: string) => boolean,
  at: 0 | -1,
): void {
  const before = select.value;
  select.replaceChildren(...names.map((name) => h('option', { value: name }, name)));
  select.value = names.includes(before) ? before : (names.filter(isLikely).at(at) ?? names[0] ?? '');
}

export function field(label: string, select: HTMLElement): HTMLElement {
  return h('label', { class: 'field' }, h('span', {}, label), select);
}
