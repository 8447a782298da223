/**
 * Runs before a visitor's program, in a worker that has no network, no storage and no part of the page: gives it the package's
 * builder of tasks and reader of tables, and tells what it described. The page believes nothing of that unchecked.
 */
import { approximation, CipherloomError, createTask, ERROR_CODES, UndefinedStatisticError } from 'cipherloom';
import { columnOptions, parseTable } from 'cipherloom/table';
import type { Given, SandboxInput, SandboxReply } from './messages.js';

/** What the compiled program is: a module in CommonJS's form. */
type Program = (
  exports: { default?: unknown },
  require: (name: string) => unknown,
  at: (line: number) => void,
  console: Record<string, (...values: unknown[]) => void>,
) => void;

const MODULES: Readonly<Record<string, object>> = {
  cipherloom: { approximation, CipherloomError, createTask, ERROR_CODES, UndefinedStatisticError },
  'cipherloom/table': { columnOptions, parseTable },
};
const PLACES = ['encrypted', 'plain', 'public'] as const;
/** Rounds of loops between two looks at the clock, milliseconds between two reports, lines that are kept. */
const [ROUNDS, REPORT, MOST_LINES, LONGEST_LINE] = [64, 250, 200, 2000];

/** A program has taken too long, at a line of its text. */
class TooLong extends Error {
  constructor(
    readonly line: number,
    milliseconds: number,
  ) {
    super(`This loop was still running after ${milliseconds / 1000} seconds`);
  }
}

function say(reply: SandboxReply): void {
  postMessage(reply);
}

/** A module whose missing names are told. */
function moduleNamed(name: string): object {
  const known = Object.hasOwn(MODULES, name) ? MODULES[name]! : undefined;
  if (known === undefined)
    throw new Error(`There is no "${name}" here: programs import cipherloom and cipherloom/table`);
  return new Proxy(known, {
    get: (target, key) => {
      if (key in target || typeof key === 'symbol' || key === '__esModule' || key === 'default')
        return Reflect.get(target, key) as unknown;
      throw new Error(`"${key}" of ${name} is not for programs that describe a task: the page runs it`);
    },
  });
}

/** Called in each round of each loop. */
function watch(patience: number): (line: number) => void {
  const start = performance.now();
  let [rounds, told] = [0, start];
  return (line) => {
    if (++rounds % ROUNDS !== 0) return;
    const now = performance.now();
    if (now - start > patience) throw new TooLong(line, patience);
    if (now - told < REPORT) return;
    told = now;
    say({ kind: 'at', line });
  };
}

function consoleOf(): Record<string, (...values: unknown[]) => void> {
  let lines = 0;
  const log = (...values: unknown[]): void => {
    if (++lines > MOST_LINES) return;
    say({ kind: 'said', text: values.map(textOf).join(' ').slice(0, LONGEST_LINE) });
  };
  return { log, info: log, warn: log, error: log, debug: log };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    const text: string | undefined = JSON.stringify(value, (_, one: unknown) =>
      typeof one === 'bigint' ? `${one}n` : ArrayBuffer.isView(one) ? Array.from(one as Float64Array) : one,
    );
    return text ?? String(value);
  } catch {
    return String(value);
  }
}

/** What the program gives to be computed on. */
function checked(given: unknown): Given {
  const expected =
    'expected the program to return { encrypted: { name: cells } }, and plain and public the same way';
  if (given instanceof Promise) throw new Error(`The program returned a promise: ${expected}, at once`);
  if (typeof given !== 'object' || given === null)
    throw new Error(`The program returned ${String(given)}: ${expected}`);
  const unknown = Object.keys(given).find((key) => !(PLACES as readonly string[]).includes(key));
  if (unknown !== undefined) throw new Error(`The program returned "${unknown}": ${expected}`);
  return given;
}

function run(program: Program, { csv, patience }: SandboxInput): SandboxReply {
  const exports: { default?: unknown } = {};
  // A large table takes a while, which is not the program's.
  const table = parseTable(csv, { delimiter: ',' });
  say({ kind: 'begins' });
  program(exports, moduleNamed, watch(patience), consoleOf());
  if (typeof exports.default !== 'function')
    throw new Error('The program has no function: expected "export default function program(task, table)"');
  const task = createTask();
  const describe = exports.default as (task: unknown, table: unknown) => unknown;
  const given = checked(describe(task, table));
  const { results, kept, refreshed } = task.ties();
  if (results.size > 0)
    throw new Error('Results of other programs are not for the playground: it runs one program');
  return { kind: 'described', literal: task.literal(), kept, refreshed, given };
}

function failureOf(error: unknown): SandboxReply {
  const known = error instanceof Error ? error : new Error(`The program threw ${textOf(error)}`);
  const code =
    known instanceof CipherloomError ? known.code : known.name === 'Error' ? undefined : known.name;
  const line = known instanceof TooLong ? known.line : undefined;
  return { kind: 'failed', code, message: known.message, line, stack: String(known.stack ?? '') };
}

(Error as { stackTraceLimit?: number }).stackTraceLimit = 50;
addEventListener('message', ({ data }: MessageEvent<SandboxInput>) => {
  const { cipherloomProgram } = globalThis as { cipherloomProgram?: Program };
  try {
    if (cipherloomProgram === undefined) throw new Error('There is no program');
    say(run(cipherloomProgram, data));
  } catch (error) {
    // What a task was given may be nothing that can be sent.
    say(failureOf(error));
  }
});
