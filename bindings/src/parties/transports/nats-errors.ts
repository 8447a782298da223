/** What went wrong with a NATS server, in the package's words. */
import { CipherloomError, failure } from '../../errors.js';

/** As a PartyError `party.transport`, with a reason, and without any password. */
export function told(error: unknown, what: string): CipherloomError {
  if (error instanceof CipherloomError) return error;
  const { name = '', message = '', cause } = (error ?? {}) as Partial<Error>;
  const text = `${name} ${message} ${cause instanceof Error ? `${cause.name} ${cause.message}` : ''}`;
  // The library's word for a server without TLS. In lower case alone it may be a part of an address.
  const isPlain = /does not support 'tls'/i.test(text);
  const reasons = [
    ['credentials', /Authorization|Authentication/i],
    ['permissions', /Permissions? ?Violation/i],
    ['stream', /stream ?not ?found/i],
    ['tls', isPlain ? /^/ : /certificate|TLS|SSL/],
  ] as const;
  const reason = reasons.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unreachable';
  const hint = {
    credentials: ': it does not know this user, or this password',
    permissions: ': this user may not do that; natsPermissions(party) is what a party needs',
    stream: ': it has no stream for parties; createNatsStream makes it',
    tls: isPlain
      ? ': it has no TLS; option tls: false connects without it'
      : ': TLS; option tls says which certificates are trusted',
    unreachable: ': it is not there, or does not answer',
  }[reason];
  return failure(
    'party.transport',
    `The NATS server does not let a party ${what}${hint} (${message || String(error)})`,
    { reason },
    error,
  );
}
