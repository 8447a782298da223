import { describe as suite, expect, it } from 'vitest';
import { CALL_OPTIONS, checkArgument, checkOptions, COLUMNS, describe } from '../src/arguments.js';
import { encodeColumn } from '../src/columns.js';
import { plainStatistics } from '../src/plain.js';
import { columnOptions, parseTable } from '../src/table.js';
import { createTask } from '../src/task.js';
import { codeOf, messageOf, thrownBy } from './code.js';

const column = { rows: 3, min: 0, max: 9 };
const NOT_OPTIONS = [null, 5, 'x', [], () => {}, new Map(), Promise.resolve()] as never[];

suite('what was found', () => {
  it('is told in words that tell texts from numbers', () => {
    expect(
      [undefined, null, 5, Number.NaN, '5', 5n, true, Symbol('s'), () => {}, {}, new Map()].map(describe),
    ).toEqual([
      ...['undefined', 'null', '5', 'NaN', '"5"', '5n', 'true', 'a symbol', 'a function', 'an object'],
      'an object (Map)',
    ]);
    expect(describe(Promise.resolve())).toContain('await');
    expect(describe([1, '2', [3], 4])).toBe('an array of 4');
    expect(describe('x'.repeat(1000)).length).toBeLessThan(50);
  });
});

suite('arguments', () => {
  it('say where, what was found and what was expected', () => {
    const check = () => checkArgument('encrypt, columns', null, COLUMNS);
    expect(codeOf(check)).toBe('input.type');
    expect(messageOf(check)).toBe('encrypt, columns: expected an object with columns by name, found null');
  });

  it('are refused where they are no options, unknown or of the wrong type', () => {
    const check = (options: unknown) => codeOf(() => checkOptions('run', options, CALL_OPTIONS));
    for (const wrong of NOT_OPTIONS) expect(check(wrong)).toBe('input.type');
    expect(check({ signal: 5 })).toBe('input.type');
    expect(check({ signal: null })).toBe('input.type');
    expect(check({ onProgress: 'x' })).toBe('input.type');
    expect(check({ onprogress: () => {} })).toBe('input.option');
    expect(check({ constructor: 1 })).toBe('input.option');
    expect(check({ signal: new AbortController().signal, onProgress: undefined })).toBe('no error');
    expect(messageOf(() => checkOptions('run', { sgnal: 1 }, CALL_OPTIONS))).toBe(
      'run: there is no option "sgnal"; there are signal, onProgress',
    );
  });

  it('of tasks are checked', () => {
    const task = createTask();
    const a = task.encrypted('a', column);
    for (const wrong of [undefined, ...NOT_OPTIONS] as never[]) {
      expect(codeOf(() => task.encrypted('x', wrong))).toBe('input.type');
      expect(codeOf(() => task.output('x', wrong))).toBe('input.type');
      expect(codeOf(() => a.correlation(wrong))).toBe('input.type');
      expect(codeOf(() => plainStatistics(wrong, {}))).toBe('input.type');
    }
    for (const wrong of NOT_OPTIONS) expect(codeOf(() => a.variance(wrong))).toBe('input.type');
    for (const wrong of [undefined, null, '5', true, {}, () => {}] as never[]) {
      for (const operation of ['add', 'sub', 'multiply'] as const) {
        expect(codeOf(() => a[operation](wrong))).toBe('input.type');
      }
    }
    expect(codeOf(() => a.add({ length: 2 ** 40 }))).toBe('input.length');
    expect(codeOf(() => a.variance({ populaton: true } as never))).toBe('input.option');
    expect(codeOf(() => a.variance({ population: 1 } as never))).toBe('input.type');
    expect(codeOf(() => task.encrypted('x', { ...column, layout: 'rows' as never }))).toBe('input.type');
    expect(codeOf(() => task.encrypted('x', { ...column, missing: 1 as never }))).toBe('input.type');
    expect(codeOf(() => task.encrypted('x', { ...column, mising: true } as never))).toBe('input.option');
    expect(messageOf(() => a.add(a.mean() as never))).toContain('found the statistic "mean"');
    task.output('out', a);
    expect(codeOf(() => plainStatistics(task, null as never))).toBe('input.type');
  });

  it('of tables are checked', () => {
    const file = 'a,b\n1,x\n';
    for (const wrong of [undefined, null, 5, {}, []] as never[])
      expect(codeOf(() => parseTable(wrong))).toBe('input.type');
    for (const wrong of NOT_OPTIONS) expect(codeOf(() => parseTable(file, wrong))).toBe('input.type');
    expect(codeOf(() => parseTable(file, { missing: [null] as never }))).toBe('input.type');
    expect(codeOf(() => parseTable(file, { delimiter: 5 as never }))).toBe('input.type');
    expect(codeOf(() => parseTable(file, { delimeter: ';' } as never))).toBe('input.option');
    const [, text] = parseTable(file).columns;
    for (const wrong of [undefined, null, {}, text] as never[])
      expect(codeOf(() => columnOptions(wrong))).toBe('input.type');
  });
});

suite('numbers that are none', () => {
  it('are told as they are', () => {
    const declare = (options: object) =>
      messageOf(() => createTask().encrypted('a', { ...column, ...options }));
    expect(declare({ rows: '3' })).toBe('Input "a": rows must be 1 to 16777216, found "3"');
    expect(declare({ rows: Number.NaN })).toContain('found NaN');
    expect(declare({ min: '0' })).toContain('found "0"');
    expect(declare({ decimals: '1' })).toContain('found "1"');
    const rule = { name: 'a', rows: 2, decimals: 0, missing: false, min: 0n, max: 9n };
    const encode = (values: unknown) => messageOf(() => encodeColumn(rule, values as never));
    expect(encode([1, '2'])).toBe(
      'Column "a", row 1 (counted from 0): expected a finite number, found a string',
    );
    expect(encode([1, Object.create(null)])).toContain('expected a finite number, found an object');
    expect(encode(null)).toBe('Column "a": expected an array of numbers, found null');
  });

  it('are too many rows for slots, which has its own limit', () => {
    const slots =
      (rows: number, rings: 1 | 2 = 1) =>
      () =>
        createTask().encrypted('a', { ...column, rows, layout: 'slots' as const, rings });
    expect(codeOf(slots(16384))).toBe('no error');
    expect(codeOf(slots(32768, 2))).toBe('no error');
    expect(codeOf(slots(16385))).toBe('parameters.rows');
    expect(messageOf(slots(40000, 2))).toMatch(/"slots".*rows must be 1 to 32768.*found 40000/);
  });
});

suite('values of people', () => {
  const rule = { name: 'a', rows: 2, decimals: 1, missing: false, min: 0n, max: 90n };
  const SECRET = /7{3,}|secret/;
  const wrong: unknown[] = [
    ...[
      [1, 777],
      [1, 777n],
      [1, 7.777],
      [1, 'secret'],
      [1, { secret: 777 }],
      [1, ['secret']],
    ],
    ...[777, 777n, 'secret', { length: 'secret' }, ['secret'], [7777]],
  ];

  it('are in no error, neither in its message nor in its details', () => {
    for (const values of wrong) {
      const error = thrownBy(() => encodeColumn(rule, values as never));
      expect(error?.code).toMatch(/^(input|range)\./);
      expect(`${error?.message} ${JSON.stringify(error?.details)}`).not.toMatch(SECRET);
    }
    expect(thrownBy(() => encodeColumn(rule, [1, 777]))).toMatchObject({
      message: 'Column "a", row 1 (counted from 0): a value is not in 0.0..9.0',
      details: { column: 'a', row: 1, expected: { min: '0.0', max: '9.0' } },
    });
    for (const given of ['secret', 777, ['secret', 777], [[777]]] as never[]) {
      expect(messageOf(() => checkArgument('encrypt, columns', given, COLUMNS))).not.toMatch(SECRET);
      const task = createTask();
      task.output('sum', task.encrypted('a', column).sum());
      expect(messageOf(() => plainStatistics(task, given))).not.toMatch(SECRET);
    }
    const table = parseTable('a,b\n1,secret\n2,7777777777777777777\n');
    expect(table.columns[1]).toMatchObject({ found: 'secret' });
    const error = thrownBy(() => table.column('b'));
    expect(error).toMatchObject({ code: 'table.not_numeric', details: { row: 0, reason: 'text' } });
    expect(`${error?.message} ${JSON.stringify(error?.details)}`).not.toMatch(SECRET);
    expect(messageOf(() => parseTable(['secret'] as never))).not.toMatch(SECRET);
  });

  it('are told where that was asked for', () => {
    const told = (values: unknown) => messageOf(() => encodeColumn(rule, values as never, true));
    expect(told([1, 777])).toContain('777 is not in 0.0..9.0');
    expect(told([1, 7.777])).toContain('7.777 has 3 decimals, at most 1 were declared');
    expect(told([1, 'secret'])).toContain('found "secret"');
  });
});

suite('rows in messages', () => {
  it('say from where they are counted', () => {
    const rule = { name: 'a', rows: 2, decimals: 0, missing: false, min: 0n, max: 9n };
    for (const values of [
      [1, 10],
      [1, 1.5],
      [1, null],
    ])
      expect(messageOf(() => encodeColumn(rule, values))).toContain('row 1 (counted from 0)');
    for (const file of ['a,b\n1,2\n3\n', 'a,b\n1,2\n"3,4\n'])
      expect(messageOf(() => parseTable(file))).toContain('counted from 0, below the header');
    expect(messageOf(() => parseTable('a,b\n1,x\n').column('b'))).toContain('counted from 0');
  });
});

suite('names', () => {
  it('of properties that every object has are names like any other', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'then']) {
      const task = createTask();
      task.output(name, task.encrypted(name, column).sum());
      expect(codeOf(() => plainStatistics(task, {}))).toBe('input.missing');
      const sums = plainStatistics(task, { [name]: [1, 2, 3] });
      expect(Object.keys(sums)).toEqual([name]);
      expect(String(sums[name]?.value)).toBe('6');
    }
  });

  it('are refused where an object could not have them, and where they are no text', () => {
    const task = createTask();
    const a = task.encrypted('a', column);
    for (const name of ['__proto__', '', 5n, Symbol('s'), null, {}] as never[]) {
      expect(codeOf(() => task.encrypted(name, column))).toBe('graph.name');
      expect(codeOf(() => task.output(name, a))).toBe('graph.name');
    }
  });
});
