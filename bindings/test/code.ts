import { CipherloomError } from '../src/errors.js';

/** The code of the error that a call throws. */
export function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof CipherloomError) return error.code;
    throw error;
  }
  return 'no error';
}
