// Corners of an encrypted picture of 64 x 64 pixels: 16 det - trace^2 of the Harris matrix of each one, in windows of 3 x 3. The picture wraps around.
import { SOBEL_X, SOBEL_Y, filterOf, filtered, filled, integers } from './data.mjs';

const SHAPE = [64, 64];
const MOST = 63;
const WINDOW = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => [y, x, 1]));

export function describe(loom) {
  const task = loom.task();
  const picture = task.encrypted('picture', { shape: SHAPE, min: 0, max: MOST });
  const [x, y] = [SOBEL_X, SOBEL_Y].map((weights) => filterOf(picture, weights));
  const [xx, yy, xy] = [x.square(), y.square(), x.multiply(y)].map((product) => filterOf(product, WINDOW));
  task.output('corner', xx.multiply(yy).sub(xy.square()).multiply(16).sub(xx.add(yy).square()));
  return task;
}

export function sample() {
  const picture = integers(13, SHAPE, 0, MOST);
  const [x, y] = [SOBEL_X, SOBEL_Y].map((weights) => filtered(picture, weights));
  const pairs = [
    [x, x],
    [y, y],
    [x, y],
  ];
  const [xx, yy, xy] = pairs.map(([a, b]) =>
    filtered(
      filled(SHAPE, (i, j) => a[i][j] * b[i][j]),
      WINDOW,
    ),
  );
  const corner = filled(SHAPE, (i, j) => 16 * (xx[i][j] * yy[i][j] - xy[i][j] ** 2) - (xx[i][j] + yy[i][j]) ** 2);
  return { inputs: { picture }, expected: { corner } };
}
