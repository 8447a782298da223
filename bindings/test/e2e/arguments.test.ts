// Wrong arguments of every public method that waits for a worker: a typed error, and the workers live on.
import { type Client, type Ciphertexts, createTask, load, type Loom, type Program } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from './error-of.js';

/** Never right, wherever they are given. */
const WRONG = [null, 5, 'x', [], () => {}, new Map(), Promise.resolve({})] as never[];
const COLUMNS = { constructor: [1, 2, 3] };

let loom: Loom;
let program: Program;
let client: Client;
let inputs: Ciphertexts;
let outputs: Ciphertexts;

/** Also the names that every object has by birth. */
function task() {
  const made = createTask();
  const column = made.encrypted('constructor', { rows: 3, min: 0, max: 9 });
  made.output('toString', column.sum());
  made.output('valueOf', column);
  return made;
}

beforeAll(async () => {
  loom = await load({ mode: 'single' });
  program = await loom.compile(task());
  client = await program.client();
  inputs = await client.encrypt(COLUMNS);
  outputs = await program.run(inputs, client.evaluationKeys);
});
afterAll(() => loom?.dispose());

/** The call gives that code for everything that is wrong. */
async function refuses(call: (wrong: never) => Promise<unknown>, wrong: readonly unknown[] = WRONG) {
  for (const one of wrong) expect(await errorOf(call(one as never))).toMatchObject({ code: 'input.type' });
}

describe('wrong arguments', () => {
  it.each<[string, (wrong: never) => Promise<unknown>]>([
    ['load', (wrong) => load(wrong)],
    ['loom.compile', (wrong) => loom.compile(wrong)],
    ['loom.program', (wrong) => loom.program(wrong)],
    ['program.restoreClient', (wrong) => program.restoreClient(wrong)],
    ['program.toText', (wrong) => program.toText(wrong)],
    ['program.graph', (wrong) => program.graph(wrong)],
    ['program.run', (wrong) => program.run(wrong, client.evaluationKeys)],
    ['client.encrypt', (wrong) => client.encrypt(wrong)],
    ['client.decrypt', (wrong) => client.decrypt(wrong)],
    ['client.decryptDetails', (wrong) => client.decryptDetails(wrong)],
  ])('of %s are refused', async (name, call) => {
    await refuses(call);
    if (name !== 'load') await refuses(call, [undefined]);
  });

  it('that are keys, bytes or tasks of the wrong kind are refused', async () => {
    await refuses((keys) => program.run(inputs, keys), [null, undefined, 5, 'x', {}, Promise.resolve([])]);
    await refuses((key) => program.run(inputs, [key]));
    await refuses((bytes) => program.run({ constructor: bytes }, client.evaluationKeys));
    await refuses((bytes) => client.decrypt({ toString: bytes }));
    await refuses((empty) => loom.compile(empty), [{}]);
    expect(await errorOf(program.run({}, client.evaluationKeys))).toMatchObject({ code: 'input.missing' });
  });
});

describe('wrong options', () => {
  const calls: [string, (options: never) => Promise<unknown>][] = [
    ['compile', (options) => loom.compile(task(), options)],
    ['program', (options) => loom.program(program.toBytes(), options)],
    ['client', (options) => program.client(options)],
    ['restoreClient', async (options) => program.restoreClient(await client.save(), options)],
    ['toText', (options) => program.toText('base', options)],
    ['graph', (options) => program.graph('base', options)],
    ['run', (options) => program.run(inputs, client.evaluationKeys, options)],
    ['encrypt', (options) => client.encrypt(COLUMNS, options)],
    ['decrypt', (options) => client.decrypt(outputs, options)],
    ['decryptDetails', (options) => client.decryptDetails(outputs, options)],
    ['save', (options) => client.save(options)],
    ['exportKey', (options) => client.exportKey('a passphrase', options)],
  ];

  it.each(calls)('of %s are refused', async (_, call) => {
    await refuses(call);
    await refuses(call, [{ signal: 5 }, { signal: {} }, { onProgress: 5 }, { onProgress: null }]);
    expect(await errorOf(call({ onprogress: () => {} } as never))).toMatchObject({ code: 'input.option' });
  });

  it('of one method only are refused', async () => {
    const compile = (options: object) => loom.compile(task(), options);
    await refuses(compile, [
      ...[{ n: '8192' }, { n: Number.NaN }, { n: -1 }, { n: 0.5 }, { security: 5 }, { moduli: '97' }],
      ...[{ plainModuli: [97] }, { threads: '2' }, { memoryLimit: '1' }, { memoryLimit: Number.NaN }],
    ]);
    expect(await errorOf(compile({ polyModulus: 8192 }))).toMatchObject({ code: 'input.option' });
    await refuses((onTrace) => program.run(inputs, client.evaluationKeys, { onTrace }), [5, null, {}]);
    const saved = await client.save();
    await refuses((evaluationKeys) => program.restoreClient(saved, { evaluationKeys }), [5, null, ['x']]);
    await refuses((passphrase) => program.restoreClient(saved, { passphrase }), [5, null, '', ['x']]);
    await refuses((passphrase) => client.exportKey(passphrase), [5, null, undefined, '', ['x']]);
    await refuses(load, [
      ...[{ threads: '2' }, { threads: null }, { mode: 5 }, { wasm: 5 }, { wasm: { single: null } }],
      ...[{ worker: 5 }, { worker: () => undefined, mode: 'single' }, { signal: 5 }],
    ]);
    expect(await errorOf(load({ thread: 2 } as never))).toMatchObject({ code: 'input.option' });
    expect(await errorOf(load({ wasm: { simple: '' } } as never))).toMatchObject({ code: 'input.option' });
  });
});

it('more slots than the ring dimension that was asked for has are refused with the limit', async () => {
  const wide = createTask();
  wide.output('out', wide.encrypted('a', { rows: 5000, min: 0, max: 9, layout: 'slots' }));
  expect(await errorOf(loom.compile(wide, { n: 4096 }))).toMatchObject({
    code: 'parameters.rows',
    message: expect.stringMatching(/"a".*n = 4096.*5000/),
  });
});

it('names that objects have by birth keep their results, and the workers live', async () => {
  const found = await client.decrypt(outputs);
  expect(Object.keys(found).sort()).toEqual(['toString', 'valueOf']);
  expect(String(found['toString' as string])).toBe('6');
  expect(found['valueOf' as string]).toHaveLength(3);
});
