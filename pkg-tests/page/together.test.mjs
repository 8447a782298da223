// The tab “Together”, as three visitors use it: three tabs, a table each, one result; and what crossed between them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../../scripts/lib/run.mjs';
import { BROWSERS, openBrowser } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/package.mjs';
import { PATIENCE_MS, servePage } from './demo.mjs';

const folder = temporaryFolder();
const WORD = 2n ** 64n;
const find = (id) => `document.querySelector('[data-testid="together-${id}"]')`;
const text = (page, id) => page.evaluate(`${find(id)}.textContent`);
/** What the page shows, as a number. */
const numberOf = async (page, id) => Number((await text(page, id)).replaceAll(',', ''));

for (const name of BROWSERS) {
  describe(name, { timeout: 600_000 }, () => {
    let browser;
    let server;
    let first;
    const opened = [];
    const open = async (address) => {
      const page = await browser.open(address);
      opened.push(page);
      return page;
    };
    before(async () => {
      server = await servePage();
      browser = await openBrowser(name);
      first = await open(`${server.url}#together`);
    });
    after(async () => {
      await browser?.close();
      await server?.stop();
    });

    /** Begins a meeting in the first tab, and opens the others by its invitations. */
    async function meet(names) {
      await first.until(`${find('begin')} || ${find('another')}`, PATIENCE_MS);
      if (await first.evaluate(`Boolean(${find('another')}?.checkVisibility())`))
        await first.click('[data-testid="together-another"]');
      await first.evaluate(`${find('names')}.value = ${JSON.stringify(names)}`);
      await first.click('[data-testid="together-begin"]');
      const links = `[...document.querySelectorAll('[data-testid="together-invitation"]')].map(({ href }) => href)`;
      const addresses = await first.evaluate(links);
      const pages = [first];
      for (const address of addresses) pages.push(await open(address));
      for (const page of pages) await page.until(find('cut'), PATIENCE_MS);
      return pages;
    }
    async function bring(page, { file } = {}) {
      await page.until(`!${find('sample')}.disabled`, PATIENCE_MS);
      if (file === undefined) await page.click('[data-testid="together-sample"]');
      else await page.upload('[data-testid="together-file"]', file);
      await page.until(`${find('brought')}.textContent !== ''`, PATIENCE_MS);
    }
    const agree = async (page) => {
      await page.until(`!${find('agree')}.disabled`, PATIENCE_MS);
      await page.click('[data-testid="together-agree"]');
    };
    const done = (page) => page.until(`!${find('results')}.hidden`, PATIENCE_MS);

    test('three tabs have parts of one table: all learn the statistics of the whole', async () => {
      const pages = await meet('north, south, west');
      assert.deepEqual(await Promise.all(pages.map((page) => text(page, 'party'))), ['north', 'south', 'west']);
      for (const page of pages) await bring(page);
      for (const page of pages.slice(0, 2)) await agree(page);
      // Nobody begins without all of them.
      await pages[0].until(`/Waiting for west to agree/.test(${find('said')}.textContent)`, PATIENCE_MS);
      assert.equal(await pages[0].evaluate(`${find('results')}.hidden`), true);
      await agree(pages[2]);
      const column = columnOf('mean radius');
      for (const page of pages) {
        await done(page);
        assert.equal(await numberOf(page, 'count'), column.length);
        near(await numberOf(page, 'mean'), mean(column));
        near(await numberOf(page, 'deviation'), deviation(column));
      }
      const left = await Promise.all(pages.map(crossed));
      // Of each of three: a part and a sum for each other one, and the same of theirs.
      for (const { messages } of left) assert.equal(messages.length, 8);
      for (const { own, sent } of left)
        for (const words of sent) for (const [at, word] of words.entries()) assert.notEqual(word, own[at]);
      // What one tab sees of another is what that one sent: and all sums together are the totals.
      const totals = left.map(({ own }) => own).reduce((sum, own) => sum.map((word, at) => (word + own[at]) % WORD));
      assert.equal(totals[0], BigInt(column.length));
      for (const page of pages.slice(1)) await page.close();
    });

    test('two tabs, with files of their own; missing cells do not count', async () => {
      const files = { north: 'a,b\n1.5,x\nNA,y\n-2,z\n', south: 'b,a\nx,10.25\ny,4\n' };
      const pages = await meet('north, south');
      for (const [at, [party, content]] of Object.entries(files).entries()) {
        const file = join(folder, `${party}.csv`);
        writeFileSync(file, content);
        await bring(pages[at], { file });
        await agree(pages[at]);
      }
      const values = [1.5, -2, 10.25, 4];
      for (const page of pages) {
        await done(page);
        assert.equal(await numberOf(page, 'count'), 4);
        near(await numberOf(page, 'mean'), mean(values));
        near(await numberOf(page, 'deviation'), deviation(values));
      }
      await pages[1].close();
    });

    test('one who cancels ends it for the others, who are told who it was', async () => {
      const pages = await meet('north, south');
      for (const page of pages) await bring(page);
      await agree(pages[1]);
      await pages[1].click('[data-testid="together-cancel"]');
      await agree(pages[0]);
      await pages[0].click('[data-testid="together-cancel"]');
      await pages[0].until(`/Cancelled/.test(${find('said')}.textContent)`, PATIENCE_MS);
      await pages[1].close();
    });

    test('names that do not do, and invitations that were changed, are told in words', async () => {
      await first.click('[data-testid="together-another"]');
      for (const [names, words] of [
        ['north', /2 to 5 parties; there are 1/],
        ['a, a', /two parties of the name “a”/],
        ['a, <b>', /“<b>” does not do as a name/],
      ]) {
        await first.evaluate(`${find('names')}.value = ${JSON.stringify(names)}`);
        await first.click('[data-testid="together-begin"]');
        assert.match(await text(first, 'error'), words);
      }
      await first.evaluate(`location.hash = '#together?run=abc&party=a&party=b&as=a&decimals=2'`);
      await first.until(`/no invitation/.test(${find('error')}.textContent)`, PATIENCE_MS);
    });

    test('no tab complained', () => {
      for (const { problems } of opened) assert.deepEqual(problems, []);
    });
  });
}

/** A tab's own totals, and the numbers of all values that crossed it, each as three words. */
async function crossed(page) {
  const rows = await page.evaluate(
    `[...${find('compared')}.querySelectorAll('tbody tr')].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))`,
  );
  const columns = rows[0].map((_, at) => rows.map((row) => word(row[at])));
  const messages = await page.evaluate(
    `[...document.querySelectorAll('[data-testid="together-message"]')].map((message) => [...message.querySelectorAll('.numbers code')].map(({ textContent }) => textContent))`,
  );
  const [own, ...sent] = columns;
  return { own, sent, messages: messages.map((words) => words.map(word)) };
}

const word = (text) => ((BigInt(text.replaceAll(',', '')) % WORD) + WORD) % WORD;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values) =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1));

function near(found, expected) {
  assert.ok(Math.abs(found - expected) < 1e-4, `${found}, expected ${expected}`);
}

/** A column of the example, rounded to two decimals, as the tab does it. */
function columnOf(name) {
  const [head, ...rows] = readFileSync(join(ROOT, 'data', 'breast-cancer-wisconsin.csv'), 'utf8')
    .trim()
    .split(/\r?\n/);
  const at = head.split(',').indexOf(name);
  return rows.map((row) => Math.round(Number(row.split(',')[at]) * 100) / 100);
}
