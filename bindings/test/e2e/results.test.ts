// What goes in and out of a program by name: its order, its sizes, whose it is, and what errors tell of it.
import {
  type Ciphertexts,
  createTask,
  type Decrypted,
  load,
  type Loom,
  type Value,
  type Client,
  type Program,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from './error-of.js';

const COLUMNS = { second: [5, 6, 7], first: [1, 2, 3], third: [9, 9, 9] };
const DECLARED = ['first', 'second', 'third'];
const EXPECTED = { count: 3, z: 6, product: [5, 12, 21], mean: 9, a: 18 };

let loom: Loom;
let program: Program;
let client: Client;
let inputs: Ciphertexts;
let results: Ciphertexts;

/** A public output, some that share ciphertexts, one that the client finishes, and one that has its own ciphertext. */
function task() {
  const made = createTask();
  const [first, second, third] = DECLARED.map((name) => {
    return made.encrypted(name, { shape: [3], min: 0, max: 9 });
  }) as [Value, Value, Value];
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

/** With its order. */
function expectExpected(found: Record<string, Decrypted>): void {
  expect(Object.entries(found)).toEqual(Object.entries(EXPECTED));
}

beforeAll(async () => {
  loom = await load({ mode: 'single' });
  program = await loom.compile(task(), { passes: { openResults: false } });
  client = await program.client();
  inputs = await client.encrypt(COLUMNS);
  results = await program.run(inputs, client.evaluationKeys);
});
afterAll(() => loom?.dispose());

describe('what is given by name', () => {
  it('comes back in the order in which the task declared it, however it was given', async () => {
    expect(Object.keys(inputs)).toEqual(DECLARED);
    expectExpected(await client.decrypt(reversed(results)));
    expect(Object.keys(await client.decryptDetails(reversed(results)))).toEqual(Object.keys(EXPECTED));
    expect(Object.keys(await client.plain(COLUMNS))).toEqual(Object.keys(EXPECTED));
    expectExpected(await client.decrypt(await program.run(reversed(inputs), client.evaluationKeys)));
  });

  it('is one object where results share a ciphertext, and none is sent twice', async () => {
    expect(results['z']).toBe(results['a']);
    expect(results['z']).not.toBe(results['product']);
    expect(results).not.toHaveProperty('count');
    // Any name of it will do.
    const each = new Map(Object.entries(results).map(([name, bytes]) => [bytes, name]));
    expect(each.size).toBe(2);
    expectExpected(await client.decrypt(Object.fromEntries([...each].map(([bytes, name]) => [name, bytes]))));
  });

  it('is told by what is in the bytes: a result under another name is not taken for another', async () => {
    const { z, product } = results as { z: Uint8Array; product: Uint8Array };
    expectExpected(await client.decrypt({ z: product, product: z }));
    expect(await errorOf(client.decrypt({ z: product, product }))).toMatchObject({
      name: 'InputError',
      code: 'input.missing',
    });
    for (const one of [{ z }, { product }, {}])
      expect(await errorOf(client.decrypt(one as Ciphertexts))).toMatchObject({ code: 'input.missing' });
  });
});

describe('sizes', () => {
  it('that are wrong are refused, and the workers live', async () => {
    const long = new Uint8Array(2 ** 24);
    const given = { ...inputs, first: long };
    const format = { name: 'FormatError' };
    expect(await errorOf(client.decrypt({ ...results, product: long }))).toMatchObject(format);
    expect(await errorOf(program.run(given, client.evaluationKeys))).toMatchObject(format);
    expect(await errorOf(client.decrypt(results, { inputs: given }))).toMatchObject({ code: 'key.foreign' });
    // More than a worker's memory could take; the system makes no page of it that nobody touches.
    const huge = new Uint8Array(2.2 * 2 ** 30);
    const refused = { name: 'FormatError', code: 'format.size', details: { found: huge.length } };
    expect(await errorOf(program.run(inputs, [huge]))).toMatchObject(refused);
    expect(await errorOf(program.restoreClient(huge))).toMatchObject(refused);
    expect(process.memoryUsage().rss).toBeLessThan(2 ** 31);
    const { product } = results as { product: Uint8Array };
    for (const bytes of [new Uint8Array(), new Uint8Array(1), product.slice(0, -1), new Uint8Array(9999)])
      expect((await errorOf(client.decrypt({ ...results, product: bytes }))).name).toBe('FormatError');
    expectExpected(await client.decrypt(results));
    expectExpected(await client.decrypt(await program.run(inputs, client.evaluationKeys)));
  });
});

describe('a result', () => {
  it('of other inputs is refused where the caller names the inputs', async () => {
    const later = await client.encrypt(COLUMNS);
    const resultsLater = await program.run(later, client.evaluationKeys);
    expectExpected(await client.decrypt(results, { inputs }));
    expectExpected(await client.decrypt(resultsLater, { inputs: reversed(later) }));
    const foreign = { name: 'KeyError', code: 'key.foreign', details: { of: 'run' } };
    const { first, second, ...rest } = later as Record<string, Uint8Array>;
    const mixed = { ...later, first: inputs['first'] as Uint8Array };
    const swapped = { ...rest, first: second as Uint8Array, second: first as Uint8Array };
    for (const named of [inputs, mixed, swapped]) {
      expect(await errorOf(client.decrypt(resultsLater, { inputs: named }))).toMatchObject(foreign);
      expect(await errorOf(client.decryptExact(resultsLater, { inputs: named }))).toMatchObject(foreign);
      expect(await errorOf(client.decryptDetails(resultsLater, { inputs: named }))).toMatchObject(foreign);
    }
    expect(await errorOf(client.decrypt(results, { inputs: rest }))).toMatchObject({ code: 'input.missing' });
    expect(await errorOf(client.decrypt(results, { inputs: {} }))).toMatchObject({ code: 'input.missing' });
  });

  it('of one run beside one of another is refused where the caller names the inputs', async () => {
    const later = await program.run(await client.encrypt(COLUMNS), client.evaluationKeys);
    const mixed = { ...results, product: later['product'] as Uint8Array };
    expect(await errorOf(client.decrypt(mixed, { inputs }))).toMatchObject({ code: 'key.foreign' });
  });
});

describe('errors of values', () => {
  it('tell the value only where that was asked for', async () => {
    const wrong = { first: [1, 2, 777] };
    const error = await errorOf(client.encrypt(wrong));
    expect(error).toMatchObject({ code: 'range.value', details: { input: 'first', cell: 2 } });
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain('777');
    expect((await errorOf(client.encrypt(wrong, { showValues: true }))).message).toContain('777');
    expect(await errorOf(client.encrypt(wrong, { showValues: 1 } as never))).toMatchObject({
      code: 'input.type',
    });
    const plain = await errorOf(client.plain({ ...COLUMNS, ...wrong }));
    expect(`${plain.message} ${JSON.stringify(plain.details)}`).not.toContain('777');
  });
});

describe('the plain result', () => {
  it('is had of all inputs, and only of them', async () => {
    expect(await client.plain(COLUMNS)).toEqual(await client.decryptExact(results));
    const { first, ...rest } = COLUMNS;
    expect(await errorOf(client.plain(rest))).toMatchObject({ name: 'InputError', code: 'input.missing' });
    expect(await errorOf(client.plain({ ...COLUMNS, fourth: first }))).toMatchObject({
      code: 'input.unknown',
    });
    expect(await errorOf(client.plain(COLUMNS, { plain: { w: 1 } }))).toMatchObject({
      code: 'input.unknown',
    });
  });
});
