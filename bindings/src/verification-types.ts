/** Public types of verification: of circuits, programs and platforms. No code. */
import type { CipherloomError } from './errors.js';
import type { Circuit, Platform, RunInputs } from './graph-types.js';
import type { PassName } from './operators.js';
import type { CallOptions } from './types.js';
import type { Stage } from './values/types.js';

/** On what data two computations are compared. */
export interface TrialOptions extends CallOptions {
  /**
   * How often data are drawn for all inputs: small numbers first, then any bits, then the edges of what the types can hold,
   * and so on. Default 6, of a program 1; where cells of values are compared, 3.
   */
  trials?: number | undefined;
  /** Other seeds give other data, the same one the same on every machine. Default 0. */
  seed?: number | bigint | undefined;
}

/** Options of `Circuit.verify`. Without `against`, `passes` and `platforms`: the usual passes, and both platforms. */
export interface VerifyOptions extends TrialOptions {
  /** A circuit of this loom that means the same: inputs and outputs of the same names and types. It is taken to be right. */
  against?: Circuit | undefined;
  /** Passes to run one after the other; the circuit is compared before and after each. */
  passes?: readonly PassName[] | undefined;
  /** All operators are compared on each of these platforms with the last one, which is taken to be right. */
  platforms?: readonly Platform[] | undefined;
  /** Data of inputs that are not drawn, since they have to mean something. A report may tell one byte that came of them. */
  inputs?: RunInputs | undefined;
  /** Whose kernels run where circuits and passes are compared. Default: the best that there are. */
  platform?: Platform | undefined;
}

/** What a verification found. */
export interface Verification {
  /** Whether all checks passed. */
  readonly passed: boolean;
  /** In the order in which they were made. */
  readonly checks: readonly Check[];
}

/**
 * What is checked: the graph itself, or what it gives beside another circuit, a pass or a platform; of a program, whether a
 * stage means what the task means.
 */
export type CheckKind = 'structure' | 'circuit' | 'pass' | 'platform' | 'meaning';

/** One check. */
export interface Check {
  readonly kind: CheckKind;
  /** Of the pass or platform. */
  readonly name: string | undefined;
  /** Of a program: the stage that was checked, against the one above where it is compared with another circuit. */
  readonly stage: Stage | undefined;
  readonly passed: boolean;
  /**
   * The outputs, or operators, that were compared and gave the same: bit for bit, but any NaN is as good as another. Cells of values are compared exactly; of reals
   * in slots, within what the program says that they may be off by.
   */
  readonly compared: readonly string[];
  /** Those that were not, and why. */
  readonly notCompared: readonly { readonly what: string; readonly why: string }[];
  /** Bytes that were compared; of cells eight each. */
  readonly bytes: number;
  /** What is wrong; undefined if it passed. */
  readonly problem: CipherloomError | undefined;
  /** Where two computations differ first, if that is what is wrong. */
  readonly difference: Difference | undefined;
}

/** The first place, in topological order, where two computations do not give the same. Of data that were drawn, nobody's. */
export interface Difference {
  /** What it is, for people: `operator 2 (f32.mul)`, or the output where no single operator does. */
  readonly what: string;
  /** Number of that operator: in the circuit, or, on platforms, in its expansion to what both implement. */
  readonly operator: number | undefined;
  /** Its type. */
  readonly name: string | undefined;
  /** The operator of the circuit that it was expanded from, on platforms. */
  readonly partOf: { readonly operator: number; readonly name: string } | undefined;
  /** The output in which it was noticed. */
  readonly seenIn: string | undefined;
  /** The type of what differs, with its size in units. */
  readonly type: string;
  /** Its units, as [start, end). */
  readonly units: readonly (readonly [start: number, end: number])[];
  /** The first place in it that differs, counted from 0: a byte of data, a cell of a value, or a slot of a vector. */
  readonly byte: number | undefined;
  readonly cell: number | undefined;
  readonly slot: number | undefined;
  /** What is there, and what has to be: a byte; of cells and slots a number as text, or `missing`. */
  readonly found: number | string;
  readonly expected: number | string;
}

/**
 * What the suite can try: kernels, and, as `gpu`, the shaders of operators on the device that WebGPU gives.
 */
export type ConformancePlatform = Platform | 'gpu';

/** Options of `Loom.conformance`. */
export interface ConformanceOptions extends CallOptions {
  /** Default: `simd` and `scalar`. Errors: GpuError where `gpu` is asked for, and there is none. */
  platforms?: readonly ConformancePlatform[] | undefined;
}

/** What the conformance suite found on this device. */
export interface Conformance {
  /** Whether every case passed. */
  readonly passed: boolean;
  /** All cases, of all platforms. */
  readonly cases: number;
  readonly platforms: readonly PlatformConformance[];
}

/** The suite on one platform. */
export interface PlatformConformance {
  readonly platform: ConformancePlatform;
  /** Of `gpu` what its adapter calls itself, as far as the browser tells. */
  readonly device: string | undefined;
  readonly passed: boolean;
  readonly cases: number;
  /** All operator types. */
  readonly operators: readonly OperatorConformance[];
  /** Those of which a case failed. */
  readonly failed: readonly OperatorConformance[];
}

/** The suite on one operator type. */
export interface OperatorConformance {
  readonly name: string;
  readonly cases: number;
  /** Cases that passed. */
  readonly passed: number;
  /** The first case that did not, and what was found and expected there. */
  readonly problem: string | undefined;
}
