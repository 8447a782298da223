// Categories that have names. Runs once per build of the wasm.
import { createTask, load, type Loom } from 'cipherloom';
import { columnOptions, parseTable } from 'cipherloom/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS, threadsOf } from './builds.js';
import { compute } from './compute.js';
import { errorOf } from './error-of.js';

const REGIONS = ['north', 'south', 'east "of" }, €', 'west'];

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('are given, compared, moved and told by their names', async () => {
    const task = createTask();
    const region = task.encrypted('region', { kind: 'category', categories: REGIONS, shape: [4] });
    const income = task.encrypted('income', { shape: [4], min: 0, max: 90_000 });
    const other = task.encrypted('other', {
      kind: 'category',
      categories: REGIONS,
      shape: [2],
      missing: true,
    });
    const base = task.plain('base', { kind: 'category', categories: REGIONS });
    task.output('asked', income.greaterThan(30_000).and(region.equals('north')).count());
    task.output('each', region.equals(['north', 'west', 'west', 'south']));
    task.output('moved', region.rotate(1).slice(0, 2).concat(['west']));
    task.output('chosen', region.equals('north').select('south', region));
    task.output('other', other);
    task.output('counts', region.counts());
    task.output('based', region.equals(base).count());
    task.output('price', region.lookup([1, 2, 3, 4]));
    const given = ['north', 'west', 'north', 'east "of" }, €'];
    const encrypted = { region: given, income: [30_000, 50_000, 30_001, 90_000], other: [null, 'south'] };
    expect(await compute(loom, task, { encrypted, plain: { base: 'north' } })).toEqual({
      asked: 1,
      each: [true, true, false, false],
      moved: ['west', 'north', 'west'],
      chosen: ['south', 'west', 'south', 'east "of" }, €'],
      other: [null, 'south'],
      counts: [2, 0, 1, 1],
      based: 2,
      price: [1, 4, 1, 3],
    });
  });

  it('are in a program that is read, and others do not go together with them', async () => {
    const task = createTask();
    const options = { kind: 'category', shape: [2], categories: ['a', 'b'] } as const;
    task.output('x', task.encrypted('x', options));
    const made = await loom.compile(task);
    using client = await made.client();
    const read = await loom.program(await made.toBytes());
    expect(read.info.inputs[0]).toMatchObject({ categories: 2, names: ['a', 'b'] });
    const inputs = await client.encrypt({ x: ['b', 'a'] });
    expect(await client.decrypt(await read.run(inputs, client.evaluationKeys))).toEqual({ x: ['b', 'a'] });
    // The same numbers would be other things.
    const turned = createTask();
    turned.output('x', turned.encrypted('x', { ...options, categories: ['b', 'a'] }));
    const other = await loom.compile(turned, { parameters: made.info });
    expect((await errorOf(other.run(inputs, client.evaluationKeys))).message).toMatch(
      /value for `x`: found .*names=\$\["a","b"\].*, expected .*names=\$\["b","a"\]/,
    );
    expect((await errorOf(client.encrypt({ x: ['b', 'c'] }))).message).toBe(
      'Input "x", cell [1] (counted from 0): expected one of "a", "b", found a string',
    );
    expect((await errorOf(client.encrypt({ x: [0, 1] }))).message).toContain(
      'expected one of "a", "b", found',
    );
  });

  it('come from a table, as do days', async () => {
    const table = parseTable(
      'region,admitted,age\nnorth,2024-02-29,70\n west ,2023-12-31,\nNA,2024-03-01,41\n',
    );
    const [region, admitted] = [table.text('region'), table.text('admitted')];
    expect(region).toMatchObject({ values: ['north', 'west', null], names: ['north', 'west'], missing: 1 });
    const task = createTask();
    const options = columnOptions(region, ['east', 'north', 'west']);
    expect(options).toEqual({
      kind: 'category',
      shape: [3],
      categories: ['east', 'north', 'west'],
      missing: true,
    });
    const regions = task.encrypted('region', options);
    const days = task.encrypted('admitted', {
      kind: 'date',
      shape: [3],
      min: '2020-01-01',
      max: '2029-12-31',
    });
    task.output('counts', regions.counts());
    task.output('late', days.greaterThan('2024-01-01').count());
    const encrypted = { region: region.values, admitted: admitted.values };
    expect(await compute(loom, task, { encrypted })).toEqual({ counts: [0, 1, 1], late: 2 });
    expect(() => columnOptions(region, undefined as never)).toThrow('names of categories, which are public');
    expect(() => table.text('age')).toThrow('Column "age" is one of numbers');
    expect(() => table.text('sex')).toThrow('no column "sex"; of text are: region, admitted');
  });

  it('are told where they are wrong', async () => {
    const task = createTask();
    const x = task.encrypted('x', { kind: 'category', shape: [2], categories: ['a', 'b'] });
    const y = task.encrypted('y', { kind: 'category', shape: [2], categories: ['a', 'c'] });
    const z = task.encrypted('z', { kind: 'category', shape: [2], categories: 2 });
    const message = async (what: () => unknown): Promise<string> =>
      (await errorOf(Promise.resolve().then(what))).message;
    expect(await message(() => x.equals('c'))).toBe('equals: expected one of "a", "b", found "c"');
    expect(await message(() => x.equals(y))).toContain(
      'expected the categories of encrypted category [2], 2 categories: "a", "b"',
    );
    expect(await message(() => x.equals(z))).toContain('expected the categories of');
    expect(await message(() => x.concat([y]))).toContain('2 categories: "a", "c"');
    expect(await message(() => x.equals(1))).toContain('expected');
    for (const categories of [[], ['a', 'a'], ['', 'a'], ['a', 1], 0, 'ab'])
      expect(
        await message(() => task.encrypted('w', { kind: 'category', categories: categories as string[] })),
      ).toContain('Input "w": categories must be');
  });
});
