// The tab “Together”, as three visitors use it: three tabs, a table each, one result; and what crossed between them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../../scripts/lib/run.mjs';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { overhear, skip, startNats } from '../parties/nats.mjs';
import { openPage, PATIENCE_MS, servePage } from './demo.mjs';

const WORD = 2n ** 64n;
const find = (id) => `document.querySelector('[data-testid="together-${id}"]')`;
const text = (page, id) => page.evaluate(`${find(id)}.textContent`);
/** What the page shows, as a number. */
const numberOf = async (page, id) => Number((await text(page, id)).replaceAll(',', ''));

test('one document alone may connect elsewhere, in its own policy and its header', async (t) => {
  const server = await servePage();
  t.after(() => server.stop());
  const connects = async (document) => {
    const response = await fetch(`${server.url}${document}`);
    const inPage = (await response.text()).replaceAll('&#39;', "'").match(/connect-src [^;"]*/g);
    return [response.headers.get('content-security-policy').match(/connect-src [^;]*/)[0], ...inPage];
  };
  for (const document of ['', 'index.html', 'index.html?x=/together.html'])
    assert.deepEqual(await connects(document), ["connect-src 'self'", "connect-src 'self'"]);
  const relays = "connect-src 'self' wss: ws://localhost:* ws://127.0.0.1:*";
  assert.deepEqual(await connects('together.html'), [relays, relays]);
});

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let browser;
    let url;
    let first;
    const opened = [];
    const open = async (address) => {
      const page = await browser.open(address);
      opened.push(page);
      return page;
    };
    openPage(
      name,
      (...all) => {
        [first, browser, url] = all;
        opened.push(first);
      },
      '#together',
    );

    /** Begins a meeting in the first tab, and opens the others by its invitations: `come` of them, where the last ones are to stay away. */
    async function meet(names, come = Infinity) {
      await first.until(`${find('begin')} || ${find('another')}`, PATIENCE_MS);
      if (await first.evaluate(`Boolean(${find('another')}?.checkVisibility())`))
        await first.click('[data-testid="together-another"]');
      await first.evaluate(`${find('names')}.value = ${JSON.stringify(names)}`);
      await first.click('[data-testid="together-begin"]');
      const links = `[...document.querySelectorAll('[data-testid="together-invitation"]')].map(({ href }) => href)`;
      const addresses = await first.evaluate(links);
      const pages = [first];
      for (const address of addresses.slice(0, come)) pages.push(await open(address));
      for (const page of pages) await page.until(find('cut'), PATIENCE_MS);
      return pages;
    }
    async function bring(page, { file } = {}) {
      await page.until(`${find('sample')}?.disabled === false`, PATIENCE_MS);
      if (file === undefined) await page.click('[data-testid="together-sample"]');
      else await page.upload('[data-testid="together-file"]', file);
      await page.until(`${find('brought')}.textContent !== ''`, PATIENCE_MS);
    }
    const agree = async (page) => {
      await page.until(`!${find('agree')}.disabled`, PATIENCE_MS);
      await page.click('[data-testid="together-agree"]');
    };
    const done = (page) => page.until(`${find('results')}?.hidden === false`, PATIENCE_MS);

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
        const file = join(temporaryFolder(), `${party}.csv`);
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
      const pages = await meet('north, south, west', 1);
      const [north, south] = pages;
      for (const page of pages) await bring(page);
      for (const page of pages) await agree(page);
      // They have met, and west keeps them waiting.
      for (const page of pages)
        await page.until(`${find('said')}.textContent === 'Waiting for west to agree.'`, PATIENCE_MS);
      await south.click('[data-testid="together-cancel"]');
      await south.until(`/Cancelled/.test(${find('said')}.textContent)`, PATIENCE_MS);
      await north.until(`/south.* stopped/.test(${find('error')}.textContent)`, PATIENCE_MS);
      await north.until(`/There is no result/.test(${find('said')}.textContent)`, PATIENCE_MS);
      await south.close();
    });

    test('a tab that is reloaded in the middle comes back by itself', async () => {
      const pages = await meet('north, south, west');
      for (const page of pages) await bring(page);
      for (const page of pages.slice(0, 2)) await agree(page);
      // North and south have each other's parts by now, or will have: west's are not there.
      await pages[1].until(`/Waiting for west to agree/.test(${find('said')}.textContent)`, PATIENCE_MS);
      await pages[0].until(`/Waiting for west to agree/.test(${find('said')}.textContent)`, PATIENCE_MS);
      const before = await text(pages[1], 'brought');
      await pages[1].reload();
      await pages[1].until(`/Waiting for .*west to agree/.test(${find('said')}?.textContent)`, PATIENCE_MS);
      assert.equal(await text(pages[1], 'brought'), before);
      // In the browser's database there is nothing in the clear.
      const kept = await pages[1].evaluate(KEPT);
      assert.ok(kept.values.length >= 3, JSON.stringify(kept));
      assert.deepEqual(kept.extractable, [false, false, false]);
      for (const { text: stored } of kept.values) assert.doesNotMatch(stored, /units|agreed/);
      await agree(pages[2]);
      const column = columnOf('mean radius');
      for (const page of pages) {
        await done(page);
        assert.equal(await numberOf(page, 'count'), column.length);
        near(await numberOf(page, 'mean'), mean(column));
      }
      // And one that comes back when all is done has its result.
      await pages[1].reload();
      await done(pages[1]);
      assert.equal(await numberOf(pages[1], 'count'), column.length);
      for (const page of pages.slice(1)) await page.close();
    });

    test('one seat has one tab at a time', async () => {
      const pages = await meet('north, south');
      const second = await open(await pages[1].evaluate('location.href'));
      await second.until(`/waits until that is closed/.test(${find('said')}?.textContent)`, PATIENCE_MS);
      await pages[1].close();
      await bring(second);
      await second.until(`!${find('agree')}.disabled`, PATIENCE_MS);
      await second.close();
    });

    test('by keyboard alone: Enter begins, and the focus is at what comes next', async () => {
      const focused = () => first.evaluate('document.activeElement.dataset.testid');
      await first.click('[data-testid="together-another"]');
      assert.equal(await focused(), 'together-names');
      await first.chord('a');
      // A comma too many names nobody.
      await first.type('north, south,');
      await first.press('Enter');
      await first.until(`!${find('seat')}.hidden`, PATIENCE_MS);
      assert.equal(await focused(), 'together-invitation');
      assert.match(await text(first, 'seat'), /one of 2 parties/);
      await first.until(`!${find('sample')}.disabled`, PATIENCE_MS);
      await first.evaluate(`${find('sample')}.click()`);
      await first.until(`!${find('agree')}.disabled`, PATIENCE_MS);
      await first.evaluate(`${find('agree')}.focus()`);
      await first.press('Enter');
      await first.until(`${find('agree')}.disabled`, PATIENCE_MS);
      assert.equal(await focused(), 'together-cancel');
      await first.press('Enter');
      await first.until(`/^Cancelled/.test(${find('said')}.textContent)`, PATIENCE_MS);
      await first.until(`document.activeElement.dataset.testid === 'together-another'`, PATIENCE_MS);
    });

    test('who looks at another tab of the page comes back to the meeting, at its address', async () => {
      await first.click('[data-testid="together-another"]');
      await first.evaluate(`${find('names')}.value = 'north, south'`);
      await first.click('[data-testid="together-begin"]');
      await bring(first);
      await agree(first);
      const waits = `/^Waiting for south to agree/.test(${find('said')}.textContent)`;
      await first.until(waits, PATIENCE_MS);
      const address = await first.evaluate('location.href');
      await first.click('#tab-statistics');
      await first.click('#tab-together');
      assert.equal(await first.evaluate('location.href'), address);
      for (const way of ['back', 'forward']) {
        await first.evaluate(`history.${way}()`);
        await first.until(`document.querySelector('#panel-together').hidden === ${way === 'back'}`, PATIENCE_MS);
      }
      assert.ok(await first.evaluate(waits));
      // Other workers, which anything on the page may ask for, take the run over.
      await first.evaluate(`(() => {
        const threads = document.querySelector('#threads');
        threads.value = '1';
        threads.dispatchEvent(new Event('change'));
      })()`);
      await first.until(`document.querySelector('#mode').dataset.threads === '1'`, PATIENCE_MS);
      await first.until(`${waits} && !${find('cancel')}.disabled`, PATIENCE_MS);
      const [link] = await first.evaluate(
        `[...document.querySelectorAll('[data-testid="together-invitation"]')].map(({ href }) => href)`,
      );
      const south = await open(link);
      await bring(south);
      await agree(south);
      for (const page of [first, south]) {
        await done(page);
        assert.equal(await numberOf(page, 'count'), columnOf('mean radius').length);
      }
      await south.close();
    });

    test('names that do not do, and invitations that were changed, are told in words', async () => {
      await first.click('[data-testid="together-another"]');
      for (const [names, words] of [
        ['north', /2 to 5 parties; there is 1/],
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

    describe('three computers, over a relay', { skip }, () => {
      const NAMES = ['north', 'south', 'west'];
      let relay;
      before(async () => (relay = await startNats(NAMES)));
      after(() => relay?.stop());

      /** Each in a browser of their own, by the link alone: `come` of those who are invited. */
      async function meetAt(servers, names, come = Infinity) {
        const north = await browser.open(`${url}#together`, { apart: true });
        opened.push(north);
        await north.until(find('begin'), PATIENCE_MS);
        await north.click('[data-testid="together-elsewhere"]');
        await north.evaluate(`${find('names')}.value = ${JSON.stringify(names.join())}`);
        await north.evaluate(`${find('relay')}.value = ${JSON.stringify(servers)}`);
        await north.click('[data-testid="together-begin"]');
        await north.until(`/together\\.html$/.test(location.pathname) && ${find('cut')}`, PATIENCE_MS);
        const links = await north.evaluate(
          `[...document.querySelectorAll('[data-testid="together-invitation"]')].map(({ href }) => href)`,
        );
        const others = await Promise.all(links.slice(0, come).map((link) => browser.open(link, { apart: true })));
        opened.push(...others);
        return [north, ...others];
      }
      async function connect(page, party) {
        const { user, pass } = relay.of(party);
        await page.until(`!${find('connect')}?.disabled`, PATIENCE_MS);
        await page.evaluate(
          `${find('user')}.value = ${JSON.stringify(user)}; ${find('pass')}.value = ${JSON.stringify(pass)};`,
        );
        await page.click('[data-testid="together-connect"]');
      }

      test('meet by a link, compare a code, and compute; the relay sees nothing', async () => {
        const { servers } = relay.of('north', { socket: true });
        const heard = await overhear(relay);
        try {
          const pages = await meetAt(servers, NAMES);
          for (const page of pages) {
            // Of the address the server is told nothing, and nothing secret is in it.
            const address = new URL(await page.evaluate('location.href'));
            assert.equal(address.search, '');
            const fields = new URLSearchParams(address.hash.replace(/^.*\?/, ''));
            assert.deepEqual([...new Set(fields.keys())], ['run', 'party', 'decimals', 'relay', 'as']);
          }
          // Each tab's title says how far its meeting is.
          const titled = async (words, of = pages) => {
            const title = JSON.stringify(`${words} · Together · cipherloom`);
            for (const page of of) await page.until(`document.title === ${title}`, PATIENCE_MS);
          };
          await titled('Your turn');
          for (const [at, page] of pages.entries()) {
            await connect(page, NAMES[at]);
            if (at < 2) await titled('Waiting', [page]);
          }
          for (const page of pages) await page.until(`!${find('compare')}.hidden`, PATIENCE_MS);
          const codes = await Promise.all(pages.map((page) => text(page, 'code')));
          assert.match(codes[0], /^\d{6} \d{6}$/);
          assert.deepEqual(codes, [codes[0], codes[0], codes[0]]);
          // Bound to this relay: a policy refuses all others.
          assert.equal(await pages[0].evaluate(ELSEWHERE), 'connect-src');
          const values = [];
          for (const [at, page] of pages.entries()) {
            const own = Array.from({ length: 40 }, (_, row) => 1000 * (at + 1) + row + 0.25);
            values.push(...own);
            const file = join(temporaryFolder(), `relay-${at}.csv`);
            writeFileSync(file, `a\n${own.join('\n')}\n`);
            await bring(page, { file });
            // Nobody can agree before they have compared.
            assert.equal(await page.evaluate(`${find('agree')}.disabled`), true);
            await page.click('[data-testid="together-same"]');
            await page.until(`!${find('agree')}.disabled`, PATIENCE_MS);
          }
          await titled('Your turn');
          await agree(pages[0]);
          await agree(pages[1]);
          await titled('Waiting for west', pages.slice(0, 1));
          // One of them is reloaded while the third is not there yet.
          await pages[1].reload();
          await agree(pages[2]);
          for (const page of pages) {
            await done(page);
            assert.equal(await numberOf(page, 'count'), values.length);
            near(await numberOf(page, 'mean'), mean(values));
            near(await numberOf(page, 'deviation'), deviation(values));
          }
          await titled('Done');
          // What the parties know to have crossed, and their own totals, are in no message.
          const secrets = (await Promise.all(pages.map(crossed))).flatMap(({ own, messages }) => [own, ...messages]);
          const seen = Buffer.concat(heard.messages.map(({ data }) => Buffer.from(data)));
          assert.ok(heard.messages.length > 20, `${heard.messages.length} messages`);
          for (const words of secrets)
            for (const word of words.slice(1)) {
              const bytes = Buffer.alloc(8);
              bytes.writeBigUInt64LE(word);
              assert.equal(seen.indexOf(bytes), -1, `${word} was seen`);
            }
          const party = heard.messages.filter(({ subject }) => subject.startsWith('cipherloom.'));
          const kinds = new Set(party.map(({ data }) => Buffer.from(data.subarray(0, 3)).toString()));
          assert.deepEqual([...kinds].sort(), ['cli', 'cls']);
          for (const page of pages) await page.close();
        } finally {
          await heard.close();
        }
      });

      test('by a server that is new, whose stream the page makes', async (t) => {
        const bare = await startNats([], { bare: true });
        t.after(() => bare.stop());
        const pages = await meetAt(bare.of('', { socket: true }).servers, ['north', 'south']);
        for (const page of pages) {
          await page.until(`!${find('connect')}?.disabled`, PATIENCE_MS);
          await page.click('[data-testid="together-connect"]');
        }
        for (const page of pages) await page.until(`!${find('compare')}.hidden`, PATIENCE_MS);
        assert.equal(await text(pages[0], 'code'), await text(pages[1], 'code'));
        for (const page of pages) await page.close();
      });

      test('a code that differs ends it before anything was sent', async () => {
        const { servers } = relay.of('north', { socket: true });
        const pages = await meetAt(servers, NAMES.slice(0, 2));
        for (const [at, page] of pages.entries()) await connect(page, NAMES[at]);
        for (const page of pages) await page.until(`!${find('compare')}.hidden`, PATIENCE_MS);
        await pages[0].click('[data-testid="together-differs"]');
        await pages[0].until(`/Nothing was sent/.test(${find('said')}.textContent)`, PATIENCE_MS);
        await pages[0].reload();
        await pages[0].until(`/This meeting is over/.test(${find('said')}?.textContent)`, PATIENCE_MS);
        for (const page of pages) await page.close();
      });

      test('a wrong password, and an address that is none, are told in words', async () => {
        const { servers } = relay.of('north', { socket: true });
        const [page] = await meetAt(servers, NAMES, 0);
        await page.until(`!${find('connect')}.disabled`, PATIENCE_MS);
        await page.evaluate(`${find('user')}.value = 'north'; ${find('pass')}.value = 'wrong';`);
        await page.click('[data-testid="together-connect"]');
        await page.until(`/does not know this user/.test(${find('error')}.textContent)`, PATIENCE_MS);
        await page.until(`!${find('connect')}.disabled`, PATIENCE_MS);
        await page.click('[data-testid="together-another"]');
        await page.evaluate(`${find('relay')}.value = 'ws://example.org'`);
        await page.click('[data-testid="together-begin"]');
        assert.match(await text(page, 'error'), /does not do as the address of a relay/);
        await page.close();
      });
    });

    test('no tab complained', () => {
      // How nats-server ends a connection that a tab has closed is none of the tab's; that the policy refuses is asked for.
      const own = (problem) => !/WebSocket|connection to wss?:|Content.Security.Policy|violates/.test(problem);
      for (const { problems } of opened) assert.deepEqual(problems.filter(own), []);
    });
  });
}

/** In the page: what its databases hold, as text, and whether their keys can be taken out. */
const KEPT = `(async () => {
  const asked = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const all = { values: [], extractable: [] };
  for (const { name } of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name));
    if ([...database.objectStoreNames].includes('keys') && name.startsWith('cipherloom together')) {
      const stores = database.transaction(['keys', 'values']);
      const keys = await asked(stores.objectStore('keys').getAll());
      const values = await asked(stores.objectStore('values').getAll());
      if (values.length > 0 && all.extractable.length < 3) all.extractable.push(...keys.map(({ extractable }) => extractable));
      all.values.push(...values.map(({ bytes }) => ({ text: new TextDecoder('latin1').decode(bytes) })));
    }
    database.close();
  }
  return all;
})()`;

/** In the page: what refuses a connection to another relay. */
const ELSEWHERE = `new Promise((resolve) => {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective), { once: true });
  try {
    new WebSocket('wss://elsewhere.example.org').onopen = () => resolve('nothing');
  } catch {
    // Some throw, too.
  }
})`;

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
