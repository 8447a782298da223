import { describe, expect, test } from 'vitest';
import { GraphText, joined, meet } from '../src/graph/graph-text.js';
import { OperatorSets } from '../src/graph/sets.js';
import { absorbed } from '../src/workbench/absorb.js';
import { withLooks } from '../src/workbench/looks.js';

const TEXT = `cipherloom-graph 1
unit 32
type !0 = f32[2]{shape=[2]}
attrs #0 = {axis=0, note="op %9 = x(%0) : [1,2)"}

  input %0 : !0 [0,2) "odd: [7,8) %1"
input %1 : !0 [2,4) "b"
op %2 = f32.add#0(%0, !0 [3,4)+[2,3)) : !0 [4,6) nonce=3 parent=7
\top %3 = f32.neg(%2) : !0 [8,9)+[6,7)
output %3 "out: [1,2)"
output !0 [4,6) "x"`;

describe('a text', () => {
  const text = new GraphText(TEXT);

  test('has operators, each at its line', () => {
    expect(text.size).toBe(2);
    expect([text.type(0), text.type(1)]).toEqual(['f32.add', 'f32.neg']);
    expect([text.lineOf(0), text.lineOf(1), text.lineOf(2)]).toEqual([8, 9, undefined]);
    expect(text.unit).toBe(32);
  });

  test('says what is read and written', () => {
    expect(text.reads(0)).toEqual([[0, 4]]);
    expect(text.writes(0)).toEqual([[4, 6]]);
    expect(text.place(0)).toBe('!0 [4,6)');
    expect(text.reads(1)).toEqual([[4, 6]]);
    expect(text.writes(1)).toEqual([
      [8, 9],
      [6, 7],
    ]);
  });

  test('has names that are no placeholders', () => {
    expect(text.inputs).toEqual([
      { name: 'odd: [7,8) %1', units: [[0, 2]] },
      { name: 'b', units: [[2, 4]] },
    ]);
    expect(text.outputs.map(({ units }) => units)).toEqual([
      [
        [8, 9],
        [6, 7],
      ],
      [[4, 6]],
    ]);
  });

  test('takes further outputs', () => {
    const looked = withLooks(text, [0]);
    expect(looked.startsWith(TEXT)).toBe(true);
    expect(looked.endsWith('\noutput !0 [4,6) "look #0"\n')).toBe(true);
  });
});

test('units meet as sets of numbers do', () => {
  const numbers = (list: readonly (readonly [number, number])[]): Set<number> =>
    new Set(list.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at)));
  const ends = [0, 1, 2, 3, 4];
  const all = ends.flatMap((start) => ends.filter((end) => end > start).map((end) => [start, end] as const));
  for (const a of all)
    for (const b of all)
      for (const c of all) {
        const found = meet([a, b], [c]);
        const inC = numbers([c]);
        expect(numbers(found)).toEqual(new Set([...numbers([a, b])].filter((one) => inC.has(one))));
        expect(found).toEqual(joined(found));
      }
});

test('sets say which units put an operator there', () => {
  const analysis = {
    operators: [
      { dependsOn: Uint32Array.of(), notifies: Uint32Array.of(1), wave: 0 },
      { dependsOn: Uint32Array.of(0), notifies: Uint32Array.of(), wave: 1 },
    ],
    waves: [],
    inputs: [],
    outputs: new Uint32Array(),
    criticalPath: new Uint32Array(),
  };
  const sets = new OperatorSets(analysis, new GraphText(TEXT));
  expect(sets.dependencies(1)).toEqual([{ op: 0, units: [[4, 6]] }]);
  expect(sets.notifications(0)).toEqual([{ op: 1, units: [[4, 6]] }]);
  expect(sets.inputs(0)).toEqual([
    { name: 'odd: [7,8) %1', units: [[0, 2]] },
    { name: 'b', units: [[2, 4]] },
  ]);
});

test('K-G5: what D wrote is written by D3, and read as before', () => {
  const head = 'cipherloom-graph 1\nunit 8\ntype !0 = u8[8]{shape=[8]}\ninput %0 : !0 [16,24) "x"\n';
  const before = new GraphText(`${head}op %1 = d(%0) : !0 [0,8)\nop %2 = s(%1) : !0 [24,32)\n`);
  const after = new GraphText(
    `${head}op %1 = d1(%0) : !0 [40,48)\nop %2 = d2(%1) : !0 [48,56)\nop %3 = d3(%2) : !0 [0,8)\nop %4 = s(%3) : !0 [24,32)\n`,
  );
  const found = absorbed(before, after, Int32Array.of(0, 0, 0, 1)).map((look) => look());
  expect(found).toEqual([
    {
      op: 0,
      type: 'd',
      units: [[0, 8]],
      parts: [
        { op: 0, type: 'd1', units: [[40, 48]], absorbed: [] },
        { op: 1, type: 'd2', units: [[48, 56]], absorbed: [] },
        { op: 2, type: 'd3', units: [[0, 8]], absorbed: [[0, 8]] },
      ],
      readersBefore: [{ op: 1, type: 's' }],
      readersAfter: [{ op: 3, type: 's' }],
    },
  ]);
});
