/** Draws for searches. */
import type { Random } from './space.js';

/** One of a list, by chance. */
export function one<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}
