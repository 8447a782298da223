// A network of two layers, 64 to 32 to 10, with squares between them: weights and biases are the server's integers, the picture is encrypted.
import { dot, integers } from './data.mjs';

const LAYERS = [
  ['hidden', 32, 64],
  ['output', 10, 32],
];
const WEIGHT = 4;
const BIAS = 20;

export function describe(loom) {
  const task = loom.task();
  const picture = task.encrypted('picture', { shape: [64], min: 0, max: 16 });
  const [hidden, output] = LAYERS.map(([name, to, from]) => {
    const weights = task.plain(`${name} weights`, { shape: [to, from], min: -WEIGHT, max: WEIGHT });
    const bias = task.plain(`${name} bias`, { shape: [to], min: -BIAS, max: BIAS });
    return (x) => weights.matmul(x).add(bias);
  });
  task.output('scores', output(hidden(picture).square()));
  return task;
}

export function sample() {
  const picture = integers(15, [64], 0, 16);
  const plain = {};
  let x = picture;
  for (const [layer, [name, to, from]] of LAYERS.entries()) {
    const weights = (plain[`${name} weights`] = integers(16 + 2 * layer, [to, from], -WEIGHT, WEIGHT));
    const bias = (plain[`${name} bias`] = integers(17 + 2 * layer, [to], -BIAS, BIAS));
    if (layer > 0) x = x.map((sum) => sum ** 2);
    const below = x;
    x = weights.map((row, i) => dot(row, below) + bias[i]);
  }
  return { inputs: { picture }, plain, expected: { scores: x } };
}
