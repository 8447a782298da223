// Plain data: our circuits through the public package against onnxruntime-web's WebAssembly with one thread, and AES against
// WebCrypto. Both sides get arrays and give arrays, as a user calls them.
import { f32, load, u8 } from 'cipherloom';
import * as ort from 'onnxruntime-web';
import { compare, figures } from './lib/measure.mjs';
import { generator } from './lib/random.mjs';
import { onnxModel } from './plain/onnx.mjs';

/** Side of the matrices; elements of the vectors; operators of one kind in a row, so that calls and copies weigh less. */
const SIDE = 512;
const ELEMENTS = 1 << 20;
const CHAIN = 32;
/** Bytes that are encrypted. */
const MESSAGE = 1 << 20;
/** Largest relative difference of two results: both sides round every step, in orders and by approximations of their own. */
const TOLERANCE = 1e-4;

/** What one step of a chain is: our operators and theirs; `b` is a second vector, the same in all steps. */
const STEPS = {
  add: [['f32.add', 'Add', ['b']]],
  mul: [['f32.mul', 'Mul', ['b']]],
  max: [['f32.max', 'Max', ['b']]],
  tanh: [['f32.tanh', 'Tanh', []]],
  // Stays between 0 and 1.
  exp_neg: [
    ['f32.neg', 'Neg', []],
    ['f32.exp', 'Exp', []],
  ],
};

export async function* plainRows({ effort, quick, names }) {
  const wanted = (name) => names === undefined || names.includes(name);
  const loom = await load({ threads: 1 });
  ort.env.wasm.numThreads = 1;
  const [side, elements] = quick ? [64, 1 << 12] : [SIDE, ELEMENTS];
  const cases = { f32_matmul: () => product(side), f32_sum: () => sum(elements) };
  for (const name of Object.keys(STEPS)) cases[`f32_${name}`] = () => chain(name, elements);
  try {
    for (const [name, make] of Object.entries(cases)) {
      if (wanted(name)) yield await besideOnnx(loom, name, make(), effort);
    }
    for (const [name, make] of Object.entries(CIPHERS)) {
      if (wanted(name)) yield await besideWebCrypto(loom, name, make, quick ? 1 << 12 : MESSAGE, effort);
    }
  } finally {
    loom.dispose();
  }
}

function vector(length, seed) {
  const random = generator(seed);
  return Float32Array.from({ length }, () => random() * 2 - 1);
}

/** A matrix product. */
function product(side) {
  const shape = [side, side];
  return {
    data: { a: vector(side * side, 1), b: vector(side * side, 2) },
    count: 1,
    what: `${side} x ${side} x ${side}`,
    ours: (g) => g.op('f32.matmul', [g.input('a', f32(...shape)), g.input('b', f32(...shape))]),
    model: {
      inputs: { a: shape, b: shape },
      outputs: { y: shape },
      nodes: [{ op: 'MatMul', inputs: ['a', 'b'], outputs: ['y'] }],
    },
  };
}

function sum(elements) {
  return {
    data: { a: vector(elements, 1).map(Math.abs) },
    count: 1,
    what: `${elements} elements`,
    ours: (g) => g.op('f32.sum', [g.input('a', f32(elements))], { axis: 0 }),
    model: {
      inputs: { a: [elements] },
      outputs: { y: [] },
      nodes: [{ op: 'ReduceSum', inputs: ['a'], outputs: ['y'], attributes: { keepdims: 0 } }],
    },
  };
}

/** Several steps of one kind in a row. */
function chain(name, elements) {
  const steps = Array.from({ length: CHAIN }, () => STEPS[name]).flat();
  const second = steps.some(([, , more]) => more.length > 0);
  const value = (step) => (step === 0 ? 'a' : step === steps.length ? 'y' : `x${step}`);
  return {
    data: { a: vector(elements, 1), ...(second && { b: vector(elements, 2) }) },
    count: CHAIN,
    what: `${elements} elements, one of ${CHAIN} in a row`,
    ours: (g) => {
      const [a, b] = [g.input('a', f32(elements)), second ? g.input('b', f32(elements)) : undefined];
      return steps.reduce((x, [op, , more]) => g.op(op, more.length ? [x, b] : [x]), a);
    },
    model: {
      inputs: { a: [elements], ...(second && { b: [elements] }) },
      outputs: { y: [elements] },
      nodes: steps.map(([, op, more], step) => ({ op, inputs: [value(step), ...more], outputs: [value(step + 1)] })),
    },
  };
}

async function besideOnnx(loom, name, { data, count, what, ours, model }, effort) {
  const g = loom.graph({ unit: 32 });
  g.output('y', ours(g));
  using base = await g.expand({ platform: 'simd' });
  const session = await ort.InferenceSession.create(onnxModel(model), { executionProviders: ['wasm'] });
  const feeds = Object.fromEntries(
    Object.entries(data).map(([name, values]) => [name, new ort.Tensor('float32', values, model.inputs[name])]),
  );
  const sides = [() => base.run(data), () => session.run(feeds)];
  const [{ y: found }, { y: expected }] = [await sides[0](), await sides[1]()];
  checkSame(name, found, expected.data);
  const measured = await compare(sides, effort);
  await session.release();
  return row(name, figures(measured, count), { against: `onnxruntime-web, ${what}`, variant: loom.mode.variant });
}

function checkSame(name, found, expected) {
  const wrong = found.findIndex((value, index) => {
    const difference = Math.abs(value - expected[index]);
    return !(difference <= TOLERANCE * Math.max(1, Math.abs(expected[index])));
  });
  if (wrong !== -1 || found.length !== expected.length) {
    throw new Error(`${name}: element ${wrong} is ${found[wrong]}, onnxruntime-web's ${expected[wrong]}`);
  }
}

/** Modes of AES: our graph over (key, iv, message), and WebCrypto's parameters. */
const CIPHERS = {
  aes128_ctr: {
    keyBytes: 16,
    ivBytes: 16,
    ours: (g, keys, iv, message) => g.op('aes.ctr', [message, keys, iv]),
    theirs: (iv) => ({ name: 'AES-CTR', counter: iv, length: 64 }),
  },
  aes256_gcm: {
    keyBytes: 32,
    ivBytes: 12,
    ours: (g, keys, iv, message) => g.op('aes.gcm_seal', [keys, iv, message]),
    theirs: (iv) => ({ name: 'AES-GCM', iv }),
  },
};

async function besideWebCrypto(loom, name, { keyBytes, ivBytes, ours, theirs }, length, effort) {
  const random = generator(3);
  const bytes = (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256));
  const data = { key: bytes(keyBytes), iv: bytes(ivBytes), message: bytes(length) };
  // Counters of 64 bits must not run over.
  data.iv[8] = 0;
  const g = loom.graph({ unit: 8 });
  const inputs = ['key', 'iv', 'message'].map((input) => g.input(input, u8(data[input].length)));
  g.output('y', ours(g, g.op('aes.key_schedule', [inputs[0]]), inputs[1], inputs[2]));
  using expanded = await g.expand({ platform: 'simd' });
  using base = await expanded.optimize();
  const parameters = theirs(data.iv);
  const key = await crypto.subtle.importKey('raw', data.key, parameters.name, false, ['encrypt']);
  const sides = [() => base.run(data), () => crypto.subtle.encrypt(parameters, key, data.message)];
  const [{ y: found }, expected] = [await sides[0](), new Uint8Array(await sides[1]())];
  if (Buffer.compare(found, expected) !== 0) throw new Error(`${name}: not what WebCrypto gives`);
  const { ours: own, peer, ...rest } = figures(await compare(sides, effort));
  const rate = (milliseconds) => length / 1000 / milliseconds;
  // Throughput: what is larger is better.
  return row(
    name,
    { ...rest, ours: rate(own), peer: rate(peer), unit: 'MB/s' },
    { against: `WebCrypto, ${length} bytes` },
  );
}

function row(name, figures, more) {
  return { group: 'plain', name, scheme: null, n: null, threads: 1, ...figures, ...more };
}
