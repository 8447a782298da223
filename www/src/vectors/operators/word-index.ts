/** In which files each word is: an operator of `DirMap`, and its reducer. */
import type { MapFunction, ReduceFunction } from 'cipherloom/job';
import { fileOf, linesOfText, wordsOf } from './texts.js';

export const find: MapFunction = async (row, context) => {
  const [path, file] = fileOf(row);
  const words = new Set<string>();
  for await (const line of linesOfText(file)) for (const word of wordsOf(line)) words.add(word);
  for (const word of words) context.emit(word, [path]);
  context.log(`${path}: ${words.size} different words`);
};

/** Both lists in order, each path once. */
export const join: ReduceFunction = (_, a, b) =>
  [...new Set([...(a as string[]), ...(b as string[])])].sort((a, b) => (a < b ? -1 : 1));
