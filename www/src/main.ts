import { App } from './app.js';
import { failureOf } from './failure.js';
import { settingsOf } from './settings.js';
import { button, byId } from './ui/dom.js';
import { keepPageFromDrops } from './ui/drop-zone.js';
import { connectGlossary } from './ui/glossary.js';
import { keepFocus } from './ui/keep-focus.js';
import { fetchLostStyles } from './ui/lost-styles.js';
import { connectModePanel, connectProcessors, connectThreads } from './ui/mode-panel.js';
import { connectPages, type Page } from './ui/page-tabs.js';
import { connectSkip } from './ui/skip-link.js';
import { connectTheme } from './ui/theme.js';

/** A tab that has been opened; some draw canvases anew, in other colors. */
interface Tab {
  repaint?(): void;
}

const settings = settingsOf(location.search);
const app = new App(settings);
/** What the other tabs are made of comes when they are first opened. */
const MAKE: Readonly<Record<Exclude<Page, 'statistics'>, (panel: HTMLElement) => Promise<Tab>>> = {
  applications: async (panel) => {
    const { Applications } = await import('./applications/applications.js');
    return new Applications(panel, app, settings.compile) as Tab;
  },
  vectors: async (panel) => new (await import('./vectors/vectors.js')).Vectors(panel, app),
  together: async (panel) => new (await import('./together/together.js')).Together(panel, app) as Tab,
  clinic: async (panel) => {
    const { Clinic } = await import('./clinic/clinic.js');
    return (await Clinic.open(panel, app.data, settings)) as Tab;
  },
  layout: async (panel) => new (await import('./layout/layouts.js')).Layouts(panel) as Tab,
  kernels: async (panel) => new (await import('./kernels/kernels.js')).Kernels(panel) as Tab,
  learn: async (panel) => new (await import('./learn/learn.js')).Learn(panel, app) as Tab,
  playground: async (panel) => new (await import('./playground/playground.js')).Playground(panel, app) as Tab,
  graph: async (panel) => new (await import('./workbench/workbench.js')).Workbench(panel, app),
};
const tabs = new Map<Page, Promise<Tab>>();

connectTheme(() => {
  app.repaint();
  for (const tab of tabs.values()) void tab.then((opened) => opened.repaint?.());
});
connectModePanel();
keepPageFromDrops();
connectSkip();
connectGlossary();
connectThreads(settings.load.threads, (threads) => app.changeThreads(threads));
connectProcessors(app);
connectPages(open);

function open(page: Page): void {
  if (page === 'statistics' || tabs.has(page)) return;
  const tab = fetchLostStyles().then(() => MAKE[page](byId(`panel-${page}`)));
  tabs.set(page, tab);
  tab.catch((error: unknown) => {
    tabs.delete(page); // the next opening tries anew
    const { sentence, code } = failureOf(error, `opening the ${page} tab`);
    const status = byId(`${page}-status`);
    const again = button(
      'Try again',
      () => {
        // The button goes, and whoever pressed it by keyboard goes on from the tab.
        keepFocus(() => (status.textContent = 'Opening…'), byId(`tab-${page}`));
        open(page);
      },
      { class: 'small' },
    );
    status.replaceChildren(`The ${page} tab could not be opened. ${sentence} (${code}) `, again);
  });
}
