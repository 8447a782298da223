/** The page's tabs: one panel each, the address's hash says which. */
import { byId } from './dom.js';

export const PAGES = ['statistics', 'graph'] as const;
export type Page = (typeof PAGES)[number];

/** Connects the tabs; `opened` is called whenever one is shown. */
export function connectPages(opened: (page: Page) => void): void {
  const tabs = PAGES.map((page) => byId<HTMLButtonElement>(`tab-${page}`));
  const show = (page: Page): void => {
    for (const [index, name] of PAGES.entries()) {
      const isShown = name === page;
      tabs[index]!.setAttribute('aria-selected', String(isShown));
      tabs[index]!.tabIndex = isShown ? 0 : -1;
      byId(`panel-${name}`).hidden = !isShown;
    }
    opened(page);
  };
  const go = (page: Page): void => {
    if (page === pageOf(location.hash)) return;
    history.pushState(null, '', page === 'statistics' ? location.pathname + location.search : `#${page}`);
    show(page);
  };
  for (const [index, page] of PAGES.entries()) tabs[index]!.addEventListener('click', () => go(page));
  byId('pages').addEventListener('keydown', (event) => {
    const at = PAGES.indexOf(pageOf(location.hash));
    const last = PAGES.length - 1;
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last };
    const to = moves[event.key];
    if (to === undefined || to < 0 || to > last) return;
    event.preventDefault();
    tabs[to]!.focus();
    go(PAGES[to]!);
  });
  // Back, forward, and addresses that are typed.
  for (const type of ['popstate', 'hashchange']) addEventListener(type, () => show(pageOf(location.hash)));
  show(pageOf(location.hash));
}

function pageOf(hash: string): Page {
  return PAGES.find((page) => hash === `#${page}`) ?? 'statistics';
}
