import { PartyError, UndefinedStatisticError } from 'cipherloom';
import { expect, test } from 'vitest';
import { areEqual, resultOf, textOf } from '../src/compare.js';
import { failureOf } from '../src/failure.js';
import { settingsOf, withSetting } from '../src/settings.js';

const number = (value: number) => resultOf({ value, problem: undefined });

test('results are equal only to the last bit', () => {
  expect(areEqual(number(0.1 + 0.2), number(0.3))).toBe(false);
  expect(areEqual(number(0), number(-0))).toBe(false);
  expect(areEqual(number(0.3), number(0.3))).toBe(true);
  expect(areEqual(number(1), { kind: 'decimal', text: '1' })).toBe(false);
});

test('a statistic without a value says why', () => {
  const problem = new UndefinedStatisticError('statistic.empty', 'There are no rows');
  const result = resultOf({ value: undefined, problem });
  expect(textOf(result)).toBe('undefined');
  expect(areEqual(result, resultOf({ value: undefined, problem }))).toBe(true);
  expect(areEqual(result, number(0))).toBe(false);
});

test('failures name their code and place', () => {
  const error = new UndefinedStatisticError('statistic.empty', 'There are no rows', {
    column: 'age',
    row: 3,
  });
  expect(failureOf(error, 'decrypting')).toEqual({
    sentence: 'There are no rows.',
    code: 'statistic.empty',
    place: 'while decrypting, column age, row 3',
    canRestart: false,
  });
});

test('a part of the page that is lost is said to be, and nothing else is', () => {
  const lost = [
    new TypeError('Failed to fetch'),
    new TypeError('Failed to fetch dynamically imported module: https://here/assets/layouts-x.js'),
    new TypeError('error loading dynamically imported module: https://here/assets/layouts-x.js'),
    new TypeError('Importing a module script failed.'),
    new Error('Unable to preload CSS for /assets/layouts-x.css'),
    new Error('Failed to fetch http://127.0.0.1:1/assets/layouts-x.css'),
    new TypeError('NetworkError when attempting to fetch resource.'),
    new TypeError('Load failed'),
  ];
  for (const error of lost)
    expect(failureOf(error, 'reading')).toMatchObject({
      code: error.name,
      sentence: expect.stringMatching(/Is this device online/),
    });
  const problem =
    'The transport does not take a message to party "b": NetworkError when attempting to fetch resource.';
  const others = [
    Object.assign(new Error('Failed to fetch'), { name: 'ProgramError' }),
    new PartyError('party.transport', problem),
    new PartyError('party.transport', 'Failed to fetch'),
    new Error('Load failed.csv: there is no table in it'),
    new Error('Load failed.csv'),
  ];
  for (const error of others) expect(failureOf(error, 'reading').sentence).toContain(error.message);
});

test('settings come from the address, and go there', () => {
  expect(settingsOf('?threads=1&security=standard-2018')).toEqual({
    load: { mode: undefined, threads: 1 },
    compile: { security: 'standard-2018', n: undefined, allowInsecure: false },
    gpu: false,
  });
  expect(settingsOf('?bits=192&quantum=true&insecure=true').compile).toEqual({
    security: { table: undefined, bits: 192, quantum: true },
    n: undefined,
    allowInsecure: true,
  });
  expect(settingsOf('?gpu=measured').gpu).toBe('measured');
  expect(settingsOf('?threads=x').load.threads).toBeNaN();
  expect(withSetting('?n=8192', 'threads', '2')).toBe('?n=8192&threads=2');
  expect(withSetting('?threads=2', 'threads', '')).toBe('');
});
