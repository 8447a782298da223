/** Operators of users' own: used, nested, saved, refused where they are wrong. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CipherloomError,
  f32,
  load,
  type Loom,
  type ExpandedOperatorDefinition,
  u32,
  type Operand,
} from '../../dist/index.js';

let loom: Loom;
beforeAll(async () => void (loom = await load()));
afterAll(() => loom.dispose());

/** a_0 + a_1 x + a_2 x^2 + ..., by Horner's rule. */
const polynomial: ExpandedOperatorDefinition = {
  name: 'my.polynomial',
  expand(g, [x], { types: [type], attributes: { coefficients } }) {
    if (x === undefined || type === undefined) throw new TypeError('my.polynomial takes one operand');
    const constant = (value: number | bigint) => {
      const one = g.constant(u32(1), Uint32Array.of(Number(value)));
      return g.op('u32.broadcast', [one], { shape: type.shape ?? [] });
    };
    const [last = 0, ...rest] = (coefficients as number[]).toReversed();
    return rest.reduce(
      (sum, value) => g.op('u32.add', [g.op('u32.mul', [sum, x]), constant(value)]),
      constant(last),
    );
  },
};

/** Sorts 2^k numbers: a bitonic network of minima and maxima over gathered halves. */
const bitonic: ExpandedOperatorDefinition = {
  name: 'my.bitonic_sort',
  expand(g, [x], { types: [type] }) {
    const n = type?.shape?.[0] ?? 0;
    if (x === undefined || type?.shape?.length !== 1 || (n & (n - 1)) !== 0)
      throw new TypeError('my.bitonic_sort takes a power of two of numbers in a row');
    const places = Array.from({ length: n }, (_, i) => i);
    let sorted = x;
    for (let block = 2; block <= n; block *= 2) {
      for (let step = block / 2; step > 0; step /= 2) {
        // Of each pair the lower place gets the minimum, or the maximum in blocks that descend.
        const least = places.map((i) => Number(((i & step) === 0) === ((i & block) === 0)));
        const index = g.constant(
          u32(n),
          Uint32Array.from(places, (i) => i ^ step),
        );
        const partner = g.op('f32.gather', [sorted, index], { axis: 0 });
        const condition = g.constant(u32(n), Uint32Array.from(least));
        const [low, high] = (['f32.min', 'f32.max'] as const).map((op) => g.op(op, [sorted, partner]));
        sorted = g.op('f32.select', [condition, low!, high!]);
      }
    }
    return sorted;
  },
};

const failing = (promise: Promise<unknown>): Promise<CipherloomError> =>
  promise.then(
    () => expect.unreachable('it went well'),
    (error: CipherloomError) => error,
  );

describe('operators of one’s own', () => {
  it('mean what their expansion says, for every use', async () => {
    loom.operator(polynomial);
    const g = loom.graph({ unit: 32 });
    const [x, y] = [g.input('x', u32(3)), g.input('y', u32(2))];
    g.output('p', g.op('my.polynomial', [x], { coefficients: [7, 0, 2] }));
    g.output(
      'q',
      g.op('my.polynomial', [g.op('my.polynomial', [y], { coefficients: [1, 1] })], { coefficients: [0, 3] }),
    );
    const circuit = await g.build();
    expect(circuit.operators).toBe(3);
    const names = (text: string) => [...text.matchAll(/^op \S+ = ([\w.]+)/gm)].map(([, name]) => name);
    expect(new Set(names(await circuit.toText()))).toEqual(new Set(['my.polynomial']));
    const base = await circuit.expand({ platform: 'simd' });
    expect(names(await base.toText())).not.toContain('my.polynomial');
    const data = { x: Uint32Array.of(0, 1, 5), y: Uint32Array.of(4, 10) };
    for (const graph of [base, await base.optimize()]) {
      const out = await graph.run(data);
      expect(out).toEqual({ p: Uint32Array.of(7, 9, 57), q: Uint32Array.of(15, 33) });
    }
    // Bytes carry names; another loom has to know them, and to mean the same.
    const bytes = await circuit.toBytes();
    expect((await loom.circuit(bytes)).id).toBe(circuit.id);
    const other = await load();
    expect(await failing(other.circuit(bytes))).toMatchObject({ code: 'operator.unknown' });
    other.operator({ ...polynomial, expand: (g, [x]) => g.op('u32.not', [x!]) });
    expect((await failing(other.circuit(bytes))).message).toContain(
      'another meaning of operator `my.polynomial`',
    );
    other.dispose();
  });

  it('sort by a bitonic network', async () => {
    loom.operator(bitonic);
    const g = loom.graph({ unit: 32 });
    g.output('sorted', g.op('my.bitonic_sort', [g.input('x', f32(64))]));
    const base = await g.expand({ platform: 'simd' });
    const x = Float32Array.from({ length: 64 }, (_, i) => ((i * 37) % 64) - 20.5);
    expect((await base.run({ x })).sorted).toEqual(x.toSorted());
  });

  it('may use each other, but not themselves', async () => {
    loom.operator({
      name: 'my.twice',
      expand: (g, [x], { attributes }) =>
        g.op('my.polynomial', [g.op('my.polynomial', [x!], attributes)], attributes),
    });
    const g = loom.graph({ unit: 32 });
    g.output('y', g.op('my.twice', [g.input('x', u32(1))], { coefficients: [1, 2] }));
    const base = await g.expand({ platform: 'simd' });
    expect((await base.run({ x: Uint32Array.of(5) })).y).toEqual(Uint32Array.of(23));
    loom.operator({ name: 'my.ping', expand: (g, inputs) => g.op('my.pong', inputs) });
    loom.operator({ name: 'my.pong', expand: (g, inputs) => g.op('my.ping', inputs) });
    const h = loom.graph({ unit: 32 });
    h.output('y', h.op('my.ping', [h.input('x', u32(1))]));
    const error = await failing(h.build());
    expect(error.code).toBe('operator.endless_expansion');
    expect(error.message).toMatch(/my\.ping.* -> my\.pong.* -> my\.ping/);
  });

  it('that are wrong are refused with their name, and the next one works', async () => {
    const wrong = {
      throws: () => {
        throw new RangeError('not over this');
      },
      nothing: () => undefined,
      foreign: () => loom.graph({ unit: 32 }).input('x', u32(1)),
      promise: async () => undefined,
      unknown: (g: Parameters<ExpandedOperatorDefinition['expand']>[0]) => g.op('my.none', []),
      arity: (g: Parameters<ExpandedOperatorDefinition['expand']>[0]) => g.op('u32.add', []),
      more: (g: { input?: unknown }) => (g.input as (name: string, type: unknown) => never)('more', u32(1)),
    };
    const codes: Record<string, string> = {};
    for (const [name, expand] of Object.entries(wrong)) {
      loom.operator({ name: `wrong.${name}`, expand: expand as never });
      const g = loom.graph({ unit: 32 });
      g.output('y', g.op(`wrong.${name}`, [g.input('x', u32(1))]));
      const error = await failing(g.build());
      expect(error.message).toContain(
        name === 'unknown' ? 'my.none' : name === 'arity' ? 'u32.add' : `wrong.${name}`,
      );
      codes[name] = error.code;
    }
    expect(codes).toEqual({
      throws: 'operator.expand',
      nothing: 'operator.expand',
      foreign: 'operator.expand',
      promise: 'operator.expand',
      unknown: 'operator.unknown',
      arity: 'operator.invalid',
      more: 'operator.invalid',
    });
    const g = loom.graph({ unit: 32 });
    g.output('y', g.op('u32.not', [g.input('x', u32(1))]));
    expect((await (await g.expand({ platform: 'simd' })).run({ x: Uint32Array.of(1) })).y).toEqual(
      Uint32Array.of(2 ** 32 - 2),
    );
  });

  it('have names of their own', async () => {
    for (const definition of [{ name: 'plain' }, { name: 'a.b' }, { name: '', expand: () => {} }, undefined])
      expect(() => loom.operator(definition as never)).toThrow(/operator/);
    const fresh = await load();
    fresh.operator({ ...polynomial });
    expect(() => fresh.operator({ ...polynomial })).toThrow(
      expect.objectContaining({ code: 'operator.name' }),
    );
    expect(() => fresh.operator({ ...polynomial, name: 'u32.add' })).toThrow(
      expect.objectContaining({ code: 'operator.name' }),
    );
    const g = fresh.graph({ unit: 32 });
    g.output('y', g.input('x', u32(1)));
    expect((await g.build()).operators).toBe(0);
    fresh.dispose();
  });

  it('end, also where every level is another use', async () => {
    const fresh = await load();
    let asked = 0;
    fresh.operator({
      name: 'my.grow',
      expand: (g, [x], { attributes: { n = 0 } }) => {
        asked++;
        return g.op('my.grow', [x as Operand], { n: Number(n) + 1 });
      },
    });
    // Two uses a level: more than anybody could wait for.
    fresh.operator({
      name: 'my.tree',
      expand: (g, [x], { attributes: { n = 1 } }) => {
        const branch = (bit: number) => g.op('my.tree', [x as Operand], { n: 2 * Number(n) + bit });
        return Number(n) > 2 ** 40 ? (x as Operand) : g.op('u32.add', [branch(0), branch(1)]);
      },
    });
    const graph = (name: string) => {
      const g = fresh.graph({ unit: 32 });
      g.output('y', g.op(name, [g.input('x', u32(1))]));
      return g;
    };
    const error = await failing(graph('my.grow').build());
    expect(error).toMatchObject({ code: 'operator.endless_expansion', details: { operator: 'my.grow' } });
    expect(error.message).toMatch(/does not end within 64 levels.*\(call 1 of the graph, op "my.grow"\)$/s);
    expect(asked).toBe(64);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(graph('my.tree').build({ signal: stop.signal })).rejects.toThrow('enough');
    expect((await graph('u32.not').build()).operators).toBe(1);
    fresh.dispose();
  });

  it('tell of errors inside of them by the call that uses them and by the call there', async () => {
    const fresh = await load();
    fresh.operator({ name: 'my.total', expand: (g, [x]) => g.op('u32.sum', [x as Operand], { axis: 7 }) });
    fresh.operator({
      name: 'my.outer',
      expand: (g, [x]) => g.op('my.total', [g.op('u32.not', [x as Operand])]),
    });
    const g = fresh.graph({ unit: 32 });
    const x = g.op('u32.not', [g.input('x', u32(2))]);
    g.output('y', g.op('my.outer', [g.op('u32.not', [x])]));
    const error = await failing(g.build());
    expect(error).toMatchObject({ code: 'operator.invalid', details: { operator: 'u32.sum', call: '3' } });
    expect(error.message).toMatch(
      new RegExp(
        [
          'call 1 of the expansion of operator "my.total", op "u32.sum"',
          'call 2 of the expansion of operator "my.outer", op "my.total"',
          'call 3 of the graph, op "my.outer"',
        ].join('.*'),
        's',
      ),
    );
    expect((error.cause as Error).message).toMatch(/my\.outer", op "my\.total"\)$/);
    fresh.dispose();
  });

  it('refuse operands and attributes that they do not have', async () => {
    const fresh = await load();
    fresh.operator({
      name: 'my.scaled',
      operands: 1,
      attributes: ['by'],
      expand: (g, [x]) => g.op('u32.add', [x as Operand, x as Operand]),
    });
    const build = (count: number, attributes: Record<string, number>) => {
      const g = fresh.graph({ unit: 32 });
      const inputs = Array.from({ length: count }, (_, index) => g.input(`x${index}`, u32(1)));
      g.output('y', g.op('my.scaled', inputs, attributes));
      return g.build();
    };
    expect((await build(1, { by: 2 })).operators).toBe(1);
    expect(await failing(build(2, {}))).toMatchObject({
      code: 'operator.invalid',
      details: { operator: 'my.scaled', at: 'number of operands', found: '2', expected: '1', call: '2' },
    });
    expect(await failing(build(1, { bye: 2 }))).toMatchObject({
      code: 'operator.invalid',
      details: { operator: 'my.scaled', at: 'attribute', found: 'bye', expected: 'by', call: '1' },
    });
    fresh.dispose();
  });
});
