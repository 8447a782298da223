/** The calls of a builder as the core reads them: a tape of numbers, and tables of what they refer to. */
import { CallSites, MOST_SITES } from './call-sites.js';
import { CipherloomError, fromRecord } from './errors.js';
import type { DataType, Unit } from './graph-types.js';
import type { GraphLiteral } from './raw.js';

/** What a call of the tape begins with. Behind it, `...` a count and that many operands. */
const CALL = {
  /** name, type */
  input: 0,
  /** name, attributes + 1 (0: none), ... */
  op: 1,
  /** operand, from (low word), from (high word), type */
  view: 2,
  /** type, ... */
  merge: 3,
  /** type, constant */
  constant: 4,
  /** name, operand */
  output: 5,
} as const;

const KINDS = Object.keys(CALL) as (keyof typeof CALL)[];

/** How much of a recording there was at some time. Nothing of it changes later. */
export interface Mark {
  readonly words: number;
  readonly names: number;
  readonly attrs: number;
  readonly types: number;
  readonly constants: number;
  /** Operands that it knows: those of lower numbers. */
  readonly operands: number;
}

/** Texts, each once. */
class Table {
  readonly all: string[] = [];
  readonly #index = new Map<string, number>();

  add(text: string): number {
    const found = this.#index.get(text);
    if (found !== undefined) return found;
    this.#index.set(text, this.all.length);
    return this.all.push(text) - 1;
  }
}

/** For consoles that print the stack of the throw: they print that of the cause, too. */
function madeHere(call: string, frames: string | undefined): Error | undefined {
  if (frames === undefined) return undefined;
  const cause = new Error(`${call}, was made here`);
  cause.stack = `Error: ${cause.message}\n${frames}`;
  return cause;
}

/** See above. Every method but `output` gives the number of the operand that it makes. */
export class Recording {
  readonly unit: Unit;
  readonly #names = new Table();
  readonly #attrs = new Table();
  readonly #types = new Table();
  readonly #constants: Uint8Array[] = [];
  readonly #sites = new CallSites();
  #tape = new Uint32Array(1024);
  #words = 0;
  #operands = 0;

  constructor(unit: Unit) {
    this.unit = unit;
  }

  /** The next call is made to that method of the builder. */
  site(method: unknown): void {
    this.#sites.add(method);
  }

  input(name: string, type: DataType): number {
    this.#reserve(3);
    this.#put(CALL.input);
    this.#put(this.#names.add(name));
    this.#put(this.#types.add(type.text));
    return this.#operands++;
  }

  op(name: string, inputs: readonly number[], attributes: string | undefined): number {
    this.#reserve(4 + inputs.length);
    this.#put(CALL.op);
    this.#put(this.#names.add(name));
    this.#put(attributes === undefined ? 0 : this.#attrs.add(attributes) + 1);
    this.#putAll(inputs);
    return this.#operands++;
  }

  view(operand: number, from: number, type: DataType): number {
    this.#reserve(5);
    this.#put(CALL.view);
    this.#put(operand);
    this.#put(from % 2 ** 32);
    this.#put(Math.floor(from / 2 ** 32));
    this.#put(this.#types.add(type.text));
    return this.#operands++;
  }

  merge(parts: readonly number[], type: DataType): number {
    this.#reserve(3 + parts.length);
    this.#put(CALL.merge);
    this.#put(this.#types.add(type.text));
    this.#putAll(parts);
    return this.#operands++;
  }

  constant(type: DataType, bytes: Uint8Array): number {
    this.#reserve(3);
    this.#put(CALL.constant);
    this.#put(this.#types.add(type.text));
    this.#put(this.#constants.push(bytes) - 1);
    return this.#operands++;
  }

  output(name: string, operand: number): void {
    this.#reserve(3);
    this.#put(CALL.output);
    this.#put(this.#names.add(name));
    this.#put(operand);
  }

  /** What was recorded until now. */
  mark(): Mark {
    return {
      words: this.#words,
      names: this.#names.all.length,
      attrs: this.#attrs.all.length,
      types: this.#types.all.length,
      constants: this.#constants.length,
      operands: this.#operands,
    };
  }

  /** The calls before a mark. The tape is a copy, which can move to a worker. */
  literal({ words, names, attrs, types, constants }: Mark): GraphLiteral {
    return {
      unit: this.unit,
      names: this.#names.all.slice(0, names),
      attrs: this.#attrs.all.slice(0, attrs),
      types: this.#types.all.slice(0, types),
      constants: this.#constants.slice(0, constants),
      tape: this.#tape.slice(0, words),
    };
  }

  /**
   * An error that the core found in a call, told as the user made it: its message says which call of `what`, its stack is that
   * of the user's line. One that was found inside that call's operator is the cause, with the line there. Any other error stays as it is.
   */
  located(error: unknown, whole = 'the graph'): unknown {
    if (!(error instanceof CipherloomError) || error.details['call'] === undefined) return error;
    const call = Number(error.details['call']);
    const what = this.#describe(call);
    if (what === undefined) return error;
    const frames = this.#sites.framesOf(call);
    const unknown = call < MOST_SITES ? '' : `; lines are known of the first ${MOST_SITES} calls`;
    const message = `${error.message} (call ${call} of ${whole}, ${what}${unknown})`;
    const cause = error.cause ?? madeHere(`call ${call}, ${what}`, frames);
    const located = fromRecord({ code: error.code, message, details: error.details }, cause);
    if (frames !== undefined) located.stack = `${located.name}: ${message}\n${frames}`;
    return located;
  }

  /** A call in words: its kind, and its name if it has one. Undefined if there is no such call. */
  #describe(call: number): string | undefined {
    let at = 0;
    for (let skipped = 0; skipped < call && at < this.#words; skipped++) at += this.#lengthOf(at);
    const kind = KINDS[this.#tape[at] as number];
    if (kind === undefined || at >= this.#words || !(call >= 0)) return undefined;
    const named = kind === 'input' || kind === 'op' || kind === 'output';
    return named ? `${kind} "${this.#names.all[this.#tape[at + 1] as number]}"` : kind;
  }

  /** Words of the call that begins there. */
  #lengthOf(at: number): number {
    switch (this.#tape[at]) {
      case CALL.op:
        return 4 + (this.#tape[at + 3] as number);
      case CALL.view:
        return 5;
      case CALL.merge:
        return 3 + (this.#tape[at + 2] as number);
      default:
        return 3;
    }
  }

  /** Before the first word of a call, so that a call is on the tape as a whole or not at all. */
  #reserve(words: number): void {
    const needed = this.#words + words;
    if (needed <= this.#tape.length) return;
    const longer = new Uint32Array(Math.max(needed, 2 * this.#tape.length));
    longer.set(this.#tape);
    this.#tape = longer;
  }

  #put(word: number): void {
    this.#tape[this.#words++] = word;
  }

  #putAll(operands: readonly number[]): void {
    this.#put(operands.length);
    for (const operand of operands) this.#put(operand);
  }
}
