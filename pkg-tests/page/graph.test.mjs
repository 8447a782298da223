// The graph tab, worked by mouse and keyboard: what is shown and computed there is what the package says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openGraph, work } from '../../bench/lib/page-graph.mjs';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { openPage, PATIENCE_MS } from './demo.mjs';
import { EDITOR, LINES, opened, replaceText, take } from './graph-tab.mjs';

const PANEL = '#panel-graph';

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let page;
    openPage(name, (opened) => (page = opened));

    test('nothing of the tab is loaded before it is opened, by the keyboard', async () => {
      assert.ok(!page.requests.some((address) => address.includes('workbench')));
      await page.evaluate(`document.querySelector('[data-testid="tab-statistics"]').focus()`);
      await page.press('End');
      await opened(page);
      assert.equal(await page.evaluate('location.hash'), '#graph');
      assert.equal(await page.evaluate('document.activeElement.id'), 'tab-graph');
      assert.equal(await page.evaluate(`document.querySelector('#panel-statistics').hidden`), true);
      assert.ok(page.requests.some((address) => address.includes('workbench')));
      await page.evaluate('history.back()');
      await page.until(`document.querySelector('${PANEL}').hidden`, PATIENCE_MS);
      await page.click('[data-testid="tab-graph"]');
      await opened(page);
    });

    test('K-G3: pointing at an operator shows its sets, to the unit', async () => {
      await take(page, 'table');
      await point(page, 5);
      assert.deepEqual(await entries(page, 'producer'), [
        'f32.neg #0 [4, 5)',
        'f32.neg #1 [5, 6)',
        'f32.neg #2 [6, 7)',
        'f32.neg #4 [8, 9)',
      ]);
      assert.deepEqual(await entries(page, 'reader'), ['f32.neg #6 [9, 10)']);
      const marked = (kind) =>
        page.evaluate(
          `[...document.querySelectorAll('${PANEL} .operator.${kind}')].map(({ dataset }) => dataset.op).sort().join()`,
        );
      assert.equal(await marked('producer'), '0,1,2,4');
      assert.equal(await marked('reader'), '6');
      await point(page, 3);
      assert.deepEqual(await entries(page, 'producer'), []);
      assert.deepEqual(await entries(page, 'outside'), ['input in4 [3, 4)']);
      assert.deepEqual(await entries(page, 'reader'), ['f32.neg #4 [7, 8)']);
    });

    test('it runs, and any operand can be looked into', async () => {
      await take(page, 'table');
      assert.deepEqual(await run(page), { out: '2' });
      await page.click(`${PANEL} .operator[data-op="5"]`);
      await page.click(`${PANEL} [data-testid="look"]`);
      assert.deepEqual(await run(page), { out: '2', 'look #5': '-2' });
      await fill(page, 'in4', '40.5');
      assert.deepEqual(await run(page), { out: '-34.5', 'look #5': '34.5' });
      await fill(page, 'in4', '4 x');
      await page.click(`${PANEL} [data-testid="graph-run"]`);
      await page.until(`${text('graph-run-status')}.includes('Input in4: expected 1 number, found 2')`, PATIENCE_MS);
    });

    test('an error is shown at its line: of the syntax, and of an operator', async () => {
      await take(page, 'table');
      await focusEnd(page, 'graph-editor');
      await page.type('nonsense');
      await refused(page);
      assert.equal(await problemLine(page), '19');
      for (let letter = 0; letter < 'nonsense'.length; letter++) await page.press('Backspace');
      await opened(page);
      assert.equal(await problemLine(page), undefined);

      // The third of several alike is the wrong one, which no error says.
      const seven = await editorText(page);
      await replaceText(page, seven.replace('f32.neg(%2)', 'f32.neg(%2, %2)'));
      await refused(page);
      assert.equal(await problemLine(page), '13');
      assert.match(await page.evaluate(text('graph-problem')), /^Line 13: .*f32\.neg.*operator\.invalid/);
    });

    test('a text that ends too soon has no line 0', async () => {
      await replaceText(page, ' ');
      await refused(page);
      await page.until(
        `${text('graph-problem')}.startsWith('The text ends where “cipherloom-graph 1” is expected.')`,
        PATIENCE_MS,
      );
    });

    test('names of operators are completed', async () => {
      await take(page, 'matmul');
      await focusEnd(page, 'graph-editor');
      await page.type('op %3 = f32.mat');
      const option = `document.querySelector('[data-testid="graph-editor"]').shadowRoot.querySelector('.cm-tooltip-autocomplete li[aria-selected]')?.textContent`;
      await page.until(`(${option}) === 'f32.matmul'`, PATIENCE_MS);
      await new Promise((resolve) => setTimeout(resolve, 200)); // the editor takes no Enter right after a list came up
      await page.press('Enter');
      await page.until(`(${LINES('graph-editor')}).endsWith('op %3 = f32.matmul')`, PATIENCE_MS);
    });

    test('a graph is expanded step by step, optimized, and gone back in', async () => {
      await take(page, 'aes');
      await derive(page, 'expand-step', '4');
      assert.deepEqual(await typesInView(page), [
        'aes.add_round_key',
        'aes.mix_columns',
        'aes.round',
        'aes.shift_rows',
        'aes.sub_bytes',
      ]);
      await derive(page, 'expand-step', '48');
      await derive(page, 'optimize', '39');
      assert.deepEqual(await typesInView(page, '.open'), [
        'aes.add_round_key',
        'aes.mix_columns',
        'aes.round',
        'aes.shift_rows',
        'aes.sub_bytes',
      ]);
      const stages = `[...document.querySelectorAll('#graph-stages [role="tab"]')].map((tab) => tab.textContent).join()`;
      assert.equal(await page.evaluate(stages), 'Text 1,Step 1 4,Step 2 48,Optimized 39');
      // The first round of FIPS 197, appendix B.
      const expected = {
        next: 'a4686b029c9f5b6a7f35ea50f22b4349'
          .match(/../g)
          .map((byte) => parseInt(byte, 16))
          .join(),
      };
      assert.deepEqual(await run(page), expected);
      await page.evaluate(`document.querySelector('#graph-stages [aria-selected="true"]').focus()`);
      await page.press('Home');
      await page.until(`document.querySelector('${PANEL} .explorer').dataset.operators === '1'`, PATIENCE_MS);
      assert.deepEqual(await run(page), expected);
    });

    test('K-G5: D3 writes what D wrote, and the readers read the same units', async () => {
      await take(page, 'absorb');
      await derive(page, 'expand-step', '5');
      await page.until(`${text('absorb-said')}.startsWith('demo.d #0 wrote [0, 8)')`, PATIENCE_MS);
      const rows = () =>
        page.evaluate(
          `[...document.querySelectorAll('[data-testid="absorb"] tr[data-absorbed]')].map(({ cells, dataset }) => [cells[0].textContent, cells[2].textContent, dataset.absorbed].join(' '))`,
        );
      assert.deepEqual(await rows(), [
        'u8.add #0 [40, 48) false',
        'u8.add #1 [48, 56) false',
        'demo.d3 #2 [0, 8) true',
      ]);
      assert.match(await page.evaluate(text('absorb-said')), /\(u8\.neg #3, u8\.not #4\) still reads the same units/);
      await derive(page, 'expand-step', '6');
      await page.until(`${text('absorb-said')}.startsWith('demo.d3 #2 wrote [0, 8)')`, PATIENCE_MS);
      assert.deepEqual((await rows()).at(-1), 'u8.sub #3 [0, 8) true');
      const four = [0, 1, 2, 3, 4, 5, 6, 7].map((x) => 4 * x);
      assert.deepEqual(await run(page), {
        s1: four.map((x) => (256 - x) % 256).join(),
        s2: four.map((x) => 255 - x).join(),
      });
    });

    if (name === 'Chromium')
      test('stage beside stage: a selection leads to what it came from and what it became, and boxes tell platform and label', async () => {
        // Of the test before: D became D1, D2 and D3, of which D3 became two.
        const beside = `document.querySelector('${PANEL} [data-testid="stage-beside"]')`;
        const canvas = `${beside}.querySelector('canvas.flat')`;
        const note = `${beside}.querySelector('[data-testid="beside-note"]').textContent`;
        const selected = `document.querySelector('#graph-diagram .operator.selected')?.dataset`;
        await pick(page, 'beside', '1');
        await page.until(`${beside}.dataset.stage === 'Step 1'`, PATIENCE_MS);
        assert.equal(await page.evaluate(`${beside}.querySelector('h3').textContent`), 'Step 1: 5 operators');
        await page.evaluate(`${canvas}.focus()`);
        // Its three operators stand one below the other.
        for (const op of ['1', '2']) {
          await page.press('ArrowDown');
          await page.until(`${canvas}.dataset.selected === '${op}'`, PATIENCE_MS);
        }
        await page.until(`${note} === 'demo.d3 #2 became 2 operators at the stage Step 2.'`, PATIENCE_MS);
        await page.until(`${selected}?.type === 'demo.d3'`, PATIENCE_MS);
        assert.equal(await page.evaluate(`document.activeElement === ${canvas}`), true);

        await page.evaluate(`document.querySelector('#graph-diagram .operator[data-type="u8.sub"]').focus()`);
        await page.press('Enter');
        await page.until(`${note} === 'u8.sub #3 came from demo.d3 #2 at the stage Step 1.'`, PATIENCE_MS);
        assert.equal(await page.evaluate(`${selected}.type`), 'u8.sub');
        assert.deepEqual(await page.evaluate(`[${canvas}.dataset.selected, ${canvas}.dataset.kin]`), ['', '2']);

        const legend = `[...document.querySelectorAll('#graph-legend li')].map((line) => line.textContent).join()`;
        await pick(page, 'overlay', 'platform');
        await page.until(`${legend} === 'not placed'`, PATIENCE_MS);
        await pick(page, 'overlay', 'label');
        await page.until(`${legend}.includes('hidden neuron (hn)')`, PATIENCE_MS);
        await page.until(`${text('told')}.startsWith('hn')`, PATIENCE_MS);
        await pick(page, 'overlay', '');
        await page.until(`!${legend}.includes('neuron')`, PATIENCE_MS);

        await page.evaluate(`document.querySelector('${PANEL} [data-testid="beside-close"]').focus()`);
        await page.press('Enter');
        await page.until(`${beside}.hidden`, PATIENCE_MS);
        assert.equal(await page.evaluate(`document.activeElement.dataset.testid`), 'beside');
      });

    test('BFV: what was encrypted, multiplied and decrypted is the product', async () => {
      await take(page, 'bfv');
      const slots = Array.from({ length: 16 }, (_, x) => x);
      assert.deepEqual(await run(page), { product: slots.map((x) => (x * x) % 97).join() });
    });

    test('an operator of one’s own is drawn and run, changed, and refused at its line', async () => {
      await take(page, 'polynomial');
      await derive(page, 'expand-step', '11');
      const rounded = (x) =>
        [3, 2, 1, 0].reduce((sum, k) => Math.fround(Math.fround(sum * x) + Math.fround(1 / (k + 1))), 0);
      assert.deepEqual(await run(page), { y: [0, 1, 2, -2].map(rounded).join() });

      await replaceText(page, `function expand(g, [x]) {\n  return g.op('f32.mul', [x, x]);\n}\n`, 'own-editor');
      await page.click('[data-testid="own-define"]');
      await page.until(`${text('own-status')}.includes('is changed')`, PATIENCE_MS);
      await opened(page);
      await derive(page, 'expand-step', '1');
      assert.deepEqual(await run(page), { y: '0,1,4,4' });

      await replaceText(page, `function expand(g, [x]) {\n  const y = x;\n  return missing(y);\n}\n`, 'own-editor');
      await page.click('[data-testid="own-define"]');
      await page.until(`${text('own-status')}.includes('my.polynomial, line 3: ReferenceError')`, PATIENCE_MS);
      assert.equal(await problemLine(page, 'own-editor'), '3');
    });

    test('100,000 operators are shown, found and run', async () => {
      await take(page, 'large');
      const flat = `document.querySelector('#graph-diagram .flat')`;
      await page.until(`Number(${flat}.dataset.boxes) === 100000`, PATIENCE_MS);
      await page.evaluate(`${flat}.scrollIntoView({ block: 'center' })`);
      await page.evaluate(`${flat}.focus()`);
      // A layer is two rows: operators of the third one read others, those above only inputs.
      for (let row = 1; row <= 2; row++) {
        const before = await page.evaluate(`${flat}.dataset.selected`);
        await page.press('ArrowDown');
        await page.until(`${flat}.dataset.selected !== ${JSON.stringify(before)}`, PATIENCE_MS);
      }
      // Its sets are asked for once it is selected.
      await page.until(`document.querySelector('${PANEL} .operands.producer .entries li') !== null`, PATIENCE_MS);
      assert.deepEqual(Object.keys(await run(page)), ['y0', 'y1', 'y2', 'y3']);
    });

    if (name === 'Chromium')
      test('10,000 operators, box in box, are moved, zoomed, opened, closed and searched', async () => {
        assert.ok((await openGraph(page, { steps: 2 })) > 10_000);
        const done = [];
        for await (const { name, frames } of work(page, { moves: 4 })) {
          done.push(name);
          assert.ok(frames > 0, name);
          if (name === 'close all')
            assert.equal(await page.evaluate(`document.querySelector('#graph-diagram').dataset.total`), '0');
        }
        assert.equal(done.length, 18);
      });

    test('operators are found by part of a name, number, expression, and what they read; the rest is told', async () => {
      await take(page, 'table');
      const heading = `document.querySelector('${PANEL} .inspector h3').textContent`;
      const note = `document.querySelector('${PANEL} [data-testid="stage-note"]').textContent`;
      const search = async (query) => {
        await page.evaluate(`document.querySelector('${PANEL} [data-testid="graph-search"]').focus()`);
        await page.evaluate(`document.querySelector('${PANEL} [data-testid="graph-search"]').select()`);
        await page.type(query);
        await page.press('Enter');
      };
      for (const [query, expected] of [
        ['neg', 'neg: 6 operators'],
        ['#5', '#5: 1 operator'],
        ['/^f32\\.s/', '/^f32\\.s/: 1 operator'],
        ['reads in4', 'reads in4: 1 operator'],
        ['reads #3', 'reads #3: 1 operator'],
      ]) {
        await search(query);
        await page.until(`${heading} === ${JSON.stringify(expected)}`, PATIENCE_MS);
      }
      await search('nobody');
      await page.until(`${note}.includes('No operator here is found by “nobody”')`, PATIENCE_MS);
      await search('/(/');
      await page.until(`${note}.includes('“/(/” cannot be looked for: ')`, PATIENCE_MS);
    });

    test('what is coloured by size says so, and an operator tells its definition', async () => {
      await pick(page, 'overlay', 'size');
      await page.until(
        `document.querySelector('${PANEL} .operator[data-op="5"] .sub')?.textContent === '#5 · 4 B'`,
        PATIENCE_MS,
      );
      await page.click(`${PANEL} .operator[data-op="5"]`);
      const definition = `document.querySelector('${PANEL} [data-testid="definition"]').textContent`;
      await page.until(`${definition}.includes('engine/src/ops/plain/sum.rs')`, PATIENCE_MS);
      await pick(page, 'overlay', '');
      await page.until(
        `document.querySelector('${PANEL} .operator[data-op="5"] .sub')?.textContent === '#5'`,
        PATIENCE_MS,
      );
    });

    test('nothing was complained of', () => assert.deepEqual(page.problems, []));
  });
}

/** Takes what a list offers, once it does. */
async function pick(page, testId, value) {
  const list = `document.querySelector('${PANEL} [data-testid="${testId}"]')`;
  await page.until(`[...${list}.options].some((one) => one.value === '${value}')`, PATIENCE_MS);
  await page.evaluate(`${list}.value = '${value}', ${list}.dispatchEvent(new Event('change'))`);
}

function text(testId) {
  return `(document.querySelector('${PANEL} [data-testid="${testId}"]')?.textContent ?? '')`;
}

function refused(page) {
  return page.until(`${EDITOR('graph-editor')}.dataset.problemLine !== undefined`, PATIENCE_MS);
}

function problemLine(page, id = 'graph-editor') {
  return page.evaluate(`${EDITOR(id)}.dataset.problemLine`);
}

/** Makes a stage, of so many operators. */
async function derive(page, testId, operators) {
  await page.until(`!document.querySelector('${PANEL} [data-testid="${testId}"]').disabled`, PATIENCE_MS);
  await page.click(`${PANEL} [data-testid="${testId}"]`);
  await page.until(`document.querySelector('${PANEL} .explorer').dataset.operators === '${operators}'`, PATIENCE_MS);
  await page.until(`document.querySelector('#graph-diagram').dataset.stage !== undefined`, PATIENCE_MS);
}

/** Moves the mouse over an operator, until its sets are shown. */
async function point(page, op) {
  await page.evaluate(`document.querySelector('${PANEL} .explorer').scrollIntoView()`);
  await page.until(
    `(document.querySelector('${PANEL} .inspector').textContent, document.querySelector('${PANEL} .operator[data-op="${op}"]')) !== null`,
    PATIENCE_MS,
  );
  const [x, y] = await page.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector('${PANEL} .operator[data-op="${op}"] .body').getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  })()`);
  const end = performance.now() + PATIENCE_MS;
  // Sets come a moment after the picture: pointing before that shows nothing.
  for (let step = 0; performance.now() < end; step++) {
    await page.move(2, 2);
    await page.move(x + (step % 2), y);
    const found = await page.evaluate(
      `document.querySelector('${PANEL} .inspector h3').textContent.endsWith('#${op}') && document.querySelector('${PANEL} .inspector').textContent.includes('Dependency set')`,
    );
    if (found) return;
  }
  assert.fail(`no sets of #${op}`);
}

/** A list of the inspector: operators, with units. */
function entries(page, role) {
  return page.evaluate(
    `[...document.querySelectorAll('${PANEL} .operands.${role} .entries li')].map((entry) => entry.textContent)`,
  );
}

/** Runs, and reads what came out, by name. */
async function run(page) {
  await page.evaluate(`delete document.querySelector('[data-testid="graph-outputs"]').dataset.state`);
  await page.click(`${PANEL} [data-testid="graph-run"]`);
  const state = `document.querySelector('[data-testid="graph-outputs"]').dataset.state`;
  await page.until(`['done', 'failed'].includes(${state})`, PATIENCE_MS);
  assert.equal(await page.evaluate(state), 'done', await page.evaluate(text('graph-run-status')));
  return page.evaluate(
    `Object.fromEntries([...document.querySelectorAll('${PANEL} [data-testid="value"]')].map(({ dataset }) => [dataset.name, dataset.values]))`,
  );
}

/** Types into the field of an input. */
async function fill(page, name, numbers) {
  await page.evaluate(`document.querySelector('[data-testid="graph-input"][data-name="${name}"]').select()`);
  await page.type(numbers);
}

async function focusEnd(page, id) {
  await page.evaluate(`(() => {
    const content = ${EDITOR(id)}.shadowRoot.querySelector('.cm-content');
    content.focus();
    const range = document.createRange();
    range.selectNodeContents(content.lastElementChild);
    range.collapse(false);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  })()`);
  await page.chord('End');
}

function editorText(page) {
  return page.evaluate(LINES('graph-editor'));
}

function typesInView(page, those = '') {
  return page.evaluate(
    `[...document.querySelectorAll('${PANEL} .operator${those}')].map(({ dataset }) => dataset.type).sort()`,
  );
}
