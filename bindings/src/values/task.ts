/** The builder of tasks over values: turns what a person writes into a literal. Pure data, no wasm. */
import {
  checkArgument,
  checkOptions,
  describe,
  isName,
  OUTPUT_OPTIONS,
  RESULT_MAKER,
  RESULT_OPTIONS,
  TEXT,
  VALUE_OPTIONS,
} from '../arguments.js';
import { failure } from '../errors.js';
import { toUnits } from '../exact.js';
import { dayNumber, isDate } from './days.js';
import { Expression } from './expression.js';
import { givenOf, noResult, outputNamed, outputTypes, resultOf } from './program-info.js';
import { type Recorded, Recorder } from './recorder.js';
import { Records } from './records.js';
import { isProgram } from './steps.js';
import { checkedShape, describeType, readValueType, typeOf, typeText } from './type.js';
import type {
  Day,
  OutputOptions,
  Program,
  ResultInfo,
  ResultOptions,
  Value,
  ValueKind,
  ValueOperand,
  ValueOptions,
  ValuePlace,
  Task,
  TaskLiteral,
  TaskTies,
  ValueType,
} from './types.js';

const MOST_DECIMALS = 36;
const MOST_CATEGORIES = 2 ** 32;
const MOST_NAMES = 256;
/** Largest magnitude of a bound in units. */
const MOST_UNITS = 2n ** 126n - 1n;

/** Options that not every kind has. */
const OWN_OPTIONS: Readonly<Record<string, readonly ValueKind[]>> = {
  min: ['integer', 'real', 'date'],
  max: ['integer', 'real', 'date'],
  decimals: ['integer'],
  categories: ['category'],
};

/** A new empty task. Needs no wasm; `Loom.compile` takes it. */
export function createTask(): Task {
  return new TaskBuilder();
}

/** See {@link Task}. */
export class TaskBuilder implements Task {
  readonly #recorder = new Recorder();
  readonly #inputs = new Map<string, Value>();
  readonly #outputs = new Map<string, Recorded>();
  readonly #results = new Map<
    string,
    { readonly of: Task | Program; readonly output: string; readonly refreshed: boolean }
  >();
  readonly #kept: string[] = [];
  readonly #refreshed: string[] = [];

  encrypted(name: string, options: ValueOptions): Value {
    return this.#input('encrypted', name, options);
  }

  plain(name: string, options: ValueOptions): Value {
    return this.#input('plain', name, options);
  }

  public(name: string, options: ValueOptions): Value {
    return this.#input('public', name, options);
  }

  result(name: string, of: Task | Program, output: string = name, options: ResultOptions = {}): Value {
    checkName('input', name, this.#recorder.hasInput(name));
    const where = `result("${name}")`;
    checkArgument(`${where}, of`, of, RESULT_MAKER);
    checkArgument(`${where}, output`, output, TEXT);
    checkOptions(where, options, RESULT_OPTIONS);
    const { refreshed = false } = options;
    const { type, min, max } = isProgram(of) ? resultOf(of.info, output) : resultOfTask(of, output);
    if (isProgram(of)) givenOf(of.info, output, refreshed);
    // Its own outputs are values that it has.
    else if (of === this || (of instanceof TaskBuilder && of.#outputs.get(output)?.half !== 'server'))
      throw noResult(output, readValueType(type));
    const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
    const recorded = this.#recorder.input({ name, type, ...bounds }, readValueType(type), false);
    this.#results.set(name, { of, output, refreshed });
    return this.#declared(name, recorded);
  }

  constant(cells: Exclude<ValueOperand, Value>): Value {
    return Expression.constant('constant', this.#recorder, cells);
  }

  forEach<R extends Value | Readonly<Record<string, Value>>>(
    body: (record: Readonly<Record<string, Value>>) => R,
  ): R extends Value ? Value : { [N in keyof R]: Value };
  forEach<C extends Readonly<Record<string, Value>>, R extends Value | Readonly<Record<string, Value>>>(
    columns: C,
    body: (record: { readonly [N in keyof C]: Value }) => R,
  ): R extends Value ? Value : { [N in keyof R]: Value };
  forEach(
    given: Readonly<Record<string, Value>> | Body,
    body: unknown = given,
  ): Value | Record<string, Value> {
    const where = 'forEach';
    // Without columns: all inputs that are no single values.
    const columns = typeof given === 'function' ? this.#columns() : given;
    const all = Object.entries(isObject(columns) ? columns : {}).map(([name, value]) => {
      return [name, Expression.wholeOf(`${where}, column "${name}"`, this.#recorder, value)] as const;
    });
    const lengths = [...new Set(all.map(([, { shape }]) => shape[0]))];
    const [count] = lengths;
    if (lengths.length !== 1 || count === undefined || typeof body !== 'function') {
      const found = all.map(([name, { shape }]) => `"${name}" [${shape.join(', ')}]`).join(' and ');
      const expected = 'an object of columns, whose first dimensions are equal, and a function of one record';
      const shown = typeof body === 'function' ? found || describe(columns) : describe(body);
      throw failure('graph.shape', `${where}: expected ${expected}, found ${shown}`, {
        where,
        found: shown,
        expected,
      });
    }
    const records = new Records(count);
    const one = all.map(([name, column]) => [name, column.ofOne(where, records)]);
    const made = body(Object.freeze(Object.fromEntries(one) as Record<string, Value>));
    const ofAll = (value: unknown): Value => Expression.ofAll(where, this.#recorder, records, value);
    if (made instanceof Expression || !isObject(made)) return ofAll(made);
    return Object.fromEntries(Object.entries(made).map(([name, value]) => [name, ofAll(value)]));
  }

  output(name: string, value: Value, options: OutputOptions = {}): void {
    checkName('output', name, this.#outputs.has(name));
    checkOptions(`output("${name}")`, options, OUTPUT_OPTIONS);
    const where = `output("${name}")`;
    const recorded = Expression.wholeOf(where, this.#recorder, value).recordedAs(where);
    if (recorded.type.place === 'plain') {
      const found = describeType(recorded.type);
      const expected = 'an encrypted or public value';
      const problem = `Output "${name}": expected ${expected}, since the server's own is no result of the client's; found ${found}`;
      throw failure('operator.invalid', problem, { output: name, found, expected });
    }
    if (options.keep === true || options.refresh === true) {
      if (!isResult(recorded.type) || recorded.half !== 'server') throw noResult(name, recorded.type);
      (options.refresh === true ? this.#refreshed : this.#kept).push(name);
    }
    this.#outputs.set(name, recorded);
  }

  get hasReals(): boolean {
    return this.#recorder.hasReals(this.#outputs);
  }

  literal(reals?: boolean): TaskLiteral {
    return this.#recorder.literal(this.#outputs, reals);
  }

  ties(): TaskTies {
    return {
      results: new Map(this.#results),
      kept: [...this.#kept],
      refreshed: [...this.#refreshed],
    };
  }

  #columns(): Readonly<Record<string, Value>> {
    return Object.fromEntries([...this.#inputs].filter(([, { shape }]) => shape.length > 0));
  }

  #input(place: ValuePlace, name: string, options: ValueOptions): Value {
    checkName('input', name, this.#recorder.hasInput(name));
    const where = `${place}("${name}")`;
    checkOptions(where, options, VALUE_OPTIONS);
    const { kind = 'integer', shape = [], missing = false } = options;
    for (const [option, kinds] of Object.entries(OWN_OPTIONS)) {
      if ((options as unknown as Record<string, unknown>)[option] === undefined || kinds.includes(kind))
        continue;
      const problem = `${where}: option ${option} is of kind ${kinds.join(', ')} only, found kind ${kind}`;
      throw failure('input.option', problem, { where, found: option, expected: kinds });
    }
    const decimals = options.kind === undefined || options.kind === 'integer' ? (options.decimals ?? 0) : 0;
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > MOST_DECIMALS) {
      const problem = `Input "${name}": decimals must be 0 to ${MOST_DECIMALS}, found ${describe(decimals)}`;
      const expected = { min: 0, max: MOST_DECIMALS };
      throw failure('parameters.decimals', problem, { input: name, found: decimals, expected });
    }
    const categories = options.kind === 'category' ? categoriesOf(name, options.categories) : undefined;
    const own = checkedShape(where, shape);
    const type = typeOf(kind, own, { place, decimals, missing, ...categories });
    const literal = { name, type: typeText(type), ...bounds(name, options, decimals) };
    return this.#declared(name, this.#recorder.input(literal, type));
  }

  #declared(name: string, recorded: Recorded): Value {
    const value = new Expression(this.#recorder, recorded);
    this.#inputs.set(name, value);
    return value;
  }
}

type Body = (record: Readonly<Record<string, Value>>) => unknown;

/** Whether another task can compute on it, if the server has it. */
function isResult({ place, missing }: ValueType): boolean {
  return place === 'encrypted' && !missing;
}

/** An output of a task, of which bounds are known when it is compiled. Errors: as of {@link resultOf}. */
function resultOfTask(of: Task, name: string): Pick<ResultInfo, 'type' | 'min' | 'max'> {
  const { type } = outputNamed(outputTypes(of.literal()), name);
  if (!isResult(type)) throw noResult(name, type);
  return { type: typeText(type), min: undefined, max: undefined };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Promise);
}

/** How many there are, and their names, if they have some. Errors: ParameterError `parameters.categories`. */
function categoriesOf(name: string, given: unknown): Pick<ValueType, 'categories' | 'names'> {
  const isCount = Number.isInteger(given) && (given as number) >= 1 && (given as number) <= MOST_CATEGORIES;
  if (isCount) return { categories: given as number, names: undefined };
  const names: readonly unknown[] = Array.isArray(given) ? given : [];
  const areNames =
    names.length >= 1 &&
    names.length <= MOST_NAMES &&
    names.every(isName) &&
    new Set(names).size === names.length;
  if (areNames) return { categories: names.length, names: Object.freeze([...names] as string[]) };
  const expected = `a whole number from 1 to 2^32, or 1 to ${MOST_NAMES} different names of 1 to 256 bytes`;
  const found = describe(given);
  const problem = `Input "${name}": categories must be ${expected}, found ${found}`;
  throw failure('parameters.categories', problem, { input: name, found, expected });
}

/** Bounds as the core reads them. Errors: ParameterError `parameters.bounds`, OutOfRangeError `range.integer`. */
function bounds(name: string, options: ValueOptions, decimals: number): { min?: string; max?: string } {
  if (options.kind === 'boolean' || options.kind === 'category') return {};
  const { kind } = options;
  const read = (which: 'min' | 'max'): bigint | number => {
    const value: unknown = options[which];
    const bound =
      kind === 'real' ? realBound(value) : kind === 'date' ? dayBound(value) : unitBound(value, decimals);
    if (bound !== undefined) return bound;
    const expected =
      kind === 'real'
        ? 'a finite number'
        : kind === 'date'
          ? 'a day, such as "2024-02-29"'
          : `a number of at most ${decimals} decimals`;
    const found = describe(value);
    throw failure('parameters.bounds', `Input "${name}": ${which} must be ${expected}, found ${found}`, {
      input: name,
      bound: which,
      found,
      expected,
    });
  };
  const [min, max] = [read('min'), read('max')];
  const found = { min: String(options.min), max: String(options.max) };
  if (min > max)
    throw failure('parameters.bounds', `Input "${name}": min ${found.min} is greater than max ${found.max}`, {
      input: name,
      found,
    });
  if (kind !== 'real' && (min < -MOST_UNITS || max > MOST_UNITS)) {
    const problem = `Input "${name}": with ${decimals} decimals, ${found.min}..${found.max} exceeds 126-bit integers`;
    throw failure('range.integer', problem, { input: name, found, expected: { max: `${MOST_UNITS}` } });
  }
  return { min: String(min), max: String(max) };
}

function realBound(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function dayBound(value: unknown): bigint | undefined {
  const days = typeof value === 'string' || isDate(value) ? dayNumber(value as Day) : undefined;
  return days === undefined ? undefined : BigInt(days);
}

function unitBound(value: unknown, decimals: number): bigint | undefined {
  const isNumber = typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
  return isNumber ? toUnits(value, decimals) : undefined;
}

/** Errors: GraphError `graph.name`. */
function checkName(what: string, name: unknown, taken: boolean): void {
  if (isName(name) && !taken) return;
  const problem = taken
    ? 'is taken'
    : 'cannot be one: expected well-formed text of at most 256 bytes, and not "__proto__"';
  throw failure('graph.name', `The ${what} name ${describe(name)} ${problem}`, { [what]: describe(name) });
}
