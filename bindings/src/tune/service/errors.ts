/** What a request is refused with: an error of this package, and its status in HTTP. */
import { CipherloomError } from '../../errors.js';

/** Codes that say something else than "what was sent is wrong" (422). */
const STATUS: Readonly<Record<string, number>> = {
  'tune.signature': 401,
  'tune.lease': 409,
  'tune.service': 503,
  'tune.library': 500,
};

/** What an error is to who asked. Never a part of what was asked for, but by the words of our own errors; nothing of an unexpected one. */
export function answerOf(error: unknown): {
  readonly status: number;
  readonly code: string;
  readonly message: string;
} {
  if (error instanceof Refusal) return error;
  if (error instanceof CipherloomError)
    return { status: STATUS[error.code] ?? 422, code: error.code, message: error.message };
  const { statusCode, message, validation } = error as {
    statusCode?: number;
    message?: string;
    validation?: unknown;
  };
  if (validation !== undefined) return { status: 400, code: 'request.invalid', message: String(message) };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, code: 'request.invalid', message: String(message) };
  return { status: 500, code: 'service.failed', message: 'The service failed; its log says where' };
}

/** A refusal that is no error of the package: who asked may not, or there is no such thing. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
