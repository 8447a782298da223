// The tab “Layout”, as a visitor uses it: the worked examples K-L10 and K-L11 step by step, labels that are edited, and what is wrong with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { openPage, PATIENCE_MS } from './demo.mjs';

const find = (id) => `document.querySelector('[data-testid="layout-${id}"]')`;
const INDEX = 'C[(0,255),(256,511),(512,767),(768,1023)]';

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let page;
    let browser;
    let opened;
    openPage(name, async (first, from) => {
      page = first;
      browser = from;
      opened = [...first.requests];
    });

    const text = (id) => page.evaluate(`${find(id)}.textContent`);
    const value = (id) => page.evaluate(`${find(id)}.value`);
    /** Nothing is being worked out, and pictures are those of the texts. */
    const settled = () =>
      page.until(`${find('cut')}?.dataset.stale === 'false' && !${find('cut')}.hasAttribute('aria-busy')`, PATIENCE_MS);
    /** Does something, and waits until what it changes has been drawn. */
    async function change(work) {
      await page.until(`!${find('cut')}.hasAttribute('aria-busy')`, PATIENCE_MS);
      await page.evaluate(`delete ${find('cut')}.dataset.stale`);
      await work();
      await settled();
    }
    const choose = (id, option) =>
      change(() =>
        page.evaluate(`(() => {
          const select = ${find(id)};
          select.value = ${JSON.stringify(option)};
          select.dispatchEvent(new Event('change', { bubbles: true }));
        })()`),
      );
    /** Writes a text as a person does: selects all, and types. */
    async function write(id, content) {
      await page.evaluate(`${find(id)}.focus()`);
      await page.chord('a');
      await page.type(content);
    }
    /** Blocks of a picture: core, numbers, whether they are padding. */
    const blocks = (port) =>
      page.evaluate(
        `[...${find(`${port}-picture`)}.querySelectorAll('.block')].map(({ dataset }) => [Number(dataset.core), Number(dataset.numbers), dataset.padding === 'true'])`,
      );
    const owners = async (port) => {
      const counts = {};
      for (const [core, numbers] of await blocks(port)) counts[core] = (counts[core] ?? 0) + numbers;
      return counts;
    };
    /** What cores do at this step, a line each. */
    const lines = () =>
      page.evaluate(
        `[...${find('instructions')}.querySelectorAll('tr')].flatMap((row) => [...row.querySelectorAll('li')].map((line) => row.cells[0].textContent + ' ' + line.lastElementChild.textContent))`,
      );
    /** An error below a field, in words. */
    async function wrong(id, words) {
      await page.until(`${words}.test(${find(`${id}-wrong`)}.textContent)`, PATIENCE_MS);
      assert.equal(await page.evaluate(`${find('cut')}.dataset.stale`), 'true');
    }

    test('nothing of it is loaded before it is opened', async () => {
      const own = /\/(layouts|answer-worker)-[^/]*$/;
      await page.until(`document.querySelector('[data-testid="mode"]').dataset.state === 'ready'`, PATIENCE_MS);
      assert.deepEqual(
        [...opened, ...page.requests].filter((address) => own.test(address)),
        [],
      );
      await page.click('[data-testid="tab-layout"]');
      await settled();
      assert.notDeepEqual(
        page.requests.filter((address) => own.test(address)),
        [],
      );
    });

    test('K-L10: labels, places, steps and numbers', async () => {
      await choose('numbers', 'count');
      assert.equal(await value('input-dynamic'), `dynamic: float16, dim_NC, C=256, C=0, 2048 B, ${INDEX}, mem, no`);
      assert.equal(await value('weight-dynamic'), `dynamic: float16, dim_NC, C=512, C=24, 8192 B, ${INDEX}, mem, no`);
      assert.equal(await value('output-dynamic'), 'dynamic: float16, dim_NC, C=4, C=0, 8 B, C[(0,3)], cluster, core');
      assert.deepEqual(await owners('weight'), { 1: 1024, 2: 1024, 3: 1024, 4: 1024 });
      assert.deepEqual(
        (await blocks('weight')).filter(([, , padding]) => padding),
        Array(4).fill([4, 24, true]),
      );
      assert.match(await text('step'), /put 8 parts to their places/);
      await page.click('[data-testid="layout-next"]');
      assert.deepEqual((await lines()).slice(3, 7), [
        'core 2 reads i2 from mem1, 512 B',
        'core 2 reads w2 from mem1, 2.05 kB',
        'core 2 o2 = mlp(i2, w2): 256, 512, 768, 1024',
        'core 2 writes o2 to cluster1, 8 B',
      ]);
      await page.click('[data-testid="layout-next"]');
      assert.deepEqual(await lines(), [
        'core 1 reads o2 from cluster1 (core), 8 B',
        'core 1 o5 = add(o1, o2): 512, 1024, 1536, 2048',
        'core 3 reads o4 from cluster2 (core), 8 B',
        'core 3 o6 = add(o3, o4): 488, 976, 1464, 1952',
        'core 3 writes o6 to cluster2, 8 B',
      ]);
      const arrows = `[...document.querySelectorAll('.machine-picture .arrow.exchange title')].map((title) => title.textContent)`;
      assert.deepEqual(await page.evaluate(arrows), [
        'core 2 to core 1: o2, 8 B, level core, through cluster1',
        'core 4 to core 3: o4, 8 B, level core, through cluster2',
      ]);
      await page.click('[data-testid="layout-next"]');
      // There is no next one: the focus goes to the way back, and is not lost.
      assert.equal(
        await page.evaluate(`${find('next')}.disabled && document.activeElement.dataset.testid`),
        'layout-back',
      );
      assert.deepEqual((await lines()).slice(1), [
        'core 1 o7 = add(o5, o6): 1000, 2000, 3000, 4000',
        'core 1 writes o7 to mem1, 8 B',
      ]);
      await choose('numbers', 'whole');
      assert.match(await text('verdict'), /equal bit for bit: 4 numbers.*begins 5, 1, 7, -7/);
      assert.match(await text('mode-model'), /^model.*16 B8 B0 B.*= equal$/);
    });

    test('K-L11: the same machine without caches, by keys', async () => {
      await choose('machine', 'buses');
      await page.evaluate(`${find('slider')}.focus()`);
      await page.press('Home');
      assert.match(await text('step'), /Before the first step/);
      await page.press('End');
      assert.deepEqual(await lines(), [
        'core 1 reads o6 from mem2 (memory), 8 B',
        'core 1 o7 = add(o5, o6): 5, 1, 7, -7',
        'core 1 writes o7 to mem1, 8 B',
      ]);
      assert.equal(await value('output-dynamic'), 'dynamic: float16, dim_NC, C=4, C=0, 8 B, C[(0,3)], mem, cluster');
      await page.press('ArrowLeft');
      assert.match(await text('step'), /^Step 2 of 3/);
      // Plays from the beginning to the end, and stops there.
      await page.press('End');
      await page.click('[data-testid="layout-play"]');
      assert.equal(await text('play'), 'Pause');
      await page.until(`${find('play')}.textContent === 'Play' && ${find('slider')}.value === '3'`, PATIENCE_MS);
    });

    test('labels that are edited move numbers to other cores', async () => {
      const index = 'C[(0,511),(512,767),(768,895),(896,1023)]';
      assert.deepEqual(await owners('input'), { 1: 256, 2: 256, 3: 256, 4: 256 });
      // Both operands are summed along C, so that one alone cannot be cut otherwise.
      await write('input-dynamic', `dynamic: float16, dim_NC, C=256, C=0, 2048 B, ${index}, mem, no`);
      await change(() => write('weight-dynamic', `dynamic: float16, dim_NC, C=512, C=24, 8192 B, ${index}, mem, no`));
      assert.deepEqual(await owners('input'), { 1: 512, 2: 256, 3: 128, 4: 128 });
      assert.deepEqual(await owners('weight'), { 1: 2048, 2: 1024, 3: 512, 4: 512 });
      assert.match(await text('verdict'), /equal bit for bit/);
    });

    test('what is wrong is said at its place, and the last picture stays', async () => {
      const before = await blocks('input');
      await write('input-dynamic', `dynamic: float16, dim_NC, C=256, C=0, 2000 B, ${INDEX}, mem, no`);
      await wrong('input-dynamic', /size: expected 2048, found 2000 bytes\. layout\.label/);
      assert.deepEqual(await blocks('input'), before);
      await write('input-dynamic', '<b>dynamic</b>');
      await wrong('input-dynamic', /layout\.text/);
      assert.deepEqual(await blocks('input'), before);
      // Derived again, both fit.
      await change(async () => {
        await page.click('[data-testid="layout-input-dynamic-derive"]');
        await page.click('[data-testid="layout-weight-dynamic-derive"]');
      });
      assert.deepEqual(await owners('input'), { 1: 256, 2: 256, 3: 256, 4: 256 });
      assert.equal(await page.evaluate(`${find('input-dynamic-wrong')}.hidden`), true);

      const kept = await value('description');
      await write('description', '{"clusters": [{"cores": 0}]}');
      await wrong('description', /cluster 1, cores: expected a whole number from 1 to 4096.*layout\.machine/);
      await write('description', '{"clusters"');
      await wrong('description', /This is no JSON.*layout\.machine/);
      assert.equal((await blocks('input')).length, 4);
      // Operands that do not go together are no field's fault alone.
      await write('description', '{"clusters": [{"cores": 2}]}');
      await page.until(
        `/operation sizes 1024 of the input, 1000 of the weight.*layout.operands/.test(${find('error')}.textContent)`,
        PATIENCE_MS,
      );
      await change(() =>
        write('description', '{"clusters": [{"cores": 2}], "memories": 2, "tile": {"in": 256, "iw": 512}}'),
      );
      assert.equal(await page.evaluate(`${find('error')}.hidden`), true);
      assert.deepEqual(Object.keys(await owners('input')), ['1', '2']);
      assert.equal(await value('machine'), '');
      await choose('machine', 'caches');
      assert.notEqual(await value('description'), kept);
    });

    test('every example is equal bit for bit in each mode', async () => {
      const names = await page.evaluate(`[...${find('example')}.options].map(({ value }) => value).filter(Boolean)`);
      for (const example of names) {
        await choose('example', example);
        assert.match(await text('verdict'), /equal bit for bit/, example);
        for (const mode of ['model', 'data', 'hybrid']) assert.match(await text(`mode-${mode}`), /= equal$/, example);
      }
    });

    test('the address opens the same question in another tab', async () => {
      await choose('operator', 'conv2d');
      await choose('strategy', 'learned');
      await choose('mode', 'hybrid');
      const address = await page.evaluate('location.href');
      assert.match(address, /#layout\?operator=conv2d/);
      const other = await browser.open(address);
      await other.until(`${find('cut')}?.dataset.stale === 'false'`, PATIENCE_MS);
      for (const id of ['operator', 'strategy', 'mode', 'machine', 'input-dynamic', 'output-dynamic'])
        assert.equal(await other.evaluate(`${find(id)}.value`), await value(id), id);
      assert.deepEqual(other.problems, []);
      await other.close();
    });

    test('no tab complained', () => assert.deepEqual(page.problems, []));
  });
}
