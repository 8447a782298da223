// The command line, and stores in folders.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderStore, readAllowed } from 'cipherloom/cluster';
import { temporaryFolder } from '../lib/own.mjs';
import { cli } from './workers.mjs';

test('help, version, and what is none', async () => {
  for (const args of [['--help'], ['worker', '--help']]) {
    const { status, output } = await cli(args);
    assert.equal(status, 0);
    for (const option of ['--redis', '--prefix', '--kind', '--threads', '--store', '--allow FILE', '--allow-any'])
      assert.ok(output.includes(option), option);
  }
  assert.match((await cli(['--version'])).output, /^\d+\.\d+\.\d+\n$/);
  const wrong = [
    [[], 'npx cipherloom worker'],
    [['sing'], 'unknown command "sing"'],
    [['worker', '--thread', '1'], "Unknown option '--thread'"],
    [['worker', '--threads', '0'], '--threads is "0"'],
    [['worker', '--kind', 'fpga'], 'expected cpu or gpu'],
    [['worker', '--store', 's3'], 'expected redis, folder:PATH or s3://BUCKET/PREFIX'],
    [['worker', '--lease', 'x'], 'expected a number of seconds'],
    [['worker', '--lease', '3000000'], '--lease is "3000000", expected a number of seconds from 1 to 2147483.647'],
    [['worker', '--lease', 'Infinity'], '--lease is "Infinity"'],
    [['worker', '--prefix', ''], '--prefix is "", expected a name of 1 to 200 characters without blanks'],
    [['worker', '--prefix', 'a b'], '--prefix is "a b"'],
    [['worker', '--allow', 'x', '--allow-any'], 'exclude each other'],
    [['hash'], 'expected files'],
  ];
  for (const [args, text] of wrong) {
    const { status, output } = await cli(args);
    assert.equal(status, 2, args.join(' '));
    assert.ok(output.includes(text), output);
  }
  const { status, output } = await cli(['worker', '--allow', '/nowhere/list']);
  assert.equal(status, 1);
  assert.match(output, /the list of what is allowed cannot be read: ENOENT.*\[job\.refused\]/);
});

test('hashes, and lists of them', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'module.mjs');
  writeFileSync(file, 'export default 1;');
  const hash = createHash('sha256').update('export default 1;').digest('hex');
  assert.equal((await cli(['hash', file])).output, `${hash}  # ${file}\n`);
  const list = join(folder, 'list');
  writeFileSync(list, `# a list\n\n${hash.toUpperCase()}  # ${file}\r\n  ${'0'.repeat(64)} remark\n`);
  assert.deepEqual([...(await readAllowed(list))], [hash, '0'.repeat(64)]);
  writeFileSync(list, `${hash}\nabc\n`);
  await assert.rejects(readAllowed(list), { code: 'job.refused', message: /line 2: "abc" is no SHA-256/ });
});

test('a store in a folder', { timeout: 120_000 }, async () => {
  const folder = join(temporaryFolder(), 'new');
  const store = folderStore(folder);
  const bytes = new Uint8Array([5, 6, 7]);
  const [one, two] = [await store.put(bytes), await store.put(bytes)];
  const hash = createHash('sha256').update(bytes).digest('hex');
  assert.ok(one.name.startsWith(hash) && two.name.startsWith(hash));
  assert.deepEqual(await store.get(one), bytes);
  assert.equal(await store.has([one, two]), true);
  // Who drops one does not drop the other's.
  await store.drop([one, one]);
  assert.deepEqual(await store.get(two), bytes);
  assert.equal(await store.has([one, two]), false);
  await assert.rejects(store.get(one), { code: 'job.store' });
  for (const name of ['../x', '', `${hash}-0/../../..`, undefined])
    await assert.rejects(store.get({ name, bytes: 1 }), { code: 'job.chunk' });
  writeFileSync(join(folder, 'chunks', hash.slice(0, 2), two.name), 'abc');
  await assert.rejects(store.get(two), { code: 'job.chunk' });

  // Two that open it at once agree on what it is.
  const fresh = join(temporaryFolder(), 'shared');
  const identities = await Promise.all(Array.from({ length: 8 }, () => folderStore(fresh).identity()));
  assert.equal(new Set(identities).size, 1);
  assert.notEqual(identities[0], await store.identity());

  // What was left long ago goes; halves of files are none.
  const old = await store.put(new Uint8Array(9));
  const path = join(folder, 'chunks', old.name.slice(0, 2), old.name);
  utimesSync(path, 1, 1);
  const later = folderStore(folder);
  await later.put(bytes);
  while (await later.has([old])) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(readdirSync(join(folder, 'parts')), []);

  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await assert.rejects(folderStore(join(file, 'inside')).put(bytes), { code: 'job.store', message: /ENOTDIR/ });
  assert.throws(() => folderStore(''), { code: 'job.store' });
});

test(
  'a folder where none can be made',
  { skip: !existsSync('/proc') && 'there is no /proc', timeout: 60_000 },
  async () => {
    await assert.rejects(folderStore('/proc/store').identity(), { code: 'job.store', message: /cannot open: ENOENT/ });
  },
);
