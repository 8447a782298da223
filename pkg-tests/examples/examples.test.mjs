// Every example checks its own results and ends with 0.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip as noSqlite } from '../clinic/clinic.mjs';
import { skip } from '../cluster/redis.mjs';
import { endWithThis } from '../lib/own.mjs';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));

/** What an example needs that may not be there. */
const NEEDS = { 'cluster.mjs': skip, 'clinic/try.mjs': noSqlite, 'tune.mjs': noSqlite };

/** What makes an example smaller than it is for people. */
const SMALLER = { 'vectors.mjs': ['10'] };

const names = readdirSync(FOLDER).filter((name) => name.endsWith('.mjs'));
// Two at a time: most of them compute on one thread, one after another.
describe('examples', { concurrency: 2 }, () => {
  for (const name of [...names, 'clinic/try.mjs'])
    test(name, { timeout: 900_000, skip: NEEDS[name] ?? false }, async () => {
      const child = spawn(process.execPath, [join(FOLDER, name), ...(SMALLER[name] ?? [])], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      endWithThis(child);
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
      const [code, signal] = await once(child, 'close');
      assert.deepEqual([code, signal], [0, null], errors);
    });
});
