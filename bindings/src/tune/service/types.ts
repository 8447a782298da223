/** What a service is told, and what it gives. */
import type { OperatorKey } from '../key.js';

/** Settings of {@link createTuneService}. What is not said is safe: this machine alone, nobody's records, limits on everything. */
export interface TuneServiceOptions {
  /** Folder of SQLite's file; made where there is none. Default: `tune-data` where the process was started. */
  readonly data?: string;
  /** `postgres://...`: PostgreSQL in place of SQLite. Several services may share one. */
  readonly database?: string;
  /** Default `127.0.0.1`. Another one needs `tls` or `behindProxy`. */
  readonly host?: string;
  /** Default 8090; 0: any free one. */
  readonly port?: number;
  readonly tls?: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array };
  /**
   * So many proxies are in front, one behind the other, the outermost of which ends TLS: addresses are what that one says (`X-Forwarded-For`, to which each appends whom it heard), and what stands further
   * left is not believed. Default 0.
   */
  readonly behindProxy?: number;
  /** How explorers reach it, where that is not where it listens: what they sign has it. */
  readonly origin?: string;
  /** Origins of pages that may ask. Default: none. */
  readonly pages?: readonly string[];
  /** Public keys of explorers whose records are taken, besides those that a maintainer has allowed. */
  readonly explorers?: readonly string[];
  /** What maintainers show to see statistics and to change things: 32 characters or more. Without it, nobody can. */
  readonly maintainToken?: string;
  /** What users show to ask. Without it, whoever reaches the service may. */
  readonly queryToken?: string;
  /** Requests a minute of one address. Default 6000. */
  readonly rate?: number;
  /** Operators that are kept track of, at most. Default 1 000 000; beyond, new ones are answered and forgotten. */
  readonly operators?: number;
  /** Bytes of code that are kept, in all and of one. Default 1 GiB and 4 MiB. */
  readonly codeBytes?: number;
  readonly oneCodeBytes?: number;
  /** How long an explorer that says nothing keeps a task, in milliseconds. Default 60 000. */
  readonly leaseMs?: number;
  /** How long an explorer counts as there after its last word. Default 90 000. */
  readonly presentMs?: number;
  /** Explorers that may end without a word before an operator is set aside. Default 5. */
  readonly attempts?: number;
  /** After which an operator of which nothing was found is collected again. Default a day. */
  readonly retryMs?: number;
  /** How often what was collected is sorted. Default 1000; 0: only when a maintainer says so, or an explorer asks for a task. */
  readonly sortMs?: number;
  /** How soon counts and misses are written. Default 50. */
  readonly flushMs?: number;
  /** How long counts are kept, in hours. Default 24 * 90. */
  readonly keptHours?: number;
  /** `fatal` to `trace`, or `silent`. Default `info`. */
  readonly log?: string;
}

/** Priority of an operator that is to be explored. */
export type Priority = 'high' | 'low';

/** An operator that was missed. */
export interface Missed {
  readonly key: OperatorKey;
  /** How often it was asked for since it was collected. */
  readonly misses: number;
  /** Milliseconds since it was collected. */
  readonly age: number;
}

/** What there is of explorers of one class. */
export interface Resources {
  /** Explorers of the class that were heard of lately. */
  readonly explorers: number;
  /** Operators that these take at once, in all. */
  readonly room: number;
  /** Operators that are leased to them. */
  readonly running: number;
  /** Operators that wait in the explore queues. */
  readonly waiting: number;
}

/** Whether a missed operator is explored, and how soon (SPEC T3; seed 003 ¶172): by what is free and what is used. */
export type Policy = (missed: Missed, resources: Resources) => Priority | 'drop';

/** What stands in for the world in tests and simulations. */
export interface TuneServiceParts {
  /** Default: {@link defaultPolicy}. */
  readonly policy?: Policy;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Told where the service stands: who never lets it go on can kill it there. */
  readonly at?: (place: Place) => Promise<void> | void;
}

/** Places at which a service can be stopped. */
export type Place =
  /** Misses are noted, and not yet written. */
  | 'noted'
  /** They are in the collect queue. */
  | 'collected'
  /** In the explore queues. */
  | 'sorted'
  /** A task is leased, and its explorer has not heard of it. */
  | 'leased'
  /** A record has come, and nothing of it is written. */
  | 'received'
  /** It is written, and its explorer has not heard of it. */
  | 'stored';

/** A service. */
export interface TuneService {
  /** Listens. Gives the address. Errors: TuneError `tune.service` where it cannot. */
  listen(): Promise<string>;
  /** Writes what is left, and ends. */
  close(): Promise<void>;
  /** The description of its interfaces (OpenAPI 3.1). */
  openapi(): object;
}
