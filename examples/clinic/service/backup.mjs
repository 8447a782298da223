/**
 * Backup and restore: all rows as lines of JSON, all blobs, and a list of their SHA-256, whose own is printed: keep it elsewhere. The same of SQLite and PostgreSQL, so that one
 * becomes the other. It holds hashes of passwords and tokens, as the database does, and no key that decrypts anything.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { verifyChain } from './audit.mjs';
import { TABLES } from './database.mjs';
import { ServiceError } from './errors.mjs';

const LIST = 'SHA256SUMS';
/** Rows that are written at a time. */
const BATCH = 50;

/** Writes a backup into a new folder, of one moment, while the service goes on. Gives the SHA-256 of its list. Errors: `backup.exists`, `backup.damaged`. */
export async function backup(database, blobs, folder) {
  await mkdir(join(folder, 'blobs'), { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 1)
    throw new ServiceError(500, 'backup.exists', 'A backup goes into a folder of its own', { found: folder });
  const sums = [];
  // Changes wait while rows are written and blobs pinned, not while these are copied.
  const { shas, pinned } = await database.locked(async (trx) => {
    for (const table of TABLES) sums.push(await writeTable(trx, table, folder));
    const rows = await trx('blobs').select('sha').orderBy('sha');
    const shas = rows.map(({ sha }) => sha);
    return { shas, pinned: await blobs.pin(shas) };
  });
  try {
    for (const sha of shas) {
      const file = join('blobs', sha);
      await copyFile(join(pinned, sha), join(folder, file));
      if ((await fileHash(join(folder, file))) !== sha) throw damaged(file);
      sums.push([sha, file]);
    }
  } finally {
    await rm(pinned, { recursive: true });
  }
  const list = sums.map(([sha, file]) => `${sha}  ${file}\n`).join('');
  await writeFile(join(folder, LIST), list, { mode: 0o600 });
  for (const file of [LIST, ...sums.map(([, file]) => file)]) await synced(join(folder, file));
  return { files: sums.length, list: createHash('sha256').update(list).digest('hex') };
}

async function writeTable(trx, table, folder) {
  const file = `${table}.jsonl`;
  const rows = await (table === 'audit' ? trx(table).orderBy('seq') : trx(table));
  await writeFile(
    join(folder, file),
    rows.map((row) => `${JSON.stringify(row)}\n`),
    { mode: 0o600 },
  );
  return [await fileHash(join(folder, file)), file];
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
  for (const table of TABLES) if (!files.has(`${table}.jsonl`)) throw damaged(`${table}.jsonl`);
  for (const [file, sha] of files) {
    // Names in a list from elsewhere become no paths.
    if (!/^([a-z_]+\.jsonl|blobs\/[0-9a-f]{64})$/.test(file)) throw damaged(LIST);
    if ((await fileHash(join(folder, file)).catch(() => undefined)) !== sha) throw damaged(file);
  }
  const chain = await verifyChain(lines(join(folder, 'audit.jsonl')));
  if (!chain.intact) throw damaged(`audit.jsonl, entry ${chain.brokenAt}`);
  await database.locked(async (trx) => {
    for (const table of TABLES)
      if (await trx(table).first())
        throw new ServiceError(500, 'backup.occupied', 'A backup is restored into an empty service', {
          found: table,
        });
    for (const table of TABLES) {
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
  });
  return { files: files.size, head: chain.head };
}

async function* lines(file) {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
    if (line !== '') yield JSON.parse(line);
}

async function fileHash(file) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

async function synced(file) {
  const handle = await open(file, 'r');
  await handle.sync();
  await handle.close();
}

function damaged(file) {
  return new ServiceError(500, 'backup.damaged', `The backup is damaged at ${file}`, { where: file });
}
