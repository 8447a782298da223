/**
 * Kernels that were verified on this device, which is what `load` takes. There is no other way to one of these than {@link chooseKernels} (`choose.ts`): so what is
 * not verified is no value that `load` could be given.
 */
import type { CipherloomError } from '../../errors.js';
import type { RawKernel } from '../../raw.js';

/** What only this room has, so that nobody else makes one. */
const OWN = Symbol('of this room');

/** Kernels made at run time that may run on this device: what `chooseKernels` gives, and `load({ kernels })` takes. For this process; records are what is kept and sent. */
export class ChosenKernels {
  readonly #kernels: readonly RawKernel[];
  /** Why records, or faster implementations of them, were not taken: TuneError `tune.signature`, `tune.device`, `tune.record`, `tune.key`, `tune.code`, `tune.conformance`. */
  readonly refused: readonly CipherloomError[];

  /** @internal */
  constructor(own: symbol, kernels: readonly RawKernel[], refused: readonly CipherloomError[]) {
    if (own !== OWN) throw new TypeError('Kernels are chosen by chooseKernels alone');
    this.#kernels = kernels;
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

/** Makes one: of kernels that conform on this device. */
export function chosen(
  kernels: readonly RawKernel[],
  refused: readonly CipherloomError[] = [],
): ChosenKernels {
  return new ChosenKernels(OWN, kernels, refused);
}
