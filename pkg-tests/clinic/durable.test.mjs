// What was answered is on the disk, with its name, and the names of new folders on the way to it.
import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { backup } from '../../examples/clinic/service/backup.mjs';
import { BlobStore } from '../../examples/clinic/service/blobs.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { joinAs, serviceHere, skip as noSqlite, valueBytes } from './clinic.mjs';

/** Whose open files have names that can be looked up. */
const skip = noSqlite || (process.platform !== 'linux' && 'there is no /proc/self/fd');

/** Writes down which files and folders reach the disk while something is done, as they are called from a folder. */
async function synced(t, folder, work) {
  const handle = await open(folder, 'r');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = prototype;
  const paths = [];
  const spy = t.mock.method(prototype, 'sync', function () {
    paths.push(relative(folder, readlinkSync(`/proc/self/fd/${this.fd}`)));
    return sync.call(this);
  });
  await work();
  spy.mock.restore();
  return paths;
}

test('a blob, its name and the folder that is made for it', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const owner = await joinAs(service, undefined, 'owner', 'owner');
  const blobs = join(service.data, 'blobs');
  let sha;
  const first = await synced(t, blobs, async () => (sha = await owner.upload(valueBytes(100))));
  assert.match(first[0], /^incoming/);
  assert.deepEqual(first.slice(1), [dirname(relative(blobs, service.storage.blobs.path(sha))), '']);
  const again = await synced(t, blobs, () => owner.upload(valueBytes(100)));
  assert.deepEqual(again.slice(1), [first[1]]);
});

test('a backup and the names in it', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const owner = await joinAs(service, undefined, 'owner', 'owner');
  const sha = await owner.upload(valueBytes(100));
  const parent = temporaryFolder();
  const blobs = new BlobStore(join(service.data, 'blobs'));
  const paths = await synced(t, parent, () => backup(service.database, blobs, join(parent, 'backup')));
  for (const name of ['', 'blobs', `blobs/${sha}`, 'SHA256SUMS', 'audit.jsonl'])
    assert.ok(paths.includes(join('backup', name).replace(/\/$/, '')), name);
});
