/**
 * Backup and restore: rows as lines of JSON, all blobs, and a list of their SHA-256, whose own is printed: keep it elsewhere. The same of SQLite and PostgreSQL, so that one
 * becomes the other. It holds hashes of passwords, as the database does, and no key that decrypts anything.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyChain } from './audit.mjs';
import { synced } from './blobs.mjs';
import { TABLES } from './database.mjs';
import { ServiceError } from './errors.mjs';
import { identify } from './keys.mjs';

const LIST = 'SHA256SUMS';
/** Rows that are read or written at a time. */
const BATCH = 50;
/** What is of its time alone: brought back, sessions that were ended and invitations that were used would hold again. */
const PASSING = ['invites', 'sessions'];
const KEPT = Object.keys(TABLES).filter((table) => !PASSING.includes(table));

/**
 * Writes a backup into a new folder, of one moment, while the service goes on. Gives the SHA-256 of its list. Errors, after which nothing of it is left:
 * `backup.exists`, `backup.damaged`.
 */
export async function backup(database, blobs, folder) {
  const there = await readdir(folder).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  if (there.length > 0)
    throw new ServiceError(500, 'backup.exists', 'A backup goes into a folder of its own', { found: folder });
  await mkdir(join(folder, 'blobs'), { recursive: true, mode: 0o700 });
  const pins = await blobs.pins();
  try {
    return await write(database, pins, folder);
  } catch (error) {
    // The folder itself was perhaps there.
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    throw error;
  } finally {
    await pins.close();
  }
}

async function write(database, pins, folder) {
  const sums = [];
  for (let missing = new Set(), whole = false; !whole;) {
    whole = await database.snapshot(async (trx) => {
      const again = new Set();
      for await (const rows of pages(trx, 'blobs'))
        for (const { sha } of rows) if (!(await pins.add(sha))) again.add(sha);
      // Removed since that moment: another one is taken, by which all others are pinned already. What that one names as well is nowhere.
      const lost = [...again].filter((sha) => missing.has(sha));
      if (lost.length > 0) throw broken(lost);
      missing = again;
      if (again.size > 0) return false;
      for (const table of KEPT) sums.push(await writeTable(trx, table, folder));
      return true;
    });
  }
  const damages = [];
  for await (const { sha } of lines(join(folder, 'blobs.jsonl'))) {
    const file = join('blobs', sha);
    await copyFile(pins.path(sha), join(folder, file));
    if ((await fileHash(join(folder, file))) !== sha) damages.push(sha);
    sums.push([sha, file]);
  }
  if (damages.length > 0) throw broken(damages);
  const list = sums.map(([sha, file]) => `${sha}  ${file}\n`).join('');
  await writeFile(join(folder, LIST), list, { mode: 0o600 });
  for (const file of [LIST, ...sums.map(([, file]) => file), 'blobs', '.']) await synced(join(folder, file));
  return { files: sums.length, list: createHash('sha256').update(list).digest('hex') };
}

/** All rows of a table, some at a time. */
async function* pages(trx, table) {
  const names = TABLES[table];
  const [columns, places] = ['??', '?'].map((each) => names.map(() => each).join());
  for (let last; ;) {
    const query = trx(table)
      .orderBy(names.map((column) => ({ column })))
      .limit(BATCH);
    if (last) query.whereRaw(`(${columns}) > (${places})`, [...names, ...names.map((name) => last[name])]);
    const rows = await query;
    yield rows;
    if (rows.length < BATCH) return;
    last = rows.at(-1);
  }
}

async function writeTable(trx, table, folder) {
  const file = `${table}.jsonl`;
  const hash = createHash('sha256');
  const out = await open(join(folder, file), 'wx', 0o600);
  try {
    for await (const rows of pages(trx, table)) {
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      hash.update(text);
      await out.writeFile(text);
    }
  } finally {
    await out.close();
  }
  return [hash.digest('hex'), file];
}

/**
 * Fills an empty service from a backup, all of it or nothing. `list`: its SHA-256, as {@link backup} gave it, where it is known: without it whoever could write to the backup
 * is believed. Errors: `backup.damaged`, `backup.occupied`.
 */
export async function restore(database, blobs, folder, list) {
  const text = await readFile(join(folder, LIST), 'utf8').catch(() => {
    throw damaged(LIST);
  });
  if (list !== undefined && createHash('sha256').update(text).digest('hex') !== list) throw damaged(LIST);
  const files = new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  for (const table of KEPT) if (!files.has(`${table}.jsonl`)) throw damaged(`${table}.jsonl`);
  for (const [file, sha] of files) {
    // Names in a list from elsewhere become no paths.
    if (!/^([a-z_]+\.jsonl|blobs\/[0-9a-f]{64})$/.test(file)) throw damaged(LIST);
    if ((await fileHash(join(folder, file)).catch(() => undefined)) !== sha) throw damaged(file);
  }
  const chain = await verifyChain(lines(join(folder, 'audit.jsonl')));
  if (!chain.intact) throw damaged(`audit.jsonl, entry ${chain.brokenAt}`);
  await database.locked(async (trx) => {
    for (const table of Object.keys(TABLES))
      if (await trx(table).first())
        throw new ServiceError(500, 'backup.occupied', 'A backup is restored into an empty service', {
          found: table,
        });
    for (const table of KEPT) {
      let batch = [];
      const write = async () => {
        if (batch.length > 0) await trx(table).insert(batch);
        batch = [];
      };
      for await (const row of lines(join(folder, `${table}.jsonl`))) {
        batch.push(row);
        if (batch.length === BATCH) await write();
      }
      await write();
    }
    for (const { sha } of await trx('blobs').select('sha')) {
      if (!files.has(`blobs/${sha}`)) throw damaged(`blobs/${sha}`);
      await blobs.keep(
        await blobs.receive(createReadStream(join(folder, 'blobs', sha)), { most: Infinity, left: Infinity }),
      );
    }
    // Of backups that do not have them yet.
    await identify(trx, blobs);
  });
  return { files: files.size, head: chain.head };
}

/** Rows, one a line. Texts in them may have any other ends of lines, raw: JSON has U+2028 so, and some versions of `readline` split there. */
async function* lines(file) {
  let begun = [];
  for await (const text of createReadStream(file, 'utf8')) {
    const [end, ...others] = text.split('\n');
    begun.push(end);
    for (const next of others) {
      const line = begun.join('');
      begun = [next];
      if (line !== '') yield JSON.parse(line);
    }
  }
  const last = begun.join('');
  if (last !== '') yield JSON.parse(last);
}

async function fileHash(file) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Blobs that are not what their names say, or are not there, before they are in any backup. */
function broken(shas) {
  const found = shas.join(', ');
  return new ServiceError(500, 'backup.damaged', 'Stored blobs are damaged: nothing was backed up', {
    found,
  });
}

function damaged(file) {
  return new ServiceError(500, 'backup.damaged', `The backup is damaged at ${file}`, { where: file });
}
