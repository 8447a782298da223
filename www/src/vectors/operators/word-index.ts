/** In which texts each word is: by the maps of `word-count`, and the reducer of all three. */
import type { MapFunction, ReduceFunction } from 'cipherloom/job';
import { fileOf, lineOf, linesOfText, wordsOf, wordsOfShare } from './texts.js';

export const find: MapFunction = async (row, context) => {
  const [path, file] = fileOf(row);
  const words = new Set<string>();
  for await (const line of linesOfText(file)) for (const word of wordsOf(line)) words.add(word);
  for (const word of words) context.emit(word, [path]);
  context.log(`${path}: ${words.size} different words`);
};

export const findInLine: MapFunction = (row, context) => {
  const [path, line] = lineOf(row);
  for (const word of new Set(wordsOf(line))) context.emit(word, [path]);
};

export const findShare: MapFunction = (row, context) => {
  const [path, line] = lineOf(row);
  for (const word of new Set(wordsOfShare(line, context))) context.emit(word, [path]);
};

/** Both lists in order, each path once. */
export const join: ReduceFunction = (_, a, b) =>
  [...new Set([...(a as string[]), ...(b as string[])])].sort((a, b) => (a < b ? -1 : 1));
