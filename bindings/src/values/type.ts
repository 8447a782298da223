/** Types of values: checked, and as the text that the core reads. */
import { describe } from '../arguments.js';
import { failure } from '../errors.js';
import { readAttributes } from '../type-text.js';
import type { Shape, ValueKind, ValuePlace, ValueType } from './types.js';

const MOST_CELLS = 2 ** 32;
export const MOST_DIMENSIONS = 16;
/** What the core has. */
const MOST_DECIMALS = 1000;

const KINDS: readonly string[] = ['integer', 'real', 'boolean', 'date', 'category'] satisfies ValueKind[];
/** In order: a result is where the most hidden of its operands is. */
const PLACES: readonly string[] = ['public', 'plain', 'encrypted'] satisfies ValuePlace[];

/** A type of that kind and shape, encrypted and complete, but for what else is said. */
export function typeOf(kind: ValueKind, shape: Shape, more: Partial<ValueType> = {}): ValueType {
  return {
    kind,
    shape,
    place: 'encrypted',
    decimals: 0,
    missing: false,
    categories: undefined,
    names: undefined,
    ...more,
  };
}

/** The most hidden of some places. */
export function mostHidden(...places: readonly ValuePlace[]): ValuePlace {
  return PLACES[Math.max(0, ...places.map((place) => PLACES.indexOf(place)))] as ValuePlace;
}

/** How many cells a shape has. */
export function cellsOf(shape: Shape): number {
  return shape.reduce((cells, length) => cells * length, 1);
}

/** A copy. Errors: GraphError `graph.shape` for what no value can have. */
export function checkedShape(where: string, shape: unknown): Shape {
  const lengths: readonly unknown[] = Array.isArray(shape) ? shape : [0];
  const whole = lengths.every((length) => Number.isSafeInteger(length) && (length as number) >= 1);
  const own = whole ? ([...lengths] as number[]) : [];
  if (whole && own.length <= MOST_DIMENSIONS && cellsOf(own) <= MOST_CELLS) return Object.freeze(own);
  const found = Array.isArray(shape) ? `[${shape.map(describe).join(', ')}]` : describe(shape);
  const expected = 'an array of at most 16 lengths of at least 1, of at most 2^32 cells';
  throw failure('graph.shape', `${where}: the shape must be ${expected}, found ${found}`, {
    where,
    found,
    expected,
  });
}

/** `value[1]{kind="integer", shape=[3], where="encrypted", decimals=2}`. */
export function typeText(type: ValueType): string {
  const { kind, shape, place, decimals, missing, categories, names } = type;
  const parts = [`kind="${kind}"`, `shape=[${shape.join(',')}]`, `where="${place}"`];
  if (categories !== undefined) parts.push(`categories=${categories}`);
  if (decimals > 0) parts.push(`decimals=${decimals}`);
  if (missing) parts.push('missing=1');
  if (names !== undefined) parts.push(`names=$${JSON.stringify(names)}`);
  return `value[1]{${parts.join(', ')}}`;
}

/** The type of such a text. Errors: FormatError `format.program` for any other. */
export function readValueType(text: string): ValueType {
  const attributes = /^value(\[1\])?(\{.*\})$/s.exec(text)?.[2] ?? '{}';
  const { kind, shape, where, categories, names, decimals = 0, missing = 0 } = readAttributes(attributes);
  const isNamed = Array.isArray(names) && names.every((name) => typeof name === 'string');
  const known =
    KINDS.includes(kind as string) &&
    PLACES.includes(where as string) &&
    Array.isArray(shape) &&
    (names === undefined || isNamed);
  if (!known) throw failure('format.program', `Not a program: ${describe(text)} is no type of a value`);
  return typeOf(kind as ValueKind, shape.map(Number), {
    place: where as ValuePlace,
    decimals: Number(decimals),
    missing: Number(missing) !== 0,
    categories: categories === undefined ? undefined : Number(categories),
    names: names as readonly string[] | undefined,
  });
}

/** What people call it: `encrypted integers [3, 4], 2 decimals, cells may be missing`. */
export function describeType(type: ValueType): string {
  const { kind, shape, place, decimals, missing, categories, names } = type;
  const lengths = shape.length === 0 ? '' : ` [${shape.join(', ')}]`;
  const parts = [`${place} ${kind}${lengths}`];
  if (categories !== undefined)
    parts.push(`${categories} categories${names === undefined ? '' : `: ${shownNames(names)}`}`);
  if (decimals > 0) parts.push(`${decimals} decimals`);
  if (missing) parts.push('cells may be missing');
  return parts.join(', ');
}

/** As many names as one wants to read in an error. */
export function shownNames(names: readonly string[]): string {
  return [...names.slice(0, 5).map(describe), ...(names.length > 5 ? ['...'] : [])].join(', ');
}

/** Whether categories of two values are the same ones. */
export function sameCategories(a: ValueType, b: ValueType): boolean {
  if (a.categories !== b.categories || (a.names === undefined) !== (b.names === undefined)) return false;
  return a.names === b.names || (a.names ?? []).every((name, at) => name === b.names?.[at]);
}

/** The result of an operator as it can be. Errors: GraphError. */
export function checkedType(where: string, type: ValueType): ValueType {
  checkedShape(where, type.shape);
  if (type.decimals <= MOST_DECIMALS) return type;
  throw failure(
    'operator.invalid',
    `${where}: the result would have ${type.decimals} decimals, at most 1000`,
    {
      where,
      found: type.decimals,
      expected: { max: MOST_DECIMALS },
    },
  );
}

/** The shape that two broadcast to, as NumPy does. Errors: GraphError `graph.shape`. */
export function broadcastShape(where: string, a: Shape, b: Shape): Shape {
  const length = Math.max(a.length, b.length);
  const aligned = (shape: Shape): number[] => [...Array<number>(length - shape.length).fill(1), ...shape];
  const [first, second] = [aligned(a), aligned(b)];
  return first.map((own, axis) => {
    const other = second[axis] as number;
    if (own === other || other === 1) return own;
    if (own === 1) return other;
    const found = `[${a.join(', ')}] and [${b.join(', ')}]`;
    const expected = 'lengths that are equal or 1, counted from the last';
    throw failure('graph.shape', `${where}: shapes ${found} do not go together, expected ${expected}`, {
      where,
      found: [a, b],
      expected,
    });
  });
}
