/** Expressions over values: what a person writes, as operators that fit together. */
import {
  checkArgument,
  checkOptions,
  COMPARISON_OPTIONS,
  describe,
  MOMENT_OF,
  NUMBERS,
  VARIANCE_OPTIONS,
  wrongType,
} from '../arguments.js';
import { failure } from '../errors.js';
import { decimalsOf, doubleBeyond, powerOfTen, toUnits } from '../exact.js';
import { countAlong, meanAlong, varianceAlong } from './along.js';
import { approximation, checkedApproximation } from './approximation.js';
import {
  type Constant,
  constantAttributes,
  constantOf,
  doubles,
  exact,
  haveNoMore,
  type Like,
  mapDoubles,
  roundedTo,
} from './constants.js';
import { dayNumber, isDate } from './days.js';
import { type Apart, conjunction, type Fill, isZero, ofGaps, type Tools, zero } from './gaps.js';
import { lookup } from './lookup.js';
import type { Recorded, Recorder } from './recorder.js';
import { regressionOfSeveral } from './regression.js';
import { notOfOne, recordForAll, type Records, typeInRecord } from './records.js';
import type { RuleAttributes } from './rules.js';
import { counts, histogram, quantile } from './tallies.js';
import { broadcastShape, cellsOf, checkedShape, describeType, mostHidden, typeOf } from './type.js';
import type {
  Approximation,
  ApproximationOptions,
  ComparisonOptions,
  Day,
  MomentOf,
  Shape,
  Value,
  ValueKind,
  ValueOperand,
  ValuePlace,
  ValueType,
  VarianceOptions,
} from './types.js';

/** Digits of a power of ten that one operator multiplies with. */
const MOST_DIGITS = 37;
const MOST_EXPONENT = 1000;
const MOST_DEGREE = 100;
const NUMBER_KINDS: ReadonlySet<ValueKind> = new Set(['integer', 'real']);

/** An operand that a caller gave. */
type Given = Expression | Constant;

/** See {@link Value}. */
export class Expression implements Value {
  readonly kind: ValueKind;
  readonly shape: Shape;
  readonly place: ValuePlace;
  readonly decimals: number;
  readonly missing: boolean;
  readonly categories: number | undefined;
  readonly names: readonly string[] | undefined;
  readonly finished: boolean;
  readonly ofDoubles: boolean;
  readonly #recorder: Recorder;
  /** Whether it has missing cells, and was made of others: it is recorded where it is asked for as a whole. */
  readonly #isMade: boolean;
  /** What it is in a task, once that was asked for. */
  #recorded: Recorded | undefined;
  /** Of one with missing cells, once that was asked for. */
  #apart: Apart<Expression> | undefined;
  /** Which of its cells are there, once that was asked for. */
  #mask: Expression | undefined;
  /** Of one with missing cells, by shape. */
  readonly #broadcasts = new Map<string, Expression>();
  /** Those that it is a value of one of, inside of a `forEach`. */
  readonly #records: Records | undefined;

  /** A value that is recorded, or one with missing cells that is so where it is asked for as a whole. */
  constructor(recorder: Recorder, made: Recorded | Apart<Expression>, records?: Records) {
    const apart = 'cells' in made ? made : undefined;
    const type = 'cells' in made ? gappyType(made) : typeInRecord({ recorded: made, records });
    this.kind = type.kind;
    this.shape = type.shape;
    this.place = type.place;
    this.decimals = type.decimals;
    this.missing = type.missing;
    this.categories = type.categories;
    this.names = type.names;
    this.finished = 'cells' in made ? made.cells.finished : made.half === 'client';
    this.ofDoubles = 'cells' in made ? made.cells.ofDoubles : made.ofDoubles;
    this.#recorder = recorder;
    this.#isMade = apart !== undefined;
    this.#recorded = 'cells' in made ? undefined : made;
    this.#apart = apart && { ...apart, there: once(apart.there) };
    this.#records = 'cells' in made ? made.cells.#records : records;
  }

  /** A value of a task. Errors: InputError `input.type` for what is none, GraphError `graph.foreign` for one of another task. */
  static of(where: string, recorder: Recorder, value: unknown): Expression {
    if (!(value instanceof Expression)) {
      const [found, expected] = [describe(value), 'a value of this task'];
      throw failure('input.type', `${where}: expected ${expected}, found ${found}`, {
        where,
        found,
        expected,
      });
    }
    if (value.#recorder === recorder) return value;
    throw failure('graph.foreign', `${where}: expected a value of this task, found one of another`, {
      where,
    });
  }

  /** As {@link of}, and of no record. Errors: GraphError `graph.foreign` for a value of one, too. */
  static wholeOf(where: string, recorder: Recorder, value: unknown): Expression {
    const own = Expression.of(where, recorder, value);
    if (own.#records === undefined) return own;
    const expected = 'a value of all records: what forEach gives';
    throw failure('graph.foreign', `${where}: expected ${expected}, found one of a single record`, {
      where,
      expected,
    });
  }

  /** What a `forEach` gives for what its body gave for one record. Errors: as of {@link of}. */
  static ofAll(where: string, recorder: Recorder, records: Records, value: unknown): Expression {
    const own = Expression.of(where, recorder, value);
    if (own.#records !== undefined && own.#records !== records) throw otherRecord(where);
    // What is the same for each record is so for all.
    return own.#seen((one) =>
      one.#records === undefined
        ? one.#broadcast(where, [records.count, ...one.shape])
        : new Expression(recorder, one.recordedAs(where)),
    );
  }

  /** What is of all such records, as a value of one of them. */
  ofOne(where: string, records: Records): Expression {
    return this.#seen((one) => new Expression(this.#recorder, one.recordedAs(where), records));
  }

  /** The same seen in another way, with missing cells as they are taken apart. */
  #seen(see: (complete: Expression) => Expression): Expression {
    if (!this.#isMade) return see(this);
    const { cells, there, filled, ...rest } = this.#takenApart('forEach');
    return this.#whole({
      ...rest,
      cells: see(cells),
      there: () => there().map(see),
      filled: filled && ((fill) => see(filled(fill))),
    });
  }

  /** What it is in a task. Errors: GraphError. */
  recordedAs(where: string): Recorded {
    if (this.#recorded !== undefined) return this.#recorded;
    const { cells, zeroed } = this.#takenApart(where);
    const mask = this.#isThere(where);
    // A mask that everybody knows is encrypted beside what is.
    const hidden = this.place === 'encrypted' && mask.place === 'public';
    const own = hidden ? this.#node(where, 'value.and', [cells.#truth(where), mask]) : mask;
    const attributes = zeroed ? { zeroed: 1 } : undefined;
    this.#recorded = this.#node(where, 'value.gaps', [cells, own], attributes).recordedAs(where);
    return this.#recorded;
  }

  /** A constant of a task. Errors: as of {@link constantOf}. */
  static constant(where: string, recorder: Recorder, value: unknown): Expression {
    const attributes = constantAttributes(where, constantOf(where, value, undefined));
    return new Expression(recorder, recorder.node(where, 'value.constant', [], attributes));
  }

  add(other: ValueOperand): Value {
    return this.#both('add', 'value.add', this.#given('add', other), true);
  }

  sub(other: ValueOperand): Value {
    return this.#both('sub', 'value.sub', this.#given('sub', other), true);
  }

  multiply(other: ValueOperand): Value {
    return this.#both('multiply', 'value.multiply', this.#given('multiply', other));
  }

  negate(): Value {
    return this.#alone('negate', 'value.negate');
  }

  square(): Value {
    return this.#alone('square', 'value.square');
  }

  power(exponent: number): Value {
    if (!Number.isInteger(exponent) || exponent < 1 || exponent > MOST_EXPONENT)
      throw wrongArgument('power', 'a whole exponent from 1 to 1000', exponent);
    return exponent === 1 ? this : this.#alone('power', 'value.power', { exponent });
  }

  polynomial(coefficients: readonly (number | bigint)[]): Value {
    checkArgument('polynomial, coefficients', coefficients, NUMBERS);
    const degree = coefficients.length - 1;
    const last = coefficients.at(-1);
    if (degree < 1 || degree > MOST_DEGREE || last === 0 || last === 0n) {
      const expected = '2 to 101 coefficients, from the constant one on, the last of which is not 0';
      throw wrongArgument('polynomial', expected, coefficients);
    }
    const decimals = coefficients.reduce((most: number, one) => Math.max(most, decimalsOf(one)), 0);
    const units = coefficients.map((one) => exact('polynomial', toUnits(one, decimals) as bigint));
    return this.#alone('polynomial', 'value.polynomial', {
      coefficients: units,
      decimals: decimals > 0 ? decimals : undefined,
    });
  }

  divide(other: ValueOperand): Value {
    const given = this.#given('divide', other);
    // No scheme divides, but for a real there is the inverse.
    const inverse = this.kind === 'real' && this.place === 'encrypted' && !this.finished;
    if (given instanceof Expression || given.kind === 'date' || !inverse)
      return this.#both('divide', 'value.divide', given);
    const inverses = mapDoubles(given, (cell) => 1 / cell);
    if (!inverses.cells.every((cell) => Number.isFinite(cell)))
      throw wrongArgument('divide', 'divisors other than 0, whose inverses are doubles', other);
    return this.#both('divide', 'value.multiply', inverses);
  }

  sqrt(): Value {
    return this.#alone('sqrt', 'value.root');
  }

  finish(): Value {
    return this.#alone('finish', 'value.finish');
  }

  approximate(of: ((x: number) => number) | Approximation, options?: ApproximationOptions): Value {
    return this.#approximated('approximate', of, options);
  }

  sigmoid(options: ApproximationOptions): Value {
    return this.#approximated('sigmoid', (x: number) => 1 / (1 + Math.exp(-x)), options);
  }

  within(min: number | bigint | Day, max: number | bigint | Day): Value {
    const where = 'within';
    const [low, high] = [this.#bound(where, min, -1), this.#bound(where, max, 1)];
    if (!(low <= high))
      throw wrongArgument(where, 'min no larger than max', `${describe(min)} and ${describe(max)}`);
    return this.#alone(where, 'value.within', { min: low, max: high });
  }

  lessThan(other: ValueOperand, options?: ComparisonOptions): Value {
    return this.#compare('lessThan', other, 'lt', false, options);
  }

  atMost(other: ValueOperand, options?: ComparisonOptions): Value {
    return this.#compare('atMost', other, 'le', false, options);
  }

  greaterThan(other: ValueOperand, options?: ComparisonOptions): Value {
    return this.#compare('greaterThan', other, 'lt', true, options);
  }

  atLeast(other: ValueOperand, options?: ComparisonOptions): Value {
    return this.#compare('atLeast', other, 'le', true, options);
  }

  max(other: ValueOperand, options?: ComparisonOptions): Value {
    return this.#compare('max', other, 'lt', false, options).select(other, this);
  }

  min(other: ValueOperand, options?: ComparisonOptions): Value {
    return this.#compare('min', other, 'lt', false, options).select(this, other);
  }

  equals(other: ValueOperand): Value {
    return this.#compare('equals', other, 'eq', false);
  }

  and(other: ValueOperand): Value {
    return this.#both('and', 'value.and', this.#given('and', other));
  }

  or(other: ValueOperand): Value {
    return this.#both('or', 'value.or', this.#given('or', other));
  }

  not(): Value {
    return this.#alone('not', 'value.not');
  }

  select(a: ValueOperand, b: ValueOperand): Value {
    const where = 'select';
    // What is a number in one is of the kind of the other.
    const like = [b, a].map((other) => (other instanceof Expression ? other : undefined));
    const given = [a, b].map((one, index) => this.#given(where, one, like[index]));
    const [first, second] = this.#alike(where, given) as [Expression, Expression];
    const shape = broadcastShape(where, this.shape, broadcastShape(where, first.shape, second.shape));
    return this.#node(
      where,
      'value.select',
      [this, first, second].map((one) => one.#broadcast(where, shape)),
    );
  }

  sum(axis?: number): Value {
    if (axis !== undefined) this.#checkAxis('sum', axis);
    return this.#alone('sum', 'value.sum', { axis });
  }

  dot(other: ValueOperand): Value {
    return this.#node('dot', 'value.dot', [this, this.#of('dot', other)]);
  }

  matmul(other: ValueOperand): Value {
    const where = 'matmul';
    const mate = this.#of(where, other);
    const [own, its] = [this.shape.length, mate.shape.length];
    if (own === 1 && its === 1) return this.#node(where, 'value.dot', [this, mate]);
    if (own === 2 && its === 1) return this.#node(where, 'matrix.vector', [this, mate]);
    if (own !== 1 || its !== 2) return this.#node(where, 'matrix.multiply', [this, mate]);
    // A vector times a matrix is a matrix of one row.
    const row = this.#node(where, 'value.reshape', [this], { shape: [1, ...this.shape] });
    const product = this.#node(where, 'matrix.multiply', [row, mate]);
    return product.#node(where, 'value.reshape', [product], { shape: product.shape.slice(1) });
  }

  count(axis?: number): Value {
    if (axis !== undefined) return countAlong(this.#along('count', axis), axis);
    // What is made of others with missing cells need not be put together.
    if (this.#isMade && this.#records === undefined)
      return (this.kind === 'boolean' ? this : this.present()).sum();
    return this.#alone('count', 'stats.count');
  }

  mean(axis?: number): Value {
    if (axis !== undefined) return meanAlong(this.#along('mean', axis), axis);
    return this.#alone('mean', 'stats.mean');
  }

  variance(options: VarianceOptions = {}): Value {
    const where = 'variance';
    checkOptions(where, options, VARIANCE_OPTIONS);
    const { of = 'sample', axis } = options;
    if (axis !== undefined) return varianceAlong(this.#along(where, axis), axis, of);
    return this.#alone(where, 'stats.variance', { of });
  }

  covariance(other: ValueOperand, options?: MomentOf): Value {
    const mate = this.#of('covariance', other);
    return this.#node('covariance', 'stats.covariance', [this, mate], moment('covariance', options));
  }

  correlation(other: ValueOperand): Value {
    return this.#node('correlation', 'stats.correlation', [this, this.#of('correlation', other)]);
  }

  regression(y: ValueOperand): Value {
    if (this.shape.length === 2 && this.#records === undefined && this.kind !== 'category')
      return regressionOfSeveral(this, this.#of('regression', y), (equations) =>
        this.#node('regression', 'value.solve', equations as readonly Expression[]),
      );
    return this.#node('regression', 'stats.regression', [this, this.#of('regression', y)]);
  }

  counts(): Value {
    return counts(this.#ofAll('counts'));
  }

  histogram(edges: readonly (number | bigint | Day)[], options?: ComparisonOptions): Value {
    return histogram(this.#ofAll('histogram'), edges, options);
  }

  quantile(share: number, edges: readonly (number | bigint)[], options?: ComparisonOptions): Value {
    return quantile(this.#ofAll('quantile'), share, edges, options);
  }

  lookup(table: ValueOperand): Value {
    const where = 'lookup';
    const own = table instanceof Expression;
    const entries = own
      ? Expression.of(where, this.#recorder, table)
      : Expression.constant(where, this.#recorder, table);
    const many = this.shape.length > 0 || this.#records !== undefined;
    if (!this.missing) return lookup(this, entries, many);
    const { cells, there } = this.#takenApart(where);
    const found = lookup(cells, entries, many) as Expression;
    const one = [...this.shape, ...found.shape.slice(this.shape.length).map(() => 1)];
    return this.#whole({
      cells: found,
      zeroed: false,
      there: () => there().map((is) => is.#reshaped(where, one).#broadcast(where, found.shape)),
      place: found.place,
    });
  }

  at(...indices: number[]): Value {
    if (indices.length < 1 || indices.length > this.shape.length)
      throw this.#wrongShape('at', `1 to ${this.shape.length} indices`, `${indices.length}`);
    const start = indices.map((index, axis) => {
      const length = this.shape[axis] as number;
      const from = Number.isInteger(index) && index < 0 ? length + index : index;
      if (Number.isInteger(from) && from >= 0 && from < length) return from;
      throw this.#wrongShape('at', `a whole number from ${-length} to ${length - 1}`, describe(index));
    });
    const rest = this.shape.slice(indices.length);
    const box = this.#box('at', [...start, ...rest.map(() => 0)], [...start.map(() => 1), ...rest]);
    return box.#reshaped('at', rest);
  }

  slice(start: number | readonly number[], end?: number | readonly number[]): Value {
    const bounds = (of: number | readonly number[] | undefined): readonly (number | undefined)[] =>
      typeof of === 'object' && of !== null ? of : [of];
    const [from, to] = [bounds(start), bounds(end)];
    const rank = this.shape.length;
    if (rank === 0 || Math.max(from.length, to.length) > rank)
      throw this.#wrongShape(
        'slice',
        `bounds for at most ${rank} dimensions`,
        `${Math.max(from.length, to.length)}`,
      );
    const place = (bound: number | undefined, length: number, without: number): number => {
      if (bound === undefined) return without;
      if (!Number.isInteger(bound)) throw wrongArgument('slice', 'whole numbers', bound);
      return Math.min(Math.max(bound < 0 ? length + bound : bound, 0), length);
    };
    const first = this.shape.map((length, axis) => place(from[axis], length, 0));
    const last = this.shape.map((length, axis) => place(to[axis], length, length));
    const size = last.map((end, axis) => end - (first[axis] as number));
    const empty = size.findIndex((length) => length < 1);
    if (empty >= 0)
      throw this.#wrongShape(
        'slice',
        'at least one cell, the end after the start',
        `${first[empty]} to ${last[empty]} along dimension ${empty}`,
      );
    return this.#box('slice', first, size);
  }

  concat(others: ValueOperand | readonly Value[], axis = 0): Value {
    const where = 'concat';
    this.#checkAxis(where, axis);
    const several =
      Array.isArray(others) && others.length > 0 && others.every((one) => one instanceof Expression);
    const list = (several ? others : [others]) as readonly ValueOperand[];
    const all = this.#alike(where, [this, ...list.map((other) => this.#given(where, other))]);
    return this.#node(where, 'value.concat', all, { axis });
  }

  reshape(shape: Shape): Value {
    return this.#reshaped('reshape', checkedShape('reshape', shape));
  }

  broadcast(shape: Shape): Value {
    return this.#broadcast('broadcast', checkedShape('broadcast', shape));
  }

  transpose(axes: readonly number[] = this.shape.map((_, axis) => axis).reverse()): Value {
    const where = 'transpose';
    checkArgument(`${where}, axes`, axes, NUMBERS);
    if (axes.length === 0 && this.shape.length === 0) return this;
    return this.#alone(where, 'value.transpose', { axes: [...axes] });
  }

  rotate(steps: number, axis = 0): Value {
    if (!Number.isSafeInteger(steps)) throw wrongArgument('rotate', 'a whole number of steps', steps);
    this.#checkAxis('rotate', axis);
    return this.#alone('rotate', 'value.rotate', { axis, steps });
  }

  filled(value?: number | bigint | boolean | Day): Value {
    const where = 'filled';
    return this.#filled(where, value === undefined ? zero(this.kind) : this.#fill(where, value));
  }

  present(): Value {
    return this.#isThere('present');
  }

  #node(where: string, op: string, inputs: readonly Expression[], attributes?: RuleAttributes): Expression {
    const recorder = this.#recorder;
    if (inputs.some(({ missing }) => missing)) {
      const made = ofGaps(op, inputs, attributes ?? {}, this.#tools(where));
      if (made !== undefined) return made instanceof Expression ? made : this.#whole(made);
    }
    const recorded = inputs.map((input) => input.recordedAs(where));
    const [records] = inputs.flatMap((input) => input.#records ?? []);
    if (records === undefined)
      return new Expression(recorder, recorder.node(where, op, recorded, attributes));
    const operands = inputs.map((input, index) => {
      if (input.#records !== undefined && input.#records !== records) throw otherRecord(where);
      return { recorded: recorded[index] as Recorded, records: input.#records };
    });
    const all = recordForAll(recorder, records, where, op, operands, attributes);
    return new Expression(recorder, all, records);
  }

  /** Itself, unless it is a value of one record. */
  #ofAll(where: string): Expression {
    if (this.#records === undefined) return this;
    throw notOfOne(where, where);
  }

  #alone(where: string, op: string, attributes?: RuleAttributes): Expression {
    return this.#node(where, op, [this], attributes);
  }

  #tools(where: string): Tools<Expression> {
    return {
      node: (op, inputs, attributes) => this.#node(where, op, inputs, attributes),
      apart: (value) => (value.missing ? value.#takenApart(where) : undefined),
      filled: (value, fill) => value.#filled(where, fill),
      all: (like) => like.#constant(where, constantOf(where, true, undefined), 0, like.shape),
      whole: (apart) => this.#whole(apart),
    };
  }

  #whole(apart: Apart<Expression>): Expression {
    return new Expression(this.#recorder, apart);
  }

  /** Of one with missing cells. */
  #takenApart(where: string): Apart<Expression> {
    const cells = once(() => this.#alone(where, 'value.cells'));
    this.#apart ??= {
      get cells() {
        return cells();
      },
      zeroed: true,
      there: once(() => [this.#alone(where, 'value.present')]),
      filled: (fill) => (isZero(fill) ? cells() : this.#alone(where, 'value.cells', { fill })),
      place: this.place,
    };
    return this.#apart;
  }

  /** True in each cell, where this is: 0 times a number of it is 0. */
  #truth(where: string): Expression {
    const { kind, names } = this;
    const number =
      kind === 'date' ? this.sub(new Date(0)) : kind === 'category' ? this.equals(names?.[0] ?? 0) : this;
    const zero = this.#node(where, 'value.scale', [number as Expression], { numerator: 0 });
    const pair = zero.#pair(where, constantOf(where, 0, zero), true);
    return this.#node(where, 'value.compare', pair, { relation: 'eq' });
  }

  /** Which of its cells are there. */
  #isThere(where: string): Expression {
    const tools = this.#tools(where);
    if (!this.missing) return tools.all(this);
    this.#mask ??= conjunction(tools, this.#takenApart(where).there() as [Expression, ...Expression[]]);
    return this.#mask;
  }

  /** Complete, with that where a cell is missing. */
  #filled(where: string, fill: Fill): Expression {
    if (!this.missing) return this;
    const apart = this.#takenApart(where);
    if (apart.filled !== undefined) return apart.filled(fill);
    const { cells, zeroed } = apart;
    if (zeroed && isZero(fill)) return cells;
    const is = this.#isThere(where);
    if (isZero(fill) && this.kind === 'boolean') return this.#node(where, 'value.and', [cells, is]);
    if (isZero(fill) && NUMBER_KINDS.has(this.kind)) return this.#node(where, 'value.multiply', [cells, is]);
    const { kind, shape, decimals, categories, names } = this;
    const constant = { kind, shape: [], decimals, categories, names, cells: [fill] };
    return this.#node(where, 'value.select', [is, cells, this.#constant(where, constant, decimals, shape)]);
  }

  /** One cell of this kind that a caller gave, in units. */
  #fill(where: string, value: unknown): Fill {
    const given = constantOf(where, value, this);
    const { kind, decimals } = this;
    const real = kind === 'real' && given.kind === 'integer' ? mapDoubles(given, (cell) => cell) : given;
    const [cell] = real.cells;
    const isFine = kind === 'real' || given.decimals <= decimals;
    if (given.shape.length > 0 || cell === undefined || real.kind !== kind || !isFine)
      throw wrongArgument(where, `a single cell of ${describeType(this)}`, value);
    return typeof cell === 'bigint'
      ? exact(where, cell * powerOfTen(decimals - given.decimals))
      : (cell as number);
  }

  /** What a caller gave. Errors: of another task, or none that there can be. */
  #given(where: string, other: unknown, like: Like = this): Given {
    return other instanceof Expression
      ? Expression.of(where, this.#recorder, other)
      : constantOf(where, other, like);
  }

  #of(where: string, other: unknown): Expression {
    const given = this.#given(where, other);
    return given instanceof Expression ? given : this.#constant(where, given);
  }

  #constant(where: string, constant: Constant, decimals = constant.decimals, shape?: Shape): Expression {
    const attributes = constantAttributes(where, constant, decimals, shape);
    return this.#node(where, 'value.constant', [], attributes);
  }

  #both(where: string, op: string, other: Given, aligned = false): Expression {
    return this.#node(where, op, this.#pair(where, other, aligned));
  }

  #approximated(where: string, of: unknown, options: ApproximationOptions | undefined): Value {
    const found =
      typeof of === 'function' && options !== undefined
        ? approximation(of as (x: number) => number, options, where)
        : checkedApproximation(where, of);
    return this.#alone(where, 'value.chebyshev', {
      coefficients: doubles(found.coefficients),
      min: found.from,
      max: found.to,
    });
  }

  /** In units, as the core has it; of reals a double that is no nearer, below for -1, else above. */
  #bound(where: string, bound: unknown, side: -1 | 1): bigint | number {
    if (this.kind === 'date') {
      const day = typeof bound === 'string' || isDate(bound) ? dayNumber(bound) : undefined;
      if (day === undefined) throw wrongArgument(where, 'two days', bound);
      return BigInt(day);
    }
    const number = typeof bound === 'bigint' || (typeof bound === 'number' && Number.isFinite(bound));
    if (!number || !Number.isFinite(Number(bound))) throw wrongArgument(where, 'two finite numbers', bound);
    if (this.kind === 'real') return doubleBeyond(bound, side);
    const units = toUnits(bound as number | bigint, this.decimals);
    if (typeof units === 'bigint') return exact(where, units);
    throw wrongArgument(where, `numbers of at most ${this.decimals} decimals`, bound);
  }

  #compare(
    where: string,
    other: ValueOperand,
    relation: 'lt' | 'le' | 'eq',
    swapped: boolean,
    options: ComparisonOptions = {},
  ): Value {
    checkOptions(where, options, COMPARISON_OPTIONS);
    const { gap } = options;
    if (gap !== undefined && !(gap > 0)) throw wrongArgument(where, 'a gap above 0', gap);
    const given = this.#given(where, other);
    const isWhole = !(given instanceof Expression) && this.kind === 'integer';
    // Of whole numbers none is between two: fewer are told apart.
    const mate = isWhole ? roundedTo(given, this.decimals, (relation === 'lt') !== swapped) : given;
    // Nor does one equal what lies there.
    if (isWhole && relation === 'eq' && mate !== given) {
      const equal = this.#compared(where, mate, relation);
      const both = (cells: Expression): Expression =>
        this.#node(where, 'value.and', cells.#pair(where, haveNoMore(given, this.decimals), false));
      if (!equal.missing) return both(equal);
      const apart = equal.#takenApart(where);
      return this.#whole({ ...apart, cells: both(apart.cells), zeroed: false });
    }
    return this.#compared(where, mate, relation, swapped, gap);
  }

  #compared(
    where: string,
    mate: Given,
    relation: 'lt' | 'le' | 'eq',
    swapped = false,
    gap: number | undefined = undefined,
  ): Expression {
    const pair = this.#pair(where, mate, true);
    const encrypted = mostHidden(...pair.map(({ place }) => place)) === 'encrypted';
    const real = pair.find(({ kind }) => kind === 'real');
    if (
      encrypted &&
      real !== undefined &&
      !(gap && relation !== 'eq') &&
      !pair.some(({ finished }) => finished)
    ) {
      const found = describeType(real);
      const expected =
        relation === 'eq'
          ? 'integers: encrypted reals are never known to be equal'
          : 'integers, or a gap: encrypted reals are compared approximately';
      const problem = `${where}: expected ${expected}, found ${found}`;
      throw failure('operator.invalid', problem, { where, operator: 'value.compare', found, expected });
    }
    return this.#node(where, 'value.compare', swapped ? pair.reverse() : pair, { gap, relation });
  }

  /** This and another one in one shape, and with equal decimals if asked for. */
  #pair(where: string, other: Given, aligned: boolean): Expression[] {
    const shape = broadcastShape(where, this.shape, other.shape);
    const decimals =
      aligned && isExact(this) && isExact(other) ? Math.max(this.decimals, other.decimals) : undefined;
    const mate =
      other instanceof Expression
        ? other.#withDecimals(where, decimals ?? other.decimals)
        : this.#constant(where, other, decimals ?? other.decimals, shape);
    return [this.#withDecimals(where, decimals ?? this.decimals), mate].map((one) =>
      one.#broadcast(where, shape),
    );
  }

  /** Several ones of one kind and equal decimals. */
  #alike(where: string, all: readonly Given[]): Expression[] {
    const numbers = all.every(({ kind }) => kind === 'integer' || kind === 'real' || kind === 'boolean');
    const mixed = numbers && all.some(({ kind }) => kind !== all[0]?.kind);
    const real = mixed && all.some(({ kind }) => kind === 'real');
    const decimals = real ? 0 : Math.max(...all.map(({ decimals }) => decimals));
    const finished = all.some((one) => one instanceof Expression && one.finished);
    return all.map((one) => {
      const own =
        one instanceof Expression ? one : this.#constant(where, one, real ? one.decimals : decimals);
      if (real) return own.#real(where, finished);
      return mixed || own.decimals !== decimals ? own.#integer(where, decimals) : own;
    });
  }

  /** The same values as reals; beside what is `finished` the client makes them, so that the server's stay integers. */
  #real(where: string, finished: boolean): Expression {
    if (this.kind === 'real') return this;
    if (finished && !this.finished && this.place === 'encrypted' && this.shape.length === 0)
      return this.#alone(where, 'value.finish').#real(where, finished);
    const zero: Constant = {
      kind: 'real',
      shape: [],
      decimals: 0,
      categories: undefined,
      names: undefined,
      cells: [0],
    };
    return this.#node(where, 'value.add', [this, this.#constant(where, zero, 0, this.shape)]);
  }

  #integer(where: string, decimals: number): Expression {
    if (this.kind === 'boolean' && decimals === 0) return this.#alone(where, 'value.scale', { numerator: 1 });
    return this.#withDecimals(where, decimals);
  }

  /** The same values in finer units. */
  #withDecimals(where: string, decimals: number): Expression {
    const more = Math.min(decimals - this.decimals, MOST_DIGITS);
    if (more <= 0) return this;
    const scaled = this.#alone(where, 'value.scale', { numerator: powerOfTen(more), decimals: more });
    return scaled.#withDecimals(where, decimals);
  }

  #broadcast(where: string, shape: Shape): Expression {
    const same =
      this.shape.length === shape.length && this.shape.every((length, axis) => length === shape[axis]);
    if (same) return this;
    if (!this.missing) return this.#alone(where, 'value.broadcast', { shape });
    // Once: what says which cells are there is one then.
    const key = shape.join();
    const made = this.#broadcasts.get(key) ?? this.#alone(where, 'value.broadcast', { shape });
    this.#broadcasts.set(key, made);
    return made;
  }

  #reshaped(where: string, shape: Shape): Expression {
    if (cellsOf(shape) === cellsOf(this.shape)) return this.#alone(where, 'value.reshape', { shape });
    throw this.#wrongShape(where, `a shape of ${cellsOf(this.shape)} cells`, `[${shape.join(', ')}]`);
  }

  #box(where: string, start: readonly number[], size: Shape): Expression {
    return this.#alone(where, 'value.slice', { start, size });
  }

  /** Itself, where a statistic can be made along that dimension. */
  #along(where: string, axis: unknown): this {
    this.#checkAxis(where, axis);
    if (this.#records !== undefined) throw notOfOne(where, where);
    return this;
  }

  #checkAxis(where: string, axis: unknown): void {
    if (Number.isInteger(axis) && (axis as number) >= 0 && (axis as number) < this.shape.length) return;
    throw this.#wrongShape(where, 'a dimension, counted from 0', `axis ${describe(axis)}`);
  }

  #wrongShape(where: string, expected: string, found: string): Error {
    const problem = `${where}: of shape [${this.shape.join(', ')}] expected ${expected}, found ${found}`;
    return failure('graph.shape', problem, { where, found, expected, shape: this.shape });
  }
}

/** Whether it counts units: what is aligned. */
function isExact({ kind }: { readonly kind: ValueKind }): boolean {
  return kind === 'integer' || kind === 'boolean';
}

function otherRecord(where: string): Error {
  const problem = `${where}: expected a value of this record, found one of another forEach`;
  return failure('graph.foreign', problem, { where });
}

function gappyType({ cells, place }: Apart<Expression>): ValueType {
  const { kind, shape, decimals, categories, names } = cells;
  return typeOf(kind, shape, { place, decimals, missing: true, categories, names });
}

/** What is made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly of: T } | undefined;
  return () => (made ??= { of: make() }).of;
}

function moment(method: string, options: MomentOf = {}): RuleAttributes {
  checkOptions(method, options, MOMENT_OF);
  return { of: options.of ?? 'sample' };
}

function wrongArgument(where: string, expected: string, value: unknown): Error {
  const found = describe(value);
  return wrongType(where, expected, found);
}
