import { describe, expect, it } from 'vitest';
import { columnOptions, parseTable } from '../src/table.js';
import { createTask } from '../src/values/task.js';
import { codeOf } from './code.js';
import { random } from './random.js';

describe('parseTable', () => {
  it('reads quotes, CRLF, byte order mark, missing cells and spaces', () => {
    const table = parseTable(
      '\uFEFFid,"name, full",age,score\r\n1,"Ann ""A""",31, 1.50\r\n2,"B\r\nob",NA,\r\n3,,-5,2e-1\r\n\r\n',
    );
    expect(table.rows).toBe(3);
    expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['id', 'numeric'],
      ['name, full', 'text'],
      ['age', 'numeric'],
      ['score', 'numeric'],
    ]);
    expect(table.column('age')).toEqual({
      kind: 'numeric',
      name: 'age',
      values: Float64Array.of(31, Number.NaN, -5),
      min: -5,
      max: 31,
      decimals: 0,
      missing: 1,
    });
    expect(table.column('score')).toMatchObject({ min: 0.2, max: 1.5, decimals: 1, missing: 1 });
    expect(columnOptions(table.column('score'))).toEqual({
      shape: [3],
      min: 0,
      max: 2,
      decimals: 1,
      missing: true,
    });
  });

  it('reads bytes, other delimiters and own words for missing', () => {
    const bytes = new TextEncoder().encode('\uFEFFa;b\n1;-\n2;5\n');
    const table = parseTable(bytes, { missing: ['-'] });
    expect(table.column('b')).toMatchObject({ missing: 1, min: 5, max: 5 });
    expect(parseTable('a\tb\n1\t2').numeric).toHaveLength(2);
    expect(parseTable('a|b\n1|2', { delimiter: '|' }).numeric).toHaveLength(2);
  });

  it('reads a single column, where an inner blank line is a missing row', () => {
    const { values } = parseTable('x\n1\n\n3\n\n').column('x');
    expect(values).toEqual(Float64Array.of(1, Number.NaN, 3));
  });

  it('names columns without a name, and has columns where all is missing', () => {
    const table = parseTable('a,\n1,\n2,NA\n');
    expect(table.column('column 2')).toMatchObject({ missing: 2, min: Number.NaN });
    expect(columnOptions(table.column('column 2'))).toMatchObject({ min: -10, max: 10, missing: true });
  });

  it('does not take numbers that a double cannot hold, or that are not decimal', () => {
    const table = parseTable('a,b,c,d,e\n12345678901234567891,0x1f,1_000,12345678901234567000,1e999\n');
    expect(table.columns.map((column) => (column.kind === 'text' ? column.reason : 'numeric'))).toEqual([
      'precision',
      'text',
      'text',
      'numeric',
      'text',
    ]);
    expect(
      parseTable('a,b\n0.1000000000000000000000,1\n0.1000000000000000055511151231257827,1').columns[0],
    ).toMatchObject({ row: 1 });
  });

  it('refuses what is no table', () => {
    const code = (text: string | Uint8Array) => codeOf(() => parseTable(text));
    expect(code('')).toBe('table.empty');
    expect(code('a,b\n')).toBe('table.empty');
    expect(code('a,b\n1,2\n3\n')).toBe('table.ragged');
    expect(code('a,a\n1,2\n')).toBe('table.duplicate');
    expect(code('a,b\n1,"2\n')).toBe('table.quotes');
    expect(code('a,b\nx,y\n')).toBe('table.no_numbers');
    expect(code(Uint8Array.of(97, 10, 0xff))).toBe('table.encoding');
    const table = parseTable('a,b\n1,x\n');
    expect(codeOf(() => table.column('c'))).toBe('table.column');
    expect(codeOf(() => table.column('b'))).toBe('table.not_numeric');
  });
});

describe('columnOptions', () => {
  const boundsOf = (...cells: (string | number)[]) => {
    const { min, max } = columnOptions(
      parseTable(['a,b', ...cells.map((cell) => `${cell},0`)].join('\n')).column('a'),
    );
    return [min, max];
  };

  it.each([
    [[6.981, 28.11], 0, 30],
    [[0.05263, 0.1634], 0, 0.2],
    [[143.5, 2501], 0, 3000],
    [[-0.31, 0.04], -0.4, 0.1],
    [[0.6, 0.7], 0, 1],
    [[0, 0.4268], -0.1, 0.5],
    [[5, 5, 5], 0, 10],
    [[1], 0, 10],
    [[0], -10, 10],
    [[0, 1], -10, 10],
    [[10, 30], 0, 40],
    [[-10, -10], -20, 0],
    [[9.9], 9, 10],
    [[-7, 5], -10, 10],
    [['3e22'], 2e22, 4e22],
    [['NA', 'NA'], -10, 10],
  ])('rounds the bounds of %j outward to %d and %d', (cells, min, max) => {
    expect(boundsOf(...cells)).toEqual([min, max]);
  });

  it('gives no bound that is a value, nor bounds between which one value alone fits, and takes all values', () => {
    for (let round = 0; round < 2000; round++) {
      const places = random(7);
      const scale = 10 ** random(12);
      const values = Array.from({ length: 1 + random(3) }, () => (random(2 * scale) - scale) / 10 ** places);
      const column = parseTable(`a\n${values.join('\n')}`).column('a');
      const { min, max, decimals = 0, missing } = columnOptions(column);
      expect(values.every((value) => min < value && value < max)).toBe(true);
      expect((Number(max) - Number(min)) * 10 ** Number(decimals)).toBeGreaterThan(9);
      createTask().encrypted('a', { shape: [values.length], min, max, decimals, missing });
    }
  });
});
