/**
 * Operators as they are split against a library [V3]. The library keeps common procedures as calls; `for`, `while` and `if` are in every library, since the package itself
 * has them. What an operator has of it becomes a sub-operator each, in order, and the rest exceptions between them.
 */
import { failure } from '../errors.js';
import { inherited, traitsOf } from './placement.js';
import type { Library, Loop, Operator, Traits } from './types.js';

/** A sub-operator. */
export interface SubOperator {
  /** In the library, or else among the user's operators; `for`, `while`, `if`; undefined for what was written in place and is in neither. */
  readonly name?: string;
  /** What it is, with operators in the place of names. */
  readonly operator: Operator;
  /** Whether it is not in the library. */
  readonly exception: boolean;
  /** How it is placed: as it says, or else as the sequence says that it stands in. */
  readonly traits: Traits;
}

/** What an operator is split into. */
export interface OperatorSplit {
  /** Whether any of it is in the library. */
  readonly splittable: boolean;
  /**
   * One after the other, each over the whole sub-vector [R12]. What cannot be split is one whole; only where steps of it are pinned to different kinds of workers, these steps.
   */
  readonly parts: readonly SubOperator[];
}

/** Names that the package's own operators have in every library. */
export const BUILT_IN = ['for', 'while', 'if'] as const;

/**
 * Splits an operator. A step is in the library by its name, or by being equal to one that is there, bytes included, however it is to be placed; one that is stays whole, also
 * where the library has a sequence there. Other sequences become their steps, at any depth. A `for`, `while` or `if` is one sub-operator with its body, which is not split: rows
 * stay where they are. Errors: JobError `job.definition` for a name that is in neither of the libraries; `job.kind` where parts of what runs as a whole are pinned to different
 * kinds of workers.
 */
export function splitOperator(
  operator: string | Operator,
  library: Library = {},
  operators: Library = {},
): OperatorSplit {
  const names = new Names(library, operators);
  const parts = [...stepsOf(operator, {}, names, new LibraryIndex(names, library))];
  if (parts.some(({ exception }) => !exception)) return { splittable: true, parts };
  const pins = new Set(parts.map(({ traits }) => traits.processor).filter((pin) => pin !== undefined));
  if (pins.size > 1) return { splittable: false, parts };
  const whole = names.resolved(operator);
  const name = typeof operator === 'string' ? { name: operator } : {};
  return {
    splittable: false,
    parts: [{ ...name, operator: whole, exception: true, traits: traitsOf(whole) }],
  };
}

/** An operator with operators in the place of all names. Errors: as of {@link splitOperator}. */
export function resolved(
  operator: string | Operator,
  library: Library = {},
  operators: Library = {},
): Operator {
  return new Names(library, operators).resolved(operator);
}

/**
 * A loop as shorter ones [V3]: as many as its `parts`, but none without turns. They are disjoint, in order, cover its range, and the first ones have one turn more where it
 * does not divide. One whose turns are not said to be independent stays as it is [R19], and so does one without turns.
 */
export function splitLoop(loop: Loop): Loop[] {
  const { parts = 1, ...rest } = loop;
  const turns = loop.to - loop.from;
  const count = loop.independent === true ? Math.min(parts, turns) : 1;
  if (count <= 1) return [rest];
  const [least, more] = [Math.floor(turns / count), turns % count];
  return Array.from({ length: count }, (_, index) => {
    const from = loop.from + index * least + Math.min(index, more);
    return { ...rest, from, to: from + least + (index < more ? 1 : 0) };
  });
}

/** Sub-operators in order. `whole`: traits of the sequences that it stands in. */
function* stepsOf(
  operator: string | Operator,
  whole: Traits,
  names: Names,
  index: LibraryIndex,
): Generator<SubOperator> {
  const found = names.find(operator);
  const entry = index.entryOf(operator);
  if (entry === undefined && found.kind === 'sequence') {
    const inner = inherited(found, whole);
    for (const step of found.steps) yield* stepsOf(step, inner, names, index);
    return;
  }
  const builtIn = BUILT_IN.find((kind) => kind === found.kind);
  const name = entry?.name ?? builtIn ?? (typeof operator === 'string' ? operator : undefined);
  const own = names.resolved(found);
  yield {
    ...(name !== undefined && { name }),
    operator: own,
    exception: entry === undefined && builtIn === undefined,
    traits: inherited(traitsOf(own), inherited(entry === undefined ? {} : traitsOf(entry.operator), whole)),
  };
}

/** Operators by name. */
class Names {
  readonly #libraries: readonly Library[];

  constructor(...libraries: readonly Library[]) {
    this.#libraries = libraries;
  }

  /** Errors: JobError `job.definition` for a name that there is not. */
  find(operator: string | Operator): Operator {
    if (typeof operator !== 'string') return operator;
    for (const library of this.#libraries)
      if (Object.hasOwn(library, operator)) return library[operator] as Operator;
    const expected = this.#libraries.flatMap((library) => Object.keys(library));
    const problem = `There is no operator ${JSON.stringify(operator)}; there are ${expected.join(', ') || 'none'}`;
    throw failure('job.definition', problem, { found: operator, expected, at: 'operator' });
  }

  resolved(operator: string | Operator): Operator {
    const found = this.find(operator);
    switch (found.kind) {
      case 'sequence':
        return { ...found, steps: found.steps.map((step) => this.resolved(step)) };
      case 'for':
        return { ...found, body: this.resolved(found.body) };
      case 'while':
        return { ...found, body: this.resolved(found.body) };
      case 'if':
        return {
          ...found,
          then: this.resolved(found.then),
          ...(found.otherwise !== undefined && { otherwise: this.resolved(found.otherwise) }),
        };
      default:
        return found;
    }
  }
}

/** An operator of the library. */
interface Entry {
  readonly name: string;
  readonly operator: Operator;
}

/** Which operators are in the library. */
class LibraryIndex {
  readonly #names: Names;
  readonly #entries: readonly Entry[];

  constructor(names: Names, library: Library) {
    this.#names = names;
    this.#entries = Object.keys(library).map((name) => ({ name, operator: names.resolved(name) }));
  }

  /** By name, or else the first one that computes the same. */
  entryOf(operator: string | Operator): Entry | undefined {
    const named = this.#entries.find(({ name }) => name === operator);
    if (named !== undefined || this.#entries.length === 0) return named;
    const found = computation(this.#names.resolved(operator));
    return this.#entries.find((entry) => equal(computation(entry.operator), found));
  }
}

/** What an operator computes, without how it is placed. */
function computation({ type: _, need: __, processor: ___, ...rest }: Operator): object {
  return rest;
}

/** Whether two values of a definition are the same: properties in any order, arrays and bytes one by one. */
function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array)
    return a instanceof Uint8Array && b instanceof Uint8Array && sameItems(a, b);
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  const [of, others] = [fieldsOf(a), fieldsOf(b)];
  return of.size === others.size && [...of].every(([name, field]) => equal(field, others.get(name)));
}

/** Properties that are defined; `default` is the name of a function that has none. */
function fieldsOf(value: object): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>(Object.entries(value).filter(([, field]) => field !== undefined));
  if (fields.get('kind') === 'function' && !fields.has('name')) fields.set('name', 'default');
  return fields;
}

function sameItems(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!equal(a[index], b[index])) return false;
  return true;
}
