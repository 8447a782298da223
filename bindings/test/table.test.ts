import { describe, expect, it } from 'vitest';
import { columnOptions, parseTable, type Table, tableOf, type TableOptions } from '../src/table.js';
import { createTask } from '../src/values/task.js';
import { codeOf, thrownBy } from './code.js';
import { random } from './random.js';

describe('parseTable', () => {
  it('takes points before three digits for those of thousands where other numbers have decimal commas', () => {
    const read = (text: string) =>
      parseTable(text, { decimal: 'auto' }).columns.map((column) =>
        column.kind === 'numeric' ? [...column.values] : column.found,
      );
    // Such numbers are refused, where they would be a thousand times too small else.
    expect(read('a;b\n1,5;1.000\n2,5;2.000\n')).toEqual([[1.5, 2.5], expect.anything()]);
    expect(read('a;b\n1.234,50;1\n2,5;2\n')).toEqual([expect.anything(), [1, 2]]);
    expect(read('a;b\n1.125;1\n2.250;2\n')).toEqual([
      [1.125, 2.25],
      [1, 2],
    ]);
    expect(read('a;b\n1.5;1,25\n2.5;2,25\n')).toEqual([[1.5, 2.5], expect.anything()]);
  });

  it('reads line ends of several kinds in one file, but for those in quotes', () => {
    for (const text of ['a,b\r\n1,2\r\n3,4\n5,6\r\n', 'a,b\n1,2\r\n3,4\n5,6', 'a,b\r1,2\n3,4\r\n5,6\r'])
      expect(parseTable(text).numeric.map(({ values }) => [...values])).toEqual([
        [1, 3, 5],
        [2, 4, 6],
      ]);
    const table = parseTable('"a\r\nb ""c""\nd",n\r\n"x\r",1\ny,2\r\n');
    expect(table.columns.map(({ name }) => name)).toEqual(['a\r\nb "c"\nd', 'n']);
    expect(table.column('n').values).toEqual(Float64Array.of(1, 2));
  });

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
      'precision',
    ]);
    // Few digits do not help beyond the ends of a double.
    for (const cell of ['1e400', '-1e400', '1e-400', '1.2345e-320'])
      expect(parseTable(`a,b\n1,1\n${cell},1\n`).columns[0]).toMatchObject({ row: 1, reason: 'precision' });
    expect([...parseTable('a\n1e308\n1.5e-7\n1E+2\n').column('a').values]).toEqual([1e308, 1.5e-7, 100]);
    expect(
      parseTable('a,b\n0.1000000000000000000000,1\n0.1000000000000000055511151231257827,1').columns[0],
    ).toMatchObject({ row: 1 });
  });

  it('takes the typographic minus, and the first line that spreadsheets write', () => {
    expect([...parseTable('a,b\n\u22121.5,1\n2,1\n').column('a').values]).toEqual([-1.5, 2]);
    expect(parseTable('\u22121\n2\n', { header: 'auto' }).rows).toBe(2);
    const table = parseTable('sep=;\r\na;b\r\n1;2,5\r\n', { header: 'auto', decimal: 'auto' });
    expect([table.format.delimiter, table.rows, table.column('b').values[0]]).toEqual([';', 1, 2.5]);
    expect(codeOf(() => parseTable('sep=;\na;b\n1;2\n', { delimiter: ',' }))).toBe('table.no_numbers');
  });

  it.each([
    ['\n\na,b\n1,2\n\n"3"x,4\n5,6\n', 'Row 1', true],
    ['\n\na,b\n1,2\n\n3\n5,6\n', 'Row 1', true],
    ['1,2\n3,4\n"3"x,4\n5,6\n', 'Row 2', false],
    ['1,2\n3,4\n3\n5,6\n', 'Row 2', false],
    [',,\n,,\na,b,c\n1,2,3\n4\n', 'Row 1', true],
  ])('counts the rows of %j alike, whatever is wrong', (text, row, named) => {
    const { message } = thrownBy(() => parseTable(text, { header: 'auto' })) as Error;
    expect(message).toContain(`${row}${/"/.test(text) ? ':' : ' has'}`);
    expect(message.endsWith(named ? ', below the header)' : 'from 0)')).toBe(true);
  });

  it('says why no column is numeric, and no cell', () => {
    const text = 'a,b,c,d\nsecret,1234567890123456789012,x,y\n';
    const { message } = thrownBy(() => parseTable(text)) as Error;
    expect(message).toBe(
      'The file has no numeric column: row 0 of "a" is no number, row 0 of "b" is a number that a double cannot hold, ' +
        'row 0 of "c" is no number, and so on for 1 more (rows are counted from 0, below the header)',
    );
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

/** As files of people are read. */
const AUTO: TableOptions = { header: 'auto', decimal: 'auto', encoding: 'auto', duplicates: 'number' };

describe('parseTable, of what people have', () => {
  const columnsOf = (table: Table): Record<string, number[] | string> =>
    Object.fromEntries(
      table.columns.map((column) => [
        column.name,
        column.kind === 'numeric' ? [...column.values] : column.reason,
      ]),
    );
  const read = (file: string | Uint8Array): Record<string, number[] | string> =>
    columnsOf(parseTable(file, AUTO));

  it.each([
    ['semicolons and decimal commas', 'a;b\n1,5;-2\n,25;3\n', { a: [1.5, 0.25], b: [-2, 3] }],
    [
      'more commas than semicolons',
      '1,5;2,5;3,5\n4,5;5,5;6,5\n',
      { 'column 1': [1.5, 4.5], 'column 2': [2.5, 5.5], 'column 3': [3.5, 6.5] },
    ],
    ['tabs and decimal commas', 'a\tb\n1,5\t2\n', { a: [1.5], b: [2] }],
    ['one column with decimal commas', 'x\n1,5\n2,25\n', { x: [1.5, 2.25] }],
    ['semicolons and points', 'a;b\n1.5;2\n', { a: [1.5], b: [2] }],
    ['both marks: the point is one', 'a;b\n1.5;2,5\n', { a: [1.5], b: 'text' }],
    ['commas in words', 'a,b\n1,x;y\n2,z;w\n', { a: [1, 2], b: 'text' }],
    ['no header', '1,Ann,31\n2,Bob,5\n', { 'column 1': [1, 2], 'column 2': 'text', 'column 3': [31, 5] }],
    ['one row of numbers', '54,61,47', { 'column 1': [54], 'column 2': [61], 'column 3': [47] }],
    ['one number', '7\n', { 'column 1': [7] }],
    ['words over words', 'a,b\nx,1\n', { a: 'text', b: [1] }],
    ['no header, and a missing cell', 'NA,5\n3,4\n', { 'column 1': [Number.NaN, 3], 'column 2': [5, 4] }],
    ['names twice', 'a,a,a (2),a\n1,2,3,4\n', { a: [1], 'a (3)': [2], 'a (2)': [3], 'a (4)': [4] }],
    ['grouped digits are words', 'a;b\n1.234,56;1\n', { a: 'text', b: [1] }],
    ['numbers of forty digits', `a,b\n${'1234567890'.repeat(4)},1\n`, { a: 'precision', b: [1] }],
    ['a name of 3,000 letters', `${'n'.repeat(3000)},b\n1,2\n`, { ['n'.repeat(3000)]: [1], b: [2] }],
  ])('%s', (_, file, expected) => expect(read(file)).toEqual(expected));

  it('does not take a ragged file for one of decimal commas', () => {
    expect(codeOf(() => read('a,b\n1,2\n3\n'))).toBe('table.ragged');
  });

  it('reads Latin-1 and UTF-16, with and without a mark', () => {
    const text = 'Größe;é\r\n1,5;2\r\n';
    const expected = { Größe: [1.5], é: [2] };
    const latin = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const little = new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
    const big = little.map((_, at) => little[at ^ 1] as number);
    const files: [Uint8Array, string][] = [
      [new TextEncoder().encode(text), 'utf-8'],
      [latin, 'windows-1252'],
      [little, 'utf-16le'],
      [big, 'utf-16be'],
      [Uint8Array.of(0xff, 0xfe, ...little), 'utf-16le'],
      [Uint8Array.of(0xfe, 0xff, ...big), 'utf-16be'],
    ];
    for (const [file, encoding] of files) {
      const table = parseTable(file, AUTO);
      expect([table.format.encoding, columnsOf(table)]).toEqual([encoding, expected]);
      const { header, decimal, delimiter } = table.format;
      expect({ header, decimal, delimiter }).toEqual({ header: true, decimal: ',', delimiter: ';' });
    }
    // A mark is no guess.
    expect(parseTable(Uint8Array.of(0xff, 0xfe, ...little), { decimal: ',' }).numeric).toHaveLength(2);
    expect(codeOf(() => parseTable(latin))).toBe('table.encoding');
    expect(parseTable(latin, { encoding: 'windows-1252', decimal: ',' }).numeric).toHaveLength(2);
    expect(codeOf(() => parseTable(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 0xff), AUTO))).toBe(
      'table.encoding',
    );
  });

  it('takes orders instead of guesses', () => {
    expect(columnsOf(parseTable('1,2\n3,4\n'))).toEqual({ '1': [3], '2': [4] });
    expect(columnsOf(parseTable('1,2\n3,4\n', { header: false }))).toEqual({
      'column 1': [1, 3],
      'column 2': [2, 4],
    });
    expect(columnsOf(parseTable('a,b\n"1,5",2\n', { decimal: ',' }))).toEqual({ a: [1.5], b: [2] });
    expect(codeOf(() => parseTable('a\n1', { decimal: ';' as never }))).toBe('input.type');
    expect(codeOf(() => parseTable('a\n1', { encoding: 'latin1' as never }))).toBe('input.type');
    expect(codeOf(() => parseTable('a\n1', { header: 1 as never }))).toBe('input.type');
    for (const delimiter of ['', '"', '\r', '\n', '\uFEFF'])
      expect(codeOf(() => parseTable('a,b\n1,2', { delimiter }))).toBe('input.type');
  });

  it('reads what any file of numbers says, whatever it is written with', () => {
    for (let round = 0; round < 300; round++) {
      const [width, height] = [2 + random(3), 2 + random(5)];
      const rows = Array.from({ length: height }, () =>
        Array.from({ length: width }, () => (random(2_000_000) - 1_000_000) / 10 ** random(4)),
      );
      const decimal = random(2) === 0 ? '.' : ',';
      const delimiter = (decimal === '.' ? [',', ';', '\t', '|'] : [';', '\t', '|'])[random(3)] as string;
      const header = random(2) === 0;
      const lines = rows.map((row) =>
        row.map((value) => String(value).replace('.', decimal)).join(delimiter),
      );
      if (header) lines.unshift(rows[0]!.map((_, index) => `c${index}`).join(delimiter));
      // Whole numbers with commas between are what two marks cannot tell apart.
      const isPlain = decimal === '.' || rows.flat().some((value) => !Number.isInteger(value));
      if (!isPlain) continue;
      const file = lines.join('\n');
      const { format, numeric } = parseTable(file, AUTO);
      expect([file, format.header, numeric.map(({ values }) => [...values])]).toEqual([
        file,
        header,
        rows[0]!.map((_, index) => rows.map((row) => row[index])),
      ]);
    }
  });
});

describe('tableOf', () => {
  it('makes a table of cells', () => {
    const table = tableOf(
      [
        ['a', 'b'],
        ['1', 'x'],
        ['2.5', ''],
      ],
      { header: 'auto' },
    );
    expect(table.format).toEqual({ header: true, decimal: '.', delimiter: undefined, encoding: undefined });
    expect([...table.column('a').values]).toEqual([1, 2.5]);
    expect(
      tableOf([
        ['', ''],
        ['', ' '],
        ['a', 'b'],
        ['1', '2'],
      ]).column('b').values[0],
    ).toBe(2);
    expect(codeOf(() => tableOf([['a'], ['1', '2']]))).toBe('table.ragged');
    expect(codeOf(() => tableOf([]))).toBe('table.empty');
    expect(codeOf(() => tableOf([[1]] as never))).toBe('input.type');
    expect(codeOf(() => tableOf([['a']], { delimiter: ',' } as never))).toBe('input.option');
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
    [['1e308', '-1e308'], -2n * 10n ** 308n, 2n * 10n ** 308n],
    [['NA', 'NA'], -10, 10],
  ])('rounds the bounds of %j outward to %s and %s', (cells, min, max) => {
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
