// What shared tensors hold, by BigInt alone: shares no code with the package. Of each element the least and the largest integer that it can be, since truncation
// rounds up or down by chance.

/** A tensor of integers that stand for X 2^-fraction. */
export interface Model {
  readonly shape: readonly number[];
  readonly fraction: number;
  readonly least: readonly bigint[];
  readonly most: readonly bigint[];
}

type Range = readonly [bigint, bigint];

const count = (shape: readonly number[]): number =>
  shape.reduce((product, dimension) => product * dimension, 1);

/** Exact numbers are the same modulo 2^64: these stay small. */
function made(shape: readonly number[], fraction: number, ranges: readonly Range[]): Model {
  const small = ranges.map(([a, b]): Range =>
    a === b ? [BigInt.asIntN(64, a), BigInt.asIntN(64, a)] : [a, b],
  );
  return { shape, fraction, least: small.map(([a]) => a), most: small.map(([, b]) => b) };
}

export function exact(shape: readonly number[], fraction: number, values: readonly bigint[]): Model {
  return made(
    shape,
    fraction,
    values.map((value): Range => [value, value]),
  );
}

const at = (x: Model, index: number): Range => [x.least[index] as bigint, x.most[index] as bigint];

/** Coordinates of an element. */
function places(shape: readonly number[], index: number): number[] {
  return shape.map((dimension, axis) => Math.floor(index / count(shape.slice(axis + 1))) % dimension);
}

function indexOf(shape: readonly number[], place: readonly number[]): number {
  return place.reduce((index, coordinate, axis) => index * (shape[axis] as number) + coordinate, 0);
}

/** A tensor whose elements come of others by their places. */
function from(x: Model, shape: readonly number[], place: (place: number[]) => readonly number[]): Model {
  const ranges = Array.from({ length: count(shape) }, (_, index) =>
    at(x, indexOf(x.shape, place(places(shape, index)))),
  );
  return made(shape, x.fraction, ranges);
}

/** The shape of two that broadcast; undefined if they do not. */
export function common(x: readonly number[], y: readonly number[]): number[] | undefined {
  const rank = Math.max(x.length, y.length);
  const padded = (shape: readonly number[]): number[] => [
    ...Array<number>(rank - shape.length).fill(1),
    ...shape,
  ];
  const [a, b] = [padded(x), padded(y)];
  const fits = a.every((dimension, axis) => dimension === b[axis] || dimension === 1 || b[axis] === 1);
  return fits ? a.map((dimension, axis) => Math.max(dimension, b[axis] as number)) : undefined;
}

function spread(x: Model, shape: readonly number[]): Model {
  return from(x, shape, (place) =>
    x.shape.map((dimension, axis) =>
      dimension === 1 ? 0 : (place[shape.length - x.shape.length + axis] as number),
    ),
  );
}

function both(x: Model, y: Model, fraction: number, f: (a: Range, b: Range) => Range): Model {
  const shape = common(x.shape, y.shape) as number[];
  const [a, b] = [spread(x, shape), spread(y, shape)];
  return made(
    shape,
    fraction,
    a.least.map((_, index) => f(at(a, index), at(b, index))),
  );
}

const sum = ([a, b]: Range, [c, d]: Range): Range => [a + c, b + d];
const times = ([a, b]: Range, [c, d]: Range): Range => {
  const all = [a * c, a * d, b * c, b * d];
  return [all.reduce((x, y) => (x < y ? x : y)), all.reduce((x, y) => (x > y ? x : y))];
};

/** X 2^d. */
function raised(x: Model, fraction: number): Model {
  const factor = 1n << BigInt(fraction - x.fraction);
  return made(
    x.shape,
    fraction,
    x.least.map((_, index) => times(at(x, index), [factor, factor])),
  );
}

export const model = {
  add: (x: Model, y: Model): Model => {
    const fraction = Math.max(x.fraction, y.fraction);
    return both(raised(x, fraction), raised(y, fraction), fraction, sum);
  },
  negate: (x: Model): Model =>
    made(
      x.shape,
      x.fraction,
      x.least.map((_, index): Range => [-(x.most[index] as bigint), -(x.least[index] as bigint)]),
    ),
  multiply: (x: Model, y: Model): Model => both(x, y, x.fraction + y.fraction, times),
  square: (x: Model): Model =>
    made(
      x.shape,
      2 * x.fraction,
      x.least.map((_, index): Range => {
        const [a, b] = at(x, index);
        const [low, high] = [a * a, b * b];
        const most = low > high ? low : high;
        return [a <= 0n && b >= 0n ? 0n : low < high ? low : high, most];
      }),
    ),
  matmul: (x: Model, y: Model): Model => {
    const [m, k, n] = [x.shape[0] as number, x.shape[1] as number, y.shape[1] as number];
    const ranges = Array.from({ length: m * n }, (_, index): Range => {
      const [row, column] = [Math.floor(index / n), index % n];
      let all: Range = [0n, 0n];
      for (let inner = 0; inner < k; inner++)
        all = sum(all, times(at(x, row * k + inner), at(y, inner * n + column)));
      return all;
    });
    return made([m, n], x.fraction + y.fraction, ranges);
  },
  sum: (x: Model, axis: number): Model => {
    const shape = x.shape.filter((_, other) => other !== axis);
    const ranges = Array.from({ length: count(shape) }, (_, index) => {
      let all: Range = [0n, 0n];
      for (let along = 0; along < (x.shape[axis] as number); along++) {
        const place = places(shape, index);
        place.splice(axis, 0, along);
        all = sum(all, at(x, indexOf(x.shape, place)));
      }
      return all;
    });
    return made(shape, x.fraction, ranges);
  },
  reshape: (x: Model, shape: readonly number[]): Model => ({ ...x, shape }),
  transpose: (x: Model): Model => from(x, [...x.shape].reverse(), (place) => [...place].reverse()),
  slice: (x: Model, start: readonly number[], size: readonly number[]): Model =>
    from(x, size, (place) => place.map((coordinate, axis) => coordinate + (start[axis] as number))),
  concat: (tensors: readonly Model[], axis: number): Model => {
    const fraction = Math.max(...tensors.map((x) => x.fraction));
    const all = tensors.map((x) => raised(x, fraction));
    const shape = [...(all[0] as Model).shape];
    shape[axis] = all.reduce((length, x) => length + (x.shape[axis] as number), 0);
    const ranges = Array.from({ length: count(shape) }, (_, index) => {
      const place = places(shape, index);
      let of = 0;
      while ((place[axis] as number) >= ((all[of] as Model).shape[axis] as number))
        place[axis] = (place[axis] as number) - ((all[of++] as Model).shape[axis] as number);
      return at(all[of] as Model, indexOf((all[of] as Model).shape, place));
    });
    return made(shape, fraction, ranges);
  },
  /** Rounded down or up, where there is something to round. */
  truncate: (x: Model, bits: number): Model => {
    const floor = (value: bigint): bigint => value >> BigInt(bits);
    const ceiling = (value: bigint): bigint => -(-value >> BigInt(bits));
    const ranges = x.least.map((_, index): Range => [floor(at(x, index)[0]), ceiling(at(x, index)[1])]);
    return {
      shape: x.shape,
      fraction: x.fraction - bits,
      least: ranges.map(([a]) => a),
      most: ranges.map(([, b]) => b),
    };
  },
};

/** Whether all that truncation promises something about. */
export function canTruncate(x: Model): boolean {
  const limit = 2n ** 62n;
  return x.least.every((value) => value >= -limit) && x.most.every((value) => value < limit);
}

/** Which opened integers are none that the model allows. */
export function differences(x: Model, opened: BigInt64Array): number[] {
  if (opened.length !== x.least.length) return [-1];
  return [...opened.keys()].filter((index) => {
    const [least, most] = at(x, index);
    return BigInt.asUintN(64, (opened[index] as bigint) - least) > most - least;
  });
}
