/** Functions of reals as polynomials, by Horner's rule on shares: a product and a truncation for each degree. */
import { checkArgument, type Kind, wrongType } from '../../arguments.js';
import { approximation, checkedApproximation } from '../../values/approximation.js';
import type { Approximation, ApproximationOptions } from '../../values/types.js';
import { multiply } from './product.js';
import type { Protocol } from './protocol.js';
import { wrongFraction } from './protocol.js';
import { plus, times } from './public.js';
import { truncate } from './truncate.js';
import type { SharedTensor } from './types.js';

/** Coefficients in powers of u lose precision with the degree. */
const MOST_DEGREE = 15;
const COEFFICIENTS: Kind = {
  expected: `an array of 2 to ${MOST_DEGREE + 1} finite numbers`,
  fits: (value) =>
    Array.isArray(value) &&
    value.length >= 2 &&
    value.length <= MOST_DEGREE + 1 &&
    value.every(Number.isFinite),
};
const DEFAULT: ApproximationOptions = { from: -8, to: 8, degree: 3 };

/** See {@link Shares.polynomial}. */
export function polynomial(
  protocol: Protocol,
  x: SharedTensor,
  coefficients: readonly number[],
  where = 'polynomial',
): SharedTensor {
  protocol.sharesOf(`${where}, x`, x);
  checkArgument(`${where}, coefficients`, coefficients, COEFFICIENTS);
  checkReal(protocol, where, x);
  const [last, ...others] = [...coefficients].reverse() as [number, ...number[]];
  let result: SharedTensor | undefined;
  for (const coefficient of others) {
    const higher = result === undefined ? times(protocol, x, last) : multiply(protocol, result, x);
    result = truncate(protocol, plus(protocol, higher, coefficient));
  }
  return result as SharedTensor;
}

/** See {@link Shares.approximate}. */
export function approximate(
  protocol: Protocol,
  x: SharedTensor,
  of: Approximation,
  where = 'approximate',
): SharedTensor {
  protocol.sharesOf(`${where}, x`, x);
  const { from, to, coefficients } = checkedApproximation(where, of);
  checkReal(protocol, where, x);
  if (coefficients.length > MOST_DEGREE + 1) {
    const [found, expected] = [`degree ${coefficients.length - 1}`, `at most ${MOST_DEGREE}`];
    throw wrongType(where, expected, found);
  }
  const [middle, half] = [from + (to - from) / 2, (to - from) / 2];
  const unit = truncate(protocol, times(protocol, plus(protocol, x, -middle), 1 / half));
  return polynomial(protocol, unit, powers(coefficients), where);
}

/** See {@link Shares.sigmoid}. */
export function sigmoid(
  protocol: Protocol,
  x: SharedTensor,
  options: ApproximationOptions = DEFAULT,
): SharedTensor {
  const of = approximation((at) => 1 / (1 + Math.exp(-at)), options, 'sigmoid');
  return approximate(protocol, x, of, 'sigmoid');
}

/** Errors: ParameterError `parameters.fraction` for what has not as many bits behind the point as reals; PartyError `party.shares` without a dealer. */
function checkReal(protocol: Protocol, where: string, x: SharedTensor): void {
  protocol.dealer(where);
  if (protocol.fraction > 0 && x.fraction === protocol.fraction) return;
  const expected = `those of reals, ${protocol.fraction}, and at least 1`;
  throw wrongFraction(where, `${x.fraction} bits behind the point`, expected);
}

/** The polynomial of c_k T_k(u) in powers of u, by T_(k+1) = 2 u T_k - T_(k-1). */
function powers(chebyshev: readonly number[]): number[] {
  const sum = chebyshev.map(() => 0);
  let [before, current]: [number[], number[]] = [[0, 1], [1]];
  for (const coefficient of chebyshev) {
    current.forEach((power, at) => (sum[at] = (sum[at] as number) + coefficient * power));
    const next = [0, ...current.map((power) => 2 * power)].map((power, at) => power - (before[at] ?? 0));
    [before, current] = [current, next];
  }
  return sum;
}
