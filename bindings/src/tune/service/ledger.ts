/**
 * What queries leave behind: counts (SPEC T8) and misses. It is gathered in memory and written by one transaction at a time, so that asking costs no writing. A service that is
 * killed forgets the last moments of it: some counts, and misses that the next miss brings again (R20).
 */
import type { Knex } from 'knex';
import { keyText } from '../key.js';
import type { OperatorKey } from '../key.js';
import type { Queue } from './queue.js';
import type { Store } from './store.js';

/** Milliseconds in an hour. */
export const HOUR = 3_600_000;

/** What is noted of an operator. */
interface Noted {
  readonly name: string;
  readonly key: OperatorKey;
  readonly hour: number;
  queries: number;
  hits: number;
  guesses: number;
  guessed: number;
  misses: number;
  readonly tasks: Set<string>;
}

/** One look-up. */
export interface Look {
  readonly name: string;
  readonly key: OperatorKey;
  readonly task: string;
  /** Asked for by a task, or guessed by a client's predictor. */
  readonly asked: boolean;
  readonly hit: boolean;
  readonly times?: number;
}

/** Names that are noted at most before they are written. */
const MOST_NOTED = 100_000;
/** Tasks that one operator is noted for. */
const MOST_TASKS = 10_000;
/** How long an operator without a record is remembered after it was asked for. */
const UNKNOWN_HOURS = 24;
/** Uses that are kept for each operator that may be, on average. */
const MOST_USES = 10;

export class Ledger {
  #noted = new Map<string, Noted>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #operators = 0;
  #uses = 0;

  constructor(
    readonly store: Store,
    readonly queue: Queue,
    readonly settings: {
      readonly flushMs: number;
      readonly operators: number;
      readonly now: () => number;
      readonly failed: (error: unknown) => void;
    },
  ) {}

  /** Counts what there is. */
  async open(): Promise<void> {
    const count = async (table: string): Promise<number> => {
      const row = (await this.store.db(table).count({ count: '*' }).first()) as { count: number | string };
      return Number(row.count);
    };
    this.#operators = await count('operators');
    this.#uses = await count('uses');
  }

  note({ name, key, task, asked, hit, times = 1 }: Look): void {
    const hour = Math.floor(this.settings.now() / HOUR);
    const at = `${name} ${hour}`;
    let noted = this.#noted.get(at);
    if (noted === undefined) {
      if (this.#noted.size >= MOST_NOTED) return;
      noted = { name, key, hour, queries: 0, hits: 0, guesses: 0, guessed: 0, misses: 0, tasks: new Set() };
      this.#noted.set(at, noted);
    }
    if (asked) {
      noted.queries += times;
      if (hit) noted.hits += times;
    } else {
      noted.guesses += times;
      if (hit) noted.guessed += times;
    }
    if (!hit) noted.misses++;
    // A task uses what it asked for and got.
    else if (asked && noted.tasks.size < MOST_TASKS) noted.tasks.add(task);
    this.#timer ??= setTimeout(() => void this.flush().catch(this.settings.failed), this.settings.flushMs);
  }

  /** Writes what was noted until now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const all = [...this.#noted.values()];
    if (all.length === 0) return;
    this.#noted = new Map();
    await this.queue.at('noted');
    let added = 0;
    const missed = await this.store.locked(async (trx) => {
      const names = [...new Set(all.map(({ name }) => name))];
      const known = await this.#known(trx, names);
      const room = this.settings.operators - this.#operators;
      const fresh = new Map<string, OperatorKey>();
      for (const { name, key } of all)
        if (!known.has(name) && (fresh.has(name) || fresh.size < room)) fresh.set(name, key);
      added = fresh.size;
      const first = this.settings.now();
      const rows = [...fresh].map(([name, key]) => {
        const { operator, device } = key;
        return { name, key: keyText(key), operator, device, first };
      });
      await this.store.insert(trx, 'operators', rows, ['name']);
      const kept = all.filter(({ name }) => known.has(name) || fresh.has(name));
      await this.#counts(trx, kept);
      return this.queue.collect(
        trx,
        kept.filter(({ misses }) => misses > 0),
      );
    });
    this.#operators += added;
    await this.queue.collected(missed);
  }

  async #known(trx: Knex.Transaction, names: readonly string[]): Promise<Set<string>> {
    const known = new Set<string>();
    for (let at = 0; at < names.length; at += 1000)
      for (const { name } of (await trx('operators')
        .select('name')
        .whereIn('name', names.slice(at, at + 1000))) as { name: string }[])
        known.add(name);
    return known;
  }

  async #counts(trx: Knex.Transaction, kept: readonly Noted[]): Promise<void> {
    const rows = kept.map(({ name, hour, queries, hits, guesses, guessed }) => {
      return { name, hour, queries, hits, guesses, guessed };
    });
    const sum = (column: string) => trx.raw('?? + ??', [`counts.${column}`, `excluded.${column}`]);
    await this.store.insert(trx, 'counts', rows, ['name', 'hour'], () => ({
      queries: sum('queries'),
      hits: sum('hits'),
      guesses: sum('guesses'),
      guessed: sum('guessed'),
    }));
    // Names of tasks are what clients say: there is an end to keeping them.
    const room = Math.max(0, MOST_USES * this.settings.operators - this.#uses);
    const uses = kept
      .flatMap(({ name, hour, tasks }) => [...tasks].map((task) => ({ name, task, hour })))
      .slice(0, room);
    this.#uses += uses.length;
    await this.store.insert(trx, 'uses', uses, ['name', 'task'], () => ({ hour: trx.raw('excluded.hour') }));
  }

  /**
   * Forgets counts of long ago; and operators that nothing came of and that nobody has asked for in a day, with their counts: there is room for so many operators, and
   * whoever asks may ask for what there is not.
   */
  async sweep(keptHours: number): Promise<void> {
    const hour = Math.floor(this.settings.now() / HOUR);
    for (const table of ['counts', 'uses'])
      await this.store
        .db(table)
        .where('hour', '<', hour - keptHours)
        .delete();
    const since = { hour: hour - UNKNOWN_HOURS, at: (hour - UNKNOWN_HOURS) * HOUR };
    await this.store.locked(async (trx) => {
      const named = (table: string) => trx(table).whereRaw('?? = ??', [`${table}.name`, 'operators.name']);
      await trx('operators')
        .where('first', '<', since.at)
        .whereNotExists(named('records'))
        .whereNotExists(named('queue'))
        .whereNotExists(
          named('failures').where('at', '>=', this.settings.now() - this.queue.settings.retryMs),
        )
        .whereNotExists(named('counts').where('hour', '>=', since.hour))
        .delete();
      for (const table of ['counts', 'uses', 'failures', 'explorations'])
        await trx(table)
          .whereNotExists(trx('operators').whereRaw('?? = ??', ['operators.name', `${table}.name`]))
          .delete();
    });
    await this.open();
  }
}
