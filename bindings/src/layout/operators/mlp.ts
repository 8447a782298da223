/**
 * Fully connected: O[n, f] = sum over c of I[n, c] W[f, c]. Input N, C (or C alone), weight N (its outputs), C; output N, C (or C). One sum for each output, from 0 on, c ascending: the product is
 * rounded, then the sum (seed 004, paragraphs 75, 211).
 */
import type { LayoutOperator } from '../operator.js';
import { sizesOf, stride, zeros } from '../tensor.js';
import { checkDims, wrong } from '../wrong.js';

/** See the file. */
export const MLP: LayoutOperator = {
  name: 'mlp',
  family: 'mlp',
  ports: [
    { name: 'input', letter: 'i', role: 'neuron', usual: ['C', 'NC'], leads: { N: { to: 'N' }, C: 'sum' } },
    { name: 'weight', letter: 'w', role: 'weight', usual: ['C', 'CN'], leads: { N: { to: 'C' }, C: 'sum' } },
  ],
  defaults: {},
  graph: ['matmul'],
  local: () => ({}),
  output(input, weight) {
    const letters = (sizes: object): string => Object.keys(sizes).sort().join('');
    if (!['C', 'CN'].includes(letters(input)) || letters(weight) !== 'CN')
      throw wrong(
        'layout.operands',
        'mlp',
        `input ${letters(input)}, weight ${letters(weight)}`,
        'input N, C or C, weight N, C',
      );
    return { ...(input.N === undefined ? {} : { N: input.N }), C: weight.N as number };
  },
  compute([input, weight], _, dims, round) {
    if (input === undefined || weight === undefined) throw wrong('layout.plan', 'mlp', 'one operand', 'two');
    const { N: rows = 1, C: depth = 1 } = sizesOf(input);
    const { N: columns = 1, C: other = 1 } = sizesOf(weight);
    checkDims('mlp', input.dims, dims);
    checkDims('mlp', weight.dims, 'NC');
    if (depth !== other)
      throw wrong('layout.plan', 'mlp, dimension C', `${depth} and ${other}`, 'equal sizes');
    const out = zeros(
      dims,
      [...dims].map((letter) => (letter === 'N' ? rows : columns)),
    );
    const [inN, inC] = [stride(input, 'N'), stride(input, 'C')];
    const [wN, wC] = [stride(weight, 'N'), stride(weight, 'C')];
    const [outN, outC] = [stride(out, 'N'), stride(out, 'C')];
    for (let n = 0; n < rows; n++)
      for (let f = 0; f < columns; f++) {
        let sum = 0;
        for (let c = 0; c < depth; c++) {
          const term =
            (input.values[n * inN + c * inC] as number) * (weight.values[f * wN + c * wC] as number);
          sum = round(sum + round(term));
        }
        out.values[n * outN + f * outC] = sum;
      }
    return out;
  },
  record(recorder, [input, weight]) {
    if (input === undefined || weight === undefined) throw wrong('layout.plan', 'mlp', 'one operand', 'two');
    const rows = recorder.transpose(input, input.dims.length === 1 ? 'C' : 'NC');
    const columns = recorder.transpose(weight, 'CN');
    const sizes = [...rows.sizes.slice(0, -1), columns.sizes[1] ?? 1];
    return { operand: recorder.op('matmul', [rows.operand, columns.operand]), dims: rows.dims, sizes };
  },
  operations: (input, weight) => (input.N ?? 1) * (input.C ?? 1) * (weight.N ?? 1),
};
