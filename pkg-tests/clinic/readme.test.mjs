// What the clinic's README says: its code runs, its settings and roles are those that there are.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PERMISSIONS, ROLE_NAMES } from '../../examples/clinic/service/roles.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { startProcess } from '../lib/started.mjs';
import { FOLDER, skip, startService } from './clinic.mjs';

const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

test('its code runs, and prints what it says', { skip }, async () => {
  const service = await startService();
  const folder = temporaryFolder();
  const [, block] = README.match(/```js\n([^]*?)```/);
  const given = {
    code: service.invite('client'),
    password: 'a password of ann',
    passphrase: 'words that nobody else thinks of',
  };
  const code = block
    .replace("'cipherloom'", JSON.stringify(import.meta.resolve('cipherloom')))
    .replace("'./client.mjs'", JSON.stringify(pathToFileURL(join(FOLDER, 'client.mjs')).href))
    .replace('http://127.0.0.1:8080', service.url)
    .replace("'ann.key'", JSON.stringify(join(folder, 'ann.key')));
  const file = join(folder, 'readme.mjs');
  const constants = Object.entries(given).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  writeFileSync(file, `${constants.join('')}${code}console.log('readme is through'); loom.dispose();`);
  const { output } = await startProcess(file, [], {}, /readme is (through)/);
  const [, printed] = block.match(/answer\(id, key\)\); +\/\/ (.*)/);
  assert.ok(output().includes(printed), output());
});

test('its settings, roles and codes are those that there are', () => {
  const config = readFileSync(join(FOLDER, 'service', 'config.mjs'), 'utf8');
  const names = (text) =>
    [...new Set(text.match(/CLINIC_[A-Z_]+/g))].filter((name) => !/URL|NAME|PASSWORD/.test(name)).sort();
  assert.deepEqual(names(README), names(config));
  const [, heads] = README.match(/^\| \| (admin [^\n]*) \|$/m);
  assert.deepEqual(heads.split(' | '), ROLE_NAMES);
  assert.ok(Object.keys(PERMISSIONS).length > 0);
  for (const [, code] of README.matchAll(/`([a-z]+\.[a-z]+)`/g)) {
    if (code.endsWith('.mjs')) continue;
    const said = ['.', 'service', 'service/routes'].some(
      (folder) => sources(folder).includes(`'${code}'`) || code === 'key.retired' || code === 'key.deleted',
    );
    assert.ok(said, `${code} is nowhere`);
  }
});

function sources(folder) {
  const files = {
    '.': ['client-core'],
    service: [
      'app',
      'blobs',
      'bodies',
      'errors',
      'events',
      'keys',
      'programs',
      'questions',
      'records',
      'roles',
      'storage',
      'users',
      'passwords',
    ],
    'service/routes': ['blobs'],
  };
  return files[folder].map((name) => readFileSync(join(FOLDER, folder, `${name}.mjs`), 'utf8')).join('');
}
