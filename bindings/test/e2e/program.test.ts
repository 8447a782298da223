// A compiled program: what it tells of itself, how it goes from place to place, and what it refuses.
import {
  type Ciphertexts,
  createTask,
  kernelsText,
  load,
  type Loom,
  type Progress,
  STAGES,
  type TraceView,
  type Client,
  type Program,
  type Task,
  type Value,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

const ROWS = 60;
const some = (limit: number): number[] => Array.from({ length: ROWS }, () => random(limit));
const COLUMNS = { age: some(121), pressure: some(301) };

/** Some of its outputs the client finishes, and one needs no ciphertext. */
function statistics(): Task {
  const task = createTask();
  const age = task.encrypted('age', { shape: [ROWS], min: 0, max: 120 });
  const pressure = task.encrypted('pressure', { shape: [ROWS], min: 0, max: 300 });
  task.output('count', age.count());
  task.output('sum', age.sum());
  task.output('variance', age.variance());
  task.output('covariance', age.covariance(pressure));
  task.output('difference', pressure.sub(age));
  return task;
}

/** Statistics that need keys: results of three parts would not. */
const KEYED = { passes: { openResults: false } };

describe('a compiled program', () => {
  let loom: Loom;
  let task: Task;
  let program: Program;
  let client: Client;
  let inputs: Ciphertexts;
  let results: Ciphertexts;

  beforeAll(async () => {
    loom = await load({ mode: 'single' });
    task = statistics();
    program = await loom.compile(task, KEYED);
    client = await program.client();
    inputs = await client.encrypt(COLUMNS);
    results = await program.run(inputs, client.evaluationKeys);
  });
  afterAll(() => loom?.dispose());

  it('tells parameters, sizes and costs that are true', async () => {
    const { info } = program;
    expect(info.totalBits).toBeLessThanOrEqual(info.maxTotalBits);
    const bits = [...info.moduli, ...info.special].map((prime) => Math.log2(Number(prime)));
    expect(info.totalBits).toBeCloseTo(
      bits.reduce((sum, one) => sum + one),
      6,
    );
    expect(info).toMatchObject({ scheme: 'BGV', scale: undefined });
    expect(info.inputs.map(({ name, max }) => [name, String(max)])).toEqual([
      ['age', '120'],
      ['pressure', '300'],
    ]);
    expect(info.inputs.map(({ bytes }) => bytes)).toEqual(Object.values(inputs).map(({ length }) => length));
    // A few words stand before the numbers of keys and results.
    const about = (told: number, found: number) => {
      expect(found).toBeGreaterThanOrEqual(told);
      expect(found - told).toBeLessThan(1024);
    };
    expect(client.evaluationKeys.length).toBe(info.keys.length);
    info.keys.forEach(({ bytes }, i) => about(bytes, client.evaluationKeys[i]?.length as number));
    const total = (all: Iterable<number>) => [...all].reduce((sum, bytes) => sum + bytes, 0);
    // What shares a ciphertext is one object under several names.
    const sent = new Set(Object.values(results));
    for (const object of sent) {
      const names = Object.keys(results).filter((name) => results[name] === object);
      const within = info.ciphertexts.filter(({ values }) => values.some((value) => names.includes(value)));
      about(total(within.map(({ bytes }) => bytes)), object.length);
    }
    expect(info.cost).toEqual({
      seconds: expect.any(Number),
      keyBytes: total(info.keys.map(({ bytes }) => bytes)),
      publicKeyBytes: 0,
      uploadBytes: total(Object.values(inputs).map(({ length }) => length)),
      downloadBytes: total([...sent].map(({ length }) => length)),
    });
    expect(info.cost.seconds).toBeGreaterThan(0);
    const { memoryBytes } = await program.stats();
    const held = info.cost.keyBytes + info.cost.uploadBytes;
    expect(memoryBytes).toBeGreaterThan(held);
    expect(memoryBytes).toBeLessThan(100 * held);
  });

  it('is text and graph at every stage', async () => {
    const { stages } = await program.stats();
    expect(stages.map(({ stage }) => stage)).toEqual([...STAGES]);
    for (const { stage, operators, depth, byType } of stages) {
      expect(await program.toText(stage)).toContain('graph');
      const graph = await program.graph(stage);
      expect(graph.type.length).toBe(operators);
      expect(graph.inputsStart.length).toBe(operators + 1);
      const counted = Object.fromEntries(Object.keys(byType).map((name) => [name, 0]));
      for (const index of graph.type) counted[graph.types[index] as string]! += 1;
      expect(byType).toEqual(counted);
      expect(depth).toBeLessThanOrEqual(operators);
    }
    const outputs = async (stage: 'finish' | 'scheme') =>
      (await program.graph(stage)).outputs.map(({ name }) => name).sort();
    const finished = ['count', 'covariance', 'variance'];
    expect(await outputs('finish')).toEqual(expect.arrayContaining(finished));
    expect(await outputs('scheme')).toEqual(program.info.ciphertexts.map(({ name }) => name).sort());
  });

  it('is the same bytes for the same task', async () => {
    using again = await loom.compile(statistics(), KEYED);
    expect(again.toBytes()).toEqual(program.toBytes());
  });

  it('tells how far it is, and what it ran', async () => {
    const phases = new Set<string>();
    const onProgress = ({ phase, done, total }: Progress): void => {
      phases.add(phase);
      expect(done).toBeLessThanOrEqual(total);
    };
    using other = await program.client({ onProgress });
    const sent = await other.encrypt(COLUMNS, { onProgress });
    let operators = 0;
    const back = await program.run(sent, other.evaluationKeys, {
      onProgress,
      onTrace: ({ op, start, end }) => {
        operators = op.length;
        expect(start.every((time, i) => time <= (end[i] as number))).toBe(true);
      },
    });
    await other.decrypt(back, { onProgress });
    expect(phases).toEqual(new Set(['keys', 'encrypt', 'run', 'decrypt']));
    expect(operators).toBeGreaterThan(0);
  });

  it('tells what ran in every phase, on both sides, and who waited for whom', async () => {
    const traces: TraceView[] = [];
    const onTrace = (trace: TraceView): void => void traces.push(trace);
    using other = await program.client({ onTrace });
    const sent = await other.encrypt(COLUMNS, { onTrace });
    const back = await program.run(sent, other.evaluationKeys, { onTrace });
    await other.decrypt(back, { onTrace });
    const keys = program.info.keys.map(({ name }) => ['keys', name, 'client']);
    expect(keys.length).toBeGreaterThan(0);
    expect(traces.map(({ phase, item, role }) => [phase, item, role])).toEqual([
      ...keys,
      ['encrypt', undefined, 'client'],
      ['run', undefined, 'evaluator'],
      ['decrypt', undefined, 'client'],
    ]);
    for (const trace of traces) {
      const { phase, origin, threads, types, type, op, thread, start, end, waits, waitsStart } = trace;
      // A date: later than this line was written.
      expect(origin).toBeGreaterThan(Date.UTC(2024));
      expect([threads, ...new Set(thread)], phase).toEqual([1, 0]);
      expect(Math.max(...op), phase).toBeLessThan(type.length);
      expect(
        [...type].every((index) => /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/.test(types[index] ?? '')),
        phase,
      ).toBe(true);
      // Each has a kernel, a built-in one, as no others were given.
      expect(trace.kernel.length, phase).toBe(type.length);
      const texts = new Set(Array.from(op, (one) => kernelsText(trace, one)));
      for (const text of texts)
        expect(text, phase).toMatch(/^(f64x[24]-fma|f64x[24]|u32x4|blake3x4|scalar), built in$/);
      expect([waitsStart.length, waitsStart.at(-1)], phase).toEqual([type.length + 1, waits.length]);
      // On one thread, by one clock: nobody began before those that it waits for had ended.
      const ended = new Map(Array.from(op, (one, i) => [one, end[i] as number]));
      const early = Array.from(op).filter((one, i) => {
        const before = waits.subarray(waitsStart[one], waitsStart[one + 1]);
        return before.some((other) => (ended.get(other) ?? -Infinity) > (start[i] as number));
      });
      expect(early, phase).toEqual([]);
    }
    const run = traces.at(-2) as TraceView;
    const base = await program.graph('base');
    const names = ({ types, type }: Pick<TraceView, 'types' | 'type'>): (string | undefined)[] =>
      Array.from(type, (index) => types[index]);
    expect(names(run)).toEqual(names(base));
    const sets = (starts: Uint32Array, members: Uint32Array | Int32Array): number[][] =>
      Array.from(starts.subarray(1), (to, op) =>
        [...new Set(members.subarray(starts[op], to))].filter((one) => one >= 0).sort((a, b) => a - b),
      );
    expect(sets(run.waitsStart, run.waits)).toEqual(sets(base.inputsStart, base.inputs));
  });

  it('leaves at least the noise budget that it promises', async () => {
    const { count, ...encrypted } = await client.decryptDetails(results);
    // Nobody needs a key for the number of cells that are all there.
    expect(count?.budgetBits).toBe(Infinity);
    const promised = new Map(
      program.info.ciphertexts.flatMap(({ values, budgetBits }) => values.map((name) => [name, budgetBits])),
    );
    const least = Math.min(...promised.values());
    for (const [name, { budgetBits }] of Object.entries(encrypted))
      expect(budgetBits, name).toBeGreaterThanOrEqual(promised.get(name) ?? least);
  });

  it('explains why it is as it is', async () => {
    const summed = createTask();
    const x = summed.encrypted('x', { shape: [6], min: -5, max: 5 });
    const weights = summed.plain('weights', { shape: [6], min: -5, max: 5 });
    summed.output('sum', x.multiply(x).multiply(weights).sum());
    summed.output('mean', x.mean());
    using weighted = await loom.compile(summed);
    const told = await weighted.explain();
    expect(told.reasons.map(({ about }) => about)).toEqual([
      'scheme',
      'security',
      'ring',
      'plain moduli',
      'levels',
      'keys',
      'releases',
    ]);
    const [first, second] = told.values;
    expect(first).toMatchObject({
      name: 'x',
      encrypted: true,
      level: weighted.info.moduli.length,
      ciphertexts: 1,
    });
    expect(second).toMatchObject({ name: 'weights', encrypted: false, clear: true, level: undefined });
    const last = told.values.find(({ outputs }) => outputs.includes('sum'));
    expect(last).toMatchObject({ operator: 'value.sum', encrypted: true, finished: false });
    expect(last?.operators['rlwe.extract']).toBe(1);
    expect(last?.operators['rlwe.automorphism']).toBeUndefined();
    expect(told.values.find(({ outputs }) => outputs.includes('mean'))?.finished).toBe(true);
    expect(told.values.reduce((all, { cost }) => all + cost, 0)).toBeCloseTo(1, 9);
    expect(told.keys.flatMap(({ of }) => of).every((operand) => told.values[operand]?.encrypted)).toBe(true);
    const text = String(told);
    expect(text).toMatch(/^scheme +BGV: nothing real/);
    expect(text).toMatch(/value\.sum\(%\d+\): encrypted integer -> "sum" +encrypted/);
    using opened = await loom.program(weighted.toBytes());
    expect(String(await opened.explain())).toBe(text);
  });

  it('takes no parameters under which a task is wrong or insecure', async () => {
    const powers = createTask();
    powers.output('power', powers.encrypted('x', { min: 0, max: 9 }).power(6));
    using powered = await loom.compile(powers);
    const { info } = powered;
    const compile = (given: Partial<typeof info>, options = {}): Promise<unknown> =>
      loom.compile(powers, { parameters: { ...info, ...given }, ...options });
    for (const [given, options] of [
      [{ moduli: info.moduli.slice(0, 1) }],
      [{ special: [] }],
      [{ plainModuli: ['65537'] }],
      [{ scheme: 'CKKS' as const }],
      [{ moduli: [...info.moduli, info.moduli[0]!] }],
      [{}, { n: 2 * info.n }],
    ] as const)
      expect(await errorOf(compile(given, options))).toMatchObject({ code: 'parameters.invalid' });
    expect(await errorOf(compile({ n: 2048 }))).toMatchObject({ code: 'parameters.insecure' });
    expect(await errorOf(compile({ n: '4096' as unknown as number }))).toMatchObject({ code: 'input.type' });
  });

  it('refuses bytes that are not its own', async () => {
    const age = inputs['age'] as Uint8Array;
    const { evaluationKeys } = client;
    for (const bytes of [
      new Uint8Array(),
      age.slice(0, 10),
      age.slice(0, -1),
      Uint8Array.of(...age.slice(0, 64), 1),
      age.map((byte, at) => (at === age.length - 1 ? byte ^ 1 : byte)),
    ])
      expect((await errorOf(program.run({ ...inputs, age: bytes }, evaluationKeys))).name).toBe(
        'FormatError',
      );
    // Encrypted for other bounds, and no input at all.
    for (const bytes of [inputs['pressure'], results['sum']] as Uint8Array[])
      expect(await errorOf(program.run({ ...inputs, age: bytes }, evaluationKeys))).toMatchObject({
        code: 'task.invalid',
      });
    expect((await errorOf(client.decrypt({ ...results, sum: age }))).name).toMatch(/^(Format|Input)Error$/);
    expect((await errorOf(loom.program(age))).name).toBe('FormatError');
    expect((await errorOf(program.restoreClient(age))).name).toBe('FormatError');
    expect(await errorOf(program.run(inputs, evaluationKeys.slice(1)))).toMatchObject({
      name: 'KeyError',
      code: 'key.missing',
    });
    expect((await errorOf(program.run(inputs, [age]))).name).toBe('FormatError');
    expect(await client.decrypt(await program.run(inputs, evaluationKeys))).toEqual(
      await client.decrypt(results),
    );
  });

  it('refuses keys and results of another client', async () => {
    using other = await program.client();
    const foreign = { name: 'KeyError', code: 'key.foreign', details: { of: 'client' } };
    expect(await errorOf(program.run(inputs, other.evaluationKeys))).toMatchObject(foreign);
    expect(await errorOf(other.decrypt(results))).toMatchObject(foreign);
    expect(await errorOf(other.decryptDetails(results))).toMatchObject(foreign);
  });

  it('refuses a client of other parameters', async () => {
    const powers = createTask();
    powers.output('power', powers.encrypted('x', { min: 0, max: 99 }).power(4));
    using other = await loom.compile(powers);
    expect(await errorOf(other.restoreClient(await client.save()))).toMatchObject({ code: 'key.foreign' });
  });

  it('refuses wrong values, naming input and cell', async () => {
    const wrong = (age: unknown) => errorOf(client.encrypt({ age: age as number[] }));
    const where = { details: { input: 'age', cell: 7 } };
    expect(await wrong(COLUMNS.age.with(7, 121))).toMatchObject({ code: 'range.value', ...where });
    expect(await wrong(COLUMNS.age.with(7, 1.5))).toMatchObject({ code: 'input.decimals', ...where });
    expect(await wrong(COLUMNS.age.with(7, null as never))).toMatchObject({
      code: 'input.missing_value',
      ...where,
    });
    expect(await wrong([1, 2, 3])).toMatchObject({ code: 'input.shape' });
    expect(await errorOf(client.encrypt({ weight: [1] }))).toMatchObject({ code: 'input.unknown' });
    const { age, ...rest } = inputs as { age: Uint8Array };
    const run = (given: Ciphertexts) => errorOf(program.run(given, client.evaluationKeys));
    expect(await run(rest)).toMatchObject({ code: 'input.missing' });
    expect(await run({ ...inputs, weight: age })).toMatchObject({ code: 'input.unknown' });
  });

  it('refuses values in the clear that are not what it takes', async () => {
    const weighing = createTask();
    const x = weighing.encrypted('x', { shape: [3], min: 0, max: 9 });
    weighing.output('product', x.multiply(weighing.plain('w', { shape: [3], min: 0, max: 9 })));
    weighing.output('share', x.sum().divide(weighing.public('all', { min: 1, max: 99 })));
    using weighed = await loom.compile(weighing);
    using holder = await weighed.client();
    const [sealed, keys] = [await holder.encrypt({ x: [1, 2, 3] }), holder.evaluationKeys];
    const clear = { plain: { w: [3, 2, 1] }, public: { all: 12 } };
    for (const [options, code] of [
      [{}, 'input.missing'],
      [{ plain: clear.plain }, 'no error'],
      [{ ...clear, plain: { w: [1, 2] } }, 'input.shape'],
      [{ ...clear, plain: { w: [1, 2, 10] } }, 'range.value'],
      [{ ...clear, plain: { x: [1, 2, 3] } }, 'input.unknown'],
      [{ ...clear, public: { w: [1, 2, 3] } }, 'input.unknown'],
    ] as const) {
      const found = await weighed.run(sealed, keys, options).then(
        () => 'no error',
        (error: { code: string }) => error.code,
      );
      expect([options, found]).toEqual([options, code]);
    }
    expect(await errorOf(holder.encrypt({ w: [1, 2, 3] }))).toMatchObject({ code: 'input.unknown' });
    const weighedResults = await weighed.run(sealed, keys, clear);
    expect(await holder.decrypt(weighedResults, { public: clear.public })).toEqual({
      product: [3, 4, 3],
      share: 0.5,
    });
    for (const [given, code] of [
      [{}, 'input.missing'],
      [{ public: { all: 0 } }, 'range.value'],
      [{ public: { w: [1, 2, 3] } }, 'input.unknown'],
    ] as const)
      expect((await errorOf(holder.decrypt(weighedResults, given))).code).toBe(code);
  });

  it('cannot be had of reals that are too large or of no known range, nor of days that there are not', async () => {
    const real = { kind: 'real', shape: [2], min: -1, max: 1 } as const;
    const count = { shape: [2], min: 0, max: 5 } as const;
    const day = { kind: 'date', min: '2000-01-01', max: '2039-12-31' } as const;
    for (const [output, message] of [
      [
        (task) => task.encrypted('x', real).divide(1e-300),
        /a constant: found \d\.?\d*e\d+, expected .* a real of at most 700 bits/,
      ],
      [
        (task) => task.encrypted('x', { ...real, max: 1e300 }).add(1),
        'input `x` may need 997 bits, at most 700 are possible: narrower ranges need fewer',
      ],
      [
        (task) => task.encrypted('x', real).multiply(task.plain('a', count).divide(task.plain('b', count))),
        /a plain value that meets encrypted ones: found a range that is not known, such as a quotient's whose divisor may be 0/,
      ],
      [
        (task) => task.encrypted('d', day).add(99_999_999),
        /dates: found days 100010956 to 100025565, counted from 1970-01-01/,
      ],
      [
        (task) => task.encrypted('d', day).sub(task.encrypted('n', { min: 0, max: 2 ** 40 })),
        /dates: found days -10995/,
      ],
    ] as [(task: Task) => Value, string | RegExp][]) {
      const task = createTask();
      task.output('out', output(task));
      expect((await errorOf(loom.compile(task))).message).toMatch(message);
    }
    // As far as there are days.
    const task = createTask();
    const ends = task.encrypted('d', { kind: 'date', shape: [2], min: '1970-01-01', max: '1970-01-02' });
    task.output('out', ends.add(99_999_999));
    const program = await loom.compile(task);
    const client = await program.client();
    const inputs = await client.encrypt({ d: ['1970-01-01', '1970-01-02'] });
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual({
      out: [new Date(8.64e15 - 86_400_000), new Date(8.64e15)],
    });
    client.dispose();
    program.dispose();
  });

  it('cannot be had of tasks that are too deep or too large', async () => {
    const deep = createTask();
    let product = deep.encrypted('a', { shape: [4], min: 0, max: 1_000_000 });
    for (let i = 0; i < 12; i++) product = product.multiply(product);
    deep.output('out', product);
    expect(await errorOf(loom.compile(deep))).toMatchObject({ name: 'OutOfRangeError' });
    const many = createTask();
    many.output('out', many.encrypted('x', { min: 0, max: 1000 }).power(7));
    expect(await errorOf(loom.compile(many))).toMatchObject({
      code: 'range.overflow',
      message: 'output `out` may need 71 bits, at most 62 are possible: narrower ranges need fewer',
    });
    // What the client takes the root of is no output of anybody's.
    const behind = createTask();
    const power = behind.encrypted('x', { min: 0, max: 1000 }).power(7);
    for (const name of ['root', 'half', 'third']) behind.output(name, power.sqrt());
    expect((await errorOf(loom.compile(behind))).message).toContain(
      'what output `half` and 2 more are made of may need 71 bits',
    );
    for (const [options, code] of [
      [{ n: 1000 }, 'parameters.invalid'],
      [{ precision: 99 }, 'parameters.invalid'],
      [{ security: 'none' }, 'parameters.invalid'],
      [{ moduli: [] }, 'input.option'],
    ] as const)
      expect([code, (await errorOf(loom.compile(task, options as never))).code]).toEqual([code, code]);
  });

  it('has no more bytes of keys than it may', async () => {
    const echoes = createTask();
    const x = echoes.encrypted('x', { shape: [256], min: -9, max: 9 });
    const steps = [1, 2, 3, 5, 8, 13, 21, 34, 55];
    const turned = steps.map((step) => x.rotate(step).multiply(x));
    echoes.output(
      'out',
      turned.reduce((sum, one) => sum.add(one)),
    );
    using whole = await loom.compile(echoes);
    const bytes = ({ info }: Program) => info.keys.reduce((sum, key) => sum + key.bytes, 0);
    using lean = await loom.compile(echoes, { keyBytes: bytes(whole) / 2 });
    expect(bytes(lean)).toBeLessThanOrEqual(bytes(whole) / 2);
    using reopened = await loom.program(lean.toBytes());
    expect(reopened.info.keys).toEqual(lean.info.keys);
    const cell = (i: number) => (((i % 256) * 7) % 19) - 9;
    const cells = { x: Array.from({ length: 256 }, (_, i) => cell(i)) };
    using holder = await lean.client();
    const found = await holder.decrypt(
      await reopened.run(await holder.encrypt(cells), holder.evaluationKeys),
    );
    const echo = (i: number) => steps.reduce((sum, step) => sum + cell(i) * cell(i + step), 0);
    expect(found.out).toEqual(cells.x.map((_, i) => echo(i)));
    expect((await lean.explain()).reasons.find(({ about }) => about === 'keys')?.text).toContain(
      'made of several',
    );
    const refused = await errorOf(loom.compile(echoes, { keyBytes: 1000 }));
    expect(refused).toMatchObject({ code: 'parameters.none' });
    expect(refused.message).toMatch(/found \d+ bytes of evaluation keys, at most 1000/);
  });

  it('that needs more memory than it may take does not run', async () => {
    const { memoryBytes } = await program.stats();
    using tight = await loom.compile(task, { ...KEYED, memoryLimit: memoryBytes - 1 });
    using holder = await tight.restoreClient(await client.save());
    const refused = { name: 'MemoryError', code: 'memory.limit' };
    expect(await errorOf(tight.run(inputs, holder.evaluationKeys))).toMatchObject(refused);
    using enough = await loom.compile(task, { ...KEYED, memoryLimit: memoryBytes });
    expect(Object.keys(await enough.run(inputs, holder.evaluationKeys))).toEqual(Object.keys(results));
  });
});

describe.each(BUILDS)('a program of the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('tells how it is run', () => {
    expect(loom.mode).toMatchObject({ variant: mode, threads: threadsOf(mode) });
    expect(loom.mode.memoryBytes).toBeGreaterThanOrEqual(2 ** 30);
    expect(loom.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('computes with the scheme that is asked for', async () => {
    const task = createTask();
    const votes = task.encrypted('votes', { shape: [500], min: 0, max: 9 });
    task.output('votes', votes.sum());
    task.output('squares', votes.multiply(votes).sum());
    const cells = Array.from({ length: 500 }, (_, i) => (i * 7) % 10);
    for (const scheme of ['BFV', 'BGV', 'CKKS'] as const) {
      using program = await loom.compile(task, { scheme });
      expect(program.info.scheme).toBe(scheme);
      expect(String(await program.explain())).toMatch(new RegExp(`scheme +${scheme}: `));
      using opened = await loom.program(program.toBytes());
      using client = await opened.client();
      const results = await opened.run(await client.encrypt({ votes: cells }), client.evaluationKeys);
      expect(await client.decrypt(results)).toMatchObject({ votes: 2250, squares: 14250 });
      // What shares parameters has its scheme.
      using beside = await loom.compile(task, { parameters: program.info });
      expect(beside.info.scheme).toBe(scheme);
    }
    const real = createTask();
    real.output('sum', real.encrypted('x', { kind: 'real', shape: [4], min: 0, max: 1 }).sum());
    const refused = await errorOf(loom.compile(real, { scheme: 'BFV' }));
    const message = expect.stringContaining('something real is encrypted') as string;
    expect(refused).toMatchObject({ code: 'parameters.invalid', message });
  });

  it('goes through bytes: program, client and results work in another loom', async () => {
    using program = await loom.compile(statistics());
    using client = await program.client();
    const expected = await client.plain(COLUMNS);
    const inputs = await client.encrypt(COLUMNS);
    const results = await program.run(inputs, client.evaluationKeys);
    using other = await load({ mode, threads: threadsOf(mode) });
    using opened = await other.program(program.toBytes());
    expect(opened.info).toEqual(program.info);
    expect(await opened.stats()).toEqual(await program.stats());
    using restored = await opened.restoreClient(await client.save(), { evaluationKeys: [] });
    expect(await restored.decryptExact(results)).toEqual(expected);
    const exported = await client.exportKey('a passphrase');
    const passphrase = 'a passphrase';
    using imported = await opened.restoreClient(exported, { evaluationKeys: [], passphrase });
    expect(await imported.decryptExact(results)).toEqual(expected);
    expect(await errorOf(opened.restoreClient(exported))).toMatchObject({ code: 'key.sealed' });
    expect(await errorOf(opened.restoreClient(exported, { passphrase: 'b' }))).toMatchObject({
      code: 'key.passphrase',
    });
    const again = await opened.run(await restored.encrypt(COLUMNS), client.evaluationKeys);
    expect(await client.decryptExact(again)).toEqual(expected);
    // Evaluation keys can be made anew of a saved client.
    using renewed = await opened.restoreClient(await client.save());
    expect(await client.decryptExact(await opened.run(inputs, renewed.evaluationKeys))).toEqual(expected);
  });
});

describe('dispose', () => {
  it('may be repeated, ends what is under way, and everything after it is DisposedError', async () => {
    const loom = await load({ mode: 'single' });
    const task = loom.task();
    task.output(
      'sum',
      task
        .encrypted('x', { shape: [ROWS], min: 0, max: 120 })
        .square()
        .sum(),
    );
    const program = await task.compile();
    const client = await program.client();
    const inputs = await client.encrypt({ x: COLUMNS.age });

    const encrypting = client.encrypt({ x: COLUMNS.age });
    client.dispose();
    client.dispose();
    await expect(encrypting).rejects.toMatchObject({ name: 'DisposedError' });
    expect(await errorOf(client.save())).toMatchObject({ code: 'disposed' });
    expect(await errorOf(client.plain({ x: COLUMNS.age }))).toMatchObject({ code: 'disposed' });

    const second = await program.client();
    const held = await program.hold(inputs, client.evaluationKeys);
    const running = program.run(inputs, client.evaluationKeys);
    program.dispose();
    program.dispose();
    await expect(running).rejects.toMatchObject({ name: 'DisposedError' });
    for (const call of [
      () => program.toText('server'),
      () => program.stats(),
      () => program.client(),
      () => held.run(),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'disposed' });
    // Whoever holds keys has them still.
    expect(await second.encrypt({ x: COLUMNS.age })).toHaveProperty('x');

    const last = await task.compile();
    const compiling = task.compile();
    loom.dispose();
    loom.dispose();
    await expect(compiling).rejects.toMatchObject({ name: 'DisposedError' });
    for (const call of [
      () => task.compile(),
      () => loom.restart(),
      () => second.encrypt({ x: COLUMNS.age }),
      async () => last.toBytes(),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'disposed' });
  });
});
