import { describe as suite, expect, it } from 'vitest';
import { CALL_OPTIONS, checkArgument, checkOptions, describe, VALUES_BY_NAME } from '../src/arguments.js';
import { columnOptions, parseTable } from '../src/table.js';
import { encodeValue } from '../src/values/cells.js';
import { createTask } from '../src/values/task.js';
import { typeOf } from '../src/values/type.js';
import type { ValueOptions } from '../src/values/types.js';
import { codeOf, messageOf, thrownBy } from './code.js';

const integers: ValueOptions = { shape: [3], min: 0, max: 9 };
const NOT_OPTIONS = [null, 5, 'x', [], () => {}, new Map(), Promise.resolve()] as never[];
/** Of the input `a`: two numbers of one decimal. */
const RULE = { name: 'a', type: { ...typeOf('integer', [2]), decimals: 1 }, min: 0n, max: 90n };

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
    const whole = new ArrayBuffer(8);
    const views = [new Uint8Array(whole, 4), new BigInt64Array(whole), new DataView(whole), whole];
    structuredClone(whole, { transfer: [whole] });
    for (const view of views) expect(describe(view)).toBe('detached bytes');
    for (const empty of [new Uint8Array(), new DataView(new ArrayBuffer()), new ArrayBuffer()])
      expect(describe(empty)).toMatch(/^an object/);
  });
});

suite('arguments', () => {
  it('say where, what was found and what was expected', () => {
    const check = () => checkArgument('encrypt, values', null, VALUES_BY_NAME);
    expect(codeOf(check)).toBe('input.type');
    expect(messageOf(check)).toBe('encrypt, values: expected an object with values by name, found null');
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
    const a = task.encrypted('a', integers);
    for (const wrong of [undefined, ...NOT_OPTIONS] as never[]) {
      expect(codeOf(() => task.encrypted('x', wrong))).toBe('input.type');
      expect(codeOf(() => task.output('x', wrong))).toBe('input.type');
    }
    for (const wrong of NOT_OPTIONS) expect(codeOf(() => a.variance(wrong))).toBe('input.type');
    for (const wrong of [undefined, null, '5', {}, () => {}, new Map()] as never[])
      for (const operation of ['add', 'sub', 'multiply', 'correlation', 'lessThan'] as const)
        expect(codeOf(() => a[operation](wrong))).toBe('input.type');
    expect(codeOf(() => a.variance({ off: 'population' } as never))).toBe('input.option');
    expect(codeOf(() => a.variance({ of: 1 } as never))).toBe('input.type');
    expect(codeOf(() => task.encrypted('x', { ...integers, missing: 1 as never }))).toBe('input.type');
    expect(codeOf(() => task.encrypted('x', { ...integers, mising: true } as never))).toBe('input.option');
  });

  it('of tables are checked', () => {
    const file = 'a,b\n1,x\n';
    for (const wrong of [undefined, null, 5, {}, []] as never[])
      expect(codeOf(() => parseTable(wrong))).toBe('input.type');
    for (const wrong of NOT_OPTIONS) expect(codeOf(() => parseTable(file, wrong))).toBe('input.type');
    expect(codeOf(() => parseTable(file, { missing: [null] as never }))).toBe('input.type');
    expect(codeOf(() => parseTable(file, { delimiter: 5 as never }))).toBe('input.type');
    expect(codeOf(() => parseTable(file, { delimeter: ';' } as never))).toBe('input.option');
    const moved = new TextEncoder().encode(file);
    structuredClone(moved, { transfer: [moved.buffer] });
    expect(codeOf(() => parseTable(moved))).toBe('input.type');
    const [, text] = parseTable(file).columns;
    for (const wrong of [undefined, null, {}, text] as never[])
      expect(codeOf(() => columnOptions(wrong))).toBe('input.type');
  });
});

suite('numbers that are none', () => {
  it('are told as they are', () => {
    const declare = (options: object) =>
      messageOf(() => createTask().encrypted('a', { ...integers, ...options }));
    expect(declare({ shape: ['3'] })).toContain('"3"');
    expect(declare({ shape: [Number.NaN] })).toContain('NaN');
    expect(declare({ min: '0' })).toContain('found "0"');
    expect(declare({ decimals: '1' })).toContain('found "1"');
    const encode = (cells: unknown) => messageOf(() => encodeValue(RULE, cells as never));
    expect(encode([1, '2'])).toBe(
      'Input "a", cell [1] (counted from 0): expected a finite number, found a string',
    );
    expect(encode([1, Object.create(null)])).toContain('expected a finite number, found an object');
    expect(encode(null)).toContain('found null');
  });
});

suite('values of people', () => {
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
    for (const cells of wrong) {
      const error = thrownBy(() => encodeValue(RULE, cells as never));
      expect(error?.code).toMatch(/^(input|range)\./);
      expect(`${error?.message} ${JSON.stringify(error?.details)}`).not.toMatch(SECRET);
    }
    expect(thrownBy(() => encodeValue(RULE, [1, 777]))).toMatchObject({
      message: 'Input "a", cell [1] (counted from 0): a value is not in 0.0..9.0',
      details: { input: 'a', cell: 1, expected: { min: '0.0', max: '9.0' } },
    });
    for (const given of ['secret', 777, ['secret', 777], [[777]]] as never[])
      expect(messageOf(() => checkArgument('encrypt, values', given, VALUES_BY_NAME))).not.toMatch(SECRET);
    const table = parseTable('a,b\n1,secret\n2,7777777777777777777\n');
    expect(table.columns[1]).toMatchObject({ found: 'secret' });
    const error = thrownBy(() => table.column('b'));
    expect(error).toMatchObject({ code: 'table.not_numeric', details: { row: 0, reason: 'text' } });
    expect(`${error?.message} ${JSON.stringify(error?.details)}`).not.toMatch(SECRET);
    expect(messageOf(() => parseTable(['secret'] as never))).not.toMatch(SECRET);
  });

  it('are told where that was asked for', () => {
    const told = (cells: unknown) => messageOf(() => encodeValue(RULE, cells as never, true));
    expect(told([1, 777])).toContain('777 is not in 0.0..9.0');
    expect(told([1, 7.777])).toContain('7.777 has 3 decimals, at most 1 were declared');
    expect(told([1, 'secret'])).toContain('found "secret"');
  });
});

suite('cells and rows in messages', () => {
  it('say from where they are counted', () => {
    for (const cells of [
      [1, 10],
      [1, 1.55],
      [1, null],
    ])
      expect(messageOf(() => encodeValue(RULE, cells))).toContain('cell [1] (counted from 0)');
    for (const file of ['a,b\n1,2\n3\n', 'a,b\n1,2\n"3,4\n'])
      expect(messageOf(() => parseTable(file))).toContain('counted from 0, below the header');
    expect(messageOf(() => parseTable('a,b\n1,x\n').column('b'))).toContain('counted from 0');
  });
});
