/**
 * The code of a kernel to read: WebAssembly's text format (WebAssembly Core Specification, section 6; relaxed SIMD included), as far as {@link ModuleWriter} writes it. What is shown
 * is read from the bytes that run, not from the schedule.
 */
import { wrong } from '../wrong.js';
import { INSTRUCTIONS, TYPES } from './wasm-writer.js';

/** A function of a kernel. */
export interface KernelFunction {
  /** By which others call it. */
  readonly index: number;
  /** The name under which the engine has it: `closed`, from and to residues; `open`, which leaves or takes doubles. */
  readonly exported: string | undefined;
  /** How many instructions it has. */
  readonly instructions: number;
  /** Its lines, indented. */
  readonly lines: readonly string[];
}

/** Before the number of an instruction on vectors. */
const VECTORS = 0xfd;
/** Instructions by their code: the first byte, or, behind 0xfd, the number that follows. */
const NAMES = new Map(Object.entries(INSTRUCTIONS).map(([name, bytes]) => [codeOf(bytes), name]));

function codeOf([first, ...rest]: readonly number[]): number {
  if (first !== VECTORS) return first as number;
  return VECTORS * 2 ** 8 + rest.reduce((sum, byte, at) => sum + (byte & 127) * 2 ** (7 * at), 0);
}

/** The functions of a kernel, in their order. Errors: TuneError `tune.code` of bytes that are not those of a kernel. */
export function kernelText(bytes: Uint8Array): readonly KernelFunction[] {
  const module = new Reader(bytes);
  if (module.take(8).join() !== '0,97,115,109,1,0,0,0') throw module.wrong('the beginning of a module');
  const arities: number[] = [];
  const functions: number[] = [];
  const exported = new Map<number, string>();
  const bodies: Reader[] = [];
  while (!module.done) {
    const id = module.byte();
    const section = new Reader(module.take(module.unsigned()));
    const each = (read: () => void): void => {
      for (let count = section.unsigned(); count > 0; count--) read();
    };
    if (id === 1)
      each(() => {
        section.expect(0x60);
        const parameters = section.unsigned();
        section.take(parameters);
        section.expect(0);
        arities.push(parameters);
      });
    else if (id === 2) section.take(section.left);
    else if (id === 3) each(() => functions.push(arities[section.unsigned()] ?? 0));
    else if (id === 7)
      each(() => {
        const name = new TextDecoder().decode(section.take(section.unsigned()));
        section.expect(0);
        exported.set(section.unsigned(), name);
      });
    else if (id === 10) each(() => bodies.push(new Reader(section.take(section.unsigned()))));
    else throw module.wrong('a section that kernels have');
    if (!section.done) throw module.wrong('no more in a section');
  }
  if (bodies.length !== functions.length) throw module.wrong('a body for each function');
  return bodies.map((body, index) => {
    const name = exported.get(index);
    const { lines, instructions } = textOf(body, index, name, functions[index] as number);
    return { index, exported: name, instructions, lines };
  });
}

function textOf(
  body: Reader,
  index: number,
  exported: string | undefined,
  parameters: number,
): Pick<KernelFunction, 'lines' | 'instructions'> {
  const name = exported === undefined ? '' : ` (export "${exported}")`;
  const types = Array.from({ length: parameters }, () => ' i32').join('');
  const lines = [`(func $${index}${name} (param${types})`];
  for (let groups = body.unsigned(); groups > 0; groups--) {
    const count = body.unsigned();
    const code = body.byte();
    const type = Object.entries(TYPES).find(([, known]) => known === code)?.[0];
    if (type === undefined) throw body.wrong('a type that kernels have');
    lines.push(`  (local ${Array.from({ length: count }, () => type).join(' ')})`);
  }
  let depth = 1;
  let instructions = 0;
  while (depth > 0) {
    const text = instruction(body);
    instructions++;
    if (text === 'end' || text === 'else') depth--;
    lines.push(depth === 0 ? ')' : `${'  '.repeat(depth)}${text}`);
    if (/^(loop|if|else)/.test(text)) depth++;
  }
  if (!body.done) throw body.wrong('no more behind the end');
  return { lines, instructions: instructions - 1 };
}

/** One instruction, with its immediates. */
function instruction(body: Reader): string {
  const first = body.byte();
  const code = first === VECTORS ? VECTORS * 2 ** 8 + body.unsigned() : first;
  const name = NAMES.get(code);
  if (name === undefined) throw body.wrong('an instruction that kernels have');
  switch (name) {
    case 'loop':
    case 'if':
      body.expect(0x40);
      return name;
    case 'local.get':
    case 'local.set':
    case 'local.tee':
    case 'br_if':
      return `${name} ${body.unsigned()}`;
    case 'call':
      return `call $${body.unsigned()}`;
    case 'i32.const':
      return `${name} ${body.signed()}`;
    case 'v128.const': {
      const { buffer, byteOffset } = body.take(16).slice();
      return `${name} f64x2 ${[...new Float64Array(buffer, byteOffset, 2)].join(' ')}`;
    }
    case 'i8x16.shuffle':
      return `${name} ${[...body.take(16)].join(' ')}`;
    case 'v128.load':
    case 'v128.load64_splat':
    case 'v128.store':
    case 'i32.load':
    case 'f64.load': {
      const align = 2 ** body.unsigned();
      const offset = body.unsigned();
      return `${name}${offset === 0 ? '' : ` offset=${offset}`} align=${align}`;
    }
    default:
      return name;
  }
}

/** Bytes, one after the other. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  get done(): boolean {
    return this.left === 0;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw this.wrong(`${count} more bytes`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  expect(byte: number): void {
    if (this.byte() !== byte) throw this.wrong(`byte ${byte}`);
  }

  /** LEB128, of 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let at = 0; at < 5; at++) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** (7 * at);
      if (byte < 128) return value;
    }
    throw this.wrong('a number of 32 bits');
  }

  signed(): number {
    let value = 0;
    for (let at = 0; at < 5; at++) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** (7 * at);
      if (byte < 128) return byte < 64 ? value : value - 2 ** (7 * (at + 1));
    }
    throw this.wrong('a number of 32 bits');
  }

  wrong(expected: string): Error {
    return wrong('tune.code', 'code of a kernel', `something else at byte ${this.#at}`, expected);
  }
}
