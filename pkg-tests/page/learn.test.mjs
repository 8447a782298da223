// The tab “Learn”, as a visitor walks through it: five lessons, by buttons and keys, with numbers of one's own, and the questions at their ends.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPage, PATIENCE_MS } from './demo.mjs';

const find = (id) => `document.querySelector('[data-testid="learn-${id}"]')`;
const mod = (value, q) => ((value % q) + q) % q;

describe('Chromium', { timeout: 1_500_000 }, () => {
  let page;
  openPage('Chromium', (first) => {
    page = first;
  });

  const text = (id) => page.evaluate(`${find(id)}.textContent`);
  /** What is shown is of the numbers that are in the fields. */
  const settled = (lesson) =>
    page.until(
      `${find(`lesson-${lesson}`)}?.hasAttribute('aria-current') && ${find('walk')}.dataset.stale === 'false'`,
      PATIENCE_MS,
    );
  async function open(lesson) {
    await page.click(`[data-testid="learn-lesson-${lesson}"]`);
    await settled(lesson);
  }
  /** Writes a field as a person does: its text marks what is below as stale with the first key. */
  async function write(lesson, field, content) {
    await page.evaluate(`${find(`field-${field}`)}.focus()`);
    await page.chord('a');
    await page.type(content);
    await settled(lesson);
  }
  async function choose(lesson, field, value) {
    await page.evaluate(`(() => {
      const select = ${find(`field-${field}`)};
      select.value = ${JSON.stringify(value)};
      select.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await settled(lesson);
  }
  /** Walks on to the last stop, and gives the titles of all. */
  async function walk() {
    const titles = [await text('stop')];
    while (!(await page.evaluate(`${find('next')}.disabled`))) {
      await page.click('[data-testid="learn-next"]');
      titles.push(await text('stop'));
    }
    return titles;
  }
  /** The cells of a table, row by row. */
  const table = (id) =>
    page.evaluate(`[...${find(id)}.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))`);
  async function answer(value) {
    await page.evaluate(`${find('answer')}.focus()`);
    await page.chord('a');
    await page.type(String(value));
    await page.press('Enter');
    return page.evaluate(`${find('verdict')}.dataset.right`);
  }

  test('nothing of it is loaded before it is opened', async () => {
    await page.until(`document.querySelector('[data-testid="mode"]').dataset.state === 'ready'`, PATIENCE_MS);
    const own = (address) => /\/learn-[^/]*$/.test(address);
    assert.deepEqual(page.requests.filter(own), []);
    await page.click('[data-testid="tab-learn"]');
    await settled('ntt');
    assert.notDeepEqual(page.requests.filter(own), []);
  });

  test('a transform: a product of one’s own numbers, forth and back by keys', async () => {
    const [f, g] = [
      [3, 0, -1, 4, 1, 5, 9, 96],
      [2, 7, 1, 8, -28, 1, 8, 0],
    ];
    await choose('ntt', 'q', '97');
    await write('ntt', 'f', f.join(' '));
    await write('ntt', 'g', g.join(', '));
    const product = Array(8).fill(0);
    for (const [i, a] of f.entries())
      for (const [j, b] of g.entries()) product[(i + j) % 8] += i + j < 8 ? a * b : -a * b;
    assert.equal((await walk()).length, 7);
    assert.deepEqual(
      (await table('coefficients')).map(([, value]) => Number(value)),
      product.map((value) => mod(value, 97)),
    );
    await page.press('ArrowLeft');
    await page.press('ArrowLeft');
    assert.equal(await text('at'), 'Step 5 of 7');
    for (const [, root, byLayers, byOperator] of (await table('values')).map((row) => row.map(Number))) {
      const value = f.reduceRight((sum, coefficient) => mod(sum * root + coefficient, 97), 0);
      assert.deepEqual([byLayers, byOperator], [value, value]);
    }
    await page.press('ArrowRight');
    assert.equal(await text('at'), 'Step 6 of 7');
    assert.equal(await answer(1), 'wrong');
    assert.equal(await answer(96), 'right');
  });

  test('numbers that are none are said to be, and what was there stays', async () => {
    await page.evaluate(`${find('field-f')}.focus()`);
    await page.chord('a');
    await page.type('1 2 three');
    // On a slow machine what is wrong with half of the text is said before.
    await page.until(
      `!${find('wrong-f')}.hidden && /found 3, expected 8 whole numbers from -1000000 to 1000000/.test(${find('wrong-f')}.textContent)`,
      PATIENCE_MS,
    );
    assert.equal(await page.evaluate(`${find('walk')}.dataset.stale`), 'true');
    await write('ntt', 'f', '1 2 3 4 5 6 7 8');
    assert.equal(await page.evaluate(`${find('wrong-f')}.hidden`), true);
  });

  test('noise: multiplied until it breaks', async () => {
    await open('noise');
    await write('noise', 'first', '100');
    const titles = await walk();
    assert.equal(titles.length, 7);
    const bounds = await table('promised');
    assert.match(bounds.at(-1).at(-1), /^refused: parameters\./);
    for (const [, bound, measured, said] of bounds)
      if (said === 'compiled') assert.ok(Number(measured) >= Number(bound), `${measured}, ${bound}`);
    await page.click('[data-testid="learn-back"]');
    const rows = await table('noise');
    const exponents = [1, undefined, 2, 4, 8, 16];
    for (const [at, [, right, found, , said]] of rows.entries()) {
      const slots = [100n, 101n, 102n, 103n].map((slot) =>
        exponents[at] === undefined ? (2n * slot) % 257n : slot ** BigInt(exponents[at]) % 257n,
      );
      assert.equal(right, `${slots.join(', ')}, …`);
      if (said === 'yes') assert.equal(found, right);
    }
    const broken = rows.findIndex((row) => row.at(-1) === 'no');
    assert.ok(broken > 0);
    assert.match(titles[broken], /it breaks$/);
    assert.equal(await answer(exponents[broken]), 'right');
  });

  test('the graph: what is absorbed, and who waits for whom', async () => {
    await open('graph');
    await choose('graph', 'primes', '3');
    await page.click('[data-testid="learn-next"]');
    // Ciphertexts of 2 x 3 x 8 words: two inputs, then what operators write.
    assert.deepEqual(await table('sets'), [
      ['rlwe.add #0', '[96, 144)', 'c0 [0, 48), c1 [48, 96)', '#1 [96, 144)'],
      ['rlwe.negate #1', '[144, 192)', '#0 [96, 144)', '#2 [144, 192)'],
      ['rlwe.add #2', '[192, 240)', '#1 [144, 192), c0 [0, 48)', '–'],
    ]);
    await page.click('[data-testid="learn-next"]');
    assert.match(
      await page.evaluate(`${find('body')}.querySelector('[data-testid="absorb-said"]').textContent`),
      /^rlwe\.add #0 wrote \[96, 144\)\. It is gone: poly\.add #0, poly\.add #1 write \[96, 144\) now/,
    );
    await walk();
    assert.deepEqual(
      (await table('waves')).map(([, count]) => Number(count)),
      [6, 6, 6],
    );
    assert.equal(await answer(6), 'right');
  });

  test('key switching: slots move, and are back under the key', async () => {
    await open('keys');
    await choose('keys', 'g', '9');
    await walk();
    const slots = async () => (await table('seen'))[1].slice(1).map(Number);
    assert.deepEqual(await slots(), [3, 4, 1, 2, 7, 8, 5, 6]);
    assert.equal(await answer(3 * 2 * 4 * 8), 'right');
    for (let back = 0; back < 4; back++) await page.click('[data-testid="learn-back"]');
    assert.notDeepEqual(await slots(), [3, 4, 1, 2, 7, 8, 5, 6]);
  });

  test('packing: a sum over slots; the answer on request', async () => {
    await open('packing');
    await write('packing', 'x', '100 -1 20 30 40 50 60 70');
    assert.equal((await walk()).length, 7);
    const total = 100 - 1 + 20 + 30 + 40 + 50 + 60 + 70 - 257;
    assert.deepEqual(
      (await table('eights')).flatMap((row) => row.slice(1).map(Number)),
      Array(8).fill(total),
    );
    await page.click('[data-testid="learn-reveal"]');
    assert.match(await text('verdict'), /256 · 10 is 247 modulo 257/);
    assert.equal(await answer(247), 'right');
  });

  test('the guide is served beside the page', async () => {
    const address = await page.evaluate(`document.querySelector('footer a').href`);
    const [status, html] = await page.evaluate(
      `fetch(${JSON.stringify(address)}).then(async (reply) => [reply.status, await reply.text()])`,
    );
    assert.equal(status, 200);
    assert.match(html, /<h1 id="the-guide">The guide<\/h1>/);
  });

  test('an address leads to a lesson, and the page complained of nothing', async () => {
    await page.evaluate(`location.hash = '#learn?keys'`);
    await settled('keys');
    assert.equal(await text('title'), 'Key switching');
    // Back comes to the lesson before, and stays here.
    await open('noise');
    await page.evaluate('history.back()');
    await settled('keys');
    assert.equal(await text('title'), 'Key switching');
    assert.deepEqual(page.problems, []);
  });
});
