/** Kinds of workers [V4]. */

/** All there are. What runs here is `cpu` and `gpu`; the others are for crews of users' own. */
export const KINDS = ['cpu', 'gpu', 'fpga', 'dsp', 'arm'] as const;

/** A kind of worker. */
export type Kind = (typeof KINDS)[number];

/** How many workers there are, of all kinds. */
export function countWorkers(workers: Readonly<Partial<Record<Kind, number>>>): number {
  return Object.values(workers).reduce((sum, count) => sum + count, 0);
}
