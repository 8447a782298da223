/** Hostile CSV files: what must hold for any of them, and changes that make new ones. For tests and for `fuzz/csv.mjs`. */
import { CipherloomError } from '../src/errors.js';
import { columnOptions, type NumericColumn, parseTable, type Table } from '../src/table.js';

/** Files to start from. */
export const SEEDS = [
  'a,b\n1,2\n3,4\n',
  'id;"na;me";x\r\n1;"A ""q""";1.50\r\n2;"B\r\nob";NA\r\n;;-2e-1\r\n\r\n',
  '\uFEFFone\n1\n\n2\n \n',
  'x\ty\n0.1\t123456789012345678\n.5\t-1e21\n5.\t+0\n',
  'a|b|c\n,|1|2\nnull|N/A|NaN\n',
  '"a"\n"1"\n"2',
];

/** What means something to some reader. */
const WORDS = [
  ...[
    ',',
    ';',
    '\t',
    '|',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    ' ',
    '\uFEFF',
    '\u2028',
    '\0',
    '#',
    "'",
    '=',
    '\\',
  ],
  ...['NA', 'n/a', 'null', 'NaN', 'Infinity', '-Infinity', 'true', '__proto__', 'constructor', 'toString'],
  ...[
    '0',
    '-0',
    '+1',
    '.5',
    '5.',
    '1e3',
    '1E-3',
    '1e308',
    '1e309',
    '1e-320',
    '5e-324',
    '1e999999999',
    '0x10',
    '1_0',
    '١',
  ],
  ...[
    '0.1',
    '9007199254740993',
    '4611686018427387904',
    '0.30000000000000004',
    '123456789012345678901234567890',
  ],
];

/** A whole number from 0 to below `limit`. */
export type Pick = (limit: number) => number;

/** Changes a file a little; `other` is one to take pieces from. */
export function changed(file: Uint8Array, other: Uint8Array, pick: Pick): Uint8Array {
  let bytes = [...file];
  for (let left = 1 + pick(4); left > 0; left--) {
    const at = pick(bytes.length + 1);
    const end = at + pick(9);
    const from = pick(other.length + 1);
    const word = new TextEncoder().encode(WORDS[pick(WORDS.length)]);
    switch (pick(7)) {
      case 0:
        bytes.splice(at, 1, pick(256));
        break;
      case 1:
        bytes.splice(at, end - at);
        break;
      case 2:
        bytes.splice(at, 0, ...bytes.slice(at, end));
        break;
      case 3:
        bytes.splice(at, pick(3), ...other.slice(from, from + pick(40)));
        break;
      case 4:
        bytes = [...bytes.slice(0, at), ...other.slice(from)];
        break;
      default:
        bytes.splice(at, pick(3), ...word);
    }
  }
  return Uint8Array.from(bytes.slice(0, 4096));
}

/**
 * Reads a file and checks what it says. Throws for anything that is neither a table that holds together nor
 * an error of this package.
 */
export function read(file: Uint8Array): 'refused' | 'accepted' {
  let table: Table;
  try {
    table = parseTable(file);
  } catch (error) {
    if (error instanceof CipherloomError && error.code.startsWith('table.')) return 'refused';
    throw error;
  }
  const cells = plainCells(new TextDecoder().decode(file), table);
  for (const column of table.numeric) check(column, table, cells?.[table.columns.indexOf(column)]);
  return 'accepted';
}

function check(column: NumericColumn, table: Table, cells?: readonly string[]): void {
  const { values, min, max, decimals, missing } = column;
  const numbers = [...values].filter((value) => !Number.isNaN(value));
  const options = columnOptions(column);
  expect(values.length === table.rows && options.shape?.[0] === table.rows, 'rows');
  expect(numbers.length + missing === table.rows, 'missing cells');
  expect(
    table.columns.some(({ name }) => name === column.name),
    'the name of a column',
  );
  expect(
    numbers.every((value) => Number.isFinite(value) && value >= min && value <= max),
    'values within bounds',
  );
  expect(numbers.length === 0 || (numbers.includes(min) && numbers.includes(max)), 'bounds that occur');
  expect(Number.isInteger(decimals) && decimals >= 0, 'decimals');
  // No more decimals than were counted: the value is the nearest to its form with so many.
  if (decimals <= 100)
    expect(
      numbers.every((value) => Number(value.toFixed(decimals)) === value),
      'decimals of values',
    );
  for (const [row, cell] of (cells ?? []).entries()) {
    const value = values[row] as number;
    expect(Number.isNaN(value) || Number(cell) === value, `the number ${cell}`);
  }
}

/** The cells of each column where the file has neither quotes nor blank lines, so that anybody can split it. */
function plainCells(text: string, table: Table): string[][] | undefined {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/(\r?\n|\r)$/, '')
    .split(/\r\n/.test(text) ? '\r\n' : '\n');
  if (
    /"/.test(text) ||
    /\r(?!\n)|[^\r]\n.*\r\n|\r\n.*[^\r]\n/s.test(text) ||
    lines.some((line) => line.trim() === '')
  )
    return undefined;
  const fit = [',', ';', '\t', '|'].find((mark) =>
    lines.every((line) => line.split(mark).length === table.columns.length),
  );
  if (fit === undefined || lines.length !== table.rows + 1) return undefined;
  return table.columns.map((_, index) => lines.slice(1).map((line) => line.split(fit)[index] as string));
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`a table was read wrongly: ${what}`);
}
