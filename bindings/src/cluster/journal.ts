/** What is known of a run in Redis, and outlives its manager. */
import { setTimeout } from 'node:timers/promises';
import type { TaskResult } from '../job/work.js';
import { partsOf } from './fields.js';
import type { Redis } from './libraries.js';
import type { Names, Outcome } from './messages.js';
import { OWN } from './scripts.js';

/** Entries that are fetched at once. */
const SOME = 500;

/** What an earlier manager knew of a task. */
export interface Known {
  readonly field: string;
  readonly result: TaskResult;
}

/** Within which a manager that lost its connection listens again: what it waits between two tries, and some more. */
const RETURN_MS = 3000;

/** Managers of this process, also closed ones: their jobs may still drop what is theirs. */
const here = new Set<string>();

/** The journal of a run. */
export class Journal {
  readonly #redis: Redis;
  readonly #names: Names;
  readonly #run: string;
  readonly #manager: string;
  /** Managers that are no more. */
  readonly #gone = new Map<string, Promise<boolean>>();
  /** Of an earlier manager, by the task's name; of equal ones the last one comes last. */
  readonly #known = new Map<string, Known[]>();

  constructor(redis: Redis, names: Names, run: string, manager: string) {
    this.#redis = redis;
    this.#names = names;
    this.#run = run;
    this.#manager = manager;
    here.add(manager);
  }

  /** Reads what was done. Errors, and what was taken back, are not: they are tried again. */
  async load(): Promise<void> {
    const key = this.#names.outcomes(this.#run);
    const again: string[] = [];
    for (let cursor = '0'; ;) {
      const [next, found] = (await this.#redis.call('HSCAN', key, cursor, 'COUNT', SOME)) as [
        string,
        string[],
      ];
      for (let index = 0; index < found.length; index += 2) {
        const field = found[index] as string;
        const outcome = JSON.parse(found[index + 1] as string) as Outcome;
        if ('result' in outcome) this.#knows({ field, result: outcome.result });
        else again.push(field);
      }
      cursor = next;
      if (cursor === '0') break;
    }
    for (let from = 0; from < again.length; from += SOME)
      await this.#redis.call('HDEL', key, ...again.slice(from, from + SOME));
    for (const known of this.#known.values())
      known.sort((a, b) => partsOf(a.field).number - partsOf(b.field).number);
  }

  #knows(known: Known): void {
    const { name } = partsOf(known.field);
    this.#known.set(name, [...(this.#known.get(name) ?? []), known]);
  }

  /** What an earlier manager knew of a task; once. */
  take(name: string): Known | undefined {
    return this.#known.get(name)?.pop();
  }

  /** Whether the chunks of a result are this manager's, to keep and to drop: not where one that lives was told that they are its own. */
  async owns({ chunks: [first] }: TaskResult): Promise<boolean> {
    if (first === undefined) return true;
    const ask = async (gone: string): Promise<string> =>
      (await OWN.run(
        this.#redis,
        [this.#names.owners(this.#run)],
        [first.ref.name, this.#manager, gone],
      )) as string;
    const owner = await ask('');
    if (owner === this.#manager) return true;
    return !(await this.#lives(owner)) && (await ask(owner)) === this.#manager;
  }

  async #lives(manager: string): Promise<boolean> {
    if (here.has(manager)) return true;
    if (!(await this.#listens(manager)) && (await this.#isGone(manager))) return false;
    this.#gone.delete(manager);
    return true;
  }

  /** A process that dies lets go of its connections at once; one whose connection broke off comes back. */
  #isGone(manager: string): Promise<boolean> {
    let gone = this.#gone.get(manager);
    if (gone === undefined) {
      gone = setTimeout(RETURN_MS, undefined, { ref: false }).then(
        async () => !(await this.#listens(manager)),
      );
      this.#gone.set(manager, gone);
      gone.catch(() => this.#gone.delete(manager));
    }
    return gone;
  }

  async #listens(manager: string): Promise<boolean> {
    const channel = this.#names.manager(this.#run, manager);
    const [, listeners] = (await this.#redis.call('PUBSUB', 'NUMSUB', channel)) as [string, number];
    return Number(listeners) > 0;
  }

  /** Outcomes, as far as there are any. */
  async outcomes(fields: readonly string[]): Promise<(Outcome | undefined)[]> {
    if (fields.length === 0) return [];
    const found = (await this.#redis.call('HMGET', this.#names.outcomes(this.#run), ...fields)) as (
      string | null
    )[];
    return found.map((text) => (text === null ? undefined : (JSON.parse(text) as Outcome)));
  }

  /** The outcome of a task does not count any more. */
  async forget(field: string): Promise<void> {
    await this.#redis.call('HDEL', this.#names.outcomes(this.#run), field);
  }

  /** Nobody waits for a task any more. */
  async cancel(field: string): Promise<void> {
    const cancelled: Outcome = { cancelled: true };
    await this.#redis.call('HSETNX', this.#names.outcomes(this.#run), field, JSON.stringify(cancelled));
  }

  /** The newest event. */
  async lastEvent(): Promise<string> {
    const found = await this.#redis.call('XREVRANGE', this.#names.events(this.#run), '+', '-', 'COUNT', 1);
    return (found as [string, unknown][])[0]?.[0] ?? '0-0';
  }

  /** Forgets the run. */
  async delete(): Promise<void> {
    const { outcomes, held, deaths, owners, events } = this.#names;
    const keys = [outcomes, held, deaths, owners, events].map((name) => name.call(this.#names, this.#run));
    await this.#redis.call('UNLINK', ...keys);
  }
}
