/** What an application is: a task with a visitor's data, and how its results are shown. */
import type { Cells, Decrypted, Loom, LoomTask } from 'cipherloom';

/** What the tab hears from an application's fields. */
export interface ApplicationEvents {
  /** The visitor asks another question: results are those of the one before. */
  changed(): void;
  failed(error: unknown, during: string): void;
}

export interface Application {
  /** Also what tests find it by. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** What each side holds and sees, in plain words. */
  readonly client: string;
  readonly evaluator: string;
  /** What goes to the evaluator, and what comes back. */
  readonly upload: string;
  readonly download: string;
  /** Gets what it needs, and fills in the visitor's part. Errors: whatever the network says. */
  open(host: HTMLElement, events: ApplicationEvents): Promise<void>;
  /** The task; the same each time, so that programs and keys can be used again. Only after it was opened. */
  describe(loom: Loom): LoomTask;
  /** What is asked now. */
  question(): Question;
}

export interface Question {
  /** What is encrypted. */
  readonly inputs: Readonly<Record<string, Cells>>;
  /** The server's own. */
  readonly plain: Readonly<Record<string, Cells>>;
  /** What was decrypted, beside the same in the clear. */
  answer(decrypted: Readonly<Record<string, Decrypted>>): Answer;
}

export interface Answer {
  /** Says whether both agree. */
  readonly verdict: string;
  readonly agrees: boolean;
  readonly contents: readonly HTMLElement[];
}
