// Which processors compute: the page's choice, with the GPU that Chromium computes itself and without one; who did what, and the code of such a run in Node.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/lib/run.mjs';
import { swiftshader, webgpu } from '../../scripts/lib/webgpu.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { catchSaved, openPage, PATIENCE_MS, run } from './demo.mjs';

const find = (id) => `document.querySelector('[data-testid="${id}"]')`;
const text = (page, id) => page.evaluate(`${find(id)}.textContent`);
/** Files that have to do with a GPU: those that open one, and those that measure it. */
const OF_GPU = /\/(device|found-gpu|times|conformance-worker|run)-[^/]*\.js$/;
const NO_GPU = /^This browser has no GPU for this page \(.+\): the processors compute(d)? all of it\.$/;

describe('Chromium with a GPU', { timeout: 900_000 }, () => {
  let page;
  openPage('Chromium', async (found) => (page = found), '', { gpu: true });

  test('nothing of a GPU is loaded before somebody wants one', async () => {
    await page.click('[data-testid="dataset"]');
    await run(page);
    assert.equal(await text(page, 'where'), '');
    assert.deepEqual(
      page.requests.filter((address) => OF_GPU.test(address)),
      [],
    );
    assert.doesNotMatch(await rows(page), /GPU/);
  });

  test('the GPU computes what it has shaders of: the same results, told in words and on the timeline', async () => {
    const before = await results(page);
    await choose(page, 'gpu', 'true');
    assert.match(await page.evaluate('location.search'), /^\?gpu=true$/);
    await page.until(`/swiftshader/i.test(${find('gpu-found')}.textContent)`, PATIENCE_MS);
    assert.match(await text(page, 'mode'), /thread[s]? \+ GPU/);
    await run(page);
    await page.until(`/ computed [\\d,]+ of [\\d,]+ operators\\.$/.test(${find('where')}.textContent)`, PATIENCE_MS);
    assert.match(await text(page, 'where'), /swiftshader/i);
    assert.deepEqual(await results(page), before);
    assert.match(await rows(page), /GPU/);
    assert.ok(page.requests.some((address) => /\/run-[^/]*\.js$/.test(address)));
    // By the same processors once more: the bytes are those of the run.
    await page.evaluate(`${find('timeline-repeat')}.click()`);
    await page.until(`/the same each time/.test(${find('status')}.textContent)`, PATIENCE_MS);
  });

  test('the code of that run has the choice, and runs in Node with a GPU and without', async (context) => {
    await catchSaved(page);
    await page.click('[data-testid="save-code"]');
    await page.until('saved.length === 1', PATIENCE_MS);
    const code = await page.evaluate('saved[0].blob.text()');
    assert.match(code, /, gpu: true \}\)\.catch/);
    await inNode(context, code, await page.evaluate(STATISTICS));
  });

  test('the playground has the same choice, and its links carry it', async () => {
    await page.click('[data-testid="tab-playground"]');
    await page.until(`${find('play-data')}?.textContent`, PATIENCE_MS);
    assert.equal(await page.evaluate(`${find('play-gpu')}.value`), 'true');
    await choose(page, 'play-gpu', 'measured');
    assert.equal(await page.evaluate(`${find('gpu')}.value`), 'measured');
    await page.click('[data-testid="play-copy-link"]');
    await page.until(`location.hash.includes('?p=')`, PATIENCE_MS);
    assert.match(await page.evaluate('location.href'), /\?gpu=measured#playground\?p=/);
    await runProgram(page);
    // Beside the first run it is measured, which takes as long as it takes.
    assert.match(await text(page, 'play-where'), /^The processors computed all of it/);
    await page.until(`/run it again/.test(${find('play-where')}.textContent)`, PATIENCE_MS);
    await runProgram(page);
    assert.match(await text(page, 'play-where'), /faster at no part\.$| of [\d,]+ operators\.$/);
    // What the plan is has nothing to do with it.
    assert.equal(await page.evaluate(`${find('play-results')}.dataset.stale`), 'false');
  });

  test('the code of a run by measured times runs in Node, too', async (context) => {
    await page.evaluate('void (saved.length = 0)');
    await page.click('[data-testid="play-save-code"]');
    await page.until('saved.length === 1', PATIENCE_MS);
    const code = await page.evaluate('saved[0].blob.text()');
    assert.match(code, /, gpu: 'measured' \}\);/);
    const shown = await page.evaluate(
      `[...document.querySelectorAll('[data-testid="play-result"]')].map(({ dataset }) => dataset.name)`,
    );
    const { stdout } = await inNode(context, code);
    assert.deepEqual(Object.keys(JSON.parse(stdout)).sort(), shown.sort());
  });

  test('applications go there, too', async () => {
    await page.click('[data-testid="tab-applications"]');
    await page.until(`${find('application-run')} && !${find('application-run')}.disabled`, PATIENCE_MS);
    await choose(page, 'gpu', 'true');
    await page.click('[data-testid="application-run"]');
    await page.until(`/ operators\\.$/.test(${find('application-where')}.textContent)`, PATIENCE_MS);
    assert.equal(await page.evaluate(`${find('application-verdict')}.dataset.agrees`), 'true');
    // On the processors alone nothing is said of it.
    await choose(page, 'gpu', '');
    assert.equal(await page.evaluate('location.search'), '');
    assert.equal(await text(page, 'gpu-found'), '');
  });

  test('nothing was complained of', () => assert.deepEqual(page.problems, []));
});

describe('Chromium without a GPU', { timeout: 900_000 }, () => {
  let page;
  let browser;
  let url;
  openPage('Chromium', async (...found) => void ([page, browser, url] = found), '?gpu=true');

  test('the address chooses; the processors compute, and it is said why', async () => {
    await page.until(`${find('gpu-found')}.textContent !== ''`, PATIENCE_MS);
    assert.match(await text(page, 'gpu-found'), NO_GPU);
    await page.click('[data-testid="dataset"]');
    await run(page);
    assert.match(await text(page, 'where'), NO_GPU);
  });

  test('so where it is to be measured', async () => {
    await choose(page, 'gpu', 'measured');
    await run(page);
    await page.until(`/^This browser has no GPU/.test(${find('where')}.textContent)`, PATIENCE_MS);
    assert.deepEqual(page.problems, []);
  });

  test('what an address has wrong is refused', async () => {
    const wrong = await browser.open(`${url}?gpu=fast`);
    await wrong.click('[data-testid="dataset"]');
    await wrong.until(`${find('plan-status')}.textContent.startsWith('Planned')`, PATIENCE_MS);
    await wrong.click('[data-testid="run"]');
    await wrong.until(`!${find('error')}.hidden`, PATIENCE_MS);
    assert.match(await text(wrong, 'error'), /gpu/);
    await wrong.close();
  });
});

/** Statistics by name, as they were decrypted. */
const STATISTICS = `Object.fromEntries([...document.querySelectorAll('[data-testid="result"]')].map(({ dataset }) => [dataset.statistic + ' ' + dataset.columns, Number(dataset.encrypted)]))`;

function rows(page) {
  return page.evaluate(`document.querySelector('#timeline').dataset.rows`);
}

function results(page) {
  return page.evaluate(STATISTICS);
}

/** Makes a choice as a person does, wherever its list is. */
async function choose(page, id, value) {
  await page.evaluate(`(() => {
    const control = ${find(id)};
    control.value = ${JSON.stringify(value)};
    control.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
}

async function runProgram(page) {
  await page.until(`['planned', 'stopped'].includes(${find('play-plan')}.dataset.state)`, PATIENCE_MS);
  await page.evaluate(`delete ${find('play-run')}.dataset.state`);
  await page.click('[data-testid="play-run"]');
  await page.until(`['done', 'failed', 'stopped'].includes(${find('play-run')}.dataset.state)`, PATIENCE_MS);
  assert.equal(await page.evaluate(`${find('play-run')}.dataset.state`), 'done', await text(page, 'play-error'));
}

/** Runs a file in Node as a visitor does, without the package of GPUs and, where that is installed here, with it: the same is written. */
async function inNode(context, code) {
  const folder = join(temporaryFolder(), 'node');
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  // No link: what the package imports is looked for beside where it lies.
  for (const part of ['package.json', 'dist', 'wasm'])
    cpSync(join(ROOT, 'bindings', part), join(modules, 'cipherloom', part), { recursive: true });
  const file = join(folder, 'run.mjs');
  writeFileSync(file, code);
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
  const node = (more = {}) => promisify(execFile)(process.execPath, [file], { env: { ...env, ...more } });
  const without = await node();
  if (/gpu: true/.test(code)) assert.match(without.stderr, /^No GPU: .*The processors compute it\.$/m);
  else assert.equal(without.stderr, '');
  const { folder: found } = webgpu();
  const vulkan = swiftshader();
  if (found === null || vulkan === null) context.diagnostic('without webgpu: not tried with a GPU');
  else {
    symlinkSync(found, join(modules, 'webgpu'));
    const by = await node(vulkan);
    assert.equal(by.stdout, without.stdout);
    assert.doesNotMatch(by.stderr, /No GPU/);
  }
  return without;
}
