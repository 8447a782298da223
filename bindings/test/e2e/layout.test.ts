// The same labels on this device: graphs that are split by them, against the simulated machine and against the graph that is whole.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  f32,
  f64,
  type GraphBuilder,
  load,
  type Loom,
  type Operand,
  type TraceView,
  type,
  u64,
} from 'cipherloom';
import {
  detectLabels,
  deviceMachine,
  labelOperator,
  machine,
  type Mode,
  MODES,
  ruleStrategy,
  split,
  splitBatch,
  type StaticLabel,
  tableStrategy,
} from 'cipherloom/layout';
import {
  convNetwork,
  label,
  mlpNetwork,
  type Network,
  type Numbers,
  plain,
  type Run,
  simulated,
  train,
} from '../layout-training.js';
import { errorOf } from './error-of.js';

let loom: Loom;
beforeAll(async () => {
  loom = await load();
});
afterAll(() => loom.dispose());

const two = deviceMachine({ threads: 2 }).machine;

describe('a product of matrices', () => {
  const [n, k, m] = [48, 40, 56];
  const input: StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [n, k] };
  const weight: StaticLabel = { category: 'iw', type: 'float32', dims: 'CN', sizes: [k, m] };
  const data = {
    a: Float32Array.from({ length: n * k }, (_, i) => Math.sin(i)),
    b: Float32Array.from({ length: k * m }, (_, i) => Math.cos(i)),
  };

  it.each([...MODES.map((mode) => [mode, tableStrategy()] as const), ['model', ruleStrategy] as const])(
    '%s parallel, by strategy %o, is the whole one',
    async (mode: Mode, strategy) => {
      const g = loom.graph({ unit: 32 });
      const [a, b] = [g.input('a', f32(n, k)), g.input('b', f32(k, m))];
      const labelled = labelOperator('mlp', { input, weight }, two, { mode, strategy });
      const { output, parts } = split(g, labelled, { input: a, weight: b });
      g.output('split', output);
      g.output('whole', g.op('f32.matmul', [a, b]));
      const circuit = await g.build();
      const found = await circuit.run(data);
      const sums = parts.some(({ operation }) => operation === 'add');
      // One core's order of sums, unless labels cut what is summed.
      expect(sums).toBe(mode === 'model' && strategy.name === 'table');
      if (!sums) expect(found.split).toEqual(found.whole);
      else
        found.split?.forEach((value, index) =>
          expect(Math.abs(Number(value) - Number(found.whole?.[index]))).toBeLessThan(40 * 40 * 2 ** -24),
        );
      expect(new Set(parts.map(({ core }) => core))).toEqual(new Set([0, 1]));
      circuit.dispose();
    },
  );

  it('has its parts in the trace, each with its thread', async () => {
    const g = loom.graph({ unit: 32 });
    const labelled = labelOperator('mlp', { input, weight }, two, { strategy: ruleStrategy });
    const { output, parts } = split(g, labelled, {
      input: g.input('a', f32(n, k)),
      weight: g.input('b', f32(k, m)),
    });
    g.output('split', output);
    const circuit = await g.build();
    const view = await circuit.graph();
    let trace: TraceView | undefined;
    await circuit.run(data, { onTrace: (found) => (trace = found) });
    const products = [...view.type].filter((number) => view.types[number] === 'f32.matmul').length;
    expect([parts.length, products, trace?.op.length]).toEqual([2, 2, 2]);
    expect([...(trace?.thread ?? [])].every((thread) => thread < (loom.mode.threads ?? 1))).toBe(true);
    circuit.dispose();
  });

  it('refuses what this device does not do', async () => {
    const build = (on: typeof two, given = input): (() => void) => {
      const g: GraphBuilder = loom.graph({ unit: 32 });
      return () =>
        void split(g, labelOperator('mlp', { input: given, weight: { ...weight, type: given.type } }, on), {
          input: g.input('a', f32(n, k)),
          weight: g.input('b', f32(k, m)),
        });
    };
    const codes = [
      build(machine({ clusters: [{ cores: 2 }], type: 'float16' })),
      build(machine({ clusters: [{ cores: 2 }], tile: 32 })),
      build(machine({ clusters: [{ cores: 2 }], type: 'int16' }), { ...input, type: 'int16' }),
    ].map(async (call) => errorOf((async () => call())()));
    expect((await Promise.all(codes)).map(({ code }) => code)).toEqual([
      'layout.operands',
      'layout.operands',
      'layout.operands',
    ]);
  });
});

describe.each([
  ['two layers', mlpNetwork()],
  ['a convolution and a layer', convNetwork()],
])('training of %s', (_, network) => {
  it.each(MODES)(
    '%s parallel gives on this device what it gives on the simulated one, bit for bit',
    async (mode) => {
      const steps = 100;
      const found = await trained(network, mode, steps);
      const expected = train(network, simulated(two, { mode }), steps);
      found.forEach((weights, index) =>
        expect(Array.from(weights)).toEqual(Array.from((expected[index] as Numbers).of)),
      );
      // Where no label cuts a sum, that is what plain loops on one core give.
      if (mode !== 'model') {
        const alone = train(network, plain(), steps);
        found.forEach((weights, index) =>
          expect(Array.from(weights)).toEqual(Array.from((alone[index] as Numbers).of)),
        );
      }
    },
  );

  /** One graph for a step; its outputs are the next step's inputs. */
  async function trained(
    { x, t, weights, step }: Network,
    mode: Mode,
    steps: number,
  ): Promise<readonly Float32Array[]> {
    const g = loom.graph({ unit: 32 });
    const run: Run<Operand> = (name, call) => {
      const labelled = label(name, call, two, { mode });
      const { output } = split(g, labelled, { input: call.input.of, weight: call.weight?.of });
      return { dims: call.dims, sizes: labelled.output.static.sizes, of: output };
    };
    const input = (
      name: string,
      { dims, sizes }: Numbers,
    ): { dims: string; sizes: readonly number[]; of: Operand } => ({
      dims,
      sizes,
      of: g.input(name, f32(...sizes)),
    });
    const next = step(
      run,
      input('x', x),
      input('t', t),
      weights.map((one, index) => input(`w${index}`, one)),
    );
    next.forEach(({ of }, index) => g.output(`w${index}`, of));
    const circuit = await g.build();
    let current = weights.map(({ of }) => Float32Array.from(of));
    for (let turn = 0; turn < steps; turn++) {
      const given = Object.fromEntries(current.map((one, index) => [`w${index}`, one] as const));
      const out = await circuit.run({ x: Float32Array.from(x.of), t: Float32Array.from(t.of), ...given });
      current = current.map((_one, index) => Float32Array.from(out[`w${index}`] as Float32Array));
    }
    circuit.dispose();
    return current;
  }
});

it('a batch of 64 ciphertexts is dealt out by the label of its items, and squared part by part', async () => {
  const q = [562949952847873n, 1099511480321n];
  const n = 256;
  const seeds = {
    hidden: crypto.getRandomValues(new BigUint64Array(4)),
    open: crypto.getRandomValues(new BigUint64Array(4)),
  };
  const data = Object.fromEntries(
    Array.from(
      { length: 64 },
      (_, i) => [`x${i}`, Float64Array.from({ length: n / 2 }, (_x, k) => Math.sin(i + k))] as const,
    ),
  );
  const batch: StaticLabel = { category: 'in', type: 'uint32', dims: 'N', sizes: [64] };
  const labelled = labelOperator('mul', { input: batch, weight: batch }, two);

  /** All squares, part by part of what the ciphertexts are dealt out to. */
  async function squares(
    deal: (items: readonly Operand[]) => readonly { readonly items: readonly Operand[] }[],
  ): Promise<{ words: bigint[]; threads: Set<number> }> {
    const g = loom.graph({ unit: 64 });
    const [hidden, open] = [g.input('hidden', type('secret_seed')), g.input('open', type('public_seed'))];
    const secret = g.op('rlwe.secret_key', [hidden], { n, q });
    const items = Object.keys(data).map((name) => {
      const plainText = g.op('ckks.encode', [g.input(name, f64(n / 2))], { scale: 2 ** 40 });
      return g.op('rlwe.ntt', [g.op('ckks.encrypt_secret', [secret, plainText, open, hidden], { q })]);
    });
    const parts = deal(items).map(({ items: own }, part) => {
      const results = own.map((item) => g.op('ckks.multiply', [item, item]));
      // Each part is one operand.
      g.output(`part ${part}`, g.merge(results, type('raw', {}, results.length * 3 * q.length * n)));
      return `part ${part}`;
    });
    const circuit = await g.expand({ platform: 'simd' });
    let trace: TraceView | undefined;
    const out = await circuit.run({ ...data, ...seeds }, { onTrace: (found) => (trace = found) });
    circuit.dispose();
    return {
      words: parts.flatMap((name) => [...(out[name] as BigUint64Array)]),
      threads: new Set(trace?.thread),
    };
  }

  const whole = await squares((items) => [{ items }]);
  const dealt = await squares((items) => {
    const parts = splitBatch(labelled.input, two, items);
    expect(parts.map(({ core, items: own }) => [core, own.length])).toEqual([
      [0, 32],
      [1, 32],
    ]);
    return parts;
  });
  expect(dealt.words).toEqual(whole.words);
  expect([...dealt.threads].every((thread) => thread < (loom.mode.threads ?? 1))).toBe(true);
  expect((await errorOf((async () => splitBatch(labelled.input, two, [1, 2, 3]))())).code).toBe(
    'layout.operands',
  );
});

it('labels are read off a circuit', async () => {
  const g = loom.graph({ unit: 32 });
  const x = g.input('x', f32(2, 8));
  const w = g.input('w', f32(8, 4));
  const fixed = g.constant(f32(4, 3), new Float32Array(12));
  const h = g.op('f32.matmul', [x, w]);
  const y = g.op('f32.matmul', [h, fixed]);
  const bias = g.input('bias', f32(3));
  g.output('y', g.op('f32.add', [y, bias]));
  g.input('unread', f32(5));
  const circuit = await g.build();
  const found = await detectLabels(circuit);
  expect(
    found.map(({ node, outputs, inDegree, outDegree, label: made }) => [
      node,
      outputs,
      inDegree,
      outDegree,
      made && [made.category, made.type, made.dims, made.sizes],
    ]),
  ).toEqual([
    ['x', [], 0, 1, ['in', 'float32', 'NC', [2, 8]]],
    ['w', [], 0, 1, ['iw', 'float32', 'CN', [8, 4]]],
    ['bias', [], 0, 1, ['in', 'float32', 'C', [3]]],
    ['unread', [], 0, 0, ['aux', 'float32', 'C', [5]]],
    ['op 0', [], 0, 1, ['cw', 'float32', 'CN', [4, 3]]],
    ['op 1', [], 1, 1, ['hn', 'float32', 'NC', [2, 4]]],
    ['op 2', [], 1, 1, ['hn', 'float32', 'NC', [2, 3]]],
    ['op 3', ['y'], 1, 0, ['on', 'float32', 'NC', [2, 3]]],
  ]);
  const named = await detectLabels(circuit, { dims: { x: 'CN', y: 'HW' } });
  expect([named[0]?.label?.dims, named[7]?.label?.dims]).toEqual(['CN', 'HW']);
  for (const dims of [{ z: 'N' }, { x: 'N' }, { x: 'NQ' }] as Record<string, string>[])
    expect((await errorOf(detectLabels(circuit, { dims }))).code).toBe('layout.label');
  // What labels have no word for is left out of them, and not of the table.
  const other = loom.graph({ unit: 64 });
  other.output('sum', other.op('u64.sum', [other.input('v', u64(4))], { axis: 0 }));
  const words = await other.build();
  expect((await detectLabels(words)).map(({ node, label: made }) => [node, made])).toEqual([
    ['v', undefined],
    ['op 0', undefined],
  ]);
  words.dispose();
  circuit.dispose();
});
