// The applications of the page, each from a visitor's data to what is decrypted, beside the same in the clear; and the program that does it, explained.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { openPage, PATIENCE_MS } from './demo.mjs';

const ADDRESS = '?mode=single#applications';
const RESULTS = find('application-results');
const DIAGRAM = find('value-diagram');
const INSPECTOR = find('value-inspector');
const folder = temporaryFolder();
const picture = join(folder, 'picture.png');
const noPicture = join(folder, 'notes.png');
writeFileSync(
  picture,
  png(96, 80, (x, y) => [(x * 5) % 256, x > 40 && y > 30 ? 220 : 20, (y * 3) % 256]),
);
writeFileSync(noPicture, 'no picture');

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let browser;
    let url;
    let page;
    // Without isolation, and in the build that runs everywhere; that the others give the same bytes, the consumers see.
    openPage(name, (...opened) => ([page, browser, url] = opened), ADDRESS, { plain: true });

    test('a picture of a digit is read', async () => {
      await take(page, 'digits');
      await run(page);
      const scores = await rows(page, 'score');
      assert.equal(scores.length, 10);
      for (const [encrypted, plain] of scores) assert.equal(encrypted, plain);
      assert.equal(await text(page, 'digit'), '3');
      assert.match(await text(page, 'application-verdict'), /^All ten scores equal/);
      await explained(page, /^BGV/);
      for (const side of ['program', 'keys', 'upload', 'download'])
        assert.match(await text(page, `application-crossing-${side}`), /^[\d.]+ [kM]?B$/);
    });

    test('a drawing is read, with the program and keys that there are', async () => {
      const { left, top, width, height } = await page.evaluate(`(() => {
        ${find('drawing-pad')}.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = ${find('drawing-pad')}.getBoundingClientRect();
        return { left, top, width, height };
      })()`);
      const at = ([x, y]) => [left + x * width, top + y * height];
      const seven = [
        [0.2, 0.1],
        [0.5, 0.1],
        [0.8, 0.1],
        [0.65, 0.5],
        [0.45, 0.92],
      ];
      await page.drag(...seven.map(at));
      assert.equal(await page.evaluate(`${RESULTS}.dataset.stale`), 'true');
      await run(page);
      assert.equal(await text(page, 'digit'), '7');
      for (const [encrypted, plain] of await rows(page, 'score')) assert.equal(encrypted, plain);
      assert.equal(await text(page, 'application-phase-time-keys'), 'earlier');
    });

    test('a value that is selected is told about, in the picture and line by line', async () => {
      const lines = `[...document.querySelectorAll('[data-testid="value-line"]')]`;
      const boxes = `[...${DIAGRAM}.querySelectorAll('.operator')]`;
      assert.equal(await page.evaluate(`${lines}.length`), await page.evaluate(`${boxes}.length`));
      await page.evaluate(
        `${lines}.find((line) => line.textContent.includes('square')).querySelector('button').click()`,
      );
      assert.equal(await page.evaluate(`${DIAGRAM}.querySelectorAll('.operator.selected').length`), 1);
      assert.match(await page.evaluate(`${DIAGRAM}.querySelector('.selected').getAttribute('aria-label')`), /^square/);
      const told = await page.evaluate(`${INSPECTOR}.innerText`);
      for (const part of [/bgv\.multiply/, /on ciphertexts/, /of 3 primes left/, /relinearization/])
        assert.match(told, part);
      // By keyboard: to the box below, and select it.
      await page.evaluate(`${DIAGRAM}.querySelector('.operator.selected').focus()`);
      await page.press('ArrowDown');
      await page.press('Enter');
      assert.equal(await page.evaluate(`${INSPECTOR}.querySelector('h3').textContent`), 'matrix × vector');
      assert.match(await page.evaluate(`document.querySelector('tr[aria-current]').textContent`), /%8 matrix × vector/);
    });

    test('records are judged', async () => {
      await take(page, 'records');
      assert.equal(await page.evaluate(`${RESULTS}.hidden && ${find('explanation')}.hidden`), true);
      await run(page);
      const probabilities = await rows(page, 'probability');
      assert.equal(probabilities.length, 569);
      for (const [encrypted, plain] of probabilities) assert.ok(Math.abs(encrypted - plain) < 1e-6);
      const [[average, clear]] = await rows(page, 'average');
      assert.ok(Math.abs(average - clear) < 1e-6);
      const [, right] = /^Every number is off by .* (\d+) of 569 records/.exec(await text(page, 'application-verdict'));
      assert.ok(right > 540);
      // A dot for each, all of which are drawn: also those that were misjudged.
      const drawn = await page.evaluate(
        `[...document.querySelectorAll('circle.dot')].filter((dot) => getComputedStyle(dot).display !== 'none').map((dot) => dot.classList.contains('misjudged'))`,
      );
      assert.deepEqual([drawn.length, drawn.filter(Boolean).length], [569, 569 - Number(right)]);
      await explained(page, /^CKKS/);
    });

    test('edges of the sample, and of a picture of the visitor’s', async () => {
      await take(page, 'edges');
      await run(page);
      assert.match(await text(page, 'application-verdict'), /^All 4,096 pixels equal/);
      await explained(page, /^BGV/);
      await page.upload('[data-testid="picture-file"]', picture);
      await page.until(`${RESULTS}.dataset.stale === 'true'`, PATIENCE_MS);
      await run(page);
      assert.match(await text(page, 'application-verdict'), /^All 4,096 pixels equal/);
      await page.upload('[data-testid="picture-file"]', noPicture);
      await page.until(`!${find('application-error')}.hidden`, PATIENCE_MS);
      assert.match(await text(page, 'application-error'), /This file is no picture/);
    });

    test('a run can be cancelled, and the next one goes through', async () => {
      await take(page, 'digits');
      await page.evaluate(`${find('application-run')}.click(), ${find('application-cancel')}.click()`);
      await page.until(`/^Cancelled during/.test(${find('application-status')}.textContent)`, PATIENCE_MS);
      assert.equal(await page.evaluate(`${RESULTS}.hidden`), true);
      await run(page);
      assert.equal(await text(page, 'digit'), '3');
    });

    test('what cannot be is said in words', async (t) => {
      const small = await browser.open(`${url}?mode=single&n=2048#applications`);
      t.after(small.close);
      await take(small, 'digits');
      await small.click('[data-testid="application-run"]');
      await small.until(`!${find('application-error')}.hidden`, PATIENCE_MS);
      assert.match(await text(small, 'application-error'), /parameters\..*while in phase compile/s);
      assert.equal(await text(small, 'application-status'), 'The run failed.');
    });

    test('nothing was complained of, sent elsewhere or written into the address', async () => {
      assert.deepEqual(page.problems, []);
      const own = new URL(url).origin;
      assert.deepEqual(
        page.requests.filter((address) => !address.startsWith(own) && !/^(blob|data):/.test(address)),
        [],
      );
      assert.equal(await page.evaluate('location.search + location.hash'), ADDRESS);
    });
  });
}

function find(id) {
  return `document.querySelector('[data-testid="${id}"]')`;
}

function text(page, id) {
  return page.evaluate(`${find(id)}.textContent`);
}

/** Chooses an application, and waits for its data. */
async function take(page, id) {
  await page.until(find(`application-${id}`), PATIENCE_MS);
  await page.click(`[data-testid="application-${id}"]`);
  await page.until(`!${find('application-run')}.disabled`, PATIENCE_MS);
}

/** Runs what is chosen until its result and explanation are there. */
async function run(page) {
  await page.click('[data-testid="application-run"]');
  await page.until(
    `!${find('application-error')}.hidden || ${find('application-run')}.disabled === false && ${RESULTS}.dataset.stale === 'false' && !${find('explanation')}.hidden && !${DIAGRAM}.hasAttribute('aria-busy')`,
    PATIENCE_MS,
  );
  assert.equal(await text(page, 'application-error'), '');
}

/** What was decrypted and what was computed in the clear, line by line. */
function rows(page, id) {
  return page.evaluate(
    `[...document.querySelectorAll('[data-testid="${id}"]')].map(({ dataset }) => [Number(dataset.encrypted), Number(dataset.plain)])`,
  );
}

/** The reasons begin with the scheme, and tell as many keys as there are; all work is accounted for. */
async function explained(page, scheme) {
  assert.match(await page.evaluate(`${find('reasons')}.querySelector('dd').textContent`), scheme);
  const keys = await page.evaluate(`${find('key-table')}.tBodies[0].rows.length`);
  assert.ok(keys > 0);
  const reasons = await page.evaluate(`[...${find('reasons')}.querySelectorAll('dd')].map((one) => one.textContent)`);
  assert.ok(reasons.some((reason) => new RegExp(`^${keys} of [\\d.]+ MB together`).test(reason)));
  const shares = await page.evaluate(
    `[...document.querySelectorAll('.work-cell')].map((cell) => parseInt(cell.textContent) || 0)`,
  );
  const sum = shares.reduce((all, share) => all + share, 0);
  assert.ok(sum >= 94 && sum <= 106, `${sum} %`);
  assert.ok(await page.evaluate(`${DIAGRAM}.querySelectorAll('.port.output').length > 0`));
}

/** A picture as a file. */
function png(width, height, color) {
  const raw = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) raw.set(color(x, y), y * (1 + 3 * width) + 1 + 3 * x);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunks = [
    ['IHDR', header],
    ['IDAT', deflateSync(raw)],
    ['IEND', Buffer.alloc(0)],
  ].map(([type, data]) => {
    const chunk = Buffer.alloc(12 + data.length);
    chunk.writeUInt32BE(data.length, 0);
    chunk.write(type, 4, 'latin1');
    data.copy(chunk, 8);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
    return chunk;
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

/** Node 20 has none. */
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
