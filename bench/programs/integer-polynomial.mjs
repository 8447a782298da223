// A polynomial of degree 7 of 2048 encrypted integers, exactly.
import { integers, polynomial } from './data.mjs';

const COUNT = 2048;
const LIMIT = 5;
const COEFFICIENTS = [7, -3, 5, 2, -6, 4, -1, 3];

export function describe(loom) {
  const task = loom.task();
  const x = task.encrypted('x', { shape: [COUNT], min: -LIMIT, max: LIMIT });
  task.output('y', x.polynomial(COEFFICIENTS));
  return task;
}

export function sample() {
  const x = integers(11, [COUNT], -LIMIT, LIMIT);
  return { inputs: { x }, expected: { y: x.map((x) => polynomial(COEFFICIENTS, x)) } };
}
