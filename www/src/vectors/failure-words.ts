/** Errors of jobs in words for who has the files, and not the code. */
import { CipherloomError } from 'cipherloom';
import { type Failure, failureOf } from '../failure.js';
import { FileError } from './files.js';

/** As of `failureOf`; `key`: of the row that it came of, such as a file's path. */
export function jobFailure(error: unknown, during = 'the job ran'): Failure & { readonly key?: string } {
  const failure = failureOf(error, during);
  if (error instanceof FileError) {
    const { cause } = error;
    const code =
      cause instanceof CipherloomError ? cause.code : cause instanceof Error ? cause.name : failure.code;
    const sentence = `${error.path}: ${plain(String(error.cause))}`;
    return { ...failure, code, sentence, key: error.path };
  }
  if (!(error instanceof CipherloomError)) return { ...failure, sentence: plain(failure.sentence) };
  const { key, round, part, cause, path } = error.details as Readonly<Record<string, unknown>>;
  // A file that cannot be read, whoever reads it.
  if (typeof path === 'string')
    return { ...failure, sentence: `${path}: ${plain(error.message)}`, key: path };
  const place =
    round === undefined
      ? failure.place
      : `${failure.place}, round ${round as number}, part ${part as number}`;
  const message = (cause as { message?: unknown } | undefined)?.message;
  if (typeof message !== 'string' || key === undefined) return { ...failure, place };
  const said = plain(message);
  return { ...failure, sentence: `${String(key)}: ${said}`, place, key: String(key) };
}

/** Without names of error classes; and files that cannot be read any more, with what may be the reason. */
function plain(message: string): string {
  if (/NotReadableError|NotFoundError|could not be read|cannot be read/.test(message))
    return 'the browser can no longer read this file. Was it moved, changed or deleted since you gave it? Give it again.';
  const text = message.replace(/^(\w*Error: )+/, '');
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
