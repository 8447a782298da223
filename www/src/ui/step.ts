/** A numbered card: one step of what a tab does. */
import { h } from './dom.js';

/** `prefix` and `id` name it; `kind`: classes beside those of every step. */
export function step(
  number: number,
  { prefix, id, title, kind = '' }: { prefix: string; id: string; title: string; kind?: string },
  ...children: readonly (Node | string)[]
): HTMLElement {
  const name = `${prefix}${id}-title`;
  return h(
    'section',
    { class: `card step ${kind}`.trim(), 'aria-labelledby': name },
    h('h2', { id: name }, h('span', { class: 'number', 'aria-hidden': 'true' }, String(number)), ` ${title}`),
    ...children,
  );
}
