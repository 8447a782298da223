// A bitonic network: sorts 2^k numbers by minima and maxima of pairs, all pairs of a step at once.
import { u32 } from 'cipherloom';

export const bitonicSort = {
  name: 'my.bitonic_sort',
  expand(g, [x], { types: [{ element, shape }] }) {
    const [n] = shape;
    if (shape.length !== 1 || (n & (n - 1)) !== 0)
      throw new TypeError(`${n} numbers, expected a power of two`);
    const constant = (f) =>
      g.constant(
        u32(n),
        Uint32Array.from({ length: n }, (_, i) => f(i)),
      );
    let sorted = x;
    for (let block = 2; block <= n; block *= 2) {
      for (let step = block / 2; step > 0; step /= 2) {
        const partner = g.op(`${element}.gather`, [sorted, constant((i) => i ^ step)], { axis: 0 });
        // Of each pair the first place gets the minimum, or the maximum in blocks that descend.
        const least = constant((i) => Number(((i & step) === 0) === ((i & block) === 0)));
        const [low, high] = ['min', 'max'].map((op) => g.op(`${element}.${op}`, [sorted, partner]));
        sorted = g.op(`${element}.select`, [least, low, high]);
      }
    }
    return sorted;
  },
};
