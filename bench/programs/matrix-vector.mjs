// A matrix of 256 x 256 integers, part of the program, times an encrypted vector.
import { dot, integers } from './data.mjs';

const SIZE = 256;
const LIMIT = 100;
const MATRIX = integers(3, [SIZE, SIZE], -8, 8);

export function describe(loom) {
  const task = loom.task();
  const x = task.encrypted('x', { shape: [SIZE], min: -LIMIT, max: LIMIT });
  task.output('y', task.constant(MATRIX).matmul(x));
  return task;
}

export function sample() {
  const x = integers(4, [SIZE], -LIMIT, LIMIT);
  return { inputs: { x }, expected: { y: MATRIX.map((row) => dot(row, x)) } };
}
