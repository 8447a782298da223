// Corners of a picture that the server never sees: 16 det - trace^2 of the Harris matrix at every pixel, whose windows wrap around at the edges. Run it
// after `npm run build`:
//   node examples/harris.mjs
import assert from 'node:assert/strict';
import { load } from 'cipherloom';

const SIZE = 32;
// A bright square on a dark ground, with some texture.
const picture = Array.from({ length: SIZE }, (_, y) =>
  Array.from({ length: SIZE }, (_, x) => {
    const inside = x > 9 && x < 23 && y > 7 && y < 21;
    return (inside ? 40 : 5) + ((x * 7 + y * 3) % 4);
  }),
);
/** Sobel: what each neighbour counts, by row and column from the pixel. */
const SOBEL_X = [
  [-1, 1, 1],
  [0, 1, 2],
  [1, 1, 1],
  [-1, -1, -1],
  [0, -1, -2],
  [1, -1, -1],
];
const SOBEL_Y = SOBEL_X.map(([y, x, weight]) => [x, y, weight]);
const WINDOW = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => [y, x, 1]));

const loom = await load();
const task = loom.task();
const image = task.encrypted('picture', { shape: [SIZE, SIZE], min: 0, max: 63 });
const filtered = (value, weights) =>
  weights
    .map(([y, x, weight]) => value.rotate(y, 0).rotate(x, 1).multiply(weight))
    .reduce((sum, term) => sum.add(term));
const [gx, gy] = [filtered(image, SOBEL_X), filtered(image, SOBEL_Y)];
const [xx, yy, xy] = [gx.square(), gy.square(), gx.multiply(gy)].map((product) => filtered(product, WINDOW));
const response = xx.multiply(yy).sub(xy.square()).multiply(16).sub(xx.add(yy).square());
task.output('response', response);

const program = await task.compile(); // scheme, parameters and keys are chosen here
const client = await program.client(); // holds the secret key
const encrypted = await client.encrypt({ picture });
const found = await client.decrypt(await program.run(encrypted, client.evaluationKeys));
loom.dispose();

const corners = [];
for (const [y, row] of expected().entries()) {
  for (const [x, response] of row.entries()) {
    assert.equal(found.response[y][x], response);
    if (response > 0) corners.push([x, y]);
  }
}
const { scheme, n } = program.info;
console.log(`${corners.length} pixels at corners, the first at ${corners[0]}; ${scheme} at n = ${n}.`);

/** The same in the clear. */
function expected() {
  const at = (image, y, x) => image[(y + SIZE) % SIZE][(x + SIZE) % SIZE];
  const each = (of) =>
    Array.from({ length: SIZE }, (_, y) => Array.from({ length: SIZE }, (_, x) => of(y, x)));
  const filter = (image, weights) =>
    each((y, x) => weights.reduce((sum, [dy, dx, weight]) => sum + weight * at(image, y + dy, x + dx), 0));
  const [gx, gy] = [filter(picture, SOBEL_X), filter(picture, SOBEL_Y)];
  const product = (a, b) => each((y, x) => a[y][x] * b[y][x]);
  const [xx, yy, xy] = [product(gx, gx), product(gy, gy), product(gx, gy)].map((own) => filter(own, WINDOW));
  return each((y, x) => 16 * (xx[y][x] * yy[y][x] - xy[y][x] ** 2) - (xx[y][x] + yy[y][x]) ** 2);
}
