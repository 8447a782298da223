/** Passwords, as argon2id (RFC 9106) of the library's defaults: 19 MiB, two passes, one lane, which OWASP asks for at least. */
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from './errors.mjs';

export const LEAST_PASSWORD = 12;
export const MOST_PASSWORD = 256;

/** Errors: 422 `password.short`. */
export async function hashPassword(password) {
  if (password.length >= LEAST_PASSWORD) return hash(password);
  throw new ServiceError(422, 'password.short', `A password has ${LEAST_PASSWORD} characters or more`, {
    found: password.length,
    expected: LEAST_PASSWORD,
  });
}

let nobody;
/** Whether it is the one. Without a user it takes as long, so that time does not tell who there is. */
export async function isPassword(hashed, password) {
  nobody ??= hash('a password that nobody has');
  const right = await verify(hashed ?? (await nobody), password);
  return hashed !== undefined && right;
}
