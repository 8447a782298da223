/** What a task over values has recorded: inputs, and operators with the types of their results. */
import { attributesText } from '../attributes.js';
import { failure } from '../errors.js';
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
}

/** See above. */
export class Recorder {
  readonly #inputs: TaskLiteral['inputs'] = [];
  readonly #nodes: { op: string; operands: readonly Operand[]; attrs: string | undefined }[] = [];

  input(literal: TaskLiteral['inputs'][number], type: ValueType): Recorded {
    const half = type.place === 'public' ? 'either' : 'server';
    this.#inputs.push(literal);
    return { operand: { input: this.#inputs.length - 1 }, type, half, ofDoubles: type.kind === 'real' };
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
    this.#nodes.push({ op, operands, attrs: attrs === '{}' ? undefined : attrs });
    const ofDoubles = inputs.some((input) => input.ofDoubles);
    return { operand: { node: this.#nodes.length - 1 }, type, half, ofDoubles };
  }

  literal(outputs: ReadonlyMap<string, Recorded>): TaskLiteral {
    if (outputs.size === 0)
      throw failure('graph.no_outputs', 'The task has no output: call task.output(name, value)');
    const number = (operand: Operand): number =>
      'input' in operand ? operand.input : this.#inputs.length + operand.node;
    return {
      inputs: this.#inputs.map((input) => ({ ...input })),
      nodes: this.#nodes.map(({ op, operands, attrs }) => ({
        op,
        inputs: operands.map(number),
        ...(attrs !== undefined && { attrs }),
      })),
      outputs: [...outputs].map(([name, { operand }]) => ({ name, operand: number(operand) })),
    };
  }
}
