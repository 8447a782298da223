/** Settings of a cluster, and their checks. */
import { failure } from '../errors.js';
import { KINDS, type Kind } from '../job/kinds.js';
import type { RedisOptions } from './redis.js';
import type { SharedStore } from './shared-store.js';
import type { Speculation } from './speculation.js';

/** Settings of `cluster`. */
export interface ClusterOptions extends RedisOptions {
  /** What names in Redis begin with, `cipherloom` where it is not said: as the workers have it. */
  readonly prefix?: string;
  /** Where chunks lie: a store that workers have, too. The same Redis where it is not said. */
  readonly store?: SharedStore;
  /** How many workers of which kind it waits for at the start; for one of any kind where it is not said. */
  readonly workers?: Readonly<Partial<Record<Kind, number>>>;
  /** Milliseconds for which it waits for these, and later for any at all if all are gone, 30,000 where it is not said. */
  readonly wait?: number;
  /** Milliseconds for which Redis may be away in the middle of a job, 60,000 where it is not said. */
  readonly outage?: number;
  /** Tasks in queues and with workers at a time; four for each worker, and 16 at least, where it is not said. */
  readonly inFlight?: number;
  /** How many workers may die of a task before it counts as its fault, 3 where it is not said. */
  readonly attempts?: number;
  /** Of its tasks among those of other managers: 1 comes first, 2,097,151 last; 1,000 where it is not said. */
  readonly priority?: number;
  /** Milliseconds that a task may take before it is ended; as long as it likes where it is not said. */
  readonly timeout?: number;
  /** When a task that takes long is begun a second time; `false`: never. */
  readonly speculate?: Speculation | false;
  /** A name for what is computed. Under the same name a manager that starts anew takes over what was done, and what is waiting. Without one, what is left is deleted at the end. */
  readonly run?: string;
}

/** Errors: JobError `job.definition`. */
export function checkOptions(options: ClusterOptions): void {
  const positive = ['wait', 'outage', 'timeout'] as const;
  for (const name of positive)
    check(name, options[name], (value) => Number.isFinite(value) && value > 0, 'a number of milliseconds');
  const whole = { inFlight: 2 ** 20, attempts: 1000, priority: 2 ** 21 - 1 } as const;
  for (const [name, most] of Object.entries(whole) as [keyof typeof whole, number][])
    check(
      name,
      options[name],
      (value) => Number.isInteger(value) && value >= 1 && value <= most,
      `a whole number from 1 to ${most}`,
    );
  for (const [kind, count] of Object.entries(options.workers ?? {})) {
    check('workers', kind, (value) => KINDS.includes(value as Kind), `kinds: ${KINDS.join(', ')}`);
    check(`workers.${kind}`, count, (value) => Number.isInteger(value) && value >= 0, 'a whole number');
  }
  const isName = (value: string): boolean => typeof value === 'string' && /^[^\s]{1,200}$/.test(value);
  check('run', options.run, isName, 'a name of 1 to 200 characters without blanks');
  check('prefix', options.prefix, isName, 'a name of 1 to 200 characters without blanks');
}

function check<T>(name: string, found: T | undefined, fits: (value: T) => boolean, expected: string): void {
  if (found === undefined || fits(found)) return;
  throw failure('job.definition', `cluster: ${name} is ${JSON.stringify(found)}, expected ${expected}`, {
    where: name,
    found,
    expected,
  });
}
