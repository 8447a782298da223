// Maps and operators of the vectors tab, chosen apart: each map gives what another one gives for the same question, what does not go together is said, and functions of a visitor's own.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { openPage, PATIENCE_MS } from './demo.mjs';
import { replaceText } from './graph-tab.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A file of its own each time: what one browser has been given must not change while another one is given the same. */
const given = (name, content) => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};
const TEXTS = {
  'one.txt': 'the loom, the thread\nand the weaver\n',
  'two.txt': 'a thread a day\n\nsaid the weaver\n',
};
const TABLE = `kind,price,weight\n${[
  ...['a,1,10', 'b,2,20', 'a,3,30', 'b,4,', 'a,5,50'],
  ...Array.from({ length: 20 }, (_, row) => `c,${2 + (row % 3)},20`),
  'c,90,20',
].join('\n')}\n`;
const WORDS = [
  ['the', '4'],
  ['a', '2'],
  ['thread', '2'],
  ['weaver', '2'],
  ['and', '1'],
  ['day', '1'],
  ['loom', '1'],
  ['said', '1'],
];
const find = (id) => `document.querySelector('[data-testid="vectors-${id}"]')`;

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let page;
    openPage(name, async (opened) => (page = opened), '#vectors');
    const text = (id) => page.evaluate(`${find(id)}.textContent`);
    const offered = () =>
      page.evaluate(
        `[...document.querySelectorAll('.vectors-made [name="vectors-operator"]')].filter((input) => input.checkVisibility()).map(({ value }) => value)`,
      );
    const chosen = (group) =>
      page.evaluate(`document.querySelector('[name="vectors-${group}"]:checked')?.value ?? 'none'`);
    const choose = async (map, operator) => {
      await page.click(`[data-testid="vectors-map-${map}"]`);
      await page.click(`[data-testid="vectors-operator-${operator}"]`);
      assert.deepEqual([await chosen('map'), await chosen('operator')], [map, operator]);
    };
    const start = async () => {
      await page.evaluate(`${find('said')}.textContent = ''`);
      await page.click('[data-testid="vectors-run"]');
      const over = `/^(Done|The job failed|Cancelled)/.test(${find('said')}.textContent)`;
      await page.until(over, PATIENCE_MS).catch(async (cause) => {
        throw new Error(`the page says “${await text('said')}”; ${(await text('log')).slice(-500)}`, { cause });
      });
    };
    const run = async () => {
      await start();
      assert.equal(await text('error'), '');
      return page.evaluate(
        `[...document.querySelectorAll('[data-testid="vectors-row"]')].map((row) => [...row.cells].map((cell) => cell.textContent))`,
      );
    };
    /** Gives the tab another text, once it has an editor. */
    const write = async (content) => {
      await page.until(`${find('code')}?.shadowRoot?.querySelector('.cm-content')`, PATIENCE_MS);
      await replaceText(page, content, 'vectors-code');
    };

    test('what can be done with what there is, and what that takes', async () => {
      await page.until(find('map-VectorMap'), PATIENCE_MS);
      assert.equal(await page.evaluate(`${find('map-DirMap')}.disabled && !${find('map-VectorMap')}.disabled`), true);
      for (const [path, content] of Object.entries(TEXTS))
        await page.upload('[data-testid="vectors-files"]', given(path, content));
      await page.until(`document.querySelectorAll('[data-testid="vectors-file"]').length === 2`, PATIENCE_MS);
      assert.match(
        await page.evaluate(`${find('map-MatrixMap')}.closest('label').textContent`),
        /Needs tables: files that end in \.csv/,
      );
      // What is ready is a map and an operator.
      assert.deepEqual([await chosen('work'), await chosen('map')], ['word-count', 'DirMap']);
      await page.click('[data-testid="vectors-work-likeness"]');
      assert.deepEqual([await chosen('map'), await chosen('operator')], ['CrossMap', 'likeness']);
      assert.deepEqual(await offered(), ['likeness', 'distances', 'own']);
      assert.match(await page.evaluate(`${find('operator-distances')}.closest('label').textContent`), /Needs tables/);
      assert.match(await text('elsewhere'), /^\d+ operators by other maps.*Count words: DirMap, VectorMap/);
      // Another map takes what it has.
      await page.click('[data-testid="vectors-map-GlobalMap"]');
      assert.deepEqual([await chosen('operator'), await chosen('work')], ['word-count', 'none']);
      await page.click('[data-testid="vectors-map-TaskMap"]');
      assert.equal(await page.evaluate(`${find('threads')}.checkVisibility()`), true);
    });

    test('words are the same words by every map, and threads have lanes of their own', async () => {
      for (const map of ['DirMap', 'VectorMap', 'TaskMap', 'GlobalMap']) {
        await choose(map, 'word-count');
        assert.deepEqual((await run()).sort(), [...WORDS].sort(), map);
        const workers = Number(await page.evaluate(`${find('workers')}.value`));
        const lanes = Number(await page.evaluate(`${find('timeline')}.dataset.lanes`));
        const threads = map === 'TaskMap' ? Number(await page.evaluate(`${find('threads')}.value`)) : 1;
        assert.equal(lanes, workers * threads, map);
        const rows = await page.evaluate(
          `[...document.querySelectorAll('[data-testid="vectors-processor"]')].map(({ dataset }) => dataset.processor)`,
        );
        assert.equal(rows.length, workers, map);
      }
      await choose('GlobalMap', 'word-index');
      assert.ok((await run()).some(([word, , paths]) => word === 'weaver' && paths === 'one.txt, two.txt'));
    });

    test('functions of one’s own, by each map, and what they do wrong stands at its line', async () => {
      await choose('VectorMap', 'own');
      await write(
        'export function map([key, line], { emit, log }) {\n  log(key);\n  for (const word of line.split(" ")) emit(word.length, 1);\n}\nexport const reduce = (_, a, b) => a + b;\n',
      );
      const lengths = new Map();
      for (const content of Object.values(TEXTS))
        for (const line of content.trimEnd().split('\n'))
          for (const { length } of line.split(' ')) lengths.set(length, (lengths.get(length) ?? 0) + 1);
      const expected = [...lengths].sort(([a], [b]) => a - b).map((row) => row.map(String));
      assert.deepEqual(await run(), expected);
      assert.match(await text('log'), /one\.txt, line 2/);
      // Each map has a text of its own, and what was written is there again.
      await choose('DirMap', 'own');
      await page.until(`${find('code')}?.isConnected`, PATIENCE_MS);
      await write('export const map = ([path, text]) => text.length;\n');
      assert.deepEqual(
        await run(),
        Object.entries(TEXTS).map(([path, content]) => [path, String(content.length)]),
      );
      await choose('CrossMap', 'own');
      await write(
        'export const map = ([a, text], _, [b, other]) => (a < b ? text.length - other.length : undefined);\n',
      );
      assert.deepEqual(await run(), [
        ['one.txt and two.txt', String(TEXTS['one.txt'].length - TEXTS['two.txt'].length)],
      ]);
      await choose('VectorMap', 'own');
      await page.until(`${find('code')}?.isConnected`, PATIENCE_MS);
      assert.deepEqual(await run(), expected);

      for (const [wrong, words, line] of [
        [
          'export function map([key, line]) {\n  return line.nothing.at(0);\n}\n',
          /^(one|two)\.txt, line \d: line 2 of your function: .*(undefined|nothing)/,
          '2',
        ],
        ['export function map() {\n  const = 1;\n}\n', /line 2 of your function: /, '2'],
        ['export const other = 1;\n', /no function “map”/, undefined],
      ]) {
        await write(wrong);
        await start();
        assert.match(await text('error'), words);
        if (line !== undefined) await page.until(`${find('code')}.dataset.problemLine === '${line}'`, PATIENCE_MS);
      }
    });

    if (name !== 'Chromium') return;

    test('numbers of tables: by cells as by rows, what stands out, what is near, how sure a mean is', async () => {
      await page.upload('[data-testid="vectors-files"]', given('prices.csv', TABLE));
      await page.until(`document.querySelector('[data-path="prices.csv"]')`, PATIENCE_MS);
      await choose('MatrixMap', 'columns');
      const byCells = await run();
      assert.deepEqual(
        byCells.map(([column, count, , , least, most]) => [column, count, least, most]),
        [
          ['price', '26', '1', '90'],
          ['weight', '25', '10', '50'],
        ],
      );
      await choose('VectorMap', 'columns');
      assert.deepEqual(await run(), byCells);
      await choose('MatrixMap', 'far');
      assert.deepEqual(
        (await run()).map(([row, column]) => [row, column]),
        [
          ['prices.csv, row 26', 'price'],
          ['prices.csv, row 5', 'weight'],
        ],
      );
      await choose('CrossMap', 'distances');
      const distances = await run();
      assert.equal(distances.length, 50);
      assert.equal(distances[0][2], '0.000');
      assert.equal(await page.evaluate(`${find('results')}.dataset.rows`), String((26 * 25) / 2));
      await choose('GlobalMap', 'bootstrap');
      await page.until(`${find('sampled')}?.value`, PATIENCE_MS);
      assert.equal((await run()).length, 50);
      assert.equal(await page.evaluate(`${find('results')}.dataset.rows`), '100');
      assert.match(await text('interval'), /^In 95 of 100 samples the mean of weight is between [\d.]+ and [\d.]+\.$/);
      await choose('TaskMap', 'groups');
      await page.until(`${find('group')}`, PATIENCE_MS);
      await page.evaluate(`${find('value')}.value = 'price'`);
      assert.deepEqual((await run())[0].slice(0, 3), ['a', '3', '9']);
      await choose('MatrixMap', 'own');
      await write('export const map = ([[row, column], number]) => (number > 40 ? number : undefined);\n');
      assert.deepEqual(await run(), [
        ['prices.csv, row 5, weight', '50'],
        ['prices.csv, row 26, price', '90'],
      ]);
      await choose('GlobalMap', 'own');
      await page.evaluate(`${find('rows')}.value = 'records'`);
      await write(
        'export function map([key, { kind }], { part, parts, emit }) {\n  if (kind.charCodeAt(0) % parts === part) emit(kind, 1);\n}\nexport const reduce = (_, a, b) => a + b;\n',
      );
      assert.deepEqual((await run()).sort(), [
        ['a', '3'],
        ['b', '2'],
        ['c', '21'],
      ]);
    });

    test('axe finds nothing with an editor open, and nothing is wider than the window', async () => {
      await page.evaluate(`${AXE}; undefined`);
      for (const width of [320, 1440]) {
        await page.resize(width);
        assert.equal(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true, String(width));
        const found = await page.evaluate(
          `axe.run('#panel-vectors', { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).slice(0, 3).join(', ')))`,
        );
        assert.deepEqual(found, [], String(width));
      }
      await page.resize(1280);
    });

    test('nothing was complained of', () => assert.deepEqual(page.problems, []));
  });
}
