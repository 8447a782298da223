// The graph that is shown, saved: pictures that need no page, a text that opens again, and JSON with all operators.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { PATIENCE_MS, catchSaved, openPage } from './demo.mjs';
import { LINES, opened, replaceText, take } from './graph-tab.mjs';

const PANEL = '#panel-graph';

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let page;
    openPage(
      name,
      async (first) => {
        page = first;
        await opened(page);
        await take(page, 'table');
        await catchSaved(page);
      },
      '#graph',
    );

    /** Presses a button; the file is then \`saved[0]\` in the page. */
    async function save(end, stage = 'text') {
      await page.evaluate('void (saved.length = 0)');
      await page.click(`${PANEL} [data-testid="save-as"] summary`);
      await page.click(`${PANEL} [data-testid="save-${end}"]`);
      await page.until('saved.length === 1', PATIENCE_MS);
      assert.equal(await page.evaluate('saved[0].name'), `graph-${stage}.${end}`);
    }
    const content = () => page.evaluate('saved[0].blob.text()');

    test('SVG: every operator that is drawn, and nothing of the page', async () => {
      await save('svg');
      const text = await content();
      assert.doesNotMatch(text, /class=|style=|data-|aria-|var\(|oklab|light-dark/);
      const found = await page.evaluate(`(() => {
        const file = new DOMParser().parseFromString(${JSON.stringify(text)}, 'image/svg+xml');
        const drawn = [...document.querySelectorAll('${PANEL} .operator .type')].map((one) => one.textContent);
        const texts = [...file.querySelectorAll('text')].map((one) => one.textContent);
        return {
          error: file.querySelector('parsererror') !== null,
          root: file.documentElement.localName,
          missing: drawn.filter((one) => !texts.includes(one)),
          drawn: drawn.length,
          fills: new Set([...file.querySelectorAll('rect')].map((one) => one.getAttribute('fill'))).size,
          paths: file.querySelectorAll('path').length,
        };
      })()`);
      assert.deepEqual([found.error, found.root, found.missing, found.drawn], [false, 'svg', [], 7]);
      assert.ok(found.fills > 2 && found.paths > 5, JSON.stringify(found));
    });

    test('SVG: what is for pressing stays on the page', async () => {
      await take(page, 'aes');
      await page.click('[data-testid="expand-step"]');
      await page.until(`document.querySelector('${PANEL} .operator[data-type="aes.mix_columns"]')`, PATIENCE_MS);
      assert.ok(await page.evaluate(`document.querySelectorAll('${PANEL} .picture .sign').length > 0`));
      await save(
        'svg',
        await page.evaluate(
          `document.querySelector('${PANEL} [role="tab"][aria-selected="true"]').firstChild.data.toLowerCase().replace(/[^\\w.-]+/g, '-')`,
        ),
      );
      const edges = await page.evaluate(`document.querySelectorAll('${PANEL} .picture .edge').length`);
      assert.equal((await content()).match(/<path/g).length, edges);
      await take(page, 'table');
    });

    test('PNG: the same picture in pixels', async () => {
      await save('png');
      const found = await page.evaluate(`(async () => {
        const picture = await createImageBitmap(saved[0].blob);
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const context = canvas.getContext('2d');
        context.drawImage(picture, 0, 0);
        const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
        const [, , width, height] = document.querySelector('${PANEL} .picture').getAttribute('viewBox').split(' ').map(Number);
        return { type: saved[0].blob.type, wide: picture.width / width, high: picture.height / height, colours: new Set(pixels).size };
      })()`);
      assert.equal(found.type, 'image/png');
      assert.ok(Math.abs(found.wide - 2) < 0.05 && Math.abs(found.high - 2) < 0.05, JSON.stringify(found));
      assert.ok(found.colours > 10, JSON.stringify(found));
    });

    test('JSON: all operators, as the text has them', async () => {
      await save('json');
      const { stage, operators, outputs, inputs } = JSON.parse(await content());
      assert.equal(stage, 'Text');
      const lines = (await page.evaluate(LINES('graph-editor'))).split('\n').map((line) => line.trim());
      const types = lines.flatMap((line) => /^op .*?=\s*([\w.]+)/.exec(line)?.[1] ?? []);
      assert.deepEqual(
        operators.map(({ type }) => type),
        types,
      );
      assert.deepEqual([outputs.length, inputs.includes('in4')], [1, true]);
      assert.deepEqual(
        operators[5].inputs.filter((from) => from >= 0),
        [0, 1, 2, 4],
      );
    });

    test('text: opens again as the same graph', async () => {
      await save('txt');
      const text = await content();
      await page.evaluate(`delete document.querySelector('[data-testid="graph-editor"]').dataset.state`);
      await replaceText(page, text);
      await opened(page);
      await page.until(`document.querySelectorAll('${PANEL} .operator').length === 7`, PATIENCE_MS);
      await save('txt');
      assert.equal(await content(), text);
    });

    test('all operators at once are pixels: no SVG, and a PNG of what is in view', async () => {
      await page.click(`${PANEL} [data-testid="whole"]`);
      await page.until(`document.querySelector('${PANEL} [data-testid="save-svg"]').disabled`, PATIENCE_MS);
      await save('png');
      assert.equal(await page.evaluate('saved[0].blob.type'), 'image/png');
      await save('json');
      assert.equal(JSON.parse(await content()).operators.length, 7);
      assert.deepEqual(page.problems, []);
    });
  });
}
