/** What a function of one's own begins with, by map. */
import type { MapName } from './work.js';

const ADD = `
// Makes one value of two that have the same key. Without it, rows stay as they are.
export function reduce(key, a, b) {
  return a + b;
}
`;

export const STARTERS: Readonly<Record<MapName, string>> = {
  DirMap: `// Called with each file: its path and its text. What is returned is its value in the result;
// undefined leaves it out, and context.emit(key, value) gives more rows, or others.
export function map([path, text], context) {
  const sentences = text.split(/[.!?]+\\s/).length;
  context.log(path + ': ' + sentences + ' sentences');
  return sentences;
}
`,
  VectorMap: `// Called with each row: [key, value]. What is returned is its value in the result; undefined
// leaves it out, and context.emit(key, value) gives more rows, or others.
export function map([key, value], context) {
  const words = JSON.stringify(value).split(' ').length;
  context.emit(words, 1); // how many rows have so many words
}
${ADD}`,
  TaskMap: `// Called with each row: [key, value], by several threads of each worker. What is returned is its
// value in the result; undefined leaves it out, and context.emit(key, value) gives others.
export function map([key, value], context) {
  const words = JSON.stringify(value).split(' ').length;
  context.emit(words, 1); // how many rows have so many words
}
${ADD}`,
  GlobalMap: `// Called with each row on every worker: context.part says which of context.parts this is.
export function map([key, value], context) {
  const words = JSON.stringify(value).split(' ').length;
  // Each worker takes the numbers that are its own.
  if (words % context.parts === context.part) context.emit(words, 1);
}
${ADD}`,
  CrossMap: `// Called with each two rows, [key, value] both; keys are whole numbers. What is returned, a number,
// stands under both keys in the result; undefined leaves it out.
export function map([key, value], context, [otherKey, otherValue]) {
  if (key >= otherKey) return; // each pair once
  const [one, other] = [value, otherValue].map((value) => JSON.stringify(value).length);
  return Math.abs(one - other);
}
`,
  MatrixMap: `// Called with each number of the tables, under [row, column]; both count from 0.
export function map([[row, column], number], context) {
  if (Number.isInteger(number)) return number % 2 === 0 ? undefined : number; // odd ones stay
  return Math.round(number);
}
`,
};
