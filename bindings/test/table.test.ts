import { describe, expect, it } from 'vitest';
import { columnOptions, parseTable } from '../src/table.js';
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
      rows: 3,
      min: 0.2,
      max: 1.5,
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
    expect(columnOptions(table.column('column 2'))).toMatchObject({ min: 0, max: 0, missing: true });
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

  it('reads 100,000 rows in well under two seconds', () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, row) => `${row},${random(10_000) / 100},name ${row},${random(2)}`,
    );
    const text = ['id,score,name,flag', ...lines].join('\n');
    const started = performance.now();
    expect(parseTable(text).rows).toBe(100_000);
    expect(performance.now() - started).toBeLessThan(1500);
  });
});
