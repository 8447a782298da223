/** The text form of a graph, as far as the page reads it: which line is which operator, and the units of its operands. */

/** Units [start, end). */
export type Interval = readonly [start: number, end: number];

/** An operand of the graph that has a name. */
export interface NamedUnits {
  readonly name: string;
  readonly units: readonly Interval[];
}

const LINE = /^\s*(input|op|output)\b/;

/** A printed graph: lines are found once, and read when they are asked for. There may be a hundred thousand. */
export class GraphText {
  readonly lines: readonly string[];
  /** Line of every operator, counted from 0. */
  readonly operatorLines: readonly number[];
  /** Lines of inputs and operators, in order: what %k is. */
  readonly #defined: readonly number[];
  readonly inputs: readonly NamedUnits[];
  readonly outputs: readonly NamedUnits[];
  #reads = new Map<number, readonly Interval[]>();

  constructor(text: string) {
    this.lines = text.split('\n');
    const operatorLines: number[] = [];
    const defined: number[] = [];
    const [inputs, outputs]: [number[], number[]] = [[], []];
    for (const [number, line] of this.lines.entries()) {
      const kind = LINE.exec(line)?.[1];
      if (kind === undefined) continue;
      if (kind !== 'output') defined.push(number);
      (kind === 'op' ? operatorLines : kind === 'input' ? inputs : outputs).push(number);
    }
    this.operatorLines = operatorLines;
    this.#defined = defined;
    this.inputs = inputs.map((line) => this.#named(line, intervalsOf(afterColon(this.lines[line]!))));
    this.outputs = outputs.map((line) => this.#named(line, this.#unitsOf(unquoted(this.lines[line]!))));
  }

  /** Bits of a unit. */
  get unit(): number {
    const line = this.lines.find((one) => /^\s*unit\s/.test(one));
    return Number(line?.trim().split(/\s+/)[1] ?? 8);
  }

  /** The operator's type. */
  type(op: number): string {
    return /=\s*([\w.]+)/.exec(this.#operator(op))?.[1] ?? '';
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
    const found = joined(this.#unitsOf(line.slice(line.indexOf('('), line.lastIndexOf(')') + 1)));
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
    return this.lines[this.operatorLines[op]!] ?? '';
  }

  #named(line: number, units: readonly Interval[]): NamedUnits {
    return { name: nameOf(this.lines[line]!), units };
  }

  /** Of operands: `%k`, or types and placeholders. */
  #unitsOf(operands: string): Interval[] {
    const found: Interval[] = [];
    for (const [, number, start, end] of operands.matchAll(/%(\d+)|\[(\d+),(\d+)\)/g)) {
      if (number === undefined) found.push([Number(start), Number(end)]);
      else found.push(...intervalsOf(afterColon(this.lines[this.#defined[Number(number)]!] ?? '')));
    }
    return found;
  }
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
