/** Operators placed by name, several platforms in one run, and base operators that are JavaScript functions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BaseOperatorDefinition,
  bit,
  type CipherloomError,
  f32,
  load,
  type Loom,
  type,
  u32,
  u8,
  type Variant,
} from '../../dist/index.js';
import { BUILDS, threadsOf } from './builds.js';

const module = new URL('../fixtures/own-functions.mjs', import.meta.url);

/** An operator whose output is like its first operand. */
const like = (name: string, exported?: string): BaseOperatorDefinition => ({
  name: `my.${name}`,
  module,
  function: exported ?? name,
  output: ({ types: [type] }) => type as never,
});

const histogram: BaseOperatorDefinition = {
  name: 'my.histogram',
  module,
  function: 'histogram',
  output({ types: [type], attributes: { bins } }) {
    if (type?.element !== 'u32') throw new TypeError('my.histogram takes u32');
    return u32(bins as number);
  },
};

const failing = (promise: Promise<unknown>): Promise<CipherloomError> =>
  promise.then(
    () => expect.unreachable('it went well'),
    (error: CipherloomError) => error,
  );

const names = (text: string) => [...text.matchAll(/^op \S+ = ([\w.@]+)/gm)].map(([, name]) => name);

async function started(mode: Variant = 'single'): Promise<Loom> {
  const loom = await load({ mode, threads: threadsOf(mode) });
  for (const definition of [histogram, like('reverse', 'default'), like('greedy')]) loom.operator(definition);
  return loom;
}

let loom: Loom;
beforeAll(async () => void (loom = await started()));
afterAll(() => loom.dispose());

/** One operator of a user's own over four numbers. */
function one(name: string) {
  const g = loom.graph({ unit: 32 });
  g.output('y', g.op(`my.${name}`, [g.input('x', f32(4))]));
  return g;
}

const X = { x: Float32Array.of(1, 2, 3, 4) };

describe('placing', () => {
  it('is by name, by hand, or by cost, and shows in the text', async () => {
    const g = loom.graph({ unit: 32 });
    const x = g.input('x', f32(4));
    const sum = g.op('f32.add@scalar', [g.op('f32.exp', [x]), g.op('my.reverse', [x])]);
    g.output('y', g.op('f32.neg', [sum]));
    const circuit = await g.build();
    expect(names(await circuit.toText())).toEqual(['f32.exp', 'my.reverse', 'f32.add@scalar', 'f32.neg']);
    const placed = await circuit.place({ pin: { 'f32.neg': 'scalar' } });
    const at = ['f32.exp@simd', 'my.reverse@javascript', 'f32.add@scalar', 'f32.neg@scalar'];
    const text = await placed.toText();
    expect(names(text)).toEqual(at);
    expect(names(await (await circuit.place({ platform: ['scalar', 'javascript'] })).toText())[0]).toBe(
      'f32.exp@scalar',
    );
    const expected = await circuit.run(X);
    expect(await placed.run(X)).toEqual(expected);
    expect(await (await loom.circuit(text)).run(X)).toEqual(expected);
    expect(await (await loom.circuit(await placed.toBytes())).run(X)).toEqual(expected);
    expect(await placed.run(X, { platform: ['scalar', 'javascript'] })).toEqual(expected);
  });

  it('refuses what there is not', async () => {
    const circuit = await one('reverse').build();
    expect((await failing(circuit.place({ pin: { 'my.nothing': 'simd' } }))).code).toBe('operator.unknown');
    for (const options of [
      { platform: 'cuda' },
      { platform: [] },
      { platform: ['simd', 'simd'] },
      { pin: { a: 'cuda' } },
    ]) {
      expect((await failing(circuit.place(options as never))).code).toBe('input.type');
    }
    expect((await failing(circuit.expand({ platform: 'simd' }))).details).toMatchObject({
      operator: 'my.reverse',
    });
    expect((await failing(circuit.run(X, { platform: 'scalar' }))).code).toBe('operator.not_implemented');
    const text = (await circuit.toText()).replace('my.reverse', 'my.reverse@cuda');
    const away = await loom.circuit(text);
    expect((await failing(away.run(X))).code).toBe('platform.unknown');
  });

  it('has no GPU where nobody has installed one, and none for secret data', async () => {
    const g = loom.graph({ unit: 64 });
    const limb = type('limb', { n: 16, q: 97, form: 'ntt' });
    g.output('y', g.op('limb.neg', [g.input('x', limb)]));
    const data = { x: BigUint64Array.from({ length: 16 }, (_, index) => BigInt(index)) };
    const circuit = await (await g.build()).place({ platform: ['gpu', 'simd'] });
    expect(names(await circuit.toText())).toEqual(['limb.neg@gpu']);
    const none = await failing(circuit.run(data));
    expect([none.name, none.code]).toEqual(['GpuError', 'gpu.none']);
    expect(none.message).toContain('npm install webgpu');
    expect((await failing(circuit.run(data, { secret: true }))).code).toBe('gpu.secret');
    // What is too large for shaders stays here.
    const even = loom.graph({ unit: 64 });
    const ty = type('limb', { n: 16, q: 96, form: 'ntt' });
    const x = even.input('x', ty);
    even.output('y', even.op('limb.mul', [x, x]));
    const placed = await (await even.build()).place({ platform: ['gpu', 'simd'] });
    expect(names(await placed.toText())).toEqual(['limb.mul@simd']);
  });
});

describe.each(BUILDS)('base operators in JavaScript, build %s', (mode) => {
  it('are computed beside the others', async () => {
    using loom = await started(mode);
    const g = loom.graph({ unit: 32 });
    const x = g.input('x', u32(1000));
    const counts = [2, 3, 5, 7, 11].map((bins) => g.op('my.histogram', [x], { bins }));
    counts.forEach((count, index) => g.output(`${index}`, g.op('u32.add', [count, count])));
    g.output('sum', g.op('u32.sum', [x], { axis: 0 }));
    const numbers = Uint32Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1013);
    const circuit = await (await g.build()).place();
    for (let round = 0; round < 3; round++) {
      const out = await circuit.run({ x: numbers });
      [2, 3, 5, 7, 11].forEach((bins, index) => {
        const expected = Array.from(
          { length: bins },
          (_, bin) => 2 * numbers.filter((n) => n % bins === bin).length,
        );
        expect([...(out[index] as Uint32Array)]).toEqual(expected);
      });
      expect(out.sum).toEqual(BigUint64Array.of(numbers.reduce((sum, n) => sum + BigInt(n), 0n)));
    }
  });
});

describe('base operators in JavaScript', () => {
  it('are told of by verification, which does not call them', async () => {
    const circuit = await one('reverse').build();
    const { passed, checks } = await circuit.verify({ passes: ['prune'], platforms: ['simd', 'scalar'] });
    expect(passed).toBe(true);
    expect(checks.map(({ kind }) => kind)).toEqual(['structure', 'pass', 'platform']);
    for (const { compared, notCompared, bytes } of checks.slice(1)) {
      expect({ compared, bytes }).toEqual({ compared: [], bytes: 0 });
      expect(notCompared).toEqual([{ what: 'everything', why: expect.stringContaining('my.reverse') }]);
    }
  });

  it('work on copies', async () => {
    const g = loom.graph({ unit: 32 });
    const x = g.input('x', f32(4));
    const seven = g.op('my.greedy', [x]);
    g.output('y', g.op('f32.mul', [seven, x]));
    const data = Float32Array.of(1, 2, 3, 4);
    expect(await g.run({ x: data })).toEqual({ y: Float32Array.of(7, 14, 21, 28) });
    expect(data).toEqual(Float32Array.of(1, 2, 3, 4));
  });

  it('are named by circuits, and found again after a restart', async () => {
    const g = loom.graph({ unit: 8 });
    g.output('y', g.op('my.reverse', [g.input('x', u8(3))]));
    const circuit = await g.build();
    const run = () => circuit.run({ x: Uint8Array.of(1, 2, 3) });
    expect(await run()).toEqual({ y: Uint8Array.of(3, 2, 1) });
    const bytes = await circuit.toBytes();
    using other = await load({ mode: 'single' });
    const error = await failing(other.circuit(bytes));
    expect([error.code, error.details]).toMatchObject(['operator.unknown', { operator: 'my.reverse' }]);
    other.operator({ ...like('reverse', 'default'), output: () => u8(4) });
    expect((await failing(other.circuit(bytes))).message).toMatch(/my\.reverse/);
  });

  it.each([
    ['failing', 'operator.failed', /my\.failing": its function threw: RangeError: not today/],
    ['missing', 'operator.failed', /my\.missing": its module .* has no function: export missing/],
    ['notAFunction', 'operator.failed', /no function: export notAFunction/],
    [
      'short',
      'operator.result',
      /my\.short", its result: expected a Float32Array with 4 elements, f32\[4\], found 1/,
    ],
    ['wrong', 'operator.result', /found an array/],
    ['nothing', 'operator.result', /found undefined/],
    ['dies', 'worker.dead', /operator worker failed/],
  ])('tell what is wrong: %s', async (name, code, message) => {
    loom.operator(like(name));
    const circuit = await one(name).build();
    const error = await failing(circuit.run(X));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    // The engine goes on.
    expect(await one('reverse').run(X)).toEqual({ y: Float32Array.of(4, 3, 2, 1) });
  });

  it('may run for ever, until the call is cancelled', async () => {
    loom.operator(like('forever'));
    const g = loom.graph({ unit: 32 });
    const x = g.input('x', f32(4));
    for (let index = 0; index < 3; index++) g.output(`${index}`, g.op('my.forever', [x], { index }));
    const circuit = await g.build();
    const reason = new Error('enough');
    const controller = new AbortController();
    const running = circuit.run(X, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await expect(running).rejects.toBe(reason);
    expect(await one('reverse').run(X)).toEqual({ y: Float32Array.of(4, 3, 2, 1) });
    // Disposing ends it, too.
    const other = await started();
    other.operator(like('forever'));
    const h = other.graph({ unit: 32 });
    h.output('y', h.op('my.forever', [h.input('x', f32(4))]));
    const never = failing(h.run(X));
    setTimeout(() => other.dispose(), 200);
    expect((await never).code).toBe('disposed');
  });

  it('take and give bits', async () => {
    for (const name of ['bits', 'notBits']) loom.operator(like(name));
    const flip = (name: string) => {
      const g = loom.graph({ unit: 1 });
      g.output('y', g.op(`my.${name}`, [g.input('x', bit(5))]));
      return g.run({ x: Uint8Array.of(1, 0, 1, 1, 0) });
    };
    expect(await flip('bits')).toEqual({ y: Uint8Array.of(0, 1, 0, 0, 1) });
    expect((await failing(flip('notBits'))).code).toBe('operator.result');
  });

  it('are refused where their definition is wrong', async () => {
    for (const definition of [
      { name: 'my.other', module: './relative.js', output: () => f32(1) },
      { name: 'my.other', module },
      { name: 'my.other', module, output: () => f32(1), expand: () => {} },
      { name: 'my.other', module, output: () => f32(1), function: 5 },
    ]) {
      expect(() => loom.operator(definition as never), JSON.stringify(definition)).toThrow(
        /operator: expected/,
      );
    }
    loom.operator({ name: 'my.untyped', module, output: () => 'f32' as never });
    loom.operator({
      name: 'my.refusing',
      module,
      output: () => {
        throw new Error('not these');
      },
    });
    for (const [name, message] of [
      ['untyped', /is "f32", expected a type of tensor/],
      ['refusing', /threw: Error: not these/],
    ] as const) {
      const error = await failing(one(name).build());
      expect([error.code, error.message]).toEqual(['operator.output', expect.stringMatching(message)]);
    }
    loom.operator({ ...like('nowhere'), module: 'file:///nowhere/at/all.mjs' });
    expect((await failing(one('nowhere').run(X))).message).toMatch(/could not be imported/);
  });
});
