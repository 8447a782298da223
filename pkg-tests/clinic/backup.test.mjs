// Backup and restore, of SQLite and PostgreSQL, one into the other, while the service goes on; what was changed in a backup or in the log is found.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { ClinicClient } from '../../examples/clinic/client.mjs';
import * as first from '../../examples/clinic/migrations/001-first.mjs';
import { backup, restore } from '../../examples/clinic/service/backup.mjs';
import { BlobStore } from '../../examples/clinic/service/blobs.mjs';
import { Database, TABLES } from '../../examples/clinic/service/database.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import {
  command,
  FOLDER,
  patient,
  refused,
  SERVER,
  settings,
  skip,
  startService,
  study,
  tryCommand,
} from './clinic.mjs';
import { skip as noPostgres, startPostgres } from './postgres.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

/** Everything that a service has goes on in another one. */
async function move(from, to) {
  const all = await study(from, loom);
  const { department, asked, key, sum } = all;
  const { id } = await department.ask(asked);
  await department.wait(id);
  // Uploads go on while it is written.
  let on = true;
  let uploads = 0;
  const busy = (async () => {
    for (; on; uploads++)
      await all.clinics.north.upload(
        Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.from(`${uploads}`)]),
      );
  })();
  const code = from.invite('admin');
  const folder = join(temporaryFolder(), 'backup');
  const environment = { env: { ...process.env, ...from.env } };
  const { stdout } = await promisify(execFile)(process.execPath, [SERVER, 'backup', folder], environment);
  const { list } = JSON.parse(stdout);
  on = false;
  await busy;
  assert.ok(uploads > 0);
  await from.stop();

  const env = settings(temporaryFolder(), to);
  const { head } = command(env, 'restore', folder, list);
  assert.deepEqual(command(env, 'audit').head, head);
  const second = await startService({ data: env.CLINIC_DATA, env: to });
  department.url = new URL(second.url);
  // Sessions and invitations are of their time: what was ended or used would hold again.
  await assert.rejects(department.call('GET', '/me'), refused(401, 'token.invalid'));
  const late = { code, name: 'late', password: 'a long password' };
  await assert.rejects(ClinicClient.register(second.url, loom, late), refused(403, 'invite.invalid'));
  await department.login({ name: 'department', password: department.password });
  assert.deepEqual(await department.answer(id, key), { sum });
  const again = await department.ask(asked);
  await department.wait(again.id);
  assert.deepEqual(await department.answer(again.id, key), { sum });
  await second.stop();
  return { folder, list, env };
}

test('SQLite to SQLite; damage is found', { skip }, async () => {
  const { folder, list, env } = await move(await startService(), {});
  // Not over what is there, nor into what has files.
  const occupied = tryCommand(env, 'restore', folder, list);
  assert.match(occupied.stderr, /backup\.occupied/);
  const mine = temporaryFolder();
  writeFileSync(join(mine, 'mine'), '');
  for (const full of [folder, mine]) {
    const before = readdirSync(full);
    assert.match(tryCommand(env, 'backup', full).stderr, /backup\.exists/);
    assert.deepEqual(readdirSync(full), before);
  }

  const blob = join('blobs', readdirSync(join(folder, 'blobs'))[0]);
  const lines = (file) => readFileSync(join(folder, file), 'utf8').split('\n');
  const damages = {
    [blob]: (path) => writeFileSync(path, 'other bytes'),
    'users.jsonl': (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"analyst"', '"admin"')),
    'audit.jsonl': (path) => writeFileSync(path, lines('audit.jsonl').slice(1).join('\n')),
    SHA256SUMS: (path) => writeFileSync(path, lines('SHA256SUMS').slice(1).join('\n')),
    'grants.jsonl': (path) => rmSync(path),
  };
  for (const [file, damage] of Object.entries(damages)) {
    const copy = join(temporaryFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    damage(join(copy, file));
    const empty = settings(temporaryFolder());
    const { status, stderr } = tryCommand(empty, 'restore', copy, list);
    assert.equal(status, 1);
    assert.match(stderr, /backup\.damaged/, file);
    // All of it or nothing.
    assert.equal(command(empty, 'audit').entries, 0);
  }
  // A list that leads out of the folder.
  const copy = join(temporaryFolder(), 'copy');
  cpSync(folder, copy, { recursive: true });
  writeFileSync(
    join(copy, 'SHA256SUMS'),
    `${readFileSync(join(copy, 'SHA256SUMS'), 'utf8')}${'0'.repeat(64)}  ../../etc/passwd\n`,
  );
  assert.match(tryCommand(settings(temporaryFolder()), 'restore', copy).stderr, /backup\.damaged/);
  assert.ok(!existsSync(join(env.CLINIC_DATA, 'users.jsonl')));

  // The log in the database: its own ways do not change it, and what does is found.
  const db = new (Sqlite())(join(env.CLINIC_DATA, 'clinic.sqlite'));
  for (const change of ["update audit set actor = 'nobody' where seq = 3", 'delete from audit where seq = 3'])
    assert.throws(() => db.exec(change), /append-only/);
  assert.equal(command(env, 'audit').intact, true);
  db.exec("drop trigger audit_no_update; update audit set actor = 'nobody' where seq = 3");
  db.close();
  const checked = tryCommand(env, 'audit');
  assert.equal(checked.status, 1);
  assert.equal(JSON.parse(checked.stdout).brokenAt, 3);
});

const Sqlite = () => createRequire(join(FOLDER, 'package.json'))('better-sqlite3');
const pinned = (data) => readdirSync(join(data, 'blobs')).filter((name) => name.startsWith('pinned-'));

test('a backup waits for no change, and no change for a backup', { skip }, async () => {
  const service = await startService();
  const { client, asked, key } = await patient(service, loom);
  const [{ id, inputs }] = await client.call('GET', '/records');
  const db = new (Sqlite())(join(service.data, 'clinic.sqlite'));
  db.exec('begin immediate');
  const environment = { env: { ...process.env, ...service.env } };
  const first = join(temporaryFolder(), 'backup');
  await promisify(execFile)(process.execPath, [SERVER, 'backup', first], environment);
  db.exec('rollback');
  db.close();

  // What is deleted while blobs are pinned is in none of it.
  const database = await Database.open({ data: service.data, database: undefined });
  let deleted = false;
  class Busy extends BlobStore {
    async pins() {
      const pins = await super.pins();
      const add = async (sha) => {
        if (sha === inputs.value && !deleted) {
          await client.call('DELETE', `/records/${id}`);
          deleted = true;
        }
        return pins.add(sha);
      };
      return { ...pins, add };
    }
  }
  const second = join(temporaryFolder(), 'backup');
  const { list } = await backup(database, new Busy(join(service.data, 'blobs')), second);
  assert.equal(deleted, true);
  assert.ok(readdirSync(join(first, 'blobs')).includes(inputs.value));
  assert.ok(!readdirSync(join(second, 'blobs')).includes(inputs.value));
  command(settings(temporaryFolder()), 'restore', second, list);

  // Of one moment, while others go on.
  await database.snapshot(async (trx) => {
    const count = async () => (await trx('records').count({ all: '*' }).first()).all;
    const before = await count();
    await client.store({ program: asked.program, key, label: 'later', values: { value: [1, 2, 3, 4] } });
    assert.equal(await count(), before);
  });
  await database.close();
  assert.deepEqual(pinned(service.data), []);
});

test('a service that has stored nothing yet is backed up, and its files are its own', { skip }, () => {
  // Somebody else made the folder.
  const data = temporaryFolder();
  chmodSync(data, 0o755);
  const env = settings(data);
  command(env, 'invite', 'admin');
  const file = join(data, 'clinic.sqlite');
  const isOwn = () => assert.equal(statSync(file).mode & 0o077, 0);
  if (process.platform !== 'win32') {
    isOwn();
    // Of an older service.
    chmodSync(file, 0o644);
    command(env, 'invite', 'admin');
    isOwn();
  }
  const folder = join(temporaryFolder(), 'backup');
  const { list } = command(env, 'backup', folder);
  command(settings(temporaryFolder()), 'restore', folder, list);
});

test('what an ended backup pinned goes, what one pins now stays', { skip }, async () => {
  const data = temporaryFolder();
  const blobs = join(data, 'blobs');
  const old = new Date(Date.now() - 24 * 3_600_000);
  for (const name of ['pinned-old', 'pinned-now']) {
    mkdirSync(join(blobs, name), { recursive: true });
    writeFileSync(join(blobs, name, '0'.repeat(64)), 'deleted');
  }
  utimesSync(join(blobs, 'pinned-old'), old, old);
  const service = await startService({ data });
  assert.deepEqual(pinned(data), ['pinned-now']);
  await service.stop();
  // As the sweep does.
  utimesSync(join(blobs, 'pinned-now'), old, old);
  await new BlobStore(blobs).tidy();
  assert.deepEqual(pinned(data), []);
});

test('damaged and lost blobs are named, and nothing is left that looks like a backup', { skip }, async () => {
  const service = await startService();
  const { client, asked } = await patient(service, loom);
  const [{ inputs }] = await client.call('GET', '/records');
  const { blob } = await client.call('GET', `/programs/${asked.program}`);
  const path = (sha) => join(service.data, 'blobs', sha.slice(0, 2), sha);
  const bytes = readFileSync(path(blob));
  for (const sha of [inputs.value, blob]) appendFileSync(path(sha), 'x');
  const folder = temporaryFolder();
  const damaged = tryCommand(service.env, 'backup', folder);
  assert.equal(damaged.status, 1);
  for (const sha of [inputs.value, blob]) assert.ok(damaged.stderr.includes(sha), damaged.stderr);
  writeFileSync(path(blob), bytes);
  rmSync(path(inputs.value));
  const lost = tryCommand(service.env, 'backup', folder);
  assert.match(lost.stderr, /backup\.damaged/);
  assert.ok(lost.stderr.includes(inputs.value) && !lost.stderr.includes(blob), lost.stderr);
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual(pinned(service.data), []);
});

test('sessions and invitations of a backup that has them are left there', { skip }, async () => {
  const service = await startService();
  service.invite('client');
  const folder = join(temporaryFolder(), 'backup');
  command(service.env, 'backup', folder);
  assert.ok(!existsSync(join(folder, 'sessions.jsonl')) && !existsSync(join(folder, 'invites.jsonl')));
  const row = { hash: '0'.repeat(64), role: 'admin', creator: null, expires: Date.now() * 2, used_by: null };
  writeFileSync(join(folder, 'invites.jsonl'), `${JSON.stringify(row)}\n`);
  const sha = createHash('sha256')
    .update(readFileSync(join(folder, 'invites.jsonl')))
    .digest('hex');
  appendFileSync(join(folder, 'SHA256SUMS'), `${sha}  invites.jsonl\n`);
  const env = settings(temporaryFolder());
  command(env, 'restore', folder);
  const db = new (Sqlite())(join(env.CLINIC_DATA, 'clinic.sqlite'));
  assert.deepEqual(db.prepare('select * from invites').all(), []);
  db.close();
});

async function texts(database) {
  const opened = await Database.open({ data: temporaryFolder(), database });
  const blobs = new BlobStore(join(temporaryFolder(), 'blobs'));
  await blobs.open();
  const ends = ['', '\u2028', '\u2029', '\u0085', '\r', '\n', '\r\n', ''].join('text');
  // Together longer than what is read at a time, with letters of several bytes where that ends.
  const rows = Array.from({ length: 400 }, (_, at) => ({
    ...{ id: String(at), owner: 'somebody', program: 'one', key_set: 'one', inputs: '{}' },
    ...{ label: `${ends}${'é'.repeat(100 + at)}`, created: at, deleted: null },
  }));
  await opened.db.batchInsert('records', rows, 50);
  const folder = join(temporaryFolder(), 'backup');
  const { list } = await backup(opened, blobs, folder);
  await opened.db('records').delete();
  await restore(opened, blobs, folder, list);
  assert.deepEqual(await opened.db('records').orderBy('created'), rows);
  await opened.close();
}

test('texts with any ends of lines come back', { skip }, () => texts(undefined));

test('the same of PostgreSQL', { skip: noPostgres }, async () => {
  const database = await startPostgres();
  await texts(database.url);
  await database.stop();
});

/** The same data in a database of the first schema, as a service from before wrote it. */
async function older(data) {
  const Knex = createRequire(join(FOLDER, 'package.json'))('knex');
  const folder = temporaryFolder();
  cpSync(join(data, 'blobs'), join(folder, 'blobs'), { recursive: true });
  const db = Knex({
    ...{ client: 'better-sqlite3', connection: { filename: join(folder, 'clinic.sqlite') } },
    ...{ useNullAsDefault: true, pool: { min: 1, max: 1 } },
  });
  const migrationSource = {
    getMigrations: async () => ['001-first'],
    getMigrationName: String,
    getMigration: async () => first,
  };
  await db.migrate.latest({ migrationSource });
  await db.raw('attach database ? as newer', [join(data, 'clinic.sqlite')]);
  for (const table of Object.keys(TABLES)) {
    const columns = (await db.raw('select name from pragma_table_info(?)', [table])).map(({ name }) => name);
    const names = columns.map(() => '??').join();
    await db.raw(`insert into main.?? select ${names} from newer.??`, [table, ...columns, table]);
  }
  await db.destroy();
  return folder;
}

test('a database and a backup of the first schema are brought up to date', { skip }, async () => {
  const service = await startService();
  const { client, asked, key } = await patient(service, loom, 'patient', { long: true });
  const gone = await client.issueKeys(asked.program);
  await client.call('DELETE', `/keys/${gone}`);
  const told = async (data) => {
    const database = await Database.open({ data, database: undefined });
    const rows = await database.db('key_sets').select('id', 'identity');
    const indexes = await database.db('sqlite_master').where({ type: 'index' }).whereNotNull('sql').pluck('name');
    await database.close();
    return { identities: Object.fromEntries(rows.map(({ id, identity }) => [id, identity])), indexes: indexes.sort() };
  };
  const expected = await told(service.data);
  assert.match(expected.identities[key], /^[0-9a-f]{64}$/);
  assert.equal(expected.identities[gone], null);
  await service.stop();

  const data = await older(service.data);
  const folder = join(temporaryFolder(), 'backup');
  // Also by a command, before a service looks at the keys.
  command(settings(data), 'backup', folder);
  const { identities, indexes } = await told(data);
  assert.deepEqual([identities[key], indexes], [null, expected.indexes]);
  const second = await startService({ data });
  client.url = new URL(second.url);
  assert.deepEqual(await told(data), expected);
  await client.ask(asked);
  await second.stop();

  // As that one wrote it, without what it did not know.
  const [sums, file] = ['SHA256SUMS', 'key_sets.jsonl'].map((name) => join(folder, name));
  const rows = readFileSync(file, 'utf8').replaceAll(',"identity":null', '');
  const sha = (text) => createHash('sha256').update(text).digest('hex');
  writeFileSync(sums, readFileSync(sums, 'utf8').replace(sha(readFileSync(file)), sha(rows)));
  writeFileSync(file, rows);
  assert.doesNotMatch(rows, /identity/);
  const restored = settings(temporaryFolder());
  command(restored, 'restore', folder);
  assert.deepEqual(await told(restored.CLINIC_DATA), expected);
});

test('SQLite to PostgreSQL, and back', { skip: skip || noPostgres }, async () => {
  const database = await startPostgres();
  const there = await move(await startService(), { CLINIC_DATABASE: database.url });
  const folder = join(temporaryFolder(), 'backup');
  const { list } = command(there.env, 'backup', folder);
  const back = settings(temporaryFolder());
  const { head } = command(back, 'restore', folder, list);
  assert.equal(command(back, 'audit').head, head);
  await database.stop();
  // A database that is away is an error with a name, and without its password.
  const { status, stderr } = tryCommand(there.env, 'audit');
  assert.equal(status, 1);
  assert.match(stderr, /database\.closed/);
  assert.ok(!stderr.includes('a%20password') && !stderr.includes('a password'));
});
