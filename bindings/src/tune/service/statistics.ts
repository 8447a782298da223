/**
 * What maintainers look at (SPEC T2, T8; seed 003 ¶118-122). Over the hours of a window: hit rate of an operator = hits / queries (R26), where a query is an operator that a task
 * asked for, answered by the store or, as clients tell with their next request, by their cache; what predictors guessed is counted apart. Reuse = how many
 * tasks asked for it and received it.
 */
import type { Knex } from 'knex';
import { readKey } from '../key.js';
import { KINDS } from '../record.js';
import type { Kind, TuneRecord } from '../record.js';
import { Refusal } from './errors.js';
import { HOUR } from './ledger.js';
import type { KindStatistics, OperatorStatistics, Order, Statistics } from './statistics-types.js';
import type { Store } from './store.js';

interface Sums {
  readonly queries: number | string | null;
  readonly hits: number | string | null;
  readonly guesses: number | string | null;
  readonly guessed: number | string | null;
}

const SUMS = { queries: 'queries', hits: 'hits', guesses: 'guesses', guessed: 'guessed' };

export class StatisticsOf {
  constructor(
    readonly store: Store,
    readonly now: () => number,
  ) {}

  #since(hours: number): number {
    return Math.floor(this.now() / HOUR) - hours + 1;
  }

  async all(hours: number): Promise<Statistics> {
    const { db } = this.store;
    const count = async (table: string): Promise<number> =>
      Number(((await db(table).count({ count: '*' }).first()) as { count: number | string }).count);
    const sums = (await db('counts').where('hour', '>=', this.#since(hours)).sum(SUMS).first()) as Sums;
    const queue = { collected: 0, queued: 0, leased: 0 };
    const states = (await db('queue').groupBy('state').select('state').count({ count: '*' })) as unknown as {
      state: keyof typeof queue;
      count: number | string;
    }[];
    for (const { state, count } of states) queue[state] = Number(count);
    return {
      hours,
      ...rates(sums),
      operators: await count('operators'),
      records: await count('records'),
      failures: await count('failures'),
      explorations: await count('explorations'),
      queue,
      kinds: await this.#kinds(hours),
    };
  }

  /** By records, a page at a time: they are read as JSON, whichever the database. */
  async #kinds(hours: number): Promise<KindStatistics[]> {
    const { db } = this.store;
    const zero = { operators: 0, best: 0, hits: 0, searched: 0, said: 0, waited: 0 };
    const sums = Object.fromEntries(KINDS.map((kind) => [kind, { ...zero }])) as Record<Kind, typeof zero>;
    for (let after = ''; ;) {
      const rows = (await db('records')
        .where('name', '>', after)
        .orderBy('name')
        .limit(1000)
        .select('name', 'record', 'kind', 'waited')) as {
        name: string;
        record: string;
        kind: Kind;
        waited: number;
      }[];
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.name;
      for (const { record, kind, waited } of rows) {
        sums[kind].best++;
        sums[kind].waited += waited;
        const { best } = JSON.parse(record) as TuneRecord;
        for (const one of KINDS) {
          const found = best[one];
          if (found === undefined) continue;
          sums[one].operators++;
          if (found.searched === undefined) continue;
          sums[one].searched += found.searched;
          sums[one].said++;
        }
      }
    }
    const hits = (await db('counts')
      .join('records', 'counts.name', 'records.name')
      .where('hour', '>=', this.#since(hours))
      .groupBy('kind')
      .select('kind')
      .sum({ hits: 'hits' })) as { kind: Kind; hits: number | string }[];
    for (const { kind, hits: some } of hits) sums[kind].hits = Number(some);
    const mean = (sum: number, of: number): number | null => (of === 0 ? null : sum / of);
    return KINDS.map((kind) => {
      const { operators, best, hits: all, searched, said, waited } = sums[kind];
      return { kind, operators, best, hits: all, searched: mean(searched, said), waited: mean(waited, best) };
    });
  }

  /** A page of operators, the most wanted first. */
  async operators(hours: number, order: Order, limit: number, offset: number): Promise<OperatorStatistics[]> {
    const { db } = this.store;
    const by = { queries: 'sum(queries)', hits: 'sum(hits)', misses: 'sum(queries) - sum(hits)' }[order];
    const rows = (await db('counts')
      .where('hour', '>=', this.#since(hours))
      .groupBy('name')
      .orderByRaw(`${by} desc, name`)
      .limit(limit)
      .offset(offset)
      .select('name')) as { name: string }[];
    const all = [];
    for (const { name } of rows) all.push(await this.operator(name, hours));
    return all;
  }

  /** One operator. Errors: 404. */
  async operator(name: string, hours: number): Promise<OperatorStatistics> {
    const { db } = this.store;
    const row = (await db('operators').where({ name }).first()) as { key: string } | undefined;
    if (row === undefined) throw new Refusal(404, 'not.found', 'There is no such operator');
    const since = this.#since(hours);
    const sums = (await db('counts').where({ name }).where('hour', '>=', since).sum(SUMS).first()) as Sums;
    const count = async (query: Knex.QueryBuilder): Promise<number> =>
      Number(((await query.count({ count: '*' }).first()) as { count: number | string }).count);
    const known = await count(db('records').where({ name }));
    const queued = (await db('queue').where({ name }).first('state')) as { state: 'queued' } | undefined;
    const failed = (await db('failures').where({ name }).first('reason')) as { reason: string } | undefined;
    return {
      name,
      key: readKey(row.key),
      ...rates(sums),
      reuse: await count(db('uses').where({ name }).where('hour', '>=', since)),
      explorations: await count(db('explorations').where({ name })),
      state: known > 0 ? 'known' : (queued?.state ?? (failed === undefined ? 'none' : 'failed')),
      failure: failed?.reason ?? null,
    };
  }
}

function rates(sums: Sums) {
  const number = (value: number | string | null): number => Number(value ?? 0);
  const [queries, hits] = [number(sums.queries), number(sums.hits)];
  const hitRate = queries === 0 ? null : hits / queries;
  return { queries, hits, hitRate, guesses: number(sums.guesses), guessed: number(sums.guessed) };
}
