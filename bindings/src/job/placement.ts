/** Which kind of worker an operator goes to [V4]: a pin, what was measured, or a table. */
import { describe } from '../arguments.js';
import { failure } from '../errors.js';
import { type Kind, KINDS } from './kinds.js';
import type { FunctionOperator, Operator, Traits } from './types.js';

/** What an operator computes with. */
export type NumberType = NonNullable<Traits['type']>;

/** A table of kinds: by what an operator computes with, and the bytes of memory that it takes. */
export type PlacementTable = (type: NumberType, need: number) => Kind;

/** Memory from which on an operator is a large one, bytes: the seed's 3 GB, counted as drives are, in thousands. */
export const THRESHOLD = 3e9;

/** The seed's table with a threshold of one's own: small integers and large floats to the CPU, the others to the GPU. */
export function seedTable(threshold: number): PlacementTable {
  return (type, need) => ((type === 'int') === need < threshold ? 'cpu' : 'gpu');
}

/** The seed's table with its threshold. */
export const SEED_TABLE: PlacementTable = /* @__PURE__ */ seedTable(THRESHOLD);

/** What an operator is placed by. */
export interface Placing {
  /** What it computes with. */
  readonly type: NumberType;
  /** Memory that it takes, bytes. */
  readonly need: number;
  /** The kind that it has to run on, whatever the rest says. */
  readonly pin?: Kind | undefined;
}

/** What there is to choose from, and by. */
export interface Choices {
  /** Kinds of which the crew has workers. */
  readonly kinds: readonly Kind[];
  /** {@link SEED_TABLE} where it is not given. */
  readonly table?: PlacementTable | undefined;
  /** Of the seed's table; {@link THRESHOLD} where it is not given. */
  readonly threshold?: number | undefined;
  /** Nanoseconds that the operator took for a row, by kind: {@link Measurements.times}. */
  readonly measured?: Times | undefined;
}

/** Nanoseconds for a row, by kind. */
export type Times = Readonly<Partial<Record<Kind, number>>>;

/**
 * The kind of worker for an operator. First its pin; then, where the crew has one kind only, that one; then, where two kinds of the crew or more were measured, the fastest
 * (of equal ones the first of `KINDS`); then the table. What the table names and the crew has not is done by CPUs, or where there are none by the first kind of `KINDS` that
 * there is. Errors: JobError `job.kind` (no worker of the pinned kind, or none at all; a table that names no kind).
 */
export function chooseKind({ type, need, pin }: Placing, choices: Choices): Kind {
  const { kinds, threshold = THRESHOLD, table = seedTable(threshold), measured = {} } = choices;
  const present = KINDS.filter((kind) => kinds.includes(kind));
  const [first] = present;
  if (first === undefined) throw noKind('the crew has no workers', 'none', KINDS);
  if (pin !== undefined) {
    if (present.includes(pin)) return pin;
    throw noKind(`the crew has no worker of the kind that an operator is pinned to`, pin, present);
  }
  if (present.length === 1) return first;
  const fastest = fastestOf(measured, present);
  if (fastest !== undefined) return fastest;
  const wanted = table(type, need);
  if (present.includes(wanted)) return wanted;
  if (!KINDS.includes(wanted)) throw noKind('the table of placement names no kind', wanted, KINDS);
  return present.includes('cpu') ? 'cpu' : first;
}

/** Which of a function's modules runs on a kind of worker. */
export function moduleOn(
  { module, name, on }: FunctionOperator,
  kind: Kind,
): { readonly module: string; readonly name: string } {
  const own = on !== undefined && Object.hasOwn(on, kind) ? on[kind] : undefined;
  const chosen = own ?? { module, name };
  return { module: chosen.module, name: chosen.name ?? 'default' };
}

/**
 * Traits of an operator that is placed as a whole: its own; where it says nothing, of what it is made of: floats if any part computes with floats, the most that any needs,
 * and the kind that parts are pinned to. `operator` has no names in it. Errors: JobError `job.kind` where parts are pinned to different kinds.
 */
export function traitsOf(operator: Operator): Traits {
  const { type, need, processor } = operator;
  const within = partsOf(operator).map(traitsOf);
  const types = within.map((part) => part.type ?? 'float');
  const ownType = type ?? (types.length === 0 ? undefined : types.includes('float') ? 'float' : 'int');
  const needs = within.flatMap((part) => part.need ?? []);
  const ownNeed = need ?? (needs.length === 0 ? undefined : Math.max(...needs));
  const pins = new Set(within.flatMap((part) => part.processor ?? []));
  if (processor === undefined && pins.size > 1) {
    const problem = `an operator that runs as a whole ("${operator.kind}") has parts that are pinned to different kinds`;
    throw noKind(problem, [...pins], 'one kind, or a pin of the whole');
  }
  return traits(ownType, ownNeed, processor ?? [...pins][0]);
}

/** Traits of a part of something: its own, or else those of the whole. */
export function inherited(own: Traits, whole: Traits): Traits {
  return traits(own.type ?? whole.type, own.need ?? whole.need, own.processor ?? whole.processor);
}

/** How long operators took on each kind of worker, in one job. */
export class Measurements {
  readonly #of = new Map<string, Map<Kind, { rows: number; milliseconds: number }>>();

  /** Adds a task's time. Tasks without rows, and clocks that went back, tell nothing. */
  record(operator: string, kind: Kind, rows: number, milliseconds: number): void {
    if (!(rows > 0) || !(milliseconds >= 0)) return;
    const kinds = this.#of.get(operator) ?? new Map<Kind, { rows: number; milliseconds: number }>();
    this.#of.set(operator, kinds);
    const before = kinds.get(kind) ?? { rows: 0, milliseconds: 0 };
    kinds.set(kind, { rows: before.rows + rows, milliseconds: before.milliseconds + milliseconds });
  }

  /** Nanoseconds for a row, on average, on each kind that has done some. */
  times(operator: string): Times {
    const kinds = [...(this.#of.get(operator) ?? [])];
    return Object.fromEntries(
      kinds.map(([kind, { rows, milliseconds }]) => [kind, (milliseconds * 1e6) / rows] as const),
    );
  }

  /** The fastest kind; undefined before two were measured. */
  best(operator: string): Kind | undefined {
    return fastestOf(this.times(operator), KINDS);
  }
}

/** The fastest of some kinds, if at least two of them were measured. */
function fastestOf(times: Times, kinds: readonly Kind[]): Kind | undefined {
  const measured = kinds.flatMap((kind) => {
    const time = times[kind];
    return time === undefined ? [] : [{ kind, time }];
  });
  if (measured.length < 2) return undefined;
  return measured.reduce((best, other) => (other.time < best.time ? other : best)).kind;
}

/** What a composed operator is made of. */
function partsOf(operator: Operator): readonly Operator[] {
  const given = ((): readonly (string | Operator | undefined)[] => {
    switch (operator.kind) {
      case 'sequence':
        return operator.steps;
      case 'for':
        return [operator.body];
      case 'while':
        return [operator.condition, operator.body];
      case 'if':
        return [operator.condition, operator.then, operator.otherwise];
      default:
        return [];
    }
  })();
  return given.filter((part) => part !== undefined && typeof part !== 'string');
}

function traits(type: NumberType | undefined, need: number | undefined, processor: Kind | undefined): Traits {
  return {
    ...(type !== undefined && { type }),
    ...(need !== undefined && { need }),
    ...(processor !== undefined && { processor }),
  };
}

function noKind(problem: string, found: unknown, expected: string | readonly Kind[]): Error {
  const told = Array.isArray(found) ? found.join(', ') : describe(found);
  const wanted = typeof expected === 'string' ? expected : `one of ${expected.join(', ')}`;
  const message = `Placement: ${problem}: expected ${wanted}, found ${told}`;
  return failure('job.kind', message, { found, expected });
}
