/** Random machines, sizes and numbers for tests of layouts; and what operators give on one core, written down once more. */
import { type LayoutTensor, machine, type Machine, type NumberType, tensor } from '../src/layout/index.js';
import { random } from './random.js';

export function pick<T>(values: readonly T[]): T {
  return values[random(values.length)] as T;
}

export function randomMachine(settings: { type?: NumberType; tile?: number } = {}): Machine {
  const cache = pick([true, false]);
  const count = 1 + random(3);
  return machine({
    architecture: pick(['smp', 'numa'] as const),
    memories: pick([1, count, count + 1]),
    clusters: Array.from({ length: count }, () => ({ cores: 1 + random(4), cache })),
    cacheLink: pick([true, false]),
    order: pick(['TNCDHW', 'TNDHWC', 'CNWHDT']),
    tile: settings.tile ?? pick([1, 1, 2, 4, 8]),
    ...settings,
  });
}

/** Whole numbers from -8 to 8 are exact in any order of sums; others are not. */
export function randomTensor(dims: string, sizes: readonly number[], whole: boolean): LayoutTensor {
  const length = sizes.reduce((all, size) => all * size, 1);
  return tensor(
    dims,
    sizes,
    Array.from({ length }, () => (whole ? random(17) - 8 : Math.fround((random(2001) - 1000) / 321))),
  );
}

/** The element at a place, by letters. */
export function at({ dims, sizes, values }: LayoutTensor, place: Readonly<Record<string, number>>): number {
  const index = [...dims].reduce((sum, letter, k) => sum * (sizes[k] as number) + (place[letter] ?? 0), 0);
  return values[index] as number;
}

const size = ({ dims, sizes }: LayoutTensor, letter: string): number => sizes[dims.indexOf(letter)] ?? 1;

/** Fully connected, in `f32`: summands rounded, added one after the other. */
export function plainMlp(x: LayoutTensor, w: LayoutTensor): number[] {
  const out: number[] = [];
  for (let n = 0; n < size(x, 'N'); n++)
    for (let f = 0; f < size(w, 'N'); f++) {
      let sum = 0;
      for (let c = 0; c < size(x, 'C'); c++)
        sum = Math.fround(sum + Math.fround(at(x, { N: n, C: c }) * at(w, { N: f, C: c })));
      out.push(sum);
    }
  return out;
}

/** A convolution, in `f32`, by the definition: everything outside is 0. */
export function plainConv(x: LayoutTensor, w: LayoutTensor, p: number): number[] {
  const [H, W] = [size(x, 'H'), size(x, 'W')];
  const [kh, kw] = [size(w, 'H'), size(w, 'W')];
  const out: number[] = [];
  for (let n = 0; n < size(x, 'N'); n++)
    for (let f = 0; f < size(w, 'N'); f++)
      for (let y = 0; y < H + 2 * p - kh + 1; y++)
        for (let z = 0; z < W + 2 * p - kw + 1; z++) {
          let sum = 0;
          for (let c = 0; c < size(x, 'C'); c++)
            for (let u = 0; u < kh; u++)
              for (let v = 0; v < kw; v++) {
                const [row, column] = [y + u - p, z + v - p];
                const inside = row >= 0 && row < H && column >= 0 && column < W;
                const a = inside ? at(x, { N: n, C: c, H: row, W: column }) : 0;
                sum = Math.fround(sum + Math.fround(a * at(w, { N: f, C: c, H: u, W: v })));
              }
          out.push(sum);
        }
  return out;
}
