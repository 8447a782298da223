// The schema of a database: made by whoever of several starts first, all of it or nothing, whatever was left by who was killed.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import knex from 'knex';
import { Database } from '../../examples/clinic/service/database.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { startProcess } from '../lib/started.mjs';
import { SERVER, settings, skip } from './clinic.mjs';
import { skip as noPostgres, startPostgres } from './postgres.mjs';

test('several that start at once on a new database of SQLite', { skip }, async () => {
  const env = settings(temporaryFolder());
  const invite = () => startProcess(SERVER, ['invite', 'admin'], env, /"code":"(\S+?)"/);
  const codes = (await Promise.all([1, 2, 3, 4].map(invite))).map(({ first }) => first);
  assert.equal(new Set(codes).size, 4);
});

test('several that start at once on a new database of PostgreSQL', { skip: noPostgres }, async () => {
  const postgres = await startPostgres();
  const config = { data: temporaryFolder(), database: postgres.url };
  const opened = await Promise.all([1, 2, 3, 4].map(() => Database.open(config)));
  for (const { db } of opened) assert.equal((await db('locks').select()).length, 1);
  await Promise.all(opened.map((database) => database.close()));
  await postgres.stop();
});

test('a lock that nobody holds any more keeps nobody out', { skip }, async () => {
  const data = temporaryFolder();
  const filename = join(data, 'clinic.sqlite');
  const db = knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true });
  await db.migrate.list({ migrationSource: { getMigrations: async () => [] } });
  await db('knex_migrations_lock').update({ is_locked: 1 });
  await db.destroy();
  const database = await Database.open({ data });
  assert.equal((await database.db('locks').select()).length, 1);
  await database.close();
});
