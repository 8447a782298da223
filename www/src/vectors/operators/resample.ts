/** The bootstrap, an operator of `GlobalMap`: every worker sees all numbers, and takes each as often as those samples have it that are its share. */
import type { Data, MapFunction, ReduceFunction } from 'cipherloom/job';

/** What is kept of a sample. */
type Sums = readonly [sum: number, count: number];

export const take: MapFunction = ([key, value], { part, globals, emit }) => {
  const [count, shares] = ['count', 'shares'].map((name) => globals['samples']!.get(name) as number);
  for (let sample = part; sample < count!; sample += shares!) {
    const times = timesOf(sample, key as number);
    if (times > 0) emit(sample, [times * (value as number), times]);
  }
};

export const add: ReduceFunction = (_, a, b) => {
  const [some, others] = [a as unknown as Sums, b as unknown as Sums];
  return [some[0] + others[0], some[1] + others[1]] satisfies Sums as Data;
};

export const mean: MapFunction = ([, value]) => {
  const [sum, count] = value as unknown as Sums;
  return sum / count;
};

/** How often a sample has a row: 0, 1, 2, ... times, once on average (Poisson), and the same whoever asks. */
export function timesOf(sample: number, row: number): number {
  let left = uniform(sample, row);
  let [share, times] = [Math.exp(-1), 0];
  while (left >= share && times < 20) {
    left -= share;
    times += 1;
    share /= times;
  }
  return times;
}

/** A number from 0 to 1 of two others (mulberry32). */
function uniform(a: number, b: number): number {
  let mixed = (Math.imul(a + 1, 0x9e3779b9) ^ Math.imul(b + 1, 0x85ebca6b)) | 0;
  for (let round = 0; round < 2; round++) {
    mixed = (mixed + 0x6d2b79f5) | 0;
    mixed = Math.imul(mixed ^ (mixed >>> 15), 1 | mixed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    mixed ^= mixed >>> 14;
  }
  return (mixed >>> 0) / 2 ** 32;
}
