// The known answers K-L1 to K-L14, through what `cipherloom/layout` exports. Numbers stand here as they stand there.
import { describe, expect, it } from 'vitest';
import {
  categoryOf,
  compile,
  deriveLabel,
  type DynamicLabel,
  dynamicLabel,
  Exchange,
  execute,
  type Execution,
  labelOperator,
  levelsOf,
  machine,
  type Mode,
  parseDynamic,
  parseStatic,
  partsOf,
  placesOf,
  printDynamic,
  printInstruction,
  printStatic,
  runPlan,
  type StaticLabel,
  STRATEGY_TABLE,
  tableStrategy,
  targetOf,
  tensor,
} from '../src/layout/index.js';
import { codeOf } from './code.js';

const half = { type: 'float16', order: 'NC' } as const;

function closed(parts: readonly (readonly [number, number])[]): string {
  return parts.map(([from, to]) => `(${from},${to - 1})`).join(' ');
}

describe('K-L1, K-L2: sizes and padding', () => {
  it('counts bytes of operation sizes', () => {
    const bytes = (type: StaticLabel['type'], dims: string, sizes: number[]): number =>
      deriveLabel(
        { category: 'in', type, dims, sizes },
        machine({ clusters: [{ cores: 4 }], type, order: 'NCHW' }),
        {
          operator: 'relu',
        },
      ).bytes;
    expect(bytes('float32', 'HW', [4, 8])).toBe(128);
    expect(bytes('float16', 'NC', [1, 1024])).toBe(2048);
    expect(bytes('float16', 'NC', [4, 1024])).toBe(8192);
    expect(bytes('float16', 'NC', [1, 4])).toBe(8);
  });

  it.each([
    [1000, 512, 24, 1024],
    [1024, 256, 0, 1024],
    [4, 4, 0, 4],
  ])('size %i, tile %i: padding %i, operation size %i', (size, tile, length, operation) => {
    const on = machine({ clusters: [{ cores: 1 }], ...half, tile });
    const label = deriveLabel({ category: 'in', type: 'float32', dims: 'NC', sizes: [1, size] }, on, {
      operator: 'mlp',
    });
    expect(label.padding).toEqual({ C: { length, fill: 0 } });
    expect(label.tile).toEqual({ C: tile });
    expect(label.bytes).toBe(2 * operation);
  });

  it('takes eight numbers at once by tile 8', () => {
    const on = machine({ clusters: [{ cores: 1 }], tile: 8 });
    const label = deriveLabel({ category: 'in', type: 'float32', dims: 'C', sizes: [9] }, on, {
      operator: 'relu',
    });
    expect([label.tile, label.padding, label.bytes]).toEqual([{ C: 8 }, { C: { length: 7, fill: 0 } }, 64]);
  });
});

describe('K-L3, K-L4, K-L5, K-L13: where to cut', () => {
  const target = (sizes: Record<string, number>, order: string[], channels: number): string | undefined =>
    targetOf(order.map((dimension) => ({ dimension })) as { dimension: 'N' | 'C' | 'H' }[], sizes, channels)
      ?.dimension;

  it('K-L3: the first that is at least the channels', () => {
    // w1, w2, w3 are N, C, H.
    expect(target({ N: 2, C: 32, H: 64 }, ['N', 'H'], 4)).toBe('H');
  });

  it.each([
    ['175', 2, { N: 1, C: 4, H: 2 }, ['N', 'C'], 'C', 4, 1],
    ['176', 2, { N: 1, C: 4, H: 2 }, ['N', 'H'], 'H', 2, 1],
    ['177', 4, { N: 1, C: 2, H: 2 }, ['N', 'H'], 'H', 2, 1],
    ['217', 2, { N: 1, C: 1024 }, ['N', 'C'], 'C', 4, 256],
  ] as const)('K-L4, paragraph %s', (_, channels, sizes, order, dimension, count, length) => {
    expect(target(sizes, [...order], channels)).toBe(dimension);
    const parts = partsOf((sizes as Record<string, number>)[dimension] as number, 4, channels);
    expect(parts.map(([from, to]) => to - from)).toEqual(Array(count).fill(length));
  });

  it('takes the higher priority of equal largest sizes', () => {
    expect(target({ N: 3, C: 3 }, ['C', 'N'], 8)).toBe('C');
    expect(target({ N: 3, C: 3 }, ['N', 'C'], 8)).toBe('N');
  });

  it('K-L5: rounding', () => {
    const cut = (size: number, channels: number, options?: Parameters<typeof partsOf>[3]): string =>
      closed(partsOf(size, 4, channels, options));
    expect(cut(10, 2)).toBe('(0,2) (3,5) (6,8) (9,9)');
    expect(cut(10, 2, { rounding: 'round' })).toBe('(0,2) (3,5) (6,8) (9,9)');
    expect(codeOf(() => cut(10, 2, { rounding: 'floor' }))).toBe('layout.split');
    expect(cut(10, 2, { rounding: 'floor', rest: 'spread' })).toBe('(0,2) (3,5) (6,7) (8,9)');
    expect(cut(9, 2)).toBe('(0,2) (3,5) (6,8)');
    for (const rounding of ['floor', 'round'] as const) {
      expect(codeOf(() => cut(9, 2, { rounding }))).toBe('layout.split');
      expect(cut(9, 2, { rounding, rest: 'spread' })).toBe('(0,2) (3,4) (5,6) (7,8)');
    }
    expect(cut(3, 2)).toBe('(0,1) (2,2)');
  });

  it('K-L13: part k is k n .. (k+1) n - 1', () => {
    expect(closed(partsOf(1024, 4, 2))).toBe('(0,255) (256,511) (512,767) (768,1023)');
  });
});

describe('K-L6, K-L7, K-L8: categories, rows, dimensions, storage', () => {
  it('K-L6', () => {
    expect(categoryOf({ inDegree: 1, outDegree: 3, role: 'neuron' })).toBe('hn');
    expect(categoryOf({ inDegree: 1, outDegree: 3, role: 'weight' })).toBe('hn');
    expect(categoryOf({ inDegree: 0, outDegree: 0, role: 'code' })).toBe('ins');
    expect(categoryOf({ inDegree: 0, outDegree: 1, role: 'neuron' })).toBe('in');
    expect(categoryOf({ inDegree: 0, outDegree: 1, role: 'weight', constant: true })).toBe('cw');
    expect(categoryOf({ inDegree: 1, outDegree: 0, role: 'neuron' })).toBe('on');
    expect(categoryOf({ inDegree: 1, outDegree: 0, role: 'weight' })).toBe('ow');
    // Beside the table: what else paragraphs 105 and 149 name.
    expect(categoryOf({ inDegree: 0, outDegree: 2, role: 'weight' })).toBe('iw');
    expect(categoryOf({ inDegree: 0, outDegree: 1, role: 'neuron', constant: true })).toBe('cn');
    expect(categoryOf({ inDegree: 0, outDegree: 1, role: 'auxiliary' })).toBe('aux');
  });

  const cached = machine({
    memories: 2,
    clusters: [
      { cores: 2, cache: true },
      { cores: 2, cache: true },
    ],
  });

  it('K-L7', () => {
    const rows = (port: 'input' | 'weight', category: 'in' | 'iw'): unknown =>
      tableStrategy()
        .rows({ operator: 'conv2d', port, category, mode: 'model', machine: cached, sizes: {}, operands: {} })
        ?.map(({ dimension, storage, exchange }) => [dimension, storage, ...exchange]);
    expect(rows('weight', 'iw')).toEqual([['N', 'cluster']]);
    expect(rows('input', 'in')).toEqual([
      ['N', 'mem'],
      ['H', 'cluster', 'cluster'],
      ['W', 'cluster', 'cluster'],
    ]);
    const label = deriveLabel(
      { category: 'in', type: 'float32', dims: 'NCHW', sizes: [1, 3, 224, 224] },
      cached,
      { operator: 'conv2d' },
    );
    expect([label.split.dimension, label.storage, label.exchange]).toEqual([
      'H',
      'cluster',
      [Exchange.Cluster],
    ]);
    expect(
      STRATEGY_TABLE.filter(({ rows: all }) => all.some(({ source }) => source.startsWith('seed'))).length,
    ).toBeGreaterThan(8);
  });

  it('K-L8', () => {
    expect(printStatic({ category: 'in', type: 'int8', dims: 'NCHW', sizes: [1, 2, 3, 4] })).toBe(
      'static: in, int8, dim_NCHW, {1 2 3 4}',
    );
    const five = parseStatic('static: in, float32, dim_TNHWC, {5 1 2 3 4}');
    expect([five.dims.at(0), five.dims.at(-1)]).toEqual(['T', 'C']);
    expect(parseStatic('static: in, float32, dim_HW, {10 4}').sizes).toEqual([10, 4]);
    const a: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [2, 4] };
    const parts = {
      dimension: 'N',
      parts: [
        [0, 1],
        [1, 2],
      ],
    } as const;
    const label = (storage: DynamicLabel['storage']): DynamicLabel =>
      dynamicLabel(
        {
          type: 'float32',
          dims: 'NC',
          tile: {},
          padding: {},
          bytes: 32,
          split: parts,
          storage,
          exchange: [],
        },
        a,
        cached,
      );
    const places = (storage: DynamicLabel['storage']): string[] =>
      placesOf(label(storage), cached).map(({ place }) => place);
    expect(places('mem')).toEqual(['mem1', 'mem2']);
    expect(places(['mem1', 'mem2'])).toEqual(['mem1', 'mem2']);
    expect(places('cluster')).toEqual(['cluster1', 'cluster2']);
  });
});

const I: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [1, 1024] };
const W: StaticLabel = { category: 'iw', type: 'float32', dims: 'CN', sizes: [1000, 4] };
const O: StaticLabel = { category: 'on', type: 'float32', dims: 'NC', sizes: [1, 4] };
const tile = { in: 256, iw: 512, on: 4 };
const seedMachine = (cache: boolean): ReturnType<typeof machine> =>
  machine({
    name: cache ? 'machine 1' : 'machine 2',
    memories: 2,
    clusters: [
      { cores: 2, cache },
      { cores: 2, cache },
    ],
    ...half,
    tile,
  });

const CASES = {
  '1': {
    i: (_: number) => 1,
    w: (_: number, n: number) => n + 1,
    o: [
      [256, 512, 768, 1024],
      [256, 512, 768, 1024],
      [256, 512, 768, 1024],
      [232, 464, 696, 928],
      [512, 1024, 1536, 2048],
      [488, 976, 1464, 1952],
      [1000, 2000, 3000, 4000],
    ],
  },
  '1, with 7 where the weight is padding': {
    i: (c: number) => (c < 1000 ? 1 : 7),
    w: (_: number, n: number) => n + 1,
    o: [
      [256, 512, 768, 1024],
      [256, 512, 768, 1024],
      [256, 512, 768, 1024],
      [232, 464, 696, 928],
      [512, 1024, 1536, 2048],
      [488, 976, 1464, 1952],
      [1000, 2000, 3000, 4000],
    ],
  },
  '2': {
    i: (c: number) => (c % 7) + 1,
    w: (c: number, n: number) => ((c + 3 * n) % 5) - 2,
    o: [
      [-9, 15, -11, 8],
      [-1, -5, 11, -3],
      [-10, -4, 2, -12],
      [25, -5, 5, 0],
      [-10, 10, 0, 5],
      [15, -9, 7, -12],
      [5, 1, 7, -7],
    ],
  },
} as const;

describe.each([
  ['K-L10: with caches', true],
  ['K-L11: without', false],
])('%s', (_, cache) => {
  const labelled = labelOperator('mlp', { input: I, weight: W, output: O }, seedMachine(cache));

  it('has these labels', () => {
    const index = 'C[(0,255),(256,511),(512,767),(768,1023)]';
    const texts = (['input', 'weight', 'output'] as const).flatMap((port) => [
      printStatic(labelled[port]?.static as StaticLabel),
      printDynamic(labelled[port]?.dynamic as DynamicLabel),
    ]);
    expect(texts).toEqual([
      'static: in, float32, dim_NC, {1 1024}',
      `dynamic: float16, dim_NC, C=256, C=0, 2048 B, ${index}, mem, no`,
      'static: iw, float32, dim_CN, {1000 4}',
      `dynamic: float16, dim_NC, C=512, C=24, 8192 B, ${index}, mem, no`,
      'static: on, float32, dim_NC, {1 4}',
      `dynamic: float16, dim_NC, C=4, C=0, 8 B, C[(0,3)], ${cache ? 'cluster, core' : 'mem, cluster'}`,
    ]);
    for (const port of ['input', 'weight', 'output'] as const)
      expect(parseDynamic(printDynamic(labelled[port]?.dynamic as DynamicLabel))).toEqual(
        labelled[port]?.dynamic,
      );
    // R45: the weight's parts cut its tiles.
    expect(labelled.notes).toEqual(['mlp, weight: parts of C cut tiles of 512']);
  });

  const plan = compile(labelled);

  it('places parts in the memories of their cores', () => {
    expect(plan.placed.map(({ name, place }) => `${name} ${place}`)).toEqual([
      'i1 mem1',
      'i2 mem1',
      'i3 mem2',
      'i4 mem2',
      'w1 mem1',
      'w2 mem1',
      'w3 mem2',
      'w4 mem2',
    ]);
  });

  it('does these steps', () => {
    const steps = plan.steps.map((step) =>
      Object.fromEntries(
        step.map(({ core, instructions }) => [core + 1, instructions.map(printInstruction)] as const),
      ),
    );
    const [o2, o4, o6] = cache ? ['cluster1', 'cluster2', 'cluster2'] : ['mem1', 'mem2', 'mem2'];
    const far = cache ? 'cluster' : 'memory';
    const first = (k: number, memory: string): string[] => [
      `reads i${k} from ${memory}`,
      `reads w${k} from ${memory}`,
      `o${k} = mlp(i${k}, w${k})`,
    ];
    expect(steps).toEqual([
      {
        1: first(1, 'mem1'),
        2: [...first(2, 'mem1'), `writes o2 to ${o2}`],
        3: first(3, 'mem2'),
        4: [...first(4, 'mem2'), `writes o4 to ${o4}`],
      },
      {
        1: [`reads o2 from ${o2} (core)`, 'o5 = add(o1, o2)'],
        3: [`reads o4 from ${o4} (core)`, 'o6 = add(o3, o4)', `writes o6 to ${o6}`],
      },
      { 1: [`reads o6 from ${o6} (${far})`, 'o7 = add(o5, o6)', 'writes o7 to mem1'] },
    ]);
    // R31: what is exchanged, as it is.
    expect(levelsOf(plan)).toEqual({
      input: [],
      weight: [],
      output: [Exchange.Core, cache ? Exchange.Cluster : Exchange.Memory],
    });
  });

  it.each(Object.entries(CASES))('gives these numbers, case %s', (_, { i, w, o }) => {
    const input = tensor(
      'NC',
      [1, 1024],
      Array.from({ length: 1024 }, (_, c) => i(c)),
    );
    const weight = tensor(
      'CN',
      [1000, 4],
      Array.from({ length: 4000 }, (_, at) => w(Math.floor(at / 4), at % 4)),
    );
    const run = runPlan(plan, labelled, { input, weight });
    expect(run.prepared.weight?.done).toEqual(['convert', 'transpose', 'pad', 'tile', 'split']);
    expect(run.prepared.weight?.tiles).toEqual({
      C: [
        [0, 512],
        [512, 1024],
      ],
    });
    expect(run.prepared.weight?.whole.sizes).toEqual([4, 1024]);
    o.forEach((numbers, k) =>
      expect(Array.from(run.simulation.values.get(`o${k + 1}`)?.values ?? [])).toEqual(numbers),
    );
    expect(Array.from(run.output.values)).toEqual(o[6]);
    const there = cache
      ? [
          ['cluster1', 'o2'],
          ['cluster2', 'o4'],
          ['cluster2', 'o6'],
        ]
      : [
          ['mem1', 'o2'],
          ['mem2', 'o4'],
          ['mem2', 'o6'],
        ];
    for (const [place, name] of [...there, ['mem1', 'o7']])
      expect(run.simulation.places.get(place as 'mem1')?.has(name as string)).toBe(true);
  });

  it('goes through memory where caches are not linked (R32)', () => {
    if (!cache) return;
    const { clusterOf: _, ...description } = seedMachine(true);
    const apart = compile(
      labelOperator('mlp', { input: I, weight: W, output: O }, machine({ ...description, cacheLink: false })),
    );
    const moves = apart.steps
      .flat()
      .flatMap(({ instructions }) => instructions.map(printInstruction))
      .filter((text) => /o6/.test(text));
    expect(moves).toEqual([
      'o6 = add(o3, o4)',
      'writes o6 to mem2',
      'reads o6 from mem2 (memory)',
      'o7 = add(o5, o6)',
    ]);
  });
});

describe('K-L12: what is exchanged, by mode', () => {
  const { Core, Cluster, Memory } = Exchange;
  // One core in each cluster, so that data that travel cross clusters; two, so that outputs meet in a cluster, too.
  it.each([
    ['data', 'bus', { input: [], weight: [Memory], output: [] }],
    ['data', 'cached', { input: [], weight: [Cluster], output: [] }],
    ['model', 'bus', { input: [], weight: [], output: [Cluster] }],
    ['model', 'cached', { input: [], weight: [], output: [Core] }],
    ['hybrid', 'cached', { input: [Cluster], weight: [], output: [Core, Cluster] }],
  ] as const)('%s, %s', (mode: Mode, kind, expected) => {
    const cache = kind === 'cached';
    const sizes = mode === 'model' ? [1, 8] : [4, 8];
    const label = (cores: number): ReturnType<typeof labelOperator> =>
      labelOperator(
        'mlp',
        { input: { ...I, sizes }, weight: { ...W, sizes: [8, 4] } },
        machine({
          clusters: [
            { cores, cache },
            { cores, cache },
          ],
        }),
        { mode },
      );
    const labelled = label(2);
    expect({
      input: labelled.input.dynamic.exchange,
      weight: labelled.weight?.dynamic.exchange,
      output: labelled.output.dynamic.exchange,
    }).toEqual(expected);
    // Nothing else is exchanged: neither with one core nor with two in a cluster.
    for (const cores of [1, 2]) {
      const levels = levelsOf(compile(label(cores)));
      for (const port of ['input', 'weight', 'output'] as const)
        expect([port, levels[port].length > 0]).toEqual([port, expected[port].length > 0]);
    }
    if (mode === 'data') expect(levelsOf(compile(label(1))).weight).toEqual(expected.weight);
    if (mode === 'hybrid') expect(levelsOf(compile(label(2))).output).toEqual(expected.output);
    if (mode === 'hybrid') expect(levelsOf(compile(label(1))).input).toEqual(expected.input);
    if (mode === 'model' && cache) expect(levelsOf(compile(label(2))).output).toEqual([Core, Cluster]);
  });
});

describe('K-L14: the other two schedules', () => {
  const on = machine({ clusters: [{ cores: 1 }, { cores: 1 }] });
  const input = tensor('NC', [2, 2], [1, 2, 3, 4]);
  const weight = tensor('CN', [2, 4], [1, 0, 2, 1, 0, 1, 1, 3]);
  const run = (mode: Mode): Execution => execute('mlp', { input, weight }, on, { mode });
  const products = ({ plan, simulation }: Execution, step: number): unknown =>
    plan.steps[step]?.map(({ core, instructions }) => {
      const product = instructions.find((one) => one.kind === 'compute' && one.operation === 'mlp');
      if (product?.kind !== 'compute') return [core + 1];
      return [
        core + 1,
        product.inputs.join(' * '),
        Array.from(simulation.values.get(product.output)?.values ?? []),
      ];
    });

  it('data parallel: weights travel, nothing of the output crosses', () => {
    const done = run('data');
    expect(products(done, 0)).toEqual([
      [1, 'i1 * w1', [1, 2]],
      [2, 'i2 * w2', [10, 15]],
    ]);
    expect(products(done, 1)).toEqual([
      [1, 'i1 * w2', [4, 7]],
      [2, 'i2 * w1', [3, 4]],
    ]);
    expect(done.simulation.results.map(({ values }) => Array.from(values))).toEqual([
      [1, 2, 4, 7],
      [3, 4, 10, 15],
    ]);
    expect(levelsOf(done.plan).output).toEqual([]);
  });

  it('hybrid: inputs travel, outputs are exchanged', () => {
    const done = run('hybrid');
    expect(products(done, 0)).toEqual([
      [1, 'i1 * w1', [1, 2]],
      [2, 'i2 * w2', [10, 15]],
    ]);
    expect(products(done, 1)).toEqual([
      [1, 'i2 * w1', [3, 4]],
      [2, 'i1 * w2', [4, 7]],
    ]);
    expect(done.simulation.results.map(({ values }) => Array.from(values))).toEqual([
      [1, 2, 4, 7],
      [3, 4, 10, 15],
    ]);
    expect(levelsOf(done.plan).output).toEqual([Exchange.Memory]);
  });
});
