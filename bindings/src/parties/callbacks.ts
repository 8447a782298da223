/** What is asked of callers' own functions, and what they may do besides. */
import { type CipherloomError, failure, type PartyError } from '../errors.js';
import type { Transport } from './types.js';

/** Tells what was refused, with the name that it came under; what the callback throws, at once or as a promise, goes to `failed`. */
export function tellRefused(
  onRefused: ((error: PartyError) => void) | undefined,
  from: unknown,
  { code, message, details }: CipherloomError,
  failed: (error: unknown) => void,
): void {
  const party = typeof from === 'string' ? from : undefined;
  const refused = failure(code as 'party.message', message, { ...details, party }) as PartyError;
  try {
    const told: unknown = onRefused?.(refused);
    if (told !== undefined) Promise.resolve(told).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}

/** Listens; gives what ends that, and never throws. Errors: PartyError `party.transport`. */
export function listenTo(transport: Transport, ...how: Parameters<Transport['listen']>): () => void {
  const stop: unknown = transport.listen(...how);
  if (typeof stop !== 'function') {
    const found = typeof stop;
    const problem = `A transport's listen gives no function that ends it, but ${found}`;
    throw failure('party.transport', problem, { found, expected: 'a function' });
  }
  return () => {
    try {
      (stop as () => void)();
    } catch {
      // Nothing that comes is heard any more, whatever the transport makes of it.
    }
  };
}
