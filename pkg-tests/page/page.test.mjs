// The real page, built, in real browsers: a real CSV file in, the right numbers on the screen.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../../scripts/lib/run.mjs';
import { bundled } from '../job/bundled.mjs';
import { ofOne, ofTwo } from '../job/reference.mjs';
import { writeLargeTable } from '../job/table.mjs';
import { BROWSERS, openBrowser } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/package.mjs';
import { startServer } from '../lib/server.mjs';

const PATIENCE_MS = 60_000;
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
const WWW = join(ROOT, 'www');
/** `plain` is the page's own mode without the headers that isolate it. */
const SERVERS = [
  { title: 'isolated', args: [], isolated: true },
  { title: 'not isolated', args: ['--mode', 'plain'], isolated: false },
];

const folder = temporaryFolder();
const built = join(folder, 'page');
const file = join(folder, 'patients.csv');
const uploaded = writeLargeTable(file, 2000, 11);
before(() => execFileSync(process.execPath, [VITE, 'build', '--outDir', built, '--logLevel', 'error'], { cwd: WWW, timeout: 120_000 }));

for (const name of BROWSERS) {
  describe(name, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(name);
    });
    after(() => browser?.close());

    for (const { title, args, isolated } of SERVERS) {
      test(title, { timeout: 240_000 }, async (t) => {
        const server = await startServer(VITE, ['preview', '--outDir', built, ...args], { cwd: WWW });
        t.after(server.stop);
        const page = await browser.open(server.url);
        t.after(page.close);
        assert.equal(await page.evaluate('crossOriginIsolated'), isolated);

        await page.upload('[data-testid="file"]', file);
        await choose(page, Object.keys(uploaded));
        assert.deepEqual(await run(page), expected(uploaded));

        await page.click('[data-testid="dataset"]');
        const columns = bundled('mean smoothness', 'worst symmetry');
        await choose(page, Object.keys(columns));
        assert.deepEqual(await run(page), expected(columns));

        const reasons = await page.evaluate(`document.querySelector('[data-testid="mode-reasons"]').textContent`);
        assert[isolated ? 'doesNotMatch' : 'match'](reasons, /not cross-origin isolated/);
        assert.deepEqual(page.problems, []);
      });
    }
  });
}

/** Ticks these columns alone, and every statistic. */
async function choose(page, columns) {
  const boxes = `[...document.querySelectorAll('[data-testid="column"]')]`;
  const names = JSON.stringify(columns);
  await page.until(`${names}.every((name) => ${boxes}.some(({ value }) => value === name))`, PATIENCE_MS);
  await page.evaluate(`
    for (const box of ${boxes}) if (box.checked && !${names}.includes(box.value)) box.click();
    for (const box of ${boxes}) if (!box.checked && ${names}.includes(box.value)) box.click();
    for (const box of document.querySelectorAll('[data-testid^="statistic-"]')) if (!box.checked) box.click();
  `);
}

/** Runs, and reads the table of results as it is on the screen. */
async function run(page) {
  await page.until(`!document.querySelector('[data-testid="run"]').disabled`, PATIENCE_MS);
  await page.click('[data-testid="run"]');
  await page.until(
    `!document.querySelector('[data-testid="error"]').hidden || document.querySelector('[data-testid="results"]:not([hidden])[data-stale="false"]')`,
    PATIENCE_MS,
  );
  const failure = await page.evaluate(`document.querySelector('[data-testid="error"]').textContent`);
  assert.equal(failure, '');
  return page.evaluate(`
    [...document.querySelectorAll('[data-testid="result"]')].map((row) => [...row.cells].slice(0, 5).map((cell) => cell.innerText.toLowerCase()))
  `);
}

/** The rows that must be on the screen. */
function expected(columns) {
  const [[a, first], [b, second]] = Object.entries(columns);
  const lines = (title, statistics) =>
    Object.entries(statistics).map(([statistic, value]) => [statistic, title, String(value), String(value), '= equal']);
  return [
    ...lines(a, ofOne(first)),
    ...lines(b, ofOne(second)),
    ...lines(`${a} × ${b}`, ofTwo(first, second)),
  ];
}
