// What goes in and out of a program by name: its order, its sizes, whose it is, and what errors tell of it.
import {
  type Ciphertexts,
  type Client,
  createTask,
  type DecryptedValue,
  load,
  type Loom,
  type Program,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from './builds.js';
import { errorOf } from './error-of.js';

const COLUMNS = { second: [5, 6, 7], first: [1, 2, 3], third: [9, 9, 9] };
const DECLARED = ['first', 'second', 'third'];
const EXPECTED = { count: 3, z: '6', product: '5,12,21', mean: 9, a: '18' };

let loom: Loom;
let program: Program;
let client: Client;
let inputs: Ciphertexts;
let outputs: Ciphertexts;

/** A public output, some that share ciphertexts, and one that has its own. */
function task() {
  const made = createTask();
  const [first, second, third] = DECLARED.map((name) => {
    return made.encrypted(name, { rows: 3, min: 0, max: 9 });
  }) as [
    ReturnType<typeof made.encrypted>,
    ReturnType<typeof made.encrypted>,
    ReturnType<typeof made.encrypted>,
  ];
  made.output('count', first.count());
  made.output('z', first.sum());
  made.output('product', first.multiply(second));
  made.output('mean', third.mean());
  made.output('a', second.sum());
  return made;
}

/** The same entries the other way round. */
function reversed<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).reverse());
}

function texts(values: Record<string, DecryptedValue>): [string, unknown][] {
  return Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : String(value),
  ]);
}

beforeAll(async () => {
  loom = await load({ mode: 'single' });
  program = await loom.compile(task());
  client = await program.client();
  inputs = await client.encrypt(COLUMNS);
  outputs = await program.run(inputs, client.evaluationKeys);
});
afterAll(() => loom?.dispose());

describe('what is given by name', () => {
  it('comes back in the order in which the task declared it', async () => {
    expect(Object.keys(inputs)).toEqual(DECLARED);
    expect(Object.keys(outputs)).toEqual(Object.keys(EXPECTED));
    expect(texts(await client.decrypt(reversed(outputs)))).toEqual(Object.entries(EXPECTED));
    expect(Object.keys(await client.decryptDetails(reversed(outputs)))).toEqual(Object.keys(EXPECTED));
    const { a, count } = outputs as { a: Uint8Array; count: Uint8Array };
    expect(texts(await client.decrypt({ a, count }))).toEqual([
      ['count', 3],
      ['a', '18'],
    ]);
    const again = await program.run(reversed(inputs), client.evaluationKeys);
    expect(texts(await client.decrypt(again))).toEqual(Object.entries(EXPECTED));
  });

  it('is refused where the bytes are those of another name, and both are told', async () => {
    const { first, second } = inputs as { first: Uint8Array; second: Uint8Array };
    const swapped = { ...inputs, first: second, second: first };
    const error = {
      name: 'InputError',
      code: 'input.name',
      message: 'Input "first": the bytes are those of input "second"',
      details: { input: 'first', found: 'second', expected: 'first' },
    };
    expect(await errorOf(program.run(swapped, client.evaluationKeys))).toMatchObject(error);
    expect(await errorOf(client.decrypt(outputs, { inputs: swapped }))).toMatchObject(error);
  });
});

describe('sizes', () => {
  it('are those that the program tells', () => {
    const { info } = program;
    expect(info.inputs.map(({ bytes }) => bytes)).toEqual(Object.values(inputs).map(({ length }) => length));
    expect(info.outputs.map(({ bytes }) => bytes)).toEqual(
      Object.values(outputs).map(({ length }) => length),
    );
    expect(info.keys.map(({ bytes }) => bytes)).toEqual(client.evaluationKeys.map(({ length }) => length));
  });

  it('that are wrong are refused before anything is copied, and the workers live', async () => {
    // More than a worker's memory could take; the system makes no page of it that nobody touches.
    const huge = new Uint8Array(2.2 * 2 ** 30);
    const refused = { name: 'FormatError', code: 'format.size', details: { found: huge.length } };
    for (const name of Object.keys(outputs)) {
      expect(await errorOf(client.decrypt({ [name]: huge }))).toMatchObject(refused);
    }
    expect(await errorOf(program.run({ ...inputs, first: huge }, client.evaluationKeys))).toMatchObject(
      refused,
    );
    expect(await errorOf(program.run(inputs, [huge]))).toMatchObject(refused);
    expect(await errorOf(client.decrypt(outputs, { inputs: { ...inputs, first: huge } }))).toMatchObject(
      refused,
    );
    expect(await errorOf(program.restoreClient(huge))).toMatchObject(refused);
    expect(process.memoryUsage().rss).toBeLessThan(2 ** 31);
    for (const length of [0, 1, (outputs['mean'] as Uint8Array).length - 1]) {
      expect(await errorOf(client.decrypt({ mean: new Uint8Array(length) }))).toMatchObject({
        code: 'format.size',
        details: { found: length, expected: `${outputs['mean']?.length}` },
      });
    }
    expect(texts(await client.decrypt(outputs))).toEqual(Object.entries(EXPECTED));
  });
});

describe('a result', () => {
  it('of other inputs is refused where the caller names the inputs', async () => {
    const later = await client.encrypt(COLUMNS);
    const outputsLater = await program.run(later, client.evaluationKeys);
    expect(texts(await client.decrypt(outputs, { inputs }))).toEqual(Object.entries(EXPECTED));
    expect(texts(await client.decrypt(outputsLater, { inputs: reversed(later) }))).toEqual(
      Object.entries(EXPECTED),
    );
    const foreign = { name: 'KeyError', code: 'key.foreign', details: { of: 'run' } };
    expect(await errorOf(client.decrypt(outputs, { inputs: later }))).toMatchObject(foreign);
    const { first, ...rest } = later;
    const mixed = { ...rest, first: inputs['first'] as Uint8Array };
    expect(await errorOf(client.decryptDetails(outputs, { inputs: mixed }))).toMatchObject(foreign);
    expect(await errorOf(client.decrypt(outputs, { inputs: rest }))).toMatchObject({ code: 'input.missing' });
    expect(first).toBeDefined();
  });
});

describe('errors of values', () => {
  it('tell the value only where that was asked for', async () => {
    const wrong = { first: [1, 2, 777] };
    const error = await errorOf(client.encrypt(wrong));
    expect(error).toMatchObject({ code: 'range.value', details: { column: 'first', row: 2 } });
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain('777');
    expect((await errorOf(client.encrypt(wrong, { showValues: true }))).message).toContain('777');
    expect(await errorOf(client.encrypt(wrong, { showValues: 1 } as never))).toMatchObject({
      code: 'input.type',
    });
  });
});

describe('the estimate of time', () => {
  it('is for threads that there can be', async () => {
    for (const threads of [0, -1, 0.5, 257, Number.NaN]) {
      expect(await errorOf(loom.compile(task(), { threads }))).toMatchObject({
        name: 'ParameterError',
        code: 'parameters.threads',
      });
    }
  });

  it('knows what the build can do', async () => {
    const seconds: Record<string, number> = {};
    for (const mode of BUILDS) {
      using other = await load({ mode, threads: 1 });
      using compiled = await other.compile(task());
      seconds[mode] = compiled.info.cost.seconds;
      using opened = await other.program(compiled.toBytes());
      expect(opened.info.cost.seconds).toBe(seconds[mode]);
    }
    expect(seconds['threads']).toBe(seconds['single']);
    if (seconds['relaxed'] !== undefined)
      expect(seconds['relaxed']).toBeLessThan(seconds['single'] as number);
  });
});
