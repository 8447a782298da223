/** What the compiler is sure to take, by rules of thumb: where exactly it ends is for its own tests. */
import { sizeOf } from './rules.mjs';

/** Bits from which integers may be too large for all plaintext moduli: outputs of at most about 2^115 are promised. */
const MANY_BITS = 104;
/**
 * Products in a row and bits of the integers that a ring dimension is sure to have room for. The largest has it where
 * the compiler chooses.
 */
const ROOM = { 2048: [0, 0], 4096: [0, 16], 8192: [1, 60], 16384: [2, 80], 32768: [2, 100] };

/** The least ring dimension that is sure to be large enough for outputs, if any is. */
export function sureDimension(outputs) {
  const { levels, bits } = demand(outputs);
  const enough = Object.entries(ROOM).find(([, [mostLevels, mostBits]]) => levels <= mostLevels && bits <= mostBits);
  return enough && Number(enough[0]);
}

/** Codes of tasks that are well formed, but too large. */
export const LIMITS = ['range.overflow', 'parameters.none'];

/** Whether the compiler may refuse a program that breaks no rule: its values or its noise may be too large. */
export function mayBeRefused({ outputs }, code, { compile = {} }) {
  if (code === 'range.overflow') return demand(outputs).bits >= MANY_BITS;
  const sure = sureDimension(outputs);
  return code === 'parameters.none' && (sure === undefined || sure > (compile.n ?? sure));
}

function demand(outputs) {
  return {
    bits: Math.max(0, ...outputs.map((facts) => sizeOf(facts).toString(2).length)),
    levels: Math.max(0, ...outputs.map((facts) => facts.levels)),
  };
}
