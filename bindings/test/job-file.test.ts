/** Job files: a job and its data as bytes, and back; files of rows. */
import { Encoder } from '@msgpack/msgpack';
import { describe, expect, test } from 'vitest';
import { CipherloomError } from '../src/errors.js';
import {
  DirMap,
  FixValueVector,
  fromCircuit,
  inline,
  type Job,
  type JobDefinition,
  loadJob,
  loadJobFile,
  PVar,
  readRows,
  type Row,
  SparseValueVector,
  Var,
  VariableLenVector,
  VectorMap,
} from '../src/job/index.js';
import { encodeChunk } from '../src/job/chunk.js';
import { MemoryStore } from '../src/job/memory-store.js';
import { codeOf } from './code.js';
import { random } from './random.js';
import { from, rowsOf } from './job-functions.js';
import { randomRows } from './job-rows.js';

const rows = Array.from({ length: 50 }, (_, index): Row => [index, index / 3]);
const definition: JobDefinition = {
  inputs: {
    rows: FixValueVector({ parts: 4, partitioner: from('ofParts') }),
    more: VariableLenVector({ parts: 2 }),
  },
  globals: { settings: Var(), none: PVar() },
  rounds: [VectorMap(from('modulo'), { over: 'rows', reduce: from('add') })],
};

async function job(crew = inline({ workers: 2 })): Promise<Job> {
  const job = await loadJob(definition, { crew });
  job.inputs['rows']?.read(rows);
  for (const [key, value] of randomRows(30, 'VariableLenVector')) await job.inputs['more']?.emit(key, value);
  await job.globals['settings']?.emit('modulus', 7);
  return job;
}

describe('a job as bytes', () => {
  test('is the same job with the same data', async () => {
    const given = await job();
    const bytes = await given.toBytes();
    const expected = await rowsOf(await given.run());
    const again = await loadJobFile(bytes, { crew: inline({ workers: 3 }) });
    expect(await rowsOf(await again.run())).toEqual(expected);
    expect(expected).toHaveLength(7);
  });

  test('has bytes of its own, and takes no more rows', async () => {
    const bytes = await (await job()).toBytes();
    const copy = bytes.slice();
    const again = await loadJobFile(bytes, { crew: inline({ workers: 2 }) });
    bytes.fill(0);
    const saved = await again.toBytes();
    expect(saved).toHaveLength(copy.length);
    expect(await rowsOf(await again.run())).toHaveLength(7);
    await expect(async () => again.inputs['rows']?.emit(50, 1)).rejects.toMatchObject({
      code: 'job.definition',
    });
  });

  test('is not there once it has run, nor with files of a page', async () => {
    const given = await job();
    await given.run();
    await expect(given.toBytes()).rejects.toMatchObject({ code: 'job.definition' });
    const files = await loadJob(
      { rounds: [DirMap(from('twice'), { directory: [new File(['x'], 'x')] })] },
      { crew: inline({ workers: 1 }) },
    );
    await expect(files.toBytes()).rejects.toMatchObject({
      code: 'job.definition',
      details: { at: 'rounds[0].directory' },
    });
    files.dispose();
    await expect(files.toBytes()).rejects.toMatchObject({ code: 'disposed' });
  });
});

describe('bytes that are none', () => {
  const pack = (value: unknown) => new Encoder().encode(value);
  const NONE = {
    inputs: { rows: SparseValueVector({ parts: 2 }) },
    rounds: [VectorMap(fromCircuit(Uint8Array.of(1)))],
  };
  const file = (inputs: unknown, globals: unknown = {}, definition: unknown = NONE) =>
    pack(['cipherloom job', 1, definition, inputs, globals]);
  const open = (bytes: Uint8Array, store = new MemoryStore()) =>
    loadJobFile(bytes, { crew: inline({ workers: 1, store }) });
  const chunk = (...keys: number[]) => encodeChunk(keys.map((key): Row => [key, key]));

  test('are told with what is wrong', async () => {
    const good = file({ rows: [2, [[1, 2, chunk(5, 6)]]] });
    expect((await open(good)).inputs).toHaveProperty('rows');
    const bad: readonly (readonly [bytes: unknown, code: string, message: RegExp])[] = [
      [undefined, 'input.type', /bytes of a job file/],
      [new Uint8Array(), 'format.job', /end early/],
      [pack(7), 'format.job', /begin otherwise/],
      [pack(['cipherloom rows', 1, []]), 'format.job', /begin otherwise.*found cipherloom rows/],
      [pack(['cipherloom job', 2, NONE, {}, {}]), 'format.job', /another version.*expected 1, found 2/],
      [pack(['cipherloom job', 1, NONE, {}]), 'format.job', /other parts/],
      [file([]), 'format.job', /something else at inputs/],
      [file({}), 'format.job', /input "rows" is in its definition, and not in its rows/],
      [file({ rows: [2, []], others: [2, []] }), 'format.job', /input "others" is in its rows/],
      [file({ rows: [2, []] }, { g: chunk(1) }), 'format.job', /global "g" is in its rows/],
      [file({ rows: [0, []] }), 'format.job', /"rows", parts/],
      [file({ rows: [2, [[2, 1, chunk(1)]]] }), 'format.job', /"rows", chunk 0/],
      [file({ rows: [2, [[0, 1, 'x']]] }), 'format.job', /"rows", chunk 0/],
      [file({ rows: [2, [[0, 2, chunk(1)]]] }), 'job.chunk', /expected 2 rows, found 1/],
      [file({ rows: [2, [[0, 1, Uint8Array.of(1, 2)]]] }), 'job.chunk', /chunk/],
      [file({ rows: [2, [[0, 1, encodeChunk([['k', 'text']])]]] }), 'job.template', /input "rows", row 0/],
      [file({ rows: [2, []] }, {}, { ...NONE, rounds: [] }), 'job.definition', /rounds/],
    ];
    for (const [bytes, code, message] of bad) {
      const error = await open(bytes as Uint8Array).then(
        () => undefined,
        (error: unknown) => error as CipherloomError,
      );
      expect(error?.message).toMatch(message);
      expect(error?.code).toBe(code);
    }
  });

  test('leave nothing in the store, and keep the rules of vectors', async () => {
    const store = new MemoryStore();
    const dense = { inputs: { rows: FixValueVector() }, rounds: NONE.rounds };
    const twice = [
      ['k', 1],
      ['k', 2],
    ] satisfies Row[];
    for (const [bytes, code] of [
      [
        file(
          {
            rows: [
              2,
              [
                [0, 2, chunk(0, 1)],
                [0, 1, chunk(3)],
              ],
            ],
          },
          {},
          dense,
        ),
        'job.key',
      ],
      [
        file(
          { rows: [1, [[0, 1, chunk(0)]]] },
          { g: encodeChunk(twice) },
          { ...dense, globals: { g: Var() } },
        ),
        'job.key',
      ],
    ] as const) {
      await expect(open(bytes, store)).rejects.toMatchObject({ code });
      expect(store.count).toBe(0);
    }
  });

  test('whatever they are: cut and changed', async () => {
    const bytes = file({
      rows: [
        2,
        [
          [0, 3, chunk(1, 2, 3)],
          [1, 1, encodeChunk([['key', 0.5]])],
        ],
      ],
    });
    let told = 0;
    for (let round = 0; round < 3000; round++) {
      const changed = bytes.slice(0, random(5) === 0 ? random(bytes.length) : bytes.length);
      for (let change = 0; change <= random(3); change++) changed[random(changed.length)] = random(256);
      await open(changed).catch((error: unknown) => {
        expect(error).toBeInstanceOf(CipherloomError);
        told += 1;
      });
    }
    expect(told).toBeGreaterThan(1000);
  });
});

describe('files of rows', () => {
  const pack = (value: unknown) => new Encoder().encode(value);
  const rows: Row[] = [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ];
  const chunks = [
    [0, 2, encodeChunk(rows.slice(0, 2))],
    [1, 1, encodeChunk(rows.slice(2))],
  ];
  const file = pack([
    'cipherloom rows',
    1,
    [
      [null, 'SparseValueVector', 2, chunks],
      ['x', 'SparseTextVector', 1, []],
    ],
  ]);

  test('are read, the last round or one by name', () => {
    const last = readRows(file);
    expect(last.template).toEqual({ template: 'SparseValueVector' });
    expect(last.rows).toBe(3);
    expect([...last.getItr()]).toEqual(rows);
    expect([...last.getItr()]).toEqual(rows);
    expect(readRows(file, 'x').rows).toBe(0);
    expect(codeOf(() => readRows(file, 'y'))).toBe('input.unknown');
    expect(codeOf(() => readRows(file, 7 as never))).toBe('input.type');
  });

  test('are told where they are none', () => {
    for (const results of [
      7,
      [[null, 'Vector', 2, chunks]],
      [[null, 'SparseValueVector', 1, chunks]],
      [[7, 'SparseValueVector', 2, chunks]],
      [[null, 'SparseValueVector', 2, chunks, 0]],
    ])
      expect(codeOf(() => readRows(pack(['cipherloom rows', 1, results])))).toBe('format.job');
    const texts = readRows(pack(['cipherloom rows', 1, [[null, 'SparseTextVector', 2, chunks]]]));
    expect(codeOf(() => [...texts.getItr()])).toBe('job.template');
    for (let round = 0; round < 3000; round++) {
      const changed = file.slice();
      changed[random(changed.length)] = random(256);
      try {
        expect([...readRows(changed).getItr()].length).toBeLessThanOrEqual(3);
      } catch (error) {
        expect(error).toBeInstanceOf(CipherloomError);
      }
    }
  });
});
