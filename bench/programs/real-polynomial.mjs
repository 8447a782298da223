// A polynomial of degree 15 of 2048 encrypted reals.
import { polynomial, reals } from './data.mjs';

const COUNT = 2048;
const COEFFICIENTS = reals(9, [16], -1, 1).map((x) => Math.round(x * 2 ** 20) / 2 ** 20);

export function describe(loom) {
  const task = loom.task();
  const x = task.encrypted('x', { kind: 'real', shape: [COUNT], min: -1, max: 1 });
  task.output('y', x.polynomial(COEFFICIENTS));
  return task;
}

export function sample() {
  const x = reals(10, [COUNT], -1, 1);
  return { inputs: { x }, expected: { y: x.map((x) => polynomial(COEFFICIENTS, x)) } };
}
