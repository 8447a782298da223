// The shaders of a GPU, on the one that Chromium computes itself: the suite of the page, as a visitor starts it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPage, PATIENCE_MS } from './demo.mjs';

/** Every case of every shader, on a processor that others may want. */
const LONG_MS = 900_000;

describe('Chromium with a GPU', { timeout: 1_200_000 }, () => {
  let page;
  openPage('Chromium', async (found) => (page = found), '#graph', { gpu: true });

  test('every shader passes the suite', async () => {
    await onlyGpu(page);
    assert.equal(await ended(page), 'passed');
    assert.match(await said(page), /^All [\d,]{6,} cases on gpu kernels passed/);
    const facts = `document.querySelector('[data-testid="suite-device"]').textContent`;
    assert.match(await page.evaluate(facts), /GPU.*swiftshader/i);
    const rows = await page.evaluate(
      `[...document.querySelectorAll('.suite-operators tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))`,
    );
    for (const operator of ['limb.ntt', 'limb.intt', 'limb.dot', 'rns.convert'])
      assert.ok(rows.some(([name, passed]) => name === operator && /^[1-9]/.test(passed)));
    for (const [name, passed] of rows) assert.match(passed, /^([\d,]+) of \1$/, name);
  });

  test('nothing was complained of', () => assert.deepEqual(page.problems, []));
});

describe('Chromium without a GPU', { timeout: 1_200_000 }, () => {
  let page;
  openPage('Chromium', async (found) => (page = found), '#graph');

  test('says so, and the other kernels can be tried', async () => {
    await onlyGpu(page);
    assert.equal(await ended(page), 'error');
    assert.match(await said(page), /No GPU: WebGPU without an adapter/);
  });
});

/** Ticks the box of the GPU alone, and starts the suite. */
async function onlyGpu(page) {
  await page.until(`document.querySelector('[data-testid="suite-gpu"]') !== null`, PATIENCE_MS);
  await page.evaluate(
    `for (const name of ['simd', 'scalar', 'gpu']) document.querySelector('[data-testid="suite-' + name + '"]').click()`,
  );
  await page.click('[data-testid="suite-start"]');
}

async function ended(page) {
  const state = `document.querySelector('[data-testid="suite"]').dataset.state`;
  await page.until(`!['idle', 'running'].includes(${state})`, LONG_MS);
  return page.evaluate(state);
}

function said(page) {
  return page.evaluate(`document.querySelector('[data-testid="suite-status"]').textContent`);
}
