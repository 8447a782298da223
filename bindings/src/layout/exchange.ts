/** Who else uses a datum [L2c]. */

/**
 * Between whom a datum is exchanged: nobody, cores of one cluster, clusters (through their caches or a link between them), clusters through memory (R29). An enumeration, so that
 * `Exchange.Cluster` is never taken for the storage `cluster`. A label has a set of them; the empty one is none.
 */
export enum Exchange {
  None = 'no',
  Core = 'core',
  Cluster = 'cluster',
  Memory = 'memory',
}

/** Those that a set can have, in their order. */
export const LEVELS = [Exchange.Core, Exchange.Cluster, Exchange.Memory] as const;

/** A set in its one form: sorted, each once, without `None`. */
export function exchangeSet(levels: readonly Exchange[]): readonly Exchange[] {
  return Object.freeze(LEVELS.filter((level) => levels.includes(level)));
}

/** `no`, `core`, `core+cluster`. */
export function printExchange(levels: readonly Exchange[]): string {
  return exchangeSet(levels).join('+') || Exchange.None;
}
