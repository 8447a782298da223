import { describe, expect, it } from 'vitest';
import { createTask } from '../src/task.js';
import type { ColumnOptions } from '../src/types.js';
import { codeOf } from './code.js';

const column: ColumnOptions = { rows: 3, min: 0, max: 120 };

describe("a task's literal", () => {
  it('numbers inputs first, then nodes, whatever the order of calls', () => {
    const task = createTask();
    const age = task.encrypted('age', column);
    task.output('mean', age.mean());
    const bp = task.encrypted('bp', { ...column, min: -1.5, max: 2.25, decimals: 2, missing: true });
    task.output('cov', age.covariance(bp, { population: true }));
    task.output('both', age.multiply(age));
    expect(task.literal()).toEqual({
      inputs: [
        {
          name: 'age',
          rows: 3,
          min: '0',
          max: '120',
          missing: false,
          layout: 'column',
          rings: 1,
          decimals: 0,
        },
        {
          name: 'bp',
          rows: 3,
          min: '-150',
          max: '225',
          missing: true,
          layout: 'column',
          rings: 1,
          decimals: 2,
        },
      ],
      nodes: [
        { op: 'stats.mean', inputs: [0], attrs: {} },
        { op: 'stats.covariance', inputs: [0, 1], attrs: { population: 1 } },
        { op: 'column.multiply', inputs: [0, 0], attrs: {} },
      ],
      outputs: [
        { name: 'mean', operand: 2, decimals: 0 },
        { name: 'cov', operand: 3, decimals: 2 },
        { name: 'both', operand: 4, decimals: 0 },
      ],
    });
    expect(structuredClone(task.literal())).toEqual(task.literal());
  });

  it('aligns unequal decimals by powers of ten', () => {
    const task = createTask();
    const a = task.encrypted('a', { ...column, decimals: 1 });
    const b = task.encrypted('b', { ...column, decimals: 3 });
    task.output('sum', a.add(b));
    task.output('plain', a.sub([1, 0.25, 2n]));
    const { nodes, outputs } = task.literal();
    expect(nodes).toEqual([
      { op: 'column.multiply_plain', inputs: [0], attrs: { scalar: '100' } },
      { op: 'column.add', inputs: [2, 1], attrs: {} },
      { op: 'column.multiply_plain', inputs: [0], attrs: { scalar: '10' } },
      { op: 'column.add_plain', inputs: [4], attrs: { values: ['-100', '-25', '-200'] } },
    ]);
    expect(outputs.map(({ decimals }) => decimals)).toEqual([3, 2]);
  });

  it('tracks decimals of every operation', () => {
    const a = createTask().encrypted('a', { ...column, decimals: 2 });
    expect(a.multiply(0.125).decimals).toBe(5);
    expect(a.multiply(a).decimals).toBe(4);
    expect(a.negate().decimals).toBe(2);
    expect(a.add(7).decimals).toBe(2);
    expect(
      [a.count(), a.sum(), a.mean(), a.variance(), a.covariance(a.multiply(a)), a.correlation(a)].map(
        ({ kind, decimals }) => [kind, decimals],
      ),
    ).toEqual([
      ['count', 0],
      ['sum', 2],
      ['mean', 2],
      ['variance', 4],
      ['covariance', 6],
      ['correlation', 0],
    ]);
  });

  it('rotates slots', () => {
    const task = createTask();
    const a = task.encrypted('a', { ...column, rows: 4, layout: 'slots', rings: 2 });
    task.output('out', a.rotateRows(-2).rotateColumns());
    expect(task.literal().nodes).toEqual([
      { op: 'column.rotate_rows', inputs: [0], attrs: { steps: -2 } },
      { op: 'column.rotate_columns', inputs: [1], attrs: {} },
    ]);
  });
});

describe('a task refuses', () => {
  const declare = (options: Partial<ColumnOptions>) =>
    codeOf(() => createTask().encrypted('a', { ...column, ...options }));

  it('declarations that cannot be', () => {
    expect(declare({ rows: 0 })).toBe('parameters.rows');
    expect(declare({ rows: 1.5 })).toBe('parameters.rows');
    expect(declare({ rows: 2 ** 24 + 1 })).toBe('parameters.rows');
    expect(declare({ rows: 2 ** 14 + 1, layout: 'slots' })).toBe('parameters.rows');
    expect(declare({ rows: 3, layout: 'slots', rings: 2 })).toBe('parameters.rows');
    expect(declare({ rows: 4, rings: 2 })).toBe('parameters.rings');
    expect(declare({ layout: 'slots', rings: 3 as never })).toBe('parameters.rings');
    expect(declare({ rows: 2 ** 15, layout: 'slots', rings: 2 })).toBe('no error');
    expect(declare({ missing: true, layout: 'slots' })).toBe('graph.missing');
    expect(declare({ decimals: 19 })).toBe('parameters.decimals');
    expect(declare({ min: 1, max: 0 })).toBe('parameters.bounds');
    expect(declare({ min: 0.5 })).toBe('parameters.bounds');
    expect(declare({ max: Number.NaN })).toBe('parameters.bounds');
    expect(declare({ max: '9' as never })).toBe('parameters.bounds');
    expect(declare({ max: 2n ** 62n })).toBe('range.integer');
    expect(declare({ max: 10, decimals: 18 })).toBe('range.integer');
    expect(declare({ max: 2n ** 62n - 1n, min: 1n - 2n ** 62n })).toBe('no error');
  });

  it('names that are taken or empty, and no outputs', () => {
    const task = createTask();
    const a = task.encrypted('a', column);
    expect(codeOf(() => task.literal())).toBe('graph.no_outputs');
    expect(codeOf(() => task.encrypted('a', column))).toBe('graph.name');
    expect(codeOf(() => task.encrypted('', column))).toBe('graph.name');
    expect(codeOf(() => task.encrypted('x'.repeat(257), column))).toBe('graph.name');
    expect(codeOf(() => task.encrypted('\ud800', column))).toBe('graph.name');
    expect(codeOf(() => task.encrypted('\u{1f512}'.repeat(64), column))).toBe('no error');
    task.output('out', a);
    expect(codeOf(() => task.output('out', a))).toBe('graph.name');
  });

  it('operands that do not fit', () => {
    const task = createTask();
    const a = task.encrypted('a', column);
    const other = createTask().encrypted('a', column);
    expect(codeOf(() => a.add(other))).toBe('graph.foreign');
    expect(codeOf(() => a.covariance(undefined as never))).toBe('input.type');
    expect(codeOf(() => task.output('out', other))).toBe('graph.foreign');
    expect(codeOf(() => task.output('out', 5 as never))).toBe('input.type');
    expect(codeOf(() => a.add(a.mean() as never))).toBe('input.type');
    expect(codeOf(() => a.add(task.encrypted('b', { ...column, rows: 4 })))).toBe('graph.rows');
    expect(codeOf(() => a.add(task.encrypted('c', { ...column, layout: 'slots' })))).toBe('graph.layout');
    const ring = task.encrypted('ring', { ...column, rows: 4, layout: 'slots' });
    const pair = task.encrypted('pair', { ...column, rows: 4, layout: 'slots', rings: 2 });
    expect(codeOf(() => ring.covariance(pair))).toBe('graph.layout');
    expect(codeOf(() => ring.rotateColumns())).toBe('graph.layout');
    expect(codeOf(() => a.add(task.encrypted('m', { ...column, missing: true })))).toBe('graph.missing');
    expect(codeOf(() => a.rotateRows(1))).toBe('graph.layout');
    expect(codeOf(() => task.encrypted('d', { ...column, layout: 'slots' }).rotateRows(0.5))).toBe(
      'graph.steps',
    );
    const holes = task.encrypted('holes', { ...column, missing: true });
    expect(codeOf(() => task.output('holes', holes))).toBe('graph.missing');
    expect(
      codeOf(() =>
        a
          .multiply(1e-10)
          .multiply(1e-10)
          .add(2n ** 61n),
      ),
    ).toBe('range.integer');
    expect(codeOf(() => a.multiply([1n, 2n ** 126n, 3n]))).toBe('range.integer');
    expect(codeOf(() => a.add(1e-40))).toBe('range.integer');
    expect(codeOf(() => a.multiply(1n - 2n ** 126n))).toBe('no error');
    expect(codeOf(() => a.add([1, 2]))).toBe('input.length');
    expect(codeOf(() => a.multiply([1, Number.NaN, 2]))).toBe('input.not_a_number');
    expect(codeOf(() => a.multiply([1, null, 2] as never))).toBe('input.not_a_number');
  });
});
