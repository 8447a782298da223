// The first minute, as somebody spends it who has never been here: by keyboard alone, reading what is on the screen. And that
// every tab can be read by anybody: axe finds nothing, and nothing is wider than the window.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../../scripts/lib/run.mjs';
import { builtPage, openPage, PATIENCE_MS } from './demo.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [320, 360, 720, 1440, 3840];
/** Where axe looks: at the others there is more room. */
const AXE_AT = [320, 1440];
/** Where it looks at everything; elsewhere at what depends on the width. */
const ALL_AT = 1440;
const BY_WIDTH = ['scrollable-region-focusable', 'target-size', 'empty-heading'];
const find = (id) => `document.querySelector('[data-testid="${id}"]')`;
const text = (id) => `${find(id)}.textContent`;
/** What a tab says of itself once all is there that it shows by itself: others have nothing that comes late. */
const SETTLED = {
  'tab-playground': `${find('play-plan')}.dataset.state === 'planned'`,
  'tab-graph': `document.querySelector('#graph-diagram').dataset.stage !== undefined`,
};
/** The look of the last run is on display, and may be meddled with. */
const LOOKED = `!${find('look')}.hidden && !${find('look-flip')}.disabled`;
/** Drops files of these names into the box, all with the same content. */
const drop = (names, content = 'a,b\n1,2\n3,4\n') => `(() => {
  const files = ${JSON.stringify(names)}.map((name) => new File([${JSON.stringify(content)}], name));
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'dataTransfer', { value: { files } });
  document.getElementById('drop').dispatchEvent(event);
})()`;
/** In the page: how all that a tab shows looks, by where it is. */
const LOOKS = (panel) => `(() => {
  const looks = {};
  const pathOf = (element) =>
    element.id === '${panel}' ? '' : pathOf(element.parentElement) + '/' + [...element.parentElement.children].indexOf(element) + element.localName + '.' + element.className;
  const what = ['display', 'fontFamily', 'fontSize', 'fontWeight', 'padding', 'margin', 'borderWidth', 'gap', 'maxWidth', 'overflow', 'textAlign'];
  for (const element of document.querySelectorAll('#${panel} *:not(svg *, .cm-editor *)')) {
    const style = getComputedStyle(element);
    looks[pathOf(element)] = what.map((name) => name + ': ' + style[name]).join('; ');
  }
  return looks;
})()`;

describe('Chromium', () => {
  let page;
  let url;
  let openAt;
  openPage('Chromium', (opened, browser, at) => {
    [page, url] = [opened, at];
    openAt = (address) => browser.open(address);
  });

  test('three numbers, by keyboard: in few keys from the address to the cell, its bytes, what crosses, and the result', async () => {
    // The link to the demo is first, and leads to the field.
    await page.press('Tab');
    await page.press('Enter');
    assert.equal(await page.evaluate(`document.activeElement.id`), 'numbers');
    await page.type('54 6x 47');
    await page.press('Enter');
    await page.until(`${text('numbers-wrong')}.includes('“6x” is no number')`, PATIENCE_MS);
    assert.equal(await page.evaluate(`${find('numbers')}.getAttribute('aria-invalid')`), 'true');
    await page.chord('a');
    await page.type('54 61 47');
    await page.press('Enter');
    await page.until(LOOKED, PATIENCE_MS);

    assert.equal(await page.evaluate(`${find('error')}.innerText`), '');
    assert.equal(await page.evaluate(text('look-cell')), '54');
    assert.equal(await page.evaluate(text('look-result')), '54');
    assert.equal(await page.evaluate(`document.activeElement.id`), 'look-title');
    const { top, height } = await page.evaluate(
      `(({ top }) => ({ top, height: innerHeight }))(${find('look')}.getBoundingClientRect())`,
    );
    assert.ok(top >= 0 && top < height / 2, `the results are in view, at ${top} of ${height}`);
    // Real bytes of this package, and what crosses can be looked into.
    assert.match(await page.evaluate(text('look-bytes')), /63 69 70 68 65 72 6c 6f  cipherlo/);
    assert.match(
      await page.evaluate(`document.querySelector('[data-message="program"] pre').textContent`),
      /^\{.*"your numbers"/,
    );
    const sizes = await page.evaluate(
      `[...document.querySelectorAll('[data-message]')].map(({ dataset }) => [dataset.message, Number(dataset.bytes)])`,
    );
    assert.deepEqual(
      sizes.map(([message]) => message),
      ['program', 'keys', 'columns', 'results'],
    );
    assert.ok(sizes.every(([message, bytes]) => message === 'keys' || bytes > 100));
    await page.click('[data-testid="look-search"]');
    await page.until(`${text('look-found')}.endsWith('found nowhere.')`, PATIENCE_MS);
  });

  /** Types three numbers in place of what is there, and waits until they are what the results are of. */
  async function takeThree() {
    await page.evaluate(`${find('numbers')}.focus()`);
    await page.chord('a');
    await page.type('54 61 47');
    await page.press('Enter');
    await page.until(LOOKED, PATIENCE_MS);
    await page.until(`document.getElementById('results').dataset.stale !== 'true'`, PATIENCE_MS);
  }

  test('typed numbers that cannot be kept are refused where they are, and what was computed is of others', async () => {
    await page.evaluate(`${find('numbers')}.focus()`);
    await page.chord('a');
    await page.type('1234567890123456789 2');
    await page.press('Enter');
    await page.until(`${text('numbers-wrong')}.includes('more digits than can be kept')`, PATIENCE_MS);
    assert.equal(await page.evaluate(`${find('numbers')}.getAttribute('aria-invalid')`), 'true');
    assert.equal(await page.evaluate(`${find('error')}.innerText`), '');
    assert.equal(await page.evaluate(`document.getElementById('results').dataset.stale`), 'true');
    // Of numbers that were typed nobody asks how a file was read.
    assert.equal(await page.evaluate(`document.getElementById('table-how').hidden`), true);
    await takeThree();
  });

  test('while a file is read nothing is run, which would be of the numbers before', async () => {
    const run = `document.getElementById('run')`;
    assert.equal(await page.evaluate(`${run}.disabled`), false);
    // A file that takes its time.
    await page.evaluate(`(() => {
      const file = new File(['speed\\n50\\n70\\n90\\n'], 'slow.csv');
      const bytes = file.arrayBuffer.bind(file);
      file.arrayBuffer = () => new Promise((resolve) => (globalThis.letThrough = () => resolve(bytes())));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(file);
      Object.defineProperty(dataTransfer, 'files', { value: [file] });
      const event = new Event('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
      document.getElementById('drop').dispatchEvent(event);
    })()`);
    await page.until(`document.getElementById('table-read').textContent === 'Reading slow.csv…'`, PATIENCE_MS);
    assert.equal(await page.evaluate(`${run}.disabled`), true);
    await page.evaluate('globalThis.letThrough()');
    await page.until(`document.getElementById('table-name').textContent.startsWith('slow.csv: 3 rows')`, PATIENCE_MS);
    await page.until(`!${run}.disabled`, PATIENCE_MS);
    // As it was before.
    await takeThree();
  });

  test('a flipped bit and another key are refused, each with its reason', async () => {
    for (const [button, code, tells] of [
      ['look-flip', 'format.checksum', /One bit of byte [\d,]+ .*before .*after .*Refused: /s],
      ['look-other-key', 'key.foreign', /Another secret key was made.*Refused: /s],
    ]) {
      await page.click(`[data-testid="${button}"]`);
      // What was pressed cannot be pressed meanwhile: the reader goes on at what comes of it.
      await page.until(`document.activeElement.id === 'look-spoiled'`, PATIENCE_MS);
      await page.until(`${find('look-spoiled')}.dataset.code === '${code}' && ${LOOKED}`, PATIENCE_MS);
      assert.match(await page.evaluate(text('look-spoiled')), tells);
    }
  });

  test('words are explained on focus, and Escape takes that away', async () => {
    await page.evaluate(`document.querySelector('a.term').focus()`);
    assert.match(await page.evaluate(text('tip')), /drawn at random in this tab/);
    assert.equal(await page.evaluate(`${find('tip')}.hidden`), false);
    await page.press('Escape');
    assert.equal(await page.evaluate(`${find('tip')}.hidden`), true);
  });

  test('samples are tables, and a spreadsheet is read; what is no table says so', async () => {
    for (const [sample, says] of [
      ['sample-wages', /48 rows, 3 numeric columns/],
      ['sample-heating', /90 rows, 2 numeric columns/],
      ['sample-marks', /30 rows, 2 numeric columns/],
    ]) {
      await page.click(`[data-testid="${sample}"]`);
      await page.until(`${says}.test(${text('table-name')})`, PATIENCE_MS);
    }
    const files = join(ROOT, 'www', 'test', 'files');
    await page.upload('[data-testid="file"]', join(files, 'people.xlsx'));
    await page.until(`${text('table-name')}.startsWith('people.xlsx: 3 rows, 4 numeric columns')`, PATIENCE_MS);
    await page.upload('[data-testid="file"]', join(files, 'people-zstd.parquet'));
    await page.until(`${text('table-read')} === 'Read as Parquet.'`, PATIENCE_MS);
    await page.upload('[data-testid="file"]', join(ROOT, 'www', 'screenshots', 'dark-390.png'));
    await page.until(`!${find('error')}.hidden && ${text('error-code')} === 'table.encoding'`, PATIENCE_MS);
    // The table before it is planned for meanwhile, and the failure stays.
    await page.until(`${text('plan-status')}.startsWith('Planned')`, PATIENCE_MS);
    assert.equal(await page.evaluate(text('error-code')), 'table.encoding');
    assert.match(await page.evaluate(text('table-name')), /^people-zstd\.parquet/);
    assert.deepEqual(page.problems, []);
  });

  test('of several files that are dropped none is taken, and it is said; names turn nothing around', async () => {
    await page.evaluate(drop(['first.csv', 'second.csv']));
    await page.until(`/^One table is taken at a time/.test(${find('error-sentence')}?.textContent)`, PATIENCE_MS);
    assert.match(await page.evaluate(text('error-place')), /2 files/);
    assert.match(await page.evaluate(text('table-name')), /^people-zstd\.parquet/);
    await page.evaluate(drop(['\u202evsc.table.csv'], '\u202eage,size\n1,2\n3,4\n5,7\n'));
    await page.until(`${text('table-name')} === '\ufffdvsc.table.csv: 3 rows, 2 numeric columns'`, PATIENCE_MS);
    assert.deepEqual(
      await page.evaluate(
        `[...document.querySelectorAll('#column-options bdi')].map(({ textContent }) => textContent)`,
      ),
      ['\ufffdage', 'size'],
    );
  });

  test('on a telephone a failure stands where it was brought about, and the focus goes back there', async () => {
    await page.resize(360, 640);
    const place = (selector) =>
      page.evaluate(
        `(({ top, bottom }) => ({ top, bottom }))(document.querySelector('${selector}').getBoundingClientRect())`,
      );
    // Correlations of these take more bits than there are.
    const wide = Array.from({ length: 200 }, (_, row) => `${row * 1e8 + 0.123456},${row * 7e7 + 0.654321}`);
    await page.evaluate(drop(['wide.csv'], `a,b\n${wide.join('\n')}\n`));
    await page.until(`${find('error-code')}?.textContent === 'range.overflow'`, PATIENCE_MS);
    await page.evaluate(`document.querySelector('#run').focus()`);
    await page.press('Enter');
    await page.until(`${text('status')} === 'The run failed.'`, PATIENCE_MS);
    const [run, failure] = [await place('#run'), await place('#failure')];
    assert.ok(run.top >= 0 && failure.top - run.bottom < 120 && failure.bottom < 642, JSON.stringify({ run, failure }));
    assert.equal(await page.evaluate('document.activeElement.id'), 'run');
    await page.evaluate(`[...document.querySelectorAll('#failure button')].at(-1).focus()`);
    await page.press('Enter');
    assert.equal(await page.evaluate(`${find('error')}.hidden && document.activeElement.id`), 'run');
    await page.resize(1280);
    await takeThree();
  });

  test('axe finds nothing at any width, on any tab, and nothing is wider than the window', async () => {
    await page.evaluate(`${AXE}; undefined`);
    const tabs = await page.evaluate(`[...document.querySelectorAll('#pages [role="tab"]')].map(({ id }) => id)`);
    const named = await page.evaluate(
      `[...document.querySelectorAll('#pages [role="tab"]')].map((tab) => tab.getAttribute('aria-controls'))`,
    );
    assert.deepEqual(
      await page.evaluate(`[...document.querySelectorAll('.page-panel[role="tabpanel"]')].map(({ id }) => id).sort()`),
      [...named].sort(),
    );
    // Two stages, too.
    await page.until(`document.querySelector('#diagram').dataset.stage !== undefined`, PATIENCE_MS);
    await page.evaluate(`${find('beside')}.value = '4', ${find('beside')}.dispatchEvent(new Event('change'))`);
    await page.until(`${find('stage-beside')}.dataset.stage === 'base'`, PATIENCE_MS);
    const found = [];
    for (const [at, tab] of tabs.entries()) {
      const panel = named[at];
      await page.click(`#${tab}`);
      const name = await page.evaluate(`document.querySelector('#${tab}').textContent.trim()`);
      assert.equal(await page.evaluate('document.title'), `${name} · cipherloom`);
      // A tab that is being opened has one line that says so; then titles are filled in.
      await page.until(
        `document.querySelector('#${panel}').childElementCount > 1 && [...document.querySelectorAll('#${panel} :is(h1, h2, h3)')].every((title) => !title.checkVisibility() || title.textContent !== '')`,
        PATIENCE_MS,
      );
      if (tab in SETTLED) await page.until(SETTLED[tab], PATIENCE_MS);
      for (const width of WIDTHS) {
        await page.resize(width);
        found.push(...(await lookedAt(tab, width)));
      }
    }
    await page.resize(1280);
    assert.deepEqual(found, []);
  });

  test('a tab that could not be fetched says so, and is as it should be once it can', async (t) => {
    // As hosts of files do, that have no page for what they lack.
    const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
    let lacking = /layouts-[^/]*\.css$/;
    const server = createServer(({ url: path }, response) => {
      const file = join(builtPage(), path === '/' ? 'index.html' : path.replace(/[?#].*/, ''));
      if (lacking?.test(path) || !existsSync(file)) return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
      response.end(readFileSync(file));
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const other = await openAt(`http://127.0.0.1:${server.address().port}/`);
    await other.click('#tab-layout');
    const said = `document.querySelector('#layout-status')`;
    await other.until(`/could not be fetched\\. Is this device online\\?/.test(${said}.textContent)`, PATIENCE_MS);
    lacking = undefined;
    await other.evaluate(`document.querySelector('#layout-status button').focus()`);
    await other.press('Enter');
    assert.equal(await other.evaluate('document.activeElement.id'), 'tab-layout');
    await other.until(`document.querySelector('.layout-fields') !== null`, PATIENCE_MS);
    assert.equal(await other.evaluate(`getComputedStyle(document.querySelector('.layout-fields')).display`), 'grid');
    await other.close();
  });

  test('a tab looks as it does alone when all others have been opened, too', async () => {
    for (const tab of ['statistics', 'together', 'kernels', 'playground']) {
      const alone = await openAt(`${url}#${tab}`);
      const panel = `panel-${tab}`;
      await alone.until(`document.querySelector('#${panel}').childElementCount > 1`, PATIENCE_MS);
      if (tab === 'statistics') {
        await alone.evaluate(`${find('numbers')}.focus()`);
        await alone.type('54 61 47');
        await alone.press('Enter');
        await alone.until(LOOKED, PATIENCE_MS);
      }
      await page.click(`#tab-${tab}`);
      const [own, all] = [await alone.evaluate(LOOKS(panel)), await page.evaluate(LOOKS(panel))];
      const both = Object.keys(own).filter((path) => path in all);
      assert.ok(both.length > 20, `${tab} has ${both.length} elements`);
      const changed = both.filter((path) => own[path] !== all[path]).map((path) => [path, own[path], all[path]]);
      assert.deepEqual(changed, [], tab);
      await alone.close();
    }
  });

  /** What is wrong with a tab. */
  async function lookedAt(tab, width) {
    const wide = await page.evaluate(`(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return [];
      return [...document.querySelectorAll('body *')]
        .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
        .slice(0, 5)
        .map(({ id, localName, className }) => localName + '#' + id + '.' + className);
    })()`);
    const problems = wide.length > 0 ? [`${tab} at ${width}: wider than the window: ${wide.join(', ')}`] : [];
    if (!AXE_AT.includes(width)) return problems;
    const options = width === ALL_AT ? {} : { runOnly: BY_WIDTH };
    const violations = await page.evaluate(
      `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).slice(0, 3).join(', ')))`,
    );
    return [...problems, ...violations.map((violation) => `${tab} at ${width}: ${violation}`)];
  }
});
