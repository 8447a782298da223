// The product of two encrypted matrices of 16 x 16 integers.
import { dot, integers } from './data.mjs';

const SHAPE = [16, 16];
const LIMIT = 100;

export function describe(loom) {
  const task = loom.task();
  const [a, b] = ['a', 'b'].map((name) => task.encrypted(name, { shape: SHAPE, min: -LIMIT, max: LIMIT }));
  task.output('product', a.matmul(b));
  return task;
}

export function sample() {
  const [a, b] = [5, 6].map((seed) => integers(seed, SHAPE, -LIMIT, LIMIT));
  const column = (k) => b.map((row) => row[k]);
  return { inputs: { a, b }, expected: { product: a.map((row) => row.map((_, k) => dot(row, column(k)))) } };
}
