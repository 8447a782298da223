/** What is known of a run in Redis, and outlives its manager. */
import type { TaskResult } from '../job/work.js';
import type { Redis } from './libraries.js';
import type { Names, Outcome } from './messages.js';

/** Entries that are fetched at once. */
const SOME = 500;

/** The journal of a run. */
export class Journal {
  readonly #redis: Redis;
  readonly #names: Names;
  readonly #run: string;
  /** Of an earlier manager. */
  readonly #known = new Map<string, TaskResult>();

  constructor(redis: Redis, names: Names, run: string) {
    this.#redis = redis;
    this.#names = names;
    this.#run = run;
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
        if ('result' in outcome) this.#known.set(field, outcome.result);
        else again.push(field);
      }
      cursor = next;
      if (cursor === '0') break;
    }
    for (let from = 0; from < again.length; from += SOME)
      await this.#redis.call('HDEL', key, ...again.slice(from, from + SOME));
  }

  /** What an earlier manager knew of a task; once. */
  take(field: string): TaskResult | undefined {
    const known = this.#known.get(field);
    this.#known.delete(field);
    return known;
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
    const { outcomes, held, deaths, events } = this.#names;
    const keys = [outcomes, held, deaths, events].map((name) => name.call(this.#names, this.#run));
    await this.#redis.call('UNLINK', ...keys);
  }
}
