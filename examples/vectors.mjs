// Data that come as rows: cut, mapped over workers, reduced, gathered. Words of a folder, distances of points, and statistics of tables
// that the workers cannot read. Run it after `npm run build`:
//   node examples/vectors.mjs [rows of the encrypted table in hundreds of thousands, 100 without it]
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'cipherloom';
import {
  CrossMap,
  DirMap,
  fromModule,
  fromProgram,
  loadJob,
  PVar,
  threads,
  VariableLenVector,
  VectorMap,
} from 'cipherloom/job';

const OPERATORS = new URL('operators/vectors.mjs', import.meta.url);
const operator = (name) => fromModule(OPERATORS, { name });
const chunks = Number(process.argv[2] ?? 100);
assert.ok(
  Number.isInteger(chunks) && chunks > 0,
  `expected hundreds of thousands of rows, found ${process.argv[2]}`,
);
const crew = threads();

await wordsOfFolder();
await distances();
await statisticsOfManyRows(chunks * 100_000, 100_000);
await statisticsOfManyUsers(1000);
await crew.close();

/** Word count and inverted index over a folder of texts. */
async function wordsOfFolder() {
  const directory = await mkdtemp(join(tmpdir(), 'vectors-'));
  const texts = [
    'The lattice holds.',
    'The weaver sees the loom, not the thread.',
    'A lattice, a loom, a thread.',
  ];
  for (const [index, text] of texts.entries()) await writeFile(join(directory, `${index}.txt`), text);

  const counting = await loadJob(
    { rounds: [DirMap(operator('words'), { directory, reduce: operator('add') })] },
    { crew },
  );
  const counts = new Map(await rows(await counting.run()));
  const all = texts
    .join(' ')
    .toLowerCase()
    .match(/\p{L}+/gu);
  for (const word of all) assert.equal(counts.get(word), all.filter((one) => one === word).length);
  assert.equal(counts.size, new Set(all).size);

  const indexing = await loadJob(
    { rounds: [DirMap(operator('occurrences'), { directory, reduce: operator('join') })] },
    { crew },
  );
  const index = new Map(await rows(await indexing.run()));
  for (const path of index.get('lattice')) assert.match(await readFile(path, 'utf8'), /lattice/);
  assert.deepEqual(index.get('lattice').length, 2);
  console.log(
    `words: ${counts.size} of ${all.length}; "lattice" is in ${index.get('lattice').length} of ${texts.length} files`,
  );
  await rm(directory, { recursive: true });
}

/** Distances of all pairs of points that lie with different workers. */
async function distances() {
  const points = Array.from({ length: 200 }, (_, i) => [(i * 37) % 101, (i * 53) % 97]);
  const inputs = { points: VariableLenVector({ parts: points.length }) };
  const job = await loadJob({ inputs, rounds: [CrossMap(operator('distance'))] }, { crew });
  for (const [index, point] of points.entries()) await job.inputs.points.emit(index, point);
  const found = await rows(await job.run());
  assert.equal(found.length, points.length * (points.length - 1));
  for (const [[a, b], distance] of found)
    assert.equal(distance, Math.hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]));
  console.log(`distances: ${found.length} pairs`);
}

/** Mean and variance of a column that is longer than what one run takes: encrypted chunk by chunk, while workers compute on those before. */
async function statisticsOfManyRows(count, chunk) {
  const loom = await load();
  const program = await sums(loom, chunk);
  const client = await program.client();
  const value = (row) => (row * 7919 + 13) % 1000;
  const column = (first) => Float64Array.from({ length: chunk }, (_, index) => value(first + index));

  const began = performance.now();
  const job = await statisticsJob(program);
  for (const [index, key] of client.evaluationKeys.entries()) await job.globals.keys.emit(index, key);
  job.inputs.tables.read(
    (async function* () {
      for (let first = 0; first < count; first += chunk)
        yield [first, await client.encrypt({ values: column(first) })];
    })(),
  );
  const total = { sum: 0n, squares: 0n };
  for await (const [, results] of (await job.run()).getItr()) {
    const { sum, squares } = await client.decryptExact(results);
    total.sum += sum.units;
    total.squares += squares.units;
  }
  const seconds = (performance.now() - began) / 1000;

  const expected = { sum: 0n, squares: 0n };
  for (let row = 0; row < count; row++) {
    expected.sum += BigInt(value(row));
    expected.squares += BigInt(value(row) ** 2);
  }
  assert.deepEqual(total, expected);
  const mean = Number(total.sum) / count;
  const variance = Number(total.squares) / count - mean ** 2;
  console.log(
    `${count} encrypted rows: mean ${mean}, variance ${variance.toFixed(3)}, in ${seconds.toFixed(1)} s`,
  );
  loom.dispose();
}

/** The same question for the tables of many people, each under a key of their own. */
async function statisticsOfManyUsers(users) {
  const loom = await load();
  const program = await sums(loom, 100);
  const table = (user) => Array.from({ length: 100 }, (_, row) => (user * 31 + row * 7) % 1000);
  const clients = new Map();

  const job = await statisticsJob(program);
  job.inputs.tables.read(
    (async function* () {
      for (let user = 0; user < users; user++) {
        const client = await program.client();
        // Sums and sums of squares need no keys that the workers would have to be given for each of them.
        assert.equal(client.evaluationKeys.length, 0);
        clients.set(user, client);
        yield [user, await client.encrypt({ values: table(user) })];
      }
    })(),
  );
  let answered = 0;
  for await (const [user, results] of (await job.run()).getItr()) {
    const { sum, squares } = await clients.get(user).decrypt(results);
    const values = table(user);
    assert.equal(
      sum,
      values.reduce((a, b) => a + b),
    );
    assert.equal(
      squares,
      values.reduce((a, b) => a + b * b, 0),
    );
    answered += 1;
  }
  assert.equal(answered, users);
  console.log(`${users} tables under ${clients.size} keys, one program`);
  loom.dispose();
}

/** Sum and sum of squares of a table's values. */
async function sums(loom, length) {
  const task = loom.task();
  const values = task.encrypted('values', { shape: [length], min: 0, max: 1000 });
  task.output('sum', values.sum());
  task.output('squares', values.square().sum());
  return task.compile();
}

function statisticsJob(program) {
  const inputs = { tables: VariableLenVector({ parts: 8 }) };
  const rounds = [VectorMap(fromProgram(program.toBytes(), 'keys'))];
  return loadJob({ inputs, globals: { keys: PVar() }, rounds }, { crew });
}

async function rows(result) {
  const all = [];
  for await (const row of result.getItr()) all.push(row);
  return all;
}
