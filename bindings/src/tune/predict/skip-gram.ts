/**
 * A small learned model: two vectors for each operator, trained on the sequences of tasks so that what comes together has a large product (skip-gram with negative
 * sampling: Mikolov, Sutskever, Chen, Corrado, Dean, "Distributed representations of words and phrases and their compositionality", 2013). So it also names
 * operators that have not been met together, but in like company. It learns as it is told, a step for each pair.
 */
import { checkOptions } from '../../arguments.js';
import type { OperatorKey } from '../key.js';
import { SKIP_GRAM } from '../options.js';
import { Numbered, Windows } from './window.js';
import type { Predictor } from './types.js';

/** Settings. */
export interface SkipGramOptions {
  /** Numbers in a vector. Default 16. */
  readonly dimensions?: number;
  /** Steps of a task that count as together. Default 8. */
  readonly window?: number;
  /** Pairs that are not together for each that is. Default 5. */
  readonly negatives?: number;
  /** Step of the gradient. Default 0.05. */
  readonly rate?: number;
  /** Most operators that it names. Default 16. */
  readonly most?: number;
  /** Least likelihood of those that it names, of 0 to 1. Default 0.5. */
  readonly least?: number;
  /** Most operators that it knows. Default 1024. */
  readonly known?: number;
  /** Beginning of its random numbers, which hide nothing. Default 1. */
  readonly seed?: number;
}

/** Learns vectors. The same observations in the same order give the same model. Errors: InputError `input.type`, `input.option`. */
export function skipGram(options: SkipGramOptions = {}): Predictor {
  checkOptions('skipGram', options, SKIP_GRAM);
  const { dimensions = 16, window = 8, negatives = 5, rate = 0.05 } = options;
  const { most = 16, least = 0.5, known = 1024, seed = 1 } = options;
  const numbered = new Numbered(known);
  const windows = new Windows(window, 256);
  const inner: Float64Array[] = [];
  const outer: Float64Array[] = [];
  const random = randomNumbers(seed);
  const fresh = (spread: number): Float64Array =>
    Float64Array.from({ length: dimensions }, () => (random() - 0.5) * spread);
  const likelihood = (one: Float64Array, other: Float64Array): number => {
    let product = 0;
    for (let at = 0; at < dimensions; at++) product += (one[at] as number) * (other[at] as number);
    return 1 / (1 + Math.exp(-product));
  };
  /** One step: the gradient of the log-likelihood that these come together (1), or do not (0). */
  const learn = (center: number, context: number, together: number): void => {
    const [one, other] = [inner[center] as Float64Array, outer[context] as Float64Array];
    const step = rate * (together - likelihood(one, other));
    for (let at = 0; at < dimensions; at++) {
      const before = one[at] as number;
      one[at] = before + step * (other[at] as number);
      other[at] = (other[at] as number) + step * before;
    }
  };
  const pair = (center: number, context: number, company: ReadonlySet<number>): void => {
    learn(center, context, 1);
    for (let go = 0; go < negatives; go++) {
      const other = Math.floor(random() * numbered.size);
      if (other !== center && !company.has(other)) learn(center, other, 0);
    }
  };
  return {
    observe(task, key) {
      const { number, replaced } = numbered.of(key);
      if (replaced) windows.forget(number);
      if (replaced || inner[number] === undefined) {
        inner[number] = fresh(1);
        outer[number] = fresh(1);
      }
      const company = new Set(windows.add(task, number));
      for (const before of company) {
        if (before === number) continue;
        pair(before, number, new Set([...company, number]));
        pair(number, before, company);
      }
    },
    related(key) {
      const number = numbered.find(key);
      if (number === undefined) return [];
      const all = outer.map((other, at) => [at, likelihood(inner[number] as Float64Array, other)] as const);
      return all
        .filter(([at, likely]) => at !== number && likely >= least)
        .sort(([a, one], [b, other]) => other - one || a - b)
        .slice(0, most)
        .map(([at]): OperatorKey => numbered.key(at));
    },
  };
}

/** Numbers of 0 to 1, excluded (mulberry32): for initial vectors and samples, where nothing has to be secret and the same seed has to give the same model. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
