/** Words that are explained where they stand: on hover, on focus and on touch. Without script they are links to the list of words. */
import { h } from './dom.js';

/** Between word and explanation, and from the window's edge, in pixels. */
const GAP = 8;

/** Connects every link of class `term`. Escape takes an explanation away, as does a touch beside it. */
export function connectGlossary(): void {
  // What screen readers read is the entry itself (`aria-describedby`).
  const tip = h('div', { class: 'tip', 'aria-hidden': 'true', 'data-testid': 'tip', hidden: true });
  document.body.append(tip);
  let shown: HTMLAnchorElement | undefined;
  let leaving = 0;

  const hide = (): void => {
    clearTimeout(leaving);
    shown = undefined;
    tip.hidden = true;
  };
  const show = (term: HTMLAnchorElement): void => {
    clearTimeout(leaving);
    const entry = document.getElementById(term.hash.slice(1));
    if (entry === null) return;
    shown = term;
    tip.textContent = entry.querySelector('dd')!.textContent.trim();
    tip.hidden = false;
    place(term);
  };
  const place = (term: HTMLAnchorElement): void => {
    const [word, own] = [term.getBoundingClientRect(), tip.getBoundingClientRect()];
    const room = document.documentElement.clientWidth - own.width - GAP;
    const below = word.bottom + GAP + own.height <= innerHeight || word.top < own.height + GAP;
    tip.style.left = `${Math.max(GAP, Math.min(word.left, room))}px`;
    tip.style.top = `${below ? word.bottom + GAP : word.top - own.height - GAP}px`;
  };
  /** Soon: the pointer may go from the word into the explanation. */
  const leave = (): void => {
    leaving = setTimeout(hide, 200);
  };

  for (const term of document.querySelectorAll<HTMLAnchorElement>('a.term')) {
    term.setAttribute('aria-describedby', term.hash.slice(1));
    term.addEventListener('pointerenter', () => show(term));
    term.addEventListener('pointerleave', () => term !== document.activeElement && leave());
    term.addEventListener('focus', () => show(term));
    term.addEventListener('blur', hide);
    term.addEventListener('click', (event) => {
      event.preventDefault();
      show(term);
    });
  }
  tip.addEventListener('pointerenter', () => clearTimeout(leaving));
  tip.addEventListener('pointerleave', leave);
  addEventListener('keydown', ({ key }) => key === 'Escape' && hide());
  addEventListener('pointerdown', ({ target }) => {
    if (shown !== undefined && !shown.contains(target as Node) && !tip.contains(target as Node)) hide();
  });
  addEventListener('scroll', () => shown !== undefined && place(shown), { passive: true });
}
