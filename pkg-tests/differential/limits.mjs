import { isKnownRefusal } from './known.mjs';

/** What the compiler is sure to take, by rules of thumb: where exactly it ends is for its own tests. */

/** Bits of integers, and products in a row, from which tasks may be too large. */
const MANY_BITS = 100;
const MANY_LEVELS = { BGV: 4, CKKS: 4 };

/** Whether the compiler may refuse a program that breaks no rule: its values or its noise may be too large. */
export function mayBeRefused({ trace }, error) {
  const { code } = error;
  const all = [...trace.values()].flatMap((value) => value.rows ?? [value]);
  const [{ task }] = all;
  if (isKnownRefusal(task.scheme, error)) return true;
  const { levels, bits } = demand(all);
  if (code === 'range.overflow') return bits >= MANY_BITS;
  return code === 'parameters.none' && (levels >= MANY_LEVELS[task.scheme] || bits > MANY_BITS / 2);
}

function demand(values) {
  const most = (of) => Math.max(0, ...values.map(of));
  return {
    levels: most(({ isCiphertext, finished, levels }) => (isCiphertext || finished ? levels : 0)),
    bits: most((value) => Math.max(value.bits, value.isCiphertext ? bitsOf(value) : 0)),
  };
}

function bitsOf({ reach, decimals }) {
  const ends = Array.isArray(reach) ? reach.flatMap((one) => (one ? [one.low, one.high] : [])) : [];
  const most = Math.max(1, ...ends.map(({ n, d }) => Math.abs(Number(n) / Number(d))));
  return Math.log2(most) + decimals * Math.log2(10);
}
