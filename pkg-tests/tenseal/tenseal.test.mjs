// Questions on encrypted reals, to cipherloom's tasks over values and to TenSEAL (native Microsoft SEAL, of PyPI): each is right within its own bound, and so
// they agree within the sum of both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { tenseal } from '../../scripts/lib/python.mjs';
import { ANSWERS, questions } from './questions.mjs';
import { askCipherloom } from './with-cipherloom.mjs';
import { askTenseal, tensealBound } from './with-tenseal.mjs';

const { python, reason } = tenseal();
const GROUPS = questions(5);
/** What doubles round, of the largest number that occurs on the way. */
const DOUBLES = 2 ** -40;
let loom;
let theirs;

if (python === null) {
  test('the same answers as TenSEAL', { skip: reason }, () => {});
} else {
  before(async () => {
    loom = await load({ threads: 2 });
    const { answers } = await askTenseal(python, Object.values(GROUPS).flatMap(Object.values));
    theirs = answers.values();
  });
  after(() => loom?.dispose());

  // In order: TenSEAL's answers are taken one by one.
  for (const [title, group] of Object.entries(GROUPS)) {
    test(title, { timeout: 600_000 }, async (t) => {
      const peer = Object.keys(group).map((name) => [name, theirs.next().value]);
      const { scheme, n, found } = await askCipherloom(loom, group);
      assert.equal(scheme, 'CKKS');
      for (const [name, answer] of peer) {
        const question = group[name];
        const { op, inputs, coefficients } = question;
        const right = ANSWERS[op](
          inputs.map(({ cells }) => cells),
          coefficients,
        );
        const rounding = DOUBLES * Math.max(1, largest(right));
        const [ours, bound] = [found[name], tensealBound(question)];
        const off = {
          cipherloom: [apart(ours.answer, right), ours.bound],
          TenSEAL: [apart(answer, right), bound],
          'cipherloom from TenSEAL': [apart(ours.answer, answer), ours.bound + bound],
        };
        const said = Object.entries(off).map(([who, [by, most]]) => `${who} ${shown(by)} of ${shown(most)}`);
        t.diagnostic(`${name} (n = ${n}), off by: ${said.join(', ')}`);
        for (const [who, [by, most]] of Object.entries(off))
          assert.ok(by <= most + rounding, `${name}, ${who}: off by ${by}, at most ${most} expected`);
        // Bounds that would let anything pass prove nothing.
        assert.ok(ours.bound + bound < 2 ** -6 * Math.max(1, largest(right)), `${name}: bounds are too wide`);
      }
    });
  }

  test('an answer that is wrong is seen', () => {
    assert.equal(apart([1, [2, 3]], [1, [2, 3.5]]), 0.5);
    assert.throws(() => apart([1, 2], [1]));
    assert.ok(!(apart([NaN], [1]) <= 1));
  });
}

/** The largest difference of two answers of one shape. */
function apart(a, b) {
  if (typeof b === 'number') return Math.abs(a - b);
  assert.equal(a.length, b.length);
  return b.map((x, i) => apart(a[i], x)).reduce((most, by) => (by <= most ? most : by), 0);
}

function largest(answer) {
  return apart(
    answer,
    answer.map((x) => (typeof x === 'number' ? 0 : x.map(() => 0))),
  );
}

function shown(x) {
  return x === 0 ? '0' : `2^${Math.log2(x).toFixed(1)}`;
}
