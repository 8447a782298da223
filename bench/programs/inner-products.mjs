// 100 inner products of 256 integers each, both sides encrypted.
import { dot, integers } from './data.mjs';

const SHAPE = [100, 256];
const LIMIT = 100;

export function describe(loom) {
  const task = loom.task();
  const [a, b] = ['a', 'b'].map((name) => task.encrypted(name, { shape: SHAPE, min: -LIMIT, max: LIMIT }));
  task.output('products', a.multiply(b).sum(1));
  return task;
}

export function sample() {
  const [a, b] = [1, 2].map((seed) => integers(seed, SHAPE, -LIMIT, LIMIT));
  return { inputs: { a, b }, expected: { products: a.map((row, i) => dot(row, b[i])) } };
}
