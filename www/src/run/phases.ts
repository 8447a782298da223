/** The phases of a run, with their progress and time. */
import type { Progress } from 'cipherloom';

export const PHASES = ['compile', 'keys', 'encrypt', 'evaluate', 'decrypt'] as const;
export type PhaseName = (typeof PHASES)[number];

export interface Phase {
  readonly name: PhaseName;
  /** `kept`: done before this run, and used again. */
  state: 'waiting' | 'active' | 'done' | 'kept' | 'stopped';
  /** 0 to 1. */
  fraction: number;
  /** When it began in this run, milliseconds since 1970, by the clock that traces are told by; undefined where it was done before. */
  start: number | undefined;
  /** Measured. */
  seconds: number | undefined;
  /** What is at work. */
  item: string | undefined;
}

/** A run's phases; tells of every change. */
export class Phases {
  readonly all: readonly Phase[] = PHASES.map((name) => {
    return { name, state: 'waiting', fraction: 0, start: undefined, seconds: undefined, item: undefined };
  });
  readonly #changed: (phases: Phases) => void;

  constructor(changed: (phases: Phases) => void) {
    this.#changed = changed;
  }

  of(name: PhaseName): Phase {
    return this.all[PHASES.indexOf(name)] as Phase;
  }

  /** Runs a phase and measures it. */
  async during<T>(
    name: PhaseName,
    work: (onProgress: (progress: Progress) => void) => Promise<T>,
  ): Promise<T> {
    const phase = this.of(name);
    const start = performance.now();
    this.#set(phase, { state: 'active', start: performance.timeOrigin + start });
    try {
      const value = await work(({ done, total, item }) => {
        if (phase.state === 'active') this.#set(phase, { fraction: total > 0 ? done / total : 0, item });
      });
      this.#set(phase, { state: 'done', fraction: 1, seconds: (performance.now() - start) / 1000 });
      return value;
    } catch (error) {
      this.#set(phase, { state: 'stopped' });
      throw error;
    }
  }

  /** A phase whose result is there already. */
  keep(name: PhaseName, seconds: number | undefined): void {
    this.#set(this.of(name), { state: 'kept', fraction: 1, seconds });
  }

  /** 0 to 1, every phase alike: nobody knows their times beforehand. */
  get fraction(): number {
    return this.all.reduce((sum, { fraction }) => sum + fraction, 0) / this.all.length;
  }

  get active(): Phase | undefined {
    return this.all.find(({ state }) => state === 'active');
  }

  #set(phase: Phase, change: Partial<Phase>): void {
    Object.assign(phase, change);
    this.#changed(this);
  }
}
