/** A box or a radio button to be ticked, with what it stands for and a note. */
import { h } from './dom.js';

/** The title may be a name of the visitor's, in whatever direction it is written. */
export function option(input: HTMLInputElement, title: string, note: string): HTMLLabelElement {
  return h(
    'label',
    { class: 'option' },
    input,
    h('bdi', { class: 'title' }, title),
    h('span', { class: 'note' }, note),
  );
}
