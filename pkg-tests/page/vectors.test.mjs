// The vectors tab, as a visitor uses it: files in, a job over them on workers, who did what, and the right rows out, on the screen and as files.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { openPage, PATIENCE_MS } from './demo.mjs';

/** A file of its own each time: what one browser has been given must not change while another one is given the same. */
const given = (name, content) => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};
const TEXTS = {
  'one.txt': 'The loom, the thread\nand the weaver’s hands.\r\nÉtoffe =1+1\n',
  'two.txt': 'A thread a day:\n\n"étoffe", said the weaver',
  'three.md': '',
};
const TABLES = {
  'north.csv': 'shop,kind,price\n1,bread,2.50\n2,"salt, coarse",10.25\n3,bread,NA\n',
  'south.csv': 'shop,kind,price\n4,bread,3.25\n5,"salt, coarse",0.5\n',
};
const broken = given('photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff, 0xfe]));
const words = given('prices.csv', 'shop,kind,price\n1,bread,2\n2,bread,dear\n');
const paths = (files) => Object.entries(files).map(([name, content]) => given(name, content));

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let url;
    let page;
    openPage(name, (opened, _, at) => ([page, url] = [opened, at]));

    test('nothing of the tab is loaded before it is opened', async () => {
      await page.until(`document.querySelector('#mode').dataset.state === 'ready'`, PATIENCE_MS);
      const ofTab = () => page.requests.filter((address) => /vectors|word-count|job-worker/.test(address));
      assert.deepEqual(ofTab(), []);
      await page.click('[data-testid="tab-vectors"]');
      await page.until(find('vectors-examples'), PATIENCE_MS);
      assert.ok(ofTab().some((address) => /vectors-.*\.js$/.test(address)));
      assert.equal(await page.evaluate(`${find('vectors-run')}.disabled`), true);
    });

    test('words of the examples are counted', async () => {
      // What the page makes is counted here, too, by other means.
      await page.evaluate(`{
        window.made = [];
        const Real = File;
        window.File = class extends Real {
          constructor(parts, name, options) {
            super(parts, name, options);
            made.push([name, parts.join('')]);
          }
        };
      }`);
      await page.click('[data-testid="vectors-examples"]');
      const made = await page.evaluate('made');
      assert.equal(
        await page.evaluate(`document.querySelectorAll('[data-testid="vectors-file"]').length`),
        made.length,
      );
      await run(page, 'word-count');
      const texts = made.filter(([name]) => name.endsWith('.txt')).map(([, text]) => text);
      assert.ok(texts.length >= 20);
      const counts = countWords(texts);
      const rows = await shown(page);
      assert.equal(rows.length, 50);
      for (const [word, times] of rows) assert.equal(Number(times.replaceAll(',', '')), counts.get(word), word);
      assert.equal(rows[0][0], [...counts].sort(([, a], [, b]) => b - a)[0][0]);
      assert.equal(await page.evaluate(`${find('vectors-results')}.dataset.rows`), String(counts.size));
    });

    test('who did what is told in numbers, in pictures and line by line, and all of them agree', async () => {
      const rows = await processors(page);
      const total = rows.pop();
      assert.ok(rows.length >= 1 && rows.every(({ processor }) => /^CPU \d+$/.test(processor)));
      assert.equal(
        rows.reduce((sum, { tasks }) => sum + tasks, 0),
        total.tasks,
      );
      assert.equal(total.calls, 24);
      const spans = await page.evaluate(`Number(${find('vectors-timeline')}.dataset.spans)`);
      assert.equal(spans, total.tasks);
      assert.equal(await page.evaluate(`Number(${find('vectors-timeline')}.dataset.lanes)`), rows.length);
      const board = await page.evaluate(`({ ...${find('vectors-board')}.dataset })`);
      assert.deepEqual([board.waiting, board.working, board.done], ['0', '0', String(total.tasks)]);
      const log = await text(page, 'vectors-log');
      for (const event of ['begins', 'ends after']) assert.equal(log.split(event).length - 1, total.tasks, event);
      assert.match(log, /stories\/anchor\.txt: \d+ words/);
      // By keyboard along the timeline.
      await page.evaluate(`${find('vectors-timeline-canvas')}.focus()`);
      await page.press('ArrowDown');
      const detail = await page.evaluate(`document.querySelector('#vectors-timeline .timeline-detail').textContent`);
      assert.match(detail, /^task \S+, round 0, part \d+, on CPU 0, .*: from .*, took /);
    });

    test('files of the visitor’s, and all rows as files', async () => {
      await page.click('[data-testid="vectors-clear"]');
      for (const path of paths(TEXTS)) await page.upload('[data-testid="vectors-files"]', path);
      await run(page, 'word-count');
      const counts = [...countWords(Object.values(TEXTS))].sort(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(
        await saved(page, 'csv'),
        `key,value\r\n${counts.map(([word, times]) => `${word},${times}\r\n`).join('')}`,
      );
      const json = counts.map(([key, value]) => JSON.stringify({ key, value })).join(',\n');
      assert.equal(await saved(page, 'json'), `[\n${json}\n]\n`);
      assert.match(
        await saved(page, 'xml'),
        /^<\?xml version="1.0".*<key type="text">étoffe<\/key><value type="number">2</s,
      );
      await run(page, 'word-index');
      const thread = (await shown(page)).find(([word]) => word === 'thread');
      assert.deepEqual(thread, ['thread', '2', 'one.txt, two.txt']);
      await run(page, 'file-facts');
      assert.deepEqual(
        (await shown(page)).map(([path, lines]) => [path, lines]),
        [
          ['one.txt', '3'],
          ['three.md', '0'],
          ['two.txt', '3'],
        ],
      );
      await run(page, 'likeness');
      // loom hands and étoffe 1 the thread weaver’s; a thread day étoffe said the weaver
      const alike = (await shown(page)).find(([a, b]) => a === 'one.txt' && b === 'two.txt');
      assert.equal(alike[2], `${((3 / 12) * 100).toFixed(1)} %`);
    });

    test('tables: sums by group, and statistics of ciphertexts', async () => {
      await page.click('[data-testid="vectors-clear"]');
      for (const path of paths(TABLES)) await page.upload('[data-testid="vectors-files"]', path);
      await run(page, 'groups');
      assert.deepEqual(await shown(page), [
        ['bread', '2', '5.75', '2.875', '2.5', '3.25'],
        ['salt, coarse', '2', '10.75', '5.375', '0.5', '10.25'],
      ]);
      await run(page, 'encrypted');
      assert.deepEqual(
        (await shown(page)).map(([path, rows, mean, , equal]) => [path, rows, mean, equal]),
        [
          ['north.csv', '2', '6.375', '= equal'],
          ['south.csv', '2', '1.875', '= equal'],
        ],
      );
    });

    test('a file that is no text, and a cell that is no number, are named; the tab goes on', async () => {
      await page.click('[data-testid="vectors-clear"]');
      for (const path of [...paths(TEXTS), broken]) await page.upload('[data-testid="vectors-files"]', path);
      await start(page, 'word-count');
      await over(page);
      assert.equal(await text(page, 'vectors-said'), 'The job failed.');
      const sentence = `${find('vectors-error')}.querySelector('[data-testid="error-sentence"]').textContent`;
      assert.match(await page.evaluate(sentence), /^photo\.png: line 1 has bytes that are no text/);
      assert.equal(await page.evaluate(`document.querySelector('li.wrong').dataset.path`), 'photo.png');
      await page.click('li.wrong button');
      await run(page, 'word-count');

      await page.upload('[data-testid="vectors-files"]', words);
      await start(page, 'groups');
      await over(page);
      assert.match(await page.evaluate(sentence), /^prices\.csv, row 2: “dear” is no number\./);
    });

    test('a job can be cancelled in the middle, and the next one goes through', async () => {
      await page.evaluate(`{
        const most = document.querySelector('[data-testid="vectors-work-mandelbrot"]');
        most.click();
      }`);
      await page.until(find('vectors-iterations'), PATIENCE_MS);
      await page.evaluate(`${find('vectors-iterations')}.value = '8000'`);
      // By the page itself, as soon as some are done: on a slow machine all might be, before a click comes.
      const [state, focused] = await page.evaluate(`new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          const { waiting, done } = ${find('vectors-board')}.dataset;
          if (!(Number(waiting) > 0 && Number(done) > 2)) return;
          observer.disconnect();
          resolve([${find('vectors-watch')}.dataset.state, document.activeElement === ${find('vectors-cancel')}]);
          ${find('vectors-cancel')}.click();
        }).observe(${find('vectors-board')}, { attributes: true });
        ${find('vectors-run')}.click();
      })`);
      assert.deepEqual([state, focused], ['running', true]);
      await page.until(`/^Cancelled/.test(${find('vectors-said')}.textContent)`, PATIENCE_MS);
      const { done, waiting } = await page.evaluate(`({ ...${find('vectors-board')}.dataset })`);
      assert.ok(Number(waiting) > 0, `${done} done, ${waiting} wait`);
      assert.equal(await page.evaluate(`${find('vectors-results')}.hidden`), true);
      await run(page, 'word-count');
    });

    test('nothing was complained of, or sent elsewhere', async () => {
      assert.deepEqual(page.problems, []);
      const own = new URL(url).origin;
      assert.deepEqual(
        page.requests.filter((address) => !address.startsWith(own) && !/^(blob|data):/.test(address)),
        [],
      );
      assert.equal(await page.evaluate('location.search + location.hash'), '#vectors');
    });
  });
}

describe('Chromium, a folder', { timeout: 900_000 }, () => {
  let page;
  openPage('Chromium', async (found) => (page = found), '#vectors');

  test('a folder with folders in it', async () => {
    const folder = temporaryFolder();
    const inner = join(folder, 'letters', 'more');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(folder, 'letters', 'same.txt'), 'outer\n');
    writeFileSync(join(inner, 'same.txt'), 'inner word\n');
    await page.until(find('vectors-folder'), PATIENCE_MS);
    await page.upload('[data-testid="vectors-folder"]', join(folder, 'letters'));
    await page.until(`document.querySelectorAll('[data-testid="vectors-file"]').length === 2`, PATIENCE_MS);
    await run(page, 'file-facts');
    assert.deepEqual(
      (await shown(page)).map(([path, , words]) => [path, words]),
      [
        ['letters/more/same.txt', '2'],
        ['letters/same.txt', '1'],
      ],
    );
  });

  test('a file that is gone is named', async () => {
    const gone = given('gone.txt', 'here and gone');
    await page.upload('[data-testid="vectors-files"]', gone);
    await page.until(`document.querySelector('[data-path="gone.txt"]')`, PATIENCE_MS);
    rmSync(gone);
    await start(page, 'word-count');
    await over(page);
    assert.match(await text(page, 'vectors-error'), /^gone\.txt: the browser can no longer read this file/);
    await page.click('li.wrong button');
    await run(page, 'word-count');
  });

  test('files that are dropped', async () => {
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['one two'], 'dropped.txt', { type: 'text/plain' }));
      ${find('vectors-drop')}.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await page.until(`document.querySelector('[data-path="dropped.txt"]')`, PATIENCE_MS);
  });
});

describe('Chromium with a GPU', { timeout: 900_000 }, () => {
  let page;
  openPage('Chromium', async (found) => (page = found), '#vectors', { gpu: true });

  test('processors and the GPU paint one picture together', async () => {
    await page.until(find('vectors-work-mandelbrot'), PATIENCE_MS);
    await run(page, 'mandelbrot');
    assert.match(await text(page, 'vectors-note'), /^GPU: .*swiftshader/i);
    const rows = (await processors(page)).slice(0, -1);
    const of = (kind) =>
      rows.filter(({ processor }) => processor.startsWith(kind)).reduce((sum, { tasks }) => sum + tasks, 0);
    assert.ok(of('CPU') > 0 && of('GPU') > 0, JSON.stringify(rows));
    assert.equal(of('CPU') + of('GPU'), 80);
    // The set is its own mirror image over the real axis, which lies in the middle, whoever painted which band.
    const dots = JSON.parse(await saved(page, 'json')).flatMap(({ value }) => value);
    assert.equal(dots.length, 960 * 640);
    const different = dots.filter((count, at) => {
      const [line, column] = [Math.floor(at / 960), at % 960];
      return line > 0 && Math.abs(count - dots[(640 - line) * 960 + column]) > 20;
    }).length;
    assert.ok(different < dots.length / 50, `${different} dots`);
    assert.deepEqual(page.problems, []);
  });
});

function find(id) {
  return `document.querySelector('[data-testid="${id}"]')`;
}

function text(page, id) {
  return page.evaluate(`${find(id)}.textContent`);
}

/** Chooses what to do, and starts it. */
async function start(page, work) {
  await page.until(`!${find(`vectors-work-${work}`)}.disabled`, PATIENCE_MS);
  await page.click(`[data-testid="vectors-work-${work}"]`);
  if (['groups', 'encrypted', 'mandelbrot'].includes(work))
    await page.until(`document.querySelector('.vectors-fields select')`, PATIENCE_MS);
  await page.evaluate(`${find('vectors-said')}.textContent = ''`);
  await page.click('[data-testid="vectors-run"]');
}

async function over(page) {
  try {
    await page.until(`/^(Done|The job failed|Cancelled)/.test(${find('vectors-said')}.textContent)`, PATIENCE_MS);
  } catch (error) {
    throw new Error(`the page says ${await text(page, 'vectors-said')}`, { cause: error });
  }
}

/** Does it until its result is there. */
async function run(page, work) {
  await start(page, work);
  await over(page);
  assert.equal(await text(page, 'vectors-error'), '');
  assert.match(await text(page, 'vectors-said'), /^Done: /);
}

/** The rows on the screen. */
function shown(page) {
  return page.evaluate(
    `[...document.querySelectorAll('[data-testid="vectors-row"]')].map((row) => [...row.cells].map((cell) => cell.textContent))`,
  );
}

/** What each processor did; the last one is all of them. */
function processors(page) {
  return page.evaluate(
    `[...document.querySelectorAll('[data-testid="vectors-processor"], [data-testid="vectors-total"]')].map(({ dataset, cells }) => {
      const [tasks, calls] = [1, 2].map((at) => Number(cells[at].textContent.replaceAll(',', '')));
      return { processor: dataset.processor, tasks, calls };
    })`,
  );
}

/** What the visitor would find in the file, to the byte. */
async function saved(page, end) {
  await page.evaluate(`{
    window.saved = undefined;
    const real = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      blob.text().then((text) => (window.saved = text));
      URL.createObjectURL = real;
      return real.call(URL, blob);
    };
  }`);
  await page.click(`[data-testid="vectors-save-${end}"]`);
  await page.until('window.saved !== undefined', PATIENCE_MS);
  return page.evaluate('window.saved');
}

/** Letter by letter, and not as the page does it. */
function countWords(texts) {
  const counts = new Map();
  for (const text of texts) {
    let word = '';
    for (const letter of `${text.toLowerCase()} `) {
      const isLetter =
        letter.toUpperCase() !== letter || (letter >= '0' && letter <= '9') || (word !== '' && letter === '’');
      if (isLetter) word += letter;
      else {
        if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
        word = '';
      }
    }
  }
  return counts;
}
