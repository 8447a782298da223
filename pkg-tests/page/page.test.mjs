// The real page, built, in real browsers: a real CSV file in, the right numbers on the screen.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundled } from '../job/bundled.mjs';
import { ofOne, ofTwo } from '../job/reference.mjs';
import { writeLargeTable } from '../job/table.mjs';
import { BROWSERS, describeBeside, openBrowser } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { choose, run, servePage } from './demo.mjs';

const SERVERS = [
  { title: 'isolated', isolated: true },
  { title: 'not isolated', isolated: false },
];

const file = join(temporaryFolder(), 'patients.csv');
const uploaded = writeLargeTable(file, 2000, 11);

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(name);
    });
    after(() => browser?.close());

    for (const { title, isolated } of SERVERS) {
      test(title, { timeout: 900_000 }, async (t) => {
        const server = await servePage({ plain: !isolated });
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

/** The rows that must be on the screen. */
function expected(columns) {
  const [[a, first], [b, second]] = Object.entries(columns);
  const lines = (title, statistics) =>
    Object.entries(statistics).map(([statistic, value]) => [statistic, title, String(value), String(value), '= equal']);
  return [...lines(a, ofOne(first)), ...lines(b, ofOne(second)), ...lines(`${a} × ${b}`, ofTwo(first, second))];
}
