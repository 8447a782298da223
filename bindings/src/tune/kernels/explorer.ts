/**
 * Looks for the best implementation of an operator on this device: the best family of built-in kernels, and the best schedule that the techniques find. Whether a candidate
 * computes what the reference does counts before its time does. All of it in a worker.
 */
import { checkOptions } from '../../arguments.js';
import { measure, winner } from '../measure.js';
import type { OperatorKey } from '../key.js';
import type { Best, Explorer, Implementation, TuneRecord } from '../record.js';
import { checkKey, keyText, typeAndPlace } from '../key.js';
import { COMPARING, EXPLORE, EXPLORING } from '../options.js';
import type { GpuTraits, Trial, TrialSettings } from '../../worker/protocol.js';
import { Bench, type BenchOptions, type Candidate } from './bench.js';
import { derive, deriveFor } from './derive.js';
import { bitsOf, pieceOf, usesOf } from './pieces.js';
import { checkFits, checkGpuClass } from './gpu-needs.js';
import { checkNumber, checkText, wrong } from '../wrong.js';
import { checkSchedule, type Schedule, scheduleJson, scheduleName } from './schedule.js';
import { seeded, spaceOf } from './space.js';
import { evolution } from './techniques/evolution.js';
import { grid } from './techniques/grid.js';
import { randomly } from './techniques/random.js';
import type { Technique, Tried } from './techniques/technique.js';

/** Built-in: what the engine takes by itself, and the families and the reference for all they serve. */
const BUILT_IN = ['simd', 'f64x2-fma', 'f64x2', 'u32x4', 'scalar'] as const;
/** On a GPU: its shaders. */
const ON_GPU = ['gpu'] as const;

/** Ways that are built in, the usual one first, beside which schedules are tried, on its platform. */
type BuiltIn = readonly [string, ...string[]];

/** Errors: TuneError `tune.key` for another place. */
function builtIn(key: OperatorKey): BuiltIn {
  const [, place] = typeAndPlace(key);
  if (place === undefined) return BUILT_IN;
  if (place === 'gpu') return ON_GPU;
  throw wrong('tune.key', 'key, operator', key.operator, 'an operator at gpu, or at no place');
}
/** Schedules in one trial, beside the built-in kernel. */
const TOGETHER = 6;
/** How many are compared in the end. */
const FINALISTS = 5;
/** How often the winner is compared with what is built in. */
const FINALS = 3;
/** How the final comparison is measured, and those before. */
const FINAL: TrialSettings = { warmUp: 3, rounds: 25, sample: 1e6 };
/** Against the reference alone. */
const TRIAL: TrialSettings = { warmUp: 0, rounds: 1, sample: 0 };
const QUICK: TrialSettings = { warmUp: 1, rounds: 7, sample: 5e5 };

/** More than any space has. */
const MOST_TRIALS = 1e6;

/** How a search goes. */
export interface ExploreOptions extends BenchOptions {
  /** Class of the device, which records are for. */
  readonly device: string;
  /** How many schedules are tried for a key; 0: what is built in alone. Default 48. */
  readonly trials?: number | undefined;
  /** Default: grid, random and evolutionary search, in turn. */
  readonly techniques?: (() => Technique[]) | undefined;
}

/** How one exploration is followed. */
export interface Exploring {
  readonly signal: AbortSignal;
  /** Told how many schedules have been tried, of how many at most. */
  readonly onTried?: ((tried: number, trials: number) => void) | undefined;
}

/** One way to compute an operator, as it was found on this device: tried against the reference, and, if it conforms, measured. */
export interface Compared {
  readonly kind: 'library' | 'generated';
  /** The call of what is built in; the names of schedules. */
  readonly name: string;
  /** Of what is made at run time. */
  readonly schedules: readonly Schedule[];
  /** What it gives other than the reference; undefined of what conforms. */
  readonly problem: string | undefined;
  /** Of what conforms. */
  readonly times: { readonly time: number; readonly spread: number; readonly samples: number } | undefined;
}

/** Explores on this device, and verifies records here. */
export class KernelExplorer implements Explorer {
  readonly device: string;
  readonly #bench: Bench;
  readonly #trials: number;
  readonly #techniques: () => Technique[];
  #known: Promise<GpuTraits> | undefined;

  /** Errors: TuneError `tune.option`; InputError `input.type`, `input.option`. */
  constructor(options: ExploreOptions) {
    checkOptions('KernelExplorer', options, EXPLORE);
    const { device, trials = 48, techniques, ...bench } = options;
    this.device = checkText('tune.option', 'KernelExplorer, device', device, 256);
    this.#trials = checkNumber('tune.option', 'KernelExplorer, trials', trials, 0, MOST_TRIALS, true);
    this.#techniques = techniques ?? (() => [grid(), evolution(), randomly()]);
    this.#bench = new Bench(bench);
  }

  /**
   * The best of each kind; a schedule only where one conforms. Errors: those of the core for what is no use of an operator; TuneError `tune.key`, `tune.device` of a key of another class; InputError
   * `input.type`, `input.option`; WorkerError; the signal's.
   */
  async explore(key: OperatorKey, options: Exploring): Promise<Best> {
    checkOptions('explore', options, EXPLORING);
    const { signal, onTried } = options;
    this.#checkKey(key);
    const began = performance.now();
    const known = builtIn(key);
    const gpu = await this.#gpu(key, signal);
    const families = known.map((platform): Candidate => ({ platform }));
    const trials = await this.#bench.trial(key, families, QUICK, signal);
    const built = trials.flatMap((trial, at) => (trial.time === undefined ? [] : [{ ...trial, at }]));
    if (built.length === 0) return {};
    const library = winner(built as ((typeof built)[number] & Measured)[]);
    const call = known[library.at] as string;
    const searched = performance.now() - began;
    const found = await this.#schedules(key, gpu, signal, onTried);
    if (found === undefined) return { library: implementation('library', library, searched, { call }) };
    // Once more, side by side. Who won among many was lucky, too: of some comparisons the one in which it gained least counts.
    const { kernel, code } = await derive(found.schedule);
    const sides = [{ platform: call }, { platform: known[0], kernels: [kernel] }];
    const finals: (readonly [Times | undefined, Times | undefined])[] = [];
    for (let round = 0; round < FINALS; round++) {
      const [one, other] = await this.#bench.trial(key, sides, FINAL, signal);
      finals.push([measured(one), measured(other)]);
    }
    const ratio = ([one, other]: (typeof finals)[number]): number =>
      (other?.time ?? Infinity) / (one?.time ?? 1);
    const [one, final] = finals.reduce((most, own) => (ratio(own) > ratio(most) ? own : most));
    const best: { -readonly [kind in keyof Best]: Best[kind] } = {
      library: implementation('library', one ?? library, searched, { call }),
    };
    if (final !== undefined) {
      const schedule = scheduleJson(found.schedule);
      best.generated = implementation('generated', final, performance.now() - began, { schedule, code });
    }
    return best;
  }

  /**
   * All that there is for an operator, side by side, in turns: what is built in, the engine's own choice (`simd`) first, then kernels of schedules, each list together. Families that this
   * build has not are left out; one that does not serve an operator leaves it to `scalar`. Errors: as of
   * {@link explore}; TuneError `tune.record` of what is no schedule, or is too much for the GPU here.
   */
  async compare(
    key: OperatorKey,
    made: readonly (readonly Schedule[])[],
    options: Pick<Exploring, 'signal'>,
  ): Promise<Compared[]> {
    checkOptions('compare', options, COMPARING);
    const { signal } = options;
    this.#checkKey(key);
    const known = builtIn(key);
    const gpu = await this.#gpu(key, signal);
    if (gpu !== undefined) for (const schedule of made.flat()) checkFits(schedule, gpu);
    const kernels = await Promise.all(
      (this.runs(key) ? made : []).map((one) =>
        Promise.all(one.map(async (schedule) => (await derive(schedule)).kernel)),
      ),
    );
    const candidates: Candidate[] = [
      ...known.map((platform) => ({ platform })),
      ...kernels.map((some) => ({ platform: known[0], kernels: some })),
    ];
    const trials = await this.#bench.trial(key, candidates, FINAL, signal);
    return trials.flatMap((trial, at) => {
      if (trial.absent === true) return [];
      const schedules = made[at - known.length] ?? [];
      const call = known[at];
      return {
        kind: call === undefined ? 'generated' : 'library',
        name: call ?? schedules.map(scheduleName).join('; '),
        schedules,
        problem: trial.problem,
        times: measured(trial),
      };
    });
  }

  /** Whether kernels made at run time run here: they need relaxed SIMD that rounds once, and shared memory. */
  get generated(): boolean {
    return this.#bench.generated;
  }

  /** Whether kernels made at run time run here for an operator: on a GPU wherever there is one. */
  runs(key: OperatorKey): boolean {
    return builtIn(key) === ON_GPU || this.generated;
  }

  /** Whether an implementation conforms here: one that is built in, or one whose code is derived here, in all that it would be called for. */
  readonly verify = (record: TuneRecord, one: Implementation): Promise<boolean> => this.conforms(record, one);

  /**
   * See {@link verify}. Errors: WorkerError, MemoryError where nothing could be tried; GpuError `gpu.none`; TuneError `tune.device` of another GPU, `tune.record` of what is too
   * much for this one; the signal's.
   */
  async conforms({ key }: TuneRecord, one: Implementation, signal?: AbortSignal): Promise<boolean> {
    const gpu = await this.#gpu(key, signal);
    if (gpu !== undefined && one.kind === 'generated') checkFits(checkSchedule(one.schedule), gpu);
    const candidate = await this.#candidate(key, one);
    if (candidate === undefined) return false;
    const uses = one.kind === 'generated' ? usesOf(key) : [];
    for (const use of [key, ...uses]) {
      const [trial] = await this.#bench.trial(use, [candidate], TRIAL, signal);
      if (trial === undefined || trial.problem !== undefined) return false;
    }
    return true;
  }

  /** What is measured here is true of this class alone. Errors: TuneError `tune.key`, `tune.device`. */
  #checkKey(key: OperatorKey): void {
    const { device } = checkKey(key);
    if (device !== this.device) throw wrong('tune.device', 'key, device', `"${device}"`, `"${this.device}"`);
  }

  close(): void {
    this.#bench.close();
  }

  async #candidate(key: OperatorKey, one: Implementation): Promise<Candidate | undefined> {
    const known = builtIn(key);
    if (one.kind === 'library') {
      const platform = known.find((known) => known === one.call);
      return platform === undefined ? undefined : { platform };
    }
    // Code that somebody has written is nobody's here.
    if (one.kind !== 'generated' || !this.runs(key)) return undefined;
    return { platform: known[0], kernels: [(await deriveFor(key, one)).kernel] };
  }

  /** The GPU here, for an operator that is placed on one. Errors: GpuError `gpu.none`; TuneError `tune.device` where the key is of another one. */
  async #gpu(key: OperatorKey, signal: AbortSignal | undefined): Promise<GpuTraits | undefined> {
    if (builtIn(key) !== ON_GPU) return undefined;
    // Asked for all calls, whoever's signal ends one of them.
    this.#known ??= this.#bench.gpu();
    this.#known.catch(() => (this.#known = undefined));
    const gpu = await this.#known;
    signal?.throwIfAborted();
    checkGpuClass(key.device, gpu);
    return gpu;
  }

  async #schedules(
    key: OperatorKey,
    gpu: GpuTraits | undefined,
    signal: AbortSignal,
    onTried: Exploring['onTried'],
  ): Promise<Tried | undefined> {
    const asked = pieceOf(key);
    const space = asked && spaceOf(asked, bitsOf(asked.prime), gpu?.limits);
    if (space === undefined || !this.runs(key)) return undefined;
    const [platform] = builtIn(key);
    const techniques = this.#techniques();
    const random = seeded(keyText(key).length * 7919 + space.n);
    const tried: Tried[] = [];
    for (let turn = 0, idle = 0; tried.length < this.#trials && idle < techniques.length; turn++) {
      const technique = techniques[turn % techniques.length] as Technique;
      const count = Math.min(TOGETHER, this.#trials - tried.length);
      const known = new Set(tried.map(({ schedule }) => scheduleName(schedule)));
      const proposed = technique
        .propose(space, tried, count, random)
        .filter((schedule) => !known.has(scheduleName(schedule)));
      idle = proposed.length === 0 ? idle + 1 : 0;
      if (proposed.length === 0) continue;
      const kernels = await Promise.all(proposed.map(async (schedule) => (await derive(schedule)).kernel));
      const candidates = kernels.map((kernel): Candidate => ({ platform, kernels: [kernel] }));
      const [built, ...times] = await this.#bench.trial(key, [{ platform }, ...candidates], QUICK, signal);
      const base = built?.time ?? 1;
      for (const [at, schedule] of proposed.entries())
        tried.push({ schedule, ratio: (times[at]?.time ?? Infinity) / base });
      onTried?.(tried.length, this.#trials);
    }
    const best = tried
      .filter(({ ratio }) => Number.isFinite(ratio))
      .sort((one, other) => one.ratio - other.ratio)
      .slice(0, FINALISTS);
    // Short measurements favour who was lucky: the first few are compared with each other.
    const kernels = await Promise.all(best.map(async ({ schedule }) => (await derive(schedule)).kernel));
    const times = await this.#bench.trial(
      key,
      [{ platform }, ...kernels.map((kernel) => ({ platform, kernels: [kernel] }))],
      FINAL,
      signal,
    );
    const time = (at: number): number => times[at + 1]?.time ?? Infinity;
    const places = best.map((_, at) => at).sort((one, other) => time(one) - time(other));
    return places[0] === undefined ? undefined : best[places[0]];
  }
}

type Measured = Awaited<ReturnType<typeof measure>>[number];
type Times = Pick<Measured, 'time' | 'spread' | 'samples'>;

function measured(trial: Trial | undefined): Times | undefined {
  if (trial?.time === undefined) return undefined;
  const { time, spread, samples } = trial;
  return { time, spread: spread ?? 0, samples: samples ?? 1 };
}

function implementation(
  kind: Implementation['kind'],
  { time, spread, samples }: Times,
  searched: number,
  named: Pick<Implementation, 'call' | 'schedule' | 'code'>,
): Implementation {
  return { kind, ...named, time, spread, samples, searched };
}
