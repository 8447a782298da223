// Where vectors lie in slots: vector v of `width` in a slot row takes slots v, v + width, v + 2 width, ..., so that
// rotations by multiples of `width` sum all vectors at once and leave each sum in all slots of its vector.

/** The layout of pairs of equally long vectors (a power of two) in ciphertexts of n slots. */
export function packPairs(n, pairs) {
  const length = pairs[0][0].length;
  const half = n / 2;
  const width = half / length;
  const perCiphertext = 2 * width;
  const steps = [];
  for (let step = width; step < half; step *= 2) steps.push(step);
  const at = (index) => Math.floor((index % perCiphertext) / width) * half + (index % width);
  const place = (group, side) => {
    const slots = new Array(n).fill(0);
    for (const [index, pair] of pairs.slice(group * perCiphertext, (group + 1) * perCiphertext).entries()) {
      for (const [i, value] of pair[side].entries()) slots[at(index) + i * width] = value;
    }
    return slots;
  };
  const groups = Math.ceil(pairs.length / perCiphertext);
  return {
    n,
    groups,
    steps,
    /** For each ciphertext pair the slots of both factors. */
    factors: () => Array.from({ length: groups }, (_, group) => [place(group, 0), place(group, 1)]),
    /** The inner products from `value(group, slot)`. */
    read: (value) => pairs.map((_, index) => value(Math.floor(index / perCiphertext), at(index))),
  };
}
