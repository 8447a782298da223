/** What the page and its data worker say to each other. */
import type { Declaration } from '../selection.js';

/** A numeric column of the file. */
export interface NumericColumn {
  /** At most 40 letters, so that a program can have it, too. */
  readonly name: string;
  readonly fullName: string;
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
  /** What kind of file it is, in words. */
  readonly read: string;
  /** Whether its first row names the columns. */
  readonly header: boolean;
  readonly numeric: readonly NumericColumn[];
  /** Columns that cannot be computed with, and why. */
  readonly others: readonly { readonly name: string; readonly why: string }[];
}

/** What is known of a file beforehand. */
export interface ReadOptions {
  /** Whether its first row names the columns; found out if it is not said. */
  readonly header?: boolean | 'auto';
}

export interface Request {
  readonly id: number;
  readonly file: ArrayBuffer;
  readonly options: ReadOptions;
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
