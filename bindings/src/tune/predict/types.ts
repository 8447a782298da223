import type { OperatorKey } from '../key.js';

/** Who says which operators are likely to come with one that was asked for (SPEC T4; seed 003 ¶200, 229-230). Replaceable; it never waits. */
export interface Predictor {
  /** Told of every operator that a task asks for, in order. */
  observe(task: string, key: OperatorKey): void;
  /** Operators that are likely to be asked for with this one, the likeliest first; this one is not among them. */
  related(key: OperatorKey): readonly OperatorKey[];
}

/** What a predictor has learned, as plain JSON. */
export interface PredictorState {
  readonly kind: string;
  readonly version: number;
  readonly [name: string]: unknown;
}
