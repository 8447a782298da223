// A plain matrix times an encrypted vector by hand on node-seal. A matrix that is fixed is encoded and in NTT form before anything is timed.
//
// `diagonals` (Halevi and Shoup, ia.cr/2014/106): one ciphertext, which holds the vector several times over. Each copy is turned by the
// client so that it meets diagonals of its own: turns are few, by baby and giant steps, and copies are summed in the end.
// `spread`: several ciphertexts, in each some of the coordinates, each repeated for all rows: no turns but those that sum columns. More for
// the client, less for the server.
import { combine, plainPrimes } from '../lib/primes.mjs';
import { level, makeScheme } from '../lib/seal.mjs';

/** `low`: primes that are left once products are summed. Where two plain moduli share the work, all is done for each. */
const PARAMETERS = [
  { scheme: 'bgv', n: 4096, bits: [36, 36, 37], plainBits: [25], low: 2 },
  { scheme: 'bgv', n: 4096, bits: [54, 55], plainBits: [17, 17], low: 1 },
  { scheme: 'bfv', n: 4096, bits: [54, 55], plainBits: [17, 17], low: 1 },
  { scheme: 'bgv', n: 8192, bits: [43, 43, 44], plainBits: [25], low: 1 },
  { scheme: 'bfv', n: 8192, bits: [43, 43, 44], plainBits: [25], low: 1 },
];
const FORMS = [
  { diagonals: 16, n: 4096 },
  { spread: 16, n: 4096 },
  { spread: 32, n: 4096 },
  { diagonals: 32, n: 8192 },
  { spread: 8, n: 8192 },
  { spread: 16, n: 8192 },
];

export const MATRIX_CANDIDATES = [
  // What books have: one copy, all diagonals.
  candidate(PARAMETERS[0], { diagonals: 1, n: 4096 }),
  ...PARAMETERS.flatMap((parameters) =>
    FORMS.filter(({ n }) => n === parameters.n).map((form) => candidate(parameters, form)),
  ),
];

function candidate(parameters, { n, ...form }) {
  const { scheme, low } = parameters;
  const [[name, count]] = Object.entries(form);
  const layout =
    name === 'spread'
      ? `vector spread over ${count} ciphertexts`
      : `diagonals, ${count === 1 ? '1 copy' : `${count} copies`}`;
  return { what: `${scheme.toUpperCase()}, ${layout}, dropped to ${low}`, ...parameters, ...form };
}

/**
 * The job under one candidate: { matrix, vector }, square, of a power of two. `given`: the matrix comes with each run, which encodes it,
 * from slots that are filled already.
 */
export function openSealMatrix({ matrix, vector }, candidate, { given = false } = {}) {
  const { scheme, n, bits, plainBits, low, diagonals, spread } = candidate;
  const primes = plainPrimes(n, plainBits);
  const layout = diagonals ? diagonalLayout(n, matrix, vector, diagonals) : spreadLayout(n, matrix, vector, spread);
  const parts = primes.map((t) => matrixPart(scheme, n, bits, t, low, layout));
  const total = (which) => parts.reduce((sum, part) => sum + part[which], 0);
  return {
    n,
    keyTime: total('keyTime'),
    ...(!given && { encodeTime: total('encodeTime') }),
    encrypt: () => {
      const inputs = layout.inputs();
      for (const part of parts) part.encrypt(inputs);
    },
    evaluate: () => {
      for (const part of parts) {
        if (given) part.encode();
        part.evaluate();
      }
    },
    decrypt: () => {
      const residues = parts.map((part) => part.decrypt());
      return Array.from(vector, (_, row) =>
        Number(
          combine(
            residues.map((slots) => slots[layout.at(row)]),
            primes,
            true,
          ),
        ),
      );
    },
    budget: () => Math.min(...parts.map((part) => part.budget())),
    free: () => {
      for (const part of parts) part.free();
    },
  };
}

/**
 * Slot i * width + k of a slot row has, in copy k of the vector, the coordinate i + k * offsets: turned by e it meets diagonal e + k * offsets.
 * The second row has further copies. Of e = giant * babies + baby, turns by babies come before the product and those by giants after it.
 */
function diagonalLayout(n, matrix, vector, copies) {
  const size = vector.length;
  const [width, offsets] = [n / 2 / size, size / copies];
  const babies = 2 ** Math.ceil(Math.log2(offsets) / 2);
  const giants = offsets / babies;
  const slots = (value) =>
    BigInt64Array.from({ length: n }, (_, slot) => {
      const at = slot % (n / 2);
      const copy = (Math.floor(slot / (n / 2)) * width + (at % width)) % copies;
      return BigInt(value(Math.floor(at / width), copy * offsets));
    });
  const plains = Array.from({ length: giants }, (_, giant) =>
    Array.from({ length: babies }, (_, baby) =>
      slots((i, first) => {
        const row = (i + size - giant * babies) % size;
        return matrix[row][(row + giant * babies + baby + first) % size];
      }),
    ),
  );
  const sums = [];
  for (let step = 1; step < Math.min(width, copies); step *= 2) sums.push(step);
  if (copies > width) sums.push(0);
  return {
    inputs: () => [slots((i, first) => vector[(i + first) % size])],
    plains,
    turns: Array.from({ length: babies }, (_, baby) => baby * width),
    giants: Array.from({ length: giants }, (_, giant) => giant * babies * width),
    sums,
    at: (row) => row * width,
  };
}

/** Slot c * rows + r of a ciphertext has coordinate c of those that it holds; what is left of the slots repeats them. */
function spreadLayout(n, matrix, vector, parts) {
  const size = vector.length;
  const columns = size / parts;
  const slots = (value) =>
    BigInt64Array.from({ length: n }, (_, slot) => BigInt(value(slot % size, Math.floor(slot / size) % columns)));
  const each = (value) =>
    Array.from({ length: parts }, (_, part) => slots((row, at) => value(row, part * columns + at)));
  const sums = [];
  for (let step = size; step < Math.min(n / 2, size * columns); step *= 2) sums.push(step);
  if (size * columns === n) sums.push(0);
  return {
    inputs: () => each((_, column) => vector[column]),
    plains: [each((row, column) => matrix[row][column])],
    turns: [0],
    giants: [0],
    sums,
    at: (row) => row,
  };
}

/** Modulo one plain modulus. */
function matrixPart(scheme, n, bits, t, low, { inputs, plains, turns, giants, sums }) {
  const steps = [...new Set([...turns.slice(1), ...giants.slice(1), ...sums])];
  const peer = makeScheme(scheme, n, { bits, t, steps });
  const { encoder, encryptor, evaluator, decryptor, galoisKeys, keyTime } = peer;
  const top = level(peer, bits.length - 1);
  const encoded = plains.map((row) => row.map(() => peer.plain()));
  const encode = () => {
    for (const [giant, row] of plains.entries()) {
      for (const [baby, slots] of row.entries()) {
        const plain = encoded[giant][baby];
        // One in NTT form takes no slots.
        plain.release();
        encoder.encode(slots, plain);
        evaluator.plainTransformToNttInplace(plain, top);
      }
    }
  };
  const start = performance.now();
  encode();
  const encodeTime = performance.now() - start;
  const target = level(peer, low);
  // Under BFV ciphertexts go to NTT form for products and back; under BGV they stay there.
  const transformed = scheme === 'bfv';
  const make = (count) => Array.from({ length: count }, () => peer.ciphertext());
  const xs = make(inputs().length);
  const babies = xs.length > 1 ? xs : [xs[0], ...make(turns.length - 1)];
  const inNtt = transformed ? make(babies.length) : babies;
  const [product, sum, output, rotated] = make(4);
  const plain = peer.plain();
  return {
    keyTime,
    encodeTime,
    encode,
    encrypt: (slots) => {
      for (const [index, ciphertext] of xs.entries()) {
        encoder.encode(slots[index], plain);
        encryptor.encryptSymmetric(plain, ciphertext);
      }
    },
    evaluate: () => {
      for (const [baby, turn] of turns.entries()) {
        if (turn > 0) evaluator.rotateRows(xs[0], turn, galoisKeys, babies[baby]);
      }
      if (transformed) {
        for (const [baby, ciphertext] of babies.entries()) evaluator.cipherTransformToNtt(ciphertext, inNtt[baby]);
      }
      for (const [giant, turn] of giants.entries()) {
        const into = giant === 0 ? output : sum;
        for (const [baby, ciphertext] of inNtt.entries()) {
          evaluator.multiplyPlain(ciphertext, encoded[giant][baby], baby === 0 ? into : product);
          if (baby > 0) evaluator.addInplace(into, product);
        }
        if (transformed) evaluator.cipherTransformFromNttInplace(into);
        evaluator.cipherModSwitchToInplace(into, target);
        if (giant === 0) continue;
        evaluator.rotateRows(sum, turn, galoisKeys, rotated);
        evaluator.addInplace(output, rotated);
      }
      for (const step of sums) {
        if (step === 0) evaluator.rotateColumns(output, galoisKeys, rotated);
        else evaluator.rotateRows(output, step, galoisKeys, rotated);
        evaluator.addInplace(output, rotated);
      }
    },
    decrypt: () => {
      decryptor.decrypt(output, plain);
      return encoder.decodeBigUint64(plain);
    },
    budget: () => decryptor.invariantNoiseBudget(output),
    free: () => {
      for (const one of [...encoded.flat(), ...xs, ...babies.slice(xs.length), galoisKeys]) one.delete();
    },
  };
}
