// How steep an encrypted picture of 64 x 64 pixels is at each one: the squares of Sobel's two filters, added. The picture wraps around.
import { SOBEL_X, SOBEL_Y, filterOf, filtered, filled, integers } from './data.mjs';

const SHAPE = [64, 64];
const MOST = 255;

export function describe(loom) {
  const task = loom.task();
  const picture = task.encrypted('picture', { shape: SHAPE, min: 0, max: MOST });
  const [x, y] = [SOBEL_X, SOBEL_Y].map((weights) => filterOf(picture, weights).square());
  task.output('steepness', x.add(y));
  return task;
}

export function sample() {
  const picture = integers(12, SHAPE, 0, MOST);
  const [x, y] = [SOBEL_X, SOBEL_Y].map((weights) => filtered(picture, weights));
  const steepness = filled(SHAPE, (row, column) => x[row][column] ** 2 + y[row][column] ** 2);
  return { inputs: { picture }, expected: { steepness } };
}
