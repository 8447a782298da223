// Graphs of one's own in the built package, in its real worker. Runs once per build of the wasm.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  bit,
  type Circuit,
  type CipherloomError,
  f32,
  f64,
  type GraphBuilder,
  i32,
  i64,
  load,
  type Loom,
  type Operand,
  type TraceView,
  type Unit,
  type Variant,
  type,
  u32,
  u64,
  u8,
} from 'cipherloom';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';
import { openWatched, type Watched, type WatchedLoom } from './mail.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const open = (mode: Variant): Promise<Loom> => load({ mode, threads: threadsOf(mode) });

/** Floats with few bits, some of them negative. */
const floats = (length: number) => Float32Array.from({ length }, () => (random(2001) - 1000) / 8);

/** A row times a matrix of `columns` columns: sums in order, each step rounded. */
function product(row: Float32Array, matrix: Float32Array, columns: number): Float32Array {
  return Float32Array.from({ length: columns }, (_, column) =>
    row.reduce(
      (sum, value, k) => Math.fround(sum + Math.fround(value * (matrix[k * columns + column] as number))),
      0,
    ),
  );
}

/** The matrix product of the README. */
function layer(loom: Loom): { g: GraphBuilder; y: Operand } {
  const g = loom.graph({ unit: 32 });
  const [a, w] = [g.input('a', f32(1024)), g.input('w', f32(1024, 4))];
  const y = g.op('f32.matmul', [a, w]);
  g.output('y', y);
  return { g, y };
}

const LAYER_DATA = { a: floats(1024), w: floats(4096) };
const LAYER_RESULT = product(LAYER_DATA.a, LAYER_DATA.w, 4);

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await open(mode);
  });
  afterAll(() => loom?.dispose());

  /** What `y` is in a graph over some inputs; the rest is `run`'s. */
  async function compute(
    unit: Unit,
    data: Record<string, Parameters<Circuit['run']>[0][string]>,
    build: (g: GraphBuilder) => Operand,
  ) {
    const g = loom.graph({ unit });
    g.output('y', build(g));
    return (await g.run(data))['y'];
  }

  it('expands, analyzes, optimizes and runs a matrix product', async () => {
    const { g, y } = layer(loom);
    using base = await g.expand({ platform: 'simd' });
    const deps = await base.analyze();
    expect(deps.operators.map(({ dependsOn }) => [...dependsOn])).toEqual([[]]);
    expect(deps.inputs).toEqual([[0, 1024 + 4096]]);
    using lean = await base.optimize({ passes: ['dedup', 'prune'] });
    let trace: TraceView | undefined;
    const out = await lean.run(LAYER_DATA, { keep: [y], onTrace: (told) => (trace = told) });
    expect(out).toEqual({ y: LAYER_RESULT });
    expect(out.kept.get(y)).toEqual(LAYER_RESULT);
    expect(trace?.op.length).toBeGreaterThanOrEqual(1);
    expect(lean.inputs).toMatchObject([
      { name: 'a', element: 'f32', shape: [1024], bytes: 4096 },
      { name: 'w', element: 'f32', shape: [1024, 4], bytes: 16384 },
    ]);
    expect(lean.outputs).toMatchObject([{ name: 'y', element: 'f32', shape: [4], bytes: 16 }]);
    expect(lean.id).toMatch(/^[0-9a-f]{32}$/);
    expect(lean.operators).toBe(1);
  });

  it('runs alike on each platform, and without an expansion', async () => {
    const { g } = layer(loom);
    for (const platform of ['simd', 'scalar'] as const)
      expect(await g.run(LAYER_DATA, { platform })).toEqual({ y: LAYER_RESULT });
    using scalar = await g.expand({ platform: 'scalar' });
    expect(await scalar.run(LAYER_DATA, { secret: true })).toEqual({ y: LAYER_RESULT });
  });

  it('takes data of every element', async () => {
    const bits = (length: number) => Uint8Array.from({ length }, () => random(2));
    const [p, q] = [bits(13), bits(13)];
    expect(
      await compute(1, { p, q }, (g) => g.op('bit.xor', [g.input('p', bit(13)), g.input('q', bit(13))])),
    ).toEqual(p.map((value, i) => value ^ (q[i] as number)));

    const [b, c] = [1, 2].map(() => Uint8Array.from({ length: 5 }, () => random(256))) as [
      Uint8Array,
      Uint8Array,
    ];
    expect(
      await compute(8, { b, c }, (g) => g.op('u8.add', [g.input('b', u8(5)), g.input('c', u8(5))])),
    ).toEqual(b.map((value, i) => value + (c[i] as number)));

    const d = BigInt64Array.of(-(2n ** 63n), -1n, 2n ** 62n);
    expect(
      await compute(64, { d }, (g) => {
        const x = g.input('d', i64(3));
        return g.op('i64.add', [x, x]);
      }),
    ).toEqual(d.map((value) => BigInt.asIntN(64, 2n * value)));

    const e = BigUint64Array.of(2n ** 64n - 1n, 5n);
    expect(
      await compute(8, { e }, (g) => {
        const x = g.input('e', u64(2));
        return g.op('u64.mul', [x, x]);
      }),
    ).toEqual(e.map((value) => BigInt.asUintN(64, value * value)));

    const f = Int32Array.of(-(2 ** 31), -7, 7);
    expect(
      await compute(16, { f }, (g) =>
        g.op('i32.sub', [g.input('f', i32(3)), g.constant(i32(3), Int32Array.of(1, 2, 3))]),
      ),
    ).toEqual(f.map((value, i) => value - (i + 1)));

    const h = Uint32Array.of(2 ** 32 - 1, 6);
    expect(
      await compute(32, { h }, (g) => {
        const x = g.input('h', u32(2));
        return g.op('u32.mul', [x, x]);
      }),
    ).toEqual(h.map((value) => Number(BigInt(value) ** 2n % 2n ** 32n)));

    const k = Float64Array.of(0.1, -0, 1e300);
    expect(
      await compute(64, { k }, (g) => {
        const x = g.input('k', f64(3));
        return g.op('f64.mul', [x, x]);
      }),
    ).toEqual(k.map((value) => value * value));
  });

  it('takes what is handed in when it is called, whatever becomes of it afterwards', async () => {
    const graph = loom.graph({ unit: 32 });
    const x = graph.input('x', f32(2));
    graph.output('y', graph.op('f32.add', [x, x]));
    using circuit = await graph.build();
    for (const one of [graph, circuit]) {
      const data = Float32Array.of(1, 2);
      const inputs: Record<string, Float32Array<ArrayBuffer>> = { x: data };
      const running = one.run(inputs);
      data.fill(9);
      inputs['x'] = Float32Array.of(7, 7);
      expect(await running).toEqual({ y: Float32Array.of(2, 4) });
    }
    // Slices of a Buffer are views.
    const bytes = loom.graph({ unit: 8 });
    bytes.output('y', bytes.input('x', u8(3)));
    const buffer = Buffer.from([1, 2, 3]);
    const running = bytes.run({ x: buffer });
    buffer.fill(9);
    expect(await running).toEqual({ y: Uint8Array.of(1, 2, 3) });
    await expect(graph.run(new Map() as never)).rejects.toMatchObject({ code: 'input.type' });
  });

  it('takes lattice types, as words', async () => {
    const limb = type('limb', { n: 8, q: 17n, form: 'ntt' });
    const [a, b] = [1, 2].map(() => BigUint64Array.from({ length: 8 }, () => BigInt(random(17)))) as [
      BigUint64Array,
      BigUint64Array,
    ];
    expect(
      await compute(64, { a, b }, (g) => g.op('limb.add', [g.input('a', limb), g.input('b', limb)])),
    ).toEqual(a.map((value, i) => (value + (b[i] as bigint)) % 17n));
    const g = loom.graph({ unit: 64 });
    g.output('y', g.op('limb.neg', [g.input('a', limb)]));
    const refused = await errorOf(g.run({ a: a.with(3, 17n) }));
    expect(refused.code).not.toMatch(/^worker/);
  });

  it('splits, merges and sees units as other types', async () => {
    const x = floats(6);
    const g = loom.graph({ unit: 32 });
    const input = g.input('x', f32(6));
    const [front, back] = [g.view(input, f32(2)), g.view(input, f32(4), { from: 2 })];
    g.output('turned', g.merge([back, front], f32(2, 3)));
    // The sign is the highest bit.
    const sign = g.constant(u32(1), Uint32Array.of(2 ** 31));
    const flipped = g.op('u32.xor', [g.view(input, u32(6)), sign]);
    g.output('negative', g.view(flipped, f32(6)));
    g.output('twice', g.merge([front, front], f32(4)));
    const out = await g.run({ x });
    expect(out).toEqual({
      turned: Float32Array.of(...x.subarray(2), ...x.subarray(0, 2)),
      negative: x.map((value) => -value),
      twice: Float32Array.of(...x.subarray(0, 2), ...x.subarray(0, 2)),
    });
  });

  it('has constants by value', async () => {
    const g = loom.graph();
    const table = Uint8Array.from({ length: 16 }, () => random(256));
    const constant = g.constant(u8(16), table);
    g.output('y', g.op('u8.add', [g.input('x', u8(1)), constant]));
    const expected = table.map((value) => value + 3);
    table.fill(0);
    expect(await g.run({ x: Uint8Array.of(3) })).toEqual({ y: expected });
    const bits = Uint8Array.of(1, 1, 0, 1, 0, 0, 0, 0);
    expect(await compute(8, {}, (g) => g.op('bit.not', [g.constant(bit(8), bits)]))).toEqual(
      bits.map((value) => 1 - value),
    );
  });

  it('keeps any operand, and says of what is not computed any more', async () => {
    const g = loom.graph({ unit: 32 });
    const x = g.input('x', f32(4));
    const half = g.view(x, f32(2), { from: 1 });
    const sum = g.op('f32.add', [x, x]);
    const unused = g.op('f32.mul', [x, x]);
    const y = g.op('f32.neg', [sum]);
    g.output('y', y);
    const data = { x: Float32Array.of(1, 2, 3, 4) };
    using circuit = await g.build();
    const { kept, ...rest } = await circuit.run(data, { keep: [unused, y, sum, half, x, sum] });
    expect(rest).toEqual({ y: Float32Array.of(-2, -4, -6, -8) });
    expect(new Map(kept)).toEqual(
      new Map([
        [unused, Float32Array.of(1, 4, 9, 16)],
        [y, Float32Array.of(-2, -4, -6, -8)],
        [sum, Float32Array.of(2, 4, 6, 8)],
        [half, Float32Array.of(2, 3)],
        [x, data.x],
      ]),
    );
    using lean = await circuit.optimize({ passes: ['prune'] });
    expect((await lean.run(data, { keep: [sum] })).kept.get(sum)).toEqual(Float32Array.of(2, 4, 6, 8));
    expect(await errorOf(lean.run(data, { keep: [unused] }))).toMatchObject({
      name: 'GraphError',
      code: 'operand.not_kept',
    });
    const later = g.op('f32.neg', [y]);
    expect(await errorOf(circuit.run(data, { keep: [later] }))).toMatchObject({ code: 'operand.not_kept' });
    expect(await errorOf(circuit.run(data, { keep: [layer(loom).y] }))).toMatchObject({
      code: 'graph.foreign',
    });
  });

  it('takes thousands of operators', async () => {
    const g = loom.graph({ unit: 32 });
    let x = g.input('x', f32(1));
    for (let i = 0; i < 20_001; i++) x = g.op('f32.neg', [x]);
    g.output('y', x);
    expect(await g.run({ x: Float32Array.of(5) })).toEqual({ y: Float32Array.of(-5) });
  });
});

describe('a circuit', () => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await open('single');
  });
  afterAll(() => loom?.dispose());

  it('goes through text and bytes, here and elsewhere, and stays the same', async () => {
    const { g } = layer(loom);
    using circuit = await g.build();
    using again = await layer(loom).g.build();
    expect(again.id).toBe(circuit.id);
    expect(await again.toBytes()).toEqual(await circuit.toBytes());
    using other = await open('single');
    for (const host of [loom, other]) {
      for (const saved of [await circuit.toText(), await circuit.toBytes()]) {
        using opened = await host.circuit(saved);
        expect(opened.id).toBe(circuit.id);
        expect(opened.inputs).toEqual(circuit.inputs);
        expect(opened.outputs).toEqual(circuit.outputs);
        expect(await opened.toText()).toBe(await circuit.toText());
        expect(await opened.toBytes()).toEqual(await circuit.toBytes());
        expect(await opened.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
        expect(await errorOf(opened.run(LAYER_DATA, { keep: [layer(loom).y] }))).toMatchObject({
          code: 'graph.foreign',
        });
      }
    }
    g.output('again', g.input('b', f32(1)));
    using longer = await g.build();
    expect(longer.id).not.toBe(circuit.id);
  });

  it('is a graph to draw', async () => {
    using circuit = await layer(loom).g.build();
    const graph = await circuit.graph();
    expect(graph.types).toEqual(['f32.matmul']);
    expect([...graph.inputs]).toEqual([-1, -2]);
    expect(graph.inputNames).toEqual(['a', 'w']);
    expect(graph.outputs).toEqual([{ name: 'y', op: 0 }]);
  });

  it('is expanded to what was asked for', async () => {
    const poly = type('poly', { n: 8, q: [17n, 97n], form: 'ntt' });
    const g = loom.graph({ unit: 64 });
    g.output('y', g.op('poly.add', [g.input('a', poly), g.input('b', poly)]));
    const data = {
      a: BigUint64Array.from({ length: 16 }, (_, i) => BigInt(i)),
      b: BigUint64Array.from({ length: 16 }, (_, i) => BigInt(16 - i)),
    };
    const expected = { y: new BigUint64Array(16).fill(16n) };
    const ways = [
      ...[{ steps: 1 }, { level: 'base' as const }, { platform: 'scalar' as const }],
      { base: ['limb.add'] },
    ];
    for (const way of ways) {
      using base = await g.expand(way);
      expect((await base.graph()).types).toEqual(['limb.add']);
      expect(await base.run(data)).toEqual(expected);
    }
    const unreachable = await errorOf(g.expand({ base: ['u8.add'] }));
    expect(unreachable).toMatchObject({ name: 'GraphError', code: 'operator.no_expansion' });
    expect(unreachable.message).toContain('limb.add');
  });

  it('is protected, and computes the same', async () => {
    const g = loom.graph({ unit: 8 });
    const [a, b] = [g.input('a', u8(256)), g.input('b', u8(256))];
    const table = g.constant(
      u8(256),
      Uint8Array.from({ length: 256 }, (_, i) => (i * 7) ^ 99),
    );
    const sum = g.op('u8.add', [g.op('u8.gather', [table, a], { axis: 0 }), g.op('u8.and', [a, b])]);
    g.output('y', g.op('u8.max', [sum, b]));
    using circuit = await g.build();
    const data = {
      a: Uint8Array.from({ length: 256 }, (_, i) => i),
      b: Uint8Array.from({ length: 256 }, (_, i) => i * 29),
    };
    const expected = await circuit.run(data);
    const seeds = [1, 2].map((value) => new Uint8Array(32).fill(value));
    const ids = new Set([circuit.id]);
    for (const seed of seeds) {
      using hidden = await circuit.protect({ seed, growth: 10 });
      using again = await circuit.protect({ seed, growth: 10 });
      expect(again.id).toBe(hidden.id);
      ids.add(hidden.id);
      expect(hidden.growth).toMatchObject({ before: 5, after: hidden.operators });
      expect(hidden.growth?.difference).toBeGreaterThan(0);
      expect(hidden.operators).toBeLessThanOrEqual(50);
      expect(await hidden.run(data)).toEqual(expected);
      expect((await hidden.run(data, { keep: [sum], platform: 'scalar' })).kept.size).toBe(1);
      using left = await hidden.optimize();
      expect(left.operators).toBe(hidden.operators);
      using bare = await circuit.protect({ seed, growth: 10, kinds: ['dead_code'], keep: false });
      using lean = await bare.optimize();
      expect(lean.operators).toBe(5);
      using anonymous = await circuit.protect({ seed, anonymous: true });
      expect(await anonymous.run(data)).toEqual(expected);
      expect(await errorOf(anonymous.run(data, { keep: [sum] }))).toMatchObject({ code: 'operand.not_kept' });
    }
    expect(ids.size).toBe(3);
    expect(circuit.growth).toBeUndefined();
  });

  it('is optimized by the passes that were asked for', async () => {
    const g = loom.graph({ unit: 32 });
    const x = g.input('x', f32(1));
    const [one, same] = [g.op('f32.neg', [x]), g.op('f32.neg', [x])];
    g.op('f32.mul', [x, x]);
    g.output('y', g.op('f32.add', [one, same]));
    using circuit = await g.build();
    const size = async (passes?: string[]) => {
      using lean = await circuit.optimize({ passes });
      expect(await lean.run({ x: Float32Array.of(3) })).toEqual({ y: Float32Array.of(-6) });
      return lean.operators;
    };
    expect(circuit.operators).toBe(4);
    expect(await size([])).toBe(4);
    expect(await size(['dedup'])).toBe(3);
    expect(await size(['prune'])).toBe(3);
    expect(await size(['dedup', 'prune'])).toBe(2);
    expect(await size()).toBe(2);
    expect(await errorOf(circuit.optimize({ passes: ['prone'] }))).toMatchObject({
      name: 'InputError',
      code: 'pass.unknown',
      details: { name: 'prone' },
    });
  });

  it('leaves the page free while large graphs pass all stages, and stops in the middle of one', async () => {
    const g = loom.graph({ unit: 32 });
    let x = g.input('x', u32(8));
    const step = g.input('step', u32(8));
    for (let i = 0; i < 300_000; i++) x = g.op(i % 2 ? 'u32.add' : 'u32.mul', [x, step]);
    g.output('y', x);
    const told = new Map<string, number[]>();
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) =>
      told.set(phase, [...(told.get(phase) ?? []), done / total]);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    const start = performance.now();
    using built = await g.build({ onProgress });
    using base = await built.expand({ platform: 'simd' });
    using lean = await base.optimize({ onProgress });
    const bytes = await lean.toBytes({ onProgress });
    clearInterval(timer);
    expect(lean.operators).toBe(300_000);
    expect([...told.keys()]).toEqual(['build', 'optimize', 'save']);
    for (const [phase, all] of told) {
      expect(all.at(-1), phase).toBe(1);
      expect(all, phase).toEqual([...all].sort((a, b) => a - b));
    }
    // A timer of 5 ms on a busy machine; the page was blocked if it hardly ever came.
    expect(ticks).toBeGreaterThan((performance.now() - start) / 200);
    // Given up at the first sign of progress, before its end can be heard.
    const controller = new AbortController();
    const { signal } = controller;
    const aborted: Promise<unknown>[] = [
      g.build({ signal, onProgress: () => controller.abort() }),
      loom.circuit(bytes, { signal }),
    ];
    for (const call of aborted) call.catch(() => {});
    for (const call of aborted) await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(await layer(loom).g.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
  });

  it('tells its progress, and needs no more memory than it may', async () => {
    const { g } = layer(loom);
    const phases = new Set<string>();
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) => {
      expect(done).toBeLessThanOrEqual(total);
      phases.add(phase);
    };
    using circuit = await g.build({ onProgress });
    using base = await circuit.expand({ platform: 'simd', onProgress });
    using lean = await base.optimize({ onProgress });
    await lean.run(LAYER_DATA, { onProgress });
    expect([...phases]).toEqual(['build', 'expand', 'optimize', 'run']);
    expect(await errorOf(lean.run(LAYER_DATA, { memoryLimit: 1000 }))).toMatchObject({
      name: 'MemoryError',
      code: 'memory.limit',
    });
    expect(await lean.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
  });
});

describe('an error of a call', () => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await open('single');
  });
  afterAll(() => loom?.dispose());

  /** A wrong call, whose function is in the stack of its error. */
  function wrongLayer(g: GraphBuilder, name = 'f32.matmul'): Operand {
    return g.op(name, [g.input('w', f32(4, 3)), g.input('v', f32(5, 3))]);
  }

  /** The error of a build, which is the same for what begins with one. */
  async function located(g: GraphBuilder): Promise<CipherloomError> {
    const error = await errorOf(g.build());
    const analyzed = await errorOf(g.analyze());
    expect(analyzed.message).toBe(error.message);
    return error;
  }

  it('is told at its line', async () => {
    const g = loom.graph({ unit: 32 });
    g.input('before', f32(1));
    g.output('y', wrongLayer(g));
    const error = await located(g);
    expect(error).toMatchObject({
      name: 'GraphError',
      code: 'operator.invalid',
      details: { operator: 'f32.matmul', call: '3' },
    });
    expect(error.message).toContain('call 3 of the graph, op "f32.matmul"');
    const [, first] = (error.stack as string).split('\n');
    expect(first).toMatch(/wrongLayer.*graph\.test\.ts/);
    expect((error.cause as Error).stack).toContain(first);
  });

  it('is typed by what is wrong', async () => {
    const cases: [string, string, (g: GraphBuilder) => unknown][] = [
      ['operator.unknown', 'op "f32.madmul"', (g) => wrongLayer(g, 'f32.madmul')],
      ['operator.invalid', 'op "f32.neg"', (g) => g.op('f32.neg', [])],
      ['graph.attribute', 'op "f32.sum"', (g) => g.op('f32.sum', [g.input('x', f32(2))])],
      ['operator.invalid', 'op "f32.sum"', (g) => g.op('f32.sum', [g.input('x', f32(2))], { axis: 1 })],
      ['graph.split', 'view', (g) => g.view(g.input('x', f32(2)), f32(2), { from: 1 })],
      ['graph.split', 'view', (g) => g.view(g.input('x', f32(2)), f32(1), { from: 2 ** 40 })],
      ['graph.size', 'merge', (g) => g.merge([g.input('x', f32(2))], f32(3))],
      ['operator.invalid', 'input "x"', (g) => g.input('x', type('limb', { n: 8, q: 17, form: 'ntt' }))],
      ['operator.invalid', 'input "x"', (g) => g.input('x', type('nothing'))],
    ];
    for (const [code, call, wrong] of cases) {
      const g = loom.graph({ unit: 32 });
      wrong(g);
      const error = await located(g);
      expect([call, error.code, error.name]).toEqual([call, code, 'GraphError']);
      expect(error.message).toContain(call);
      expect(error.stack).toContain('graph.test.ts');
    }
  });

  it('leaves the builder and the worker as they were', async () => {
    const { g } = layer(loom);
    const wrong = loom.graph({ unit: 32 });
    wrongLayer(wrong);
    await located(wrong);
    expect(await g.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
  });

  it('of text has its line, and of bytes is a FormatError', async () => {
    const head = 'cipherloom-graph 1\nunit 32\ntype !0 = f32[1]{shape=[1]}\ninput %0 : !0 [0,1) "x"\n';
    const texts: [string, string][] = [
      ['', 'graph.syntax'],
      ['cipherloom-graph 2\n', 'graph.syntax'],
      [`${head}op %1 = f32.neg(%7) : !0 [1,2)\n`, 'graph.syntax'],
      [`${head}op %1 = f32.nag(%0) : !0 [1,2)\n`, 'operator.unknown'],
      [`${head}op %1 = f32.neg(!0 [1,2)) : !0 [1,2)\n`, 'graph.cycle'],
      [`${head}op %1 = f32.neg(!0 [5,6)) : !0 [1,2)\n`, 'graph.undefined'],
      [`${head}op %1 = f32.neg(%0) : !0 [0,1)\n`, 'graph.writes_input'],
      [
        `${head}op %1 = f32.neg(%0) : !0 [1,2)\nop %2 = f32.neg(%0) : !0 [1,2)\n`,
        'graph.overlapping_outputs',
      ],
      [`${head}input %1 : !0 [0,1) "y"\n`, 'graph.overlapping_inputs'],
    ];
    for (const [text, code] of texts)
      expect([text, (await errorOf(loom.circuit(text))).code]).toEqual([text, code]);
    using circuit = await layer(loom).g.build();
    const bytes = await circuit.toBytes();
    const damaged = bytes.slice();
    damaged[bytes.length >> 1] = (damaged[bytes.length >> 1] as number) ^ 1;
    for (const wrong of [new Uint8Array(), bytes.slice(0, 9), bytes.slice(0, -1), damaged])
      expect((await errorOf(loom.circuit(wrong))).name).toBe('FormatError');
    for (const wrong of [undefined, null, 5, {}, [1]] as never[])
      expect(await errorOf(loom.circuit(wrong))).toMatchObject({ code: 'input.type' });
  });
});

describe('the graph worker', () => {
  let watched: WatchedLoom;
  let loom: Loom;
  afterEach(() => loom?.dispose());

  async function openMailed() {
    watched = await openWatched('single');
    ({ loom } = watched);
  }
  const mail = () => watched.of('graph').flatMap(({ messages }) => messages);
  const methods = () => mail().map(({ method }) => method);

  it('starts with the first build, and is shared with nobody', async () => {
    await openMailed();
    const { g } = layer(loom);
    expect(watched.of('graph').length).toBe(0);
    const others = () => (['client', 'evaluator'] as const).flatMap((role) => watched.of(role));
    const before = others().map(({ messages }) => messages.length);
    await g.run(LAYER_DATA);
    await g.run(LAYER_DATA);
    expect(watched.of('graph').length).toBe(1);
    expect(others().map(({ messages }) => messages.length)).toEqual(before);
    loom.dispose();
    expect(watched.of('graph')[0]?.ended).toBe(true);
  });

  it('is told nothing where data are wrong', async () => {
    await openMailed();
    const circuit = await layer(loom).g.build();
    const before = mail().length;
    const { a, w } = LAYER_DATA;
    const wrong: [object, string, RegExp][] = [
      [{ a }, 'input.missing', /"w".*Float32Array with 4096 elements/],
      [{ a, w, x: a }, 'input.unknown', /"x".*a, w/],
      [{ a, w: w.subarray(1) }, 'input.length', /"w".*4096.*4095/],
      [{ a: Float64Array.from(a), w }, 'input.type', /"a".*Float32Array.*Float64Array/],
      [{ a: Array.from(a), w }, 'input.type', /"a".*Float32Array.*an array/],
    ];
    for (const [data, code, message] of wrong)
      expect(await errorOf(circuit.run(data as never))).toMatchObject({
        name: 'InputError',
        code,
        message: expect.stringMatching(message),
      });
    const g = loom.graph();
    g.output('y', g.input('x', bit(8)));
    using bits = await g.build();
    const told = mail().length;
    expect(await errorOf(bits.run({ x: Uint8Array.of(0, 1, 2, 0, 0, 0, 0, 0) }))).toMatchObject({
      name: 'OutOfRangeError',
      code: 'range.value',
    });
    expect([before + 1, told]).toEqual([told, mail().length]);
    // Given data are not detached.
    await circuit.run(LAYER_DATA);
    expect(a.length).toBe(1024);
  });

  it('stops within 200 ms of an abort, frees what came too late, and goes on', async () => {
    await openMailed();
    const g = loom.graph({ unit: 32 });
    let x = g.input('x', f32(1 << 16));
    for (let i = 0; i < 3000; i++) x = g.op('f32.tanh', [x]);
    g.output('y', x);
    const circuit = await g.build();
    const data = { x: floats(1 << 16) };
    // Of all threads of this process, whatever else the machine does.
    let spent = Infinity;
    for (const when of ['sent', 'begun', 'begun']) {
      const controller = new AbortController();
      let aborted: NodeJS.CpuUsage | undefined;
      const abort = () => {
        aborted ??= process.cpuUsage();
        controller.abort();
      };
      const onProgress = when === 'begun' ? abort : undefined;
      const [worker] = watched.of('graph') as [Watched];
      if (when === 'sent')
        worker.onSent = ({ method }) => {
          if (method === 'run') queueMicrotask(abort);
        };
      const running = circuit.run(data, { signal: controller.signal, onProgress });
      await expect(running).rejects.toMatchObject({ name: 'AbortError' });
      delete worker.onSent;
      await circuit.toText();
      const { user, system } = process.cpuUsage(aborted);
      spent = Math.min(spent, (user + system) / 1000);
    }
    expect(spent).toBeLessThan(500);
    const controller = new AbortController();
    const building = g.build({ signal: controller.signal });
    while (methods().at(-1) !== 'build') await Promise.resolve();
    controller.abort('enough');
    await expect(building).rejects.toBe('enough');
    await circuit.toText();
    expect(methods().at(-1)).toMatch(/text|free/);
    await expect(g.build({ signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(await layer(loom).g.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
  });

  it('frees what is disposed, and refuses it', async () => {
    await openMailed();
    const { g } = layer(loom);
    const circuit = await g.build();
    const base = await circuit.expand({ platform: 'simd' });
    const running = circuit.run(LAYER_DATA);
    circuit.dispose();
    circuit.dispose();
    await expect(running).rejects.toMatchObject({ name: 'DisposedError' });
    expect(await errorOf(circuit.toText())).toMatchObject({ code: 'disposed' });
    expect(await base.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
    expect(methods().filter((method) => method === 'free').length).toBe(1);
    const building = g.build();
    loom.dispose();
    await expect(building).rejects.toMatchObject({ name: 'DisposedError' });
    for (const call of [() => base.run(LAYER_DATA), () => g.build(), () => loom.circuit('')])
      expect(await errorOf(call())).toMatchObject({ code: 'disposed' });
    expect(() => loom.graph()).toThrow(expect.objectContaining({ code: 'disposed' }));
  });

  it('can die: calls fail, and after restart circuits are made anew', async () => {
    await openMailed();
    const { g, y } = layer(loom);
    const base = await g.expand({ platform: 'simd' });
    const opened = await loom.circuit(await base.toBytes());
    watched.of('graph')[0]?.worker.terminate();
    await expect(base.run(LAYER_DATA)).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.dead' });
    await expect(g.build()).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    const out = await base.run(LAYER_DATA, { keep: [y] });
    expect(out).toEqual({ y: LAYER_RESULT });
    expect(out.kept.get(y)).toEqual(LAYER_RESULT);
    expect(await opened.run(LAYER_DATA)).toEqual({ y: LAYER_RESULT });
    expect((await base.optimize()).id).toBe((await opened.optimize()).id);
    expect(watched.of('graph').length).toBe(2);
    expect(watched.of('client').length + watched.of('evaluator').length).toBe(2);
  });
});

describe('in the repository', () => {
  it('the names that editors complete are those of the core', async () => {
    await promisify(execFile)(process.execPath, ['scripts/operators.mjs', '--check'], { cwd: ROOT });
  });
});
