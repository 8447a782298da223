/** What statistics are. */
import type { OperatorKey } from '../key.js';
import type { Kind } from '../record.js';

/** Of one operator. */
export interface OperatorStatistics {
  readonly name: string;
  readonly key: OperatorKey;
  readonly queries: number;
  readonly hits: number;
  /** hits / queries; null without queries. */
  readonly hitRate: number | null;
  /** Tasks that received it. */
  readonly reuse: number;
  readonly guesses: number;
  readonly guessed: number;
  /** Results that explorers brought. */
  readonly explorations: number;
  readonly state: 'known' | 'collected' | 'queued' | 'leased' | 'failed' | 'none';
  /** Why nothing was found. */
  readonly failure: string | null;
}

/** How one kind of implementations does beside the others. */
export interface KindStatistics {
  readonly kind: Kind;
  /** Operators that have an implementation of this kind. */
  readonly operators: number;
  /** Operators whose best is of this kind. */
  readonly best: number;
  /** Hits of these. */
  readonly hits: number;
  /** Milliseconds that looking for one took, on average; null where no explorer said. */
  readonly searched: number | null;
  /** Milliseconds from the first miss to the record, on average, of operators whose best is of this kind; null without any. */
  readonly waited: number | null;
}

/** Of all operators. */
export interface Statistics {
  readonly hours: number;
  readonly queries: number;
  readonly hits: number;
  readonly hitRate: number | null;
  readonly guesses: number;
  readonly guessed: number;
  readonly operators: number;
  readonly records: number;
  readonly failures: number;
  readonly explorations: number;
  readonly queue: { readonly collected: number; readonly queued: number; readonly leased: number };
  readonly kinds: readonly KindStatistics[];
}

/** Orders of a list of operators. */
export type Order = 'queries' | 'hits' | 'misses';
