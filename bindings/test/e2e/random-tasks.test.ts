// Random tasks of integers, against a model of cells as whole numbers.
import { type Cells, createTask, type Decrypted, load, type Loom, type Value } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { compute } from './compute.js';

describe('random tasks of integers', () => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode: 'single' });
  });
  afterAll(() => loom?.dispose());

  it.each(Array.from({ length: Number(process.env['VALUE_TASKS'] ?? 12) }, (_, index) => index))(
    'number %i gives what the model gives',
    async () => {
      const { task, given, expected } = randomTask();
      expect(await compute(loom, task, given)).toEqual(expected);
    },
  );
});

/** A value and its model: cells as tenths to the power of its decimals. */
interface Modelled {
  readonly value: Value;
  readonly cells: readonly bigint[];
}

const at = <T>(list: readonly T[], index: number): T => list[index] as T;
const pick = <T>(list: readonly T[]): T => at(list, random(list.length));

/** Where the cell at `index` of a shape lies in one that broadcasts to it. */
function source(index: number, to: readonly number[], from: readonly number[]): number {
  let [rest, place, step] = [index, 0, 1];
  for (let axis = 1; axis <= to.length; axis++) {
    const length = at(to, to.length - axis);
    const here = rest % length;
    rest = (rest - here) / length;
    const own = from[from.length - axis];
    if (own === undefined) continue;
    place += own === 1 ? 0 : here * step;
    step *= own;
  }
  return place;
}

function both(
  a: Modelled,
  b: Modelled,
  value: Value,
  of: (a: bigint, b: bigint) => bigint,
  aligned = true,
): Modelled {
  const count = value.shape.reduce((x, y) => x * y, 1);
  const scale = (one: Modelled): bigint =>
    aligned ? 10n ** BigInt(value.decimals - one.value.decimals) : 1n;
  const cell = (one: Modelled, index: number): bigint =>
    at(one.cells, source(index, value.shape, one.value.shape)) * scale(one);
  return { value, cells: Array.from({ length: count }, (_, index) => of(cell(a, index), cell(b, index))) };
}

/** A few operators over a few inputs, and what they give. */
function randomTask() {
  const task = createTask();
  const given: {
    encrypted: Record<string, Cells>;
    plain: Record<string, Cells>;
    public: Record<string, Cells>;
  } = {
    encrypted: {},
    plain: {},
    public: {},
  };
  const shapes = [[], [4], [3, 4], [3, 1]];
  const all: Modelled[] = [];
  for (const [index, place] of (['encrypted', 'encrypted', 'plain', 'public'] as const).entries()) {
    const shape = index === 0 ? [3, 4] : pick(shapes);
    const decimals = random(3);
    const name = `${place} ${index}`;
    const count = shape.reduce((x, y) => x * y, 1);
    const cells = Array.from({ length: count }, () => BigInt(random(19) - 9));
    const unit = 10 ** decimals;
    all.push({ value: task[place](name, { shape, min: -9 / unit, max: 9 / unit, decimals }), cells });
    const numbers = cells.map((cell) => Number((Number(cell) / unit).toFixed(decimals)));
    given[place][name] = shape.length === 0 ? at(numbers, 0) : Float64Array.from(numbers);
  }
  const fits = (a: Modelled, b: Modelled): boolean => {
    const [x, y] = [a.value.shape.toReversed(), b.value.shape.toReversed()];
    return x.every((length, axis) => length === y[axis] || length === 1 || (y[axis] ?? 1) === 1);
  };
  for (let step = 0; step < 6; step++) {
    const a = pick(all);
    const b = pick(all.filter((one) => fits(a, one)));
    const { shape } = a.value;
    const next: (() => Modelled)[] = [
      () => both(a, b, a.value.add(b.value), (x, y) => x + y),
      () => both(a, b, a.value.sub(b.value), (x, y) => x - y),
      () => both(a, b, a.value.multiply(b.value), (x, y) => x * y, false),
      () => ({ value: a.value.negate(), cells: a.cells.map((x) => -x) }),
      () => ({ value: a.value.square(), cells: a.cells.map((x) => x * x) }),
      () => ({ value: a.value.multiply(-0.5), cells: a.cells.map((x) => -5n * x) }),
      () => ({ value: a.value.sum(), cells: [a.cells.reduce((x, y) => x + y, 0n)] }),
      ...(shape.length === 0
        ? []
        : [
            () => ({ value: a.value.at(-1), cells: a.cells.slice(-(a.cells.length / at(shape, 0))) }),
            () => ({
              value: a.value.slice(1, 3),
              cells: a.cells.slice(a.cells.length / at(shape, 0), (3 * a.cells.length) / at(shape, 0)),
            }),
            () => ({ value: a.value.concat(a.value), cells: [...a.cells, ...a.cells] }),
            () => ({ value: a.value.reshape([a.cells.length]), cells: a.cells }),
            () => {
              const row = a.cells.length / at(shape, 0);
              return { value: a.value.rotate(1), cells: [...a.cells.slice(row), ...a.cells.slice(0, row)] };
            },
          ]),
    ];
    // One row cannot be cut into two.
    const found = shape[0] === 1 ? at(next, random(7)) : pick(next);
    all.push(found());
  }
  const expected: Record<string, Decrypted> = {};
  const results = all.slice(4).filter(({ value }) => value.place === 'encrypted');
  for (const [index, { value, cells }] of [at(all, 0), ...results].entries()) {
    const unit = 10 ** value.decimals;
    // As JavaScript reads the decimal: the nearest double.
    const numbers = cells.map((cell) => (value.decimals === 0 ? Number(cell) : Number(cell) / unit));
    task.output(`out ${index}`, value);
    const part = (shape: readonly number[]): Decrypted =>
      shape.length === 0
        ? (numbers.shift() as number)
        : Array.from({ length: at(shape, 0) }, () => part(shape.slice(1)));
    expected[`out ${index}`] = part(value.shape);
  }
  return { task, given, expected };
}
