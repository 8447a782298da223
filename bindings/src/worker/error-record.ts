/** Errors on their way through messages. */
import type { ErrorRecord } from '../errors.js';

/** An error as a record: those of the package keep what they tell, any other is a defect. */
export function toRecord(error: unknown): ErrorRecord {
  const { code, details, message = String(error) } = error as Partial<ErrorRecord>;
  return { code: typeof code === 'string' ? code : 'worker.unexpected', message, details: details ?? {} };
}
