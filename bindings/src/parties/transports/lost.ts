/** A transport by which nothing more is heard. */
import { CipherloomError, failure } from '../../errors.js';

/** Why a run, or a meeting, ends by it: PartyError `party.transport`, with the details of what the transport said. */
export function lost(cause: unknown): CipherloomError {
  const details = cause instanceof CipherloomError ? cause.details : {};
  return failure('party.transport', `The transport hears nothing more: ${String(cause)}`, details, cause);
}
