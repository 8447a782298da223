import { CipherloomError } from '../src/errors.js';

/** The code of the error that a call throws. */
export function codeOf(call: () => unknown): string {
  return thrownBy(call)?.code ?? 'no error';
}

/** The message of the error that a call throws. */
export function messageOf(call: () => unknown): string {
  return thrownBy(call)?.message ?? 'no error';
}

/** The error that a call throws. */
export function thrownBy(call: () => unknown): CipherloomError | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof CipherloomError) return error;
    throw error;
  }
  return undefined;
}
