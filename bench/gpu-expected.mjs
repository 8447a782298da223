// What GPUs are expected to take, where none is at hand: the operators of products with relinearization as a GPU would be given them, their bytes and products modulo primes, counted; and what
// two cards would need for these at the peak of memory and of integer arithmetic that their makers state, and at a third of it. Nothing here was measured on a card.
//   node bench/gpu-expected.mjs
import { load, type } from 'cipherloom';
import { plainPrimes } from './lib/primes.mjs';

/** Products at a time, with one key. */
const COUNT = 64;
/** SEAL's default sizes of primes at 128 bits, the special one last. */
const SETS = [
  { n: 8192, bits: [43, 43, 44, 44, 44] },
  { n: 16384, bits: [48, 48, 48, 49, 49, 49, 49, 49, 49] },
];
/** GB/s of memory; 10^12 integer instructions a second of 32 bits (multiprocessors x 64 x clock), as NVIDIA's papers on the Ampere (2020) and Ada (2022) architectures give them. */
const CARDS = [
  { card: 'A100 (40 GB)', memory: 1555, integer: 9.75 },
  { card: 'RTX 4090', memory: 1008, integer: 20.6 },
];
const SHARE = 1 / 3;
/** Microseconds of a dispatch that waits for the one before it. */
const DISPATCH = 5;
/** Instructions of 32 bits of a product by a known factor in WGSL, which has no product of 64 bits (`engine/src/platform/gpu/words.rs`), and of a butterfly around it. */
const [PRODUCT, BUTTERFLY] = [100, 115];
const WORD = 8;

/** Products modulo a prime in an operator, and what each takes: transforms have n/2 log2 n butterflies, everything else one product for each residue read at most. */
function instructions(name, n, inputs) {
  if (/^limb\.i?ntt$/.test(name)) return (n / 2) * Math.log2(n) * BUTTERFLY;
  if (/^(copy|limb\.(add|sub|neg|automorphism|permute))$/.test(name)) return n * 16;
  return n * inputs * PRODUCT;
}

/** Keys and two ciphertexts; with `product`, their product, relinearized. */
async function circuitOf(loom, { n, bits }, product) {
  const [t, ...primes] = plainPrimes(n, [20, ...bits]);
  const [q, special] = [primes.slice(0, -1), primes.slice(-1)];
  const aux = plainPrimes(
    n,
    [...q, 0].map(() => 50),
  ).filter((prime) => !primes.includes(prime));
  const g = loom.graph({ unit: 64 });
  const [hidden, open] = [g.input('hidden', type('secret_seed')), g.input('open', type('public_seed'))];
  const secret = g.op('rlwe.secret_key', [hidden], { n, q: primes });
  const key = g.op('rlwe.switching_key', [secret, open, hidden], { q, special, digit: 1, from: 'square' });
  const plain = g.input('plain', type('plain', { n, scheme: 'bfv', t }));
  const both = [0, 1].map(() => g.op('bfv.encrypt_secret', [secret, plain, open, hidden], { q }));
  for (const [at, one] of [...both, key].entries()) g.output(`given${at}`, one);
  if (product) g.output('product', g.op('rlwe.relinearize', [g.op('bfv.multiply', both, { aux }), key]));
  const circuit = await g.build();
  return (await circuit.expand({ platform: ['gpu', 'scalar'] })).optimize();
}

/** Operators, bytes, instructions and dispatches of a circuit, by type; of what samples secrets and seeds there is none on a GPU. */
async function counted(circuit, n) {
  const { types, type, inputsStart, inputs, placeholders, wave } = await circuit.graph();
  const found = new Map();
  for (const [op, at] of type.entries()) {
    const name = types[at];
    const own = found.get(name) ?? { operators: 0, bytes: 0, instructions: 0, waves: new Set() };
    const [from, to] = [inputsStart[op], inputsStart[op + 1]];
    let words = placeholders[2 * op + 1] - placeholders[2 * op];
    for (let i = from; i < to; i++) {
      const source = inputs[i];
      words += source < 0 ? n : placeholders[2 * source + 1] - placeholders[2 * source];
    }
    own.operators++;
    own.bytes += WORD * words;
    own.instructions += instructions(name, n, to - from);
    own.waves.add(wave[op]);
    found.set(name, own);
  }
  return found;
}

const loom = await load();
for (const set of SETS) {
  const [whole, given] = await Promise.all(
    [true, false].map(async (product) => counted(await circuitOf(loom, set, product), set.n)),
  );
  const total = { operators: 0, bytes: 0, instructions: 0, dispatches: 0 };
  const rows = [];
  for (const [name, { operators, bytes, instructions, waves }] of whole) {
    const less = given.get(name);
    const own = {
      operators: operators - (less?.operators ?? 0),
      bytes: bytes - (less?.bytes ?? 0),
      instructions: instructions - (less?.instructions ?? 0),
      dispatches: waves.size - (less?.waves.size ?? 0),
    };
    if (own.operators === 0) continue;
    rows.push({ name, ...own });
    for (const what of Object.keys(total)) total[what] += Math.max(0, own[what]);
  }
  console.log(`\nN = ${set.n}, one product with relinearization:`);
  console.table(
    Object.fromEntries(
      rows.map(({ name, operators, bytes, instructions }) => [
        name,
        { operators, MB: round(bytes / 1e6), 'million instructions': round(instructions / 1e6) },
      ]),
    ),
  );
  console.log(
    `${total.operators} operators, ${round(total.bytes / 1e6)} MB read and written, ${round(total.instructions / 1e6)} million instructions, about ${total.dispatches} dispatches for any number of them`,
  );
  for (const { card, memory, integer } of CARDS) {
    const moved = (COUNT * total.bytes) / (memory * 1e6);
    const computed = (COUNT * total.instructions) / (integer * 1e9);
    const fixed = (total.dispatches * DISPATCH) / 1e3;
    const at = (share) => round(Math.max(moved, computed) / share + fixed);
    console.log(
      `expected, ${COUNT} of them on ${card}: ${at(1)} ms at the peak, ${at(SHARE)} ms at a third (memory ${round(moved)}, integers ${round(computed)}, dispatches ${round(fixed)})`,
    );
  }
}
loom.dispose();

function round(x) {
  return Number(x.toPrecision(3));
}
