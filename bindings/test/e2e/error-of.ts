import { CipherloomError } from 'cipherloom';
// Node has another file of it than tests of single modules have.
import { CipherloomError as OfModules } from '../../dist/errors.js';

/** The error that a call rejects with. */
export async function errorOf(call: Promise<unknown>): Promise<CipherloomError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CipherloomError || error instanceof OfModules) return error;
    throw error;
  }
  throw new Error('no error');
}
