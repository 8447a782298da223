/** What the page and its data worker say to each other. */
import type { Declaration } from '../selection.js';

/** A numeric column of the file. */
export interface NumericColumn {
  readonly name: string;
  /** NaN where missing. */
  readonly values: Float64Array;
  readonly min: number;
  readonly max: number;
  readonly decimals: number;
  readonly missing: number;
  /** What may be said of it in public. */
  readonly declared: Declaration;
}

/** A file that was read. */
export interface DataTable {
  readonly rows: number;
  readonly numeric: readonly NumericColumn[];
  /** Columns that cannot be computed with, and why. */
  readonly others: readonly { readonly name: string; readonly why: string }[];
}

export type Reply =
  | { readonly id: number; readonly value: DataTable }
  | {
      readonly id: number;
      readonly error: {
        readonly code: string | undefined;
        readonly message: string;
        readonly details: Readonly<Record<string, unknown>>;
      };
    };
