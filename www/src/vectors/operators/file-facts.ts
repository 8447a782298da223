/** What there is to say of a text, an operator of `DirMap`, and of a line, one of maps over rows. */
import type { MapFunction } from 'cipherloom/job';
import { fileOf, lineOf, linesOfText, wordsOf } from './texts.js';

export const measure: MapFunction = async (row, context) => {
  const [path, file] = fileOf(row);
  const facts = { bytes: file.size, lines: 0, words: 0, longest: 0 };
  for await (const line of linesOfText(file)) {
    facts.lines += 1;
    facts.words += wordsOf(line).length;
    facts.longest = Math.max(facts.longest, line.length);
  }
  context.log(`${path}: ${facts.lines} lines`);
  return facts;
};

export const measureLine: MapFunction = (row) => {
  const [, line] = lineOf(row);
  return { letters: line.length, words: wordsOf(line).length };
};
