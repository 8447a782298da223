// Probabilities by the server's model for 569 encrypted records of 30 features: a polynomial of degree 3 for the sigmoid.
import { dot, polynomial, reals } from './data.mjs';

const SHAPE = [569, 30];
const BIAS = -0.25;
/** Near to a sigmoid on -8 to 8. */
const SIGMOID = [0.5, 0.15012, 0, -0.001593];

export function describe(loom) {
  const task = loom.task();
  const features = task.encrypted('features', { kind: 'real', shape: SHAPE, min: -4, max: 4 });
  const weights = task.plain('weights', { kind: 'real', shape: [SHAPE[1]], min: -0.5, max: 0.5 });
  task.output('probability', features.matmul(weights).add(BIAS).within(-8, 8).polynomial(SIGMOID));
  return task;
}

export function sample() {
  // Scores of these lie in -6 to 6.
  const features = reals(7, SHAPE, -2, 2);
  const weights = reals(8, [SHAPE[1]], -0.5, 0.5);
  const probability = features.map((record) => polynomial(SIGMOID, dot(record, weights) + BIAS));
  return { inputs: { features }, plain: { weights }, expected: { probability } };
}
