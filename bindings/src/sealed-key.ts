/**
 * A saved client under a passphrase. The layout, which FORMAT.md tells with all others:
 *
 * "cipherloom" | kind u8 | version u16 | length u64 | iterations u32 | salt (16 bytes) | nonce (12) | AES-256-GCM of the saved client | tag (16)
 *
 * Numbers are little-endian; the length is that of all between it and the tag. The key of AES is PBKDF2-HMAC-SHA-256 of the passphrase (NFKC, UTF-8), and
 * everything before the encrypted bytes is authenticated with them.
 */
import { failure } from './errors.js';
import { abortable } from './resource.js';

const MAGIC = 'cipherloom';
/** The next number after those of the core (`src/bytes.rs`). */
const KIND = 10;
const VERSION = 1;
const LENGTH_AT = MAGIC.length + 1 + 2;
const ITERATIONS_AT = LENGTH_AT + 8;
const SALT_AT = ITERATIONS_AT + 4;
const SALT_BYTES = 16;
const NONCE_AT = SALT_AT + SALT_BYTES;
const NONCE_BYTES = 12;
/** Where the encrypted bytes begin. */
const HEAD_BYTES = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;

/** What is written: the least that OWASP asks for of PBKDF2 with SHA-256 (Password Storage Cheat Sheet, 2023). */
const ITERATIONS = 600_000;
/** What bytes from outside may ask for: about ten seconds. */
const MOST_ITERATIONS = 20_000_000;

/** Whether bytes say of themselves that they are such. */
export function isSealed(bytes: Uint8Array): boolean {
  return [...MAGIC].every((c, at) => bytes[at] === c.charCodeAt(0)) && bytes[MAGIC.length] === KIND;
}

/** Encrypts what `Client.save` gave. Errors: ParameterError `parameters.crypto`. */
export async function seal(saved: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const crypto = webCrypto();
  const sealed = new Uint8Array(HEAD_BYTES + saved.length + TAG_BYTES);
  const head = sealed.subarray(0, HEAD_BYTES);
  head.set([...MAGIC].map((c) => c.charCodeAt(0)));
  const view = new DataView(sealed.buffer);
  view.setUint8(MAGIC.length, KIND);
  view.setUint16(MAGIC.length + 1, VERSION, true);
  view.setBigUint64(LENGTH_AT, BigInt(sealed.length - ITERATIONS_AT - TAG_BYTES), true);
  view.setUint32(ITERATIONS_AT, ITERATIONS, true);
  crypto.getRandomValues(head.subarray(SALT_AT));
  const { key, algorithm } = await cipher(crypto, head, passphrase, 'encrypt');
  const open = copy(saved);
  try {
    sealed.set(new Uint8Array(await crypto.subtle.encrypt(algorithm, key, open)), HEAD_BYTES);
  } finally {
    open.fill(0);
  }
  return sealed;
}

/**
 * What was encrypted. Errors: FormatError `format.sealed` (not such bytes, or of a version that this one does not read), KeyError `key.passphrase` (another
 * passphrase, or bytes that were changed: nobody can tell which), ParameterError `parameters.crypto`.
 */
export async function unseal(sealed: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const wrong = (problem: string, found: unknown, expected: unknown): Error =>
    failure('format.sealed', `The exported key: ${problem}; found ${found}, expected ${expected}`, {
      found,
      expected,
    });
  if (!isSealed(sealed)) {
    throw wrong('no key that was exported with a passphrase', 'other bytes', 'those of exportKey');
  }
  if (sealed.length < HEAD_BYTES + TAG_BYTES) {
    throw wrong('cut short', sealed.length, `at least ${HEAD_BYTES + TAG_BYTES} bytes`);
  }
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.length);
  const version = view.getUint16(MAGIC.length + 1, true);
  if (version !== VERSION) throw wrong('format version', version, VERSION);
  const [length, expected] = [view.getBigUint64(LENGTH_AT, true), sealed.length - ITERATIONS_AT - TAG_BYTES];
  if (length !== BigInt(expected)) throw wrong('cut short, or too long', length, expected);
  const iterations = view.getUint32(ITERATIONS_AT, true);
  if (iterations < ITERATIONS || iterations > MOST_ITERATIONS) {
    throw wrong('iterations', iterations, `${ITERATIONS} to ${MOST_ITERATIONS}`);
  }
  const crypto = webCrypto();
  const { key, algorithm } = await cipher(crypto, sealed.subarray(0, HEAD_BYTES), passphrase, 'decrypt');
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, copy(sealed.subarray(HEAD_BYTES))));
  } catch {
    // Without a cause: it could tell more.
    throw failure('key.passphrase', 'The passphrase is another one, or the bytes of the key were changed');
  }
}

/**
 * What `use` makes of a saved client, which may be under a passphrase. Errors: as of {@link unseal} and `use`; KeyError `key.sealed` where a passphrase is
 * needed and there is none; abort.
 */
export async function withSaved<T>(
  saved: Uint8Array,
  passphrase: string | undefined,
  signal: AbortSignal,
  use: (plain: Uint8Array) => Promise<T>,
): Promise<T> {
  if (passphrase === undefined) {
    if (!isSealed(saved)) return use(saved);
    throw failure('key.sealed', 'The key was exported with a passphrase: restore it with { passphrase }');
  }
  const unsealed = unseal(saved, passphrase);
  try {
    return await use(await abortable(unsealed, signal));
  } finally {
    // Also what comes when the signal has ended.
    unsealed.then(
      (plain) => plain.fill(0),
      () => {},
    );
  }
}

/** Pages have it in secure contexts only. `what` needs it. Errors: ParameterError `parameters.crypto`. */
export function webCrypto(what = 'passphrases'): Crypto {
  const { crypto } = globalThis as { crypto?: Crypto };
  if (crypto?.subtle !== undefined) return crypto;
  const problem = `There is no crypto.subtle, which ${what} need: pages have it over https, or on localhost`;
  throw failure('parameters.crypto', problem);
}

/** Key and parameters that a head and a passphrase stand for. */
async function cipher(
  crypto: Crypto,
  head: Uint8Array,
  passphrase: string,
  usage: 'encrypt' | 'decrypt',
): Promise<{ key: CryptoKey; algorithm: AesGcmParams }> {
  const bound = copy(head);
  const iterations = new DataView(bound.buffer).getUint32(ITERATIONS_AT, true);
  const salt = bound.slice(SALT_AT, NONCE_AT);
  const text = new TextEncoder().encode(passphrase.normalize('NFKC'));
  try {
    const from = await crypto.subtle.importKey('raw', text, 'PBKDF2', false, ['deriveKey']);
    const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
    const aes = { name: 'AES-GCM', length: 256 };
    const key = await crypto.subtle.deriveKey(derivation, from, aes, false, [usage]);
    const iv = bound.slice(NONCE_AT, HEAD_BYTES);
    return { key, algorithm: { name: 'AES-GCM', iv, additionalData: bound, tagLength: 8 * TAG_BYTES } };
  } finally {
    text.fill(0);
  }
}

/** As WebCrypto takes them: never in memory that threads share. */
function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
