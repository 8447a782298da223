/** What was found of one operator, and who is the best: pure. */
import { winner } from 'cipherloom/tune';
import type { Compared } from 'cipherloom/tune/kernels';
import type { Measurable } from './operators.js';

export interface Finding {
  readonly operator: Measurable;
  /** The engine's own choice first. */
  readonly compared: readonly Compared[];
}

/** One that conforms, and was measured. */
export type Timed = Compared & { readonly times: NonNullable<Compared['times']> };

/** Those that conform. */
export function timed({ compared }: Finding): readonly Timed[] {
  return compared.filter((one): one is Timed => one.problem === undefined && one.times !== undefined);
}

/** The best: what the engine takes by itself, unless another one that conforms beats it by more than noise. Undefined where nothing conforms, or the engine's own choice does not. */
export function bestOf(finding: Finding): Timed | undefined {
  const right = timed(finding);
  const first = finding.compared[0];
  if (first === undefined || right[0] !== first) return undefined;
  const found = winner(right.map(({ times }, at) => ({ ...times, at })));
  return right[found.at];
}

/** How many times as fast as the engine's own choice, and between which ends: both medians off by half their interquartile range. */
export interface Gain {
  readonly gain: number;
  readonly least: number;
  readonly most: number;
}

export function gainOf(finding: Finding, one: Timed): Gain | undefined {
  const own = timed(finding)[0];
  if (own === undefined || own !== finding.compared[0]) return undefined;
  const ends = ({ times: { time, spread } }: Timed): [number, number] => [
    Math.max(time - spread / 2, Number.MIN_VALUE),
    time + spread / 2,
  ];
  const [a, b] = ends(own);
  const [c, d] = ends(one);
  return { gain: own.times.time / one.times.time, least: a / d, most: b / c };
}

/** A gain in words: `1.12 times as fast (1.08 to 1.16)`. */
export function gainText({ gain, least, most }: Gain): string {
  return `${gain.toFixed(2)} times as fast (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

/** Nanoseconds as microseconds: `45.1 µs ± 0.3`. The second number is half the interquartile range. */
export function timeText({ times: { time, spread } }: Timed): string {
  // Three digits, and nothing below a nanosecond.
  const plain = (value: number): string => {
    const micro = value / 1000;
    return String(Number(micro.toFixed(micro >= 100 ? 0 : micro >= 10 ? 1 : micro >= 1 ? 2 : 3)));
  };
  return `${plain(time)} µs ± ${plain(spread / 2)}`;
}

/** What the built-in ones are, in words. */
export const CALLS: Readonly<Record<string, string>> = {
  simd: 'built in: the engine’s own choice',
  'f64x2-fma': 'built in: doubles, fused multiplication',
  f64x2: 'built in: doubles',
  u32x4: 'built in: words of 32 bits',
  scalar: 'built in: scalar, the reference',
};

/** What one is called in tables. */
export function titleOf({ kind, name }: Compared): string {
  return kind === 'library' ? (CALLS[name] ?? name) : 'made here';
}
