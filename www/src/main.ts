import { App } from './app.js';
import { failureOf } from './failure.js';
import type { Applications } from './applications/applications.js';
import { settingsOf } from './settings.js';
import { byId } from './ui/dom.js';
import { connectModePanel, connectThreads } from './ui/mode-panel.js';
import { connectPages, type Page } from './ui/page-tabs.js';
import { connectTheme } from './ui/theme.js';
import type { Vectors } from './vectors/vectors.js';
import type { Workbench } from './workbench/workbench.js';

const settings = settingsOf(location.search);
const app = new App(settings);
let workbench: Promise<Workbench> | undefined;
let applications: Promise<Applications> | undefined;
let vectors: Promise<Vectors> | undefined;
connectTheme(() => {
  app.repaint();
  void workbench?.then((opened) => opened.repaint());
  void vectors?.then((opened) => opened.repaint());
});
connectModePanel();
connectThreads(settings.load.threads, (threads) => app.changeThreads(threads));
connectPages(opened);

/** What the other tabs are made of comes when they are first opened. */
function opened(page: Page): void {
  if (page === 'graph') openGraphs();
  if (page === 'applications') openApplications();
  if (page === 'vectors') openVectors();
}

function openGraphs(): void {
  workbench ??= import('./workbench/workbench.js').then(({ Workbench }) => {
    return new Workbench(byId('panel-graph'), app);
  });
  workbench.catch((error: unknown) => {
    workbench = undefined; // the next opening tries anew
    const { sentence, code } = failureOf(error, 'opening the graph tab');
    byId('graph-status').textContent = `The graph tab could not be opened: ${sentence} (${code})`;
  });
}

function openApplications(): void {
  applications ??= import('./applications/applications.js').then(({ Applications }) => {
    return new Applications(byId('panel-applications'), app, settings.compile);
  });
  applications.catch((error: unknown) => {
    applications = undefined;
    const { sentence, code } = failureOf(error, 'opening the applications tab');
    byId('applications-status').textContent =
      `The applications tab could not be opened: ${sentence} (${code})`;
  });
}

function openVectors(): void {
  vectors ??= import('./vectors/vectors.js').then(({ Vectors }) => new Vectors(byId('panel-vectors'), app));
  vectors.catch((error: unknown) => {
    vectors = undefined;
    const { sentence, code } = failureOf(error, 'opening the vectors tab');
    byId('vectors-status').textContent = `The vectors tab could not be opened: ${sentence} (${code})`;
  });
}
