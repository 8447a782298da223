/** What the compiler is sure to take, by rules of thumb: where exactly it ends is for its own tests. */

/** Bits of integers, by rules of thumb that may be a few too few, and products in a row, from which tasks may be too large. */
const MANY_BITS = 55;
const MANY_LEVELS = 3;
/** Bits of reals that are asked for; more of them there need not be. */
const DEFAULT_PRECISION = 20;
/** Bits from which reals may be not precise enough, and integers have too many in the products of statistics. */
const WIDE_BITS = { BGV: 50, CKKS: 7 };

/** Whether the compiler may refuse a program that breaks no rule: its values or its noise may be too large. */
export function mayBeRefused({ trace, outputs }, error, { precision = DEFAULT_PRECISION } = {}) {
  const { code } = error;
  const all = [...trace.values()].flatMap((value) => value.rows ?? [value]);
  const [{ task }] = all;
  const { levels, bits } = demand(
    all.filter((value) => !isMoved(value) || outputs?.some((one) => one.value === value)),
  );
  if (code === 'range.overflow') return bits >= MANY_BITS;
  return (
    code === 'parameters.none' &&
    (levels >= MANY_LEVELS || bits > WIDE_BITS[task.scheme] || precision > DEFAULT_PRECISION)
  );
}

/** Whether numbers of the client's may have too many digits to be computed with exactly: known reals, which are doubles at least. */
export function mayBeTooLong({ trace }, { code }) {
  const all = [...trace.values()].flatMap((value) => value.rows ?? [value]);
  return code === 'program.too_large' && all.some(({ kind, isCiphertext }) => kind === 'real' && !isCiphertext);
}

/** Of what is moved and compared by digits nobody computes with the numbers themselves. */
function isMoved({ factor, isCiphertext, task }) {
  return factor !== undefined && isCiphertext && task.scheme !== 'CKKS';
}

function demand(values) {
  const most = (of) => Math.max(0, ...values.map(of));
  return {
    levels: most(({ isCiphertext, finished, allLevels }) => (isCiphertext || finished ? allLevels : 0)),
    bits: most((value) => Math.max(value.bits, value.isCiphertext ? bitsOf(value) : 0)),
  };
}

function bitsOf({ reach, decimals }) {
  const ends = Array.isArray(reach) ? reach.flatMap((one) => (one ? [one.low, one.high] : [])) : [];
  const most = Math.max(1, ...ends.map(({ n, d }) => Math.abs(Number(n) / Number(d))));
  return Math.log2(most) + decimals * Math.log2(10);
}
