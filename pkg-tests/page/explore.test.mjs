// The page beyond its results: cancelling, the graph by mouse and by keyboard, the timeline, and another number of threads.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BROWSERS, describeBeside } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { choose, openPage, PATIENCE_MS, run } from './demo.mjs';

const STATUS = `document.querySelector('[data-testid="status"]').textContent`;

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let page;
    openPage(name, async (opened) => {
      page = opened;
      await page.click('[data-testid="dataset"]');
      await choose(page, ['mean radius', 'mean texture']);
    });

    for (const phase of ['encrypt', 'evaluate']) {
      test(`a run is cancelled in the phase ${phase}, and the next one is not`, async () => {
        await page.until(`!document.querySelector('[data-testid="run"]').disabled`, PATIENCE_MS);
        await page.evaluate(`new Promise((resolve) => {
          const progress = document.querySelector('[data-testid="progress"]');
          new MutationObserver((_, observer) => {
            if (progress.dataset.phase !== '${phase}') return;
            observer.disconnect();
            document.querySelector('[data-testid="cancel"]').click();
            resolve();
          }).observe(progress, { attributes: true });
          document.querySelector('[data-testid="run"]').click();
        })`);
        await page.until(`${STATUS}.startsWith('Cancelled')`, PATIENCE_MS);
        assert.equal(await page.evaluate(STATUS), `Cancelled during ${phase}.`);
        assert.equal(
          await page.evaluate(`document.querySelector('[data-testid="phase-${phase}"]').dataset.state`),
          'stopped',
        );
        assert.equal(await page.evaluate(`document.querySelector('[data-testid="cancel"]').disabled`), true);
        assert.equal(await page.evaluate(`document.querySelector('[data-testid="error"]').hidden`), true);
      });
    }

    test('a run after that gives results, equal to the last bit', async () => {
      const rows = await run(page);
      assert.equal(rows.length, 10);
      for (const row of rows) assert.equal(row[4], '= equal');
    });

    test('every stage opens with all of it in view, each operator of a kind', async () => {
      for (const stage of ['server', 'finish', 'packed', 'scheme', 'polynomial', 'base']) {
        await openStage(page, stage);
        const operators = await page.evaluate(
          `Number(document.querySelector('[data-testid="explorer"]').dataset.operators)`,
        );
        // Many are drawn on a canvas, few as elements.
        const [shown, isWhole] = await page.evaluate(`(() => {
          const pane = document.querySelector('[data-testid="diagram"]');
          const { width, height } = document.querySelector('.picture').getBoundingClientRect();
          return [Number(pane.dataset.boxes), width <= pane.clientWidth && height <= pane.clientHeight];
        })()`);
        assert.ok(shown >= Math.min(operators, 5), `${stage}: ${shown} of ${operators} in view`);
        assert.ok(isWhole, `${stage}: not all in view`);
        assert.equal(await page.evaluate(`document.querySelectorAll('.kind-other').length`), 0);
      }
      await find(page, 'limb.');
      await page.click('.inspector .entries .link');
      await page.until(`document.querySelector('.operator.selected')?.dataset.type.startsWith('limb.')`, PATIENCE_MS);
      assert.equal(await inView(page, '.operator.selected'), 1);
    });

    if (name === 'Chromium')
      test('stage beside stage, and the noise that is bounded before the run', async () => {
        const pick = async (testId, value) => {
          const list = `document.querySelector('[data-testid="${testId}"]')`;
          await page.until(`[...${list}.options].some((one) => one.value === '${value}')`, PATIENCE_MS);
          await page.evaluate(`${list}.value = '${value}', ${list}.dispatchEvent(new Event('change'))`);
        };
        await openStage(page, 'scheme');
        await pick('overlay', 'noise');
        const legend = `[...document.querySelectorAll('#legend li')].map((line) => line.textContent)`;
        await page.until(
          `${legend}.length === 2 && ${legend}.every((line) => /^at least [\\d.]+ bits left$/.test(line))`,
          PATIENCE_MS,
        );
        const [most, least] = (await page.evaluate(legend)).map((line) => parseFloat(line.slice('at least '.length)));
        assert.ok(most > least && least > 0, `${most} to ${least} bits`);

        await pick('beside', '3');
        await page.until(
          `document.querySelector('[data-testid="stage-beside"]').dataset.stage === 'polynomial'`,
          PATIENCE_MS,
        );
        await find(page, 'limb.dot');
        await page.click('.inspector .entries .link');
        const flat = `document.querySelector('[data-testid="flat-beside"]').dataset`;
        await page.until(`${flat}.selected?.length > 0`, PATIENCE_MS);
        const note = `document.querySelector('[data-testid="beside-note"]').textContent`;
        const path = `[...document.querySelectorAll('.inspector .path .link')].map((one) => one.textContent).filter((one) => one.includes(' #'))`;
        const [, , scheme] = await page.evaluate(path);
        const dot = await page.evaluate(`document.querySelector('.inspector h3').textContent`);
        await page.until(
          `${note} === ${JSON.stringify(`${dot} came from ${scheme} at the stage scheme.`)}`,
          PATIENCE_MS,
        );
        const bits = parseFloat(await page.evaluate(`document.querySelector('[data-testid="told"]').textContent`));
        assert.ok(bits >= least && bits <= most, `${bits} bits`);

        await page.evaluate(
          `[...document.querySelectorAll('.inspector .path .link')].find((one) => one.textContent === ${JSON.stringify(scheme)}).click()`,
        );
        await page.until(`${note}.startsWith(${JSON.stringify(`${scheme} became `)})`, PATIENCE_MS);
        assert.equal(await page.evaluate(`${flat}.selected`), '');
        assert.notEqual(await page.evaluate(`${flat}.kin`), '');
        await pick('beside', '');
        await pick('overlay', '');
        await page.until(`!document.querySelector('#legend').textContent.includes('bits left')`, PATIENCE_MS);
      });

    test('what is finished after decryption is a picture of its own', async () => {
      await openStage(page, 'finish');
      await find(page, 'value.divide');
      await page.click('.inspector .entries .link');
      await page.until(`document.querySelector('.operator.selected')?.dataset.type === 'value.divide'`, PATIENCE_MS);
      assert.ok((await inView(page, '.operator.selected')) === 1);
    });

    test('the wheel with Control zooms, and what is under the cursor stays there', async () => {
      for (const [stage, pixels] of [
        ['base', [-120, -120, 240]],
        ['server', [240, -240, 60]],
      ]) {
        await openStage(page, stage);
        const [left, top, width, height] = await paneOf(page);
        for (const [x, y] of [
          [0.2, 0.3],
          [0.9, 0.8],
        ].map(([a, b]) => [Math.round(left + a * width), Math.round(top + b * height)])) {
          await page.move(x, y);
          const before = await pictureAt(page, x, y);
          for (const delta of pixels) {
            const zoom = await zoomOf(page);
            await page.zoom(delta);
            await page.until(`(${ZOOM}) !== ${zoom}`, PATIENCE_MS);
            const now = await pictureAt(page, x, y);
            const drift = Math.hypot(now[0] - before[0], now[1] - before[1]) * (await zoomOf(page));
            assert.ok(drift < 4, `${stage}: ${drift} pixels off`);
          }
        }
      }
    });

    test('the picture moves wherever it is held, also in an open group, and a still mouse selects', async () => {
      await openStage(page, 'base');
      const group = await page.evaluate(`(() => {
        const pane = document.querySelector('[data-testid="diagram"]').getBoundingClientRect();
        for (let x = pane.left + 60; x < pane.right - 60; x += 15)
          for (let y = pane.top + 60; y < pane.bottom - 60; y += 15) {
            const under = document.elementFromPoint(x, y)?.closest('.operator');
            if (under?.classList.contains('open')) return [x, y, under.dataset.type + ' #' + under.dataset.op];
          }
      })()`);
      assert.ok(group, 'no open group in view');
      const [x, y, name] = group;
      const start = await pictureAt(page, x, y);
      await page.drag([x, y], [x - 20, y - 10], [x - 50, y - 40]);
      const moved = await pictureAt(page, x - 50, y - 40);
      assert.ok(Math.hypot(moved[0] - start[0], moved[1] - start[1]) * (await zoomOf(page)) < 2);
      const heading = `document.querySelector('.inspector h3').textContent`;
      assert.notEqual(await page.evaluate(heading), name);
      await page.drag([x - 50, y - 40]);
      await page.until(`${heading} === ${JSON.stringify(name)}`, PATIENCE_MS);
    });

    test('the keyboard walks stages, operators and waves', async () => {
      await openStage(page, 'server');
      await page.evaluate(`document.querySelector('[data-testid="stage-server"]').focus()`);
      await page.press('ArrowRight');
      await drawn(page, 'finish');
      assert.equal(await page.evaluate('document.activeElement.id'), 'stage-tab-finish');
      await page.press('Home');
      await drawn(page, 'server');

      await page.evaluate(`document.querySelector('.operator[tabindex="0"]').focus()`);
      const focused = `document.activeElement.dataset.node`;
      const first = await page.evaluate(focused);
      await page.press('ArrowRight');
      const second = await page.evaluate(focused);
      assert.ok(second !== undefined && second !== first);
      await page.press('Enter');
      await page.until(`document.activeElement.getAttribute('aria-pressed') === 'true'`, PATIENCE_MS);
      assert.equal(await page.evaluate(focused), second);
      await page.press(' ');
      await page.until(
        `document.querySelector('.operator[data-node="${second}"]').classList.contains('open')`,
        PATIENCE_MS,
      );
      assert.equal(await page.evaluate(focused), second, 'the focus stays where it was');
      await page.press('-');
      await page.until(
        `!document.querySelector('.operator[data-node="${second}"]').classList.contains('open')`,
        PATIENCE_MS,
      );

      await openStage(page, 'base');
      await page.evaluate(`document.querySelector('#waves canvas').focus()`);
      await page.press('End');
      const last = await page.evaluate(`document.activeElement.getAttribute('aria-valuenow')`);
      assert.equal(last, await page.evaluate(`document.activeElement.getAttribute('aria-valuemax')`));
      await page.press('Enter');
      assert.match(
        await page.evaluate(`document.querySelector('.inspector h3').textContent`),
        new RegExp(`^Wave ${last}: `),
      );
    });

    test('the timeline has all phases, both sides and every operator of the base stage, and leads to it', async () => {
      await openStage(page, 'base');
      const facts = await page.evaluate(`({
        spans: Number(document.querySelector('[data-testid="timeline"]').dataset.spans),
        evaluated: Number(document.querySelector('[data-testid="timeline"]').dataset.evaluated),
        phases: JSON.parse(document.querySelector('[data-testid="timeline"]').dataset.phases),
        rows: JSON.parse(document.querySelector('[data-testid="timeline"]').dataset.rows),
        operators: Number(document.querySelector('[data-testid="explorer"]').dataset.operators),
        types: [...document.querySelectorAll('#timeline-types tr[data-type]')].map((row) => row.cells[1].textContent.replace(/\\D/g, '')),
      })`);
      // What no input leads to was computed before; on the example nothing is.
      assert.equal(facts.evaluated, facts.operators);
      // Keys may have been made by a run before that was cancelled.
      assert.deepEqual(facts.phases.slice(-3), ['encrypt', 'evaluate', 'decrypt']);
      for (const row of ['phases', 'client 0', 'eval. 0'])
        assert.ok(facts.rows.includes(row), `${row} of ${facts.rows}`);
      assert.equal(
        facts.types.map(Number).reduce((a, b) => a + b),
        facts.spans - facts.phases.length,
      );

      await page.evaluate(
        `document.querySelector('[data-testid="timeline-canvas"]').scrollIntoView({ block: 'center' })`,
      );
      const [left, top, width] = await page.evaluate(`(() => {
        const { left, top, width } = document.querySelector('[data-testid="timeline-canvas"]').getBoundingClientRect();
        return [left, top, width];
      })()`);
      const detail = `document.querySelector('[data-testid="timeline-detail"]').textContent`;
      const isOperator = /^(\S+ #\d+), evaluator, thread \d+.*: from .*, took /;
      let pointed;
      for (const [row, name] of facts.rows.entries()) {
        if (pointed || !name.startsWith('eval.')) continue;
        // A lane has 34 pixels, and 6 under it. On a busy machine bars are narrow, and gaps wide.
        const y = top + row * 40 + 25;
        for (let at = 0.05; pointed === undefined && at < 0.98; at += 0.003) {
          await page.move(left + at * width, y);
          pointed = (await page.evaluate(detail)).match(isOperator)?.[1];
          if (pointed) await page.drag([left + at * width, y]);
        }
      }
      assert.ok(pointed, 'no bar to point at');
      await page.until(
        `document.querySelector('.operator.selected')?.getAttribute('aria-label').startsWith(${JSON.stringify(pointed)})`,
        PATIENCE_MS,
      );

      // From the graph back to the bar; the mouse points at nothing, wherever the page scrolls.
      await page.move(1, 1);
      const find = `document.querySelector('[data-testid="find-in-timeline"]')`;
      await page.until(`${find} !== null`, PATIENCE_MS);
      await page.evaluate(`${find}.click()`);
      const canvas = `document.querySelector('[data-testid="timeline-canvas"]')`;
      await page.until(
        `document.activeElement === ${canvas} && ${detail}.startsWith(${JSON.stringify(pointed)})`,
        PATIENCE_MS,
      );
      const picture = () =>
        page.evaluate(
          `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(${canvas}.toDataURL()))))`,
        );
      await page.press('Home');
      const whole = await picture();
      await page.press('+');
      const closer = await picture();
      assert.notEqual(closer, whole);
      await page.press('ArrowRight');
      assert.notEqual(await picture(), closer);

      await page.press('Home');
      const one = await page.evaluate(detail);
      // The last span of a thread leads back, its only one to another thread: who runs what is not known.
      let next = one;
      for (const key of ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp']) {
        if (next !== one && isOperator.test(next)) break;
        await page.press(key);
        next = await page.evaluate(detail);
      }
      assert.match(next, isOperator);
      assert.notEqual(next, one);
      await page.press('Enter');
      const operator = next.split(',')[0];
      await page.until(
        `document.querySelector('.inspector h3').textContent === ${JSON.stringify(operator)}`,
        PATIENCE_MS,
      );
    });

    test('a range, kinds and the critical path of the timeline have totals', async () => {
      const totals = `document.querySelector('[data-testid="timeline-totals"]').textContent`;
      const counted = async () =>
        Number((await page.evaluate(totals)).match(/: ([\d,]+) operators?/)[1].replaceAll(',', ''));
      const press = (selector) => page.evaluate(`document.querySelector('${selector}').click()`);
      const all = await counted();
      await press('.timeline-kinds [data-kind="transform"]');
      const transforms = await counted();
      assert.ok(transforms > 0 && transforms < all, `${transforms} of ${all}`);
      await press('[data-testid="timeline-path"]');
      const onPath = await counted();
      assert.ok(onPath <= transforms, `${onPath} of ${transforms}`);
      await press('[data-testid="timeline-path"]');
      await press('.timeline-kinds [data-kind="transform"]');
      assert.equal(await counted(), all);

      // From the start of the operator that is pointed at to its end: it is in it, and whoever ran at that time.
      await page.evaluate(`document.querySelector('[data-testid="timeline-canvas"]').focus()`);
      await page.press('s');
      await page.press('e');
      assert.match(await page.evaluate(totals), /that are selected: /);
      const some = await counted();
      assert.ok(some > 0 && some < all, `${some} of ${all}`);
      await page.press('Escape');
      assert.equal(await counted(), all);
    });

    test('the timeline is saved for Perfetto, and evaluates again for its times', async () => {
      const text = await page.evaluate(`new Promise((resolve) => {
        const { prototype } = HTMLAnchorElement;
        const [click, make] = [prototype.click, URL.createObjectURL];
        let last;
        URL.createObjectURL = (blob) => make.call(URL, (last = blob));
        prototype.click = function () {
          Object.assign(prototype, { click });
          URL.createObjectURL = make;
          resolve(last.text());
        };
        document.querySelector('[data-testid="timeline-save"]').click();
      })`);
      const { traceEvents } = JSON.parse(text);
      const spans = traceEvents.filter(({ ph }) => ph === 'X');
      assert.equal(
        spans.length,
        await page.evaluate(`Number(document.querySelector('[data-testid="timeline"]').dataset.spans)`),
      );
      const threads = traceEvents.filter(({ name }) => name === 'thread_name').map(({ pid, tid }) => `${pid} ${tid}`);
      assert.ok(spans.every(({ pid, tid, ts, dur }) => threads.includes(`${pid} ${tid}`) && ts >= 0 && dur >= 0));

      await page.evaluate(`document.querySelector('[data-testid="timeline-repeat"]').click()`);
      const runs = `[...document.querySelectorAll('[data-testid="timeline-runs"] tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))`;
      await page.until(`${runs}[2][2] === '5 later'`, PATIENCE_MS);
      await page.until(`!document.querySelector('[data-testid="run"]').disabled`, PATIENCE_MS);
      for (const [name, time] of await page.evaluate(runs)) assert.match(time, /^[\d.]+ (µs|ms|s)$/, name);
      const planned = `[...document.querySelectorAll('[data-testid="timeline-plan"] tbody tr')].map((row) => row.cells[0].textContent)`;
      assert.deepEqual(await page.evaluate(planned), [
        'Operators, by thread',
        'Threads that wait',
        'Around the operators',
        'Evaluation',
      ]);
      assert.notEqual(await page.evaluate(`document.querySelector('[data-testid="timeline-reason"]').textContent`), '');
    });

    test('bounds of a file of one row are no value of it, and what is public is named', async () => {
      const file = join(temporaryFolder(), 'one.csv');
      writeFileSync(file, 'age,score\n5,1.5\n');
      await page.upload('[data-testid="file"]', file);
      await choose(page, ['age', 'score']);
      const status = `document.querySelector('[data-testid="plan-status"]').textContent`;
      await page.until(`${status}.includes('Public')`, PATIENCE_MS);
      assert.match(
        await page.evaluate(status),
        /1 row, .*the name and bounds.*\(age, 0 to 10, whole; score, 1 to 2, 1 decimal\)/,
      );
      // There is no sample variance of one row: it is not offered.
      const offered = await page.evaluate(
        `[...document.querySelectorAll('#statistic-options input:not(:disabled)')].map(({ value }) => value)`,
      );
      assert.deepEqual(offered, ['count', 'sum', 'mean']);
    });

    test('another number of threads right after a run ends the workers quietly', async () => {
      await page.click('[data-testid="dataset"]');
      await choose(page, ['mean radius', 'mean texture', 'mean area', 'mean perimeter']);
      await page.until(`!document.querySelector('[data-testid="run"]').disabled`, PATIENCE_MS);
      // In the very moment in which the results appear.
      await page.evaluate(`new Promise((resolve) => {
        const threads = document.querySelector('[data-testid="threads"]');
        const status = document.querySelector('[data-testid="status"]');
        new MutationObserver((_, observer) => {
          if (!status.textContent.startsWith('Done')) return;
          observer.disconnect();
          threads.value = '1';
          threads.dispatchEvent(new Event('change'));
          threads.value = '2';
          threads.dispatchEvent(new Event('change'));
          resolve();
        }).observe(status, { childList: true });
        document.querySelector('[data-testid="run"]').click();
      })`);
      await page.until(`document.querySelector('[data-testid="mode"]').dataset.state === 'ready'`, PATIENCE_MS);
      const rows = await run(page);
      assert.ok(rows.every((row) => row[4] === '= equal'));
      assert.deepEqual(page.problems, []);
    });
  });
}

async function openStage(page, stage) {
  await page.evaluate(`document.querySelector('[data-testid="explorer"]').scrollIntoView()`);
  await page.click(`[data-testid="stage-${stage}"]`);
  await drawn(page, stage);
}

function drawn(page, stage) {
  return page.until(`document.querySelector('[data-testid="diagram"]').dataset.stage === '${stage}'`, PATIENCE_MS);
}

async function find(page, type) {
  await page.evaluate(`document.querySelector('[data-testid="graph-search"]').focus()`);
  await page.evaluate(`document.querySelector('[data-testid="graph-search"]').select()`);
  await page.type(type);
  await page.press('Enter');
  await page.until(`document.querySelector('.inspector h3').textContent.startsWith('${type}')`, PATIENCE_MS);
}

/** How many of these operators are at least partly in the pane. */
function inView(page, selector) {
  return page.evaluate(`(() => {
    const pane = document.querySelector('[data-testid="diagram"]').getBoundingClientRect();
    return [...document.querySelectorAll('${selector}')].filter((operator) => {
      const { left, right, top, bottom } = operator.querySelector('.type').getBoundingClientRect();
      return right > pane.left && left < pane.right && bottom > pane.top && top < pane.bottom;
    }).length;
  })()`);
}

function typesOf(page, selector) {
  return page.evaluate(`[...document.querySelectorAll('${selector}')].map((operator) => operator.dataset.type)`);
}

function paneOf(page) {
  return page.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector('[data-testid="diagram"]').getBoundingClientRect();
    return [left, top, width, height];
  })()`);
}

const ZOOM = `(() => {
  const picture = document.querySelector('.picture');
  return picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
})()`;

function zoomOf(page) {
  return page.evaluate(ZOOM);
}

/** The point of the picture that is at a point of the window. */
function pictureAt(page, x, y) {
  return page.evaluate(`(() => {
    const { left, top } = document.querySelector('.picture').getBoundingClientRect();
    return [(${x} - left) / (${ZOOM}), (${y} - top) / (${ZOOM})];
  })()`);
}
