// Every example checks its own results and ends with 0.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip } from '../cluster/redis.mjs';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));

for (const name of readdirSync(FOLDER).filter((name) => name.endsWith('.mjs'))) {
  test(name, { timeout: 120_000, skip: name === 'cluster.mjs' && skip }, () => {
    const { status, stderr } = spawnSync(process.execPath, [join(FOLDER, name)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
}
