// Labels, machines, plans and their simulator: properties over random ones, and what is refused.
import { describe, expect, it } from 'vitest';
import {
  categoryOf,
  compile,
  countMoves,
  deriveLabel,
  deviceMachine,
  DIMENSIONS,
  type DynamicLabel,
  dynamicLabel,
  Exchange,
  execute,
  fromHalfBits,
  halfBits,
  labelOperator,
  learnedStrategy,
  machine,
  type MachineDescription,
  MODES,
  NUMBER_TYPES,
  openPacket,
  openPlan,
  operationSizes,
  packConstants,
  packPlan,
  parseDynamic,
  parseStatic,
  partsOf,
  type Plan,
  prepare,
  printDynamic,
  printStatic,
  restore,
  roundToHalf,
  ROUNDINGS,
  ruleStrategy,
  runPlan,
  simulate,
  type StaticLabel,
  staticLabel,
  type Strategy,
  tableStrategy,
  tensor,
  timeOf,
  regret,
  trainingCases,
  trainStrategy,
} from '../src/layout/index.js';
import { choose } from '../src/layout/strategies/choices.js';
import { TREES } from '../src/layout/strategies/tree.js';
import { codeOf, messageOf } from './code.js';
import { at, pick, plainConv, plainMlp, randomMachine, randomTensor } from './layout-machines.js';
import { random, randomDouble } from './random.js';

const STRATEGIES: readonly Strategy[] = [tableStrategy(), ruleStrategy, learnedStrategy()];

describe('binary16', () => {
  // Every finite one that is not negative, by what the standard says of its bits.
  const halves = Array.from({ length: 0x7c00 }, (_, bits) => {
    const [exponent, fraction] = [bits >> 10, bits & 1023];
    return exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  });

  /** The nearest, of two equally near ones that of even bits: their middle is a double. */
  function nearest(x: number): number {
    const size = Math.abs(x);
    let [low, high] = [0, halves.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((halves[middle] as number) <= size) low = middle;
      else high = middle;
    }
    const [below, above] = [halves[low] as number, halves[low + 1] ?? 65536];
    const middle = (below + above) / 2;
    const result = size < middle || (size === middle && low % 2 === 0) ? below : above;
    return (result === 65536 ? Infinity : result) * (x < 0 || Object.is(x, -0) ? -1 : 1);
  }

  it('keeps its own numbers, and their bits', () => {
    const wrong = halves.filter(
      (half, bits) =>
        !(
          roundToHalf(half) === half &&
          halfBits(half) === bits &&
          fromHalfBits(bits) === half &&
          fromHalfBits(bits | 0x8000) === -half
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('rounds others to the nearest, ties to even', () => {
    const hard = halves.flatMap((half, bits) => {
      const middle = (half + (halves[bits + 1] ?? 65536)) / 2;
      return [middle, middle * (1 - 2 ** -52), middle * (1 + 2 ** -52), -middle];
    });
    const others = Array.from(
      { length: 20_000 },
      () => randomDouble() % pick([1, 2 ** -14, 2 ** -24, 1000, 70_000]),
    );
    const all = [...hard, ...others, 0, -0, Infinity, -Infinity, 5e-324];
    expect(all.filter((x) => !Object.is(roundToHalf(x), nearest(x)))).toEqual([]);
    expect(roundToHalf(NaN)).toBe(NaN);
    expect(halfBits(NaN)).toBe(0x7e00);
    expect([halfBits(Infinity), halfBits(-65520), halfBits(-0)]).toEqual([0x7c00, 0xfc00, 0x8000]);
  });
});

describe('texts of labels', () => {
  it('come back as they were, over random labels', () => {
    for (let turn = 0; turn < 500; turn++) {
      const on = randomMachine({ type: pick(NUMBER_TYPES) });
      const dims = [...DIMENSIONS]
        .sort(() => random(3) - 1)
        .slice(0, 1 + random(6))
        .join('');
      const label: StaticLabel = {
        category: pick(['in', 'iw', 'on', 'hn', 'cn', 'cw', 'ow', 'aux', 'ins'] as const),
        type: pick(NUMBER_TYPES),
        dims,
        sizes: [...dims].map(() => 1 + random(40)),
      };
      expect(parseStatic(printStatic(label))).toEqual(label);
      const fill = pick([0, 1, -0.5, 1e-9, -0]);
      const derived = deriveLabel(label, on, {
        operator: 'add',
        fill,
        rounding: pick(ROUNDINGS),
        rest: 'spread',
      });
      const storage = pick([derived.storage, ['mem1'] as const, ['mem1', 'mem1'] as const]);
      const exchange = pick([[], [Exchange.Core], [Exchange.Core, Exchange.Memory], [Exchange.Cluster]]);
      const made = dynamicLabel({ ...derived, storage, exchange }, label, on);
      const text = printDynamic(made);
      expect(parseDynamic(text)).toEqual(made);
      expect(printDynamic(parseDynamic(text))).toBe(text);
      expect(dynamicLabel(parseDynamic(text), label, on)).toEqual(made);
    }
  });

  it("reads the seed's spelling", () => {
    expect(parseStatic('static:in,float32,dim_nc,{1 1024}')).toEqual({
      category: 'in',
      type: 'float32',
      dims: 'NC',
      sizes: [1, 1024],
    });
    const read = parseDynamic(
      'dynamic:float16,dim_nc,c=256,c=0,2kb,c[(0,255),(256,511),(512,767),(768,1023)],mem,no',
    );
    expect(printDynamic(read)).toBe(
      'dynamic: float16, dim_NC, C=256, C=0, 2048 B, C[(0,255),(256,511),(512,767),(768,1023)], mem, no',
    );
  });

  it.each([
    ['', 'layout.text'],
    ['static', 'layout.text'],
    ['static: in, float32, dim_NC', 'layout.text'],
    ['static: in, float32, dim_NC, {1 1024}, more', 'layout.text'],
    ['static: in, float32, NC, {1 1024}', 'layout.text'],
    ['static: in, float32, dim_NC, {1, 1024}', 'layout.text'],
    ['static: neuron, float32, dim_NC, {1 1024}', 'layout.label'],
    ['static: in, float8, dim_NC, {1 1024}', 'layout.label'],
    ['static: in, float32, dim_NX, {1 1024}', 'layout.label'],
    ['static: in, float32, dim_NN, {1 1024}', 'layout.label'],
    ['static: in, float32, dim_NC, {1 0}', 'layout.label'],
    ['static: in, float32, dim_NC, {1 1024 3}', 'layout.label'],
    ['static: in, float32, dim_NC, {1099511627776 2}', 'layout.label'],
    [7 as never as string, 'layout.text'],
  ])('refuses %j', (text, code) => {
    expect(codeOf(() => parseStatic(text))).toBe(code);
  });

  it.each([
    ['dynamic: float16, dim_NC, C=0, C=0, 8 B, C[(0,3)], mem, no', 'layout.label'],
    ['dynamic: float16, dim_NC, C=NaN, C=0, 8 B, C[(0,3)], mem, no', 'layout.text'],
    ['dynamic: float16, dim_NC, C=4, C=0:1.2.3, 8 B, C[(0,3)], mem, no', 'layout.label'],
    ['dynamic: float16, dim_NC, C=4, H=0, 8 B, C[(0,3)], mem, no', 'layout.label'],
    ['dynamic: float16, dim_NC, C=4 C=2, C=0, 8 B, C[(0,3)], mem, no', 'layout.text'],
    ['dynamic: float16, dim_NC, C=4, C=0, 8 bits, C[(0,3)], mem, no', 'layout.text'],
    ['dynamic: float16, dim_NC, C=4, C=0, 8 B, C(0,3), mem, no', 'layout.text'],
    ['dynamic: float16, dim_NC, C=4, C=0, 8 B, X[(0,3)], mem, no', 'layout.label'],
    ['dynamic: float16, dim_NC, C=4, C=0, 8 B, C[(0,3)], disk, no', 'layout.storage'],
    ['dynamic: float16, dim_NC, C=4, C=0, 8 B, C[(0,3)], mem0, no', 'layout.storage'],
    ['dynamic: float16, dim_NC, C=4, C=0, 8 B, C[(0,3)], mem, host', 'layout.text'],
  ])('refuses %j', (text, code) => {
    expect(codeOf(() => parseDynamic(text))).toBe(code);
  });

  it('say where, what was found, and what is expected', () => {
    expect(messageOf(() => parseStatic('static: in, float32, dim_NX, {1 2}'))).toBe(
      'static label, dimensions: expected some of the letters NCHWDT, each once, found "NX"',
    );
    expect(messageOf(() => parseDynamic('dynamic: float16, dim_NC'))).toMatch(
      /^dynamic label: expected 8: type, .*, found 2 fields$/,
    );
  });
});

describe('dynamic labels beside their datum', () => {
  const of: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [1, 4] };
  const on = machine({ memories: 2, clusters: [{ cores: 2, cache: true }, { cores: 2 }] });
  const good: DynamicLabel = {
    type: 'float16',
    dims: 'CN',
    tile: { C: 4 },
    padding: {},
    bytes: 8,
    split: {
      dimension: 'C',
      parts: [
        [0, 2],
        [2, 4],
      ],
    },
    storage: 'mem',
    exchange: [],
  };
  const parts = (...all: [number, number][]): Partial<DynamicLabel> => ({
    split: { dimension: 'C', parts: all },
  });

  it.each<[string, Partial<Record<keyof DynamicLabel, unknown>>, string]>([
    ['a type that there is not', { type: 'float8' }, 'layout.label'],
    ['other dimensions', { dims: 'CH' }, 'layout.label'],
    ['an unknown dimension', { dims: 'CX' }, 'layout.label'],
    ['tile 0', { tile: { C: 0 } }, 'layout.label'],
    ['a tile that the size is no multiple of', { tile: { C: 3 } }, 'layout.label'],
    ['a tile that is NaN', { tile: { C: NaN } }, 'layout.label'],
    ['a negative padding', { padding: { C: { length: -1, fill: 0 } } }, 'layout.label'],
    ['a fill that is NaN', { padding: { C: { length: 0, fill: NaN } } }, 'layout.label'],
    ['another size', { bytes: 9 }, 'layout.label'],
    ['parts that overlap', parts([0, 3], [2, 4]), 'layout.split'],
    ['parts that leave something out', parts([0, 1], [2, 4]), 'layout.split'],
    ['parts that end early', parts([0, 2]), 'layout.split'],
    ['parts beyond the end', parts([0, 2], [2, 5]), 'layout.split'],
    ['an empty part', parts([0, 0], [0, 4]), 'layout.split'],
    ['no parts', parts(), 'layout.split'],
    ['a split along no dimension', { split: { dimension: 'H', parts: [[0, 4]] } }, 'layout.label'],
    ['a memory that there is not', { storage: ['mem3'] }, 'layout.storage'],
    ['a cache that there is not', { storage: ['cluster2'] }, 'layout.storage'],
    ['caches where one cluster has none', { storage: 'cluster' }, 'layout.storage'],
    ['a storage that is none', { storage: 7 }, 'layout.storage'],
    ['a level that is none', { exchange: ['host'] }, 'layout.label'],
    ['something more', { more: 1 } as never, 'layout.label'],
  ])('refuses %s', (_, change, code) => {
    expect(codeOf(() => dynamicLabel(good, of, on))).toBe('no error');
    expect(codeOf(() => dynamicLabel({ ...good, ...change } as DynamicLabel, of, on))).toBe(code);
  });

  it.each<[string, unknown]>([
    ['no object', undefined],
    ['sizes 0', { ...of, sizes: [1, 0] }],
    ['sizes NaN', { ...of, sizes: [1, NaN] }],
    ['half sizes', { ...of, sizes: [1, 2.5] }],
    ['too few sizes', { ...of, sizes: [1] }],
    ['an unknown dimension', { ...of, dims: 'NQ' }],
    ['a category that there is not', { ...of, category: 'neuron' }],
    ['a misspelled field', { ...of, size: [1, 4] }],
  ])('refuses static labels with %s', (_, label) => {
    expect(codeOf(() => staticLabel(label as StaticLabel))).toBe('layout.label');
  });
});

describe('machines', () => {
  it.each<[string, unknown]>([
    ['no object', 7],
    ['no clusters', { clusters: [] }],
    ['no cores', { clusters: [{ cores: 0 }] }],
    ['cores NaN', { clusters: [{ cores: NaN }] }],
    ['too many cores', { clusters: [{ cores: 4096 }, { cores: 1 }] }],
    ['no memories', { clusters: [{ cores: 1 }], memories: 0 }],
    ['a local memory that there is not', { clusters: [{ cores: 1, memory: 2 }] }],
    ['tile 0', { clusters: [{ cores: 1 }], tile: 0 }],
    ['a tile of no category', { clusters: [{ cores: 1 }], tile: { neuron: 2 } }],
    ['an order of no dimensions', { clusters: [{ cores: 1 }], order: 'ABC' }],
    ['a type that there is not', { clusters: [{ cores: 1 }], type: 'f32' }],
    ['another architecture', { clusters: [{ cores: 1 }], architecture: 'mpp' }],
    ['a cost that is negative', { clusters: [{ cores: 1 }], cost: { hop: -1 } }],
    ['a cost of nothing', { clusters: [{ cores: 1 }], cost: { byte: 1 } }],
    [
      'one hop to another memory',
      {
        clusters: [{ cores: 1 }, { cores: 1 }],
        hops: [
          [1, 1],
          [2, 1],
        ],
      },
    ],
    ['hops of another number', { clusters: [{ cores: 1 }], hops: [[1, 2]] }],
    ['a misspelled field', { clusters: [{ cores: 1 }], channels: 2 }],
    ['a cache that is a number', { clusters: [{ cores: 1, cache: 1 }] }],
  ])('refuses %s', (_, description) => {
    expect(codeOf(() => machine(description as MachineDescription))).toBe('layout.machine');
  });

  it('have hops by their architecture', () => {
    const clusters = [{ cores: 1 }, { cores: 1 }];
    expect(machine({ clusters, architecture: 'smp' }).hops).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(machine({ clusters, architecture: 'numa' }).hops).toEqual([
      [1, 2],
      [2, 1],
    ]);
    expect(
      machine({
        clusters,
        hops: [
          [1, 3],
          [4, 1],
        ],
      }).hops,
    ).toEqual([
      [1, 3],
      [4, 1],
    ]);
  });

  it('come back from JSON', () => {
    for (let turn = 0; turn < 50; turn++) {
      const { clusterOf, ...description } = randomMachine();
      const { hops: _, ...usual } = description;
      expect(machine(JSON.parse(JSON.stringify(description)) as MachineDescription)).toEqual({
        ...description,
        clusterOf,
      });
      expect(machine(usual)).toEqual({ ...description, clusterOf });
    }
  });

  it('are found for this device', () => {
    const { machine: own, memory } = deviceMachine();
    expect(own.clusterOf.length).toBeGreaterThanOrEqual(1);
    expect([own.architecture, own.memories, own.type, own.tile]).toEqual([
      'smp',
      1,
      'float32',
      { default: 1 },
    ]);
    expect(memory).toBeGreaterThan(2 ** 20);
    expect(deviceMachine({ threads: 3 }).machine.clusterOf).toEqual([0, 0, 0]);
    expect(codeOf(() => deviceMachine({ threads: 0 }))).toBe('layout.machine');
  });
});

describe('parts', () => {
  it('are disjoint and cover, over random sizes, cores and roundings', () => {
    for (let turn = 0; turn < 3000; turn++) {
      const [size, cores, channels] = [1 + random(200), 1 + random(20), 1 + random(20)];
      const multiple = pick([1, 1, 2, 8]);
      const parts = partsOf(size, cores, channels, { rounding: pick(ROUNDINGS), rest: 'spread', multiple });
      expect(parts.flatMap(([from, to]) => Array.from({ length: to - from }, (_, k) => from + k))).toEqual(
        Array.from({ length: size }, (_, k) => k),
      );
      const wanted = size >= cores ? cores : size >= channels ? channels : size;
      expect(parts.length).toBeLessThanOrEqual(wanted);
      if (parts.length > 1) for (const [from, to] of parts.slice(0, -1)) expect(to).toBeGreaterThan(from);
    }
  });

  it('refuse to lose what does not divide', () => {
    for (let size = 1; size < 60; size++)
      for (const rounding of ROUNDINGS) {
        const code = codeOf(() => partsOf(size, 4, 2, { rounding }));
        const wanted = size >= 4 ? 4 : size >= 2 ? 2 : size;
        const length = { ceiling: Math.ceil, floor: Math.floor, round: Math.round }[rounding](size / wanted);
        expect([size, rounding, code]).toEqual([
          size,
          rounding,
          length * wanted < size ? 'layout.split' : 'no error',
        ]);
      }
  });

  it.each([
    [0, 4, 2, {}],
    [NaN, 4, 2, {}],
    [4, 0, 2, {}],
    [4, 4, 0, {}],
    [4, 4, 2, { rounding: 'up' }],
    [4, 4, 2, { rest: 'drop' }],
    [4, 4, 2, { multiple: 0 }],
  ])('refuse size %s, cores %s, channels %s, %j', (size, cores, channels, options) => {
    expect(codeOf(() => partsOf(size, cores, channels, options as never))).toBe('layout.label');
  });

  it('keep to tiles, or say that they do not (R45)', () => {
    const on = machine({ memories: 2, clusters: [{ cores: 4 }], tile: 8 });
    const of: StaticLabel = { category: 'in', type: 'float32', dims: 'C', sizes: [40] };
    const derive = (tiles: 'report' | 'refuse' | 'multiple' | 'shrink'): DynamicLabel =>
      deriveLabel(of, on, { operator: 'relu', tiles });
    expect(derive('report').split.parts).toEqual([
      [0, 10],
      [10, 20],
      [20, 30],
      [30, 40],
    ]);
    expect(codeOf(() => derive('refuse'))).toBe('layout.split');
    expect(derive('multiple').split.parts).toEqual([
      [0, 16],
      [16, 32],
      [32, 40],
    ]);
    expect(derive('shrink').tile).toEqual({ C: 2 });
  });
});

describe('preparation', () => {
  it('converts, transposes, pads and splits, and back, over random labels', () => {
    for (let turn = 0; turn < 200; turn++) {
      const on = randomMachine({ type: pick(['float32', 'float16', 'int8'] as const) });
      const dims = pick(['NC', 'CN', 'NCHW', 'WCHN', 'C', 'TNC']);
      const sizes = [...dims].map(() => 1 + random(9));
      const data = randomTensor(dims, sizes, true);
      const of: StaticLabel = { category: 'in', type: 'float32', dims, sizes };
      const fill = pick([0, 3]);
      const dynamic = deriveLabel(of, on, { operator: 'relu', fill });
      const { whole, parts } = prepare({ static: of, dynamic }, data);
      const { dimension } = dynamic.split;
      // Element by element: what is at a place of a part is what was there, or the fill.
      parts.forEach((part, index) => {
        const [start] = dynamic.split.parts[index] as [number, number];
        for (let element = 0; element < part.values.length; element++) {
          let rest = element;
          const place: Record<string, number> = {};
          for (let k = part.dims.length - 1; k >= 0; k--) {
            const letter = part.dims[k] as string;
            place[letter] = (rest % (part.sizes[k] as number)) + (letter === dimension ? start : 0);
            rest = Math.floor(rest / (part.sizes[k] as number));
          }
          const inside = [...dims].every((letter, k) => (place[letter] as number) < (sizes[k] as number));
          expect(part.values[element]).toBe(inside ? at(data, place) : fill);
        }
      });
      expect(operationSizes(dynamic, of)).toEqual(
        Object.fromEntries([...whole.dims].map((letter, k) => [letter, whole.sizes[k]])),
      );
      expect(restore({ static: of, dynamic }, whole)).toEqual(data);
    }
  });

  it('does nothing to what is as its label says', () => {
    const on = machine({ clusters: [{ cores: 1 }] });
    const of: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [2, 2] };
    const data = tensor('NC', [2, 2], [1, 2, 3, 4]);
    expect(prepare({ static: of, dynamic: deriveLabel(of, on, { operator: 'relu' }) }, data).done).toEqual(
      [],
    );
    const other = tensor('CN', [2, 2], [1, 2, 3, 4]);
    expect(
      codeOf(() => prepare({ static: of, dynamic: deriveLabel(of, on, { operator: 'relu' }) }, other)),
    ).toBe('layout.data');
  });

  it.each([
    ['X', [1], [1]],
    ['N', [0], []],
    ['N', [2], [1]],
    ['N', [1], ['1']],
    ['N', [1, 2], [1, 2]],
  ])('refuses a tensor %s %j %j', (dims, sizes, values) => {
    expect(codeOf(() => tensor(dims, sizes, values as number[]))).toBe('layout.data');
  });
});

describe('plans', () => {
  it('give what one core gives: mlp over random machines, sizes, modes and strategies', () => {
    for (let turn = 0; turn < 400; turn++) {
      const on = randomMachine();
      const [n, c, f] = [1 + random(9), 1 + random(12), 1 + random(9)];
      const whole = pick([true, false]);
      const order = pick(['NC', 'CN']);
      const x = randomTensor(order, order === 'NC' ? [n, c] : [c, n], whole);
      const w = randomTensor('CN', [c, f], whole);
      const mode = pick(MODES);
      const strategy = pick(STRATEGIES);
      const { output, plan, simulation, labelled } = execute('mlp', { input: x, weight: w }, on, {
        mode,
        strategy,
      });
      const expected = plainMlp(x, w);
      const found = expected.map((_, index) => at(output, { N: Math.floor(index / f), C: index % f }));
      // Sums in parts differ from one sum by rounding alone: products are below 10, so that each of at most 24 sums is off by 2^-24 of at most 120.
      const summed = plan.steps
        .flat()
        .some(({ instructions }) =>
          instructions.some((one) => one.kind === 'compute' && one.operation === 'add'),
        );
      if (whole || !summed) expect(found).toEqual(expected);
      else
        found.forEach((value, index) =>
          expect(Math.abs(value - (expected[index] as number))).toBeLessThan(48 * 120 * 2 ** -24),
        );
      checkLevels(plan);
      expect(simulation.counts).toEqual(countMoves(plan));
      expect(simulation.time).toBeGreaterThan(0);
      expect(labelled.mode).toBe(mode);
    }
  });

  it('give what one core gives: conv2d', () => {
    for (let turn = 0; turn < 150; turn++) {
      const on = randomMachine();
      const [n, c, h, w, f] = [1 + random(4), 1 + random(3), 3 + random(6), 3 + random(6), 1 + random(5)];
      const padding = random(3);
      const x = randomTensor('NCHW', [n, c, h, w], true);
      const k = randomTensor('NCHW', [f, c, 1 + random(3), 1 + random(3)], true);
      const { output, plan } = execute('conv2d', { input: x, weight: k }, on, {
        mode: pick(MODES),
        strategy: pick(STRATEGIES),
        attributes: { padding },
      });
      const [height = 1, width = 1] = ['H', 'W'].map((letter) => output.sizes[output.dims.indexOf(letter)]);
      const expected = plainConv(x, k, padding);
      const found = expected.map((_, index) =>
        at(output, {
          N: Math.floor(index / (f * height * width)),
          C: Math.floor(index / (height * width)) % f,
          H: Math.floor(index / width) % height,
          W: index % width,
        }),
      );
      expect(found).toEqual(expected);
      checkLevels(plan);
    }
  });

  it('give what one core gives: element by element', () => {
    const meanings = {
      add: (a: number, b: number) => a + b,
      sub: (a: number, b: number) => a - b,
      mul: (a: number, b: number) => a * b,
      relu: (a: number) => Math.max(a, 0),
      relu_gradient: (a: number, b: number) => (a > 0 ? b : 0),
      scale: (a: number) => 0.5 * a,
    };
    for (let turn = 0; turn < 200; turn++) {
      const name = pick(Object.keys(meanings)) as keyof typeof meanings;
      const sizes = [1 + random(7), 1 + random(7), 1 + random(7)];
      const [a, b] = [randomTensor('NCH', sizes, true), randomTensor('NCH', sizes, true)];
      const two = meanings[name].length === 2;
      const data = two ? { input: a, weight: b } : { input: a };
      const options = {
        mode: pick(MODES),
        strategy: pick(STRATEGIES),
        ...(name === 'scale' ? { attributes: { factor: 0.5 } } : {}),
      };
      const { output, plan } = execute(name, data, randomMachine(), options);
      const same = execute(name, data, machine({ clusters: [{ cores: 1 }] }), options).output;
      expect(Array.from(same.values)).toEqual(
        Array.from(a.values, (value, index) => meanings[name](value, b.values[index] as number)),
      );
      for (let k = 0; k < 5; k++) {
        const place = {
          N: random(sizes[0] as number),
          C: random(sizes[1] as number),
          H: random(sizes[2] as number),
        };
        expect(at(output, place)).toBe(at(same, place));
      }
      expect(
        countMoves(plan).core.moves + countMoves(plan).cluster.moves + countMoves(plan).memory.moves,
      ).toBe(0);
    }
  });

  /** Levels are told by who placed or wrote a datum, and where: looked up here once more. */
  function checkLevels({ steps, placed, machine: on }: Plan): void {
    const maker = new Map<string, number>(placed.map(({ name, core }) => [name, core]));
    for (const { core, instructions } of steps.flat())
      for (const one of instructions)
        if (one.kind === 'access' && one.action === 'write') maker.set(one.datum, core);
    for (const { core, instructions } of steps.flat())
      for (const one of instructions) {
        if (one.kind === 'compute' || (one.kind === 'access' && one.action === 'write')) continue;
        const from = maker.get(one.datum) as number;
        const near = on.clusterOf[from] === on.clusterOf[core];
        const expected =
          from === core
            ? 'access'
            : near
              ? Exchange.Core
              : one.from.startsWith('mem')
                ? Exchange.Memory
                : Exchange.Cluster;
        expect(one.kind === 'exchange' ? one.level : 'access').toBe(expected);
      }
  }

  it('take no longer with more cores, and count what they move', () => {
    const time = (cores: number): number => {
      const on = machine({ clusters: [{ cores }], memories: 1 });
      const of = (category: 'in' | 'iw', sizes: number[]): StaticLabel => ({
        category,
        type: 'float32',
        dims: 'NC',
        sizes,
      });
      return timeOf(
        compile(
          labelOperator('mlp', { input: of('in', [64, 64]), weight: of('iw', [64, 64]) }, on, {
            strategy: ruleStrategy,
          }),
        ),
      );
    };
    expect(time(1)).toBeGreaterThan(1.5 * time(2));
    expect(time(2)).toBeGreaterThan(1.5 * time(4));
    // By hand: one core of two hops reads 2 numbers and 2, multiplies, and writes one.
    const on = machine({
      architecture: 'smp',
      clusters: [{ cores: 1 }],
      cost: { operation: 3, hop: 10, memoryByte: 1 },
    });
    const { simulation } = execute(
      'mlp',
      { input: tensor('NC', [1, 2], [1, 2]), weight: tensor('NC', [1, 2], [3, 4]) },
      on,
    );
    expect(simulation.time).toBe(3 * 20 + (8 + 8 + 4) + 2 * 3);
    expect(simulation.counts).toEqual({
      access: { moves: 3, bytes: 20 },
      core: { moves: 0, bytes: 0 },
      cluster: { moves: 0, bytes: 0 },
      memory: { moves: 0, bytes: 0 },
      hops: { 2: { moves: 3, bytes: 20 } },
      operations: 2,
      host: { before: 16, after: 4 },
    });
  });

  it('stand in line at a channel', () => {
    // Four cores over one memory: their bytes go one after the other, whatever the cores do beside.
    const cost = { operation: 0, hop: 0, memoryByte: 1 };
    const of: StaticLabel = { category: 'in', type: 'float32', dims: 'C', sizes: [64] };
    const time = (memories: number): number =>
      timeOf(
        compile(
          labelOperator(
            'relu',
            { input: of },
            machine({ clusters: Array.from({ length: 4 }, () => ({ cores: 1 })), memories, cost }),
          ),
        ),
      );
    expect([time(4), time(2), time(1)]).toEqual([128, 256, 512]);
  });

  const on = machine({
    memories: 2,
    clusters: [
      { cores: 2, cache: true },
      { cores: 2, cache: true },
    ],
  });
  const input: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [4, 8] };
  const weight: StaticLabel = { category: 'iw', type: 'float32', dims: 'CN', sizes: [8, 4] };

  it.each<[string, () => unknown, string]>([
    ['an operator that there is not', () => labelOperator('lstm', { input }, on), 'layout.operator'],
    [
      'a mode that there is not',
      () => labelOperator('mlp', { input, weight }, on, { mode: 'pipeline' as never }),
      'layout.operator',
    ],
    [
      'an attribute that there is not',
      () => labelOperator('mlp', { input, weight }, on, { attributes: { padding: 1 } }),
      'layout.operator',
    ],
    [
      'an attribute that is NaN',
      () => labelOperator('scale', { input }, on, { attributes: { factor: NaN } }),
      'layout.operator',
    ],
    ['no weight', () => labelOperator('mlp', { input }, on), 'layout.operands'],
    ['a weight too many', () => labelOperator('relu', { input, weight }, on), 'layout.operands'],
    [
      'sums of two lengths',
      () => labelOperator('mlp', { input, weight: { ...weight, sizes: [7, 4] } }, on),
      'layout.operands',
    ],
    [
      'an output of other sizes',
      () => labelOperator('mlp', { input, weight, output: { ...input, category: 'on' } }, on),
      'layout.operands',
    ],
    ['a picture that is none', () => labelOperator('conv2d', { input, weight }, on), 'layout.operands'],
    [
      'a kernel that is too large',
      () =>
        labelOperator(
          'conv2d',
          {
            input: { ...input, dims: 'NCHW', sizes: [1, 1, 2, 2] },
            weight: { ...weight, dims: 'NCHW', sizes: [1, 1, 3, 3] },
          },
          on,
        ),
      'layout.operands',
    ],
    [
      'a strategy that knows nothing',
      () => labelOperator('mlp', { input, weight }, on, { strategy: tableStrategy([], 'empty') }),
      'layout.strategy',
    ],
    [
      'a strategy that is none',
      () => labelOperator('mlp', { input, weight }, on, { strategy: {} as Strategy }),
      'layout.strategy',
    ],
    [
      'a strategy of a dimension that there is not',
      () =>
        labelOperator('mlp', { input, weight }, on, {
          strategy: { name: 'x', rows: () => [{ dimension: 'Q' as 'N', storage: 'mem', exchange: [] }] },
        }),
      'layout.strategy',
    ],
    [
      'an order that lacks a dimension',
      () => labelOperator('mlp', { input, weight }, machine({ clusters: [{ cores: 1 }], order: 'N' })),
      'layout.label',
    ],
    ['data that are missing', () => execute('mlp', { input: tensor('NC', [1, 1], [1]) }, on), 'layout.data'],
  ])('refuse %s', (_, call, code) => {
    expect(codeOf(call)).toBe(code);
  });

  it('refuse fills that would be summed, and labels whose parts do not go together', () => {
    const tiled = machine({ clusters: [{ cores: 2 }], tile: 4 });
    const [x, w]: [StaticLabel, StaticLabel] = [
      { ...input, sizes: [2, 6] },
      { ...weight, dims: 'NC', sizes: [3, 6] },
    ];
    expect(codeOf(() => labelOperator('mlp', { input: x, weight: w }, tiled, { fill: 1 }))).toBe(
      'layout.operands',
    );
    const { input: made } = labelOperator('mlp', { input: x, weight: w }, tiled);
    const own = {
      ...made.dynamic,
      split: {
        dimension: 'C',
        parts: [
          [0, 3],
          [3, 8],
        ],
      },
    } as DynamicLabel;
    expect(
      codeOf(() => compile(labelOperator('mlp', { input: x, weight: w }, tiled, { labels: { input: own } }))),
    ).toBe('layout.operands');
    expect(
      codeOf(() =>
        compile(
          labelOperator('mlp', { input: x, weight: w }, tiled, { mode: 'data', labels: { input: own } }),
        ),
      ),
    ).toBe('layout.operands');
  });

  it('take labels that are handed in at run time', () => {
    const labels = labelOperator('mlp', { input, weight }, on, { mode: 'data' });
    const [x, w] = [randomTensor('NC', [4, 8], false), randomTensor('CN', [8, 4], false)];
    const text = printDynamic({
      ...labels.input.dynamic,
      split: {
        dimension: 'N',
        parts: [
          [0, 3],
          [3, 4],
        ],
      },
    });
    const { output, plan } = execute('mlp', { input: x, weight: w }, on, {
      mode: 'data',
      labels: { input: parseDynamic(text) },
    });
    expect(Array.from(output.values)).toEqual(plainMlp(x, w));
    expect(
      plan.placed.filter(({ operand }) => operand === 'input').map(({ name, place }) => `${name} ${place}`),
    ).toEqual(['i1 mem1', 'i2 mem2']);
  });

  it.each<[string, (plan: Plan) => unknown]>([
    [
      'reads before it is written',
      (plan) => ({ ...plan, steps: [plan.steps[1], plan.steps[0], ...plan.steps.slice(2)] }),
    ],
    ['reads what nobody placed', (plan) => ({ ...plan, placed: plan.placed.slice(1) })],
    ['has a core that there is not', (plan) => ({ ...plan, steps: [[{ core: 9, instructions: [] }]] })],
    [
      'has a kind that there is not',
      (plan) => ({ ...plan, steps: [[{ core: 0, instructions: [{ kind: 'jump' }] }]] }),
    ],
    ['fetches what is not there', (plan) => ({ ...plan, steps: [] })],
    ['writes twice', (plan) => ({ ...plan, steps: [...plan.steps, ...plan.steps] })],
  ])('are refused where one %s', (_, change) => {
    const labelled = labelOperator('mlp', { input: { ...input, sizes: [1, 8] }, weight }, on);
    const data = { input: randomTensor('NC', [1, 8], true), weight: randomTensor('CN', [8, 4], true) };
    const plan = compile(labelled);
    expect(codeOf(() => runPlan(plan, labelled, data))).toBe('no error');
    expect(codeOf(() => runPlan(change(plan) as Plan, labelled, data))).toBe('layout.plan');
  });

  it('have barriers: what is written in a step is there from the next one on', () => {
    const one = compile(
      labelOperator(
        'relu',
        { input: { category: 'in', type: 'float32', dims: 'C', sizes: [2] } },
        machine({ clusters: [{ cores: 2 }], memories: 1 }),
      ),
    );
    const part = new Map([
      ['i1', tensor('C', [1], [1])],
      ['i2', tensor('C', [1], [-2])],
    ]);
    const read = { kind: 'access', action: 'read', datum: 'o1', from: 'mem1', as: 'o1', bytes: 4 } as const;
    const [step] = one.steps as [Plan['steps'][number]];
    const second = { core: 1, instructions: [...(step[1]?.instructions ?? []), read] };
    const at_ = (steps: Plan['steps']): string => codeOf(() => simulate({ ...one, steps }, part));
    expect(at_([step, [{ core: 1, instructions: [read] }]])).toBe('no error');
    expect(at_([[step[0] as (typeof step)[0], second]])).toBe('layout.plan');
  });

  it('are plain data', () => {
    const plan = compile(labelOperator('mlp', { input, weight }, on, { mode: 'hybrid' }));
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('strategies', () => {
  it('learned: the stored trees are those that training gives, and better than any one choice on other cases', () => {
    const trees = trainStrategy();
    expect(trees).toEqual(TREES);
    for (const operator of ['mlp', 'conv2d'] as const) {
      const cases = trainingCases(operator, 200, 2);
      const mean = (of: (one: (typeof cases)[number]) => number): number =>
        cases.reduce((sum, one) => sum + of(one), 0) / cases.length;
      const learned = mean((one) => regret(one, choose(trees[operator], one.features)));
      const choices =
        operator === 'mlp'
          ? (['items', 'outputs', 'summed'] as const)
          : (['items', 'outputs', 'summed', 'rows'] as const);
      for (const choice of choices) expect(learned).toBeLessThan(mean((one) => regret(one, choice)) / 4);
    }
  });

  it('rule: items before rows before sums, and what fills all cores first', () => {
    const on = machine({ clusters: [{ cores: 4, cache: true }] });
    const of = (category: 'in' | 'iw', dims: string, sizes: number[]): StaticLabel => ({
      category,
      type: 'float32',
      dims,
      sizes,
    });
    const cut = (n: number, c: number): string => {
      const labels = labelOperator(
        'mlp',
        { input: of('in', 'NC', [n, c]), weight: of('iw', 'NC', [2, c]) },
        on,
        { strategy: ruleStrategy },
      );
      return [labels.input, labels.weight]
        .map((one) => `${one?.dynamic.split.dimension}${one?.dynamic.split.parts.length}`)
        .join(' ');
    };
    expect([cut(8, 8), cut(1, 8), cut(2, 8), cut(2, 2)]).toEqual(['N4 C1', 'C4 C4', 'C4 C4', 'N1 C1']);
    const picture = labelOperator(
      'conv2d',
      { input: of('in', 'NCHW', [1, 8, 8, 8]), weight: of('iw', 'NCHW', [2, 8, 3, 3]) },
      on,
      { strategy: ruleStrategy },
    );
    expect([picture.input.dynamic.split.dimension, picture.input.dynamic.exchange]).toEqual([
      'H',
      [Exchange.Cluster],
    ]);
  });
});

describe('packets', () => {
  it('K-L9', () => {
    const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);
    const packets = packConstants(2, {
      constants: [
        { name: 'instruction', blocks: [bytes(2048, 1), bytes(2048, 2)] },
        { name: 'filter', blocks: [bytes(1024, 3), bytes(1024, 4)] },
      ],
      addresses: [
        [
          { name: 'input', value: 11 },
          { name: 'output', value: 12 },
        ],
        [
          { name: 'input', value: 21 },
          { name: 'output', value: 22 },
        ],
      ],
    });
    expect(packets.length).toBe(2);
    packets.forEach((packet, core) => {
      expect(packet.core).toBe(core);
      expect(packet.entries).toEqual({
        addresses: [
          { name: 'input', size: 8, offset: 0 },
          { name: 'output', size: 8, offset: 8 },
        ],
        constants: [
          { name: 'instruction', size: 2048, offset: 0 },
          { name: 'filter', size: 1024, offset: 2048 },
        ],
        hidden: [],
      });
      expect(packet.marks).toEqual({ constants: 3072, sizes: undefined, addresses: 16, hidden: 0 });
      expect(packet.read('constants', 'instruction')).toEqual(bytes(2048, core + 1));
      expect(packet.read('constants', 'filter')).toEqual(bytes(1024, core + 3));
      expect(Array.from(packet.read('addresses', 'output'))).toEqual([10 * core + 12, 0, 0, 0, 0, 0, 0, 0]);
    });
  });

  it('tell sizes of constants and of hidden data where they are asked to, and keep what is not split whole', () => {
    const [packet] = packConstants(1, {
      constants: [
        { name: 'beta', whole: Uint8Array.of(1, 2, 3) },
        { name: 'none', blocks: [undefined] },
      ],
      hidden: [
        { name: 'h1', value: 100 },
        { name: 'h2', value: 2 ** 40 },
      ],
      sizes: true,
    });
    expect(packet?.marks).toEqual({ constants: 3, sizes: [3], addresses: 0, hidden: 2 ** 40 + 100 });
    expect(packet?.entries.hidden).toEqual([
      { name: 'h1', size: 8, offset: 0 },
      { name: 'h2', size: 8, offset: 8 },
    ]);
  });

  it.each<[string, () => unknown]>([
    ['no cores', () => packConstants(0, { constants: [] })],
    [
      'blocks of other cores',
      () => packConstants(2, { constants: [{ name: 'a', blocks: [Uint8Array.of(1)] }] }),
    ],
    [
      'both',
      () => packConstants(1, { constants: [{ name: 'a', blocks: [undefined], whole: Uint8Array.of(1) }] }),
    ],
    ['no bytes', () => packConstants(1, { constants: [{ name: 'a', whole: [1] as never }] })],
    [
      'a name twice',
      () =>
        packConstants(1, {
          constants: [
            { name: 'a', whole: Uint8Array.of(1) },
            { name: 'a', whole: Uint8Array.of(1) },
          ],
        }),
    ],
    [
      'an address that is negative',
      () => packConstants(1, { constants: [], addresses: [[{ name: 'a', value: -1 }]] }),
    ],
    ['addresses of other cores', () => packConstants(1, { constants: [], addresses: [[], []] })],
    ['a name that there is not', () => packConstants(1, { constants: [] })[0]?.read('constants', 'a')],
  ])('refuse %s', (_, call) => {
    expect(codeOf(call)).toBe('layout.packet');
  });

  it('that are cut short, longer, or changed in what is not data are refused, or say the same', () => {
    const [packet] = packConstants(1, {
      constants: [{ name: 'a', whole: Uint8Array.of(7, 8, 9) }],
      addresses: [[{ name: 'b', value: 5 }]],
      hidden: [{ name: 'c', value: 6 }],
      sizes: true,
    });
    const bytes = packet?.bytes as Uint8Array;
    expect(openPacket(bytes).entries).toEqual(packet?.entries);
    for (let length = 0; length < bytes.length; length++)
      expect(codeOf(() => openPacket(bytes.subarray(0, length)))).toBe('layout.packet');
    expect(codeOf(() => openPacket(Uint8Array.of(...bytes, 0)))).toBe('layout.packet');
    // Any byte, changed in any way: an error of this code, and no other; or another number, name or core in its place.
    for (let index = 0; index < bytes.length; index++)
      for (const value of [0, 1, 127, 255]) {
        const changed = bytes.slice();
        changed[index] = value;
        expect(['layout.packet', 'no error']).toContain(codeOf(() => openPacket(changed)));
      }
  });

  it('hold a plan and its weight, from which cores run', () => {
    const on = machine({
      memories: 2,
      clusters: [
        { cores: 2, cache: true },
        { cores: 2, cache: true },
      ],
      type: 'float16',
    });
    const input: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [1, 8] };
    const weight: StaticLabel = { category: 'cw', type: 'float32', dims: 'CN', sizes: [8, 4] };
    for (const mode of MODES) {
      const labelled = labelOperator('mlp', { input, weight }, on, { mode });
      const plan = compile(labelled);
      const data = { input: randomTensor('NC', [1, 8], false), weight: randomTensor('CN', [8, 4], false) };
      const packets = packPlan(plan, labelled, data.weight).map(({ bytes }) => bytes);
      expect(packets.length).toBe(4);
      const opened = openPlan(plan, labelled, packets);
      expect(opened.plan).toEqual(plan);
      const ready = prepare(labelled.input, data.input).parts.map(
        (part, index) => [`i${index + 1}`, part] as const,
      );
      const run = simulate(opened.plan, new Map([...opened.parts, ...ready]));
      expect(run.results).toEqual(runPlan(plan, labelled, data).simulation.results);
      expect(codeOf(() => openPlan(plan, labelled, packets.slice(1)))).toBe('layout.packet');
    }
  });

  it('whose instructions were changed give an error of this room, or a result, and nothing else', () => {
    const on = machine({
      memories: 2,
      clusters: [
        { cores: 2, cache: true },
        { cores: 1, cache: true },
      ],
      tile: 2,
    });
    const of = (category: 'in' | 'iw', dims: string, sizes: number[]): StaticLabel => ({
      category,
      type: 'float32',
      dims,
      sizes,
    });
    const labelled = labelOperator(
      'conv2d',
      { input: of('in', 'NCHW', [1, 2, 6, 5]), weight: of('iw', 'NCHW', [2, 2, 3, 3]) },
      on,
      { attributes: { padding: 1 } },
    );
    const plan = compile(labelled);
    const data = {
      input: randomTensor('NCHW', [1, 2, 6, 5], true),
      weight: randomTensor('NCHW', [2, 2, 3, 3], true),
    };
    const contents = new Map(
      (['input', 'weight'] as const).flatMap((port) =>
        prepare(labelled[port] as typeof labelled.input, data[port]).parts.map(
          (part, index) => [`${port[0] === 'i' ? 'i' : 'w'}${index + 1}`, part] as const,
        ),
      ),
    );
    const packets = packPlan(plan, labelled, data.weight);
    const texts = packets.map((packet) => new TextDecoder().decode(packet.read('constants', 'instructions')));
    let refused = 0;
    for (let turn = 0; turn < 2000; turn++) {
      const core = random(3);
      const text = texts[core] as string;
      // A token in place of another one: numbers, words, and what is neither.
      const tokens = [...text.matchAll(/"[^"]*"|-?\d+/g)];
      const token = pick(tokens);
      const other = pick([
        ...tokens.map(([word]) => word),
        '0',
        '-1',
        '99',
        '1e300',
        'null',
        '"H"',
        '"slice"',
        '"join"',
        '"fit"',
        '"add"',
        '[]',
        '{}',
      ]);
      const changed = text.slice(0, token.index) + other + text.slice(token.index + token[0].length);
      const all = packets.map((_packet, index) => {
        const instructions = new TextEncoder().encode(index === core ? changed : (texts[index] as string));
        const blocks = Array.from({ length: 3 }, (_, k) => (k === index ? instructions : Uint8Array.of()));
        return packConstants(3, { constants: [{ name: 'instructions', blocks }] })[index]
          ?.bytes as Uint8Array;
      });
      const code = codeOf(() => simulate(openPlan(plan, labelled, all).plan, contents));
      expect(code).toMatch(/^(no error|layout\.(plan|packet|operator|data))$/);
      if (code !== 'no error') refused += 1;
    }
    expect(refused).toBeGreaterThan(500);
  });

  it('whose instructions are none are refused before anything runs', () => {
    const on = machine({ clusters: [{ cores: 1 }] });
    const labelled = labelOperator(
      'relu',
      { input: { category: 'in', type: 'float32', dims: 'C', sizes: [4] } },
      on,
    );
    const plan = compile(labelled);
    const open = (text: string): string =>
      codeOf(() =>
        openPlan(
          plan,
          labelled,
          packConstants(1, {
            constants: [{ name: 'instructions', whole: new TextEncoder().encode(text) }],
          }).map(({ bytes }) => bytes),
        ),
      );
    expect(open(JSON.stringify(plan.steps.map((step) => step[0]?.instructions)))).toBe('no error');
    for (const text of ['', '{', '7', '[7]']) expect(open(text)).toBe('layout.packet');
    for (const text of [
      '[[7]]',
      '[[{"kind":"jump"}]]',
      '[[{"kind":"compute"}]]',
      '[[{"kind":"access","action":"read","datum":"a","bytes":1,"as":"a","from":"/etc"}]]',
      '[[{"kind":"compute","more":1}]]',
    ])
      expect(open(text)).toBe('layout.plan');
  });
});

it('categories need no more than degrees, role and whether it is fixed', () => {
  for (let turn = 0; turn < 100; turn++) {
    const [inDegree, outDegree] = [random(3), random(3)];
    const category = categoryOf({
      inDegree,
      outDegree,
      role: pick(['neuron', 'weight', 'auxiliary', 'code'] as const),
      constant: pick([true, false]),
    });
    const expected =
      inDegree > 0
        ? outDegree > 0
          ? ['hn']
          : ['on', 'ow']
        : outDegree > 0
          ? ['in', 'cn', 'iw', 'cw', 'aux']
          : ['ins', 'aux'];
    expect(expected).toContain(category);
  }
});
