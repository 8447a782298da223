// Operators of examples/vectors.mjs. Workers import this module by its address.

/** Words of a file, each with the number 1. */
export async function words([, file], { emit }) {
  for await (const line of file.lines())
    for (const word of line.match(/\p{L}+/gu) ?? []) emit(word.toLowerCase(), 1);
}

/** Words of a file, each with the file's path. */
export async function occurrences([path, file], { emit }) {
  const found = new Set((await file.text()).toLowerCase().match(/\p{L}+/gu));
  for (const word of found) emit(word, [path]);
}

/** Two numbers, added. */
export const add = (_, a, b) => a + b;

/** Two lists, joined. */
export const join = (_, a, b) => [...a, ...b];

/** How far two points are from each other. */
export const distance = ([, [x, y]], _, [, [u, v]]) => Math.hypot(x - u, y - v);
