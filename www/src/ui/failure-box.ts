/** The box that says what went wrong: beside what was pressed, since a tab may be many screens of a telephone long. */
import type { Failure } from '../failure.js';
import { button, h } from './dom.js';
import { focusFirst, keepFocus } from './keep-focus.js';

/** What a visitor pressed or was in last. */
interface Used {
  readonly element: HTMLElement;
  /** A part of a step, or of the tab: those stay when what is in them is drawn anew. */
  readonly place: Element | null;
}

const CONTROLS = 'button, a, input, select, textarea, summary';
/** By panel: a run may fail while its visitor is in another tab. */
const used = new WeakMap<Element, Used>();
for (const type of ['click', 'focusin', 'change', 'drop'] as const) addEventListener(type, note, true);

function note({ target }: Event): void {
  if (!(target instanceof HTMLElement) || target.closest('.failure') !== null) return;
  const panel = target.closest('.page-panel');
  if (panel === null) return;
  const place = target.closest('.step > *') ?? target.closest('.page-panel > *');
  used.set(panel, { element: target.closest<HTMLElement>(CONTROLS) ?? target, place });
}

/** Shows a failure; `restart` replaces dead workers. `moves`: whether the page is scrolled to it. */
export function showFailure(
  box: HTMLElement,
  { sentence, code, place, canRestart }: Failure,
  restart: () => void,
  moves = true,
): void {
  box.dataset['code'] = code;
  const buttons = [
    ...(canRestart ? [button('Restart the workers', restart, { 'data-testid': 'restart' })] : []),
    button('Dismiss', () => hideFailure(box), { class: 'quiet' }),
  ];
  const parts = [
    h('p', { class: 'sentence', 'data-testid': 'error-sentence' }, sentence),
    h(
      'p',
      { class: 'where' },
      h('code', { 'data-testid': 'error-code' }, code),
      ' ',
      h('span', { 'data-testid': 'error-place' }, place),
    ),
    h('div', { class: 'row' }, ...buttons),
  ];
  // Who was in the one before is in this one.
  const change = (): void => {
    box.replaceChildren(...parts);
    stand(box);
    box.hidden = false;
  };
  keepFocus(change, ...buttons);
  if (moves) box.scrollIntoView({ block: 'nearest' });
}

/** Puts it where its reader is. */
function stand(box: HTMLElement): void {
  const panel = box.closest('.page-panel');
  const at = panel === null ? undefined : used.get(panel);
  if (at === undefined) return;
  const { place } = at;
  // In what is inert nothing can be read aloud or pressed.
  if (place?.isConnected !== true || place.closest('[inert]') !== null)
    panel?.querySelector('.steps')?.before(box);
  else if (place !== box) place.after(box);
}

/** Who works by keyboard, and was in it, goes on where it went wrong. */
export function hideFailure(box: HTMLElement): void {
  const wasIn = box.contains(document.activeElement);
  box.hidden = true;
  box.replaceChildren();
  const panel = wasIn ? box.closest('.page-panel') : null;
  const at = panel === null ? undefined : used.get(panel);
  if (at !== undefined)
    focusFirst([at.element, ...(at.place?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])]);
}
