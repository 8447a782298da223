// Jobs that native processes run, too: of circuits and programs alone.
import assert from 'node:assert/strict';
import {
  CrossMap,
  FixValueVector,
  fromCircuit,
  fromProgram,
  GlobalMap,
  loop,
  MatrixMap,
  PVar,
  sequence,
  SparseMatrix,
  SparseValueVector,
  TaskMap,
  VariableLenVector,
  VectorMap,
} from 'cipherloom/job';
import { f64, u8 } from 'cipherloom';

/** The bytes of a circuit: `make` gives its only output. */
export async function circuitBytes(loom, types, make) {
  const graph = loom.graph({ unit: 8 });
  const inputs = Object.entries(types).map(([name, type]) => graph.input(name, type));
  graph.output('y', make(graph, ...inputs));
  const built = await graph.build();
  return built.toBytes();
}

/** Circuits over numbers, and over three of them. */
export async function circuits(loom) {
  const one = { x: f64() };
  const two = { a: f64(), b: f64() };
  const [square, root, add, mul] = [
    await circuitBytes(loom, one, (g, x) => g.op('f64.mul', [x, x])),
    await circuitBytes(loom, one, (g, x) => g.op('f64.sqrt', [x])),
    await circuitBytes(loom, two, (g, a, b) => g.op('f64.add', [a, b])),
    await circuitBytes(loom, two, (g, a, b) => g.op('f64.mul', [a, b])),
  ].map((bytes) => fromCircuit(bytes));
  return { square, root, add, mul };
}

/** Tables of several people, each under one key, by a program that has values of its own beside them. */
export async function tables(loom) {
  const task = loom.task();
  const ages = task.encrypted('ages', { shape: [24], min: 0, max: 120 });
  const weights = task.plain('weights', { shape: [24], decimals: 2, min: -1, max: 1 });
  const counted = task.plain('counted', { kind: 'boolean', shape: [4, 6], missing: true });
  const day = { kind: 'date', min: '2024-01-01', max: '2024-12-31' };
  const [since, until] = [task.plain('since', day), task.plain('until', day)];
  task.output('sum', ages.sum());
  task.output('weighted', ages.multiply(weights).sum());
  task.output('some', ages.reshape([4, 6]).multiply(counted.count()).sum());
  task.output('days', ages.multiply(until.sub(since)).sum());
  const program = await task.compile();
  const client = await program.client();
  const rows = [];
  for (let person = 0; person < 7; person++) {
    const values = Array.from({ length: 24 }, (_, row) => (person * 31 + row * 7) % 121);
    const weights = Array.from({ length: 24 }, (_, row) => (((person * 17 + row * 29) % 200) - 100) / 100);
    const counted = Array.from({ length: 4 }, (_, k) => [true, false, null, k > person, true, null]);
    const days = { since: '2024-02-29', until: `2024-03-0${person + 1}` };
    rows.push([`person ${person}`, { ...(await client.encrypt({ ages: values })), weights, counted, ...days }]);
  }
  const definition = {
    inputs: { rows: VariableLenVector({ parts: 3 }) },
    globals: { keys: PVar() },
    rounds: [VectorMap(fromProgram(program.toBytes(), 'keys'))],
  };
  const check = async (result) => {
    for (const [key, value] of result) {
      const person = Number(key.slice('person '.length));
      const { sum, days } = await client.decrypt(value);
      const expected = Array.from({ length: 24 }, (_, row) => (person * 31 + row * 7) % 121).reduce((a, b) => a + b);
      assert.deepEqual([sum, days], [expected, expected * (person + 1)], key);
    }
  };
  return {
    definition,
    inputs: { rows },
    globals: { keys: client.evaluationKeys.map((key, index) => [index, key]) },
    check,
  };
}

/** Sums of doubles whose last bits depend on the order: a tree of several levels in each part. */
export async function sums(loom) {
  const { square, add } = await circuits(loom);
  const rows = Array.from({ length: 1000 }, (_, index) => [index % 13, Math.sin(index) * 10 ** (index % 17)]);
  // Three levels of groups of sixteen; those of the rows of a key in a part are two.
  const body = loop({ from: 7, to: 1600, parts: 300, independent: true, body: square });
  return {
    definition: {
      inputs: { rows: SparseValueVector({ parts: 3 }) },
      rounds: [VectorMap(body, { reduce: add })],
    },
    inputs: { rows },
  };
}

/** Each row with each of the others, and what comes of it as a matrix; then over all of it. */
export async function distances(loom) {
  const types = { a: f64(3), b: f64(3) };
  const distance = await circuitBytes(loom, types, (g, a, b) => {
    const difference = g.op('f64.sub', [a, b]);
    return g.op('f64.sum', [g.op('f64.mul', [difference, difference])], { axis: 0 });
  });
  const { root, add, mul } = await circuits(loom);
  const rows = Array.from({ length: 40 }, (_, row) => [
    row,
    Float64Array.from([0, 1, 2], (k) => Math.cos(row * (k + 1))),
  ]);
  return {
    definition: {
      inputs: { rows: VariableLenVector({ parts: 4 }) },
      rounds: [
        CrossMap(sequence([fromCircuit(distance), root]), { as: 'distances' }),
        MatrixMap(loop({ from: 3, to: 30, parts: 4, independent: true, body: root }), { result: SparseMatrix() }),
        GlobalMap(root, { over: 'distances', reduce: add, as: 'sums' }),
        MatrixMap(root, { over: 'distances', reduce: mul }),
      ],
    },
    inputs: { rows },
  };
}

/** A job of random rounds over random numbers; `draw(n)`: 0 to n - 1. */
export async function randomJob(loom, draw) {
  const { square, root, add, mul } = await circuits(loom);
  const half = fromCircuit(
    await circuitBytes(loom, { x: f64() }, (g, x) => g.op('f64.mul', [x, g.constant(f64(), Float64Array.of(0.5))])),
  );
  const simple = [square, root, half];
  const some = () => simple[draw(simple.length)];
  const parts = () => ({ parts: 1 + draw(6) });
  const dense = draw(2) === 0;
  const count = draw(4) === 0 ? draw(4) : draw(200);
  const keys = 1 + draw(2 * count + 1);
  const rows = Array.from({ length: count }, (_, index) => {
    const key = dense ? index : draw(3) === 0 ? `k${draw(keys)}` : draw(keys) - 5;
    return [key, (draw(2 ** 30) - 2 ** 29) / (1 + draw(1000))];
  });
  const operator = () => {
    switch (draw(4)) {
      case 0:
        return sequence([some(), some()]);
      case 1: {
        const from = draw(20);
        return loop({
          from,
          to: from + draw(60),
          body: some(),
          ...(draw(2) === 0 && { independent: true, parts: 1 + draw(5) }),
        });
      }
      case 2:
        return sequence([some(), loop({ from: 0, to: 1 + draw(50), body: sequence([some(), half]) }), some()]);
      default:
        return some();
    }
  };
  const rounds = Array.from({ length: 1 + draw(3) }, () => {
    const reduce = draw(2) === 0 ? { reduce: draw(2) === 0 ? add : mul } : {};
    const over = {
      ...(draw(3) === 0 && { over: 'rows' }),
      ...(draw(3) === 0 && { result: SparseValueVector(draw(2) === 0 ? parts() : {}) }),
    };
    switch (draw(3)) {
      case 0:
        return VectorMap(operator(), { ...reduce, ...over });
      case 1:
        return GlobalMap(operator(), { ...reduce, ...over });
      default:
        return TaskMap(operator(), { threads: 1 + draw(4), ...reduce, ...over });
    }
  });
  const template = dense ? FixValueVector(parts()) : SparseValueVector(parts());
  return { definition: { inputs: { rows: template }, rounds }, inputs: { rows } };
}

/** Bits in and out, bytes and lists: what circuits take as values. */
export async function bits(loom) {
  const graph = loom.graph({ unit: 8 });
  const [a, b] = [graph.input('a', u8(5)), graph.input('b', u8(5))];
  graph.output('and', graph.op('u8.and', [a, b]));
  graph.output('10', graph.op('u8.add', [a, b]));
  const bytes = await (await graph.build()).toBytes();
  const rows = Array.from({ length: 30 }, (_, row) => {
    const list = Array.from({ length: 5 }, (_, k) => (row * 37 + k * 11) % 256);
    return [`row ${row}`, { a: row % 2 ? list : Uint8Array.from(list), b: Float64Array.from(list.toReversed()) }];
  });
  return {
    definition: { inputs: { rows: VariableLenVector({ parts: 2 }) }, rounds: [VectorMap(fromCircuit(bytes))] },
    inputs: { rows },
  };
}

/** More rows than a chunk has, by their number or by the bytes of their keys; perhaps cut anew; then sums, which tell where chunks were cut. */
export async function long(loom, parts) {
  const { square, root, add } = await circuits(loom);
  const rows = Array.from({ length: 9000 }, (_, index) => {
    // One part by bytes, where each 😀 is two units of UTF-16 and four bytes of UTF-8, and one by rows.
    const key = `k${index % 7}${index < 4500 ? '😀'.repeat(250) : ''}`;
    return [key, Math.sin(index) * 10 ** (index % 17)];
  });
  return {
    definition: {
      inputs: { rows: SparseValueVector({ parts: 2 }) },
      rounds: [
        parts === undefined ? VectorMap(square) : VectorMap(root, { result: SparseValueVector({ parts }) }),
        VectorMap(square, { reduce: add }),
      ],
    },
    inputs: { rows },
  };
}

/** Rows of more bytes than one piece of a message has. */
export async function large(loom) {
  const length = 2 ** 24 + 5;
  const invert = fromCircuit(await circuitBytes(loom, { x: u8(length) }, (g, x) => g.op('u8.not', [x])));
  const rows = [1, 2].map((key) => [key, Uint8Array.from({ length }, (_, at) => at * key)]);
  return {
    definition: { inputs: { rows: VariableLenVector({ parts: 2 }) }, rounds: [VectorMap(invert)] },
    inputs: { rows },
  };
}

/** A circuit that takes no negative numbers. */
export async function ofBits(loom) {
  return { only: fromCircuit(await circuitBytes(loom, { x: u8(1) }, (g, x) => g.op('u8.not', [x]))) };
}

/** Little of all that a job can have, whose last round gives few numbers by key: for a file that is kept. */
export async function small(loom) {
  const { square, root, add } = await circuits(loom);
  const rows = Array.from({ length: 200 }, (_, index) => [index % 2 ? index % 5 : `key ${index % 7}`, Math.sin(index)]);
  const body = loop({ from: 1, to: 40, parts: 19, independent: true, body: 'square then root' });
  return {
    definition: {
      inputs: { rows: SparseValueVector({ parts: 3 }) },
      library: { square },
      operators: { 'square then root': sequence(['square', root]) },
      rounds: [TaskMap(sequence(['square', root]), { threads: 2 }), GlobalMap(body, { reduce: add })],
    },
    inputs: { rows },
  };
}

/** More calls than are done at once. */
export async function many(loom) {
  const { root } = await circuits(loom);
  const rows = Array.from({ length: 3000 }, (_, row) => [row, row]);
  return {
    definition: { inputs: { rows: FixValueVector({ parts: 1000 }) }, rounds: [GlobalMap(root)] },
    inputs: { rows },
  };
}
