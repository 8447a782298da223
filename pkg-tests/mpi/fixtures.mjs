#!/usr/bin/env node
// Writes what the tests of the runner have from TypeScript, runner/tests/fixtures: chunks, and a job with its rows.
// Usage: node pkg-tests/mpi/fixtures.mjs (after npm run build)
import { load } from 'cipherloom';
import { loadJob, inline, SparseMatrix, SparseTextVector, SparseValueVector, VariableLenVector } from 'cipherloom/job';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/run.mjs';
import * as jobs from './jobs.mjs';

const FOLDER = join(ROOT, 'runner', 'tests', 'fixtures');

/** Puts away what a vector makes of rows. */
async function chunkOf(template, rows) {
  const crew = inline({ workers: 1 });
  const job = await loadJob({ inputs: { rows: template }, rounds: [{ map: 'VectorMap', operator: NONE }] }, { crew });
  const stored = [];
  const { put } = crew.store;
  crew.store.put = (bytes) => (stored.push(bytes), put.call(crew.store, bytes));
  for (const [key, value] of rows) await job.inputs.rows.emit(key, value);
  await job.toBytes();
  return stored[0];
}
const NONE = { kind: 'function', module: 'file:///none' };

const CHUNKS = {
  // Keys in each form, values in each.
  counted: [SparseValueVector(), [3, 4, 5, 6].map((key) => [key, key / 3])],
  numbers: [
    SparseValueVector(),
    [
      [-1.5, -0],
      [2, Infinity],
      [0, 5e-324],
    ],
  ],
  texts: [
    SparseTextVector(),
    [
      ['', 'é'],
      ['b😀', '\u{ff01}'.repeat(40)],
      [7, 'x'.repeat(300)],
    ],
  ],
  positions: [
    SparseMatrix(),
    [
      [[0, 1], 2],
      [[2 ** 53 - 1, 0], -7.25],
    ],
  ],
  values: [
    VariableLenVector(),
    [
      ['nothing', null],
      ['flags', [true, false, []]],
      [
        'arrays',
        [
          Uint8Array.of(1, 255),
          Float64Array.of(-0, 1 / 3),
          Float32Array.of(0.5),
          Int32Array.of(-1),
          Uint32Array.of(2 ** 32 - 1),
        ],
      ],
      ['object', { z: 1, 10: 'ten', 2: 'two', a: { deep: [{}] } }],
      ['bytes', Uint8Array.from({ length: 300 }, (_, at) => at)],
      ['one of 16 bytes', new Uint8Array(16)],
    ],
  ],
};

for (const [name, [template, rows]] of Object.entries(CHUNKS))
  writeFileSync(join(FOLDER, `${name}.chunk`), await chunkOf(template, rows));

const loom = await load({ threads: 1 });
const { definition, inputs } = await jobs.small(loom);
const job = await loadJob(definition, { crew: inline({ workers: 1 }) });
job.inputs.rows.read(inputs.rows);
writeFileSync(join(FOLDER, 'small.job'), await job.toBytes());
const result = await job.run();
const rows = [];
for await (const [key, value] of result.getItr()) rows.push([key, value]);
writeFileSync(join(FOLDER, 'small.rows'), await chunkOf(SparseValueVector(), rows));
loom.dispose();
