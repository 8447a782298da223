/**
 * From the exact integers of an output to its value: the last division, square root and rounding. The
 * formulas hold for sums over n rows in units of 10^-decimals.
 */
import { type CipherloomError, failure, UndefinedStatisticError } from './errors.js';
import { ExactDecimal, powerOfTen, ratio, ratioToRoot } from './exact.js';
import type { DecryptedOutput, DecryptedValue, OutputInfo } from './types.js';

/** The exact integers behind an output, by name: see `RawClient.decryptJob`. */
export type Parts = Readonly<Record<string, readonly bigint[]>>;

/** What of an output decides how its parts become a value. */
export interface Shape extends Pick<OutputInfo, 'name' | 'kind' | 'population' | 'decimals'> {
  /** No statistic is over more rows. */
  readonly mostRows: number;
}

/**
 * The value of an output. Errors: UndefinedStatisticError (too few rows, zero variance), FormatError (sums
 * that no rows have).
 */
export function finish(output: Shape, parts: Parts): DecryptedValue {
  const part = (name: string): bigint => single(output, parts, name);
  const { decimals } = output;
  switch (output.kind) {
    case 'column':
      return all(output, parts, 'values').map((units) => new ExactDecimal(units, decimals));
    case 'number':
      return new ExactDecimal(part('value'), decimals);
    case 'sum':
      return new ExactDecimal(part('sum'), decimals);
    case 'count':
      return Number(rowsCounted(output, part('n'), 0n));
    case 'mean':
      return ratio(part('sum'), rowsCounted(output, part('n'), 1n) * powerOfTen(decimals));
    case 'variance': {
      const n = rowsCounted(output, part('n'), output.population ? 1n : 2n);
      return ratio(
        spread(output, n, part('sum'), part('sumSquares')),
        pairs(output, n) * powerOfTen(decimals),
      );
    }
    case 'covariance': {
      const n = rowsCounted(output, part('n'), output.population ? 1n : 2n);
      return ratio(
        joint(n, part('sumX'), part('sumY'), part('sumXY')),
        pairs(output, n) * powerOfTen(decimals),
      );
    }
    case 'correlation':
      return correlation(output, part);
  }
}

/** A value, or why there is none. Errors: FormatError. */
export function outcome(output: Shape, parts: Parts): Pick<DecryptedOutput, 'value' | 'problem'> {
  try {
    return { value: finish(output, parts), problem: undefined };
  } catch (problem) {
    if (problem instanceof UndefinedStatisticError) return { value: undefined, problem };
    throw problem;
  }
}

/** r = (n Sxy - Sx Sy) / sqrt((n Sxx - Sx^2)(n Syy - Sy^2)); decimals cancel. */
function correlation(output: Shape, part: (name: string) => bigint): number {
  const n = rowsCounted(output, part('n'), 2n);
  const x = spread(output, n, part('sumX'), part('sumXX'));
  const y = spread(output, n, part('sumY'), part('sumYY'));
  const xy = joint(n, part('sumX'), part('sumY'), part('sumXY'));
  if (x === 0n || y === 0n) {
    throw failure(
      'statistic.zero_variance',
      `"${output.name}": a column does not vary, so there is no correlation`,
      {
        output: output.name,
        varianceOfFirst: x === 0n ? 0 : 'positive',
        varianceOfSecond: y === 0n ? 0 : 'positive',
      },
    );
  }
  if (xy * xy > x * y) throw impossible(output, 'a correlation beyond 1');
  return ratioToRoot(xy, x * y);
}

/** n, if it is at least `least` and at most the most rows there are. */
function rowsCounted(output: Shape, n: bigint, least: bigint): bigint {
  if (n < 0n || n > BigInt(output.mostRows))
    throw impossible(output, 'another number of rows than there can be');
  if (n >= least) return n;
  const details = { output: output.name, found: Number(n), expected: Number(least) };
  throw n === 0n
    ? failure('statistic.empty', `"${output.name}": the ${output.kind} of no rows has no value`, details)
    : failure(
        'statistic.too_few',
        `"${output.name}": ${output.kind} needs ${least} rows, found ${n}`,
        details,
      );
}

/** n Sum x^2 - (Sum x)^2, never negative. */
function spread(output: Shape, n: bigint, sum: bigint, sumSquares: bigint): bigint {
  const value = n * sumSquares - sum * sum;
  if (value < 0n) throw impossible(output, 'a negative variance');
  return value;
}

/** n Sum xy - Sum x Sum y. */
function joint(n: bigint, sumX: bigint, sumY: bigint, sumXY: bigint): bigint {
  return n * sumXY - sumX * sumY;
}

/** n^2 for the population, n (n - 1) for a sample. */
function pairs(output: Shape, n: bigint): bigint {
  return output.population ? n * n : n * (n - 1n);
}

function all(output: Shape, parts: Parts, name: string): readonly bigint[] {
  const found = parts[name];
  if (found === undefined) throw impossible(output, `no part "${name}"`);
  return found;
}

function single(output: Shape, parts: Parts, name: string): bigint {
  const found = all(output, parts, name);
  if (found.length !== 1) throw impossible(output, `${found.length} numbers as "${name}"`);
  return found[0] as bigint;
}

function impossible(output: Shape, found: string): CipherloomError {
  return failure(
    'format.result',
    `"${output.name}": decrypted to ${found}, which no column of numbers gives`,
    {
      output: output.name,
      found,
    },
  );
}
