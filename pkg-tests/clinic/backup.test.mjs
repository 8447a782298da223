// Backup and restore, of SQLite and PostgreSQL, one into the other, while the service goes on; what was changed in a backup or in the log is found.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { temporaryFolder } from '../lib/own.mjs';
import { command, FOLDER, SERVER, settings, skip, startService, study, tryCommand } from './clinic.mjs';
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
  assert.match(tryCommand(env, 'backup', folder).stderr, /backup\.exists/);

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
  const Database = createRequire(join(FOLDER, 'package.json'))('better-sqlite3');
  const db = new Database(join(env.CLINIC_DATA, 'clinic.sqlite'));
  for (const change of ["update audit set actor = 'nobody' where seq = 3", 'delete from audit where seq = 3'])
    assert.throws(() => db.exec(change), /append-only/);
  assert.equal(command(env, 'audit').intact, true);
  db.exec("drop trigger audit_no_update; update audit set actor = 'nobody' where seq = 3");
  db.close();
  const checked = tryCommand(env, 'audit');
  assert.equal(checked.status, 1);
  assert.equal(JSON.parse(checked.stdout).brokenAt, 3);
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
