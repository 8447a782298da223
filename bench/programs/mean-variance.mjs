// Mean and variance of 569 encrypted integers; quotients are the client's, after decryption.
import { integers } from './data.mjs';

const COUNT = 569;
const MOST = 1000;

export function describe(loom) {
  const task = loom.task();
  const x = task.encrypted('x', { shape: [COUNT], min: 0, max: MOST });
  task.output('mean', x.mean());
  task.output('variance', x.variance());
  return task;
}

export function sample() {
  const x = integers(14, [COUNT], 0, MOST);
  const mean = x.reduce((sum, x) => sum + x, 0) / COUNT;
  const variance = x.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (COUNT - 1);
  return { inputs: { x }, expected: { mean, variance } };
}
