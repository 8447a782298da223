/** What is written for one record, over all of them at once: in every value of a record the records are one more dimension, the first. */
import { failure } from '../errors.js';
import type { Recorded, Recorder } from './recorder.js';
import { resultType, type RuleAttributes } from './rules.js';
import type { Shape, ValueType } from './types.js';

/** The records of one `forEach`. */
export class Records {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }
}

/** An operand of an operator on a record: of the records, or the same for each of them. */
export interface RecordOperand {
  readonly recorded: Recorded;
  readonly records: Records | undefined;
}

/** What an operand is in one record. */
export function typeInRecord({ recorded: { type }, records }: RecordOperand): ValueType {
  return records === undefined ? type : { ...type, shape: type.shape.slice(1) };
}

/** Records what an operator on a record is on all of them. Errors: GraphError, as of one record; `operator.invalid` for what there is of all records only. */
export function recordForAll(
  recorder: Recorder,
  { count }: Records,
  where: string,
  op: string,
  inputs: readonly RecordOperand[],
  attributes: RuleAttributes = {},
): Recorded {
  const types = inputs.map(typeInRecord);
  // What is wrong with one record is told of one.
  const { shape } = resultType(where, op, attributes, types);
  const lifted = Object.hasOwn(LIFTED, op) ? LIFTED[op] : undefined;
  if (lifted === undefined) throw notOfOne(where, op);
  return lifted(new Call(recorder, where, op, attributes, inputs, types, shape, count));
}

/** What there is of all records only. */
export function notOfOne(where: string, operator: string): Error {
  const [found, expected] = [
    operator,
    'what is computed cell by cell, sums, products of matrices, and moves',
  ];
  const problem = `${where}: of one record expected ${expected}; outside of forEach it is of all records`;
  return failure('operator.invalid', problem, { where, operator, found, expected });
}

/** An operator on a record. */
class Call {
  readonly #recorder: Recorder;
  readonly #where: string;
  readonly #op: string;
  readonly #inputs: readonly RecordOperand[];
  readonly attributes: RuleAttributes;
  /** Of the operands in one record. */
  readonly types: readonly ValueType[];
  /** Of the result in one record. */
  readonly shape: Shape;
  readonly count: number;

  constructor(
    recorder: Recorder,
    where: string,
    op: string,
    attributes: RuleAttributes,
    inputs: readonly RecordOperand[],
    types: readonly ValueType[],
    shape: Shape,
    count: number,
  ) {
    this.#recorder = recorder;
    this.#where = where;
    this.#op = op;
    this.attributes = attributes;
    this.#inputs = inputs;
    this.types = types;
    this.shape = shape;
    this.count = count;
  }

  node(op: string, inputs: readonly Recorded[], attributes?: RuleAttributes): Recorded {
    return this.#recorder.node(this.#where, op, inputs, attributes);
  }

  /** The operator itself, with other attributes. */
  same(attributes: RuleAttributes): Recorded {
    return this.node(
      this.#op,
      this.#inputs.map((_, index) => this.input(index)),
      { ...this.attributes, ...attributes },
    );
  }

  /** An operand of all records. */
  input(index: number): Recorded {
    const { recorded, records } = this.#inputs[index] as RecordOperand;
    return records === undefined ? this.broadcast(recorded, recorded.type.shape) : recorded;
  }

  /** An operand, of which every record has such a shape, of as many cells. */
  reshaped(index: number, shape: Shape): Recorded {
    return this.node('value.reshape', [this.input(index)], { shape: [this.count, ...shape] });
  }

  /** Repeated, in every record, to a shape. */
  broadcast(x: Recorded, shape: Shape): Recorded {
    return this.node('value.broadcast', [x], { shape: [this.count, ...shape] });
  }

  /** The sum, in every record, along all of its dimensions. */
  summed(x: Recorded, dimensions: number): Recorded {
    let sum = x;
    for (let axis = dimensions; axis > 0; axis--) sum = this.node('value.sum', [sum], { axis });
    return sum;
  }

  get axis(): number {
    return Number(this.attributes['axis'] ?? 0) + 1;
  }

  dimensions(index: number): Shape {
    return (this.types[index] as ValueType).shape;
  }
}

type Lift = (call: Call) => Recorded;

const cells: Lift = (call) => call.same({});
const along: Lift = (call) => call.same({ axis: call.axis });

/** [m, k] times [k, n]: as [m, k, n], summed along k. */
const product: Lift = (call) => {
  const [rows, inner] = call.dimensions(0) as [number, number];
  const columns = call.dimensions(1)[1] ?? 1;
  const shape = [rows, inner, columns];
  const a = call.broadcast(call.reshaped(0, [rows, inner, 1]), shape);
  const b = call.broadcast(call.reshaped(1, [1, inner, columns]), shape);
  const sum = call.node('value.sum', [call.node('value.multiply', [a, b])], { axis: 2 });
  return call.shape.length === 2 ? sum : call.node('value.reshape', [sum], { shape: [call.count, rows] });
};

const LIFTED: Readonly<Record<string, Lift>> = {
  'value.add': cells,
  'value.sub': cells,
  'value.negate': cells,
  'value.multiply': cells,
  'value.square': cells,
  'value.power': cells,
  'value.polynomial': cells,
  'value.chebyshev': cells,
  'value.within': cells,
  'value.scale': cells,
  'value.divide': cells,
  'value.root': cells,
  'value.compare': cells,
  'value.and': cells,
  'value.or': cells,
  'value.not': cells,
  'value.select': cells,
  'value.cells': cells,
  'value.present': cells,
  'value.gaps': cells,
  'value.rotate': along,
  'value.concat': along,
  'value.sum': (call) => {
    if (call.attributes['axis'] !== undefined) return along(call);
    const dimensions = call.dimensions(0).length;
    // Also a sum of one cell is a sum: that of a boolean is a number.
    return dimensions === 0 ? call.summed(call.reshaped(0, [1]), 1) : call.summed(call.input(0), dimensions);
  },
  'value.dot': (call) =>
    call.summed(call.node('value.multiply', [call.input(0), call.input(1)]), call.dimensions(0).length),
  'matrix.vector': product,
  'matrix.multiply': product,
  'value.slice': (call) => {
    const start = call.attributes['start'] as readonly number[];
    return call.same({ start: [0, ...start], size: [call.count, ...call.shape] });
  },
  'value.reshape': (call) => call.reshaped(0, call.shape),
  'value.transpose': (call) =>
    call.same({ axes: [0, ...(call.attributes['axes'] as readonly number[]).map((axis) => axis + 1)] }),
  'value.broadcast': (call) => {
    const own = call.dimensions(0);
    const ones = Array<number>(call.shape.length - own.length).fill(1);
    return call.broadcast(call.reshaped(0, [...ones, ...own]), call.shape);
  },
};
