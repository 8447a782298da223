/** What the service refuses, and what does not reach it, in plain words; and what to do then. */
import { type Failure, failureOf } from '../failure.js';
import { ClinicError, isAway } from './service.js';
import * as format from '../format.js';

const KEPT = 'What you did is kept in this tab.';

/** By code. */
const BY_CODE: Readonly<Record<string, string>> = {
  'token.invalid': `Your session has ended. Sign in again: ${KEPT.toLowerCase()}`,
  'login.wrong': 'Name and password do not go together.',
  'invite.invalid': 'This invitation code is none, was used already, or has expired. Ask for another one.',
  'user.taken': 'Somebody has this name already. Take another one.',
  'key.retired': 'This key has been replaced: encrypt under the new one.',
  'key.deleted': 'This key was deleted: what was encrypted under it can no longer be computed with.',
  'key.other': 'The service offers another key than the one that you compared. Nothing was encrypted for it.',
  'key.passphrase': 'This is not the passphrase, or the kept key was changed.',
  'question.ended': 'The question has ended already.',
  'storage.full': `The service has no room left for this. Delete records or answers that you no longer need, then go on. ${KEPT}`,
  'key.many':
    'You have too many keys for this program. Delete one that you no longer need, then make another.',
  'question.open':
    'Too many of your questions have not ended. Wait for some, or cancel them, then ask again.',
  'answer.none': 'There is no answer any more: it was deleted by who asked.',
  'question.cancelled': 'The question was cancelled.',
};

/** By status of HTTP, where the code says nothing more. */
const BY_STATUS: Readonly<Record<number, (error: Refused) => string>> = {
  403: ({ message }) => `${message}. An administrator can give you another role.`,
  404: () => 'It is not there any more, or no longer yours to use. The lists below are up to date.',
  413: ({ details: { found, expected } }) =>
    `This is larger than the service takes: ${size(found)}, of at most ${size(expected)}. Take fewer columns or rows. ${KEPT}`,
  429: ({ details: { expected } }) => `Too many requests at once. Go on in ${String(expected)}. ${KEPT}`,
  503: () => `The service is busy or starting again. ${KEPT} Try again in a moment.`,
};

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function clinicFailure(error: unknown, during: string): Failure {
  const failure = failureOf(error, during);
  if (isAway(error))
    return {
      ...failure,
      code: 'service.away',
      sentence: `The service cannot be reached. ${KEPT} Go on when it is back.`,
    };
  const { code } = failure;
  if (!(error instanceof ClinicError)) return { ...failure, sentence: BY_CODE[code] ?? failure.sentence };
  const refused = error as unknown as Refused;
  const sentence = BY_CODE[refused.code] ?? BY_STATUS[refused.status]?.(refused) ?? failure.sentence;
  return { ...failure, code: refused.code, sentence };
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ClinicError && error.status === 401 && error.code === 'token.invalid';
}

function size(value: unknown): string {
  return typeof value === 'number' ? format.bytes(value) : String(value);
}
