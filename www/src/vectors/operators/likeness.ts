/** How alike texts are: the words of each (`VectorMap`), and then each with every other one (`CrossMap`). */
import type { MapFunction } from 'cipherloom/job';
import { wordsOf } from './texts.js';

/** The different words of a text, in order. */
export const words: MapFunction = ([, text]) =>
  [...new Set(wordsOf(text as string))].sort((a, b) => (a < b ? -1 : 1));

/** The share of words that both texts have, of those that either has. Each pair once. */
export const share: MapFunction = ([key, words], _, other) => {
  const [otherKey, otherWords] = other!;
  if (key >= otherKey) return undefined;
  const some = new Set(words as string[]);
  const both = (otherWords as string[]).filter((word) => some.has(word)).length;
  const either = some.size + (otherWords as string[]).length - both;
  return either === 0 ? 1 : both / either;
};
