// The tab “Kernels”, as a visitor uses it: nothing before the button is pressed, then this device's implementations, the code of those that were made, on a phone as well.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPage, PATIENCE_MS } from './demo.mjs';

const find = (id) => `document.querySelector('[data-testid="kernels-${id}"]')`;
const OPERATORS = ['limb.ntt', 'limb.intt', 'limb.convolve', 'limb.tensor', 'rns.extend'];

describe('Chromium', { timeout: 1_500_000 }, () => {
  let page;
  openPage('Chromium', (first) => {
    page = first;
  });

  test('nothing of it is loaded before it is opened, and nothing is measured before it is asked for', async () => {
    const own = /\/kernels-[^/]*\.js$/;
    const measures = /conformance/;
    const seen = (what) => page.requests.filter((address) => what.test(address)).length;
    await page.until(`document.querySelector('[data-testid="mode"]').dataset.state === 'ready'`, PATIENCE_MS);
    assert.deepEqual([seen(own), seen(measures)], [0, 0]);
    await page.click('[data-testid="tab-kernels"]');
    await page.until(find('start'), PATIENCE_MS);
    assert.notEqual(seen(own), 0);
    assert.equal(seen(measures), 0);
  });

  test('measures this device: each operator has a best one that conforms, and code to read where it was made', async () => {
    await page.evaluate(`(() => { ${find('dimension')}.value = '1024'; ${find('trials')}.value = '6'; })()`);
    await page.click('[data-testid="kernels-start"]');
    await page.until(`${find('start')}.closest('.job').dataset.state !== 'running'`, 4 * PATIENCE_MS);
    const said = await page.evaluate(`${find('status')}.textContent`);
    assert.equal(await page.evaluate(`${find('start')}.closest('.job').dataset.state`), 'passed', said);
    assert.match(said, /^Measured in .*: of 5 operators /);
    const rows = await page.evaluate(
      `[...document.querySelectorAll('[data-testid="kernels-row"]')].map((row) => [row.dataset.operator, row.dataset.best !== '', row.cells[2].textContent, row.cells[4].textContent])`,
    );
    assert.deepEqual(
      rows.map(([operator, best]) => [operator, best]),
      OPERATORS.map((operator) => [operator, true]),
    );
    for (const [operator, , time, conform] of rows) {
      assert.match(time, /^[\d.]+ µs ± [\d.]+$/, operator);
      // All that there are.
      assert.match(conform, /^✓ (\d+) of \1$/, operator);
    }
    assert.match(await page.evaluate(`${find('device')}.textContent`), /\|v8\|.*Kernels made here/s);

    // What was made is a way of its own, with its schedule; its code comes when it is opened.
    const generated = /run in this browser/.test(await page.evaluate(`${find('device')}.textContent`));
    const made = `${find('of-limb.ntt')}.querySelectorAll('[data-kind="generated"]').length`;
    assert.equal(await page.evaluate(made), generated ? 1 : 0);
    if (!generated) return;
    await page.evaluate(`(() => { ${find('of-limb.ntt')}.open = true; })()`);
    await page.click('[data-testid="kernels-of-limb.ntt"] [data-testid="kernels-code"] > summary');
    const code = `${find('of-limb.ntt')}.querySelector('[data-testid="kernels-code"]')`;
    await page.until(`${code}.querySelector('pre')`, PATIENCE_MS);
    const texts = await page.evaluate(`[...${code}.querySelectorAll('pre')].map((pre) => pre.textContent)`);
    assert.ok(texts.some((text) => /^\(func \$\d+ \(export "closed"\) \(param i32 i32 i32 i32\)\n/.test(text)));
    assert.ok(texts.some((text) => text.includes('f64x2.relaxed_nmadd')));
    const schedule = await page.evaluate(`${find('of-limb.ntt')}.querySelector('pre').textContent`);
    assert.equal(JSON.parse(schedule).piece, 'ring.forward');
  });

  test('fits a phone, and nothing is complained of', async () => {
    await page.resize(360, 740);
    const wide = `[...document.querySelectorAll('#panel-kernels *')].filter((one) => !one.closest('.scroll > *, pre') && one.getBoundingClientRect().right > 360).map((one) => one.className || one.tagName)`;
    assert.deepEqual(await page.evaluate(wide), []);
    const unnamed = `[...document.querySelectorAll('#panel-kernels :is(select, button, summary, [role=region], progress)')].filter((one) => (one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? one.textContent).trim() === '').length`;
    assert.equal(await page.evaluate(unnamed), 0);
    const ids = `[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, at, all) => all.indexOf(id) !== at)`;
    assert.deepEqual(await page.evaluate(ids), []);
    assert.deepEqual(page.problems, []);
  });
});
