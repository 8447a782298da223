/**
 * Which of several ways is fastest, and whether that is more than noise. Everything that a device does besides (other programs, frequencies, temperature) is spread
 * over all candidates: they take turns, in another order each round. Pure: the clock and what runs are given.
 *
 * Time is the median, spread the interquartile range. One is faster than another one if their notches do not overlap, median +- 1.57 IQR / sqrt(samples)
 * (McGill, Tukey, Larsen, "Variations of box plots", 1978: medians that differ at about 95 %), and by more than `least` of the slower one besides.
 */
import { CALL_OPTIONS, checkArgument, checkOptions, FUNCTION, type Kind, type Kinds } from '../arguments.js';
import { checkNumber, wrong } from './wrong.js';

/** One way to compute something. */
export interface Candidate {
  readonly name: string;
  /** Computes once, or `batch` times. */
  run(): void | Promise<void>;
}

/** How it is measured. */
export interface MeasureOptions {
  /** Time now, in nanoseconds, from any beginning. Default: `performance.now()`. */
  readonly clock?: () => number;
  /** Rounds before those that count. Default 3. */
  readonly warmUp?: number;
  /** Rounds that count: samples of each candidate. Default 15. */
  readonly rounds?: number;
  /** Nanoseconds that a sample takes at least: a candidate is run as often as that takes. Default 0: once. Clocks of pages are coarse; 1e6 suits these. */
  readonly sample?: number;
  /** Waits until the device is idle, before each round. Default: not at all. */
  readonly idle?: () => Promise<void>;
  readonly signal?: AbortSignal;
}

/** What was measured of one. */
export interface Measured {
  readonly name: string;
  /** Median, in nanoseconds for one run. */
  readonly time: number;
  /** Interquartile range, in nanoseconds. */
  readonly spread: number;
  readonly samples: number;
}

const NUMBER: Kind = { expected: 'a number', fits: (value) => typeof value === 'number' };
const OPTIONS: Kinds<MeasureOptions> = {
  clock: FUNCTION,
  warmUp: NUMBER,
  rounds: NUMBER,
  sample: NUMBER,
  idle: FUNCTION,
  signal: CALL_OPTIONS.signal,
};
const CANDIDATES: Kind = {
  expected: 'an array of candidates, each with a name and run',
  fits: (value) =>
    Array.isArray(value) &&
    value.every((one: Partial<Candidate> | null) => typeof one?.name === 'string' && FUNCTION.fits(one.run)),
};
const MEASURED: Kind = {
  expected: 'an object with time, spread and samples',
  fits: (value) => {
    const { time, spread, samples } = (value ?? {}) as Partial<Measured>;
    return [time, spread, samples].every(NUMBER.fits);
  },
};
const arrayOf = ({ expected, fits }: Kind): Kind => ({
  expected: `an array of ${expected}`,
  fits: (value) => Array.isArray(value) && value.every(fits),
});

/** Where the notch of a box plot ends. */
const NOTCH = 1.57;
/** Most runs in one sample. */
const MOST_RUNS = 1 << 20;

/** Measures candidates side by side. Gives them in their order. Errors: TuneError `tune.measure`; InputError `input.type`, `input.option`; what candidates and the signal throw. */
export async function measure(
  candidates: readonly Candidate[],
  options: MeasureOptions = {},
): Promise<Measured[]> {
  checkArgument('measure, candidates', candidates, CANDIDATES);
  checkOptions('measure', options, OPTIONS);
  const {
    clock = () => performance.now() * 1e6,
    warmUp = 3,
    rounds = 15,
    sample = 0,
    idle,
    signal,
  } = options;
  const names = new Set(candidates.map(({ name }) => name));
  if (names.size !== candidates.length)
    throw wrong('tune.measure', 'candidates', 'two of one name', 'a name for each');
  for (const [name, value, least, whole] of [
    ['warmUp', warmUp, 0, true],
    ['rounds', rounds, 1, true],
    ['sample', sample, 0, false],
  ] as const)
    checkNumber('tune.measure', name, value, least, Number.MAX_SAFE_INTEGER, whole);
  const timed = async ({ run }: Candidate, runs: number): Promise<number> => {
    const began = clock();
    for (let at = 0; at < runs; at++) {
      const running = run();
      if (running !== undefined) await running;
    }
    return clock() - began;
  };
  const runs = candidates.map(() => 1);
  const times = candidates.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round++) {
    if (idle !== undefined) await idle();
    for (let turn = 0; turn < candidates.length; turn++) {
      signal?.throwIfAborted();
      // Another one begins each round, and every other round goes backwards: nobody always follows the same one.
      const step =
        (((round + warmUp) % 2 === 0 ? turn : candidates.length - 1 - turn) + round + warmUp) %
        candidates.length;
      const candidate = candidates[step] as Candidate;
      let took = await timed(candidate, runs[step] as number);
      // Doubled in the warm-up and, where there is none, in the first round, until a sample is long enough.
      while (round <= 0 && took < sample && (runs[step] as number) < MOST_RUNS) {
        runs[step] = (runs[step] as number) * 2;
        took = await timed(candidate, runs[step] as number);
      }
      if (round >= 0) (times[step] as number[]).push(took / (runs[step] as number));
    }
  }
  return candidates.map(({ name }, at) => ({ name, ...summary(times[at] as number[]) }));
}

/** Median and interquartile range, by linear interpolation between order statistics. Errors: TuneError `tune.measure` without samples. */
export function summary(samples: readonly number[]): Omit<Measured, 'name'> {
  checkArgument('summary, samples', samples, arrayOf(NUMBER));
  if (samples.length === 0) throw wrong('tune.measure', 'samples', 'none', 'at least one');
  const sorted = [...samples].sort((one, other) => one - other);
  const quantile = (part: number): number => {
    const at = part * (sorted.length - 1);
    const low = sorted[Math.floor(at)] as number;
    return low + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] as number) - low);
  };
  return { time: quantile(0.5), spread: quantile(0.75) - quantile(0.25), samples: sorted.length };
}

/** Whether one is faster than another one by more than noise. `least`: the part of the other's time that a difference has to be, 0.01 if not said. */
export function beats(one: Omit<Measured, 'name'>, other: Omit<Measured, 'name'>, least = 0.01): boolean {
  checkArgument('beats, one', one, MEASURED);
  checkArgument('beats, other', other, MEASURED);
  const notch = ({ spread, samples }: Omit<Measured, 'name'>): number =>
    (NOTCH * spread) / Math.sqrt(samples);
  const ahead = other.time - one.time;
  return ahead > notch(one) + notch(other) && ahead > least * other.time;
}

/**
 * Who stays: the incumbent (the first one), unless others beat it; of these, the one with the least time. So a candidate that wins by less than noise replaces nothing.
 * Errors: TuneError `tune.measure` without any.
 */
export function winner<T extends Omit<Measured, 'name'>>(measured: readonly T[], least = 0.01): T {
  checkArgument('winner, measured', measured, arrayOf(MEASURED));
  const [incumbent, ...others] = measured;
  if (incumbent === undefined) throw wrong('tune.measure', 'measured', 'none', 'at least one');
  const ahead = others.filter((one) => beats(one, incumbent, least));
  return ahead.reduce((best, one) => (one.time < best.time ? one : best), ahead[0] ?? incumbent);
}
