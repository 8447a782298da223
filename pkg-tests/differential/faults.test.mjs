// That the random programs would see what could go wrong, and say it in few words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { check } from './check.mjs';
import { FAULTS } from './faults.mjs';
import { randomProgram } from './generator.mjs';
import { predict } from './model.mjs';
import { shrink } from './shrink.mjs';
import { sourceOf } from './source.mjs';
import { runPlain } from './subject.mjs';

/** As many as are run encrypted by `npm test`. */
const PROGRAMS = 200;

function wrong(fault, program) {
  const { differences } = check(cipherloom, program, predict(program), runPlain(cipherloom, fault(program)));
  // A fault that makes the package refuse a program is too easily seen.
  return differences.filter(({ found }) => !found.startsWith('refused'));
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`would be seen: ${name}`, (t) => {
    const programs = Array.from({ length: PROGRAMS }, (_, index) => randomProgram(3, index));
    const seen = programs.filter((program) => wrong(fault, program).length > 0).length;
    t.diagnostic(`${seen} of ${PROGRAMS} programs see it`);
    assert.ok(seen > 0);
  });
}

test('a failing program becomes a short one', async () => {
  const fault = FAULTS['rotations turn the other way'];
  let index = 0;
  while (randomProgram(3, index).nodes.length < 5 || wrong(fault, randomProgram(3, index)).length === 0) index++;
  const start = { programs: [randomProgram(3, index)], journey: {} };
  const { programs, journey } = await shrink(start, ({ programs: [one] }) => wrong(fault, one).length > 0, 20_000);
  const [{ inputs, nodes, outputs }] = programs;
  assert.deepEqual(
    nodes.map(({ method }) => method),
    ['rotateRows'],
  );
  assert.equal(outputs.length, 1);
  assert.ok(inputs[0].options.rows <= 2 * 3, sourceOf({ programs, journey }));
  assert.match(sourceOf({ programs, journey }), /\.rotateRows\(/);
});
