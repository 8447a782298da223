/** Operators of jobs, as users make them. How a worker computes them: operators/. */
import { checkObject, checkOperator } from './definition.js';
import type { Kind } from './kinds.js';
import type {
  CircuitOperator,
  FunctionOperator,
  If,
  Loop,
  Operator,
  ProgramOperator,
  Sequence,
  Traits,
  While,
} from './types.js';

/** A module's address: as text, or as `new URL('./tax.js', import.meta.url)`. */
type Address = string | URL;

/** What `fromModule` takes beside an address. */
export interface ModuleOptions extends Omit<FunctionOperator, 'kind' | 'module' | 'on'> {
  /** What computes the same on a kind of worker. */
  readonly on?: Readonly<Partial<Record<Kind, { readonly module: Address; readonly name?: string }>>>;
}

/**
 * A function of a module, by the module's absolute address, which every worker has to be able to import: `fromModule(new URL('./tax.js', import.meta.url))`. A function itself
 * cannot be given: it does not travel. Errors: JobError `job.definition`; so have all functions here.
 */
export function fromModule(module: Address, options: ModuleOptions = {}): FunctionOperator {
  const { on, ...others } = checkObject('fromModule, options', options);
  const all =
    on instanceof Object ? { ...others, on: withTexts(on) } : { ...others, ...(on !== undefined && { on }) };
  return operator('fromModule', { kind: 'function', module: textOf(module) }, all);
}

/**
 * A graph, from `Circuit.toBytes()`. A row's value is its only input: the typed array of its elements, any array of numbers that these hold, or a number where it has one
 * element; of several inputs an object with such a value for each. The new value is that of the only output, or an object. A tensor of no dimensions gives a number; 64-bit
 * words give bytes, and can be given as such. With `CrossMap` and as a reducer inputs are called `a` and `b` or, where values are objects, `a_NAME` and `b_NAME`.
 */
export function fromCircuit(bytes: Uint8Array, traits: Traits = {}): CircuitOperator {
  return operator('fromCircuit', { kind: 'circuit', bytes }, traits);
}

/**
 * A compiled program, from `Program.toBytes()`. `keys` is the name of the global whose rows, in their order, are the client's `evaluationKeys`. A row's value is what
 * `Client.encrypt` gives, with numbers beside it for inputs that are not encrypted; the new value is what `Program.run` gives. With `CrossMap` inputs are called `a_NAME` and
 * `b_NAME`. It reduces nothing: a program does not take its own results.
 */
export function fromProgram(bytes: Uint8Array, keys: string, traits: Traits = {}): ProgramOperator {
  return operator('fromProgram', { kind: 'program', bytes, keys }, traits);
}

/** Operators, or names of them, one after the other, each over all rows that the one before gave. */
export function sequence(steps: readonly (string | Operator)[], traits: Traits = {}): Sequence {
  return operator('sequence', { kind: 'sequence', steps }, traits);
}

/**
 * `for (i = from; i < to; i++) body(row i)`, over the rows of each sub-vector by their positions; other rows give no result. With `independent` turns it is cut into `parts`
 * shorter loops.
 */
export function loop(options: Omit<Loop, 'kind'>): Loop {
  return operator('loop', { kind: 'for' }, options);
}

/** `while (condition(row)) row = body(row)`, at most `most` times for each row. It is never cut, and runs where its row is. */
export function repeatWhile(
  condition: FunctionOperator,
  body: string | Operator,
  options: Pick<While, 'most'> & Traits,
): While {
  return operator('repeatWhile', { kind: 'while', condition, body }, options);
}

/** `if (condition(row)) then(row) else otherwise(row)`; rows stay as they are where there is no `otherwise`. */
export function when(
  condition: FunctionOperator,
  then: string | Operator,
  otherwise?: string | Operator,
  traits: Traits = {},
): If {
  return operator('when', { kind: 'if', condition, then, otherwise }, traits);
}

function operator<T extends Operator>(at: string, own: object, options: object): T {
  return checkOperator(at, { ...checkObject(`${at}, options`, options), ...own }) as T;
}

function textOf(address: unknown): unknown {
  return address instanceof URL ? address.href : address;
}

/** The same with addresses as text; what is none of them is refused later, as it was given. */
function withTexts(on: object): object {
  const one = (value: unknown): unknown =>
    value instanceof Object && 'module' in value ? { ...value, module: textOf(value.module) } : value;
  return Object.fromEntries(Object.entries(on).map(([kind, value]) => [kind, one(value)]));
}
