// Verification in the page: what is right passes, and what is wrong is named, in a graph, in a program and on the device.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { builtPage, choose, openPage, PATIENCE_MS, servePage } from './demo.mjs';
import { forget, LINES, opened, replaceText, take } from './graph-tab.mjs';

/** The suite runs for seconds of a processor that others may want. */
const LONG_MS = 900_000;
const PANEL = '#panel-graph';

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let page;
    let browser;
    openPage(
      name,
      async (...both) => {
        [page, browser] = both;
        await opened(page);
      },
      '#graph',
    );

    test('every stage, pass and kernel of a graph is checked', async () => {
      await take(page, 'aes');
      await page.click(`${PANEL} [data-testid="expand-step"]`);
      await page.until(`document.querySelector('${PANEL} .explorer').dataset.operators === '4'`, PATIENCE_MS);
      assert.equal(await finish(page, 'verify'), 'passed');
      assert.deepEqual(await checks(page), [
        'Text: structure | no cycle, each unit written once, types that fit | ✓ sound',
        'Step 1: structure | no cycle, each unit written once, types that fit | ✓ sound',
        // 30 rounds of 16 bytes.
        'Step 1 beside Text | 1 output, 480 B | = same',
        'Base: structure | no cycle, each unit written once, types that fit | ✓ sound',
        'Base beside Step 1 | 1 output, 480 B | = same',
        'Base before and after the pass dedup | 1 output, 480 B | = same',
        'Base before and after the pass cancel | 1 output, 480 B | = same',
        'Base before and after the pass prune | 1 output, 480 B | = same',
        'Base: every operator on simd kernels beside scalar ones | 48 operators, 13.3 kB | = same',
        'Text: every operator on simd kernels beside scalar ones | 48 operators, 13.3 kB | = same',
      ]);
      assert.match(
        await page.evaluate(text('verify-status')),
        /^All 10 checks passed: .* \(30 rounds of random data from seed 0, /,
      );
      const report = await saved(page, 'verify', 'report-json');
      assert.equal(report.name, 'cipherloom-verification.json');
      const { passed, trials, checks: told, device } = JSON.parse(report.text);
      assert.deepEqual([passed, trials, told.length], [true, 30, 10]);
      assert.deepEqual(told[2].compared, ['output `next`']);
      assert.match(device.browser, new RegExp(name === 'Chromium' ? 'Chrome' : 'Firefox'));
    });

    test('rounds and seed are those of the fields, and bad ones are refused', async () => {
      await take(page, 'table');
      await fill(page, 'verify-trials', '2');
      await fill(page, 'verify-seed', '7');
      assert.equal(await finish(page, 'verify'), 'passed');
      assert.match(await page.evaluate(text('verify-status')), /2 rounds of random data from seed 7/);
      assert.equal((await checks(page))[1], 'Text before and after the pass dedup | 1 output, 8 B | = same');
      await fill(page, 'verify-trials', '0');
      assert.equal(await finish(page, 'verify'), 'error');
      assert.match(await page.evaluate(text('verify-status')), /Rounds: expected a whole number from 1 to 1000/);
      await fill(page, 'verify-trials', '3');
    });

    test('what is encrypted, multiplied and decrypted is compared down to base operators', async () => {
      await take(page, 'bfv');
      assert.equal(await finish(page, 'verify'), 'passed');
      const titles = (await checks(page)).map((check) => check.split(' | ')[0]);
      assert.deepEqual(
        titles.filter((title) => title.includes('beside') && !title.includes('kernels')),
        ['Polynomials beside Text', 'Base beside Polynomials'],
      );
    });

    test('an operator that means something else is named, and shown in the picture', async () => {
      await take(page, 'fault');
      assert.equal(await finish(page, 'verify'), 'failed');
      assert.match(await page.evaluate(text('verify-status')), /1 of 9 checks did not pass: my\.divide #2 differs/);
      assert.deepEqual(await wrong(page), ['Text beside the graph that was kept']);
      const more = `document.querySelector('${PANEL} [data-testid="check-more"]').textContent`;
      assert.match(
        await page.evaluate(more),
        /^my\.divide #2 gives something else than the graph that was kept\. Byte \d+ of f32\[8\].* at units \[17, 25\) is 0x(..), expected 0x(?!\1)..\. It was noticed in output y\./,
      );
      await page.click(`${PANEL} [data-testid="check-show"]`);
      await page.until(
        `document.querySelector('${PANEL} .operator.selected')?.dataset.type === 'my.divide'`,
        PATIENCE_MS,
      );
      const { text: report } = await saved(page, 'verify', 'report-text');
      assert.match(
        report,
        /^WRONG  Text beside the graph that was kept: –\n       my\.divide #2 gives something else/m,
      );
    });

    test('a graph is kept as what is meant, before an operator of one’s own is changed', async () => {
      await take(page, 'polynomial');
      await page.click(`${PANEL} [data-testid="verify-keep"]`);
      await page.until(`${text('verify-kept')}.includes('Also compared with the graph of 1 operator')`, PATIENCE_MS);
      assert.equal(await finish(page, 'verify'), 'passed');
      assert.equal((await checks(page))[1].split(' | ')[0], 'Text beside the graph that was kept');
      // 1 + x/2 + ..., but for the highest coefficient.
      await redefine(page, (code) => code.replace('at(degree)', 'at(degree + 1)'));
      await page.until(`${text('own-status')}.includes('is changed')`, PATIENCE_MS);
      await opened(page);
      assert.equal(await finish(page, 'verify'), 'failed');
      assert.match(await page.evaluate(text('verify-status')), /: my\.polynomial #0 differs/);
      await page.click(`${PANEL} [data-testid="verify-forget"]`);
      assert.equal(await finish(page, 'verify'), 'passed');
    });

    test('verifying 100,000 operators is cancelled at once, and the tab goes on', async () => {
      await take(page, 'large');
      assert.equal(await page.evaluate(`document.querySelector('[data-testid="verify-trials"]').value`), '3');
      await page.click('[data-testid="verify-start"]');
      await page.until(`${text('verify-status')}.startsWith('Verifying Text')`, PATIENCE_MS);
      assert.ok(await page.evaluate(`!document.querySelector('[data-testid="verify"] progress').hidden`));
      // The tab has workers of its own meanwhile.
      await page.click(`${PANEL} [data-testid="graph-run"]`);
      await page.until(`document.querySelector('[data-testid="graph-outputs"]').dataset.state === 'done'`, PATIENCE_MS);
      await page.click('[data-testid="verify-cancel"]');
      await page.until(`${state('verify')} === 'cancelled'`, PATIENCE_MS);
      assert.equal(await page.evaluate(text('verify-status')), 'Cancelled.');
      assert.equal(await page.evaluate(`document.querySelector('[data-testid="verify-start"]').disabled`), false);
      // What comes late of the one that was cancelled is not shown with the next.
      await take(page, 'table');
      assert.equal(await finish(page, 'verify'), 'passed');
      assert.equal((await checks(page)).length, 5);
    });

    test('nothing of the suite is loaded before it is started; it is cancelled', async () => {
      const loaded = `performance.getEntriesByType('resource').some(({ name }) => name.includes('conformance-worker'))`;
      const asked = () => page.requests.some((address) => address.includes('conformance-worker'));
      assert.deepEqual([await page.evaluate(loaded), asked()], [false, false]);
      await page.click('[data-testid="suite-start"]');
      await page.until(`/^\\d+ of \\d+ operators$/.test(${text('suite-status')})`, PATIENCE_MS);
      assert.ok((await page.evaluate(loaded)) || asked());
      await page.click('[data-testid="suite-cancel"]');
      await page.until(`${state('suite')} === 'cancelled'`, PATIENCE_MS);
      assert.equal(await page.evaluate(text('suite-status')), 'Cancelled.');
      assert.equal(await page.evaluate(text('suite-report')), '');
    });

    test('this device passes the suite, with a report', async () => {
      await page.click('[data-testid="suite-scalar"]');
      assert.equal(await finish(page, 'suite', LONG_MS), 'passed');
      assert.match(await page.evaluate(text('suite-status')), /^All [\d,]{6,} cases on simd kernels passed/);
      const { passed, cases, platforms, device } = JSON.parse((await saved(page, 'suite', 'report-json')).text);
      assert.equal(passed, true);
      assert.deepEqual([platforms.length, platforms[0].platform, platforms[0].failed], [1, 'simd', []]);
      assert.equal(
        platforms[0].operators.reduce((sum, { passed }) => sum + passed, 0),
        cases,
      );
      for (const operator of ['limb.ntt', 'f32.sqrt', 'u8.add'])
        assert.ok(platforms[0].operators.some(({ name, cases }) => name === operator && cases > 0));
      assert.match(device.browser, new RegExp(name === 'Chromium' ? 'Chrome' : 'Firefox'));
      assert.equal(device.processors, await page.evaluate('navigator.hardwareConcurrency'));
      const { name: file, text: report } = await saved(page, 'suite', 'report-text');
      assert.equal(file, 'cipherloom-conformance.txt');
      assert.match(report, /^same   f32\.sqrt: \d+ cases passed$/m);
      assert.match(report, /^Build: (relaxed|threads|single), core \d/m);
    });

    // Here scalar kernels pass but for that one; with Chromium's engine they do in bindings/test/e2e/verify.test.ts.
    if (name === 'Firefox')
      test('a kernel that computes something else is named', async (t) => {
        const damaged = await servePage({ folder: withoutRoots() });
        t.after(damaged.stop);
        const other = await browser.open(`${damaged.url}#graph`);
        t.after(other.close);
        await opened(other);
        await other.click('[data-testid="suite-simd"]');
        assert.equal(await finish(other, 'suite', LONG_MS), 'failed');
        assert.match(await other.evaluate(text('suite-status')), /^1 operator of this device is wrong/);
        const failed = `[...document.querySelectorAll('[data-testid="suite-failed"]')].map(({ dataset }) => dataset.name + ' ' + dataset.platform)`;
        assert.deepEqual(await other.evaluate(failed), ['f32.sqrt scalar']);
        const { passed, platforms } = JSON.parse((await saved(other, 'suite', 'report-json')).text);
        assert.equal(passed, false);
        const [{ cases, passed: right, problem }] = platforms[0].failed;
        assert.ok(right < cases && problem.length > 0);
        assert.match((await saved(other, 'suite', 'report-text')).text, /^WRONG  f32\.sqrt: \d+ of \d+ cases wrong: /m);
      });

    test('the stages of a program are checked in the other tab', async () => {
      await page.click('[data-testid="tab-statistics"]');
      await page.click('[data-testid="dataset"]');
      await choose(page, ['mean radius']);
      await page.until(`!document.querySelector('#explorer').hidden`, PATIENCE_MS);
      await page.until(`${state('program-verify')} === 'idle'`, PATIENCE_MS);
      assert.equal(await finish(page, 'program-verify'), 'passed');
      const titles = (await checks(page, '#program-verify')).map((check) => check.split(' | ')[0]);
      assert.deepEqual(titles, [
        'Question beside the task',
        'Finish beside the task',
        'Slots beside the task',
        'Scheme: structure',
        'Polynomials: structure',
        'Polynomials beside Scheme',
        'Base: structure',
        'Base beside Polynomials',
        'Base: every operator on simd kernels beside scalar ones',
      ]);
      // Of another program nothing is known.
      await choose(page, ['mean texture']);
      await page.until(`${state('program-verify')} === 'idle'`, PATIENCE_MS);
      assert.deepEqual(await checks(page, '#program-verify'), []);
    });

    test('nothing was complained of', () => assert.deepEqual(page.problems, []));
  });
}

/** The page, with builds in which square roots of four floats are their negatives: the one such instruction of each is replaced. */
function withoutRoots() {
  const [sqrt, neg] = [0xe3, 0xe1].map((operation) => Buffer.from([0xfd, operation, 0x01]));
  const folder = join(temporaryFolder(), 'damaged');
  cpSync(builtPage(), folder, { recursive: true });
  const assets = join(folder, 'assets');
  let changed = 0;
  for (const file of readdirSync(assets).filter((name) => name.endsWith('.wasm'))) {
    const wasm = readFileSync(join(assets, file));
    const at = wasm.indexOf(sqrt);
    if (at < 0 || wasm.indexOf(sqrt, at + 1) >= 0) continue;
    neg.copy(wasm, at);
    writeFileSync(join(assets, file), wasm);
    changed++;
  }
  assert.ok(changed > 0, 'no build has the instruction once');
  return folder;
}

function text(testId) {
  return `(document.querySelector('[data-testid="${testId}"]')?.textContent ?? '')`;
}

function state(testId) {
  return `document.querySelector('[data-testid="${testId}"]').dataset.state`;
}

/** Starts a job, and gives how it ended. */
async function finish(page, testId, patience = PATIENCE_MS) {
  await page.click(`[data-testid="${testId}-start"]`);
  await page.until(`!['idle', 'running'].includes(${state(testId)})`, patience);
  return page.evaluate(state(testId));
}

/** The rows of the report. */
function checks(page, panel = PANEL) {
  return page.evaluate(
    `[...document.querySelectorAll('${panel} [data-testid="check"]')].map((row) => [...row.cells].map((cell) => cell.textContent).join(' | '))`,
  );
}

/** What did not pass. */
function wrong(page) {
  return page.evaluate(
    `[...document.querySelectorAll('${PANEL} [data-testid="check"][data-passed="false"]')].map((row) => row.cells[0].textContent)`,
  );
}

/** What a button of a report saves. */
function saved(page, job, button) {
  return page.evaluate(`new Promise((resolve) => {
    const { createObjectURL } = URL;
    let text;
    URL.createObjectURL = (blob) => {
      text = blob.text();
      return createObjectURL.call(URL, blob);
    };
    HTMLAnchorElement.prototype.click = function () {
      text.then((text) => resolve({ name: this.download, text }));
    };
    document.querySelector('[data-testid="${job}-report"] [data-testid="${button}"]').click();
    URL.createObjectURL = createObjectURL;
    delete HTMLAnchorElement.prototype.click;
  })`);
}

async function fill(page, testId, value) {
  await page.evaluate(`document.querySelector('[data-testid="${testId}"]').select()`);
  await page.type(value);
}

/** Changes the code of the operator that is in the editor. */
async function redefine(page, change) {
  const code = await page.evaluate(LINES('own-editor'));
  assert.notEqual(change(code), code);
  await replaceText(page, change(code), 'own-editor');
  await forget(page);
  await page.click('[data-testid="own-define"]');
}
