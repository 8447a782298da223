/** How often each word occurs: of `DirMap` in a file, of maps over rows in a line, of `GlobalMap` the words that fall to a worker; and the reducer of all three. */
import type { MapFunction, ReduceFunction } from 'cipherloom/job';
import { countWords, fileOf, lineOf, wordsOf, wordsOfShare } from './texts.js';

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

export const countLine: MapFunction = (row, context) => {
  for (const word of wordsOf(lineOf(row)[1])) context.emit(word, 1);
};

export const countShare: MapFunction = (row, context) => {
  for (const word of wordsOfShare(lineOf(row)[1], context)) context.emit(word, 1);
};

export const add: ReduceFunction = (_, a, b) => (a as number) + (b as number);
