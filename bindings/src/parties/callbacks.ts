/** What is asked of callers' own functions, and what they may do besides. */
import { describe } from '../arguments.js';
import { type CipherloomError, failure, type PartyError } from '../errors.js';
import type { Transport } from './types.js';

/** Tells one who wants to know; what the callback throws, at once or as a promise, goes to `failed`. */
export function tell<T>(
  callback: ((what: T) => void) | undefined,
  what: T,
  failed: (error: unknown) => void,
): void {
  try {
    const told: unknown = callback?.(what);
    if (told !== undefined) Promise.resolve(told).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}

/** Tells what was refused, with the name that it came under. */
export function tellRefused(
  onRefused: ((error: PartyError) => void) | undefined,
  from: unknown,
  { code, message, details }: CipherloomError,
  failed: (error: unknown) => void,
): void {
  const party = typeof from === 'string' ? from : undefined;
  const refused = failure(code as 'party.message', message, { ...details, party }) as PartyError;
  tell(onRefused, refused, failed);
}

/** Has a message sent. Errors: PartyError `party.transport`, whatever the transport throws, and whenever. */
export async function passOn(transport: Transport, to: string, bytes: Uint8Array): Promise<void> {
  try {
    await transport.send(to, bytes);
  } catch (cause) {
    const problem = `The transport does not take a message to party ${describe(to)}: ${String(cause)}`;
    throw failure('party.transport', problem, { party: to }, cause);
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
