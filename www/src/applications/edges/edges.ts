/** Edges of a picture: Sobel's two filters, as a task and in the clear. The picture wraps around. */
import type { Loom, LoomTask, Value } from 'cipherloom';

/** Pixels along a side, and the most of one. */
export const SIDE = 64;
export const MOST = 255;

/** Rows of pixels, from the top. */
export type Picture = readonly (readonly number[])[];

/** The task: how steep the picture is at each pixel, squared. */
export function describeEdges(loom: Loom): LoomTask {
  const task = loom.task();
  const picture = task.encrypted('picture', { shape: [SIDE, SIDE], min: 0, max: MOST });
  const smooth = (axis: number): Value =>
    picture.rotate(-1, axis).add(picture.rotate(1, axis)).add(picture.multiply(2));
  const slope = (value: Value, axis: number): Value => value.rotate(1, axis).sub(value.rotate(-1, axis));
  const [across, down] = [slope(smooth(0), 1), slope(smooth(1), 0)];
  task.output('steepness', across.square().add(down.square()));
  return task;
}

/** The same in the clear. */
export function steepnessOf(picture: Picture): number[][] {
  const at = (y: number, x: number): number => picture[(y + SIDE) % SIDE]![(x + SIDE) % SIDE]!;
  const across = (y: number, x: number): number => at(y - 1, x) + 2 * at(y, x) + at(y + 1, x);
  const down = (y: number, x: number): number => at(y, x - 1) + 2 * at(y, x) + at(y, x + 1);
  return cells((y, x) => (across(y, x + 1) - across(y, x - 1)) ** 2 + (down(y + 1, x) - down(y - 1, x)) ** 2);
}

/** As a picture: white where it is flat, the darker the steeper. At the border the picture meets its other side: that is no edge of it. */
export function edgePicture(steepness: readonly (readonly number[])[]): Picture {
  const isBorder = (at: number): boolean => at === 0 || at === SIDE - 1;
  const steep = steepness.map((row, y) =>
    row.map((value, x) => (isBorder(x) || isBorder(y) ? 0 : Math.sqrt(value))),
  );
  const most = Math.max(...steep.flat(), 1);
  return steep.map((row) => row.map((value) => Math.round(MOST * (1 - (value / most) ** 0.6))));
}

/** A picture of a cell for each pixel. */
export function cells(of: (y: number, x: number) => number): number[][] {
  return Array.from({ length: SIDE }, (_, y) => Array.from({ length: SIDE }, (_, x) => of(y, x)));
}
