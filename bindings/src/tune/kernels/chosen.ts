/**
 * Kernels that were verified on this device, which is what `load` takes. There is no other way to one of these than {@link chooseKernels} (`choose.ts`): so what is
 * not verified is no value that `load` could be given.
 */
import type { CipherloomError } from '../../errors.js';
import type { RawKernel } from '../../raw.js';
import type { Implementation } from '../record.js';

/** What only this room has, so that nobody else makes one. */
const OWN = Symbol('of this room');

/** Why a kernel runs. */
export interface ChosenKernel {
  /** Its name, as `Loom.mode.kernels` has it: the schedule in short. */
  readonly name: string;
  /** The operator whose record it is of; it serves all that are made of the same piece of work. */
  readonly operator: string;
  /** Nanoseconds that it took, where it was measured. */
  readonly time: number;
  /** What is built in, and was slower by more than noise; undefined where nobody measured that. */
  readonly instead: Implementation | undefined;
  /** Public key of who measured, and when, in milliseconds since 1970. */
  readonly explorer: string;
  readonly at: number;
}

/** Kernels made at run time that may run on this device: what `chooseKernels` gives, and `load({ kernels })` takes. For this process; records are what is kept and sent. */
export class ChosenKernels {
  readonly #kernels: readonly RawKernel[];
  /** What was taken, and why. */
  readonly chosen: readonly ChosenKernel[];
  /** Why records, or faster implementations of them, were not taken: TuneError `tune.signature`, `tune.device`, `tune.record`, `tune.key`, `tune.code`, `tune.conformance`. */
  readonly refused: readonly CipherloomError[];

  /** @internal */
  constructor(own: symbol, taken: readonly Taken[], refused: readonly CipherloomError[]) {
    if (own !== OWN) throw new TypeError('Kernels are chosen by chooseKernels alone');
    this.#kernels = taken.map(({ kernel }) => kernel);
    this.chosen = Object.freeze(taken.map(({ why }) => Object.freeze(why)));
    this.refused = Object.freeze([...refused]);
    Object.freeze(this);
  }

  /** Names of those that were taken, as `Loom.mode.kernels` has them. */
  get names(): readonly string[] {
    return this.#kernels.map(({ name }) => name);
  }

  /** @internal What a value holds that `chooseKernels` gave; undefined of anything else, whatever it looks like. */
  static taken(value: unknown): readonly RawKernel[] | undefined {
    return typeof value === 'object' && value !== null && #kernels in value ? value.#kernels : undefined;
  }
}

/** A kernel, and why it was taken. */
export interface Taken {
  readonly kernel: RawKernel;
  readonly why: ChosenKernel;
}

/** Makes one: of kernels that conform on this device. */
export function chosen(taken: readonly Taken[], refused: readonly CipherloomError[] = []): ChosenKernels {
  return new ChosenKernels(OWN, taken, refused);
}
