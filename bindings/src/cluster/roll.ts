/** Who is there: workers of a cluster by their signs of life, as its manager sees them. */
import { type CipherloomError, failure } from '../errors.js';
import { KINDS, type Kind } from '../job/kinds.js';
import type { Redis } from './libraries.js';
import type { Names, WorkerInfo } from './messages.js';
import { type Found, OwnWorkers } from './own-workers.js';
import type { Address } from './redis.js';
import { ALIVE } from './scripts.js';

/** Between two looks at the start. */
const LOOK_MS = 100;

/** How many workers of which kind. */
type Counts = Partial<Record<Kind, number>>;

/** Workers that live. */
export class Roll {
  /** Workers of this version by kind; of those that were there last, if there are none now: a kind does not go because Redis was away. */
  readonly counts: Counts = {};
  /** Who has which part, for tasks that only one process can do. */
  readonly own = new OwnWorkers();
  readonly #redis: Redis;
  readonly #address: Address;
  readonly #names: Names;
  readonly #version: string;
  readonly #noneSince = new Map<Kind, number>();
  #alive: readonly Found[] = [];

  constructor(redis: Redis, address: Address, names: Names, version: string) {
    this.#redis = redis;
    this.#address = address;
    this.#names = names;
    this.#version = version;
  }

  /** Asks Redis. */
  async see(): Promise<void> {
    const found = (await ALIVE.run(this.#redis, [this.#names.workers, this.#names.beats], [])) as string[];
    const all: Found[] = [];
    for (let index = 0; index < found.length; index += 2)
      all.push({ ...(JSON.parse(found[index + 1] as string) as WorkerInfo), id: found[index] as string });
    this.#alive = all;
    const ours = this.#ours();
    this.own.see(ours);
    for (const kind of KINDS) {
      const count = ours
        .filter((worker) => worker.kind === kind)
        .reduce((sum, { threads }) => sum + threads, 0);
      if (count > 0) {
        this.counts[kind] = count;
        this.#noneSince.delete(kind);
      } else if (!this.#noneSince.has(kind)) this.#noneSince.set(kind, Date.now());
    }
  }

  /** Waits until so many are there; one of any kind, where nothing is wanted. Errors: JobError `job.kind`, `job.worker`. */
  async wait(wanted: Counts, milliseconds: number): Promise<void> {
    const kinds = Object.entries(wanted) as [Kind, number][];
    const enough = (): boolean =>
      kinds.length > 0
        ? kinds.every(([kind, count]) => (this.counts[kind] ?? 0) >= count)
        : Object.keys(this.counts).length > 0;
    for (const began = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, LOOK_MS))) {
      await this.see();
      if (enough()) return;
      if (Date.now() - began > milliseconds) throw this.tooFew(wanted, milliseconds);
    }
  }

  isAlive(id: string): boolean {
    return this.#alive.some((worker) => worker.id === id);
  }

  /** Milliseconds since when there is nobody of a kind. */
  missing(kind: Kind): number {
    const since = this.#noneSince.get(kind);
    return since === undefined ? 0 : Date.now() - since;
  }

  /** All processes that live, of any version. */
  infos(): readonly WorkerInfo[] {
    return this.#alive.map(({ id: _, ...info }) => info);
  }

  /** JobError: `job.worker` if there are workers of other versions only, else `job.kind`. */
  tooFew(wanted: Counts, milliseconds: number): CipherloomError {
    const at = `${this.#address.shown} (prefix ${this.#names.prefix})`;
    const ours = this.#ours();
    const others = [...new Set(this.#alive.map(({ version }) => version))];
    if (others.length > 0 && ours.length === 0)
      return failure(
        'job.worker',
        `the workers at ${at} are of cipherloom ${others.join(', ')}, this is ${this.#version}: have them updated`,
        { found: others, expected: this.#version },
      );
    const said = (counts: Counts): string =>
      Object.entries(counts)
        .map(([kind, count]) => `${count} of kind ${kind}`)
        .join(', ');
    const expected = said(wanted) || 'one of any kind';
    const found = (ours.length > 0 && said(this.counts)) || 'none';
    return failure(
      'job.kind',
      `waited ${milliseconds} ms for workers at ${at}: expected ${expected}, found ${found}. Start them: npx cipherloom worker --redis URL`,
      { found: this.infos(), expected: wanted },
    );
  }

  #ours(): Found[] {
    return this.#alive.filter(({ version }) => version === this.#version);
  }
}
