/** Requests to a service: JSON and bytes over fetch, with errors as they are said here. */
import { describe } from '../arguments.js';
import { CipherloomError, ERROR_CODES, failure, fromRecord } from '../errors.js';
import { wrong } from './wrong.js';

/** Keys in one query. */
export const MOST_KEYS = 128;

/** How a service is reached. */
export interface Connection {
  /** `https://tune.example`, or `http://` on this machine. */
  readonly url: string;
  /** Milliseconds for an answer. Default 2000. */
  readonly timeout?: number | undefined;
  /** Another `fetch` than the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

/** What is sent. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From `/v1/` on. */
  readonly path: string;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly authorization?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds beyond those of the connection. */
  readonly patience?: number;
  /** Most bytes of an answer. Default 16 MiB. */
  readonly most?: number;
}

const MOST_BYTES = 16 * 2 ** 20;

/** The origin of a service. Errors: TuneError `tune.option` of an address that is none, or that carries what is said through open networks. */
export function checkOrigin(url: unknown): string {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url as string);
  } catch {
    parsed = undefined;
  }
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(parsed?.hostname ?? '');
  if (parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && local)) return parsed.origin;
  throw wrong('tune.option', 'url', describe(url), 'https://, or http:// on this machine');
}

/** Asks, and gives the bytes of an answer. Errors: TuneError `tune.service`; those that the service tells, by their codes; what the signal was aborted with. */
export async function send(connection: Connection, sent: Sent): Promise<Uint8Array> {
  const { url, timeout = 2000, fetch: ask = globalThis.fetch } = connection;
  const { method, path, body, bytes, authorization, signal, patience = 0, most = MOST_BYTES } = sent;
  const late = AbortSignal.timeout(timeout + patience);
  const content = bytes === undefined ? 'application/json' : 'application/octet-stream';
  try {
    const response = await ask(`${url}${path}`, {
      method,
      headers: {
        ...((body !== undefined || bytes !== undefined) && { 'content-type': content }),
        ...(authorization !== undefined && { authorization }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: new Uint8Array(bytes) }),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      redirect: 'error',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
    const answer = await limited(response, most);
    if (response.ok) return answer;
    throw told(response.status, answer);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CipherloomError) throw error;
    const found = late.aborted ? `no answer in ${timeout + patience} ms` : reason(error);
    throw wrong('tune.service', `${method} ${path}`, found, 'an answer', error);
  }
}

/** Asks, and gives JSON. Errors: as of {@link send}. */
export async function sendForJson(connection: Connection, sent: Sent): Promise<unknown> {
  const answer = new TextDecoder().decode(await send(connection, sent));
  if (answer === '') return undefined;
  try {
    return JSON.parse(answer);
  } catch (cause) {
    throw wrong('tune.service', `${sent.method} ${sent.path}`, 'an answer that is no JSON', 'JSON', cause);
  }
}

async function limited(response: Response, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    length += piece.value.length;
    if (length > most) {
      await reader?.cancel();
      throw wrong('tune.service', 'answer', `more than ${most} bytes`, `at most ${most}`);
    }
    pieces.push(piece.value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The service's own error where it is one of ours, told as such; anything else is a service that refuses. */
function told(status: number, answer: Uint8Array): CipherloomError {
  let error: { code?: unknown; message?: unknown } | undefined;
  try {
    ({ error } = JSON.parse(new TextDecoder().decode(answer)) as { error?: typeof error });
  } catch {
    error = undefined;
  }
  const message = typeof error?.message === 'string' ? error.message.slice(0, 500) : `status ${status}`;
  const details = { found: status, expected: 'an answer', where: 'service' };
  if (
    typeof error?.code === 'string' &&
    error.code.startsWith('tune.') &&
    Object.hasOwn(ERROR_CODES, error.code)
  )
    return fromRecord({ code: error.code, message, details });
  const found = `${status}: ${message}`;
  const text = `service: expected an answer, found ${found}`;
  return failure('tune.service', text, { where: 'service', found, expected: 'an answer', status });
}

/** Whether asking again may help: where nobody answered, or only for now: too many requests, a service that failed. A service without room (507) stays so. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof CipherloomError) || error.code !== 'tune.service') return false;
  const { status } = error.details;
  if (typeof status !== 'number' || status === 408 || status === 429) return true;
  return status >= 500 && status !== 507;
}

function reason(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : 'an error');
}
