/** Functions of reals as polynomials, which is what a scheme can compute. */
import { APPROXIMATION_OPTIONS, checkOptions, describe, wrongType } from '../arguments.js';
import { failure } from '../errors.js';
import type { Approximation, ApproximationOptions } from './types.js';

/** 2^k - 1 is what k levels carry. */
const DEGREES = [3, 7, 15, 31, 63, 127, 255, 511];
const MOST_DEGREE = 1023;
const DEFAULT_ERROR = 1e-6;
/** Places where the error is looked at, for each coefficient, and at least: a function that is other than its polynomial between a few nodes would look like it. */
const SAMPLES = 16;
const LEAST_SAMPLES = 4096;

/** See {@link approximation} in the index. Errors: InputError `input.type`; ParameterError where no degree is enough. */
export function approximation(
  of: (x: number) => number,
  options: ApproximationOptions,
  where = 'approximation',
): Approximation {
  if (typeof of !== 'function') throw wrong(where, 'a function of a number', of);
  checkOptions(where, options, APPROXIMATION_OPTIONS);
  const { from, to, degree, error = DEFAULT_ERROR } = options;
  if (!(Number.isFinite(from) && Number.isFinite(to) && from < to && Number.isFinite(to - from)))
    throw wrong(where, 'from and to, finite numbers, the first one smaller', `${from} and ${to}`);
  if (degree !== undefined) {
    if (Number.isInteger(degree) && degree >= 1 && degree <= MOST_DEGREE)
      return fitted(where, of, from, to, degree);
    throw wrong(where, `a degree from 1 to ${MOST_DEGREE}`, degree);
  }
  if (!(error > 0)) throw wrong(where, 'an error above 0', error);
  let best: Approximation | undefined;
  for (const degree of DEGREES) {
    const found = fitted(where, of, from, to, degree);
    if (found.error <= error) return found;
    if (best === undefined || found.error < best.error) best = found;
  }
  const least = (best as Approximation).error;
  const problem = `${where}: no polynomial of degree ${DEGREES.at(-1)} or less is within ${error} from ${from} to ${to}: the best one is off by ${least}`;
  throw failure('parameters.approximation', problem, { where, found: least, expected: error });
}

/** The interpolation in Chebyshev's nodes. */
function fitted(
  where: string,
  of: (x: number) => number,
  from: number,
  to: number,
  degree: number,
): Approximation {
  const count = degree + 1;
  const [middle, half] = [from + (to - from) / 2, (to - from) / 2];
  const value = (u: number): number => {
    const found: unknown = of(middle + half * u);
    if (typeof found === 'number' && Number.isFinite(found)) return found;
    throw wrong(where, `a function that gives finite numbers from ${from} to ${to}`, found);
  };
  const angles = Array.from({ length: count }, (_, k) => (Math.PI * (k + 0.5)) / count);
  const values = angles.map((angle) => value(Math.cos(angle)));
  const coefficients = angles.map((_, j) => {
    const sum = angles.reduce((sum, angle, k) => sum + (values[k] as number) * Math.cos(j * angle), 0);
    return (sum * (j === 0 ? 1 : 2)) / count;
  });
  let error = 0;
  const samples = Math.max(SAMPLES * count, LEAST_SAMPLES);
  for (let at = 0; at <= samples; at++) {
    const u = Math.cos((Math.PI * at) / samples);
    error = Math.max(error, Math.abs(clenshaw(coefficients, u) - value(u)));
  }
  const at = (x: number): number => clenshaw(coefficients, (x - middle) / half);
  return Object.freeze({ from, to, degree, coefficients: Object.freeze(coefficients), error, at });
}

/** The sum of c_k T_k(u). */
function clenshaw(coefficients: readonly number[], u: number): number {
  let [b1, b2] = [0, 0];
  for (let k = coefficients.length - 1; k > 0; k--) {
    [b1, b2] = [2 * u * b1 - b2 + (coefficients[k] as number), b1];
  }
  return u * b1 - b2 + (coefficients[0] as number);
}

/** What a caller gave in place of one: checked. */
export function checkedApproximation(where: string, given: unknown): Approximation {
  const { from, to, coefficients } = (given ?? {}) as Partial<Approximation>;
  const numbers: readonly unknown[] = Array.isArray(coefficients) ? coefficients : [];
  const fits = numbers.length >= 2 && numbers.length <= MOST_DEGREE + 1 && numbers.every(Number.isFinite);
  if (fits && Number.isFinite(from) && Number.isFinite(to) && (from as number) < (to as number))
    return given as Approximation;
  const expected = 'a function with the options of approximation(), or what that gave';
  throw wrong(where, expected, given);
}

function wrong(where: string, expected: string, value: unknown): Error {
  const found = typeof value === 'string' ? value : describe(value);
  return wrongType(where, expected, found);
}
