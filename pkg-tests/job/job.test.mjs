// The main job as people run it: the right numbers, and clear words where it cannot be done.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/lib/run.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { bundled } from './bundled.mjs';
import { ofOne, ofTwo } from './reference.mjs';
import { writeLargeTable } from './table.mjs';

const folder = temporaryFolder();
const json = join(folder, 'result.json');

function runJob(...args) {
  return spawnSync(process.execPath, [join(ROOT, 'scripts', 'main-job.mjs'), ...args], {
    encoding: 'utf8',
    timeout: 300_000,
  });
}

/** Runs the job, which must find what the reference does. */
function check(t, columns, options, ...args) {
  const names = Object.keys(columns);
  const { status, stdout, stderr } = runJob('--columns', names.join(), '--json', json, ...args);
  assert.equal(status, 0, stderr);
  const expected = names.flatMap((name) => rows([name], ofOne(columns[name], options)));
  const [a, b] = names;
  expected.push(...rows([a, b], ofTwo(columns[a], columns[b], options)));
  const found = JSON.parse(readFileSync(json, 'utf8'));
  assert.deepEqual(found, expected);
  assert.match(stdout, new RegExp(`${expected.length} of ${expected.length} results are equal`));
  for (const line of stdout.split('\n')) t.diagnostic(line);
}

function rows(columns, statistics) {
  return Object.entries(statistics).map(([statistic, value]) => ({
    statistic,
    columns,
    encrypted: value,
    plain: value,
    equal: true,
  }));
}

test('the bundled file', (t) => check(t, bundled('mean radius', 'mean texture'), {}));
test('three columns, population, one thread', (t) => {
  check(
    t,
    bundled('worst area', 'mean concavity', 'radius error'),
    { population: true },
    '--population',
    '--threads',
    '1',
  );
});
test('100,000 rows with everything that makes files awkward', { timeout: 300_000 }, (t) => {
  const file = join(folder, 'large.csv');
  check(t, writeLargeTable(file, 100_000, 2026), {}, '--csv', file);
});

const FAILURES = [
  { what: 'no file', args: ['--csv', join(folder, 'none.csv')], says: /ENOENT.*none\.csv/ },
  { what: 'an empty file', file: '', says: /no rows of data \(table\.empty\)/ },
  { what: 'a file with a header only', file: 'a,b\n', says: /table\.empty/ },
  {
    what: 'no numeric column',
    file: 'a,b\nx,y\n',
    says: /no numeric column: row 0 of "a" is no number.*\(table\.no_numbers\)/,
  },
  { what: 'a ragged row', file: 'a,b\n1,2\n3\n', says: /Row 1 has 1 fields, the header has 2/ },
  { what: 'two columns of one name', file: 'a,a\n1,2\n', says: /Two columns are named "a"/ },
  { what: 'text that is not UTF-8', file: Buffer.from([0x61, 0x0a, 0xff]), says: /not UTF-8/ },
  { what: 'an open quote', file: 'a\n"1\n', says: /table\.quotes/ },
  { what: 'numbers too large to be exact', file: 'a\n1e300\n2\n', says: /"a".*range\.integer/ },
  { what: 'an unknown column', args: ['--columns', 'mean radius,weight'], says: /no column "weight".*mean radius/ },
  {
    what: 'a column of text',
    args: ['--columns', 'diagnosis'],
    says: /"diagnosis" is not numeric: row 0 is no number/,
  },
  { what: 'an unknown option', args: ['--colums', 'a'], says: /Unknown option '--colums'/ },
  { what: 'an impossible number of threads', args: ['--threads', 'two'], says: /threads must be 1 to 256/ },
];
for (const { what, file, args = ['--csv', join(folder, 'bad.csv')], says } of FAILURES) {
  test(`${what} is an error with a reason`, () => {
    if (file !== undefined) writeFileSync(join(folder, 'bad.csv'), file);
    const { status, stdout, stderr } = runJob(...args);
    assert.equal(status, 2);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
    assert.equal(stdout, '');
  });
}
