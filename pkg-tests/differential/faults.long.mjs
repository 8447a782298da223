// That the random programs would see what could go wrong, and say it in few words.
// Not part of `npm test`: since the model carries missing cells it takes minutes. Run it by hand: node --test differential/faults.long.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { check } from './check.mjs';
import { FAULTS, WRONG_RESULTS } from './faults.mjs';
import { WRONG_METHODS } from './gaps-faults.mjs';
import { randomProgram } from './generator.mjs';
import { imitated } from './imitation.mjs';
import { STRAIGHT } from './journey.mjs';
import { withMethods } from './model/task.mjs';
import { shrink } from './shrink.mjs';
import { sourceOf } from './source.mjs';

const PROGRAMS = 600;
const programs = Array.from({ length: PROGRAMS }, (_, index) => randomProgram(3, index, 0));

const found = (program) => imitated(cipherloom, program);
const differences = (program, found) => check(cipherloom, program, found).differences;

/** Of the results of a program with a fault; one that makes the package refuse it, or changes types, is too easily seen. */
function wrong(fault, program) {
  const faulty = found(fault(program));
  if (faulty.refusal) return false;
  return differences(program, faulty).some(({ where }) => !/type$|^info/.test(where));
}

/** The same of the results of a program that methods of the model are wrong for. */
function wrongBy(methods, program) {
  const faulty = withMethods(methods, () => found(program));
  if (faulty.refusal) return false;
  return differences(program, faulty).some(({ where }) => !/type$|^info/.test(where));
}

/** That there is a program that sees it. */
function seenBy(t, sees) {
  const first = programs.findIndex(sees);
  t.diagnostic(`program ${first} of ${PROGRAMS} sees it first`);
  assert.ok(first >= 0);
}

test('a package without faults agrees with the model', () => {
  for (const program of programs) assert.deepEqual(differences(program, found(program)), [], sourceOf(program));
});

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`would be seen: ${name}`, (t) => {
    seenBy(t, (program) => wrong(fault, program));
  });
}

for (const [name, methods] of Object.entries(WRONG_METHODS)) {
  test(`would be seen: ${name}`, (t) => {
    seenBy(t, (program) => wrongBy(methods, program));
  });
}

for (const [name, change] of Object.entries(WRONG_RESULTS)) {
  test(`would be seen: ${name}`, (t) => {
    seenBy(t, (program) => differences(program, change(found(program))).length > 0);
  });
}

test('a failing program becomes a short one', async () => {
  const fault = FAULTS['rotations turn the other way'];
  const start = programs.find((program) => program.steps.length >= 5 && wrong(fault, program));
  const fails = (program) => {
    try {
      return wrong(fault, program);
    } catch {
      // Some cuts leave no program.
      return false;
    }
  };
  const { program } = await shrink({ program: start, journey: STRAIGHT }, fails, 20_000);
  const source = sourceOf(program);
  assert.match(source, /\.rotate\(/);
  assert.ok(program.steps.length <= 2 && program.outputs.length === 1, source);
});
