/** Draws for searches. */
import type { Random } from './space.js';

/** One of a list, by chance. */
export function one<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Vectors in a step of a loop. */
export const UNROLLS = [1, 2, 4] as const;
