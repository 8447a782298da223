/**
 * Writes WebAssembly (WebAssembly Core Specification, section 5, binary format; relaxed SIMD included), as far as kernels need it: functions on `i32` and `v128`
 * that import one memory. The same calls give the same bytes.
 */

/** Types of values. */
export type Type = 'i32' | 'v128';

/** How types are written. */
export const TYPES: Readonly<Record<Type, number>> = { i32: 0x7f, v128: 0x7b };

/** Instructions without immediates, by the names of the text format. */
const PLAIN = {
  'i32.add': [0x6a],
  'i32.lt_u': [0x49],
  'f64.eq': [0x61],
  'f64.le': [0x65],
  'f64.add': [0xa0],
  'f64x2.lt': [0xfd, 0x49],
  'f64x2.ge': [0xfd, 0x4c],
  'v128.and': [0xfd, 0x4e],
  'v128.or': [0xfd, 0x50],
  'v128.xor': [0xfd, 0x51],
  'f64x2.floor': [0xfd, 0x75],
  'f64x2.nearest': [0xfd, 0x94, 0x01],
  'f64x2.add': [0xfd, 0xf0, 0x01],
  'f64x2.sub': [0xfd, 0xf1, 0x01],
  'f64x2.mul': [0xfd, 0xf2, 0x01],
  /** `a b + c`. */
  'f64x2.relaxed_madd': [0xfd, 0x87, 0x02],
  /** `c - a b`. */
  'f64x2.relaxed_nmadd': [0xfd, 0x88, 0x02],
} as const;

/** All instructions. */
export const INSTRUCTIONS = {
  ...PLAIN,
  loop: [0x03],
  if: [0x04],
  else: [0x05],
  end: [0x0b],
  br_if: [0x0d],
  call: [0x10],
  'local.get': [0x20],
  'local.set': [0x21],
  'local.tee': [0x22],
  'i32.load': [0x28],
  'f64.load': [0x2b],
  'i32.const': [0x41],
  'v128.load': [0xfd, 0x00],
  'v128.load64_splat': [0xfd, 0x0a],
  'v128.store': [0xfd, 0x0b],
  'v128.const': [0xfd, 0x0c],
  'i8x16.shuffle': [0xfd, 0x0d],
} as const;

/** Name of an instruction without immediates. */
export type Plain = keyof typeof PLAIN;

/** Which of the four doubles of two vectors make a vector: the lower ones, the upper ones. */
const HALVES = { low: [0, 16], high: [8, 24] } as const;

/** What a block gives. */
const NOTHING = 0x40;

/** A local of a function. */
export interface Local {
  readonly index: number;
}

/** A function whose body is being written. */
export class Body {
  readonly #code: number[] = [];
  readonly #locals: Type[] = [];
  readonly #parameters: number;

  constructor(parameters: number) {
    this.#parameters = parameters;
  }

  parameter(index: number): Local {
    return { index };
  }

  local(type: Type): Local {
    this.#locals.push(type);
    return { index: this.#parameters + this.#locals.length - 1 };
  }

  get({ index }: Local): this {
    return this.#emit('local.get', ...unsigned(index));
  }

  set({ index }: Local): this {
    return this.#emit('local.set', ...unsigned(index));
  }

  tee({ index }: Local): this {
    return this.#emit('local.tee', ...unsigned(index));
  }

  do(name: Plain): this {
    return this.#emit(name);
  }

  /** An integer of 32 bits. */
  i32(value: number): this {
    return this.#emit('i32.const', ...signed(value));
  }

  /** The same double in both lanes. */
  f64x2(value: number): this {
    const bytes = new Uint8Array(new Float64Array([value, value]).buffer);
    return this.#emit('v128.const', ...bytes);
  }

  /** Loads a vector; the address is on the stack. */
  load(offset: number): this {
    return this.#emit('v128.load', 3, ...unsigned(offset));
  }

  /** Loads a double into both lanes. */
  loadSplat(offset: number): this {
    return this.#emit('v128.load64_splat', 3, ...unsigned(offset));
  }

  /** Loads a double that is no vector. */
  loadDouble(offset: number): this {
    return this.#emit('f64.load', 3, ...unsigned(offset));
  }

  /** Loads an address, which is in memory. */
  loadAddress(offset: number): this {
    return this.#emit('i32.load', 2, ...unsigned(offset));
  }

  /** Stores a vector; address and vector are on the stack. */
  store(offset: number): this {
    return this.#emit('v128.store', 3, ...unsigned(offset));
  }

  /** Of the two vectors on the stack, the doubles of one half. */
  halves(half: keyof typeof HALVES): this {
    const bytes = HALVES[half].flatMap((from) => Array.from({ length: 8 }, (_, at) => from + at));
    return this.#emit('i8x16.shuffle', ...bytes);
  }

  call(index: number): this {
    return this.#emit('call', ...unsigned(index));
  }

  /** Repeats `body` as long as the condition that it leaves on the stack is not 0. */
  loop(body: () => void): this {
    this.#emit('loop', NOTHING);
    body();
    return this.#emit('br_if', 0).#emit('end');
  }

  /** One or the other, by the condition on the stack. */
  either(yes: () => void, no: () => void): this {
    this.#emit('if', NOTHING);
    yes();
    this.#emit('else');
    no();
    return this.#emit('end');
  }

  /** The body as the code section has it. */
  bytes(): number[] {
    const groups: { type: Type; count: number }[] = [];
    for (const type of this.#locals) {
      const last = groups.at(-1);
      if (last?.type === type) last.count++;
      else groups.push({ type, count: 1 });
    }
    const locals = groups.flatMap(({ type, count }) => [...unsigned(count), TYPES[type]]);
    return sized([...unsigned(groups.length), ...locals, ...this.#code, ...INSTRUCTIONS.end]);
  }

  #emit(name: keyof typeof INSTRUCTIONS, ...immediates: readonly number[]): this {
    this.#code.push(...INSTRUCTIONS[name], ...immediates);
    return this;
  }
}

interface Written {
  readonly parameters: number;
  readonly body: Body;
  readonly exported: string | undefined;
}

/** A module whose functions take integers of 32 bits, give nothing, and work on the imported shared memory `env.memory`. */
export class ModuleWriter {
  readonly #functions: Written[] = [];

  /** Adds a function; gives its index, by which others call it. */
  add(parameters: number, write: (body: Body) => void, exported?: string): number {
    const body = new Body(parameters);
    write(body);
    this.#functions.push({ parameters, body, exported });
    return this.#functions.length - 1;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const arities = [...new Set(this.#functions.map(({ parameters }) => parameters))];
    const type = (count: number): number[] => [
      0x60,
      ...vector(Array.from({ length: count }, () => [TYPES.i32])),
      0,
    ];
    // Shared, with a maximum: memories that may grow less far can be given.
    const memory = [...text('env'), ...text('memory'), 2, 3, ...unsigned(1), ...unsigned(65_536)];
    const exports = this.#functions.flatMap(({ exported }, index) =>
      exported === undefined ? [] : [[...text(exported), 0, ...unsigned(index)]],
    );
    return new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, vector(arities.map(type))),
      ...section(2, vector([memory])),
      ...section(3, vector(this.#functions.map(({ parameters }) => unsigned(arities.indexOf(parameters))))),
      ...section(7, vector(exports)),
      ...section(10, vector(this.#functions.map(({ body }) => body.bytes()))),
    ]);
  }
}

/** LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 127;
    rest >>= 7;
    if ((rest === 0 && low < 64) || (rest === -1 && low >= 64)) return [...bytes, low];
    bytes.push(low + 128);
  }
}

function sized(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function section(id: number, bytes: readonly number[]): number[] {
  return [id, ...sized(bytes)];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  return sized([...new TextEncoder().encode(value)]);
}
