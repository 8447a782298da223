/** What the page and the worker that knows TypeScript say to each other. Places are letters of the program, from 0. */

/** Something to say of a part of the program. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface Completion {
  readonly label: string;
  /** As CodeMirror names kinds. */
  readonly type: string;
  readonly sort: string;
}

export interface Completions {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly options: readonly Completion[];
}

/** What is known of a name. */
export interface Info {
  readonly from: number;
  readonly to: number;
  /** Its declaration. */
  readonly code: string;
  readonly text: string;
}

/** The program as JavaScript. */
export interface Compiled {
  /** What cannot be read: then there is no code. */
  readonly wrong: readonly Finding[];
  /** For the sandbox: CommonJS, with a call in each loop. */
  readonly code: string;
  /** Of that: source map, version 3, its `mappings`. */
  readonly mappings: string;
  /** For a file: a module without its export, and the name of the function. */
  readonly module: string;
  readonly name: string;
}

/** Questions, by name. */
export interface Questions {
  check: { ask: { text: string }; answer: readonly Finding[] };
  complete: { ask: { text: string; at: number }; answer: Completions | undefined };
  details: { ask: { text: string; at: number; label: string }; answer: Info | undefined };
  hover: { ask: { text: string; at: number }; answer: Info | undefined };
  compile: { ask: { text: string }; answer: Compiled };
}
export type QuestionName = keyof Questions;

export interface Asked {
  readonly id: number;
  readonly name: QuestionName;
  readonly ask: Questions[QuestionName]['ask'];
}

export type Answered =
  | { readonly id: number; readonly answer: Questions[QuestionName]['answer'] }
  | { readonly id: number; readonly failure: string };
