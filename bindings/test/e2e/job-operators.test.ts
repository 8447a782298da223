// Circuits and programs as operators of jobs: what a worker computes with them, in the built package.
import { createTask, f32, f64, i32, i64, load, type Loom, type TensorType, u32 } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operators } from '../../dist/job/operators/index.js';
import type { Ref } from '../../dist/job/store.js';
import type { Context, Data, Global, Row } from '../../dist/job/types.js';
import { random } from '../random.js';
import { errorOf } from './error-of.js';

const stored = new Map<string, Uint8Array>();
let fetched = 0;
function keep(bytes: Uint8Array): Ref {
  const name = `blob ${stored.size}`;
  stored.set(name, bytes);
  return { name, bytes: bytes.length };
}

const bytesOf = async ({ name }: Ref): Promise<Uint8Array> => {
  fetched++;
  return stored.get(name) as Uint8Array;
};

const contextWith = (globals: Record<string, Global> = {}): Context => ({
  emit: () => {},
  log: () => {},
  globals,
  round: 1,
  part: 4,
  worker: 0,
  kind: 'cpu',
});
const CONTEXT = contextWith();

let loom: Loom;
let operators: Operators;
beforeAll(async () => {
  loom = await load({ threads: 1 });
  operators = new Operators({ get: bytesOf });
});
afterAll(() => {
  loom?.dispose();
  operators?.close();
});

/** An operator over inputs of some types. */
async function circuit(name: string, types: Record<string, TensorType>, unit: 8 | 32 = 8): Promise<Ref> {
  const g = loom.graph({ unit });
  const inputs = Object.entries(types).map(([input, type]) => g.input(input, type));
  g.output('y', g.op(name as never, inputs));
  using built = await g.build();
  return keep(await built.toBytes());
}

async function call(bytes: Ref, value: Data, other?: Row): Promise<Data | undefined> {
  const computing = await operators.open({ kind: 'circuit', bytes });
  return computing.call(['k', value], CONTEXT, other);
}

describe('circuits', () => {
  it('compute rows of the only input, in the arrays of its elements or in any others', async () => {
    const negate = await circuit('f32.neg', { x: f32(3) });
    const expected = Float32Array.of(-1, 2.5, -0);
    for (const value of [
      [1, -2.5, 0],
      Float32Array.of(1, -2.5, 0),
      Float64Array.of(1, -2.5, 0),
      { x: [1, -2.5, 0] },
    ])
      expect(await call(negate, value)).toEqual(expected);
    const before = fetched;
    expect(await call(negate, Int32Array.of(1, 2, 3))).toEqual(Float32Array.of(-1, -2, -3));
    expect(fetched).toBe(before);
    expect(await call(await circuit('f64.neg', { x: f64() }), 2.5)).toBe(-2.5);
    expect(await call(await circuit('i32.neg', { x: i32(1) }), 7)).toEqual(Int32Array.of(-7));
  });

  it('compute rows of several inputs, and of two rows', async () => {
    const add = await circuit('f64.add', { a: f64(2), b: f64(2) });
    expect(await call(add, { a: [1, 2], b: Float64Array.of(3, 4) })).toEqual(Float64Array.of(4, 6));
    expect(await call(add, [1, 2], ['o', [10, 20]])).toEqual(Float64Array.of(11, 22));
    const computing = await operators.open({ kind: 'circuit', bytes: add });
    expect(await computing.reduce('k', [1, 2], [3, 4], CONTEXT)).toEqual(Float64Array.of(4, 6));
    const named = await circuit('u32.add', { a_x: u32(1), b_x: u32(1) });
    expect(await call(named, { x: 5 }, ['o', { x: 6 }])).toEqual(Uint32Array.of(11));
  });

  it('give an object for several outputs, and bytes for 64-bit words', async () => {
    const g = loom.graph({ unit: 8 });
    const [a, b] = [g.input('a', i64(2)), g.input('b', i64(2))];
    g.output('sum', g.op('i64.add', [a, b]));
    g.output('difference', g.op('i64.sub', [a, b]));
    const bytes = keep(await (await g.build()).toBytes());
    const result = (await call(bytes, { a: [1, -(2 ** 53) + 1], b: [2, 1] })) as Record<string, Uint8Array>;
    expect(Object.keys(result)).toEqual(['sum', 'difference']);
    expect(new BigInt64Array((result['sum'] as Uint8Array).slice().buffer)).toEqual(
      BigInt64Array.of(3n, -(2n ** 53n) + 2n),
    );
    // What came out goes in.
    const back = await call(bytes, { a: result['sum'] as Uint8Array, b: result['difference'] as Uint8Array });
    expect(
      new BigInt64Array(((back as Record<string, Uint8Array>)['sum'] as Uint8Array).slice().buffer),
    ).toEqual(BigInt64Array.of(2n, -(2n ** 54n) + 2n));
  });

  it('say what is wrong with a row, and not what is in it', async () => {
    const add = await circuit('i32.add', { a: i32(2), b: i32(2) });
    const bad: readonly (readonly [Data, code: string, message: RegExp])[] = [
      [{ a: [1, 2] }, 'input.missing', /"b" is missing/],
      [{ a: [1, 2], b: [3, 4], c: 5 }, 'input.unknown', /no input "c"; it has a, b/],
      [{ a: [1, 2], b: [3] }, 'input.length', /"b": expected .* 2 elements.*found 1/],
      [{ a: [1, 2], b: [3, 0.5] }, 'range.value', /"b", element 1 .*whole number -2147483648..2147483647/],
      [{ a: [1, 2], b: [3, 2 ** 31] }, 'range.value', /"b", element 1/],
      [{ a: [1, 2], b: [3, '4'] }, 'range.value', /"b", element 1.*found a string/],
      [{ a: [1, 2], b: 'secret' }, 'input.type', /"b": expected.*found a string/],
      [[1, 2], 'input.type', /an object with a, b, found an array/],
      ['secret', 'input.type', /an object with a, b, found a string/],
    ];
    for (const [value, code, message] of bad) {
      const error = await errorOf(call(add, value));
      expect(error.code).toBe('job.operator');
      expect(error.details).toMatchObject({
        circuit: add.name,
        round: 1,
        part: 4,
        key: 'k',
        cause: { code },
      });
      expect(error.message).toMatch(message);
      expect(error.message).not.toMatch(/secret|0\.5/);
    }
    const float = await circuit('f32.neg', { x: f32(1) });
    expect((await errorOf(call(float, [1e300]))).message).toMatch(/number that f32 holds/);
    expect(await call(float, [Infinity])).toEqual(Float32Array.of(-Infinity));
    const wrong = keep(Uint8Array.of(1, 2, 3));
    const error = await errorOf(operators.open({ kind: 'circuit', bytes: wrong }));
    expect(error).toMatchObject({ code: 'job.operator', details: { circuit: wrong.name } });
    expect(error.message).toMatch(/circuit blob \d+ of 3 bytes: it could not be opened/);
  });

  it('compute what they compute without a job, for many rows at once [property]', async () => {
    const g = loom.graph({ unit: 32 });
    g.output('y', g.op('f32.matmul', [g.input('a', f32(2, 3)), g.input('b', f32(3, 2))]));
    using built = await g.build();
    const bytes = keep(await built.toBytes());
    const rows = Array.from({ length: 40 }, () => ({
      a: Float32Array.from({ length: 6 }, () => random(100) / 8),
      b: Float32Array.from({ length: 6 }, () => random(100) / 8),
    }));
    const results = await Promise.all(rows.map((row) => call(bytes, row)));
    for (const [index, row] of rows.entries()) expect(results[index]).toEqual((await built.run(row))['y']);
  });

  it('stay usable, however many there are', async () => {
    const all: Ref[] = [];
    for (let size = 1; size <= 20; size++) all.push(await circuit('f32.neg', { x: f32(size) }));
    for (const [index, bytes] of [...all, ...all].entries()) {
      const length = (index % 20) + 1;
      expect(await call(bytes, new Float32Array(length).fill(3))).toEqual(new Float32Array(length).fill(-3));
    }
  });
});

describe('programs', () => {
  const global = (values: readonly Data[]): Global => ({
    get: (key) => values[Number(key)],
    getItr: () => values.map((value, index) => [index, value] as const).values(),
  });

  it('compute on ciphertexts, with keys from a global', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3], min: -99, max: 99 });
    const y = task.encrypted('y', { shape: [3], min: -99, max: 99 });
    const w = task.plain('w', { shape: [3], min: 0, max: 9 });
    task.output('z', x.multiply(y).add(w));
    using program = await loom.compile(task);
    using client = await program.client();
    const bytes = keep(program.toBytes());
    const keys = global(client.evaluationKeys);
    const computing = await operators.open({ kind: 'program', bytes, keys: 'keys' });
    for (const scale of [1, 2]) {
      const value = { ...(await client.encrypt({ x: [1 * scale, 2, 3], y: [-4, 5, 6] })), w: [7, 8, 9] };
      // Of a global that travels with each task.
      const context = contextWith({
        keys: scale === 1 ? keys : global(client.evaluationKeys.map((key) => key.slice())),
      });
      const result = (await computing.call(['k', value], context)) as Record<string, Uint8Array>;
      expect(await client.decrypt(result)).toEqual({ z: [-4 * scale + 7, 18, 27] });
    }
    // No reducer: what it gives it does not take.
    const value = await client.encrypt({ x: [1, 2, 3], y: [4, 5, 6] });
    const context = contextWith({ keys });
    const { z } = (await computing.call(['k', { ...value, w: [1, 1, 1] }], context)) as Record<
      string,
      Uint8Array
    >;
    const again = { x: z as Uint8Array, y: value['y'] as Uint8Array, w: [1, 1, 1] };
    expect(await errorOf(Promise.resolve(computing.call(['k', again], context)))).toMatchObject({
      code: 'job.operator',
      details: { cause: { code: 'task.invalid' } },
    });
    expect(await errorOf((async () => computing.reduce('k', value, value, CONTEXT))())).toMatchObject({
      code: 'job.operator',
      details: { program: bytes.name, key: 'k' },
    });

    const bad: readonly (readonly [Data, Context, code: string, message: RegExp])[] = [
      [{ ...value }, context, 'input.missing', /w/],
      [{ x: value['x'] as Uint8Array, w: [1, 2, 3] }, context, 'input.missing', /"y" is missing/],
      [{ ...value, w: [1, 2, 3], v: 1 }, context, 'input.unknown', /no encrypted input "v"/],
      [5, context, 'input.type', /an object with ciphertexts/],
      [{ ...value, w: [1, 2, 3] }, CONTEXT, 'input.missing', /no global "keys"/],
      [{ ...value, w: [1, 2, 3] }, contextWith({ keys: global([]) }), 'key.missing', /keys are missing/],
      [{ ...value, w: [1, 2, 3] }, contextWith({ keys: global([7]) }), 'input.type', /Evaluation key 0/],
    ];
    for (const [value, context, code, message] of bad) {
      const error = await errorOf(Promise.resolve(computing.call(['k', value], context)));
      expect(error).toMatchObject({ code: 'job.operator', details: { key: 'k', cause: { code } } });
      expect(error.message).toMatch(message);
    }
    const wrong = keep(Uint8Array.of(1, 2, 3));
    const error = await errorOf(operators.open({ kind: 'program', bytes: wrong, keys: 'keys' }));
    expect(error.message).toMatch(/program blob \d+ of 3 bytes: it could not be opened/);
  });

  it('compute on two rows', async () => {
    const task = createTask();
    const [a, b] = ['a_x', 'b_x'].map((name) => task.encrypted(name, { shape: [2], min: 0, max: 99 }));
    task.output('difference', a!.sub(b!));
    using program = await loom.compile(task);
    using client = await program.client();
    const computing = await operators.open({ kind: 'program', bytes: keep(program.toBytes()), keys: 'k' });
    const [one, two] = await Promise.all(
      [
        [5, 6],
        [1, 9],
      ].map(async (x) => ({ x: (await client.encrypt({ a_x: x }))['a_x'] as Uint8Array })),
    );
    const context = contextWith({ k: global(client.evaluationKeys) });
    const result = await computing.call(['k', one!], context, ['o', two!]);
    expect(await client.decrypt(result as Record<string, Uint8Array>)).toEqual({ difference: [4, -3] });
  });
});

describe('a worker', () => {
  it('ends with what it has', async () => {
    const bytes = await circuit('f32.neg', { x: f32(1) });
    const own = new Operators({ get: bytesOf });
    const computing = await own.open({ kind: 'circuit', bytes });
    expect(await computing.call(['k', [1]], CONTEXT)).toEqual(Float32Array.of(-1));
    own.close();
    const error = await errorOf(Promise.resolve(computing.call(['k', [1]], CONTEXT)));
    expect(error).toMatchObject({ code: 'job.operator', details: { cause: { code: 'disposed' } } });
  });
});
