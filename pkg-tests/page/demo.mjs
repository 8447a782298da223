// The demo page as its tests use it: built once, served, and worked as a person does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { ROOT } from '../../scripts/lib/run.mjs';
import { openBrowser } from '../lib/browser.mjs';
import { kept } from '../lib/kept.mjs';
import { startServer } from '../lib/server.mjs';

export const PATIENCE_MS = 300_000;
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
const WWW = join(ROOT, 'www');

/** All that a build reads: of the repository, and of the page's own folder. */
const SOURCES = [
  ...['bindings/dist', 'bindings/wasm', 'bindings/package.json', 'data', 'examples/clinic', 'package-lock.json'],
  // What operators say of themselves, and the documents beside the page with their figures.
  ...['src', 'engine/src', 'docs', 'bindings/README.md', 'SECURITY.md', 'FORMAT.md', 'BENCHMARKS.md'],
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['src', 'public', 'vite', 'screenshots', 'index.html', 'together.html'].map((name) => join('www', name)),
  ...['vite.config.ts', 'tsconfig.json', 'package.json'].map((name) => join('www', name)),
];

let built;

/** The folder of the built page. */
export function builtPage() {
  const make = (folder) =>
    execFileSync(process.execPath, [VITE, 'build', '--outDir', folder, '--logLevel', 'error'], {
      cwd: WWW,
      timeout: 600_000,
    });
  return (built ??= kept('page', SOURCES, make, process.env.SITE_URL));
}

/**
 * Serves the page. `plain` is its own mode without the headers that isolate it; `folder` is another build of it. Gives
 * `{ url, stop }`.
 */
export async function servePage({ plain = false, folder = builtPage() } = {}) {
  const mode = plain ? ['--mode', 'plain'] : [];
  return startServer(VITE, ['preview', '--outDir', folder, ...mode], { cwd: WWW });
}

/** From now on what a page gives to be saved is looked at, and not put on the disk: `saved` in the page, each with `name` and `blob`. */
export async function catchSaved(page) {
  await page.evaluate(`(() => {
    window.saved = [];
    const make = URL.createObjectURL.bind(URL);
    let last;
    URL.createObjectURL = (blob) => make((last = blob));
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function () {
      if (this.download === '') click.call(this);
      else saved.push({ name: this.download, blob: last });
    };
  })()`);
}

/** Ticks these columns alone, and every statistic. */
export async function choose(page, columns) {
  const boxes = `[...document.querySelectorAll('[data-testid="column"]')]`;
  const names = JSON.stringify(columns);
  await page.until(`${names}.every((name) => ${boxes}.some(({ value }) => value === name))`, PATIENCE_MS);
  await page.evaluate(`
    for (const box of ${boxes}) if (box.checked && !${names}.includes(box.value)) box.click();
    for (const box of ${boxes}) if (!box.checked && ${names}.includes(box.value)) box.click();
    for (const box of document.querySelectorAll('[data-testid^="statistic-"]')) if (!box.checked) box.click();
  `);
}

/** What the page says of its engine, plan and run. */
const SAID = `['mode', 'plan-status', 'status'].map((id) => document.querySelector('[data-testid="' + id + '"]').textContent)`;

/** Runs, and reads the table of results as it is on the screen. */
export async function run(page) {
  // The price, when it comes, moves the button: a click on where it was would miss it.
  await page.until(
    `!document.querySelector('[data-testid="run"]').disabled && document.querySelector('[data-testid="plan-status"]').textContent.startsWith('Planned')`,
    PATIENCE_MS,
  );
  await page.click('[data-testid="run"]');
  try {
    await page.until(
      `!document.querySelector('[data-testid="error"]').hidden || document.querySelector('[data-testid="results"]:not([hidden])[data-stale="false"]')`,
      PATIENCE_MS,
    );
  } catch (error) {
    throw new Error(`no results; the page says ${JSON.stringify(await page.evaluate(SAID))}`, { cause: error });
  }
  const failure = await page.evaluate(`document.querySelector('[data-testid="error"]').textContent`);
  assert.equal(failure, '');
  return page.evaluate(`
    [...document.querySelectorAll('[data-testid="result"]')].map((row) => [...row.cells].slice(0, 5).map((cell) => cell.innerText.toLowerCase()))
  `);
}

/**
 * In a `describe`: opens the page, at `address` of it, in that browser before the first test, and hands it, the browser and the server's address to `ready`; closes all
 * after the last one. `plain`: as of `servePage`; `gpu`: as of `openBrowser`.
 */
export function openPage(name, ready, address = '', { plain, gpu } = {}) {
  let server;
  let browser;
  before(async () => {
    [server, browser] = await Promise.all([servePage({ plain }), openBrowser(name, { gpu })]);
    await ready(await browser.open(`${server.url}${address}`), browser, server.url);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
}
