/** The clinic's tab: answers as numbers, and refusals in words. */
import { CipherloomError, type DecryptedDetails } from 'cipherloom';
import { expect, test } from 'vitest';
import { answerOf, selectionOf, shown } from '../src/clinic/answer.js';
import { spoken } from '../src/clinic/desk.js';
import { AwayError, CoreClient } from '../../examples/clinic/client-core.mjs';
import { ClinicError, isAway } from '../src/clinic/service.js';
import { clinicFailure, isSignedOut } from '../src/clinic/words.js';
import { wantedOf } from '../src/selection.js';

const details = (value: number | undefined): DecryptedDetails => ({
  ...{ value: value as never, problem: value === undefined ? new Error('of nothing') : undefined },
  budgetBits: 20,
  error: undefined,
});
const input = (name: string) => ({ name, min: -5, max: 10 }) as never;

test('an answer has a summary of each column that was asked, whatever is in its name', () => {
  const names = ['a', 'b (cm), left', 'count(a)'];
  const wanted = wantedOf(selectionOf(names.map((name) => ({ name, min: -5, max: 10 }))));
  const outputs = Object.fromEntries(
    wanted.map(({ output, statistic, columns }) => {
      const at = names.indexOf(columns[0]!);
      return [
        output,
        details({ count: 3 + at, mean: 10 * at, variance: (at + 2) ** 2 }[statistic as 'count']),
      ];
    }),
  );
  const { summaries, others } = answerOf(outputs, { inputs: names.map(input) });
  expect(others).toEqual([]);
  expect(summaries).toEqual(
    names.map((column, at) => ({
      column,
      count: 3 + at,
      mean: 10 * at,
      deviation: at + 2,
      min: -5,
      max: 10,
    })),
  );
});

test('what has no value is none, and what others ask is shown as it comes', () => {
  const outputs = {
    'count(a)': details(0),
    'mean(a)': details(undefined),
    'variance(a)': details(undefined),
    total: details(42),
  };
  const { summaries, others } = answerOf(outputs, { inputs: [input('a')] });
  expect(summaries[0]!.mean).toBeNaN();
  expect(shown(summaries[0]!.deviation)).toBe('none');
  expect(others).toEqual([['total', '42']]);
});

test('refusals of the service in words, with what to do', () => {
  const refusal = (status: number, code: string, found: object = {}): unknown =>
    new ClinicError(status, { code, message: 'As the service says', details: found });
  const words = (error: unknown): string => clinicFailure(error, 'sending').sentence;
  expect(words(refusal(401, 'token.invalid'))).toMatch(
    /session has ended. Sign in again: what you did is kept/,
  );
  expect(words(refusal(403, 'role.forbidden'))).toMatch(/As the service says. An administrator/);
  expect(words(refusal(404, 'not.found'))).toMatch(/not there any more/);
  expect(words(refusal(413, 'upload.large', { found: 51_600, expected: 20_000 }))).toMatch(
    /51.6 kB, of at most 20 kB/,
  );
  expect(words(refusal(429, 'rate.limit', { expected: '1 minute' }))).toMatch(/Go on in 1 minute/);
  expect(words(refusal(507, 'storage.full'))).toMatch(/no room/);
  expect(words(refusal(422, 'password.short'))).toBe('As the service says.');
  expect(clinicFailure(new AwayError('Failed to fetch'), 'sending').code).toBe('service.away');
  expect(words(new CipherloomError('key.passphrase', 'x', {}))).toMatch(/not the passphrase/);
  const told = [502, 503, 504].map((status) => refusal(status, 'x'));
  expect([...told, new AwayError('x'), refusal(500, 'x'), new TypeError('x')].map(isAway)).toEqual([
    true,
    true,
    ...[true, true, false, false],
  ]);
  expect(isSignedOut(refusal(401, 'token.invalid'))).toBe(true);
  expect(isSignedOut(refusal(401, 'login.wrong'))).toBe(false);
});

test('a client says who is away, and calls no fault of a program so', async () => {
  const failing = (error: unknown) =>
    new CoreClient('http://x/', undefined, { fetch: () => Promise.reject(error as Error) }).call(
      'GET',
      '/me',
    );
  await expect(failing(new TypeError('Failed to fetch'))).rejects.toBeInstanceOf(AwayError);
  const cancelled = new DOMException('Cancelled', 'AbortError');
  await expect(failing(cancelled)).rejects.toBe(cancelled);
  const client = new CoreClient('http://x/', undefined);
  const fault = new TypeError('x is not a function');
  await expect(client.patiently(() => Promise.reject(fault))).rejects.toBe(fault);
});

test('a fingerprint is said in groups of four', () => {
  expect(spoken('0123456789abcdef'.repeat(4))).toBe('0123 4567 89ab cdef 0123 4567');
});
