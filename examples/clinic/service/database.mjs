/** The database: SQLite in a file, or PostgreSQL by an address, with one schema by knex. */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import knex from 'knex';
import * as first from '../migrations/001-first.mjs';
import * as second from '../migrations/002-lists.mjs';
import * as third from '../migrations/003-reading.mjs';
import { entryAfter } from './audit.mjs';
import { noToken, ServiceError } from './errors.mjs';

/** Migrations in order. New ones go to the end, and none is changed once it was released. */
const MIGRATIONS = { '001-first': first, '002-lists': second, '003-reading': third };

/** All tables with data, in an order in which they can be filled, and what their rows are in order by. */
export const TABLES = {
  ...{ users: ['id'], invites: ['hash'], sessions: ['hash'], blobs: ['sha'], uploads: ['user', 'sha'] },
  ...{ uses: ['sha', 'kind', 'id'], programs: ['id'], key_sets: ['id'], key_requests: ['id'] },
  ...{ records: ['id'], grants: ['id'], questions: ['id'], audit: ['seq'] },
};

/** A file name of SQLite, or an address of PostgreSQL; no password in errors. */
const SQLITE = 'clinic.sqlite';

/** What fails is in the log, and values are not to be: neither what questions are given nor hashes of passwords. */
const QUIET = { compileSqlOnError: false };

export class Database {
  /** @param {import('knex').Knex} db */
  constructor(db) {
    this.db = db;
  }

  /**
   * Opens it, and brings its schema up to date. Errors: ServiceError `database.driver` (what to install), `database.closed` (it cannot be reached).
   * @param {Pick<import('./config.mjs').Config, 'data' | 'database'>} config
   */
  static async open({ data, database }) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const db = database === undefined ? await sqlite(join(data, SQLITE)) : await postgres(database);
    try {
      await bringUpToDate(db);
    } catch (error) {
      await db.destroy();
      throw new ServiceError(
        500,
        'database.closed',
        `The database does not open: ${error.code ?? error.name}`,
        {
          found: error.code ?? error.message.split('\n')[0],
          expected: database === undefined ? `a file ${SQLITE} of this service` : 'a PostgreSQL of its own',
        },
      );
    }
    return new Database(db);
  }

  /**
   * Changes something, and says so in the audit log, both or neither. Changes happen one after the other: the log is a chain.
   * @template T
   * @param {{actor: string | {id: string, session: string}, action: string, subject?: string, details?: object}} entry without secrets and values; `subject` and `details` may be set by
   * `work`. `actor`: a user, whose session has to hold still, however long the request took to come; or what acts without one
   * @param {(trx: import('knex').Knex.Transaction, entry: any) => Promise<T>} work
   * @returns {Promise<T>}
   * Errors: 401 `token.invalid`
   */
  change({ actor, ...entry }, work) {
    return this.locked(async (trx) => {
      // Who is disabled or gets another role has none any more. One that has expired is gone with the next login of anybody, so an upload that outlasts it must not depend on that.
      if (typeof actor !== 'string' && !(await this.session(actor.session, trx))) throw noToken();
      const said = {
        ...{ actor: typeof actor === 'string' ? actor : actor.id },
        ...{ subject: '', details: {}, ...entry },
      };
      const result = await work(trx, said);
      const last = await trx('audit').orderBy('seq', 'desc').first();
      await trx('audit').insert(entryAfter(last, said));
      return result;
    });
  }

  /** The user of a session that holds; undefined where it has ended or expired. */
  session(hash, trx = this.db) {
    return trx('sessions').where({ hash }).where('expires', '>', Date.now()).first('user');
  }

  /** A transaction that no other such one runs beside: its first statement takes a row (and in SQLite the file) that all of them take. */
  locked(work) {
    return this.db.transaction(async (trx) => {
      await trx('locks').where({ name: 'change' }).increment('turn', 1);
      return work(trx);
    });
  }

  /** Reads all of one moment, beside which changes go on. */
  snapshot(work) {
    // What SQLite reads is of one moment as it is, and its transactions write only where something is changed.
    const sqlite = this.db.client.config.client === 'better-sqlite3';
    return this.db.transaction(work, sqlite ? {} : { isolationLevel: 'repeatable read', readOnly: true });
  }

  close() {
    return this.db.destroy();
  }
}

const MIGRATING = {
  tableName: 'knex_migrations',
  migrationSource: {
    getMigrations: async () => Object.keys(MIGRATIONS),
    getMigrationName: String,
    getMigration: async (name) => MIGRATIONS[name],
  },
};
/** The first statement of a transaction that another one waits for, whether there are tables or not. It goes with who holds it, however that ends. */
const ALONE = {
  'better-sqlite3': 'pragma user_version = 1',
  pg: 'select pg_advisory_xact_lock(7205759403)',
};

/** All of it or nothing, by one of those that start at once: the others wait, and find it done. */
async function bringUpToDate(db) {
  // Looking waits for nobody who writes. Where there is no table, it would make one.
  if (await db.schema.hasTable(MIGRATING.tableName)) {
    const [, missing] = await db.migrate.list(MIGRATING);
    if (missing.length === 0) return;
  }
  await db.transaction(async (trx) => {
    await trx.raw(ALONE[db.client.config.client]);
    // A row says so too, and might be one of somebody who was killed.
    await trx.migrate.forceFreeMigrationsLock(MIGRATING);
    await trx.migrate.latest(MIGRATING);
  });
}

async function sqlite(filename) {
  try {
    await import('better-sqlite3');
  } catch {
    throw new ServiceError(
      500,
      'database.driver',
      'SQLite needs the package better-sqlite3: npm install better-sqlite3@12',
      {
        expected: 'better-sqlite3',
      },
    );
  }
  keepToOwner(filename);
  return knex({
    ...QUIET,
    client: 'better-sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (connection, done) => {
        // What was answered is on the disk, also when the power goes.
        for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'busy_timeout = 30000'])
          connection.pragma(pragma);
        done(null, connection);
      },
    },
  });
}

/** SQLite would make it readable to all of this machine, and its other files like it, and so did older services. */
function keepToOwner(filename) {
  closeSync(openSync(filename, 'a', 0o600));
  for (const end of ['', '-wal', '-shm']) {
    try {
      chmodSync(filename + end, 0o600);
    } catch {
      // Not there, or somebody else's, who says who reads it.
    }
  }
}

async function postgres(connectionString) {
  const { default: pg } = await import('pg');
  // Times and sizes stay below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  return knex({ ...QUIET, client: 'pg', connection: { connectionString }, pool: { min: 0, max: 10 } });
}
