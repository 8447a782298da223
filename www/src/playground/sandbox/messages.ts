/** What the page and a program in its sandbox say to each other. */
import type { Cells, TaskLiteral } from 'cipherloom';

export interface SandboxInput {
  /** The table as CSV, with commas. */
  readonly csv: string;
  /** Milliseconds that the program may take. */
  readonly patience: number;
}

/** The values of a run, by where they belong. */
export interface Given {
  readonly encrypted?: Readonly<Record<string, Cells>>;
  readonly plain?: Readonly<Record<string, Cells>>;
  readonly public?: Readonly<Record<string, Cells>>;
}

export type SandboxReply =
  /** It begins: the table is there. */
  | { readonly kind: 'begins' }
  /** It is in a loop, at this line of the visitor's text. */
  | { readonly kind: 'at'; readonly line: number }
  | { readonly kind: 'said'; readonly text: string }
  | {
      readonly kind: 'described';
      readonly literal: TaskLiteral;
      readonly kept: readonly string[];
      readonly refreshed: readonly string[];
      readonly given: Given;
    }
  | {
      readonly kind: 'failed';
      readonly code: string | undefined;
      readonly message: string;
      /** Of the visitor's text, where it is known; else the stack says where. */
      readonly line: number | undefined;
      readonly stack: string;
    }
  /** It could not be started: a line of the script. */
  | { readonly kind: 'broken'; readonly message: string; readonly line: number };
