/** The box that says what went wrong. */
import type { Failure } from '../failure.js';
import { button, h } from './dom.js';

/** Shows a failure; `restart` replaces dead workers. */
export function showFailure(
  box: HTMLElement,
  { sentence, code, place, canRestart }: Failure,
  restart: () => void,
): void {
  const before = document.activeElement;
  box.dataset['code'] = code;
  box.replaceChildren(
    h('p', { class: 'sentence', 'data-testid': 'error-sentence' }, sentence),
    h(
      'p',
      { class: 'where' },
      h('code', { 'data-testid': 'error-code' }, code),
      ' ',
      h('span', { 'data-testid': 'error-place' }, place),
    ),
    h(
      'div',
      { class: 'row' },
      ...(canRestart ? [button('Restart the workers', restart, { 'data-testid': 'restart' })] : []),
      button('Dismiss', () => dismiss(box, before), { class: 'quiet' }),
    ),
  );
  box.hidden = false;
  box.scrollIntoView({ block: 'nearest' });
}

/** Who works by keyboard goes on where it went wrong. */
function dismiss(box: HTMLElement, before: Element | null): void {
  hideFailure(box);
  if (before instanceof HTMLElement && before.isConnected) before.focus();
}

export function hideFailure(box: HTMLElement): void {
  box.hidden = true;
  box.replaceChildren();
}
