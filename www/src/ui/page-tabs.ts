/** The page's tabs: one panel each, the address's hash says which. */
import { byId } from './dom.js';

export const PAGES = [
  'statistics',
  'applications',
  'vectors',
  'together',
  'clinic',
  'layout',
  'kernels',
  'learn',
  'playground',
  'graph',
] as const;
export type Page = (typeof PAGES)[number];

/** Connects the tabs; `opened` is called whenever one is shown. */
export function connectPages(opened: (page: Page) => void): void {
  let current = pageOf(location.hash) ?? 'statistics';
  const tabs = PAGES.map((page) => byId<HTMLButtonElement>(`tab-${page}`));
  const show = (page: Page): void => {
    current = page;
    for (const [index, name] of PAGES.entries()) {
      const isShown = name === page;
      tabs[index]!.setAttribute('aria-selected', String(isShown));
      tabs[index]!.tabIndex = isShown ? 0 : -1;
      byId(`panel-${name}`).hidden = !isShown;
    }
    // Whoever has several open finds them by it, and so does who goes back by the history.
    document.title = `${tabs[PAGES.indexOf(page)]!.textContent.trim()} · cipherloom`;
    opened(page);
  };
  // A tab has its address again when it is come back to: a meeting is left by another one alone.
  const hashes = new Map<Page, string>();
  const go = (page: Page): void => {
    if (page === current) return;
    if (pageOf(location.hash) === current) hashes.set(current, location.hash);
    const address = page === 'statistics' ? location.pathname + location.search : `#${page}`;
    history.pushState(null, '', hashes.get(page) ?? address);
    show(page);
  };
  for (const [index, page] of PAGES.entries()) tabs[index]!.addEventListener('click', () => go(page));
  byId('pages').addEventListener('keydown', (event) => {
    const at = PAGES.indexOf(current);
    const last = PAGES.length - 1;
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last };
    const to = moves[event.key];
    if (to === undefined || to < 0 || to > last) return;
    event.preventDefault();
    tabs[to]!.focus();
    go(PAGES[to]!);
  });
  // Back, forward, and addresses that are typed; a hash may also be a place within a page.
  const follow = (): void => {
    const page = location.hash === '' ? 'statistics' : (pageOf(location.hash) ?? current);
    if (page !== current) show(page);
  };
  for (const type of ['popstate', 'hashchange']) addEventListener(type, follow);
  show(current);
}

/** What comes behind a question mark is the page's own. */
function pageOf(hash: string): Page | undefined {
  return PAGES.find((page) => hash.split('?')[0] === `#${page}`);
}
