// The statistics job by hand on node-seal: what is decrypted is five sums, of x, y, x^2, y^2 and x y, and nothing else.
//
// Sums wrap around the plain modulus, so it must hold them; where one prime is too large for a small ring, several
// smaller ones share the work (CRT), each with its own context. Inputs are encrypted with the secret key, which is
// faster than the public one. Products are relinearized once, after they are summed, and switched down to the fewest
// primes that hold the noise before slots are summed by rotations. Under BGV a product costs a fraction of BFV's.
import { combine, plainPrimes } from '../lib/primes.mjs';
import { level, makeScheme } from '../lib/seal.mjs';

/**
 * Parameters to choose from: ring dimension, prime sizes, bits of each plain modulus (all together above those of the
 * largest sum), the primes that are left when slots are summed, and whether short columns share ciphertexts.
 */
export function statisticsCandidates(rows) {
  return ['bgv', 'bfv'].flatMap((scheme) => candidatesOf(rows).map((candidate) => ({ scheme, ...candidate })));
}

function candidatesOf(rows) {
  if (rows <= 1024) {
    return [
      { n: 4096, bits: [36, 36, 37], plainBits: [21, 21], low: 1, packed: true },
      { n: 4096, bits: [36, 36, 37], plainBits: [21, 21], low: 2, packed: true },
      { n: 8192, bits: [60, 60, 60], plainBits: [41], low: 1, packed: true },
      { n: 8192, bits: [60, 60, 60], plainBits: [41], low: 2, packed: true },
      { n: 8192, bits: [43, 43, 44, 44, 44], plainBits: [41], low: 2, packed: true },
      { n: 4096, bits: [36, 36, 37], plainBits: [21, 21], low: 2, packed: false },
      { n: 8192, bits: [60, 60, 60], plainBits: [41], low: 1, packed: false },
      { n: 8192, bits: [60, 60, 60], plainBits: [41], low: 2, packed: false },
      { n: 8192, bits: [43, 43, 44, 44, 44], plainBits: [41], low: 2, packed: false },
    ];
  }
  return [
    { n: 8192, bits: [54, 54, 54, 55], plainBits: [48], low: 2, packed: false },
    { n: 8192, bits: [60, 60, 60], plainBits: [25, 25], low: 1, packed: false },
    { n: 4096, bits: [36, 36, 37], plainBits: [17, 17, 17], low: 2, packed: false },
  ];
}

/** The job under one candidate. */
export function openSealStatistics([x, y], { scheme, n, bits, plainBits, low, packed }) {
  const rows = x.values.length;
  const layout = packed ? packedLayout(n, rows) : undefined;
  const primes = plainPrimes(n, plainBits);
  const schemes = primes.map((t) => makeScheme(scheme, n, { bits, t, steps: layout ? layout.steps : allSteps(n) }));
  const parts = schemes.map((bfv) => (layout ? packedJob(bfv, layout, low) : columnJob(bfv, rows, low)));
  return {
    n,
    keyTime: schemes.reduce((sum, { keyTime }) => sum + keyTime, 0),
    encrypt: () => {
      const scaled = [x, y].map(scaledValues);
      for (const part of parts) part.encrypt(scaled);
    },
    evaluate: () => {
      for (const part of parts) part.evaluate();
    },
    decrypt: () => {
      const residues = parts.map((part) => part.decrypt());
      const [sumX, sumY, sumXX, sumYY, sumXY] = residues[0].map((_, index) =>
        combine(
          residues.map((r) => r[index]),
          primes,
        ),
      );
      return finish({ n: rows, sumX, sumY, sumXX, sumYY, sumXY }, 10 ** x.decimals, 10 ** y.decimals);
    },
    budget: () => Math.min(...parts.map((part) => part.budget())),
  };
}

function scaledValues({ values, decimals }) {
  const scale = 10 ** decimals;
  return values.map((value) => BigInt(Math.round(value * scale)));
}

/** From sums of scaled integers to statistics. */
function finish({ n, sumX, sumY, sumXX, sumYY, sumXY }, scaleX, scaleY) {
  const count = BigInt(n);
  const [xx, yy, xy] = [count * sumXX - sumX * sumX, count * sumYY - sumY * sumY, count * sumXY - sumX * sumY];
  const pairs = n * (n - 1);
  return {
    'count 0': n,
    'sum 0': Number(sumX) / scaleX,
    'mean 0': Number(sumX) / scaleX / n,
    'variance 0': Number(xx) / pairs / scaleX ** 2,
    'count 1': n,
    'sum 1': Number(sumY) / scaleY,
    'mean 1': Number(sumY) / scaleY / n,
    'variance 1': Number(yy) / pairs / scaleY ** 2,
    covariance: Number(xy) / pairs / scaleX / scaleY,
    correlation: Number(xy) / Math.sqrt(Number(xx)) / Math.sqrt(Number(yy)),
  };
}

/** Steps of a sum over all slots: 1, 2, 4, ... within the rows, 0 for the exchange of rows. */
function allSteps(n) {
  const steps = [];
  for (let step = 1; step < n / 2; step *= 2) steps.push(step);
  return [...steps, 0];
}

/**
 * Short columns: several in one ciphertext, interleaved. Column c of `width` in a slot row lies in slots c, c + width,
 * ...; rotations by multiples of `width` sum all columns at once, and leave each sum in all of its slots. So nothing
 * but sums is decrypted, and no mask is needed.
 */
function packedLayout(n, rows) {
  const length = 2 ** Math.ceil(Math.log2(rows));
  const width = n / 2 / length;
  const steps = [];
  for (let step = width; step < n / 2; step *= 2) steps.push(step);
  return {
    length,
    width,
    steps,
    columns: 2 * width,
    at: (column) => Math.floor(column / width) * (n / 2) + (column % width),
  };
}

function packedJob(bfv, layout, low) {
  const { n, encoder, encryptor, evaluator, decryptor, relinKeys, galoisKeys } = bfv;
  // With room for five columns one product gives all sums; with less the plain sums come from the first factor.
  const five = layout.columns >= 5;
  const [first, second] = five ? ['xyxyx', '11xyy'] : ['xyx', 'xyy'];
  const [a, b, product, sums, linear, rotated] = Array.from({ length: 6 }, () => bfv.ciphertext());
  const [plain, result] = [bfv.plain(), bfv.plain()];
  const slots = new BigUint64Array(n);
  const place = (names, columns) => {
    slots.fill(0n);
    for (const [index, name] of [...names].entries()) {
      const start = layout.at(index);
      const values = columns[name];
      for (let row = 0; row < columns.x.length; row++) slots[start + row * layout.width] = values ? values[row] : 1n;
    }
    encoder.encode(slots, plain);
  };
  const target = level(bfv, low);
  const sumSlots = (ciphertext) => {
    evaluator.cipherModSwitchToInplace(ciphertext, target);
    for (const step of layout.steps) {
      evaluator.rotateRows(ciphertext, step, galoisKeys, rotated);
      evaluator.addInplace(ciphertext, rotated);
    }
  };
  const outputs = five ? [sums] : [sums, linear];
  const read = (ciphertext) => {
    decryptor.decrypt(ciphertext, result);
    return encoder.decodeBigUint64(result);
  };
  return {
    encrypt: ([x, y]) => {
      place(first, { x, y });
      encryptor.encryptSymmetric(plain, a);
      place(second, { x, y });
      encryptor.encryptSymmetric(plain, b);
    },
    evaluate: () => {
      evaluator.multiply(a, b, product);
      evaluator.relinearize(product, relinKeys, sums);
      sumSlots(sums);
      if (five) return;
      linear.assign(a);
      sumSlots(linear);
    },
    decrypt: () => {
      const products = read(sums);
      if (five) return [0, 1, 2, 3, 4].map((column) => products[layout.at(column)]);
      const plainSums = read(linear);
      return [
        plainSums[layout.at(0)],
        plainSums[layout.at(1)],
        ...[0, 1, 2].map((column) => products[layout.at(column)]),
      ];
    },
    budget: () => Math.min(...outputs.map((output) => decryptor.invariantNoiseBudget(output))),
  };
}

/** Long columns: as many ciphertexts as they fill. */
function columnJob(bfv, rows, low) {
  const { n, encoder, encryptor, evaluator, decryptor, relinKeys, galoisKeys } = bfv;
  const chunks = Math.ceil(rows / n);
  const make = (count) => Array.from({ length: count }, () => bfv.ciphertext());
  const [xs, ys, outputs] = [make(chunks), make(chunks), make(5)];
  const [product, rotated] = make(2);
  const [plain, result] = [bfv.plain(), bfv.plain()];
  const slots = new BigUint64Array(n);
  const target = level(bfv, low);
  const sums = make(3);
  const accumulate = (sum, first) => {
    if (first) sum.assign(product);
    else evaluator.addInplace(sum, product);
  };
  const addUp = (ciphertexts, sum) => {
    sum.assign(ciphertexts[0]);
    for (const ciphertext of ciphertexts.slice(1)) evaluator.addInplace(sum, ciphertext);
  };
  const encryptColumn = (values, ciphertexts) => {
    for (const [chunk, ciphertext] of ciphertexts.entries()) {
      slots.fill(0n);
      slots.set(values.slice(chunk * n, (chunk + 1) * n));
      encoder.encode(slots, plain);
      encryptor.encryptSymmetric(plain, ciphertext);
    }
  };
  return {
    encrypt: ([x, y]) => {
      encryptColumn(x, xs);
      encryptColumn(y, ys);
    },
    evaluate: () => {
      addUp(xs, outputs[0]);
      addUp(ys, outputs[1]);
      for (let chunk = 0; chunk < chunks; chunk++) {
        const [x, y] = [xs[chunk], ys[chunk]];
        evaluator.square(x, product);
        accumulate(sums[0], chunk === 0);
        evaluator.square(y, product);
        accumulate(sums[1], chunk === 0);
        evaluator.multiply(x, y, product);
        accumulate(sums[2], chunk === 0);
      }
      for (const [index, sum] of sums.entries()) evaluator.relinearize(sum, relinKeys, outputs[2 + index]);
      for (const output of outputs) {
        evaluator.cipherModSwitchToInplace(output, target);
        for (let step = 1; step < n / 2; step *= 2) {
          evaluator.rotateRows(output, step, galoisKeys, rotated);
          evaluator.addInplace(output, rotated);
        }
        evaluator.rotateColumns(output, galoisKeys, rotated);
        evaluator.addInplace(output, rotated);
      }
    },
    decrypt: () =>
      outputs.map((output) => {
        decryptor.decrypt(output, result);
        return encoder.decodeBigUint64(result)[0];
      }),
    budget: () => Math.min(...outputs.map((output) => decryptor.invariantNoiseBudget(output))),
  };
}
