/** The database: SQLite in a file, or PostgreSQL by an address, with one schema by knex. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { wrong } from '../wrong.js';
import { driver } from './libraries.js';
import type { Libraries } from './libraries.js';
import * as first from './migrations/first.js';

/** Migrations in order. New ones go to the end, and none is changed once it was released. */
const MIGRATIONS: Readonly<Record<string, Knex.Migration>> = { '001-first': first };

/** SQLite takes so many values in one statement (32 766), and PostgreSQL twice as many. */
const MOST_VALUES = 10_000;

export class Store {
  private constructor(readonly db: Knex) {}

  /** Opens it, and brings its schema up to date. Errors: TuneError `tune.library`, `tune.service` where it does not open; no password is told. */
  static async open(libraries: Libraries, data: string, database: string | undefined): Promise<Store> {
    const db = database === undefined ? await sqlite(libraries, data) : await postgres(libraries, database);
    try {
      await db.migrate.latest({
        migrationSource: {
          getMigrations: async () => Object.keys(MIGRATIONS),
          getMigrationName: String,
          getMigration: async (name: string) => MIGRATIONS[name] as Knex.Migration,
        },
      });
    } catch (error) {
      await db.destroy();
      const { code, message } = error as { code?: string; message: string };
      const expected = database === undefined ? 'a file of this service' : 'a PostgreSQL of its own';
      throw wrong('tune.service', 'database', code ?? message.split('\n')[0] ?? 'an error', expected);
    }
    return new Store(db);
  }

  /** A transaction that no other such one runs beside: its first statement takes a row (and in SQLite the file) that all of them take. */
  locked<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.db.transaction(async (trx) => {
      await trx('locks').where({ name: 'queue' }).increment('turn', 1);
      return work(trx);
    });
  }

  /** Inserts rows, as many at a time as a statement takes. `conflict`: what to do where there is one already. */
  async insert(
    trx: Knex.Transaction,
    table: string,
    rows: readonly object[],
    conflict: readonly string[],
    merge?: (table: string) => Record<string, Knex.Raw | unknown>,
  ): Promise<void> {
    const width = Object.keys(rows[0] ?? {}).length;
    const step = Math.floor(MOST_VALUES / Math.max(width, 1));
    for (let at = 0; at < rows.length; at += step) {
      const insert = trx(table)
        .insert(rows.slice(at, at + step))
        .onConflict([...conflict]);
      await (merge === undefined ? insert.ignore() : insert.merge(merge(table)));
    }
  }

  close(): Promise<void> {
    return this.db.destroy();
  }
}

async function sqlite({ knex }: Libraries, data: string): Promise<Knex> {
  await driver('better-sqlite3');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return knex({
    client: 'better-sqlite3',
    connection: { filename: join(data, 'tune.sqlite') },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (
        connection: { pragma(text: string): void },
        done: (error: null, made: unknown) => void,
      ) => {
        // What was answered is on the disk, also when the power goes.
        for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'busy_timeout = 30000'])
          connection.pragma(pragma);
        done(null, connection);
      },
    },
  });
}

async function postgres({ knex }: Libraries, connectionString: string): Promise<Knex> {
  const pg = (await driver('pg')).default as {
    types: { setTypeParser(id: number, read: (text: string) => unknown): void; builtins: { INT8: number } };
  };
  // Times and counts stay below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  return knex({ client: 'pg', connection: { connectionString }, pool: { min: 0, max: 10 } });
}
