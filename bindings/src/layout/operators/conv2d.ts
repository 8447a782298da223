/**
 * Two-dimensional convolution, as networks have it (no kernel is mirrored), stride 1: O[n, f, y, x] = sum over c, u, v of I[n, c, y + u - p, x + v - p] W[f, c, u, v], zeros outside. All have N, C, H, W. Attribute
 * `padding`: p, zeros on each side. Sums from 0 on, by c, then u, then v, ascending: the product is rounded, then the sum; zeros outside are left out (seed 004, paragraph 155).
 */
import type { LayoutOperator } from '../operator.js';
import { sizesOf, stride, zeros } from '../tensor.js';
import { checkDims, checkWhole, wrong } from '../wrong.js';

/** See the file. */
export const CONV2D: LayoutOperator = {
  name: 'conv2d',
  family: 'conv2d',
  ports: [
    {
      name: 'input',
      letter: 'i',
      role: 'neuron',
      usual: ['NCHW'],
      leads: { N: { to: 'N' }, C: 'sum', H: { to: 'H', rim: true }, W: { to: 'W', rim: true } },
    },
    { name: 'weight', letter: 'w', role: 'weight', usual: ['NCHW'], leads: { N: { to: 'C' }, C: 'sum' } },
  ],
  defaults: { padding: 0 },
  graph: [],
  local: () => ({}),
  output(input, weight, { padding = 0 }) {
    const letters = (sizes: object): string => Object.keys(sizes).sort().join('');
    if (letters(input) !== 'CHNW' || letters(weight) !== 'CHNW')
      throw wrong(
        'layout.operands',
        'conv2d',
        `input ${letters(input)}, weight ${letters(weight)}`,
        'N, C, H, W each',
      );
    checkWhole('layout.operator', 'conv2d, padding', padding, 0, 2 ** 20);
    const over = (size: number, kernel: number): number => size + 2 * padding - kernel + 1;
    const [H, W] = [over(input.H ?? 1, weight.H ?? 1), over(input.W ?? 1, weight.W ?? 1)];
    if (H < 1 || W < 1)
      throw wrong(
        'layout.operands',
        'conv2d',
        `a kernel of ${weight.H} x ${weight.W}`,
        `one within ${input.H} x ${input.W}, padding ${padding}`,
      );
    return { N: input.N ?? 1, C: weight.N ?? 1, H, W };
  },
  rim(dimension, [from, to], input, weight, { padding = 0 }) {
    const [size, kernel] = [input[dimension] ?? 1, weight[dimension] ?? 1];
    // The output's row y reads the input's rows y - padding to y - padding + kernel - 1.
    const [first, end] = [from - padding, to - padding + kernel - 1];
    const [before, after] = [Math.max(0, -first), Math.max(0, end - size)];
    return {
      range: [Math.max(0, first), Math.min(size, end)],
      attributes: dimension === 'H' ? { top: before, bottom: after } : { left: before, right: after },
    };
  },
  compute([input, weight], { top = 0, bottom = 0, left = 0, right = 0 }, dims, round) {
    if (input === undefined || weight === undefined)
      throw wrong('layout.plan', 'conv2d', 'one operand', 'two');
    const { N: items = 1, C: channels = 1, H: rows = 1, W: columns = 1 } = sizesOf(input);
    const { N: filters = 1, C: other = 1, H: kh = 1, W: kw = 1 } = sizesOf(weight);
    for (const order of [input.dims, weight.dims, dims]) checkDims('conv2d', order, 'NCHW');
    if (channels !== other)
      throw wrong('layout.plan', 'conv2d, dimension C', `${channels} and ${other}`, 'equal sizes');
    // Those of the attribute, and behind them what a label fills up.
    for (const zeros of [top, bottom, left, right])
      checkWhole('layout.plan', 'conv2d, zeros', zeros, 0, 2 ** 21);
    if (rows + top + bottom < kh || columns + left + right < kw)
      throw wrong('layout.plan', 'conv2d', `a kernel of ${kh} x ${kw}`, `one within ${rows} x ${columns}`);
    const sizes = {
      N: items,
      C: filters,
      H: rows + top + bottom - kh + 1,
      W: columns + left + right - kw + 1,
    };
    const out = zeros(
      dims,
      [...dims].map((letter) => sizes[letter as keyof typeof sizes]),
    );
    const [iN, iC, iH, iW] = (['N', 'C', 'H', 'W'] as const).map((d) => stride(input, d)) as [
      number,
      number,
      number,
      number,
    ];
    const [wN, wC, wH, wW] = (['N', 'C', 'H', 'W'] as const).map((d) => stride(weight, d)) as [
      number,
      number,
      number,
      number,
    ];
    const [oN, oC, oH, oW] = (['N', 'C', 'H', 'W'] as const).map((d) => stride(out, d)) as [
      number,
      number,
      number,
      number,
    ];
    for (let n = 0; n < items; n++)
      for (let f = 0; f < filters; f++)
        for (let y = 0; y < sizes.H; y++)
          for (let x = 0; x < sizes.W; x++) {
            let sum = 0;
            for (let c = 0; c < channels; c++)
              for (let u = Math.max(0, top - y); u < kh && y + u - top < rows; u++)
                for (let v = Math.max(0, left - x); v < kw && x + v - left < columns; v++) {
                  const a = input.values[
                    n * iN + c * iC + (y + u - top) * iH + (x + v - left) * iW
                  ] as number;
                  sum = round(sum + round(a * (weight.values[f * wN + c * wC + u * wH + v * wW] as number)));
                }
            out.values[n * oN + f * oC + y * oH + x * oW] = sum;
          }
    return out;
  },
  // As a product of matrices: a row for each place of the output, a column for each summand, in the order of the sum. What lies outside is a product with 0, which changes no sum of finite numbers.
  record(recorder, [input, weight], { top = 0, bottom = 0, left = 0, right = 0 }) {
    if (input === undefined || weight === undefined)
      throw wrong('layout.plan', 'conv2d', 'one operand', 'two');
    const padded = recorder.surround(recorder.transpose(input, 'NCHW'), {
      H: [top, bottom],
      W: [left, right],
    });
    const kernel = recorder.transpose(weight, 'NCHW');
    const [items = 1, channels = 1, rows = 1, columns = 1] = padded.sizes;
    const [filters = 1, , kh = 1, kw = 1] = kernel.sizes;
    const [height, width] = [rows - kh + 1, columns - kw + 1];
    const places = items * height * width;
    const shifted = Array.from({ length: kh * kw }, (_, at) => {
      const [u, v] = [Math.floor(at / kw), at % kw];
      const box = recorder.slice(padded, { H: [u, u + height], W: [v, v + width] });
      // One column for each channel; shifts become the innermost dimension.
      return recorder.reshape(recorder.transpose(box, 'NHWC'), 'NCD', [places, channels, 1]);
    });
    const summands = channels * kh * kw;
    const matrix = recorder.reshape(recorder.join(shifted, 'D'), 'NC', [places, summands]);
    const turned = recorder.transpose(recorder.reshape(kernel, 'NC', [filters, summands]), 'CN');
    const product = {
      operand: recorder.op('matmul', [matrix.operand, turned.operand]),
      dims: 'NC',
      sizes: [places, filters],
    };
    return recorder.transpose(recorder.reshape(product, 'NHWC', [items, height, width, filters]), 'NCHW');
  },
  operations: (_, weight, output) =>
    [output.N, output.C, output.H, output.W, weight.C, weight.H, weight.W].reduce<number>(
      (all, size) => all * (size ?? 1),
      1,
    ),
};
