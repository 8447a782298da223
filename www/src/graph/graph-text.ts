/** The text form of a graph, as far as the page reads it: which line is which operator, and the units of its operands. */

/** Units [start, end). */
export type Interval = readonly [start: number, end: number];

/** An operand of the graph that has a name. */
export interface NamedUnits {
  readonly name: string;
  readonly units: readonly Interval[];
}

/** Codes of letters that lines are told apart by. */
const [SPACE, TAB, I, O, P, U] = Array.from(' \tiopu', (letter) => letter.charCodeAt(0));

/** A printed graph: lines are found once, and read when they are asked for. There may be a hundred thousand. */
export class GraphText {
  readonly text: string;
  readonly inputs: readonly NamedUnits[];
  readonly outputs: readonly NamedUnits[];
  /** Where lines start: those of operators, and those of inputs and operators, which is what %k counts. */
  readonly #operators: readonly number[];
  readonly #defined: readonly number[];
  readonly #reads = new Map<number, readonly Interval[]>();

  constructor(text: string) {
    this.text = text;
    const operators: number[] = [];
    const defined: number[] = [];
    const inputs: number[] = [];
    const outputs: number[] = [];
    for (let end = -1; end < text.length; end = lineEnd(text, end + 1)) {
      let at = end + 1;
      while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at++;
      const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
      if (first === O && second === P) operators.push(at);
      else if (first === O && second === U) outputs.push(at);
      else if (first === I) inputs.push(at);
      if (first === I || (first === O && second === P)) defined.push(at);
    }
    this.#operators = operators;
    this.#defined = defined;
    this.inputs = inputs.map((at) => this.#named(at, intervalsOf(afterColon(this.#line(at)))));
    this.outputs = outputs.map((at) => this.#named(at, this.#unitsOf(unquoted(this.#line(at)))));
  }

  /** Number of operators. */
  get size(): number {
    return this.#operators.length;
  }

  /** Bits of a unit. */
  get unit(): number {
    return Number(/^\s*unit\s+(\d+)/m.exec(this.text)?.[1] ?? 8);
  }

  /** The line of an operator, counted from 1; undefined if there is none. */
  lineOf(op: number): number | undefined {
    const start = this.#operators[op];
    if (start === undefined) return undefined;
    let line = 1;
    for (let at = lineEnd(this.text, 0); at < start; at = lineEnd(this.text, at + 1)) line++;
    return line;
  }

  /** The operator's type. */
  type(op: number): string {
    return /=\s*([\w.]+)/.exec(this.#operator(op))?.[1] ?? '';
  }

  /** The platform that the operator is placed on; undefined where whoever runs it chooses. */
  platform(op: number): string | undefined {
    return /=\s*[\w.]+@([\w-]+)/.exec(this.#operator(op))?.[1];
  }

  /** Units that an operator writes. */
  writes(op: number): readonly Interval[] {
    return intervalsOf(afterColon(this.#operator(op)));
  }

  /** Units that an operator reads, sorted and joined. */
  reads(op: number): readonly Interval[] {
    const known = this.#reads.get(op);
    if (known !== undefined) return known;
    const line = this.#operator(op);
    const found = joined(this.#unitsOf(line.slice(line.indexOf('('), line.lastIndexOf(':'))));
    this.#reads.set(op, found);
    return found;
  }

  /** Type and units of what an operator writes, as the text has them. */
  place(op: number): string {
    return afterColon(this.#operator(op))
      .replace(/\s(nonce|parent)=.*$/, '')
      .trim();
  }

  #operator(op: number): string {
    return this.#line(this.#operators[op] ?? this.text.length);
  }

  #line(start: number): string {
    return this.text.slice(start, lineEnd(this.text, start));
  }

  #named(start: number, units: readonly Interval[]): NamedUnits {
    return { name: nameOf(this.#line(start)), units };
  }

  /** Of operands: `%k`, or types and placeholders. */
  #unitsOf(operands: string): Interval[] {
    const found: Interval[] = [];
    for (const [, number, start, end] of operands.matchAll(/%(\d+)|\[(\d+),(\d+)\)/g)) {
      if (number === undefined) found.push([Number(start), Number(end)]);
      else
        found.push(...intervalsOf(afterColon(this.#line(this.#defined[Number(number)] ?? this.text.length))));
    }
    return found;
  }
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** Where two lists of units meet. */
export function meet(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const found: Interval[] = [];
  for (const [start, end] of a)
    for (const [from, to] of b) {
      const both: Interval = [Math.max(start, from), Math.min(end, to)];
      if (both[0] < both[1]) found.push(both);
    }
  return joined(found);
}

/** Sorted, and as few as they can be. */
export function joined(intervals: readonly Interval[]): Interval[] {
  const found: [number, number][] = [];
  for (const [start, end] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

function intervalsOf(text: string): Interval[] {
  return Array.from(text.matchAll(/\[(\d+),(\d+)\)/g), ([, start, end]) => [Number(start), Number(end)]);
}

/** Placeholders of what a line defines: behind the last colon that is no part of a name. */
function afterColon(line: string): string {
  const unnamed = unquoted(line);
  return unnamed.slice(unnamed.lastIndexOf(':') + 1);
}

function unquoted(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"\s*$/, '');
}

function nameOf(line: string): string {
  const quoted = /"(?:[^"\\]|\\.)*"\s*$/.exec(line)?.[0];
  try {
    return quoted === undefined ? '' : String(JSON.parse(quoted));
  } catch {
    return quoted ?? '';
  }
}
