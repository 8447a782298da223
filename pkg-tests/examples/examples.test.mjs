// Every example checks its own results and ends with 0.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip as noSqlite } from '../clinic/clinic.mjs';
import { skip } from '../cluster/redis.mjs';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));

/** What an example needs that may not be there. */
const NEEDS = { 'cluster.mjs': skip, 'clinic/try.mjs': noSqlite, 'tune.mjs': noSqlite };

const names = readdirSync(FOLDER).filter((name) => name.endsWith('.mjs'));
for (const name of [...names, 'clinic/try.mjs']) {
  test(name, { timeout: 600_000, skip: NEEDS[name] ?? false }, () => {
    const { status, stderr } = spawnSync(process.execPath, [join(FOLDER, name)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
}
