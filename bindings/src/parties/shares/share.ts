/** From what a party has to shares, and back to a party. */
import { checkArgument, describe } from '../../arguments.js';
import { DATA_TYPE, f64, i64, u64 } from '../../element.js';
import { failure } from '../../errors.js';
import type { Operand, PartyBuilder, TensorType } from '../../graph-types.js';
import type { Protocol } from './protocol.js';
import { sum } from './protocol.js';
import type { SharedElement, SharedTensor } from './types.js';

/** Beyond it reals are cut off. */
const MOST_REAL = 2 ** 62;
/** Where the point is when it is behind the last bit. */
const INTEGERS = 0;

/** See {@link Shares.share}. */
export function share(
  protocol: Protocol,
  party: string,
  operand: Operand,
  type: TensorType<SharedElement>,
): SharedTensor {
  checkTensor('share, type', type);
  const owner = protocol.party(party);
  // Of exactly that size: masks of a smaller tensor would be used more than once, by broadcasting.
  const own = owner.merge([operand], type);
  const real = type.element === 'f32' || type.element === 'f64';
  const words = real ? fixed(owner, own, type, protocol.fraction) : integers(owner, own, type);
  const shares = protocol.split(party, words, type.shape);
  return protocol.tensor(shares, type.shape, real ? protocol.fraction : INTEGERS);
}

/** Errors: InputError `input.type`. */
export function checkTensor(where: string, type: TensorType<SharedElement>): void {
  checkArgument(where, type, DATA_TYPE);
  checkArgument(where, type, {
    expected: 'a tensor, such as f64(4)',
    fits: () => type.element !== undefined,
  });
}

/** Integers as words: those below 0 modulo 2^64. */
function integers(owner: PartyBuilder, own: Operand, { element, shape }: TensorType<SharedElement>): Operand {
  if (element === 'u64') return own;
  const wide = element === 'i64' ? own : owner.op('i64.convert', [own]);
  return owner.view(wide, u64(...shape));
}

/** x 2^f, rounded to the nearest integer, as words. */
function fixed(
  owner: PartyBuilder,
  own: Operand,
  { element, shape }: TensorType<SharedElement>,
  fraction: number,
): Operand {
  const real = (value: number): Operand => owner.constant(f64(), Float64Array.of(value));
  const wide = element === 'f64' ? own : owner.op('f64.convert', [own]);
  const scaled = owner.op('f64.mul', [wide, real(2 ** fraction)]);
  // Conversion truncates, so halves go before it. It gives 0 for NaN; what is too large is cut off.
  const below = owner.op('f64.lt', [scaled, real(0)]);
  const halves = owner.op('f64.select', [below, real(-0.5), real(0.5)]);
  const moved = owner.op('f64.add', [scaled, halves]);
  const cut = owner.op('f64.max', [owner.op('f64.min', [moved, real(MOST_REAL)]), real(-MOST_REAL)]);
  return owner.view(owner.op('i64.convert', [cut]), u64(...shape));
}

/** See {@link Shares.open}. */
export function open(protocol: Protocol, x: SharedTensor, party: string): Operand {
  const shares = protocol.sharesOf('open', x);
  if (party === protocol.dealerName) {
    // From shares of a product and the masks that it dealt it could tell what was opened of the factors.
    const [found, expected] = ['the dealer', 'another party: the dealer receives nothing'];
    const problem = `open, party ${describe(party)}: expected ${expected}, found ${found}`;
    throw failure('party.shares', problem, { found, expected });
  }
  const reader = protocol.party(party);
  return reader.view(sum(reader, shares), i64(...x.shape));
}

/** See {@link Shares.openReal}. */
export function openReal(protocol: Protocol, x: SharedTensor, party: string): Operand {
  const opened = open(protocol, x, party);
  const reader = protocol.party(party);
  const factor = reader.constant(f64(), Float64Array.of(2 ** -x.fraction));
  return reader.op('f64.mul', [reader.op('f64.convert', [opened]), factor]);
}
