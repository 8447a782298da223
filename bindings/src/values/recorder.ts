/** What a task over values has recorded: inputs, and operators with the types of their results. */
import { attributesText } from '../attributes.js';
import { failure } from '../errors.js';
import { byDigits, type Digits, digitsOfInput, digitsOfResult, type RecordedCall } from './digits.js';
import { type Half, resultHalf, resultType, type RuleAttributes } from './rules.js';
import type { TaskLiteral, ValueType } from './types.js';

/** An operand: a declared input, or what an operator made of operands. */
export type Operand = { readonly input: number } | { readonly node: number };

/** An operand, and what is known of it. */
export interface Recorded {
  readonly operand: Operand;
  readonly type: ValueType;
  readonly half: Half;
  /** Made of reals that were given: these are doubles, and so is what is written beside them. */
  readonly ofDoubles: boolean;
  /** Of whole numbers that are an input's, moved or in another unit. */
  readonly digits?: Digits | undefined;
}

interface RecordedNode {
  readonly op: string;
  readonly operands: readonly Operand[];
  readonly attrs: string | undefined;
  /** Whether it is an encrypted real of the server's. */
  readonly real: boolean;
  /** Of which a scheme of integers may find something else to compute. */
  readonly call: RecordedCall;
}

/** See above. */
export class Recorder {
  readonly #inputs: TaskLiteral['inputs'] = [];
  readonly #nodes: RecordedNode[] = [];
  /** What stands for nodes under a scheme of integers. */
  readonly #instead = new Map<number, Operand>();
  #reals = false;
  /** What was recorded for what stands for nodes: of use where it is read. */
  readonly #lateInputs = new Set<number>();
  readonly #lateNodes = new Set<number>();
  /** How many nodes were asked for what stands for them. */
  #chosen = 0;

  /** A declared input; `given` by a caller, and no result of another program. */
  input(literal: TaskLiteral['inputs'][number], type: ValueType, given = true): Recorded {
    const half = type.place === 'public' ? 'either' : 'server';
    this.#inputs.push(literal);
    this.#reals ||= isHiddenReal(type);
    const operand = { input: this.#inputs.length - 1 };
    const digits = given ? digitsOfInput(this, literal, type) : undefined;
    return { operand, type, half, ofDoubles: type.kind === 'real', digits };
  }

  hasInput(name: string): boolean {
    return this.#inputs.some((input) => input.name === name);
  }

  /** Records an operator; `where` is what its caller called. Errors: GraphError; nothing is recorded then. */
  node(where: string, op: string, inputs: readonly Recorded[], attributes: RuleAttributes = {}): Recorded {
    const types = inputs.map(({ type }) => type);
    const type = resultType(where, op, attributes, types);
    const halves = inputs.map(({ half }) => half);
    // How many cells a complete value has is public, whoever has the cells.
    const half = type.place === 'public' ? 'either' : resultHalf(where, op, types, halves);
    const attrs = attributesText(where, attributes);
    const operands = inputs.map(({ operand }) => operand);
    const call = { recorder: this, where, op, inputs, attributes, type };
    const real = isHiddenReal(type) && half !== 'client';
    this.#nodes.push({ op, operands, attrs: attrs === '{}' ? undefined : attrs, real, call });
    const ofDoubles = inputs.some((input) => input.ofDoubles);
    const operand = { node: this.#nodes.length - 1 };
    return { operand, type, half, ofDoubles, digits: digitsOfResult(call) };
  }

  /** Whether a scheme of reals is to compute it: by the inputs, and by what outputs need. */
  hasReals(outputs: ReadonlyMap<string, Recorded>): boolean {
    return this.#reals || [...this.#needed(outputs)].some((node) => (this.#nodes[node] as RecordedNode).real);
  }

  /** The task; for a scheme of `reals`, where whole numbers are compared as they are. Errors: GraphError `graph.no_outputs`. */
  literal(outputs: ReadonlyMap<string, Recorded>, reals = this.hasReals(outputs)): TaskLiteral {
    if (outputs.size === 0)
      throw failure('graph.no_outputs', 'The task has no output: call task.output(name, value)');
    if (!reals) this.#chooseInstead();
    const resolved = (operand: Operand): Operand => {
      const instead = 'node' in operand && !reals ? this.#instead.get(operand.node) : undefined;
      return instead === undefined ? operand : resolved(instead);
    };
    const inputs = new Set([...this.#inputs.keys()].filter((input) => !this.#lateInputs.has(input)));
    const live = this.#needed(outputs, resolved, inputs);
    const inputNumbers = new Map([...inputs].sort((a, b) => a - b).map((input, number) => [input, number]));
    const numbers = new Map<number, number>();
    const nodes: TaskLiteral['nodes'] = [];
    const number = (operand: Operand): number => {
      if ('input' in operand) return inputNumbers.get(operand.input) as number;
      const known = numbers.get(operand.node);
      if (known !== undefined) return known;
      // What stands for another one was recorded later than what reads that.
      const { op, operands, attrs } = this.#nodes[operand.node] as RecordedNode;
      const read = operands.map((one) => number(resolved(one)));
      nodes.push({ op, inputs: read, ...(attrs !== undefined && { attrs }) });
      const own = inputs.size + nodes.length - 1;
      numbers.set(operand.node, own);
      return own;
    };
    // What no output needs, in its place, unless it stands for something, or something for it.
    const aside = new Set<number>();
    for (const [node, { operands }] of this.#nodes.entries()) {
      const isAside =
        this.#lateNodes.has(node) ||
        (!reals && this.#instead.has(node)) ||
        operands.some((one) => 'node' in one && aside.has(one.node));
      if (isAside && !live.has(node)) aside.add(node);
      else number({ node });
    }
    return {
      inputs: [...inputNumbers.keys()].map((input) => ({
        ...(this.#inputs[input] as TaskLiteral['inputs'][number]),
      })),
      nodes,
      outputs: [...outputs].map(([name, { operand }]) => ({ name, operand: number(resolved(operand)) })),
    };
  }

  /** The nodes that outputs need; their inputs are added to those. */
  #needed(
    outputs: ReadonlyMap<string, Recorded>,
    resolved: (operand: Operand) => Operand = (operand) => operand,
    inputs = new Set<number>(),
  ): Set<number> {
    const live = new Set<number>();
    const waiting = [...outputs.values()].map(({ operand }) => resolved(operand));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if ('input' in next) inputs.add(next.input);
      else if (!live.has(next.node)) {
        live.add(next.node);
        waiting.push(...(this.#nodes[next.node] as RecordedNode).operands.map(resolved));
      }
    }
    return live;
  }

  /** Finds what stands for nodes; once for each, since it is recorded. */
  #chooseInstead(): void {
    const [inputs, nodes] = [this.#inputs.length, this.#nodes.length];
    for (; this.#chosen < this.#nodes.length; this.#chosen++) {
      const made = byDigits((this.#nodes[this.#chosen] as RecordedNode).call);
      if (made !== undefined) this.#instead.set(this.#chosen, made.operand);
    }
    for (let input = inputs; input < this.#inputs.length; input++) this.#lateInputs.add(input);
    for (let node = nodes; node < this.#nodes.length; node++) this.#lateNodes.add(node);
  }
}

function isHiddenReal({ kind, place }: ValueType): boolean {
  return kind === 'real' && place === 'encrypted';
}
