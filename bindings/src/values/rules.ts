/**
 * What each operator takes and gives: a mirror of the rules in src/values, for errors where a call is written, and for types of programs that
 * come as bytes. `where` names the call in errors.
 */
import { failure } from '../errors.js';
import { cellsOf, checkedType, describeType, mostHidden, sameCategories, typeOf } from './type.js';
import type { Shape, ValueKind, ValuePlace, ValueType } from './types.js';

/** Attributes of an operator, as the builder writes them or as text is read. */
export type RuleAttributes = Readonly<Record<string, unknown>>;

type Rule = (call: Call) => ValueType;

/** Who computes: of public values alone both, the server, or the client after decryption. Whoever reads something is at least where that is. */
export type Half = 'either' | 'server' | 'client';

const HALVES: readonly Half[] = ['either', 'server', 'client'];

/** Operators that no scheme computes of what is encrypted. */
const CLIENT_ONLY = new Set([
  'value.finish',
  'value.divide',
  'value.root',
  'value.solve',
  'stats.mean',
  'stats.variance',
  'stats.covariance',
  'stats.correlation',
  'stats.regression',
]);

/** Operators that are made of sums, so that only single values reach the client. */
const STATISTIC = /^stats\./;

/** The type of the result. Errors: GraphError. */
export function resultType(
  where: string,
  op: string,
  attributes: RuleAttributes,
  inputs: readonly ValueType[],
): ValueType {
  const rule = Object.hasOwn(RULES, op) ? RULES[op] : undefined;
  if (rule === undefined)
    throw failure('operator.invalid', `${where}: no operator on values: ${op}`, { operator: op });
  return checkedType(where, rule(new Call(where, op, attributes, inputs)));
}

/**
 * Who computes the result. Errors: GraphError `operator.invalid` for what the client would read and must not: the server's own, and what is no complete
 * single value, since it would be decrypted.
 */
export function resultHalf(
  where: string,
  op: string,
  inputs: readonly ValueType[],
  halves: readonly Half[],
): Half {
  const encrypted = inputs.some(({ place }) => place === 'encrypted');
  const finishes = encrypted && CLIENT_ONLY.has(op);
  const read = halves.reduce<Half>((a, b) => (HALVES.indexOf(a) < HALVES.indexOf(b) ? b : a), 'either');
  const half = finishes ? 'client' : read;
  if (half !== 'client' || (STATISTIC.test(op) && read !== 'client')) return half;
  for (const [index, input] of inputs.entries()) {
    if (halves[index] !== 'server') continue;
    const problem =
      input.place !== 'encrypted'
        ? "the server's own, which stays with it: use it before, on what is encrypted"
        : input.shape.length > 0 || input.missing
          ? `no single value, and would be decrypted: sum it up first, or put what the client computes last${HINTS[op]?.[index] ?? ''}`
          : undefined;
    if (problem === undefined) continue;
    const found = describeType(input);
    throw failure(
      'operator.invalid',
      `${where}: the client computes this after decryption, and ${found} is ${problem}`,
      { where, operator: op, found, expected: 'encrypted single values' },
    );
  }
  return half;
}

/** What else does, by operator and operand. */
const HINTS: Readonly<Record<string, readonly string[]>> = {
  'value.divide': [
    '; to divide by a number, multiply with its inverse',
    '; of reals within bounds approximate((x) => 1 / x, { from, to }) is the inverse',
  ],
  'value.root': ['; of reals within bounds there is approximate(Math.sqrt, { from, to })'],
};

/** What is called with what. */
class Call {
  readonly #where: string;
  readonly op: string;
  readonly attributes: RuleAttributes;
  readonly inputs: readonly ValueType[];

  constructor(where: string, op: string, attributes: RuleAttributes, inputs: readonly ValueType[]) {
    this.#where = where;
    this.op = op;
    this.attributes = attributes;
    this.inputs = inputs;
  }

  wrong(found: ValueType, expected: string): Error {
    const shown = describeType(found);
    const problem = `${this.#where}: expected ${expected}, found ${shown}`;
    return failure('operator.invalid', problem, {
      where: this.#where,
      operator: this.op,
      found: shown,
      expected,
    });
  }

  shapes(expected: string): Error {
    return this.misshaped(this.inputs.map(({ shape }) => `[${shape.join(', ')}]`).join(' and '), expected);
  }

  misshaped(found: string, expected: string): Error {
    const problem = `${this.#where}: expected ${expected}, found ${found}`;
    return failure('graph.shape', problem, { where: this.#where, operator: this.op, found, expected });
  }

  get place(): ValuePlace {
    return mostHidden(...this.inputs.map(({ place }) => place));
  }

  input(index: number): ValueType {
    const input = this.inputs[index];
    if (input !== undefined) return input;
    const problem = `${this.#where}: expected more than ${this.inputs.length} operands`;
    throw failure('operator.invalid', problem, { where: this.#where, operator: this.op });
  }

  complete(index: number): ValueType {
    const input = this.input(index);
    if (!input.missing) return input;
    const expected = 'a complete value: filled() and present() take one with missing cells apart';
    const problem = `${this.#where}: expected ${expected}, found ${describeType(input)}`;
    throw failure('graph.missing', problem, { where: this.#where, operator: this.op });
  }

  /** Numbers, perhaps with missing cells; booleans are the integers 0 and 1. */
  gappyNumber(index: number): ValueType {
    const input = this.input(index);
    if (input.kind === 'integer' || input.kind === 'real') return input;
    if (input.kind === 'boolean') return { ...input, kind: 'integer' };
    throw this.wrong(input, 'integers, reals or booleans');
  }

  number(index: number): ValueType {
    this.complete(index);
    return this.gappyNumber(index);
  }

  boolean(index: number): ValueType {
    const input = this.complete(index);
    if (input.kind === 'boolean') return input;
    throw this.wrong(input, 'booleans');
  }

  days(index: number): ValueType {
    const days = this.number(index);
    if (days.kind === 'integer' && days.decimals === 0) return days;
    throw this.wrong(days, 'whole days: integers without decimals');
  }

  sameShape(a: ValueType, b: ValueType): void {
    if (`${a.shape}` !== `${b.shape}` || a.shape.length !== b.shape.length) throw this.shapes('one shape');
  }

  /** Two values of one shape, of which the kind is that of the first, or real. */
  joined(a: ValueType, b: ValueType): ValueType {
    this.sameShape(a, b);
    const { place } = this;
    if (a.kind === 'real' || b.kind === 'real') return typeOf('real', a.shape, { place });
    return { ...a, place };
  }

  pair(): ValueType {
    return this.joined(this.number(0), this.number(1));
  }

  aligned(): ValueType {
    const pair = this.pair();
    const second = this.input(1);
    if (pair.kind === 'integer' && pair.decimals !== second.decimals)
      throw this.wrong(second, `${pair.decimals} decimals`);
    return pair;
  }

  product(a: ValueType, b: ValueType, shape: Shape): ValueType {
    const real = a.kind === 'real' || b.kind === 'real';
    const { place } = this;
    return typeOf(real ? 'real' : 'integer', shape, { place, decimals: real ? 0 : a.decimals + b.decimals });
  }

  shape(name = 'shape'): Shape {
    return (this.attributes[name] as readonly unknown[]).map(Number);
  }

  whole(name: string): number {
    return Number(this.attributes[name] ?? 0);
  }

  axis({ shape }: ValueType): number {
    const axis = this.whole('axis');
    if (Number.isInteger(axis) && axis >= 0 && axis < shape.length) return axis;
    const expected = `a dimension of [${shape.join(', ')}], counted from 0`;
    throw failure('graph.shape', `${this.#where}: axis must be ${expected}, found ${axis}`, {
      where: this.#where,
      found: axis,
      expected,
    });
  }

  /** A statistic of columns, with at least so many cells where all are there: a single real. */
  statistic(columns: number, least: number): ValueType {
    const all = Array.from({ length: columns }, (_, index) => this.gappyNumber(index));
    const first = all[0] as ValueType;
    for (const other of all) this.sameShape(first, other);
    if (all.every(({ missing }) => !missing) && cellsOf(first.shape) < least)
      throw this.shapes(`at least ${least} cells`);
    return typeOf('real', [], { place: this.place });
  }

  /** Errors: GraphError for what the client would divide by, if that is the server's own. */
  hidden(divisors: readonly ValueType[], what: string): void {
    if (this.place !== 'encrypted' || divisors.length === 0) return;
    if (mostHidden(...divisors.map(({ place }) => place)) !== 'plain') return;
    throw this.wrong(
      divisors[0] as ValueType,
      `${what} that is encrypted or public: the client divides by it`,
    );
  }
}

const moment = (columns: number): Rule => {
  return (call) => {
    const result = call.statistic(columns, call.attributes['of'] === 'population' ? 1 : 2);
    call.hidden(
      call.inputs.filter(({ missing }) => missing),
      'a value with missing cells',
    );
    return result;
  };
};

const moved = (shape: (call: Call, x: ValueType) => Shape): Rule => {
  return (call) => {
    const x = call.complete(0);
    return { ...x, shape: shape(call, x) };
  };
};

const powered = (exponent: (call: Call) => number): Rule => {
  return (call) => {
    const x = call.number(0);
    return { ...x, decimals: x.decimals * exponent(call) };
  };
};

const booleans: Rule = (call) => call.joined(call.boolean(0), call.boolean(1));

const RULES: Readonly<Record<string, Rule>> = {
  'value.add': (call) => {
    const [a, b] = [call.complete(0), call.complete(1)];
    if (a.kind === 'date' && b.kind === 'date') throw call.wrong(b, 'whole days: two dates have no sum');
    if (a.kind === 'date') return call.joined(a, call.days(1));
    if (b.kind === 'date') return { ...call.joined(call.days(0), b), kind: 'date' };
    return call.aligned();
  },
  'value.sub': (call) => {
    const [a, b] = [call.complete(0), call.complete(1)];
    if (a.kind === 'date' && b.kind === 'date') return { ...call.joined(a, b), kind: 'integer' };
    if (a.kind === 'date') return call.joined(a, call.days(1));
    return call.aligned();
  },
  'value.negate': (call) => call.number(0),
  'value.multiply': (call) => {
    const { shape } = call.pair();
    return call.product(call.number(0), call.number(1), shape);
  },
  'value.square': powered(() => 2),
  'value.power': powered((call) => call.whole('exponent')),
  'value.polynomial': (call) => {
    const x = call.number(0);
    if (x.kind === 'real') return x;
    const { length } = call.attributes['coefficients'] as readonly unknown[];
    return { ...x, decimals: call.whole('decimals') + x.decimals * (length - 1) };
  },
  'value.chebyshev': (call) => typeOf('real', call.number(0).shape, { place: call.place }),
  'value.within': (call) => {
    const x = call.complete(0);
    if (x.kind === 'integer' || x.kind === 'real' || x.kind === 'date') return x;
    throw call.wrong(x, 'numbers or days');
  },
  'value.finish': (call) => {
    const x = call.complete(0);
    if (x.shape.length === 0) return x;
    throw call.wrong(x, 'a single value, for it is decrypted');
  },
  'value.scale': (call) => {
    const x = call.number(0);
    return x.kind === 'integer' ? { ...x, decimals: x.decimals + call.whole('decimals') } : x;
  },
  'value.divide': (call) => typeOf('real', call.pair().shape, { place: call.place }),
  'value.root': (call) => typeOf('real', call.number(0).shape, { place: call.place }),
  'value.solve': (call) => {
    const unknowns = Math.floor(Math.sqrt(call.inputs.length));
    for (const index of call.inputs.keys())
      if (call.number(index).shape.length > 0) throw call.wrong(call.input(index), 'single numbers');
    if (unknowns < 1 || unknowns * (unknowns + 1) !== call.inputs.length)
      throw call.shapes('m^2 + m single numbers');
    return typeOf('real', [unknowns], { place: call.place });
  },
  'value.compare': (call) => {
    const [a, b] = [call.complete(0), call.complete(1)];
    const compared = ((): ValueType => {
      if (a.kind === 'date' && b.kind === 'date') return call.joined(a, b);
      if (a.kind !== 'category' && b.kind !== 'category') return call.aligned();
      if (a.kind !== b.kind || !sameCategories(a, b))
        throw call.wrong(b, `the categories of ${describeType(a)}`);
      if (call.attributes['relation'] !== 'eq')
        throw call.wrong(a, 'what has an order: categories have equals() only');
      return call.joined(a, b);
    })();
    return typeOf('boolean', compared.shape, { place: compared.place });
  },
  'value.and': booleans,
  'value.or': booleans,
  'value.not': (call) => call.boolean(0),
  'value.select': (call) => {
    const [condition, a, b] = [call.boolean(0), call.complete(1), call.complete(2)];
    call.sameShape(condition, a);
    call.sameShape(condition, b);
    if (b.kind !== a.kind || b.decimals !== a.decimals || !sameCategories(a, b))
      throw call.wrong(b, `the kind, decimals and categories of ${describeType(a)}`);
    return { ...a, place: call.place };
  },
  'value.sum': (call) => {
    const x = call.number(0);
    if (call.attributes['axis'] === undefined) return { ...x, shape: [] };
    const axis = call.axis(x);
    return { ...x, shape: x.shape.filter((_, index) => index !== axis) };
  },
  'value.dot': (call) => {
    const [a, b] = [call.number(0), call.number(1)];
    call.sameShape(a, b);
    return call.product(a, b, []);
  },
  'matrix.multiply': (call) => {
    const [a, b] = [call.number(0), call.number(1)];
    const [m, k, rank] = [a.shape[0], a.shape[1], a.shape.length];
    const [l, n] = b.shape;
    if (rank !== 2 || b.shape.length !== 2 || k !== l) throw call.shapes('matrices [m, k] and [k, n]');
    return call.product(a, b, [m as number, n as number]);
  },
  'matrix.vector': (call) => {
    const [a, x] = [call.number(0), call.number(1)];
    if (a.shape.length !== 2 || x.shape.length !== 1 || a.shape[1] !== x.shape[0])
      throw call.shapes('a matrix [m, k] and a vector [k]');
    return call.product(a, x, [a.shape[0] as number]);
  },
  'stats.count': (call) => {
    const x = call.input(0);
    return typeOf('integer', [], { place: x.missing || x.kind === 'boolean' ? x.place : 'public' });
  },
  'stats.mean': (call) => call.statistic(1, 1),
  'stats.variance': moment(1),
  'stats.covariance': moment(2),
  'stats.correlation': (call) => call.statistic(2, 2),
  'stats.regression': (call) => {
    const line = { ...call.statistic(2, 2), shape: [2] };
    const gappy = call.inputs.filter(({ missing }) => missing);
    call.hidden([call.input(0), ...gappy], 'an x');
    return line;
  },
  'value.slice': moved((call) => call.shape('size')),
  'value.reshape': moved((call, x) => {
    const shape = call.shape();
    if (cellsOf(shape) !== cellsOf(x.shape)) throw call.shapes(`as many cells as [${shape.join(', ')}] has`);
    return shape;
  }),
  'value.broadcast': moved((call, x) => {
    const shape = call.shape();
    const own = [...x.shape].reverse();
    const fits =
      own.length <= shape.length && own.every((length, at) => length === 1 || length === shape.at(-1 - at));
    if (!fits) throw call.shapes(`what broadcasts to [${shape.join(', ')}]`);
    return shape;
  }),
  'value.rotate': moved((call, x) => {
    call.axis(x);
    return x.shape;
  }),
  'value.transpose': moved((call, x) => {
    const axes = call.shape('axes');
    const each = x.shape.every((_, axis) => axes.includes(axis));
    if (!each || axes.length !== x.shape.length)
      throw call.misshaped(
        `[${axes.join(', ')}]`,
        `each dimension of [${x.shape.join(', ')}] once, counted from 0`,
      );
    return axes.map((axis) => x.shape[axis] as number);
  }),
  'value.concat': (call) => {
    const first = call.complete(0);
    const axis = call.axis(first);
    let length = 0;
    for (let index = 0; index < call.inputs.length; index++) {
      const next = call.complete(index);
      const { kind, decimals, shape } = next;
      const alike = kind === first.kind && decimals === first.decimals && sameCategories(next, first);
      if (!alike) throw call.wrong(next, `as ${describeType(first)}`);
      const others = (of: Shape): string => of.map((length, at) => (at === axis ? '*' : length)).join();
      if (others(shape) !== others(first.shape)) throw call.shapes(`equal lengths but for dimension ${axis}`);
      length += shape[axis] as number;
    }
    const shape = first.shape.map((own, at) => (at === axis ? length : own));
    return { ...first, shape, place: call.place };
  },
  'value.cells': (call) => ({ ...call.input(0), missing: false }),
  'value.present': (call) => typeOf('boolean', call.input(0).shape, { place: call.place }),
  'value.gaps': (call) => {
    const [x, mask] = [call.complete(0), call.boolean(1)];
    call.sameShape(x, mask);
    const { place } = call;
    if (place === 'encrypted' && mask.place !== place) {
      const expected =
        'missing cells that are encrypted, as of what is: filled() and present() take it apart';
      throw call.wrong(mask, expected);
    }
    return { ...x, place, missing: true };
  },
  'value.constant': ({ attributes }) => {
    const { categories, names } = attributes;
    return typeOf(attributes['kind'] as ValueKind, (attributes['shape'] as readonly unknown[]).map(Number), {
      place: 'public',
      decimals: Number(attributes['decimals'] ?? 0),
      categories: categories === undefined ? undefined : Number(categories),
      names: names as readonly string[] | undefined,
    });
  },
};
