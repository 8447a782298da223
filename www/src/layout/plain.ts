/**
 * Each operator once more, as plain loops over whole operands: no label, no part, no plan. What the simulated cores have computed is compared with it.
 */
import { type LayoutTensor, numberKind, type NumberType, type StaticLabel, tensor } from 'cipherloom/layout';
import type { NumbersName } from './question.js';

/** What an operator is to the tab. */
export interface Operator {
  readonly title: string;
  readonly formula: string;
  readonly operands: 1 | 2;
  /** Numbers that it is told, with bounds. */
  readonly attributes: Readonly<
    Record<string, { readonly usual: number; readonly least: number; readonly most: number }>
  >;
  /** Static labels to begin with. */
  readonly labels: readonly string[];
  /** At one place of the output; `round` after every operation. */
  readonly plain: (at: Index, input: Cells, weight: Cells, options: PlainOptions) => number;
}

/** An index by dimension; a dimension that is missing is 0. */
export type Index = Readonly<Record<string, number>>;

interface PlainOptions {
  readonly round: (x: number) => number;
  readonly attributes: Readonly<Record<string, number>>;
}

/** Numbers by index: 0 outside. */
export interface Cells {
  readonly sizes: Readonly<Record<string, number>>;
  at(index: Index): number;
}

const each = (
  title: string,
  formula: string,
  operands: 1 | 2,
  of: (a: number, b: number, attributes: Readonly<Record<string, number>>) => number,
  attributes: Operator['attributes'] = {},
): Operator => ({
  title,
  formula,
  operands,
  attributes,
  labels: ['static: in, float32, dim_NCW, {4 3 8}', 'static: in, float32, dim_NCW, {4 3 8}'].slice(
    0,
    operands,
  ),
  plain: (at, input, weight, { round, attributes: given }) =>
    round(of(round(input.at(at)), round(weight.at(at)), given)),
});

/** By the name that the package has for them. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  mlp: {
    title: 'Matrix product, a fully connected layer (mlp)',
    formula: 'O[n, f] = sum over c of I[n, c] W[f, c]',
    operands: 2,
    attributes: {},
    labels: ['static: in, float32, dim_NC, {8 64}', 'static: iw, float32, dim_CN, {64 16}'],
    plain: ({ N: n = 0, C: f = 0 }, input, weight, { round }) => {
      let sum = 0;
      for (let c = 0; c < Math.min(input.sizes.C!, weight.sizes.C!); c++)
        sum = round(sum + round(round(input.at({ N: n, C: c })) * round(weight.at({ N: f, C: c }))));
      return sum;
    },
  },
  conv2d: {
    title: 'Convolution in two dimensions (conv2d)',
    formula: 'O[n, f, y, x] = sum over c, u, v of I[n, c, y + u - p, x + v - p] W[f, c, u, v]',
    operands: 2,
    attributes: { padding: { usual: 1, least: 0, most: 16 } },
    labels: ['static: in, float32, dim_NCHW, {1 3 12 12}', 'static: iw, float32, dim_NCHW, {4 3 3 3}'],
    plain: (at, input, weight, { round, attributes: { padding = 0 } }) => {
      const { N: n = 0, C: f = 0, H: y = 0, W: x = 0 } = at;
      const { C: channels = 1, H: height = 1, W: width = 1 } = weight.sizes;
      let sum = 0;
      for (let c = 0; c < channels; c++)
        for (let u = 0; u < height; u++)
          for (let v = 0; v < width; v++) {
            const from = { N: n, C: c, H: y + u - padding, W: x + v - padding };
            sum = round(sum + round(round(input.at(from)) * round(weight.at({ N: f, C: c, H: u, W: v }))));
          }
      return sum;
    },
  },
  add: each('Sum (add)', 'O = I + W', 2, (a, b) => a + b),
  sub: each('Difference (sub)', 'O = I - W', 2, (a, b) => a - b),
  mul: each('Product, element by element (mul)', 'O = I W', 2, (a, b) => a * b),
  relu: each('Rectifier (relu)', 'O = max(I, 0)', 1, (a) => (a < 0 ? 0 : a)),
  relu_gradient: each('Gradient of the rectifier (relu_gradient)', 'O = W where I > 0, else 0', 2, (a, b) =>
    a > 0 ? b : 0,
  ),
  scale: each('Multiple (scale)', 'O = factor I', 1, (a, _, { factor = 1 }) => a * factor, {
    factor: { usual: 3, least: -1000, most: 1000 },
  }),
};

/** Numbers of one operand, by what they are called and where they lie. */
const FILLINGS: Readonly<
  Record<NumbersName, Readonly<Record<'input' | 'weight', (at: Index, flat: number) => number>>>
> = {
  count: { input: () => 1, weight: ({ N = 0 }) => N + 1 },
  whole: {
    input: ({ N = 0, C = 0, H = 0, W = 0, D = 0, T = 0 }) =>
      ((C + 2 * N + 3 * H + 5 * W + 2 * D + 3 * T) % 7) + 1,
    weight: ({ N = 0, C = 0, H = 0, W = 0, D = 0, T = 0 }) =>
      ((C + 3 * N + 2 * H + W + 3 * D + 2 * T) % 5) - 2,
  },
  fractions: { input: (_, flat) => Math.sin(flat), weight: (_, flat) => Math.cos(flat) },
};

/** An operand of numbers that are made up: nobody's data. */
export function fill(
  port: 'input' | 'weight',
  { dims, sizes, type }: StaticLabel,
  name: NumbersName,
): LayoutTensor {
  const of = FILLINGS[name][port];
  const { round } = numberKind(type);
  const values = Float64Array.from({ length: sizes.reduce((all, size) => all * size, 1) });
  places(dims, sizes, (at, flat) => (values[flat] = round(of(at, flat))));
  return tensor(dims, sizes, values);
}

/** The output of whole operands, in numbers of `type` (those of the machine) that become numbers of the output's own. */
export function plainly(
  name: string,
  attributes: Readonly<Record<string, number>>,
  input: LayoutTensor,
  weight: LayoutTensor | undefined,
  type: NumberType,
  output: Pick<StaticLabel, 'dims' | 'sizes' | 'type'>,
): Float64Array {
  const { round } = numberKind(type);
  const [a, b] = [cells(input), cells(weight ?? input)];
  // Attributes are numbers of the machine, too, as long as they are no counts.
  const given = Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, key === 'factor' ? round(value) : value]),
  );
  const { plain } = OPERATORS[name]!;
  const out = new Float64Array(output.sizes.reduce((all, size) => all * size, 1));
  const kind = numberKind(output.type);
  places(output.dims, output.sizes, (at, flat) => {
    out[flat] = kind.round(plain(at, a, b, { round, attributes: given }));
  });
  return out;
}

function cells({ dims, sizes, values }: LayoutTensor): Cells {
  const letters = [...dims];
  return {
    sizes: Object.fromEntries(letters.map((letter, index) => [letter, sizes[index]!])),
    at(index) {
      let flat = 0;
      for (let k = 0; k < letters.length; k++) {
        const [place, size] = [index[letters[k]!] ?? 0, sizes[k]!];
        if (place < 0 || place >= size) return 0;
        flat = flat * size + place;
      }
      return values[flat]!;
    },
  };
}

/** Every index, the last dimension fastest. */
function places(dims: string, sizes: readonly number[], visit: (at: Index, flat: number) => void): void {
  const at: Record<string, number> = Object.fromEntries([...dims].map((letter) => [letter, 0]));
  const total = sizes.reduce((all, size) => all * size, 1);
  for (let flat = 0; flat < total; flat++) {
    visit(at, flat);
    for (let k = dims.length - 1; k >= 0; k--) {
      const letter = dims[k]!;
      at[letter]! += 1;
      if (at[letter]! < sizes[k]!) break;
      at[letter] = 0;
    }
  }
}
