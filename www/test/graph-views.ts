/** Graphs for tests. */
import type { GraphView } from 'cipherloom';

export interface Operator {
  parent: number;
  inputs: number[];
  type?: string;
  /** Attributes. */
  label?: string;
}

/** A graph of these operators, which write 8 units each, one after the other. */
export function view(operators: readonly Operator[], outputs: GraphView['outputs'] = []): GraphView {
  const types = [...new Set(operators.map(({ type = 'x.add' }) => type))];
  const labels = [...new Set(operators.map(({ label = '{}' }) => label))];
  let edges = 0;
  const ends = operators.map(({ inputs }) => (edges += inputs.length));
  return {
    types,
    type: Uint32Array.from(operators, ({ type = 'x.add' }) => types.indexOf(type)),
    parent: Int32Array.from(operators, ({ parent }) => parent),
    inputsStart: Uint32Array.from([0, ...ends]),
    inputs: Int32Array.from(operators.flatMap(({ inputs }) => inputs)),
    placeholders: Float64Array.from(operators.flatMap((_, index) => [8 * index, 8 * index + 8])),
    labels,
    label: Uint32Array.from(operators, ({ label = '{}' }) => labels.indexOf(label)),
    inputNames: ['in'],
    outputs,
    wave: new Uint32Array(operators.length),
  };
}
