/** A cache in a file of SQLite, in Node: an optional peer, better-sqlite3. Several processes may share a file. */
import { checkArgument, TEXT } from '../../arguments.js';
import { keyText } from '../key.js';
import { wrong } from '../wrong.js';
import type { TuneCache } from './types.js';

interface Statement {
  run(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
}

interface Sqlite {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  transaction(work: () => void): () => void;
  close(): void;
}

/** Opens, or makes, a file. Errors: TuneError `tune.library` (what to install), `tune.cache` of a file that is none of these; InputError `input.type`. */
export async function sqliteCache(path: string): Promise<TuneCache> {
  // Without a path SQLite would keep it nowhere.
  checkArgument('sqliteCache, path', path, TEXT);
  const name = 'better-sqlite3';
  let Database: new (path: string) => Sqlite;
  try {
    // By a variable: neither compiler nor bundlers look for what need not be installed.
    ({ default: Database } = (await import(name)) as { default: typeof Database });
  } catch (cause) {
    throw wrong('tune.library', 'a cache in a file', 'none', 'npm install better-sqlite3@12', cause);
  }
  const opened = attempt('open', () => {
    const db = new Database(path);
    try {
      for (const pragma of ['busy_timeout = 10000', 'journal_mode = WAL', 'synchronous = NORMAL'])
        db.pragma(pragma);
      db.exec(
        'create table if not exists tune_records (key text primary key, device text not null, record text not null)',
      );
      db.exec('create index if not exists tune_records_device on tune_records (device)');
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
  function attempt<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      const found = (cause as { code?: string }).code ?? String(cause);
      throw wrong('tune.cache', `cache, ${what}`, found, 'a file of this cache, or none', cause);
    }
  }
  return {
    load: async (device, most) =>
      attempt('load', () =>
        (
          opened
            .prepare('select key, record from tune_records where device = ? order by rowid desc limit ?')
            .all(device, most) as {
            key: string;
            record: string;
          }[]
        )
          .map(({ key, record }) => [key, read(record)] as const)
          .reverse(),
      ),
    put: async (records, most) =>
      attempt('put', () => {
        // A row that is replaced is a new row, whose number is the largest.
        const put = opened.prepare(
          'insert or replace into tune_records (key, device, record) values (?, ?, ?)',
        );
        const prune = opened.prepare(
          'delete from tune_records where device = ? and rowid not in (select rowid from tune_records where device = ? order by rowid desc limit ?)',
        );
        opened.transaction(() => {
          for (const record of records.values())
            put.run(keyText(record.key), record.key.device, JSON.stringify(record));
          for (const device of new Set([...records.values()].map(({ key }) => key.device)))
            prune.run(device, device, most);
        })();
      }),
    remove: async (keys) =>
      attempt('remove', () => {
        const remove = opened.prepare('delete from tune_records where key = ?');
        opened.transaction(() => {
          for (const key of keys) remove.run(key);
        })();
      }),
    close: async () => attempt('close', () => opened.close()),
  };
}

/** What is no JSON is no record, which the client finds out. */
function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
