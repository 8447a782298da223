/** Bands of a picture of the Mandelbrot set, on processors: an operator of `VectorMap`. Numbers are rounded to 32 bits, as those of GPUs are. */
import type { MapFunction } from 'cipherloom/job';

/** What is to be seen: rows of the global `picture`. */
export interface Picture {
  readonly width: number;
  /** Rows of a band. */
  readonly rows: number;
  /** The picture's corner, and how far its dots are from each other. */
  readonly left: number;
  readonly top: number;
  readonly step: number;
  /** Most iterations. */
  readonly most: number;
}

/** A row's value is the number of the band's first line; gives for each dot after how many iterations it was outside, or the most. */
export const band: MapFunction = ([, first], context) => {
  const { width, rows, left, top, step, most } = context.globals['picture']!.get('all') as unknown as Picture;
  const f = Math.fround;
  const dots = new Uint32Array(width * rows);
  for (let row = 0; row < rows; row++) {
    const y = f(f(top) + f(f((first as number) + row) * f(step)));
    for (let column = 0; column < width; column++) {
      const x = f(f(left) + f(f(column) * f(step)));
      let [a, b, count] = [0, 0, 0];
      for (; count < most; count++) {
        const [aa, bb] = [f(a * a), f(b * b)];
        if (f(aa + bb) > 4) break;
        b = f(f(f(2 * a) * b) + y);
        a = f(f(aa - bb) + x);
      }
      dots[row * width + column] = count;
    }
  }
  return dots;
};
