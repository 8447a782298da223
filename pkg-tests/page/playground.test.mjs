// The tab “Playground”, as a visitor uses it: programs, settings, links, the code of a run in Node, and programs that mean harm.
// Of the code of random runs, `PLAYGROUND_RUNS` (3) are run in Node; another `PLAYGROUND_SEED` draws others.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ROOT } from '../../scripts/lib/run.mjs';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { mulberry32 } from '../lib/random.mjs';
import { PATIENCE_MS, catchSaved, choose, openPage, run as runStatistics } from './demo.mjs';
import { LINES, replaceText } from './graph-tab.mjs';

const find = (id) => `document.querySelector('[data-testid="play-${id}"]')`;
const EMPTY_CHOICE = { table: 'guidelines-2024', bits: 128, quantum: false };
const RUNS = Number(process.env.PLAYGROUND_RUNS ?? 3);
const SEED = Number(process.env.PLAYGROUND_SEED ?? 2026);

/** The hash of a link to a program, as the format says. */
const linkTo = (text, choice = EMPTY_CHOICE) =>
  `#playground?p=${deflateRawSync(JSON.stringify({ text, choice })).toString('base64url')}`;

/** A program of one line in the middle: line 3. */
const program = (line) => `export default function program(task, table) {
  const x = task.encrypted('x', { shape: [table.rows], min: 0, max: 100, decimals: 4 });
  ${line}
  task.output('sum', x.sum());
  return { encrypted: { x: table.numeric[0].values } };
}
`;

/** Of reals: a mean, a quotient by what is too small to be told from 0, and a number that is not secret. */
const REALS = `export default function program(task) {
  const x = task.encrypted('x', { kind: 'real', shape: [4], min: -1, max: 1 });
  task.output('mean', x.mean());
  task.output('quotient', x.sum().divide(x.multiply(x).sum()));
  task.output('count', x.count());
  return { encrypted: { x: [1e-7, 0, 0, 0] } };
}
`;

/** What a program could reach beyond its sandbox, tried one by one. */
const REACHING = program(`const tried = {
    origin: () => self.origin,
    fetch: () => { const asked = new XMLHttpRequest(); asked.open('GET', 'http://127.0.0.1:1/', false); asked.send(); return 'sent'; },
    import: () => { importScripts('data:text/javascript,'); return 'imported'; },
    eval: () => (0, eval)('1'),
    database: () => { indexedDB.open('x'); return 'opened'; },
    channel: () => { const worker = new SharedWorker('data:,'); return String(worker); },
    document: () => String(document),
  };
  for (const [name, reach] of Object.entries(tried)) {
    try { console.log(name, String(reach())); } catch (error) { console.log(name, 'refused'); }
  }`);

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

    const text = (id, of = page) => of.evaluate(`${find(id)}.innerText`);
    /** A program has something to run on. */
    const tableIsThere = (of = page) => of.until(`${find('data')}?.textContent`, PATIENCE_MS);
    /** Goes to a link: another program is there, which waits. */
    const follow = async (hash, of = page) => {
      await of.evaluate(`delete ${find('plan')}.dataset.state; location.hash = ${JSON.stringify(hash)}`);
      await of.until(`${find('plan')}.dataset.state === 'link'`, PATIENCE_MS);
    };
    /** Nothing is being planned: a price that comes moves the button, and a click on where it was would miss it. */
    const planned = async (of = page) => {
      await of.until(`['planned', 'link', 'refused', 'stopped'].includes(${find('plan')}.dataset.state)`, PATIENCE_MS);
      return of.evaluate(`${find('plan')}.dataset.state`);
    };
    /** Presses the button, and waits for what comes of it: done, failed or stopped. */
    const run = async (of = page) => {
      await planned(of);
      await of.evaluate(`delete ${find('run')}.dataset.state`);
      await of.click('[data-testid="play-run"]');
      await ended(of);
      return of.evaluate(`${find('run')}.dataset.state`);
    };
    const ended = (of = page) =>
      of.until(`['done', 'failed', 'stopped'].includes(${find('run')}.dataset.state)`, PATIENCE_MS);
    const set = (id, value) =>
      page.evaluate(`(() => {
        const control = ${find(id)};
        control.value = ${JSON.stringify(value)};
        control.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
    /** What a button gives to be saved. */
    async function saved(id, prefix = 'play-') {
      await page.evaluate('void (saved.length = 0)');
      await page.click(`[data-testid="${prefix}${id}"]`);
      await page.until('saved.length === 1', PATIENCE_MS);
      return page.evaluate('saved[0].blob.text()');
    }

    test('nothing of it is loaded before it is opened', async () => {
      const own = /\/(playground|type-worker)-[^/]*\.js$/;
      await page.until(`document.querySelector('[data-testid="mode"]').dataset.state === 'ready'`, PATIENCE_MS);
      assert.deepEqual(
        [...opened, ...page.requests].filter((address) => own.test(address)),
        [],
      );
      await catchSaved(page);
      await page.click('[data-testid="tab-playground"]');
      await tableIsThere();
      assert.equal(await run(), 'done');
      assert.match(await text('verdict'), /^Every result equals that in the clear/);
    });

    test('errors stand where they are: a loop that does not end, what is thrown, what cannot be read', async () => {
      for (const [line, words, code] of [
        ['while (true) { }', /still running after 5 seconds|gave no answer within/, undefined],
        ["throw new Error('by hand')", /by hand/, undefined],
        ["task.output('y', x.at(9, 9))", /indices/, 'graph.shape'],
        ["table.column('nobody')", /nobody/, 'table.column'],
        ['const = 1;', /expected/, 'program.syntax'],
      ].slice(name === 'Chromium' ? 0 : 1)) {
        await follow(linkTo(program(line)));
        assert.equal(await run(), 'failed', line);
        assert.match(await text('error'), words);
        assert.equal(await page.evaluate(`${find('code')}.dataset.problemLine`), '3', line);
        if (code) assert.equal(await page.evaluate(`${find('error')}.dataset.code`), code);
      }
    });

    test('what the last run said goes with what it was about, and nobody who writes is moved elsewhere', async () => {
      await follow(linkTo(program("throw new Error('thrown');")));
      assert.equal(await run(), 'failed');
      assert.equal(await text('status'), 'It went wrong.');
      await replaceText(page, program(''), 'play-code');
      await page.until(`${find('status')}.textContent === ''`, PATIENCE_MS);
      assert.equal(await planned(), 'planned');
      // A line that is not finished yet is refused in the meantime.
      await replaceText(page, program('const half = ('), 'play-code');
      await page.until(`${find('plan')}.dataset.state === 'refused'`, PATIENCE_MS);
      await page.type('// the end');
      assert.match(await page.evaluate(LINES('play-code')), /\}\n\/\/ the end$/);
    });

    test('a program reaches nothing beyond its sandbox', async () => {
      const bad = await browser.open(page.requests[0].replace(/#.*/, ''), { apart: true });
      await bad.click('[data-testid="tab-playground"]');
      await tableIsThere(bad);
      await follow(linkTo(REACHING), bad);
      assert.equal(await text('output', bad), '', 'nothing of a link runs by itself');
      assert.equal(await run(bad), 'done');
      const lines = (await text('output', bad)).split('\n');
      assert.deepEqual(lines, [
        'origin null',
        ...['fetch', 'import', 'eval', 'database', 'channel', 'document'].map((what) => `${what} refused`),
      ]);
      await bad.close();
    });

    if (name !== 'Chromium') return;

    test('the stop button ends a program, and says in which loop it was', async () => {
      await follow(linkTo(program('for (;;) { }')));
      // Stopped by the page itself as soon as the program has a place to run in: on a slow machine its time might be up otherwise.
      await page.evaluate(`(() => {
        const watch = new MutationObserver(() => {
          if (document.querySelector('iframe') === null) return;
          watch.disconnect();
          setTimeout(() => ${find('stop')}.click());
        });
        watch.observe(document.body, { childList: true });
        ${find('run')}.click();
      })()`);
      await ended();
      assert.equal(await page.evaluate(`document.querySelector('iframe')`), null);
      assert.equal(await page.evaluate(`${find('run')}.dataset.state`), 'stopped');
      assert.match(await text('status'), /^Stopped(\.|: the program was in the loop of line 3\.)$/);
      // And another one runs.
      await follow(linkTo(program('')));
      assert.equal(await run(), 'done');
    });

    test('what is wrong by types is said in place, and names are completed', async () => {
      await replaceText(
        page,
        "import type { Task } from 'cipherloom';\nexport default (task: Task) => task.enc",
        'play-code',
      );
      await page.until(`${find('code')}.dataset.errors === '1' && /enc/.test(${find('said')}.innerText)`, PATIENCE_MS);
      assert.match(await text('said'), /^1 error, the first in line 2: Property 'enc' does not exist on type 'Task'/);
      await page.evaluate(`${find('code')}.shadowRoot.querySelector('.cm-content').focus()`);
      await page.chord('End');
      await page.type('r');
      const options = `[...${find('code')}.shadowRoot.querySelectorAll('.cm-tooltip-autocomplete li')].map((one) => one.textContent)`;
      await page.until(`${options}.includes('encrypted')`, PATIENCE_MS);
      await page.press('Escape');
    });

    test('results that are off say by how much, and what noise alone would decide has no value', async () => {
      await follow(linkTo(REALS));
      assert.equal(await run(), 'done', await text('error'));
      assert.match(await text('verdict'), /^Every result agrees with that in the clear, within its error/);
      const rows = await page.evaluate(
        `[...document.querySelectorAll('[data-testid="play-result"]')].map((row) => [row.dataset.name, ...[...row.cells].slice(-2).map((cell) => cell.innerText)])`,
      );
      assert.deepEqual(
        rows.map(([output]) => output),
        ['mean', 'quotient', 'count'],
      );
      const [mean, quotient, count] = rows;
      for (const [, compared, noise] of [mean, quotient])
        assert.match(`${compared}; ${noise}`, /^(= equal|off by [\d.e-]+|unknown: .*); (off by at most [\d.e-]+|–)$/);
      assert.match(quotient[1], /^unknown/);
      assert.deepEqual(count, ['count', '= equal', '–']);
    });

    test('a link holds program and settings, and nothing else', async () => {
      const own = program("task.output('mean', x.mean());");
      await follow(linkTo(own, { ...EMPTY_CHOICE, n: 8192, quantum: true }));
      await page.click('[data-testid="play-copy-link"]');
      const hash = () => page.evaluate('location.hash');
      const said = JSON.parse(inflateRawSync(Buffer.from((await hash()).split('p=')[1], 'base64url')));
      assert.deepEqual(said, { text: own, choice: { n: 8192, ...EMPTY_CHOICE, quantum: true } });
      assert.equal(await run(), 'done');
      await page.until(`/As you set it/.test(${find('price')}.textContent)`, PATIENCE_MS);
      assert.equal(await text('price-n'), '8,192');
      assert.match(await text('price-security'), /against quantum computers/);
      await page.evaluate(
        `history.replaceState(null, '', '#playground?p=AAAA'); dispatchEvent(new Event('hashchange'))`,
      );
      await page.until(`/link/i.test(${find('error')}.innerText)`, PATIENCE_MS);
    });

    test('cost over rows is planned for each size', async () => {
      await set('program', 'matrix');
      await page.until(`/^staff/.test(${find('data')}.textContent)`, PATIENCE_MS);
      assert.equal(await planned(), 'planned');
      await page.click('[data-testid="play-measure"]');
      await page.until(`['done', 'failed'].includes(${find('measure')}.dataset.state)`, PATIENCE_MS);
      const rows = await page.evaluate(
        `[...document.querySelectorAll('[data-testid="play-curve-row"]')].map(({ dataset }) => [Number(dataset.rows), dataset.refused])`,
      );
      assert.deepEqual(
        rows,
        [4, 16, 48, 64, 256, 1024, 4096, 16384].map((size) => [size, 'false']),
      );
      assert.equal(await page.evaluate(`document.querySelectorAll('.play-plot').length`), 2);
    });

    test(`the code of ${RUNS} random runs of seed ${SEED} gives the same results in Node`, async (context) => {
      const random = mulberry32(SEED);
      const draw = (list) => list[Math.floor(random() * list.length)];
      const folder = nodeFolder();
      const table = join(folder, 'own.csv');
      const running = [];
      let drawn = 0;
      await page.evaluate(`${find('quantum')}.checked = false`);
      while (running.length < RUNS) {
        assert.ok(drawn++ < 4 * RUNS, 'too few choices can be planned');
        const name = draw(['statistics', 'statistics', 'matrix', 'matrix', 'groups', 'score']);
        const source = draw(['own', 'own', name === 'statistics' ? 'masses' : 'staff']);
        const choice = {
          scheme: draw(name === 'score' ? ['', 'CKKS'] : ['', 'BGV', 'BFV', 'CKKS']),
          table: draw(['guidelines-2024', 'standard-2018']),
          bits: draw(['128', '128', '192']),
          n: draw(['', '', '', '8192']),
        };
        // A program takes its own sample, unless a table of one's own is there: that has to be over before another is taken.
        await page.evaluate(`${find('data')}.textContent = ''`);
        const brings = await page.evaluate(`${find('sample')}.value !== ''`);
        await set('program', name);
        if (brings) await tableIsThere();
        await page.evaluate(`${find('data')}.textContent = ''`);
        if (source === 'own') {
          const rows = 2 + Math.floor(random() * 30);
          const line = () => [Math.floor(random() * 5), (random() * 9).toFixed(1), Math.floor(random() * 40)].join(';');
          writeFileSync(table, ['kind;value;count', ...Array.from({ length: rows }, line)].join('\n'));
          await page.upload('[data-testid="play-file"]', table);
        } else await set('sample', source);
        await tableIsThere();
        for (const [id, value] of Object.entries(choice)) await set(id, value);
        const what = `seed ${SEED}: ${name} of ${source} ${JSON.stringify(choice)}`;
        if ((await planned()) !== 'planned') {
          context.diagnostic(`refused: ${what} ${await text('error')}`);
          continue;
        }
        assert.equal(await run(), 'done', `${what} ${await text('error')}`);
        const file = join(folder, `run-${running.length}.mjs`);
        const code = await saved('save-code');
        writeFileSync(file, code);
        assert.deepEqual(JSON.parse(/\.compile\(([^]*?)\);/.exec(code)[1] || '{}'), optionsOf(choice));
        const inPage = JSON.parse(await saved('save-json'));
        const bits = /2\^(-?[\d.]+)/.exec(await text('price-room'))?.[1];
        // One at a time, while the page goes on.
        await running.at(-1)?.inNode.catch(() => undefined);
        const inNode = promisify(execFile)(process.execPath, [file], { timeout: 5 * PATIENCE_MS });
        inNode.catch(() => undefined); // it is looked at below
        running.push({ what, inPage, inNode, within: bits === undefined ? 0 : 2 * 2 ** Number(bits) });
      }
      for (const { what, inPage, inNode, within } of running) {
        const { stdout, stderr } = await inNode;
        assert.equal(stderr, '', what);
        near(JSON.parse(stdout), inPage, within, what);
      }
    });

    test('the code of a run of the tab Statistics does, too', async () => {
      await page.click('[data-testid="tab-statistics"]');
      await page.click('[data-testid="dataset"]');
      await choose(page, ['mean radius', 'mean area']);
      const rows = await runStatistics(page);
      const file = join(nodeFolder(), 'statistics.mjs');
      writeFileSync(file, await saved('save-code', ''));
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { timeout: 5 * PATIENCE_MS });
      assert.equal(stderr, '');
      const inNode = Object.entries(JSON.parse(stdout)).map(([output, value]) => [output, value]);
      assert.deepEqual(
        inNode,
        rows.map(([statistic, columns, value]) => [`${statistic}(${columns.split(' × ').join(', ')})`, Number(value)]),
      );
    });

    test('nothing of all this was a problem of the page', () => assert.deepEqual(page.problems, []));
  });
}

/** What a compilation is told by these settings. */
function optionsOf({ scheme, n, table, bits }) {
  const usual = table === 'guidelines-2024' && bits === '128';
  return {
    ...(scheme && { scheme }),
    ...(n && { n: Number(n) }),
    ...(!usual && { security: { table, bits: Number(bits), quantum: false } }),
  };
}

/** A folder where the package is installed, linked. */
function nodeFolder() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'bindings'), join(folder, 'node_modules', 'cipherloom'));
  return folder;
}

/** The same, but for what real numbers may be off by. */
function near(found, expected, within, what) {
  if (typeof expected === 'number') {
    assert.ok(Math.abs(found - expected) <= within, `${what}: ${found} is not ${expected}, within ${within}`);
    return;
  }
  if (typeof expected !== 'object' || expected === null) return assert.equal(found, expected, what);
  assert.deepEqual(Object.keys(found), Object.keys(expected), what);
  for (const [key, value] of Object.entries(expected)) near(found[key], value, within, `${what}, ${key}`);
}
