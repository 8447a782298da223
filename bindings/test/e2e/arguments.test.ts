// Wrong arguments of every public method that waits for a worker: a typed error, and the workers live on.
import { type Ciphertexts, createTask, f32, load, type Loom, type Client, type Program } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from './error-of.js';

/** Never right, wherever they are given. */
const WRONG = [null, 5, 'x', [], () => {}, new Map(), Promise.resolve({})] as never[];
const VALUES = { constructor: [1, 2, 3] };
/** What the server computes with, and what both sides know. */
const CLEAR = { plain: { hasOwnProperty: 2 }, public: { isPrototypeOf: 1 } };

let loom: Loom;
let program: Program;
let client: Client;
let inputs: Ciphertexts;
let results: Ciphertexts;

/** Also the names that every object has by birth. */
function task() {
  const made = createTask();
  const cells = made.encrypted('constructor', { shape: [3], min: 0, max: 9 });
  const factor = made.plain('hasOwnProperty', { min: 0, max: 9 });
  made.output('toString', cells.sum().multiply(factor));
  made.output('valueOf', cells);
  made.output('then', cells.sum().divide(made.public('isPrototypeOf', { min: 1, max: 9 })));
  return made;
}

beforeAll(async () => {
  loom = await load({ mode: 'single' });
  program = await loom.compile(task());
  client = await program.client();
  inputs = await client.encrypt(VALUES);
  results = await program.run(inputs, client.evaluationKeys, CLEAR);
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
    ['program.run', (wrong) => program.run(wrong, client.evaluationKeys, CLEAR)],
    ['program.hold', (wrong) => program.hold(wrong, client.evaluationKeys, CLEAR)],
    ['client.encrypt', (wrong) => client.encrypt(wrong)],
    ['client.plain', (wrong) => client.plain(wrong)],
    ['client.decrypt', (wrong) => client.decrypt(wrong)],
    ['client.decryptExact', (wrong) => client.decryptExact(wrong)],
    ['client.decryptDetails', (wrong) => client.decryptDetails(wrong)],
  ])('of %s are refused', async (name, call) => {
    await refuses(call);
    if (name !== 'load') await refuses(call, [undefined]);
  });

  it('that are keys, bytes or tasks of the wrong kind are refused', async () => {
    const notKeys = [null, undefined, 5, 'x', {}, Promise.resolve([])];
    await refuses((keys) => program.run(inputs, keys, CLEAR), notKeys);
    await refuses((keys) => program.hold(inputs, keys, CLEAR), notKeys);
    await refuses((key) => program.run(inputs, [key], CLEAR));
    await refuses((bytes) => program.run({ constructor: bytes }, client.evaluationKeys, CLEAR));
    await refuses((bytes) => client.decrypt({ ...results, toString: bytes }));
    await refuses((bytes) => client.decrypt(results, { inputs: { constructor: bytes } }));
    await refuses((empty) => loom.compile(empty), [{}]);
    expect(await errorOf(program.run({}, client.evaluationKeys, CLEAR))).toMatchObject({
      code: 'input.missing',
    });
  });
});

it('bytes whose memory has moved elsewhere are refused by their name', async () => {
  const moved = (bytes: Uint8Array): Uint8Array => {
    const copy = bytes.slice();
    structuredClone(copy, { transfer: [copy.buffer] });
    return copy;
  };
  const g = loom.graph();
  const x = g.input('x', f32(2));
  g.output('y', g.op('f32.mul', [x, x]));
  const circuit = await g.build();
  const sent = { constructor: moved(inputs['constructor'] as Uint8Array) };
  const keys = client.evaluationKeys;
  const several = [...keys.slice(0, -1), moved(keys.at(-1) as Uint8Array)];
  const pair = new Float32Array(2);
  structuredClone(pair, { transfer: [pair.buffer] });
  const [file, saved] = [moved(program.toBytes()), moved(await client.save())];
  const calls: [where: string, call: () => Promise<unknown>][] = [
    ['Input "constructor"', () => program.run(sent, keys, CLEAR)],
    ['Input "constructor"', () => program.hold(sent, keys, CLEAR)],
    [`Evaluation key ${keys.length - 1}`, () => program.run(inputs, several, CLEAR)],
    ['Result "toString"', () => client.decrypt({ ...results, toString: file })],
    ['Input "constructor"', () => client.decrypt(results, { inputs: sent })],
    ['program, bytes', () => loom.program(file)],
    ['restoreClient, saved', () => program.restoreClient(saved)],
    ['owner, publicKey', () => program.owner(saved)],
    ['circuit, saved', () => loom.circuit(file)],
    ['shared, bytes', () => loom.shared(file)],
    ['Input "x"', () => circuit.run({ x: pair })],
    ['protect, option seed', () => circuit.protect({ seed: moved(new Uint8Array(32)) })],
  ];
  for (const [where, call] of calls)
    expect(await errorOf(call()), where).toMatchObject({
      code: 'input.type',
      details: { where, found: 'detached bytes' },
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
    ['explain', (options) => program.explain(options)],
    ['stats', (options) => program.stats(options)],
    ['verify', (options) => program.verify(options)],
    ['encrypt', (options) => client.encrypt(VALUES, options)],
    ['decrypt', (options) => client.decrypt(results, options)],
    ['decryptExact', (options) => client.decryptExact(results, options)],
    ['decryptDetails', (options) => client.decryptDetails(results, options)],
    ['save', (options) => client.save(options)],
    ['exportKey', (options) => client.exportKey('a passphrase', options)],
  ];

  it.each(calls)('of %s are refused', async (_, call) => {
    await refuses(call);
    await refuses(call, [{ signal: 5 }, { signal: {} }, { onProgress: 5 }, { onProgress: null }]);
    expect(await errorOf(call({ onprogress: () => {} } as never))).toMatchObject({ code: 'input.option' });
  });

  it('of calls that tell no progress are refused', async () => {
    for (const call of [
      (options: never) => program.hold(inputs, client.evaluationKeys, options),
      (options: never) => client.plain(VALUES, options),
    ]) {
      await refuses(call);
      await refuses(call, [{ signal: 5 }, { signal: {} }, { plain: 5 }, { public: [] }]);
      for (const options of [{ onProgress: () => {} }, { public: { unknown: 1 } }, { plain: { unknown: 1 } }])
        expect((await errorOf(call(options as never))).code).toMatch(/^input\.(option|unknown)$/);
    }
  });

  it('of one method only are refused', async () => {
    const compile = (options: object) => loom.compile(task(), options);
    await refuses(compile, [
      ...[{ n: '8192' }, { n: Number.NaN }, { n: -1 }, { n: 0.5 }, { security: 5 }, { precision: '20' }],
      ...[{ parameters: 5 }, { parameters: {} }, { parameters: { ...program.info, plainModuli: [97] } }],
      ...[
        { passes: 5 },
        { passes: { hoist: 1 } },
        { memoryLimit: '1' },
        { memoryLimit: Number.NaN },
        { keyBytes: -1 },
      ],
    ]);
    expect(await errorOf(compile({ polyModulus: 8192 }))).toMatchObject({ code: 'input.option' });
    const run = (options: object) => program.run(inputs, client.evaluationKeys, { ...CLEAR, ...options });
    for (const call of [
      run,
      (options: object) => program.client(options),
      (options: object) => client.encrypt(VALUES, options),
      (options: object) => client.decrypt(results, options),
    ])
      await refuses((onTrace) => call({ onTrace }), [5, null, {}]);
    await refuses(run, [{ plain: 5 }, { public: [] }, { plain: new Map() }]);
    await refuses((wrong) => client.decrypt(results, { public: wrong }), [5, null, []]);
    await refuses((wrong) => client.decrypt(results, { inputs: wrong }), [5, null, []]);
    const saved = await client.save();
    await refuses((evaluationKeys) => program.restoreClient(saved, { evaluationKeys }), [5, null, ['x']]);
    await refuses((passphrase) => program.restoreClient(saved, { passphrase }), [5, null, '', ['x']]);
    await refuses((passphrase) => client.exportKey(passphrase), [5, null, undefined, '', ['x'], '\ud800x']);
    await refuses(load, [
      ...[{ threads: '2' }, { threads: null }, { mode: 5 }, { wasm: 5 }, { wasm: { single: null } }],
      ...[{ worker: 5 }, { worker: () => undefined, mode: 'single' }, { signal: 5 }],
    ]);
    expect(await errorOf(load({ thread: 2 } as never))).toMatchObject({ code: 'input.option' });
    expect(await errorOf(load({ wasm: { simple: '' } } as never))).toMatchObject({ code: 'input.option' });
  });
});

it('names that objects have by birth keep their results, and the workers live', async () => {
  const found = await client.decrypt(results, { public: CLEAR.public });
  expect(Object.entries(found)).toEqual([
    ['toString', 12],
    ['valueOf', [1, 2, 3]],
    ['then', 6],
  ]);
});
