/** The link that skips to the demo: on another tab its target is hidden, and an address may hold what must not be lost. */
import { byId } from './dom.js';

export function connectSkip(): void {
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    if (!byId('panel-statistics').hidden) return;
    event.preventDefault();
    byId('main').focus();
  });
}
