/**
 * Faults that the package could have, as changes of what it is told: the model still gets the program as it is. Each is
 * `(program) => program`, with what it would be called if it were in the package.
 */
import { backwards } from './subject.mjs';

const nodes = (change) => (program) => ({ ...program, nodes: program.nodes.map((node) => change(node, program)) });
const options = (change) => (program) => {
  return { ...program, inputs: program.inputs.map((input) => ({ ...input, options: change(input.options) })) };
};
const values = (change) => (program) => {
  return {
    ...program,
    inputs: program.inputs.map((input) => ({ ...input, values: change(Array.from(input.values), input.options) })),
  };
};
const rotations = (change) =>
  nodes((node) => {
    return node.method === 'rotateRows' ? { ...node, args: [{ value: change(Number(node.args[0].value)) }] } : node;
  });
const isNumber = (value) => typeof value === 'number' || typeof value === 'bigint';
const rowsOf = ({ inputs }) => Math.min(...inputs.map(({ options: { rows } }) => rows));
const neutral = { add: 0, sub: 0, multiply: 1 };

export const FAULTS = {
  'rotations turn the other way': rotations((steps) => -steps),
  'rotations turn by one too much': rotations((steps) => steps + 1),
  'both rings turn as one': options(({ rings, ...rest }) => ({ ...rest, ...(rings && { rings: 1 }) })),
  'rings are not exchanged': nodes((node) =>
    node.method === 'rotateColumns' ? { ...node, method: 'rotateRows', args: [{ value: 0 }] } : node,
  ),
  'a plain number reaches one row too few': nodes((node, program) => {
    const [{ value } = {}] = node.args;
    if (!(node.method in neutral) || !isNumber(value)) return node;
    return { ...node, args: [{ value: [...Array(rowsOf(program) - 1).fill(value), neutral[node.method]] }] };
  }),
  'plain lists are read backwards': nodes((node) => {
    return Array.isArray(node.args[0]?.value) ? { ...node, args: [{ value: node.args[0].value.toReversed() }] } : node;
  }),
  'plain numbers lose their decimals': nodes((node) => {
    const [{ value } = {}] = node.args;
    return typeof value === 'number' && node.method in neutral
      ? { ...node, args: [{ value: Math.trunc(value) }] }
      : node;
  }),
  'differences are taken the other way': nodes((node) => {
    return node.method === 'sub' && 'operand' in node.args[0]
      ? { ...node, on: node.args[0].operand, args: [{ operand: node.on }] }
      : node;
  }),
  'the divisor is the other one': nodes((node) => {
    if (!['variance', 'covariance'].includes(node.method)) return node;
    const [mate, given] = node.method === 'covariance' ? node.args : [null, node.args[0]];
    return { ...node, args: [...(mate ? [mate] : []), { value: { population: given?.value.population !== true } }] };
  }),
  'the covariance is the variance': nodes((node) => {
    return node.method === 'covariance' ? { ...node, args: [{ operand: node.on }, ...node.args.slice(1)] } : node;
  }),
  'missing cells are zeros': values((list, { min, max }) => {
    return list.map((value) => (((value ?? NaN) !== value || Number.isNaN(value)) && min <= 0 && max >= 0 ? 0 : value));
  }),
  'the last row is the first': values((list) => list.with(-1, list[0])),
  'the greatest value is not reached': values((list, { min, max }) =>
    list.map((value) => (value === max ? min : value)),
  ),
  'rows are in reverse order': backwards,
};
