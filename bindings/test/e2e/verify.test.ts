// Verification in the built package: circuits, passes, platforms, programs, and the conformance suite on this device.
import {
  type Circuit,
  createTask,
  f32,
  type GraphBuilder,
  load,
  type Loom,
  type Operand,
  type Progress,
  type,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

let loom: Loom;
beforeAll(async () => {
  loom = await load({ mode: 'single' });
});
afterAll(() => loom?.dispose());

type Step = (g: GraphBuilder, x: Operand, y: Operand) => Operand;

/** x * y, then something of that and y, then its negative. */
async function chain(step: Step): Promise<Circuit> {
  const g = loom.graph({ unit: 32 });
  const [x, y] = [g.input('x', f32(4)), g.input('y', f32(4))];
  const product = g.op('f32.mul', [x, y]);
  g.output('z', g.op('f32.neg', [step(g, product, y)]));
  return g.build();
}

const sum: Step = (g, x, y) => g.op('f32.add', [x, y]);

describe('a circuit', () => {
  it('is verified by itself: structure, the usual passes, both platforms', async () => {
    using circuit = await chain(sum);
    const progress: Progress[] = [];
    const report = await circuit.verify({ onProgress: (at) => progress.push(at) });
    expect(report.passed).toBe(true);
    expect(report.checks.map(({ kind, name }) => [kind, name])).toEqual([
      ['structure', undefined],
      ['pass', 'dedup'],
      ['pass', 'cancel'],
      ['pass', 'prune'],
      ['platform', 'simd'],
    ]);
    expect(progress.at(-1)).toEqual({ phase: 'verify', done: 5, total: 5 });
    const [, dedup, , , simd] = report.checks;
    // Six rounds of four floats.
    expect(dedup).toMatchObject({ compared: ['output `z`'], notCompared: [], bytes: 6 * 16 });
    expect(simd?.compared).toEqual(['operator 0 (f32.mul)', 'operator 1 (f32.add)', 'operator 2 (f32.neg)']);
  });

  it('means what its expansion and what it was optimized to mean', async () => {
    const g = loom.graph({ unit: 64 });
    const poly = (form: string) => type('poly', { form, n: 16, q: [97, 193] });
    const [a, b] = [g.input('a', poly('coeff')), g.input('b', poly('coeff'))];
    const ntt = (x: Operand) => g.op('poly.ntt', [x]);
    g.output('c', g.op('poly.intt', [g.op('poly.mul', [ntt(a), ntt(b)])]));
    g.output('d', g.op('poly.add', [a, b]));
    using circuit = await g.build();
    using base = await circuit.expand({ platform: 'simd' });
    using lean = await base.optimize();
    for (const other of [base, lean]) {
      const { passed, checks } = await other.verify({ against: circuit, trials: 3, platform: 'scalar' });
      expect([passed, checks.map(({ kind }) => kind)]).toEqual([true, ['structure', 'circuit']]);
      expect(checks[1]).toMatchObject({ compared: ['output `c`', 'output `d`'], bytes: 3 * 2 * 256 });
    }
    // Expanded on its own account where platforms are compared.
    const { checks } = await circuit.verify({ platforms: ['simd', 'scalar'] });
    expect(checks[1]?.compared).toContain('operator 8 (limb.add), part of operator 4 (poly.add)');
  });

  it('tells the first operator that gives something else', async () => {
    using right = await chain(sum);
    using wrong = await chain((g, x, y) => g.op('f32.sub', [x, y]));
    const { passed, checks } = await wrong.verify({ against: right });
    expect([passed, checks.map(({ passed }) => passed)]).toEqual([false, [true, false]]);
    expect(checks[1]).toMatchObject({
      kind: 'circuit',
      compared: [],
      bytes: 0,
      problem: { name: 'GraphError', code: 'verify.differs' },
      difference: {
        what: 'operator 1 (f32.sub)',
        operator: 1,
        name: 'f32.sub',
        partOf: undefined,
        seenIn: 'output `z`',
        type: 'f32[4]{shape=[4]}',
        units: [[12, 16]],
      },
    });
    const { byte, found, expected } = checks[1]?.difference ?? {};
    expect(byte).toBeLessThan(16);
    expect(found).not.toBe(expected);
    // Where nothing is at the same units, the output is told.
    const g = loom.graph({ unit: 32 });
    const [x, y] = [g.input('x', f32(4)), g.input('y', f32(4))];
    const both = g.merge([x, y], f32(8));
    const product = g.op('f32.sub', [both, both]);
    g.output('z', g.view(product, f32(4)));
    using other = await g.build();
    const { difference } = (await other.verify({ against: right })).checks[1] ?? {};
    expect(difference).toMatchObject({ what: 'output `z`', operator: undefined, name: undefined });
  });

  it('is compared on data that are given, and on others with another seed', async () => {
    using right = await chain(sum);
    // Differs where y is not 0.
    using wrong = await chain((_, x) => x);
    const [one, zero] = [new Float32Array(4).fill(1), new Float32Array(4)];
    const against = right;
    expect((await wrong.verify({ against, inputs: { x: one, y: zero } })).passed).toBe(true);
    expect((await wrong.verify({ against, inputs: { x: one } })).passed).toBe(false);
    const byte = async (seed: number | bigint) => {
      const { difference } = (await wrong.verify({ against, trials: 1, seed })).checks[1] ?? {};
      return [difference?.byte, difference?.found, difference?.expected];
    };
    expect(await byte(5)).toEqual(await byte(5n));
    const several = await Promise.all([0, 1, 2, 3, 2n ** 64n - 1n].map(byte));
    expect(new Set(several.map(String)).size).toBeGreaterThan(1);
  });

  it('that draws random numbers is compared as far as these are the same', async () => {
    const make = async (more: boolean) => {
      const g = loom.graph({ unit: 64 });
      const seed = g.input('seed', type('public_seed', {}));
      const draw = () => g.op('sample.uniform', [seed], { n: 16, q: 97 });
      if (more) g.output('extra', draw());
      else g.output('extra', g.op('limb.neg', [draw()]));
      g.output('drawn', g.op('limb.neg', [draw()]));
      return g.build();
    };
    using one = await make(false);
    const { passed, checks } = await one.verify({ passes: ['dedup'] });
    expect([passed, checks[1]?.compared]).toEqual([true, ['output `extra`', 'output `drawn`']]);
  });

  it("of operators of one's own is verified, and a wrong one is found by its name", async () => {
    loom.operator({
      name: 'verify.average',
      // Of one operand only.
      expand: (g, [x], { types: [type] }) => {
        const half = g.constant(f32(1), Float32Array.of(0.5));
        return g.op('f32.mul', [x as Operand, g.op('f32.broadcast', [half], { shape: type?.shape ?? [] })]);
      },
    });
    loom.operator({ name: 'verify.sum', expand: (g, [x, y]) => g.op('f32.add', [x, y] as Operand[]) });
    using right = await chain(sum);
    using same = await chain((g, x, y) => g.op('verify.sum', [x, y]));
    expect((await same.verify({ against: right })).passed).toBe(true);
    expect((await same.verify()).passed).toBe(true);
    using wrong = await chain((g, x, y) => g.op('verify.average', [x, y]));
    const { checks } = await wrong.verify({ against: right });
    expect(checks[1]?.difference).toMatchObject({ operator: 1, name: 'verify.average' });
  });

  it('refuses what is no option, and goes on', async () => {
    using circuit = await chain(sum);
    using other = await load({ mode: 'single' });
    const g = other.graph({ unit: 32 });
    g.output('z', g.input('x', f32(4)));
    using foreign = await g.build();
    const refused: [unknown, string][] = [
      [{ against: 5 }, 'input.type'],
      [{ against: {} }, 'input.type'],
      [{ against: foreign }, 'graph.foreign'],
      [{ passes: 'dedup' }, 'input.type'],
      [{ passes: ['wash'] }, 'pass.unknown'],
      [{ platforms: ['simd'] }, 'input.type'],
      [{ platforms: ['gpu', 'scalar'] }, 'input.type'],
      [{ trials: 0 }, 'input.type'],
      [{ seed: -1 }, 'input.type'],
      [{ inputs: { q: new Float32Array(4) } }, 'input.unknown'],
      [{ inputs: { x: new Float32Array(5) } }, 'input.length'],
      [{ rounds: 3 }, 'input.option'],
    ];
    for (const [options, code] of refused)
      expect([code, (await errorOf(circuit.verify(options as never))).code]).toEqual([code, code]);
    // Another graph than the one that it should mean: told in the report.
    const h = loom.graph({ unit: 32 });
    h.output('z', h.input('x', f32(4)));
    using less = await h.build();
    const { checks } = await circuit.verify({ against: less });
    expect(checks[1]?.problem).toMatchObject({ code: 'task.invalid', details: { at: 'input `y`' } });
    less.dispose();
    expect((await errorOf(circuit.verify({ against: less }))).code).toBe('disposed');
    expect((await circuit.verify()).passed).toBe(true);
  });

  it('stops at an abort', async () => {
    using circuit = await chain(sum);
    const stop = new AbortController();
    const running = circuit.verify({ trials: 1_000_000, passes: ['dedup', 'prune'], signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe.each(BUILDS)('a program, verified by the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('means at every stage what its task means', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3, 4], min: -9, max: 9, decimals: 1 });
    const gaps = task.encrypted('gaps', { shape: [20], min: 0, max: 99, missing: true });
    const weights = task.plain('weights', { shape: [4], min: -5, max: 5 });
    const share = task.public('share', { min: 1, max: 8 });
    task.output('weighted', x.multiply(weights).sum(1).rotate(1).square());
    task.output('mean', gaps.mean());
    task.output('part', x.sum().divide(share));
    using program = await loom.compile(task);
    const items: (string | undefined)[] = [];
    const report = await program.verify({ seed: 7, onProgress: ({ item }) => items.push(item) });
    expect(report.checks.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    expect(items).toEqual(['server', 'finish', 'packed', 'scheme', 'polynomial', 'base', undefined]);
    expect(report.checks.map(({ stage, kind }) => [stage, kind])).toEqual([
      ['server', 'meaning'],
      ['finish', 'meaning'],
      ['packed', 'meaning'],
      ['scheme', 'structure'],
      ['polynomial', 'structure'],
      ['polynomial', 'circuit'],
      ['base', 'structure'],
      ['base', 'circuit'],
      ['base', 'platform'],
    ]);
    const [server, finish, packed] = report.checks;
    for (const check of [server, finish])
      expect(check?.compared).toEqual(
        expect.arrayContaining(['output `weighted`', 'output `mean`', 'output `part`']),
      );
    expect(packed?.compared).toContain('output `weighted`');
    expect(report.checks.every(({ bytes, kind }) => bytes > 0 || kind === 'structure')).toBe(true);
    expect(report.checks.flatMap(({ notCompared }) => notCompared)).toEqual([]);
    const base = (await program.stats()).stages.find(({ stage }) => stage === 'base');
    expect(report.checks.at(-1)?.compared.length).toBe(base?.operators);
    // One that others may have made is looked at where no keys are.
    using opened = await loom.program(program.toBytes());
    expect((await opened.verify({ trials: 1 })).passed).toBe(true);
    const stop = new AbortController();
    const running = opened.verify({ trials: 1_000_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    for (const options of [{ trials: 0 }, { seed: -1 }, { against: 5 }])
      expect((await errorOf(program.verify(options as never))).code).toMatch(/^input\./);
  });

  it('says what of it data do not decide', async () => {
    const task = createTask();
    const [x, y] = [
      task.encrypted('x', { kind: 'real', shape: [30], min: -1, max: 1 }),
      task.public('y', { kind: 'real', shape: [30], min: -1, max: 1 }),
    ];
    task.output('less', x.lessThan(y, { gap: 1.9 }));
    task.output('sum', x.multiply(y).sum());
    using program = await loom.compile(task, { precision: 8 });
    const { passed, checks } = await program.verify();
    expect(checks.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    const packed = checks.find(({ stage }) => stage === 'packed');
    expect([passed, packed?.compared]).toEqual([true, ['output `sum`']]);
    expect(packed?.notCompared).toEqual([
      { what: 'output `less`', why: expect.stringContaining('nearer to each other than the gap') },
    ]);
  });
});

describe('the conformance suite', () => {
  it('passes on this device', async () => {
    const progress: Progress[] = [];
    const report = await loom.conformance({ onProgress: (at) => progress.push(at) });
    expect(report.platforms.map(({ platform, passed, failed }) => [platform, passed, failed])).toEqual([
      ['simd', true, []],
      ['scalar', true, []],
    ]);
    expect(report.passed).toBe(true);
    const [simd, scalar] = report.platforms;
    for (const platform of report.platforms) {
      const names = platform.operators.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['limb.ntt', 'f32.matmul', 'sample.secret']));
      for (const { cases, passed } of platform.operators) expect(passed).toBe(cases);
      expect(platform.cases).toBeGreaterThan(5000);
    }
    expect(report.cases).toBe((simd?.cases ?? 0) + (scalar?.cases ?? 0));
    const total = report.platforms.reduce((sum, { operators }) => sum + operators.length, 0);
    expect(progress.at(-1)).toEqual({ phase: 'conformance', done: total, total });
    expect(progress.length).toBeGreaterThan(2);
  }, 600_000);

  it('stops at an abort, and refuses what is no platform', async () => {
    const signal = AbortSignal.timeout(30);
    await expect(loom.conformance({ signal })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await errorOf(loom.conformance({ platforms: ['cuda' as 'simd'] }))).code).toBe('input.type');
    // Node has none by itself.
    const none = await errorOf(loom.conformance({ platforms: ['gpu'] }));
    expect([none.name, none.code]).toEqual(['GpuError', 'gpu.none']);
    expect(none.message).toContain('npm install webgpu');
    const { passed, platforms } = await loom.conformance({ platforms: [] });
    expect([passed, platforms]).toEqual([true, []]);
  });
});
