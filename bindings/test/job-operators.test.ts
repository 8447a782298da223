// What a worker calls, but for circuits and programs, which need wasm: e2e/job-operators.test.ts.
import { afterEach, describe, expect, it } from 'vitest';
import { CipherloomError, failure } from '../src/errors.js';
import type { Circuit } from '../src/graph-types.js';
import { ofBoth } from '../src/job/operators/circuit-data.js';
import { type Computing, Operators } from '../src/job/operators/index.js';
import { LazyLoom } from '../src/job/operators/worker-loom.js';
import { Kept } from '../src/job/operators/kept.js';
import { hashOfModule } from '../src/job/operators/modules.js';
import type { AnyKey, Context, Data, Row } from '../src/job/types.js';
import type { Loom } from '../src/types.js';
import type { PlacedOperator } from '../src/job/work.js';

const MODULE = `data:text/javascript,${encodeURIComponent(`
  export default ([key, value]) => value + 1;
  export const double = async ([, value]) => value * 2;
  export const below = (limit) => ([, value]) => value < limit;
  export const small = ([, value]) => value < 100;
  export const even = async ([, value]) => value % 2 === 0;
  export const drop = () => undefined;
  export const dropLarge = ([, value]) => (value > 40 ? undefined : value);
  export const half = ([key, value], { emit }) => { emit(key + '/2', value / 2); return value; };
  export const onlyEmit = ([key, value], context) => context.emit(key + '!', value);
  export const wrong = () => { throw new RangeError('no such month'); };
  export const later = async () => { throw new RangeError('no such day'); };
  export const nothing = () => { throw undefined; };
  export const odd = () => { throw { get message() { throw 1; } }; };
  class Failure { secret = 4711; }
  const thrown = {
    object: { secret: 4711 }, bare: Object.assign(Object.create(null), { secret: 4711 }), own: new Failure(),
    row: ['k', 4711], bytes: Uint8Array.of(47, 11), fn: () => 4711,
    like: { name: 'Odd', message: 'no such hour' }, message: { message: 'no such minute', secret: 4711 },
  };
  export const throws = ([, which]) => { throw thrown[which]; };
  export const rejects = async ([, which]) => { throw thrown[which]; };
  export const number = () => 1;
  export const sum = (key, a, b) => a + b;
  export const slowSum = async (key, a, b) => a + b;
  export const pair = ([, a], context, [, b]) => [a, b];
  export const count = (row, context, ...others) => others.length;
  export const constant = 5;
`)}`;

const f = (name: string): PlacedOperator => ({ kind: 'function', module: MODULE, name });
const bytesOf = async (): Promise<Uint8Array> => Promise.reject(new Error('no bytes'));
const emitted: Row[] = [];
const CONTEXT: Context = {
  emit: (key, value) => void emitted.push([key, value]),
  log: () => {},
  globals: {},
  round: 2,
  part: 7,
  worker: 0,
  kind: 'cpu',
};
const operators = new Operators({ get: bytesOf });
afterEach(() => void (emitted.length = 0));

async function call(
  placed: PlacedOperator,
  value: Data,
  other?: Row,
  key: AnyKey = 'k',
): Promise<Data | undefined> {
  return (await operators.open(placed)).call([key, value], CONTEXT, other);
}

async function failing(work: () => unknown): Promise<CipherloomError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CipherloomError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('functions', () => {
  it('are called by module and name', async () => {
    expect(await call(f('default'), 1)).toBe(2);
    expect(await call(f('double'), 4)).toBe(8);
    expect(await call(f('drop'), 4)).toBeUndefined();
    expect(await call(f('pair'), 4, ['o', 5])).toEqual([4, 5]);
    expect([await call(f('count'), 0), await call(f('count'), 0, ['o', 5])]).toEqual([0, 1]);
    const sums = await Promise.all([f('sum'), f('slowSum')].map((placed) => operators.open(placed)));
    for (const computing of sums) expect(await computing.reduce('k', 2, 3, CONTEXT)).toBe(5);
    // Without a turn of the event loop for each row.
    expect((await operators.open(f('default'))).call(['k', 1], CONTEXT)).toBe(2);
  });

  it('fail with module, round, part, key and cause', async () => {
    const error = await failing(() => call(f('wrong'), 1, undefined, [3, 4]));
    expect(error).toMatchObject({ name: 'JobError', code: 'job.operator' });
    expect(error.details).toEqual({
      module: MODULE,
      name: 'wrong',
      round: 2,
      part: 7,
      key: [3, 4],
      cause: { message: 'RangeError: no such month' },
    });
    expect(error.cause).toBeInstanceOf(RangeError);
    expect(error.message).toMatch(/^Round 2, part 7, key \[3,4\]: function "wrong" of data:.*no such month$/);
    expect((await failing(() => call(f('later'), 1))).message).toMatch(/no such day/);
    expect((await failing(() => call(f('nothing'), 1))).message).toMatch(/undefined$/);
    expect((await failing(() => call(f('odd'), 1))).message).toMatch(/it threw something, which is no Error/);
    const reducing = await operators.open(f('later'));
    expect((await failing(() => reducing.reduce('k', 1, 2, CONTEXT))).details).toMatchObject({
      key: 'k',
      part: 7,
    });
  });

  it('that throw what is no Error say what it was, and nothing of what it holds', async () => {
    const expected = {
      object:
        'it threw an object of Object, which is no Error and has no message: throw an Error that says what was wrong',
      bare: 'it threw an object, which',
      own: 'it threw an object of Failure, which',
      row: 'it threw an array, which',
      bytes: 'it threw an object of Uint8Array, which',
      fn: 'it threw a function, which',
      like: 'Odd: no such hour',
      message: 'no such minute',
    };
    for (const name of ['throws', 'rejects'])
      for (const [which, words] of Object.entries(expected)) {
        const { message, details } = await failing(() => call(f(name), which));
        expect(message).toContain(`: ${words}`);
        expect(details['cause']).toEqual({ message: expect.stringContaining(words) });
        expect(
          JSON.stringify([message, { ...details, module: '' }])
            .split(MODULE)
            .join(''),
        ).not.toMatch(/4711|47,11|object Object/);
      }
  });

  it('pass on errors of the job, which emit throws', async () => {
    const refused = failure('job.key', 'not that key');
    const context = {
      ...CONTEXT,
      emit: () => {
        throw refused;
      },
    };
    const computing = await operators.open(f('onlyEmit'));
    expect(await failing(() => computing.call(['k', 1], context))).toBe(refused);
  });

  it('are not opened where there are none, or where they may not be', async () => {
    const missing = await failing(() => operators.open(f('constant')));
    expect(missing.details).toMatchObject({
      module: MODULE,
      name: 'constant',
      found: '5',
      expected: 'a function',
    });
    expect((await failing(() => operators.open(f('toString')))).message).toMatch(
      /found undefined; the module has .*double/,
    );
    const away: PlacedOperator = { kind: 'function', module: 'file:///nowhere/f.mjs', name: 'default' };
    expect(await failing(() => operators.open(away))).toMatchObject({
      code: 'job.operator',
      details: { module: 'file:///nowhere/f.mjs', name: 'default' },
    });
    const closed = new Operators({ get: bytesOf });
    closed.close();
    expect((await failing(() => closed.open(f('double')))).code).toBe('disposed');
  });
});

describe('while', () => {
  const doubled = (most: number, body: PlacedOperator[] = [f('double')]): PlacedOperator => ({
    kind: 'while',
    condition: f('small'),
    body,
    most,
  });

  it('computes a row anew as long as its condition holds', async () => {
    expect(await call(doubled(10), 3)).toBe(192);
    expect(await call(doubled(10), 100)).toBe(100);
    expect(await call(doubled(6), 3)).toBe(192);
    expect(await call(doubled(10, [f('double'), f('default')]), 3)).toBe(127);
    expect(await call(doubled(10, [f('double'), f('dropLarge')]), 3)).toBeUndefined();
    expect(await call(doubled(10, [f('half'), f('double')]), 30)).toBe(120);
    // What the first step emits goes through the second.
    expect(emitted).toEqual([
      ['k/2', 30],
      ['k/2', 60],
    ]);
  });

  it('has an end', async () => {
    const error = await failing(() => call(doubled(5), 3));
    expect(error).toMatchObject({ code: 'job.operator', details: { most: 5, key: 'k', round: 2, part: 7 } });
    expect(error.message).toMatch(/still holds after 5 turns/);
  });

  it('takes a boolean from its condition, and reduces nothing', async () => {
    const odd: PlacedOperator = { kind: 'while', condition: f('number'), body: [f('double')], most: 3 };
    const error = await failing(() => call(odd, 3));
    expect(error.message).toMatch(/condition of "while": expected true or false, found a number/);
    const computing = await operators.open(odd);
    expect((await failing(() => computing.reduce('k', 1, 2, CONTEXT))).code).toBe('job.operator');
  });
});

describe('if', () => {
  const branch = (then: PlacedOperator[], otherwise: PlacedOperator[]): PlacedOperator => ({
    kind: 'if',
    condition: f('even'),
    then,
    otherwise,
  });

  it('takes one of two branches', async () => {
    expect(await call(branch([f('double')], [f('default')]), 4)).toBe(8);
    expect(await call(branch([f('double')], [f('default'), f('default')]), 5)).toBe(7);
    expect(await call(branch([f('double')], []), 5)).toBe(5);
    expect(await call(branch([f('onlyEmit'), f('double')], []), 4)).toBeUndefined();
    expect(emitted).toEqual([['k!', 8]]);
    expect(await call(branch([branch([f('default')], []), f('double')], []), 4)).toBe(10);
    expect(await call(branch([f('pair')], []), 4, ['o', 5])).toEqual([4, 5]);
    const error = await failing(() => call(branch([f('wrong')], []), 4));
    expect(error.details).toMatchObject({ name: 'wrong', key: 'k' });
  });
});

describe('values of two rows', () => {
  it('have names of inputs', () => {
    const bytes = Uint8Array.of(1);
    expect(ofBoth(1, [2, 3])).toEqual({ a: 1, b: [2, 3] });
    expect(ofBoth({ x: bytes, y: 2 }, { x: 3 })).toEqual({ a_x: bytes, a_y: 2, b_x: 3 });
  });
});

describe('Kept', () => {
  it('keeps the ones used last, and disposes of none that somebody works with', async () => {
    const disposed: string[] = [];
    let opened = 0;
    const kept = new Kept<{ name: string; dispose(): void }>(2);
    const use = (name: string, work: () => Promise<unknown> = async () => {}): Promise<unknown> =>
      kept.use(
        name,
        async () => {
          opened++;
          return { name, dispose: () => void disposed.push(name) };
        },
        work,
      );
    for (const name of ['a', 'b', 'a', 'c', 'a']) await use(name);
    expect([opened, disposed]).toEqual([3, ['b']]);
    let end = (): void => {};
    const working = use('a', () => new Promise<void>((resolve) => (end = resolve)));
    for (const name of ['d', 'e']) await use(name);
    await Promise.resolve();
    expect(disposed).toEqual(['b', 'c', 'd']);
    kept.close();
    await Promise.resolve();
    expect(disposed).toEqual(['b', 'c', 'd', 'e']);
    end();
    await working;
    expect(disposed).toEqual(['b', 'c', 'd', 'e', 'a']);
    let tries = 0;
    const failed = (): Promise<unknown> =>
      kept.use(
        'x',
        async () => {
          tries++;
          throw failure('job.store', 'gone');
        },
        async () => {},
      );
    for (let turn = 0; turn < 2; turn++) expect((await failing(failed)).code).toBe('job.store');
    expect(tries).toBe(2);
  });
});

describe('LazyLoom', () => {
  it('starts with the first that needs it, and anew after a death', async () => {
    const events: string[] = [];
    let starts = 0;
    const loom = new LazyLoom(async () => {
      const name = `loom ${++starts}`;
      events.push(name);
      if (starts === 1) throw failure('worker.failed', 'no memory for it');
      const circuit = async (): Promise<Circuit> =>
        ({ id: name, dispose: () => void events.push(`${name}: circuit disposed`) }) as Circuit;
      return { circuit, dispose: () => void events.push(`${name}: disposed`) } as unknown as Loom;
    });
    const bytes = async (): Promise<Uint8Array> => new Uint8Array();
    const use = (work: () => void = () => {}): Promise<string> =>
      loom.circuit('a', bytes, async ({ id }) => (work(), id));
    expect(events).toEqual([]);
    expect((await failing(() => use())).code).toBe('worker.failed');
    expect(await use()).toBe('loom 2');
    // What a row does wrong harms nobody.
    const range = (): never => {
      throw failure('range.value', 'too large');
    };
    expect((await failing(() => use(range))).code).toBe('range.value');
    expect(await use()).toBe('loom 2');
    const trap = (): never => {
      throw failure('worker.trap', 'unreachable');
    };
    expect((await failing(() => use(trap))).code).toBe('worker.trap');
    expect(await use()).toBe('loom 3');
    loom.close();
    expect((await failing(() => use())).code).toBe('disposed');
    await Promise.resolve();
    expect(events).toEqual([
      'loom 1',
      'loom 2',
      'loom 2: circuit disposed',
      'loom 2: disposed',
      'loom 3',
      'loom 3: circuit disposed',
      'loom 3: disposed',
    ]);
  });
});

describe('open', () => {
  it('opens each once', async () => {
    const hash = await hashOfModule(MODULE);
    const opened = await Promise.all(
      [1, 2].map(() => operators.open({ kind: 'function', module: MODULE, name: 'double', hash })),
    );
    expect(new Set<Computing>(opened).size).toBe(1);
  });
});
