/** Fits the trees of the trained strategy to simulated times: same cases, same tree, on every device. */
import { checkArgument, type Kind, oneOf, tag, WHOLE } from '../../arguments.js';
import { compile } from '../compile.js';
import { timeOf } from '../cost.js';
import { labelOperator } from '../label-operator.js';
import { type Machine, machine } from '../machine.js';
import type { StaticLabel } from '../static-label.js';
import { checkOneOf } from '../wrong.js';
import {
  type Choice,
  CHOICES,
  type Feature,
  FEATURES,
  featuresOf,
  rowsOfChoice,
  type Tree,
} from './choices.js';

/** An operator on a machine, with the simulated cycles of each choice that it allows. */
export interface TrainingCase {
  readonly features: Readonly<Record<Feature, number>>;
  readonly times: Readonly<Partial<Record<Choice, number>>>;
}

const isCase = (value: unknown): boolean => {
  const { features, times } = (value ?? {}) as Partial<TrainingCase>;
  return tag(features) === 'Object' && tag(times) === 'Object';
};
const CASE: Kind = { expected: 'a case of trainingCases()', fits: isCase };
const CASES: Kind = {
  expected: 'an array of cases of trainingCases(), with a choice that all of them allow',
  fits: (value) =>
    Array.isArray(value) &&
    value.every(isCase) &&
    CHOICES.some((choice) => value.every(({ times }: TrainingCase) => times[choice] !== undefined)),
};
const CHOICE = /* @__PURE__ */ oneOf(...CHOICES);

/** Depth of a tree, and least cases of a leaf. */
const DEEPEST = 5;
const LEAST = 4;

/** A generator of whole numbers below a limit, from a seed: a linear congruence of 32 bits (Numerical Recipes), its upper bits. */
function dice(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Cases of an operator, drawn from a seed: machines of 1 to 16 cores, sizes that are powers of two. Errors: LayoutError `layout.operator` for another operator; InputError `input.type` for no numbers. */
export function trainingCases(operator: 'mlp' | 'conv2d', count: number, seed = 1): readonly TrainingCase[] {
  checkOneOf('layout.operator', 'trainingCases, operator', operator, ['mlp', 'conv2d']);
  checkArgument('trainingCases, count', count, WHOLE);
  checkArgument('trainingCases, seed', seed, WHOLE);
  const roll = dice(seed);
  const pick = <T>(values: readonly T[]): T => values[roll(values.length)] as T;
  return Array.from({ length: count }, (): TrainingCase => {
    const clusters = pick([1, 2, 4]);
    const cache = roll(2) === 1;
    const on = machine({
      clusters: Array.from({ length: clusters }, () => ({ cores: pick([1, 2, 4]), cache })),
      memories: pick([1, clusters]),
      architecture: pick(['smp', 'numa'] as const),
    });
    const label = (category: 'in' | 'iw', dims: string, sizes: number[]): StaticLabel => ({
      category,
      type: 'float32',
      dims,
      sizes,
    });
    const [items, channels, outputs] = [pick(SIZES), pick(SIZES), pick(SIZES)];
    const side = pick([8, 16, 32]);
    const operands =
      operator === 'mlp'
        ? { input: label('in', 'NC', [items, channels]), weight: label('iw', 'NC', [outputs, channels]) }
        : {
            input: label('in', 'NCHW', [Math.min(items, 32), Math.min(channels, 32), side, side]),
            weight: label('iw', 'NCHW', [Math.min(outputs, 64), Math.min(channels, 32), 3, 3]),
          };
    return caseOf(operator, operands, on);
  });
}

/** The simulated times of all choices for an operator. */
function caseOf(
  operator: string,
  operands: { readonly input: StaticLabel; readonly weight: StaticLabel },
  on: Machine,
): TrainingCase {
  const sizes = ({ dims, sizes: all }: StaticLabel): Record<string, number> =>
    Object.fromEntries([...dims].map((letter, index) => [letter, all[index] ?? 1] as const));
  const times = CHOICES.filter((choice) => choice !== 'rows' || operands.input.dims.includes('H')).map(
    (choice) => {
      const strategy = {
        name: choice,
        rows: ({ port }: { port: Parameters<typeof rowsOfChoice>[1] }) => rowsOfChoice(choice, port, on),
      };
      return [choice, timeOf(compile(labelOperator(operator, operands, on, { strategy })))] as const;
    },
  );
  return {
    features: featuresOf(sizes(operands.input), sizes(operands.weight), on),
    times: Object.fromEntries(times),
  };
}

/**
 * A decision tree that keeps the sum, over cases, of log(time of its choice / time of the best one) small: at each node the feature and number that lower it most, the first of equal ones; a leaf where nothing does, at
 * depth 5, or below 8 cases. Errors: InputError `input.type` for no cases, or no depth.
 */
export function fitTree(cases: readonly TrainingCase[], depth = 0): Tree {
  checkArgument('fitTree, cases', cases, CASES);
  checkArgument('fitTree, depth', depth, WHOLE);
  return grow(cases, depth);
}

function grow(cases: readonly TrainingCase[], depth: number): Tree {
  const leaf = bestChoice(cases);
  if (depth >= DEEPEST || cases.length < 2 * LEAST) return { choice: leaf.choice };
  let best: { readonly loss: number; readonly feature: Feature; readonly at: number } | undefined;
  for (const feature of FEATURES) {
    const numbers = [...new Set(cases.map(({ features }) => features[feature]))].sort((a, b) => a - b);
    for (const at of numbers.slice(1)) {
      const [below, from] = divide(cases, feature, at);
      if (below.length < LEAST || from.length < LEAST) continue;
      const loss = bestChoice(below).loss + bestChoice(from).loss;
      // A gain that rounding could make is none.
      if (loss < (best?.loss ?? leaf.loss) - 1e-9) best = { loss, feature, at };
    }
  }
  if (best === undefined) return { choice: leaf.choice };
  const { feature, at } = best;
  const [below, from] = divide(cases, feature, at);
  const [left, right] = [grow(below, depth + 1), grow(from, depth + 1)];
  // Two leaves of one choice are one.
  if ('choice' in left && 'choice' in right && left.choice === right.choice) return left;
  return { feature, at, below: left, from: right };
}

function divide(
  cases: readonly TrainingCase[],
  feature: Feature,
  at: number,
): readonly [TrainingCase[], TrainingCase[]] {
  return [
    cases.filter(({ features }) => features[feature] < at),
    cases.filter(({ features }) => features[feature] >= at),
  ];
}

function bestChoice(cases: readonly TrainingCase[]): { readonly choice: Choice; readonly loss: number } {
  const losses = CHOICES.filter((choice) => cases.every(({ times }) => times[choice] !== undefined)).map(
    (choice) => ({
      choice,
      loss: cases.reduce((sum, one) => sum + slower(one, choice), 0),
    }),
  );
  return losses.reduce((best, other) => (other.loss < best.loss - 1e-9 ? other : best));
}

/** By how much a choice is slower than the best one, as a logarithm to base 2: 0 is the best, 1 twice as slow. Errors: InputError `input.type` for no case, or no choice. */
export function regret(of: TrainingCase, choice: Choice): number {
  checkArgument('regret, case', of, CASE);
  checkArgument('regret, choice', choice, CHOICE);
  return slower(of, choice);
}

function slower({ times }: TrainingCase, choice: Choice): number {
  const all = Object.values(times);
  return Math.log2((times[choice] ?? Infinity) / Math.min(...all));
}

/** The trees of the stored strategy: 600 cases for each operator, seed 1. */
export function trainStrategy(): Readonly<Record<'mlp' | 'conv2d', Tree>> {
  return { mlp: fitTree(trainingCases('mlp', 600)), conv2d: fitTree(trainingCases('conv2d', 600)) };
}
