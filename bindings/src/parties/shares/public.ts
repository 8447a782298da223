/** Numbers that everybody knows, beside shares: sums and products that no message is needed for. */
import { checkArgument, describe, tag } from '../../arguments.js';
import { toBytes } from '../../data.js';
import { failure } from '../../errors.js';
import type { Operand } from '../../graph-types.js';
import type { Protocol } from './protocol.js';
import { broadcast, type Shape, show } from './shape.js';
import type { PublicNumber, PublicTensor, SharedTensor } from './types.js';

/** See {@link Shares.plus}. */
export function plus(protocol: Protocol, x: SharedTensor, y: PublicNumber): SharedTensor {
  const shares = protocol.sharesOf('plus, x', x);
  const { constant, shape } = encoded(protocol, 'plus, y', y, x.fraction, x.fraction);
  const result = broadcast('plus', x.shape, shape);
  const grows = show(result) !== show(x.shape);
  // One holder adds it; the others' shares get the same shape.
  const all = protocol.each((holder, i, first) => {
    const own = shares[i] as Operand;
    if (first) return holder.op('u64.add', [own, constant]);
    return grows ? holder.op('u64.broadcast', [own], { shape: result }) : own;
  });
  return protocol.tensor(all, result, x.fraction);
}

/** See {@link Shares.times}. */
export function times(protocol: Protocol, x: SharedTensor, y: PublicNumber): SharedTensor {
  const shares = protocol.sharesOf('times, x', x);
  const { constant, shape, real } = encoded(protocol, 'times, y', y, 0, protocol.fraction);
  const result = broadcast('times', x.shape, shape);
  const fraction = protocol.bits('times', x.fraction + (real ? protocol.fraction : 0));
  const all = protocol.each((holder, i) => holder.op('u64.mul', [shares[i] as Operand, constant]));
  return protocol.tensor(all, result, fraction);
}

/** Integers with `integers` and reals with `reals` bits behind the point. */
function encoded(
  protocol: Protocol,
  where: string,
  y: PublicNumber,
  integers: number,
  reals: number,
): { readonly constant: Operand; readonly shape: Shape; readonly real: boolean } {
  const isTensor = tag(y) === 'Object';
  if (!isTensor)
    checkArgument(where, y, {
      expected: 'a bigint, a finite number, or { type, data } of i64 or f64',
      fits: (value) => typeof value === 'bigint' || Number.isFinite(value),
    });
  const { shape, values } = isTensor
    ? elements(where, y as PublicTensor)
    : { shape: [], values: [y as bigint | number] };
  const real = typeof values[0] === 'number';
  const words = BigUint64Array.from(values, (value) => word(where, value, integers, reals));
  const constant = shape.length === 0 ? protocol.word(words[0] as bigint) : protocol.words(words, shape);
  return { constant, shape, real };
}

/** Errors: InputError `input.type`, `input.length`. */
function elements(
  where: string,
  { type, data }: PublicTensor,
): { readonly shape: Shape; readonly values: readonly (bigint | number)[] } {
  checkArgument(`${where}.type`, type, {
    expected: 'i64(...) or f64(...)',
    fits: (value) =>
      ['i64', 'f64'].includes((value as Partial<PublicTensor['type']> | undefined)?.element ?? ''),
  });
  toBytes(`${where}.data`, type, data);
  return { shape: type.shape, values: Array.from<bigint | number>(data) };
}

/** A number as a word. */
function word(where: string, value: bigint | number, integers: number, reals: number): bigint {
  const scaled = typeof value === 'bigint' ? value << BigInt(integers) : rounded(value * 2 ** reals);
  if (scaled !== undefined && scaled >= -(2n ** 63n) && scaled < 2n ** 64n) return BigInt.asUintN(64, scaled);
  const bits = typeof value === 'bigint' ? integers : reals;
  const expected = `a finite number that fits into 64 bits, ${bits} of them behind the point`;
  const [found, problem] = [describe(value), `${where}: expected ${expected}, found ${describe(value)}`];
  throw failure('range.value', problem, { where, found, expected });
}

/** To the nearest integer, ties away from 0. */
function rounded(value: number): bigint | undefined {
  return Number.isFinite(value) ? BigInt(Math.sign(value) * Math.round(Math.abs(value))) : undefined;
}
