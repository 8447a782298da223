// Handwritten digits, read by a network of two layers that is the server's own, from pictures that it never sees: 256 encrypted ones, which the network
// has not learned from. Run it after `npm run build`:
//   node examples/digits.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { load } from 'cipherloom';

const COUNT = 256;
const read = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');
const { hidden, output } = JSON.parse(read('digits-network.json'));
// Every third picture was kept from learning. 64 pixels each, 0 to 16, one character for one.
const pictures = read('digits.csv')
  .trim()
  .split('\n')
  .slice(1)
  .filter((_, i) => i % 3 === 0)
  .slice(0, COUNT)
  .map((line) => line.split(','))
  .map(([pixels, digit]) => ({
    pixels: Array.from(pixels, (pixel) => parseInt(pixel, 17)),
    digit: Number(digit),
  }));

const loom = await load();
const task = loom.task();
// Pictures are columns: a layer is its weights times them.
const pixels = task.encrypted('pixels', { shape: [64, COUNT], min: 0, max: 16 });
const plain = {};
const [hiddenWeights, hiddenBias] = layer('hidden', hidden);
const [outputWeights, outputBias] = layer('output', output);
const squares = hiddenWeights
  .matmul(pixels)
  .add(hiddenBias.reshape([hidden.bias.length, 1]))
  .square();
// Digit by digit: for one product of matrices, every picture would be encrypted as often as there are digits.
for (const digit of output.bias.keys())
  task.output(`${digit}`, outputWeights.at(digit).matmul(squares).add(outputBias.at(digit)));

const program = await task.compile(); // scheme, parameters and keys are chosen here
const client = await program.client(); // holds the secret key
const columns = Array.from({ length: 64 }, (_, pixel) => pictures.map(({ pixels }) => pixels[pixel]));
const encrypted = await client.encrypt({ pixels: columns });
const scores = await client.decrypt(await program.run(encrypted, client.evaluationKeys, { plain }));
loom.dispose();

let right = 0;
for (const [at, { pixels, digit }] of pictures.entries()) {
  const found = output.bias.map((_, digit) => scores[digit][at]);
  const squares = apply(hidden, pixels).map((sum) => sum ** 2);
  assert.deepEqual(found, apply(output, squares));
  if (found.indexOf(Math.max(...found)) === digit) right++;
}
assert.ok(right > 0.95 * COUNT, `${right} right`);
const { scheme, n } = program.info;
console.log(
  `${right} of ${COUNT} digits read right (${((100 * right) / COUNT).toFixed(1)} %); ${scheme} at n = ${n}.`,
);

/** The weights and the bias of a layer, which only the server has; their bounds are public. */
function layer(name, { weights, bias }) {
  return Object.entries({ weights, bias }).map(([part, cells]) => {
    const most = Math.max(...cells.flat().map(Math.abs));
    const shape = cells === bias ? [bias.length] : [weights.length, weights[0].length];
    plain[`${name} ${part}`] = cells;
    return task.plain(`${name} ${part}`, { shape, min: -most, max: most });
  });
}

/** The same in the clear. */
function apply({ weights, bias }, x) {
  return weights.map((row, i) => row.reduce((sum, weight, k) => sum + weight * x[k], bias[i]));
}
