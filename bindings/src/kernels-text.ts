/** Which kernels computed an operator, and why these, in words. */
import type { ChosenKernel } from './tune/kernels/chosen.js';
import type { TraceView } from './types.js';

/** The largest time that a date can be. */
const LATEST = 8.64e15;

/**
 * Which kernels computed operator `op` of a trace, and why: the family of built-in ones, then each that was made at run time, with its schedule in short, and what is known of it in `chosen`
 * (`Mode.chosen`): how many times as fast as what is built in it was, in which operator, measured by whom and when. `undefined` for what has no kernel in this trace.
 *
 * `f64x2-fma, built in; forward-8192-50:2,3,4,4 add held u2 c3 t1, made at run time: 1.12 times as fast as simd (45.1 µs, not 50.5 µs) in limb.ntt, measured by 0a1b2c3d on 2026-11-26`
 */
export function kernelsText(
  { kernels, kernel }: Pick<TraceView, 'kernels' | 'kernel'>,
  op: number,
  chosen: readonly ChosenKernel[] = [],
): string | undefined {
  const [own, ...made] = kernels[kernel[op] ?? -1] ?? [];
  if (own === undefined) return undefined;
  const texts = made.map((name) => {
    const why = chosen.find((one) => one.name === name);
    return `${name}, made at run time${why === undefined ? '' : `: ${reason(why)}`}`;
  });
  const first = own === 'javascript' ? 'a function in JavaScript' : `${own}, built in`;
  return [first, ...texts].join('; ');
}

function reason({ operator, time, instead, explorer, at }: ChosenKernel): string {
  const micro = (nanoseconds: number): string => `${Number((nanoseconds / 1000).toPrecision(3))} µs`;
  const gain =
    instead === undefined
      ? micro(time)
      : `${(instead.time / time).toFixed(2)} times as fast as ${instead.call ?? 'what is built in'} (${micro(time)}, not ${micro(instead.time)})`;
  const day = Math.abs(at) <= LATEST ? ` on ${new Date(at).toISOString().slice(0, 10)}` : '';
  return `${gain} in ${operator}, measured by ${explorer.slice(0, 8)}${day}`;
}
