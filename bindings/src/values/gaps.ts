/**
 * What operators make of values with missing cells: complete values, of which the cells and which of them are there go on side by side, and are put together where somebody asks for both
 * (`value.gaps`). A cell of a result is missing where one of an operand is, unless the others decide, as in Kleene's logic: false and anything is false, true or anything is true.
 */
import { toUnits } from '../exact.js';
import type { RuleAttributes } from './rules.js';
import { mostHidden } from './type.js';
import type { ValueKind, ValuePlace, ValueType } from './types.js';

/** In units of 10^-decimals; of reals a double. */
export type Fill = bigint | number;

/** An operand, as far as gaps are concerned. */
interface Operand extends Pick<ValueType, 'kind' | 'decimals' | 'place' | 'missing'> {
  /** Whether it is the client's. */
  readonly finished: boolean;
}

/** A value with missing cells, taken apart. */
export interface Apart<V> {
  /** Complete: where one is missing, anything that operators make of 0. */
  readonly cells: V;
  /** Whether it is 0 there. */
  readonly zeroed: boolean;
  /** A cell is there where all of these are true; recorded when asked for. */
  readonly there: () => readonly V[];
  /** Complete, with that where a cell is missing; undefined where it is as of any value. */
  readonly filled?: ((fill: Fill) => V) | undefined;
  readonly place: ValuePlace;
}

/** What rules do with values. */
export interface Tools<V> {
  node(op: string, inputs: readonly V[], attributes?: RuleAttributes): V;
  /** Undefined for a complete one. */
  apart(value: V): Apart<V> | undefined;
  /** Complete, with that where a cell is missing. */
  filled(value: V, fill: Fill): V;
  /** True in each cell of such a value. */
  all(like: V): V;
  whole(apart: Apart<V>): V;
}

/** What an operator makes of operands of which some have missing cells; undefined where it takes them itself. */
export function ofGaps<V extends Operand>(
  op: string,
  inputs: readonly V[],
  attributes: RuleAttributes,
  tools: Tools<V>,
): Apart<V> | V | undefined {
  const rule = Object.hasOwn(RULES, op) ? RULES[op] : undefined;
  return rule?.(new Call(op, inputs, attributes, tools));
}

/** All of several booleans. */
export function conjunction<V>(tools: Pick<Tools<V>, 'node'>, all: readonly [V, ...V[]]): V {
  return all.reduce((both, one) => tools.node('value.and', [both, one]));
}

class Call<V extends Operand> {
  readonly op: string;
  readonly inputs: readonly V[];
  readonly attributes: RuleAttributes;
  readonly tools: Tools<V>;

  constructor(op: string, inputs: readonly V[], attributes: RuleAttributes, tools: Tools<V>) {
    this.op = op;
    this.inputs = inputs;
    this.attributes = attributes;
    this.tools = tools;
  }

  input(index: number): V {
    return this.inputs[index] as V;
  }

  get place(): ValuePlace {
    return mostHidden(...this.inputs.map(({ place }) => place));
  }

  node(op: string, inputs: readonly V[], attributes?: RuleAttributes): V {
    return this.tools.node(op, inputs, attributes);
  }

  /** The operator itself. */
  same(inputs: readonly V[]): V {
    return this.node(this.op, inputs, this.attributes);
  }

  cells(value: V): V {
    return this.tools.apart(value)?.cells ?? value;
  }

  filled(value: V, fill?: Fill): V {
    return this.tools.filled(value, fill ?? zero(value.kind));
  }

  /** What says which cells are there of any of these, each once. */
  there(...values: readonly V[]): readonly V[] {
    return [...new Set(values.flatMap((value) => this.tools.apart(value)?.there() ?? []))];
  }

  /** Which cells of a value are there. */
  isThere(value: V): V {
    const [first, ...others] = this.there(value);
    return first === undefined ? this.tools.all(value) : conjunction(this, [first, ...others]);
  }

  /** Whether all of those with missing cells are 0 there. */
  get zeroed(): boolean {
    return this.inputs.every((input) => this.tools.apart(input)?.zeroed ?? true);
  }

  made(cells: V, there: () => readonly V[], zeroed = false): Apart<V> {
    // Which cells are there the client has where it has these.
    const own = (is: V): V =>
      cells.finished && !is.finished && is.place === 'encrypted' ? this.node('value.finish', [is]) : is;
    return { cells, there: () => there().map(own), zeroed, place: this.place };
  }
}

type Rule = <V extends Operand>(call: Call<V>) => Apart<V> | V;

/** Cell by cell; 0 of 0 where `zeroed` says so. */
const cellByCell =
  (zeroed = false): Rule =>
  (call) => {
    const are = zeroed && call.zeroed;
    const cells = call.same(call.inputs.map((input) => call.cells(input)));
    return call.made(cells, () => call.there(...call.inputs), are);
  };

/** Of what is defined for some numbers alone: of one of these where a cell is missing. */
const defined =
  (fill: (attributes: RuleAttributes, input: Operand) => Fill): Rule =>
  (call) => {
    const x = call.input(0);
    return call.made(call.same([call.filled(x, fill(call.attributes, x))]), () => call.there(x));
  };

const moved: Rule = (call) => {
  const x = call.tools.apart(call.input(0));
  if (x === undefined) return call.same(call.inputs);
  const { cells, zeroed, there, filled } = x;
  return {
    ...call.made(call.same([cells]), () => there().map((one) => call.same([one])), zeroed),
    filled: filled && ((fill) => call.same([filled(fill)])),
  };
};

/** Where cells are missing they count as 0. */
const total: Rule = (call) => call.same(call.inputs.map((input) => call.filled(input)));

/** A number of an interval. */
function inside(min: Fill, max: Fill, { kind, decimals }: Pick<Operand, 'kind' | 'decimals'>): Fill {
  if (min <= 0 && max >= 0) return zero(kind);
  return kind === 'real' || typeof min === 'bigint' ? min : unitsAbove(min, decimals);
}

const RULES: Readonly<Record<string, Rule>> = {
  'value.add': cellByCell(),
  'value.sub': cellByCell(),
  'value.negate': cellByCell(true),
  // 0 where a factor is, whatever the other one is.
  'value.multiply': cellByCell(true),
  'value.square': cellByCell(true),
  'value.power': cellByCell(true),
  'value.scale': cellByCell(true),
  'value.polynomial': cellByCell(),
  'value.compare': cellByCell(),
  'value.not': cellByCell(),
  'value.within': defined(({ min, max }, x) => inside(min as Fill, max as Fill, x)),
  'value.chebyshev': defined(({ min, max }, x) => inside(min as number, max as number, x)),
  'value.root': defined((_, { kind }) => zero(kind)),
  'value.divide': (call) => {
    const [x, y] = [call.input(0), call.input(1)];
    const there = () => call.there(x, y);
    // Where a cell of the quotient is missing it is divided by 1; but what the server alone divides by stays with it.
    const hidden = call.place === 'encrypted' && y.place === 'plain';
    const divisor = hidden ? call.cells(y) : call.tools.whole(call.made(call.cells(y), there));
    return call.made(call.same([call.cells(x), call.filled(divisor, one(y))]), there);
  },
  'value.and': (call) => {
    const [a, b] = [call.input(0), call.input(1)];
    const both = call.same([call.filled(a), call.filled(b)]);
    // Known: that both are true, or that one is false.
    const there = () => {
      const not = (x: typeof a) => {
        const isNot = call.node('value.not', [call.filled(x)]);
        return x.missing ? call.node('value.and', [call.isThere(x), isNot]) : isNot;
      };
      return [call.node('value.or', [both, call.node('value.or', [not(a), not(b)])])];
    };
    return call.made(both, there, true);
  },
  'value.or': (call) => {
    const [a, b] = [call.input(0), call.input(1)];
    const any = call.same([call.filled(a), call.filled(b)]);
    const there = () => {
      const known = call.there(a, b) as [typeof a, ...(typeof a)[]];
      return [call.node('value.or', [any, conjunction(call, known)])];
    };
    return call.made(any, there, true);
  },
  'value.select': (call) => {
    const [condition, a, b] = [call.input(0), call.input(1), call.input(2)];
    const chosen = call.cells(condition);
    const cells = call.same([chosen, call.cells(a), call.cells(b)]);
    const there = () => {
      const always = call.there(condition);
      const other = (x: typeof a) => call.there(x).filter((one) => !always.includes(one));
      const [ofA, ofB] = [other(a), other(b)];
      const common = ofA.filter((one) => ofB.includes(one));
      const own = (all: readonly (typeof a)[]) => {
        const [first, ...others] = all.filter((one) => !common.includes(one));
        return first === undefined ? undefined : conjunction(call, [first, ...others]);
      };
      const [only, otherwise] = [own(ofA), own(ofB)];
      if (only === undefined && otherwise === undefined) return [...always, ...common];
      const all = call.tools.all(cells);
      const is = call.node('value.select', [chosen, only ?? all, otherwise ?? all]);
      return [...always, ...common, is];
    };
    return call.made(cells, there);
  },
  'value.finish': (call) => {
    const x = call.input(0);
    const there = () => [call.same([call.isThere(x)])];
    return call.made(call.same([call.filled(x)]), there, true);
  },
  'value.slice': moved,
  'value.reshape': moved,
  'value.broadcast': moved,
  'value.transpose': moved,
  'value.rotate': moved,
  'value.concat': (call) => {
    const all = call.inputs;
    const cells = call.same(all.map((input) => call.cells(input)));
    return {
      ...call.made(cells, () => [call.same(all.map((input) => call.isThere(input)))], call.zeroed),
      filled: (fill) => call.same(all.map((input) => call.filled(input, fill))),
    };
  },
  'value.sum': total,
  'value.dot': total,
  'matrix.multiply': total,
  'matrix.vector': total,
};

/** The least number with so many decimals that is not below. */
function unitsAbove(number: number, decimals: number): bigint {
  const units = toUnits(number, decimals);
  return typeof units === 'bigint' ? units : BigInt(Math.ceil(number * 10 ** decimals));
}

export function zero(kind: ValueKind): Fill {
  return kind === 'real' ? 0 : 0n;
}

function one({ kind, decimals }: Operand): Fill {
  return kind === 'real' ? 1 : 10n ** BigInt(decimals);
}

export function isZero(fill: Fill): boolean {
  return Number(fill) === 0;
}
