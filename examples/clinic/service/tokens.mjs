/** Tokens of sessions and invitations: 32 random bytes, of which the database has the SHA-256 alone. */
import { createHash, randomBytes } from 'node:crypto';

export function newToken() {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: tokenHash(token) };
}

export function tokenHash(token) {
  return createHash('sha256').update(token).digest('hex');
}
