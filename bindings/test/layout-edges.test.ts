// What lies at the ends of data and behind them: fills, zeros outside of pictures, rows that need nothing, and data of another length than their label says.
import { describe, expect, it } from 'vitest';
import type { ExpansionBuilder, Operand } from '../src/graph-types.js';
import {
  compile,
  DIMENSIONS,
  type DynamicLabel,
  dynamicLabel,
  execute,
  type Execution,
  labelOperator,
  type LayoutTensor,
  learnedStrategy,
  type Machine,
  machine,
  MODES,
  numberKind,
  openPlan,
  operationSizes,
  packPlan,
  prepare,
  restore,
  ruleStrategy,
  runPlan,
  simulate,
  split,
  type StaticLabel,
  type Strategy,
  tableStrategy,
  tensor,
} from '../src/layout/index.js';
import { codeOf, messageOf } from './code.js';
import { at, pick, plainConv, randomMachine, randomTensor } from './layout-machines.js';
import { random } from './random.js';

/** A strategy that cuts one dimension of the input, and of the output, in whatever mode. */
function along(dimension: 'N' | 'H' | 'W'): Strategy {
  return {
    name: `along ${dimension}`,
    rows: ({ port }) => (port === 'weight' ? [] : [{ dimension, storage: 'mem', exchange: [] }]),
  };
}

const STRATEGIES = [
  tableStrategy(),
  ruleStrategy,
  learnedStrategy(),
  along('H'),
  along('W'),
  along('N'),
] as const;

/** Numbers of an output in the order N, C, H, W. */
function inOrder(output: LayoutTensor): number[] {
  const sizeOf = (letter: string): number => output.sizes[output.dims.indexOf(letter)] as number;
  const [n, c, h, w] = ['N', 'C', 'H', 'W'].map(sizeOf) as [number, number, number, number];
  return Array.from({ length: n * c * h * w }, (_, index) =>
    at(output, {
      N: Math.floor(index / (c * h * w)),
      C: Math.floor(index / (h * w)) % c,
      H: Math.floor(index / w) % h,
      W: index % w,
    }),
  );
}

const count = ({ plan }: Execution, operation: string): number =>
  plan.steps
    .flatMap((step) => step.flatMap(({ instructions }) => instructions))
    .filter((one) => one.kind === 'compute' && one.operation === operation).length;

describe('a convolution', () => {
  const row = tensor('NCHW', [1, 1, 1, 3], [1, 2, 3]);
  const ones = tensor('NCHW', [1, 1, 1, 3], [1, 1, 1]);
  const tiled = machine({ clusters: [{ cores: 1 }], tile: 4 });

  it.each([0, 7, -3, 1e30])('sees zeros behind the end of a row that is filled up with %s', (fill) => {
    const options = { fill, attributes: { padding: 1 } };
    const { output, labelled } = execute('conv2d', { input: row, weight: ones }, tiled, options);
    expect(labelled.input.dynamic.padding).toEqual({ W: { length: 1, fill } });
    expect(inOrder(output)).toEqual([0, 0, 0, 3, 6, 5, 0, 0, 0]);
  });

  it('leaves out what is filled up, as it leaves out zeros outside: infinite weights meet neither', () => {
    const weight = tensor('NCHW', [1, 1, 1, 3], [1, 1, Infinity]);
    const [far, near] = [tiled, machine({ clusters: [{ cores: 1 }] })].map((on) =>
      inOrder(execute('conv2d', { input: row, weight }, on, { attributes: { padding: 1 } }).output),
    );
    expect(far).toEqual(near);
    expect(far?.slice(3, 6)).toEqual([Infinity, Infinity, 5]);
  });

  it('gives what its definition says, over random tiles, fills, cuts, modes and hand-made labels', () => {
    const seen = { filled: 0, nothing: 0, own: 0 };
    for (let turn = 0; turn < 400; turn++) {
      const on = randomMachine();
      const [n, c, h, w, f] = [1 + random(3), 1 + random(2), 1 + random(5), 1 + random(5), 1 + random(3)];
      const padding = random(4);
      const x = randomTensor('NCHW', [n, c, h, w], true);
      const kernel = [1 + random(Math.min(3, h + 2 * padding)), 1 + random(Math.min(3, w + 2 * padding))];
      const k = randomTensor('NCHW', [f, c, ...kernel], true);
      const fill = pick([0, 7, -3]);
      const options = { mode: pick(MODES), strategy: pick(STRATEGIES), attributes: { padding } };
      const own = random(2) === 0 ? ownLabel(x, on, fill) : undefined;
      const call = (): Execution =>
        execute('conv2d', { input: x, weight: k }, on, {
          ...options,
          ...(own === undefined ? { fill } : { labels: { input: own } }),
        });
      // Where channels are filled up, which are summed: not with numbers that count, and not in the weight alone.
      const channels = on.order.endsWith('C') && on.tile.default !== 1;
      if (channels && (own !== undefined || fill !== 0) && codeOf(call) === 'layout.operands') continue;
      const result = call();
      expect(inOrder(result.output)).toEqual(plainConv(x, k, padding));
      const filled = result.labelled.input.dynamic.padding;
      if (fill !== 0 && padding > 0 && (filled.H?.length ?? 0) + (filled.W?.length ?? 0) > 0) seen.filled++;
      if (count(result, 'zeros') > 0) seen.nothing++;
      if (own !== undefined) seen.own++;
    }
    // Otherwise this test looks at nothing.
    expect(seen.filled).toBeGreaterThan(50);
    expect(seen.nothing).toBeGreaterThan(20);
    expect(seen.own).toBeGreaterThan(100);
  });

  /** Filled up along some dimensions, and cut along one of them in parts of any length. */
  function ownLabel({ dims, sizes }: LayoutTensor, on: Machine, fill: number): DynamicLabel {
    const of: StaticLabel = { category: 'in', type: 'float32', dims, sizes };
    const padding = Object.fromEntries(
      pick([['H'], ['W'], ['H', 'W'], ['N', 'W'], []]).map((letter) => [letter, { length: random(6), fill }]),
    );
    const all = operationSizes({ padding }, of);
    const dimension = pick(['N', 'H', 'W'] as const);
    const size = all[dimension] as number;
    const ends = Array.from({ length: size - 1 }, (_, k) => k + 1).filter(() => random(3) === 0);
    const parts = [...ends, size].map((to, k): [number, number] => [
      k === 0 ? 0 : (ends[k - 1] as number),
      to,
    ]);
    const bytes = Object.values(all).reduce((product, one) => product * one, numberKind(on.type).bytes);
    const order = [...on.order].filter((letter) => dims.includes(letter)).join('');
    return dynamicLabel(
      {
        type: on.type,
        dims: order,
        tile: {},
        padding,
        bytes,
        split: { dimension, parts },
        storage: 'mem',
        exchange: [],
      },
      of,
      on,
    );
  }

  describe('whose rows lie wholly in its zeros', () => {
    const input = tensor('NCHW', [1, 1, 2, 1], [1, 2]);
    const weight = tensor('NCHW', [1, 1, 1, 1], [3]);

    it.each(MODES)('is planned as zeros, %s', (mode) => {
      const on = machine({ clusters: [{ cores: 2 }] });
      const strategy = mode === 'model' ? ruleStrategy : along('H');
      const options = { mode, strategy, attributes: { padding: 1 } };
      const result = execute('conv2d', { input, weight }, on, options);
      expect(inOrder(result.output)).toEqual([0, 0, 0, 0, 3, 0, 0, 6, 0, 0, 0, 0]);
      expect(count(result, 'zeros')).toBe(1);
      // The first part of the output is its first row, which lies above the picture: nothing is read for it.
      const [first] = result.plan.steps[0] ?? [];
      expect(first?.instructions.map(({ kind }) => kind)).toEqual(['compute', 'access']);
      const packets = packPlan(result.plan, result.labelled, weight).map(({ bytes }) => bytes);
      expect(openPlan(result.plan, result.labelled, packets).plan).toEqual(result.plan);
    });

    it('is right for any number of cores, zeros and rows', () => {
      for (const mode of MODES)
        for (const strategy of [ruleStrategy, along('H'), along('W')])
          for (const cores of [1, 2, 3, 4])
            for (const padding of [0, 1, 2, 3, 5])
              for (const [height, width] of [
                [1, 4],
                [2, 1],
                [3, 2],
              ] as const) {
                const x = randomTensor('NCHW', [1, 1, height, width], true);
                const on = machine({ clusters: [{ cores }] });
                const { output } = execute('conv2d', { input: x, weight }, on, {
                  mode,
                  strategy,
                  attributes: { padding },
                });
                expect(inOrder(output)).toEqual(plainConv(x, weight, padding));
              }
    });

    it('is recorded on the device, too, in the order of a machine that is another one', () => {
      for (const order of ['TNCDHW', 'TNDHWC'])
        for (const dimension of ['H', 'W'] as const) {
          const on = machine({ clusters: [{ cores: 2 }], order });
          const of = { category: 'in', type: 'float32', dims: 'NCHW', sizes: [1, 1, 2, 2] } as const;
          const labelled = labelOperator(
            'conv2d',
            { input: of, weight: { ...of, category: 'iw', sizes: [3, 1, 1, 1] } },
            on,
            { strategy: along(dimension), attributes: { padding: 1 } },
          );
          const x = randomTensor('NCHW', of.sizes, true);
          const w = randomTensor('NCHW', [3, 1, 1, 1], true);
          const g = new Immediate();
          const { output, parts } = split(g.builder, labelled, { input: g.of(x), weight: g.of(w) });
          const { output: simulated } = runPlan(compile(labelled), labelled, { input: x, weight: w });
          expect(g.valuesOf(output)).toEqual([...simulated.values]);
          expect(parts.map(({ operation }) => operation)).toEqual(['conv2d']);
        }
    });
  });

  it('asks for zeros of sizes that are some', () => {
    const labelled = labelOperator(
      'relu',
      { input: { category: 'in', type: 'float32', dims: 'C', sizes: [2] } },
      machine({ clusters: [{ cores: 1 }] }),
    );
    const plan = compile(labelled);
    const run = (change: object): string => {
      const [one] = plan.steps[0] ?? [];
      const instructions = (one?.instructions ?? []).map((instruction) =>
        instruction.kind === 'compute'
          ? { ...instruction, operation: 'zeros', sizes: { C: 2 }, inputs: [], ...change }
          : instruction,
      );
      const steps = [[{ core: 0, instructions }]];
      return codeOf(() => simulate({ ...plan, steps }, new Map([['i1', tensor('C', [2], [1, 2])]])));
    };
    expect(run({})).toBe('no error');
    for (const change of [
      { sizes: undefined },
      { sizes: { C: -1 } },
      { sizes: { C: 0.5 } },
      { sizes: { X: 1 } },
      { dims: '' },
      { dims: 'CC' },
    ])
      expect(run(change)).toBe('layout.plan');
    expect(run({ dims: 'CH', sizes: { C: 2 ** 40, H: 2 ** 40 } })).toBe('layout.data');
  });
});

describe('fills of what is summed', () => {
  const x = tensor('NC', [1, 3], [1, 2, 3]);
  const w = tensor('CN', [3, 1], [1, 1, 1]);
  const sum = (type: 'float16' | 'float32' | 'int8', input: number, weight: number): Execution => {
    const on = machine({ clusters: [{ cores: 1 }], type });
    const label = (dims: string, fill: number): DynamicLabel => ({
      type,
      dims,
      tile: { C: 4 },
      padding: { C: { length: 1, fill } },
      bytes: 4 * numberKind(type).bytes,
      split: { dimension: 'N', parts: [[0, 1]] },
      storage: 'mem',
      exchange: [],
    });
    return execute('mlp', { input: x, weight: w }, on, {
      labels: { input: label('NC', input), weight: label('CN', weight) },
    });
  };

  it.each([
    ['float16', 1e6, 0],
    ['float16', 0, -65520],
    ['float32', 1e39, 0],
    ['float16', 1, 2],
    ['int8', 1.5, 1],
  ] as const)('%s: %s beside %s are refused', (type, input, weight) => {
    expect(codeOf(() => sum(type, input, weight))).toBe('layout.operands');
  });

  it.each([
    ['float16', 65504, 0],
    ['float16', 1e-9, 1e-9],
    ['float16', 3, 1e-9],
    ['float32', 1e38, 0],
    ['int8', 0.4, 100],
    ['int8', 1e6, 0],
  ] as const)('%s: %s beside %s are one number and 0 where they are stored', (type, input, weight) => {
    expect([...sum(type, input, weight).output.values]).toEqual([6]);
  });

  it('say what they become', () => {
    expect(messageOf(() => sum('float16', 1e6, 0))).toBe(
      'mlp, dimension C: expected a finite one, since it is summed, found a fill of 1000000, Infinity in float16',
    );
  });
});

describe('data', () => {
  it('have as many numbers as their label says, or are refused, over random ones', () => {
    for (let turn = 0; turn < 400; turn++) {
      const on = randomMachine();
      const dims = [...DIMENSIONS]
        .sort(() => random(3) - 1)
        .slice(0, 1 + random(4))
        .join('');
      const sizes = [...dims].map(() => 1 + random(5));
      const length = sizes.reduce((product, size) => product * size, 1);
      const wrong = length + pick([-2, -1, 0, 0, 1, 5]);
      const values = Float64Array.from({ length: Math.max(wrong, 0) }, () => random(17) - 8);
      const data: LayoutTensor = { dims, sizes, values };
      const options = { mode: pick(MODES), strategy: pick([tableStrategy(), ruleStrategy]) };
      const right = tensor(dims, sizes, new Float64Array(length));
      const ready = execute('relu', { input: right }, on, options);
      const expected = values.length === length ? 'no error' : 'layout.data';
      const { labelled, plan } = ready;
      expect(codeOf(() => execute('relu', { input: data }, on, options))).toBe(expected);
      expect(codeOf(() => execute('add', { input: right, weight: data }, on, options))).toBe(expected);
      expect(codeOf(() => runPlan(plan, labelled, { input: data }))).toBe(expected);
      expect(codeOf(() => prepare(labelled.input, data))).toBe(expected);
      if (expected !== 'no error') continue;
      const { output } = execute('relu', { input: data }, on, options);
      const inItsOrder = prepare(
        { static: labelled.input.static, dynamic: plainLabel(output, data, on) },
        data,
      );
      expect([...output.values]).toEqual(Array.from(inItsOrder.whole.values, (one) => Math.max(one, 0)));
    }
  });

  /** The label of data that are neither cut nor filled up, in the order of others. */
  function plainLabel(
    { dims }: LayoutTensor,
    { values, sizes, dims: own }: LayoutTensor,
    on: Machine,
  ): DynamicLabel {
    const dimension = dims[0] as 'N';
    const size = sizes[own.indexOf(dimension)] as number;
    const { bytes } = numberKind(on.type);
    return {
      type: on.type,
      dims,
      tile: {},
      padding: {},
      bytes: bytes * values.length,
      split: { dimension, parts: [[0, size]] },
      storage: 'mem',
      exchange: [],
    };
  }

  const on = machine({ clusters: [{ cores: 2 }] });
  const of: StaticLabel = { category: 'in', type: 'float32', dims: 'N', sizes: [4] };
  const labelled = labelOperator('relu', { input: of }, on);

  it('say how many there are, and how many there should be', () => {
    const input = { dims: 'N', sizes: [4], values: new Float64Array(1) };
    expect(messageOf(() => execute('relu', { input }, on))).toBe(
      'relu, data, input, values: expected 4 of N 4, found 1 numbers',
    );
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['numbers alone', new Float64Array(4)],
    ['no values', { dims: 'N', sizes: [4] }],
    ['an array of numbers', { dims: 'N', sizes: [4], values: [1, 2, 3, 4] }],
    ['numbers of another type', { dims: 'N', sizes: [4], values: new Float32Array(4) }],
    ['other sizes', tensor('N', [5], [1, 2, 3, 4, 5])],
    ['another dimension', tensor('C', [4], [1, 2, 3, 4])],
    ['no dimension', { dims: '', sizes: [], values: new Float64Array(1) }],
    ['a size that is none', { dims: 'N', sizes: [NaN], values: new Float64Array(4) }],
  ])('are refused where they are %s', (_, input) => {
    const data = { input: input as LayoutTensor };
    const plan = compile(labelled);
    const calls = [
      () => runPlan(plan, labelled, data),
      () => prepare(labelled.input, data.input),
      () => restore(labelled.output, data.input),
      () => execute('relu', data, on, { statics: { input: of } }),
    ];
    expect(calls.map(codeOf)).toEqual(calls.map(() => 'layout.data'));
  });

  it('are refused as parts of a plan, and as what a machine gave', () => {
    const plan = compile(labelled);
    const parts = (second: LayoutTensor): string =>
      codeOf(() =>
        simulate(
          plan,
          new Map([
            ['i1', tensor('N', [2], [1, 2])],
            ['i2', second],
          ]),
        ),
      );
    expect(parts(tensor('N', [2], [3, 4]))).toBe('no error');
    expect(parts({ dims: 'N', sizes: [2], values: new Float64Array(1) })).toBe('layout.data');
    expect(parts(null as never)).toBe('layout.data');
    const given = (values: number): string =>
      codeOf(() =>
        restore(labelled.output, { dims: 'N', sizes: [values], values: new Float64Array(values) }),
      );
    expect([3, 4, 5].map(given)).toEqual(['layout.data', 'no error', 'layout.data']);
  });
});

/** A graph that computes what it is told at once, by plain loops: of what a convolution is recorded with. */
class Immediate {
  readonly #known = new Map<Operand, { readonly shape: readonly number[]; readonly values: number[] }>();

  of({ sizes, values }: LayoutTensor): Operand {
    return this.#add(sizes, [...values]);
  }

  valuesOf(operand: Operand): number[] {
    return this.#get(operand).values;
  }

  get builder(): ExpansionBuilder {
    const shapeOf = (type: unknown): readonly number[] =>
      (type as { readonly shape: readonly number[] }).shape;
    const product = (shape: readonly number[]): number => shape.reduce((all, size) => all * size, 1);
    return {
      unit: 32,
      constant: (type: unknown, values: ArrayLike<number>) => this.#add(shapeOf(type), Array.from(values)),
      view: (of: Operand, type: unknown, { from = 0 }: { from?: number } = {}) =>
        this.#add(shapeOf(type), this.valuesOf(of).slice(from, from + product(shapeOf(type)))),
      merge: (parts: readonly Operand[], type: unknown) =>
        this.#add(
          shapeOf(type),
          parts.flatMap((part) => this.valuesOf(part)),
        ),
      op: (name: string, inputs: readonly Operand[], attributes: Record<string, number | number[]> = {}) =>
        this.#op(name, inputs, attributes),
    } as never as ExpansionBuilder;
  }

  #op(name: string, inputs: readonly Operand[], attributes: Record<string, number | number[]>): Operand {
    const [a, b] = inputs.map((input) => this.#get(input));
    if (a === undefined) throw new Error(name);
    const read = ({ shape, values }: typeof a, place: readonly number[]): number =>
      values[place.reduce((sum, digit, k) => sum * (shape[k] as number) + digit, 0)] as number;
    const list = (attribute: string): number[] => attributes[attribute] as number[];
    switch (name) {
      case 'f32.broadcast':
        return this.#make(list('shape'), () => a.values[0] as number);
      case 'f32.transpose': {
        const axes = list('axes');
        const shape = axes.map((axis) => a.shape[axis] as number);
        return this.#make(shape, (place) =>
          read(
            a,
            a.shape.map((_, axis) => place[axes.indexOf(axis)] as number),
          ),
        );
      }
      case 'f32.slice':
        return this.#make(list('size'), (place) =>
          read(
            a,
            place.map((digit, k) => digit + (list('start')[k] as number)),
          ),
        );
      case 'f32.concat': {
        const axis = attributes.axis as number;
        const all = inputs.map((input) => this.#get(input));
        const ends = all.map((_, k) =>
          all.slice(0, k + 1).reduce((sum, { shape }) => sum + (shape[axis] as number), 0),
        );
        const shape = a.shape.map((size, k) => (k === axis ? (ends.at(-1) as number) : size));
        return this.#make(shape, (place) => {
          const which = ends.findIndex((end) => (place[axis] as number) < end);
          const before = ends[which - 1] ?? 0;
          return read(
            all[which] as typeof a,
            place.map((digit, k) => (k === axis ? digit - before : digit)),
          );
        });
      }
      case 'f32.matmul': {
        const [rows, depth] = a.shape as [number, number];
        return this.#make([rows, b?.shape[1] as number], ([i, j]) =>
          Array.from({ length: depth }, (_, k) => k).reduce(
            (sum, k) => sum + read(a, [i as number, k]) * read(b as typeof a, [k, j as number]),
            0,
          ),
        );
      }
      default:
        throw new Error(`no ${name} here`);
    }
  }

  #make(shape: readonly number[], value: (place: readonly number[]) => number): Operand {
    const length = shape.reduce((all, size) => all * size, 1);
    const values = Array.from({ length }, (_, index) => {
      let rest = index;
      const place = shape.map(() => 0);
      for (let k = shape.length - 1; k >= 0; k--) {
        place[k] = rest % (shape[k] as number);
        rest = Math.floor(rest / (shape[k] as number));
      }
      return value(place);
    });
    return this.#add(shape, values);
  }

  #add(shape: readonly number[], values: number[]): Operand {
    expect(values.length).toBe(shape.reduce((all, size) => all * size, 1));
    const operand = {} as Operand;
    this.#known.set(operand, { shape, values });
    return operand;
  }

  #get(operand: Operand): { readonly shape: readonly number[]; readonly values: number[] } {
    const found = this.#known.get(operand);
    if (found === undefined) throw new Error('an operand of another graph');
    return found;
  }
}
