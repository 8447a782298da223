/** The graph of one stage, with what the picture asks of it. */
import type { GraphView } from 'cipherloom';
import { groupBy, listOf, type Lists } from './csr.js';

export class StageGraph {
  readonly view: GraphView;
  /** Number of operators. */
  readonly size: number;
  readonly #byType: Lists;
  readonly #children: Lists;
  /** Operators that came from none of the stage above: all of the task, and what a pass put in elsewhere. */
  readonly roots: Uint32Array;
  #readers: { lists: Lists; of: Uint32Array } | undefined;

  /** `parents`: number of operators one stage up. */
  constructor(view: GraphView, parents: number) {
    this.view = view;
    this.size = view.type.length;
    this.#byType = groupBy(this.size, view.types.length, (op) => view.type[op]!);
    this.#children = groupBy(this.size, parents, (op) => view.parent[op]!);
    this.roots = listOf(
      groupBy(this.size, 1, (op) => (view.parent[op]! < 0 ? 0 : -1)),
      0,
    );
  }

  type(op: number): string {
    return this.view.types[this.view.type[op]!]!;
  }

  /** Attributes as text, without braces. */
  attributes(op: number): string {
    return this.view.labels[this.view.label[op]!]!.replace(/^\{|\}$/g, '');
  }

  /** Start and end of what the operator writes, in units of 8 bytes. */
  placeholder(op: number): readonly [start: number, end: number] {
    return [this.view.placeholders[2 * op]!, this.view.placeholders[2 * op + 1]!];
  }

  /** Producing operators, or -(k + 1) for graph input k; in the order of the operands. */
  inputs(op: number): Int32Array {
    return this.view.inputs.subarray(this.view.inputsStart[op], this.view.inputsStart[op + 1]);
  }

  /** Operators that read what `op` writes, or graph input k for -(k + 1); ascending, each once. */
  readers(op: number): number[] {
    const { lists, of } = (this.#readers ??= this.#makeReaders());
    const edges = listOf(lists, op + this.view.inputNames.length);
    return [...new Set(Array.from(edges, (edge) => of[edge]!))];
  }

  /** Operators of this stage that came from operator `parent` of the stage above. */
  childrenOf(parent: number): Uint32Array {
    return listOf(this.#children, parent);
  }

  /** All operators of a type. */
  ofType(type: string): Uint32Array {
    const index = this.view.types.indexOf(type);
    return index < 0 ? new Uint32Array() : listOf(this.#byType, index);
  }

  /** Number of operators of each type, the most frequent first. */
  typeCounts(): { type: string; count: number }[] {
    return this.view.types
      .map((type, index) => ({ type, count: listOf(this.#byType, index).length }))
      .sort((a, b) => b.count - a.count);
  }

  /** Operators whose output lies within [start, end). */
  writersWithin(start: number, end: number): number[] {
    const found: number[] = [];
    const { placeholders } = this.view;
    for (let op = 0; op < this.size; op++) {
      if (placeholders[2 * op]! >= start && placeholders[2 * op + 1]! <= end) found.push(op);
    }
    return found;
  }

  #makeReaders(): { lists: Lists; of: Uint32Array } {
    const { inputs, inputsStart, inputNames } = this.view;
    const of = new Uint32Array(inputs.length);
    for (let op = 0; op < this.size; op++) of.fill(op, inputsStart[op], inputsStart[op + 1]);
    const shift = inputNames.length;
    return { lists: groupBy(inputs.length, this.size + shift, (edge) => inputs[edge]! + shift), of };
  }
}
