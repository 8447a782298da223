// Makes digits-network.json from digits.csv: the weights of a network of two layers with squares between them. It learns from two pictures of every
// three, the first of each three is kept to see what it has learned. The weights are whole numbers, and the same each time:
//   node data/digits-network.mjs && npx prettier --write data/digits-network.json
import { readFileSync, writeFileSync } from 'node:fs';

const HIDDEN = 32;
const EPOCHS = 40;
const BATCH = 32;
const RATE = 0.003;
/** How much of a weight its slope has, so that weights are kept small. */
const DECAY = 0.001;
/** The largest weight of a layer, as a whole number. */
const MOST = 7;

const random = randomNumbers(1);
const pictures = readFileSync(new URL('digits.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([pixels, digit]) => ({
    pixels: Array.from(pixels, (pixel) => parseInt(pixel, 17)),
    digit: Number(digit),
  }));
const learned = pictures.filter((_, i) => i % 3 !== 0);
const kept = pictures.filter((_, i) => i % 3 === 0);
const network = rounded(train(learned));
for (const [name, own] of Object.entries({ learned, kept })) {
  const right = own.filter(({ pixels, digit }) => {
    const { scores } = forward(network, pixels);
    return scores.indexOf(Math.max(...scores)) === digit;
  });
  console.log(`${name}: ${right.length} of ${own.length} right`);
}
writeFileSync(new URL('digits-network.json', import.meta.url), `${JSON.stringify(network)}\n`);

function forward({ hidden, output }, pixels) {
  const apply = ({ weights, bias }, x) =>
    weights.map((row, i) => row.reduce((sum, weight, k) => sum + weight * x[k], bias[i]));
  const sums = apply(hidden, pixels);
  const squares = sums.map((sum) => sum ** 2);
  return { sums, squares, scores: apply(output, squares) };
}

/** A network for pixels of 0 to 1, of least cross entropy, by Adam. */
function train(pictures) {
  const layer = (outputs, inputs) => ({
    weights: Array.from({ length: outputs }, () =>
      Array.from({ length: inputs }, () => (2 * random() - 1) / Math.sqrt(inputs)),
    ),
    bias: Array(outputs).fill(0),
  });
  const network = { hidden: layer(HIDDEN, 64), output: layer(10, HIDDEN) };
  const rows = Object.values(network).flatMap(({ weights, bias }) => [...weights, bias]);
  const [slopes, means, variances] = [0, 1, 2].map(() => rows.map((row) => Array(row.length).fill(0)));
  let step = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const order = pictures.map((picture) => [random(), picture]).sort(([a], [b]) => a - b);
    for (let from = 0; from < order.length; from += BATCH) {
      const batch = order.slice(from, from + BATCH).map(([, picture]) => picture);
      for (const picture of batch) addSlopes(network, slopes, picture, batch.length);
      step++;
      const rate = (RATE * (1 - epoch / EPOCHS) * Math.sqrt(1 - 0.999 ** step)) / (1 - 0.9 ** step);
      for (const [r, row] of rows.entries()) {
        for (const [k, weight] of row.entries()) {
          const slope = slopes[r][k] + DECAY * weight;
          means[r][k] += 0.1 * (slope - means[r][k]);
          variances[r][k] += 0.001 * (slope ** 2 - variances[r][k]);
          row[k] -= (rate * means[r][k]) / (Math.sqrt(variances[r][k]) + 1e-8);
          slopes[r][k] = 0;
        }
      }
    }
  }
  return network;
}

/** Adds how the cross entropy of one of so many pictures rises with each weight; rows of slopes are in the order of the network. */
function addSlopes(network, slopes, picture, count) {
  const pixels = picture.pixels.map((pixel) => pixel / 16);
  const { sums, squares, scores } = forward(network, pixels);
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power);
  const errors = powers.map((power, digit) => (power / total - (digit === picture.digit ? 1 : 0)) / count);
  const { weights } = network.output;
  const hiddenErrors = sums.map(
    (sum, k) => 2 * sum * errors.reduce((all, error, i) => all + error * weights[i][k], 0),
  );
  const add = (first, errors, x) => {
    for (const [i, error] of errors.entries()) {
      for (const [k, one] of x.entries()) slopes[first + i][k] += error * one;
      slopes[first + errors.length][i] += error;
    }
  };
  add(0, hiddenErrors, pixels);
  add(HIDDEN + 1, errors, squares);
}

/** Whole numbers for pixels of 0 to 16. That layers are multiplied with something changes no order of scores. */
function rounded({ hidden, output }) {
  const scale = ({ weights }) => MOST / Math.max(...weights.flat().map(Math.abs));
  const round = ({ weights, bias }, scale, unit) => ({
    weights: weights.map((row) => row.map((weight) => Math.round(weight * scale))),
    bias: bias.map((one) => Math.round(one * scale * unit)),
  });
  const first = scale(hidden);
  return { hidden: round(hidden, first, 16), output: round(output, scale(output), (16 * first) ** 2) };
}

/** Numbers from 0 to 1 that look random (mulberry32). */
function randomNumbers(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
