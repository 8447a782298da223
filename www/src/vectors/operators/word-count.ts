/** How often each word occurs: an operator of `DirMap`, and its reducer. */
import type { MapFunction, ReduceFunction } from 'cipherloom/job';
import { countWords, fileOf } from './texts.js';

export const count: MapFunction = async (row, context) => {
  const [path, file] = fileOf(row);
  const counts = await countWords(file);
  let all = 0;
  for (const [word, count] of counts) {
    context.emit(word, count);
    all += count;
  }
  context.log(`${path}: ${all} words, ${counts.size} different`);
};

export const add: ReduceFunction = (_, a, b) => (a as number) + (b as number);
