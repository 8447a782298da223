/**
 * Wide integers, days and categories compared digit by digit. A comparison of what differs by at most 4095 is one polynomial, of a degree as large: for wide ranges it is none, and
 * long before that it costs more than several small ones. So whoever gives an input gives its digits in base 8 with it, as another input, and these are compared: x < y where they differ at
 * the highest place where they differ, and there x's is less (Iliashenko and Zucca, ia.cr/2021/315). What moves the cells of an input moves its digits; what adds or multiplies known numbers has other
 * digits of it. Of what is made of several inputs nobody has digits.
 */
import { isName } from '../arguments.js';
import { cellsOf, MOST_DIMENSIONS, typeOf, typeText } from './type.js';
import type { Recorded, Recorder } from './recorder.js';
import type { RuleAttributes } from './rules.js';
import type { Shape, TaskLiteral, ValueType } from './types.js';

const BASE = 8n;
/** Values that the difference of operands may have for one polynomial to be the cheaper way; of what is compared with one number after the other, fewer. */
const FEW = { order: 48n, equality: 24n } as const;
const KINDS: readonly string[] = ['integer', 'date', 'category'];

/** Digits of factor x - low, the lowest first. */
interface Spec {
  readonly factor: bigint;
  readonly low: bigint;
  readonly count: number;
}

/** Most of what cells may be multiplied with on their way, in size. */
const MOST_FACTOR = 10n ** 24n;
/** Cells of an input, as the core can pack them. */
const MOST_PACKED = 1 << 22;

/** What digits can be had of, and within which bounds, in units, its cells lie. */
export interface Digits {
  readonly least: bigint;
  readonly most: bigint;
  /** The one cell that all are, if that is known. */
  readonly cell?: bigint | undefined;
  /** What an input's cells are multiplied with. */
  readonly factor: bigint;
  /** The most dimensions, and cells, of what it was moved through: digits have one more. */
  readonly dimensions: number;
  readonly cells: number;
  /** Values of one more dimension, the first. */
  of(spec: Spec): Recorded;
}

/** What a declared input's cells are made of, if it is digits of another one. */
export type DigitsOf = NonNullable<TaskLiteral['inputs'][number]['digits']>;

/** Of a declared input; none of what is no whole number. */
export function digitsOfInput(
  recorder: Recorder,
  { name, min, max }: TaskLiteral['inputs'][number],
  type: ValueType,
): Digits | undefined {
  if (!KINDS.includes(type.kind)) return undefined;
  const bounds = [BigInt(min ?? 0), BigInt(max ?? (type.categories ?? 1) - 1)] as const;
  // A missing cell is 0.
  const [least, most] = type.missing ? [lesser(bounds[0], 0n), greater(bounds[1], 0n)] : bounds;
  const made = new Map<string, Recorded>();
  return {
    least,
    most,
    factor: 1n,
    dimensions: type.shape.length,
    cells: cellsOf(type.shape),
    of({ factor, low, count }) {
      const what = described({ factor, low, count });
      const known = made.get(what);
      if (known !== undefined) return known;
      const digits = { of: name, base: Number(BASE), factor: String(factor), low: String(low) };
      const shape = [count, ...type.shape];
      const own = typeOf('integer', shape, { place: type.place });
      const bound = { min: '0', max: String(BASE - 1n) };
      // The same in every task that has such an input: then these can share ciphertexts.
      const literal = { name: freeName(recorder, name, what), type: typeText(own), ...bound, digits };
      const recorded = recorder.input(literal, own, false);
      made.set(what, recorded);
      return recorded;
    },
  };
}

/** What digits they are: what tells those of one input from each other, also in bytes. */
function described({ factor, low, count }: Spec): string {
  return `${count} digits of ${factor === 1n ? '' : `${factor} `}x - ${low}`;
}

/** In the name of what is of digits, behind that of the input; numbered where another input has that name. */
const DESCRIBED = /: (\d+ digits of (?:-?\d+ )?x - -?\d+)(?: \(\d+\))?$/;

/** As long as a name may be. */
function freeName(recorder: Recorder, of: string, what: string): string {
  for (let number = 1; ; number++) {
    const tail = `: ${what}${number === 1 ? '' : ` (${number})`}`;
    let head = of;
    while (!isName(head + tail)) head = [...head].slice(0, -1).join('');
    if (!recorder.hasInput(head + tail)) return head + tail;
  }
}

/** What digits an encrypted value is of, by its name where it was encrypted. */
export function digitsNamed(name: string): string | undefined {
  return DESCRIBED.exec(name)?.[1];
}

/** The same of a declared input. */
export function digitsTold({ factor, low }: DigitsOf, count: number): string {
  return described({ factor: BigInt(factor), low: BigInt(low), count });
}

/** An operator that was called, and the type of its result. */
export interface RecordedCall {
  readonly recorder: Recorder;
  /** What its caller called. */
  readonly where: string;
  readonly op: string;
  readonly inputs: readonly Recorded[];
  readonly attributes: RuleAttributes;
  readonly type: ValueType;
}

/** Digits of what an operator makes; undefined where nobody has them. */
export function digitsOfResult(call: RecordedCall): Digits | undefined {
  const pass = Object.hasOwn(PASSED, call.op) ? PASSED[call.op] : undefined;
  return pass?.(new Passing(call));
}

/** An operator through which digits pass. */
class Passing {
  readonly inputs: readonly Recorded[];
  readonly attributes: RuleAttributes;
  readonly type: ValueType;
  readonly #call: RecordedCall;

  constructor(call: RecordedCall) {
    this.inputs = call.inputs;
    this.attributes = call.attributes;
    this.type = call.type;
    this.#call = call;
  }

  get source(): Digits | undefined {
    return this.inputs[0]?.digits;
  }

  list(name: string): readonly number[] {
    return (this.attributes[name] as readonly unknown[]).map(Number);
  }

  get axis(): number {
    return Number(this.attributes['axis'] ?? 0);
  }

  /** The operator itself, with other attributes, on digits. */
  same(inputs: readonly Recorded[], attributes: RuleAttributes): Recorded {
    return this.node(this.#call.op, inputs, { ...this.attributes, ...attributes });
  }

  node(op: string, inputs: readonly Recorded[], attributes?: RuleAttributes): Recorded {
    return this.#call.recorder.node(this.#call.where, op, inputs, attributes);
  }

  /** Cells that are those of the only operand, in other places. */
  moved(moved: (digits: Recorded, count: number) => Recorded): Digits | undefined {
    const { source } = this;
    return source && { ...this.through(source), of: (spec) => moved(source.of(spec), spec.count) };
  }

  /** Where digits of the result come by. */
  through<T extends Pick<Digits, 'dimensions' | 'cells'>>(...all: readonly [T, ...T[]]): T {
    const { shape } = this.type;
    const dimensions = Math.max(shape.length, ...all.map((digits) => digits.dimensions));
    return { ...all[0], dimensions, cells: Math.max(cellsOf(shape), ...all.map(({ cells }) => cells)) };
  }
}

/** k x + shift, of cells x that have digits. */
function affine(source: Digits | undefined, k: bigint, shift: bigint): Digits | undefined {
  if (source === undefined) return undefined;
  const factor = k * source.factor;
  if (factor > MOST_FACTOR || factor < -MOST_FACTOR) return undefined;
  const ends = [k * source.least + shift, k * source.most + shift] as [bigint, bigint];
  return {
    least: lesser(...ends),
    most: greater(...ends),
    cell: source.cell === undefined ? undefined : k * source.cell + shift,
    factor,
    dimensions: source.dimensions,
    cells: source.cells,
    of: ({ factor, low, count }) => source.of({ factor: factor * k, low: low - factor * shift, count }),
  };
}

type Pass = (call: Passing) => Digits | undefined;

/** An operand beside a known number, k x + shift: `by` says which, by the number and the operand that x is. */
const besideNumber =
  (by: (number: bigint, operand: 0 | 1) => readonly [k: bigint, shift: bigint]): Pass =>
  ({ inputs, type }) => {
    const [a, b] = inputs.map(({ digits }) => digits) as [Digits | undefined, Digits | undefined];
    if (!KINDS.includes(type.kind)) return undefined;
    if (b?.cell !== undefined) return affine(a, ...by(b.cell, 0));
    return a?.cell === undefined ? undefined : affine(b, ...by(a.cell, 1));
  };

/** `signs` of both operands. */
const sum = (...signs: readonly [bigint, bigint]): Pass =>
  besideNumber((number, operand) => [signs[operand], signs[1 - operand]! * number]);

/** One for each operator whose result has digits that are those of operands. */
const PASSED: Readonly<Record<string, Pass>> = {
  'value.constant': (call) => {
    const { attributes, type } = call;
    const { value } = attributes;
    const all = (Array.isArray(value) ? value : [value]) as readonly (bigint | number)[];
    if (!KINDS.includes(type.kind) || value instanceof Uint8Array) return undefined;
    // Most of them are compared with nothing, and may be large.
    const cells = (): bigint[] => all.map(BigInt);
    return {
      get least() {
        return cells().reduce(lesser);
      },
      get most() {
        return cells().reduce(greater);
      },
      cell: all.length === 1 ? BigInt(all[0] as bigint | number) : undefined,
      factor: 1n,
      dimensions: type.shape.length,
      cells: cellsOf(type.shape),
      of({ factor, low, count }) {
        const own = cells().map((cell) => factor * cell - low);
        const { shape } = type;
        const filled = own.length === 1 ? Array<bigint>(cellsOf(shape)).fill(own[0] as bigint) : own;
        const places = Array.from({ length: count }, (_, at) => BASE ** BigInt(at));
        const digits = places.flatMap((place) => filled.map((cell) => (cell / place) % BASE));
        return call.node('value.constant', [], { kind: 'integer', shape: [count, ...shape], value: digits });
      },
    };
  },
  'value.slice': (call) =>
    call.moved((digits, count) =>
      call.same([digits], { start: [0, ...call.list('start')], size: [count, ...call.list('size')] }),
    ),
  'value.reshape': (call) =>
    call.moved((digits, count) => call.same([digits], { shape: [count, ...call.list('shape')] })),
  'value.broadcast': (call) =>
    call.moved((digits, count) => {
      const shape = call.list('shape');
      const own = call.inputs[0]?.type.shape ?? [];
      // Dimensions are counted from the last.
      const long = [count, ...shape.slice(own.length).map(() => 1), ...own];
      return call.same([call.node('value.reshape', [digits], { shape: long })], { shape: [count, ...shape] });
    }),
  'value.transpose': (call) =>
    call.moved((digits) => call.same([digits], { axes: [0, ...call.list('axes').map((axis) => axis + 1)] })),
  'value.rotate': (call) => call.moved((digits) => call.same([digits], { axis: call.axis + 1 })),
  'value.cells': (call) => {
    const { source } = call;
    if (source === undefined) return undefined;
    const fill = BigInt((call.attributes['fill'] ?? 0) as bigint | number);
    return {
      ...call.through(source),
      least: lesser(source.least, fill),
      most: greater(source.most, fill),
      of: (spec) => filled(call, source.of(spec), spec, fill),
    };
  },
  'value.concat': (call) => {
    const all = call.inputs.flatMap(({ digits }) => (digits === undefined ? [] : [digits]));
    if (all.length < call.inputs.length) return undefined;
    const [first, ...others] = all as [Digits, ...Digits[]];
    return {
      ...call.through(first, ...others),
      cell: undefined,
      factor: all.map(({ factor }) => (factor < 0n ? -factor : factor)).reduce(greater),
      least: all.map(({ least }) => least).reduce(lesser),
      most: all.map(({ most }) => most).reduce(greater),
      of: (spec) =>
        call.same(
          all.map((digits) => digits.of(spec)),
          { axis: call.axis + 1 },
        ),
    };
  },
  'value.within': (call) => {
    const { source, attributes } = call;
    if (source === undefined) return undefined;
    const [min, max] = [attributes['min'], attributes['max']].map((bound) => BigInt(bound as bigint));
    return {
      ...source,
      least: greater(source.least, min as bigint),
      most: lesser(source.most, max as bigint),
    };
  },
  'value.scale': ({ source, attributes }) =>
    affine(source, BigInt(attributes['numerator'] as bigint | number), 0n),
  'value.multiply': besideNumber((number) => [number, 0n]),
  'value.negate': ({ source }) => affine(source, -1n, 0n),
  'value.add': sum(1n, 1n),
  'value.sub': sum(1n, -1n),
};

/** Digits of what stands where a cell is missing; there they are those of 0. */
function filled(call: Passing, digits: Recorded, { factor, low, count }: Spec, fill: bigint): Recorded {
  if (fill === 0n) return digits;
  const { shape } = call.type;
  const wide = [count, ...shape];
  // Those of 0 as they are encrypted, also where it is below all that is compared.
  const digit = (cell: bigint, place: number): bigint =>
    (BigInt.asUintN(LONGEST, factor * cell - low) / BASE ** BigInt(place)) % BASE;
  const value = Array.from({ length: count }, (_, place) => digit(fill, place) - digit(0n, place));
  const over = (x: Recorded, long: Shape): Recorded =>
    call.node('value.broadcast', [call.node('value.reshape', [x], { shape: long })], { shape: wide });
  const there = call.node('value.present', [call.inputs[0] as Recorded]);
  const missing = over(call.node('value.not', [there]), [1, ...shape]);
  const more = over(call.node('value.constant', [], { kind: 'integer', shape: [count], value }), [
    count,
    ...shape.map(() => 1),
  ]);
  const sum = call.node('value.add', [digits, call.node('value.multiply', [missing, more])]);
  return call.node('value.within', [sum], { min: 0n, max: BASE - 1n });
}

/** What stands for an operator whose operands have digits, where that is cheaper; undefined where it stands for itself. */
export function byDigits(call: RecordedCall): Recorded | undefined {
  const { op, inputs } = call;
  const way = Object.hasOwn(WAYS, op) ? WAYS[op] : undefined;
  const hidden = inputs.some(({ type }) => type.place === 'encrypted');
  // The client compares as it is.
  const ofServer = inputs.every(({ half }) => half !== 'client');
  return hidden && ofServer ? way?.(call) : undefined;
}

const WAYS: Readonly<Record<string, (call: RecordedCall) => Recorded | undefined>> = {
  'value.compare': ({ recorder, where, inputs, attributes }) => {
    const [a, b] = inputs.map(({ digits }) => digits) as [Digits | undefined, Digits | undefined];
    if (a === undefined || b === undefined) return undefined;
    // Differences, and 0, which slots have that are no cell's.
    const values = greater(a.most - b.least, 0n) - lesser(a.least - b.most, 0n) + 1n;
    // What bounds tell of what is encrypted, or beside one known number, costs nothing; beside a gap the core does not ask them.
    const told = attributes['gap'] === undefined && (a.most < b.least || b.most < a.least);
    const isClear = ({ type, digits }: Recorded): boolean =>
      type.place !== 'encrypted' && digits?.cell === undefined;
    const few = attributes['relation'] === 'eq' ? FEW.equality : FEW.order;
    if (values <= few || (told && !inputs.some(isClear))) return undefined;
    const low = lesser(a.least, b.least);
    const most = greater(a.most, b.most) - low;
    let count = 1;
    while (BASE ** BigInt(count) <= most) count++;
    const { shape } = (inputs[0] as Recorded).type;
    // Digits are one more dimension, all along their way.
    const wide = (of: Digits): boolean => of.dimensions >= MOST_DIMENSIONS || count * of.cells > MOST_PACKED;
    if (wide(a) || wide(b)) return undefined;
    const [x, y] = [a, b].map((of) => of.of({ factor: 1n, low, count })) as [Recorded, Recorded];
    const node = (op: string, all: readonly Recorded[], own?: RuleAttributes): Recorded =>
      recorder.node(where, op, all, own);
    const compared = (relation: string, ...pair: readonly Recorded[]): Recorded[] =>
      places(node, node('value.compare', pair, { relation }), count, shape);
    const equal = compared('eq', x, y);
    if (attributes['relation'] === 'eq') return all(node, equal);
    // x <= y where y < x is not so.
    if (attributes['relation'] === 'lt') return less(node, compared('lt', x, y), equal);
    return node('value.not', [less(node, compared('lt', y, x), equal)]);
  },
};

type Node = (op: string, all: readonly Recorded[], attributes?: RuleAttributes) => Recorded;

/** What lies at each place of a number, the lowest first. */
function places(node: Node, digits: Recorded, count: number, shape: Shape): Recorded[] {
  const size = [1, ...shape];
  return Array.from({ length: count }, (_, at) => {
    const one = node('value.slice', [digits], { start: [at, ...shape.map(() => 0)], size });
    return node('value.reshape', [one], { shape });
  });
}

/** Whether all are true, in as few products after one another as there can be. */
function all(node: Node, of: readonly Recorded[]): Recorded {
  if (of.length === 1) return of[0] as Recorded;
  const middle = of.length >> 1;
  return node('value.and', [all(node, of.slice(0, middle)), all(node, of.slice(middle))]);
}

/** Whether a number is less than another, by what is less and what is equal at each place: at the higher places, or equal there, and less at the lower ones. */
function less(node: Node, isLess: readonly Recorded[], equal: readonly Recorded[]): Recorded {
  if (isLess.length === 1) return isLess[0] as Recorded;
  const middle = isLess.length >> 1;
  const [low, high] = [
    less(node, isLess.slice(0, middle), equal.slice(0, middle)),
    less(node, isLess.slice(middle), equal.slice(middle)),
  ];
  return node('value.select', [all(node, equal.slice(middle)), low, high]);
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Bits of the longest number: what is below 0, which bounds that are kept do not have, comes from the other end, as with short ones. */
const LONGEST = 3 * 256;

/** The digits that such an input is made of, of numbers; what is missing is 0 among them. */
export function digitsOfCells(
  cells: ArrayLike<number | bigint | string>,
  { base, factor, low }: DigitsOf,
  count: number,
): Float64Array<ArrayBuffer> {
  const { length } = cells;
  const digits = new Float64Array(count * length);
  const [times, least] = [BigInt(factor), BigInt(low)];
  const [k, shift] = [Number(times), Number(least)];
  const small = Number.isSafeInteger(k) && Number.isSafeInteger(shift);
  for (let at = 0; at < length; at++) {
    const cell = cells[at] as number | bigint | string;
    const product = small && typeof cell === 'number' ? k * cell : Number.NaN;
    if (Number.isSafeInteger(product) && Number.isSafeInteger(product - shift)) {
      let rest = product - shift;
      for (let place = 0; place < count; place++) {
        const next = Math.floor(rest / base);
        digits[place * length + at] = rest - next * base;
        rest = next;
      }
      continue;
    }
    const own = BigInt(base);
    let rest = BigInt.asUintN(LONGEST, times * BigInt(cell) - least);
    for (let place = 0; place < count; place++, rest /= own) digits[place * length + at] = Number(rest % own);
  }
  return digits;
}
