import { CipherloomError } from 'cipherloom';

/** The error that a call rejects with. */
export async function errorOf(call: Promise<unknown>): Promise<CipherloomError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CipherloomError) return error;
    throw error;
  }
  throw new Error('no error');
}
