/** What a request is refused with: a status, a stable code, what was found and what was expected. Never a secret, a password or a value. */
export class ServiceError extends Error {
  /**
   * @param {number} statusCode HTTP
   * @param {string} code `family.kind`, stable
   * @param {string} message one sentence for people
   * @param {Record<string, unknown>} [details] `found`, `expected`, `where`
   */
  constructor(statusCode, code, message, details = {}) {
    super(message);
    this.name = 'ServiceError';
    this.statusCode = statusCode;
    this.code = code;
    this.details = details;
  }
}

/** Of who has no session, or has it no more. */
export function noToken() {
  return new ServiceError(401, 'token.invalid', 'This needs a token that is valid: log in');
}

/** Characters of what is said of a question that failed. */
export const MOST_MESSAGE = 500;

/** Of what is not there, or not for this user: the answer is the same, so that nobody learns what others have. */
export function notFound(what) {
  return new ServiceError(404, 'not.found', `There is no such ${what}, or it is not yours to see`, {
    where: what,
  });
}
