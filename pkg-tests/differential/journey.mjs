/** How a program is run: mostly the straight way. */
import { Dice } from './dice.mjs';
import { pairOf } from './recipe.mjs';

/** A ring that has room for all cells, and all their digits. */
const SMALL = 1024;

/** Passes of the compiler, which change no result. */
const PASSES = [
  'square',
  'balance',
  'turns',
  'dedup',
  'factors',
  'flatten',
  'giantSteps',
  'lateSums',
  'extract',
  'lazyRelinearization',
  'openResults',
  'earlySwitching',
  'hoist',
  'fuse',
];

/**
 * `compile`: options; `reopened`: from bytes; `restored`: with which keys a client from bytes goes on; `apart`: inputs are encrypted one after the other, the last
 * one first; `bound`: results are decrypted with their inputs; `held`: numbers of inputs that stay with the evaluator; `again`: once more with cells in reverse order;
 * `threads`: on two, too; `shared`: another program under the same parameters, which takes the same ciphertexts; `plain`: unencrypted, too; `owned`: every other input
 * is encrypted by one of two data owners who have the public key; `exchanged`: two inputs are given for each other, too; `passed`: results are taken by the program that is `next`. Rings of `compile` may be too small to protect anything: what is computed is the same, sooner.
 */
export function randomJourney(seed, index, program) {
  const dice = new Dice(seed ^ 0x5eed, index);
  const off = dice.chance(0.35) ? PASSES.filter(() => dice.chance(0.4)) : [];
  const isTold = program.steps.some(
    ({ method, steps }) => method === 'within' || steps?.some((inner) => inner.method === 'within'),
  );
  const isSmall = dice.chance(mayBeWide(program) ? 0.95 : 0.6);
  return {
    compile: {
      ...(isSmall && { allowInsecure: true, n: SMALL }),
      ...(off.length > 0 && { passes: Object.fromEntries(off.map((name) => [name, false])) }),
      ...(!isSmall && dice.chance(0.1) && { security: dice.pick(['guidelines-2024', 'standard-2018']) }),
      ...(program.scheme === 'CKKS' && dice.chance(0.5) && { precision: dice.between(8, 24) }),
    },
    reopened: dice.chance(0.2),
    restored: dice.weighted({ no: 8, 'same keys': 1, 'new keys': 1 }),
    apart: dice.chance(0.2),
    bound: dice.chance(0.3),
    held: dice.chance(0.25) ? [...program.inputs.keys()].filter(() => dice.chance(0.5)) : [],
    // What is told of the data need not hold of others.
    again: dice.chance(0.15) && !isTold,
    threads: dice.chance(0.3),
    shared: dice.chance(0.15),
    plain: dice.chance(0.3),
    owned: dice.chance(0.2),
    exchanged: dice.chance(0.6) && pairOf(program) !== undefined,
    passed: program.next !== undefined,
  };
}

/** Whether it may have comparisons by digits, which take long in rings that are secure. */
function mayBeWide({ scheme, inputs }) {
  return (
    scheme === 'BGV' &&
    inputs.some(({ options: { min, max, categories } }) => Number(max) - Number(min) > 40 || categories > 40)
  );
}

export const STRAIGHT = {
  compile: {},
  reopened: false,
  restored: 'no',
  apart: false,
  bound: false,
  held: [],
  again: false,
  threads: false,
  shared: false,
  plain: false,
  owned: false,
  exchanged: false,
  passed: false,
};

/** The straight way, in a small ring. */
export const SOON = { ...STRAIGHT, compile: { allowInsecure: true, n: SMALL } };
