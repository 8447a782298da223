/** Two small networks and their training, over whoever computes: a simulated machine, plain loops, a graph. */
import {
  compile,
  labelOperator,
  type LabelledOperator,
  type LayoutAttributes,
  type LayoutTensor,
  type Machine,
  type OperatorOptions,
  type Plan,
  runPlan,
  type StaticLabel,
} from '../src/layout/index.js';
import { plainConv, plainMlp, at } from './layout-machines.js';

/** Numbers, wherever they are. */
export interface Datum<T> {
  readonly dims: string;
  readonly sizes: readonly number[];
  readonly of: T;
}

export interface Call<T> {
  readonly input: Datum<T>;
  readonly weight?: Datum<T> | undefined;
  readonly attributes?: LayoutAttributes | undefined;
  /** Order of the output. */
  readonly dims: string;
}

/** Computes one operator. */
export type Run<T> = (name: string, call: Call<T>) => Datum<T>;

/** The same numbers under other names: what was an item is summed in a gradient. */
export function as<T>({ sizes, of }: Datum<T>, dims: string, shape: readonly number[] = sizes): Datum<T> {
  return { dims, sizes: shape, of };
}

const RATE = 1 / 8;

/** Two layers, x (N, C) to as many outputs as t has; squared error over items; one step down. */
export function stepMlp<T>(
  run: Run<T>,
  x: Datum<T>,
  t: Datum<T>,
  weights: readonly Datum<T>[],
): readonly Datum<T>[] {
  const [w1, w2] = weights as [Datum<T>, Datum<T>];
  const items = x.sizes[0] as number;
  const h = run('mlp', { input: x, weight: w1, dims: 'NC' });
  const a = run('relu', { input: h, dims: 'NC' });
  const o = run('mlp', { input: a, weight: w2, dims: 'NC' });
  const error = run('scale', {
    input: run('sub', { input: o, weight: t, dims: 'NC' }),
    attributes: { factor: 2 / items },
    dims: 'NC',
  });
  // Gradients of weights sum over items, those of data over outputs.
  const g2 = run('mlp', { input: as(a, 'CN'), weight: as(error, 'CN'), dims: 'NC' });
  const back = run('mlp', { input: error, weight: as(w2, 'NC'), dims: 'NC' });
  const g1 = run('mlp', {
    input: as(x, 'CN'),
    weight: as(run('relu_gradient', { input: h, weight: back, dims: 'NC' }), 'CN'),
    dims: 'NC',
  });
  return [descend(run, w1, g1), descend(run, w2, g2)];
}

/** A convolution of pictures with one channel, then a layer over all that it gives. */
export function stepConv<T>(
  run: Run<T>,
  x: Datum<T>,
  t: Datum<T>,
  weights: readonly Datum<T>[],
): readonly Datum<T>[] {
  const [kernel, w] = weights as [Datum<T>, Datum<T>];
  const [items, , height, width] = x.sizes as [number, number, number, number];
  const filters = kernel.sizes[0] as number;
  const padding = { padding: 1 };
  const h = run('conv2d', { input: x, weight: kernel, attributes: padding, dims: 'NCHW' });
  const a = run('relu', { input: h, dims: 'NCHW' });
  const flat = as(a, 'NC', [items, filters * height * width]);
  const o = run('mlp', { input: flat, weight: w, dims: 'NC' });
  const error = run('scale', {
    input: run('sub', { input: o, weight: t, dims: 'NC' }),
    attributes: { factor: 2 / items },
    dims: 'NC',
  });
  const g2 = run('mlp', { input: as(flat, 'CN'), weight: as(error, 'CN'), dims: 'NC' });
  const back = as(run('mlp', { input: error, weight: as(w, 'NC'), dims: 'NC' }), 'NCHW', h.sizes);
  const through = run('relu_gradient', { input: h, weight: back, dims: 'NCHW' });
  // A kernel's gradient is a convolution, too: of pictures with errors, summed over items.
  const g1 = run('conv2d', {
    input: as(x, 'CNHW'),
    weight: as(through, 'CNHW'),
    attributes: padding,
    dims: 'CNHW',
  });
  return [descend(run, kernel, as(g1, 'NCHW')), descend(run, w, g2)];
}

function descend<T>(run: Run<T>, w: Datum<T>, gradient: Datum<T>): Datum<T> {
  const down = run('scale', { input: as(gradient, w.dims), attributes: { factor: RATE }, dims: w.dims });
  return run('sub', { input: w, weight: down, dims: w.dims });
}

/** Labels of a call, as all that compute by labels have them. */
export function label<T>(
  name: string,
  { input, weight, attributes, dims }: Call<T>,
  on: Machine,
  options: OperatorOptions,
): LabelledOperator {
  const of = ({ dims: order, sizes }: Datum<T>, category: 'in' | 'iw'): StaticLabel => ({
    category,
    type: 'float32',
    dims: order,
    sizes,
  });
  const given = {
    input: of(input, 'in'),
    ...(weight === undefined
      ? {}
      : { weight: of(weight, name === 'mlp' || name === 'conv2d' ? 'iw' : 'in') }),
  };
  const settings = { ...options, attributes };
  const made = labelOperator(name, given, on, settings);
  const { dims: order, sizes } = made.output.static;
  const wanted = [...dims].map((letter) => sizes[order.indexOf(letter)] as number);
  return labelOperator(
    name,
    { ...given, output: { category: 'on', type: 'float32', dims, sizes: wanted } },
    on,
    settings,
  );
}

/** On a simulated machine: labels and plans are made once, at compile time, for each call of a step. */
export function simulated(on: Machine, options: OperatorOptions): Run<Float64Array> {
  const known = new Map<string, { readonly labelled: LabelledOperator; readonly plan: Plan }>();
  return (name, call) => {
    const data = ({ dims, sizes, of }: Datum<Float64Array>): LayoutTensor => ({ dims, sizes, values: of });
    const { input, weight, attributes, dims } = call;
    const key = JSON.stringify([
      name,
      input.dims,
      input.sizes,
      weight?.dims,
      weight?.sizes,
      attributes,
      dims,
    ]);
    let made = known.get(key);
    if (made === undefined) {
      const labelled = label(name, call, on, options);
      made = { labelled, plan: compile(labelled) };
      known.set(key, made);
    }
    const { output } = runPlan(made.plan, made.labelled, {
      input: data(input),
      weight: weight && data(weight),
    });
    return { dims: output.dims, sizes: output.sizes, of: output.values };
  };
}

/** In plain loops on one core; how a fully connected sum is put together may be said. */
export function plain(product: (x: LayoutTensor, w: LayoutTensor) => number[] = plainMlp): Run<Float64Array> {
  return (name, { input, weight, attributes = {}, dims }) => {
    const x: LayoutTensor = { ...input, values: input.of };
    const w: LayoutTensor | undefined = weight && { ...weight, values: weight.of };
    const size = (of: LayoutTensor | undefined, letter: string): number =>
      of?.sizes[of.dims.indexOf(letter)] ?? 1;
    if (name === 'mlp') {
      const sizes = [size(x, 'N'), size(w, 'N')];
      return { dims: 'NC', sizes, of: Float64Array.from(product(x, w as LayoutTensor)) };
    }
    if (name === 'conv2d') {
      const p = attributes.padding ?? 0;
      const over = (letter: string): number => size(x, letter) + 2 * p - size(w, letter) + 1;
      const sizes = { N: size(x, 'N'), C: size(w, 'N'), H: over('H'), W: over('W') };
      const all: LayoutTensor = {
        dims: 'NCHW',
        sizes: Object.values(sizes),
        values: Float64Array.from(plainConv(x, w as LayoutTensor, p)),
      };
      const order = [...dims].map((letter) => sizes[letter as 'N']);
      const values = new Float64Array(all.values.length);
      let index = 0;
      const [a, b, c, d] = order as [number, number, number, number];
      for (let i = 0; i < a; i++)
        for (let j = 0; j < b; j++)
          for (let k = 0; k < c; k++)
            for (let l = 0; l < d; l++)
              values[index++] = at(
                all,
                Object.fromEntries([...dims].map((letter, n) => [letter, [i, j, k, l][n] as number])),
              );
      return { dims, sizes: order, of: values };
    }
    const meanings: Record<string, (p: number, q: number) => number> = {
      sub: (p, q) => p - q,
      relu: (p) => (p < 0 ? 0 : p),
      relu_gradient: (p, q) => (p > 0 ? q : 0),
      scale: (p) => p * Math.fround(attributes.factor ?? 1),
    };
    const meaning = meanings[name] as (p: number, q: number) => number;
    return {
      dims,
      sizes: x.sizes,
      of: x.values.map((value, index) => Math.fround(meaning(value, w?.values[index] ?? 0))),
    };
  };
}

export type Numbers = Datum<Float64Array>;

/** Numbers from -1 to 1 that follow from a seed. */
export function numbers(dims: string, sizes: readonly number[], seed: number, scale = 1): Numbers {
  const length = sizes.reduce((all, size) => all * size, 1);
  let state = seed;
  const of = Float64Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.fround(scale * (state / 2 ** 31 - 1));
  });
  return { dims, sizes, of };
}

/** A network to train: its data, first weights, step, and what it says. */
export interface Network {
  readonly x: Numbers;
  readonly t: Numbers;
  readonly weights: readonly Numbers[];
  readonly step: <T>(
    run: Run<T>,
    x: Datum<T>,
    t: Datum<T>,
    weights: readonly Datum<T>[],
  ) => readonly Datum<T>[];
  readonly says: (run: Run<Float64Array>, x: Numbers, weights: readonly Numbers[]) => Numbers;
}

/** Which of three sums is the largest, of eight vectors. */
export function mlpNetwork(): Network {
  const x = numbers('NC', [8, 6], 1);
  const t = Float64Array.from({ length: 24 }, (_, at_) => {
    const [n, k] = [Math.floor(at_ / 3), at_ % 3];
    const sums = [0, 1, 2].map(
      (part) => (x.of[n * 6 + 2 * part] as number) + (x.of[n * 6 + 2 * part + 1] as number),
    );
    return sums[k] === Math.max(...sums) ? 1 : 0;
  });
  return {
    x,
    t: { dims: 'NC', sizes: [8, 3], of: t },
    weights: [numbers('CN', [6, 8], 2, 0.5), numbers('CN', [8, 3], 3, 0.5)],
    step: stepMlp,
    says: (run, input, [w1, w2]) =>
      run('mlp', {
        input: run('relu', { input: run('mlp', { input, weight: w1, dims: 'NC' }), dims: 'NC' }),
        weight: w2,
        dims: 'NC',
      }),
  };
}

/** Whether a picture of 5 x 5 has a bright row or a bright column. */
export function convNetwork(): Network {
  const noise = numbers('NCHW', [4, 1, 5, 5], 5, 0.25);
  const of = noise.of.map((value, index) => {
    const [n, y, z] = [Math.floor(index / 25), Math.floor(index / 5) % 5, index % 5];
    return Math.fround(value + ((n % 2 === 0 ? y : z) === 1 + (n >> 1) ? 1 : 0));
  });
  return {
    x: { ...noise, of },
    t: { dims: 'NC', sizes: [4, 2], of: Float64Array.of(1, 0, 0, 1, 1, 0, 0, 1) },
    weights: [numbers('NCHW', [4, 1, 3, 3], 6, 0.4), numbers('CN', [100, 2], 7, 0.1)],
    step: stepConv,
    says: (run, input, [kernel, w]) => {
      const a = run('relu', {
        input: run('conv2d', { input, weight: kernel, attributes: { padding: 1 }, dims: 'NCHW' }),
        dims: 'NCHW',
      });
      return run('mlp', { input: as(a, 'NC', [4, 100]), weight: w, dims: 'NC' });
    },
  };
}

/** Weights after so many steps. */
export function train(network: Network, run: Run<Float64Array>, steps: number): readonly Numbers[] {
  let { weights } = network;
  for (let step = 0; step < steps; step++) weights = network.step(run, network.x, network.t, weights);
  return weights;
}

/** Mean of squared errors. */
export function loss(network: Network, weights: readonly Numbers[]): number {
  const said = network.says(plain(), network.x, weights);
  return (
    said.of.reduce((sum, value, index) => sum + (value - (network.t.of[index] as number)) ** 2, 0) /
    said.of.length
  );
}
