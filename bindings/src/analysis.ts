/** What the core found of a circuit's dependencies, as people read it. */
import type { Analysis, OperatorAnalysis } from './graph-types.js';
import type { RawAnalysis } from './raw.js';

/** See {@link Analysis}. Lists of lists are made when they are first read: there may be a million operators. */
export class Dependencies implements Analysis {
  readonly inputs: readonly (readonly [number, number])[];
  readonly outputs: Uint32Array;
  readonly criticalPath: Uint32Array;
  readonly #raw: RawAnalysis;
  #operators: readonly OperatorAnalysis[] | undefined;
  #waves: readonly Uint32Array[] | undefined;

  constructor(raw: RawAnalysis) {
    const { inputs, outputs, criticalPath } = raw;
    const pairs = Array.from({ length: inputs.length / 2 }, (_, pair) => 2 * pair);
    this.inputs = pairs.map((at) => [inputs[at] as number, inputs[at + 1] as number] as const);
    this.outputs = outputs;
    this.criticalPath = criticalPath;
    this.#raw = raw;
  }

  get operators(): readonly OperatorAnalysis[] {
    const raw = this.#raw;
    this.#operators ??= Array.from(raw.wave, (_, index) => new Dependent(raw, index));
    return this.#operators;
  }

  get waves(): readonly Uint32Array[] {
    this.#waves ??= byWave(this.#raw.wave);
    return this.#waves;
  }
}

class Dependent implements OperatorAnalysis {
  readonly #raw: RawAnalysis;
  readonly #index: number;

  constructor(raw: RawAnalysis, index: number) {
    this.#raw = raw;
    this.#index = index;
  }

  get dependsOn(): Uint32Array {
    return part(this.#raw.depends, this.#raw.dependsStart, this.#index);
  }

  get notifies(): Uint32Array {
    return part(this.#raw.notifies, this.#raw.notifiesStart, this.#index);
  }

  get wave(): number {
    return this.#raw.wave[this.#index] as number;
  }
}

function part(all: Uint32Array, start: Uint32Array, index: number): Uint32Array {
  return all.subarray(start[index], start[index + 1]);
}

/** The operators of each wave, ascending: a sort by counting. */
function byWave(wave: Uint32Array): readonly Uint32Array[] {
  const sizes: number[] = [];
  for (const at of wave) {
    while (sizes.length <= at) sizes.push(0);
    sizes[at] = (sizes[at] as number) + 1;
  }
  const waves = sizes.map((size) => new Uint32Array(size));
  const filled = sizes.map(() => 0);
  for (const [operator, at] of wave.entries()) {
    const next = filled[at] as number;
    (waves[at] as Uint32Array)[next] = operator;
    filled[at] = next + 1;
  }
  return waves;
}
