// Single operators of BFV, BGV and CKKS: ours against node-seal on one thread, and two threads against one; rotations of one
// ciphertext, which share its decomposition, against rotations of as many.
import { openEngine } from './lib/engine.mjs';
import { compare, figures } from './lib/measure.mjs';
import { prepareSeal } from './lib/seal-operators.mjs';
import { makeBfv, makeScheme } from './lib/seal.mjs';

export const OPERATORS = [
  'encode',
  'decode',
  'encrypt',
  'encrypt_symmetric',
  'decrypt',
  'add',
  'add_plain',
  'multiply',
  'relinearize',
  'multiply_relinearize',
  'multiply_plain',
  'rotate',
  'mod_switch',
  'keygen_relinearization',
  'keygen_galois',
];
export const DIMENSIONS = [4096, 8192, 16384];
/** Prime sizes within the limits of ia.cr/2024/463, where SEAL's defaults are a few bits above. */
const WITHIN_GUIDELINES = {
  4096: [35, 35, 36],
  8192: [42, 43, 43, 43, 43],
  16384: [47, 47, 48, 48, 48, 48, 48, 48, 48],
};
/** Operators of BGV and CKKS. */
const OF_OTHERS = [
  'encode',
  'decode',
  'encrypt',
  'decrypt',
  'add',
  'multiply',
  'multiply_relinearize_switch',
  'multiply_plain',
  'rotate',
];
/** Primes that both sides compute with fast; a scale of 2^40 leaves the first one 9 bits. */
const CHAINS = {
  8192: [49, 40, 40, 40, 49],
  16384: [49, 40, 40, 40, 40, 40, 40, 40, 40, 49],
};
const SCALE = 2 ** 40;
/** Rotations of one ciphertext. */
const ROTATIONS = 8;
/** Noise budget that ours may lack, in bits. */
const BUDGET_SLACK = 3;
const CHEAP = ['encode', 'decode', 'add', 'add_plain', 'mod_switch'];
const ON_TWO_THREADS = [
  'encrypt',
  'decrypt',
  'multiply',
  'relinearize',
  'multiply_relinearize',
  'multiply_plain',
  'rotate',
];

/** Smaller rings have too little work for two threads to show. */
const LEAST_FOR_TWO = 8192;

/** Operators of one program: some milliseconds of work, and never fewer than 4. */
function operatorsPerRun(name, n) {
  return Math.max(4, ((CHEAP.includes(name) ? 32 : 8) * 4096) / n);
}

const ALL = [...new Set([...OPERATORS, ...OF_OTHERS, 'hoisted'])];

/** Rows of single operators. `unfair` marks a row whose noise budgets are too far apart. */
export async function* operatorRows({ effort, dimensions = DIMENSIONS, names = ALL, threads = [1, 2] }) {
  const operators = OPERATORS.filter((name) => names.includes(name));
  const others = OF_OTHERS.filter((name) => names.includes(name));
  if (operators.length + others.length === 0 && !names.includes('hoisted')) return;
  const one = await openEngine(1);
  const wanted = { one: threads.includes(1), two: threads.includes(2) };
  for (const n of wanted.one ? dimensions : []) {
    for (const bits of [undefined, WITHIN_GUIDELINES[n]]) {
      const peer = makeBfv(n, { bits });
      const ours = oursLike(one, peer);
      for (const name of operators) yield await againstSeal(ours, peer, name, effort);
      ours.free();
    }
  }
  for (const n of wanted.one ? dimensions.filter((n) => n in CHAINS) : []) {
    for (const scheme of ['bgv', 'ckks']) {
      const peer = makeScheme(scheme, n, { bits: CHAINS[n], scale: SCALE });
      const ours = oursLike(one, peer);
      for (const name of others) yield await againstSeal(ours, peer, name, effort);
      if (names.includes('hoisted')) yield await hoistedAgainstSingle(ours, peer, effort);
      ours.free();
    }
  }
  if (!wanted.two) return;
  const two = await openEngine(2);
  for (const n of dimensions.filter((n) => n >= LEAST_FOR_TWO)) {
    const peer = makeBfv(n, {});
    const [single, both] = [oursLike(one, peer), oursLike(two, peer)];
    for (const name of operators.filter((name) => ON_TWO_THREADS.includes(name))) {
      yield await againstOneThread(both, single, n, name, effort);
    }
    single.free();
    both.free();
  }
  two.stop();
}

/** Our scheme with the very primes of the peer. */
function oursLike(engine, { scheme, n, t, scale, data, special }) {
  return new engine.Scheme(scheme, n, Number(t ?? scale), BigUint64Array.from(data), BigUint64Array.from(special));
}

async function againstSeal(scheme, peer, name, effort) {
  const { n, totalBits } = peer;
  const k = operatorsPerRun(name, n);
  const ours = scheme.prepare(name, k);
  const theirs = prepareSeal(peer, name, k);
  try {
    const [budgetOurs, budgetPeer] = [ours.check(), theirs.check()];
    const measured = await compare([runner(ours, name, k), theirs.run], effort);
    const [start] = await compare([() => ours.start()], { ...effort, warmUp: 0, time: effort.time / 20 });
    return {
      ...operatorRow(name, peer.scheme, n, 1, measured, k),
      totalBits,
      budgetOurs: finite(budgetOurs),
      budgetPeer: finite(budgetPeer),
      // What of our time is the allocation of a run's storage: it is in `ours`.
      storage: start.median / k,
      baseOperators: ours.operators() / k,
      ...(budgetOurs < budgetPeer - BUDGET_SLACK && { unfair: true }),
    };
  } finally {
    ours.free();
    theirs.free();
  }
}

/** Encoding begins and decoding ends with numbers in JavaScript, here as with node-seal. */
function runner(ours, name, k) {
  if (name === 'decode') return () => ours.runAndRead();
  if (name !== 'encode') return () => ours.run();
  const values = Array.from({ length: k }, (_, index) => ours.slots(index));
  return () => {
    for (const [index, slots] of values.entries()) ours.fill(index, slots);
    ours.run();
  };
}

async function againstOneThread(both, single, n, name, effort) {
  const k = operatorsPerRun(name, n);
  const [ours, theirs] = [both.prepare(name, k), single.prepare(name, k)];
  try {
    ours.check();
    const measured = await compare([() => ours.run(), () => theirs.run()], effort);
    return { ...operatorRow(name, 'bfv', n, 2, measured, k), against: 'ours, 1 thread' };
  } finally {
    ours.free();
    theirs.free();
  }
}

/** Eight rotations of one ciphertext, which share its decomposition, against eight rotations of as many ciphertexts. */
async function hoistedAgainstSingle(scheme, { n, scheme: name }, effort) {
  const [ours, theirs] = ['hoisted', 'rotate'].map((kind) => scheme.prepare(kind, ROTATIONS));
  try {
    ours.check();
    theirs.check();
    const measured = await compare([() => ours.run(), () => theirs.run()], effort);
    return { ...operatorRow('hoisted', name, n, 1, measured, ROTATIONS), against: 'ours, each alone' };
  } finally {
    ours.free();
    theirs.free();
  }
}

function operatorRow(name, scheme, n, threads, measured, k) {
  return { group: 'operator', name, scheme, n, threads, ...figures(measured, k), operatorsPerRun: k };
}

function finite(bits) {
  return Number.isFinite(bits) ? Math.round(bits * 10) / 10 : null;
}
