/**
 * Who explored: Ed25519 (RFC 8032) by WebCrypto, over canonical JSON (RFC 8785) that begins with what is signed. Keys are made by the platform.
 */
import { BYTES, checkArgument, checkOptions, type Kind } from '../arguments.js';
import { bytesOfDigits, digitsOf } from '../parties/digits.js';
import { webCrypto } from '../sealed-key.js';
import type { CryptoKey } from '../web-types.js';
import { canonicalJson } from './canonical.js';
import { EXPLORER_KEYS, NEW_KEYS } from './options.js';
import { checkDigits, checkRecord, signedText } from './record.js';
import type { TuneRecord, UnsignedRecord } from './record.js';
import { wrong } from './wrong.js';

/** Keys of an explorer. */
export interface ExplorerKeys {
  /** Its name everywhere: 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly privateKey: CryptoKey;
}

const ED25519 = 'Ed25519';

/** New keys. `extractable`: whether {@link saveExplorerKeys} may have the private one; false if not said. Errors: ParameterError `parameters.crypto`. */
export async function newExplorerKeys(
  options: { readonly extractable?: boolean } = {},
): Promise<ExplorerKeys> {
  checkOptions('newExplorerKeys', options, NEW_KEYS);
  const { subtle } = webCrypto();
  const pair = (await subtle.generateKey(ED25519, options.extractable ?? false, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const publicKey = digitsOf(new Uint8Array(await subtle.exportKey('raw', pair.publicKey)));
  return { publicKey, privateKey: pair.privateKey };
}

/** Both keys as bytes (the public one, then the private one as PKCS #8), to be kept where nobody else reads. Errors: TuneError `tune.signature` of keys that are not extractable. */
export async function saveExplorerKeys(keys: ExplorerKeys): Promise<Uint8Array> {
  checkArgument('saveExplorerKeys, keys', keys, EXPLORER_KEYS);
  const { publicKey, privateKey } = keys;
  if (!privateKey.extractable)
    throw wrong('tune.signature', 'keys', 'keys that are not extractable', 'ones made with extractable');
  const inner = new Uint8Array(await webCrypto().subtle.exportKey('pkcs8', privateKey));
  return new Uint8Array([...bytesOfDigits(publicKey), ...inner]);
}

/** Keys from bytes. The private one is not extractable. Errors: TuneError `tune.signature` of bytes that are no keys, or do not belong together. */
export async function openExplorerKeys(bytes: Uint8Array): Promise<ExplorerKeys> {
  checkArgument('openExplorerKeys, bytes', bytes, BYTES);
  const { subtle } = webCrypto();
  const publicKey = digitsOf(bytes.subarray(0, 32));
  let privateKey;
  try {
    privateKey = await subtle.importKey('pkcs8', bytes.slice(32), ED25519, false, ['sign']);
    const tried = new TextEncoder().encode('cipherloom/tune/keys/1');
    const signature = await subtle.sign(ED25519, privateKey, tried);
    if (await isSigned(publicKey, 'cipherloom/tune/keys/1', digitsOf(new Uint8Array(signature))))
      return { publicKey, privateKey };
  } catch (cause) {
    throw wrong('tune.signature', 'keys', `${bytes.length} bytes`, 'those of saveExplorerKeys', cause);
  }
  throw wrong('tune.signature', 'keys', 'two that do not belong together', 'those of saveExplorerKeys');
}

/** Signs a text. */
export async function signText({ privateKey }: ExplorerKeys, text: string): Promise<string> {
  const signature = await webCrypto().subtle.sign(ED25519, privateKey, new TextEncoder().encode(text));
  return digitsOf(new Uint8Array(signature));
}

/** Whether a text was signed by a key. False, too, where the key is no point of the curve. */
export async function isSigned(publicKey: string, text: string, signature: string): Promise<boolean> {
  const { subtle } = webCrypto();
  try {
    const key = await subtle.importKey('raw', bytesOfDigits(publicKey), ED25519, false, ['verify']);
    return await subtle.verify(ED25519, key, bytesOfDigits(signature), new TextEncoder().encode(text));
  } catch {
    return false;
  }
}

/** Signs a record. Errors: TuneError `tune.record`, `tune.key` of one that breaks a rule; `tune.signature` of one that names another explorer. */
export async function signRecord(record: UnsignedRecord, keys: ExplorerKeys): Promise<TuneRecord> {
  checkArgument('signRecord, keys', keys, EXPLORER_KEYS);
  const { signature: _, ...unsigned } = checkRecord({ ...record, signature: '0'.repeat(128) });
  if (unsigned.explorer !== keys.publicKey)
    throw wrong('tune.signature', 'record, explorer', unsigned.explorer, keys.publicKey);
  return { ...unsigned, signature: await signText(keys, signedText(unsigned)) };
}

const EXPLORERS: Kind = {
  expected: 'a set of public keys',
  fits: (value) => typeof (value as Partial<ReadonlySet<string>> | null)?.has === 'function',
};

/** Gives the record if it has the shape of one and is signed by one of some explorers. Errors: TuneError `tune.record`, `tune.key`, `tune.signature`. */
export async function checkSigned(value: unknown, explorers: ReadonlySet<string>): Promise<TuneRecord> {
  checkArgument('checkSigned, explorers', explorers, EXPLORERS);
  const record = checkRecord(value);
  if (!explorers.has(record.explorer))
    throw wrong('tune.signature', 'record, explorer', record.explorer, 'an explorer that was allowed');
  if (!(await isSigned(record.explorer, signedText(record), record.signature)))
    throw wrong('tune.signature', 'record', 'a signature of something else', 'that of its explorer over it');
  return record;
}

/** What is signed of a request: for which service, when, and all of it. Bytes are signed by the hash that their address has. */
export interface SignedRequest {
  /** Address that the service is reached at: `https://tune.example`. */
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** JSON; null for none, and for bytes. */
  readonly body: unknown;
}

const SCHEME = 'Cipherloom-Explorer';

/** The header `authorization` of an explorer's request. */
export async function authorization(keys: ExplorerKeys, request: SignedRequest): Promise<string> {
  return `${SCHEME} ${keys.publicKey} ${request.at} ${await signText(keys, requestText(request))}`;
}

/** Whose request it is. Gives the public key. Errors: TuneError `tune.signature`. */
export async function checkAuthorization(
  header: string | undefined,
  request: Omit<SignedRequest, 'at'>,
  now: number,
  skew: number,
): Promise<string> {
  const [, key, time, signature] =
    new RegExp(`^${SCHEME} ([0-9a-f]{64}) (\\d{1,16}) ([0-9a-f]{128})$`).exec(header ?? '') ?? [];
  if (key === undefined || time === undefined || signature === undefined)
    throw wrong('tune.signature', 'authorization', header === undefined ? 'none' : 'another one', SCHEME);
  const at = Number(time);
  if (Math.abs(now - at) > skew)
    throw wrong(
      'tune.signature',
      'authorization, time',
      `one that is ${Math.round(Math.abs(now - at) / 1000)} s off`,
      `at most ${skew / 1000} s`,
    );
  if (!(await isSigned(key, requestText({ ...request, at }), signature)))
    throw wrong('tune.signature', 'authorization', 'a signature of something else', 'that of this request');
  return checkDigits('authorization', key, 32);
}

function requestText({ origin, method, path, at, body }: SignedRequest): string {
  return canonicalJson(['cipherloom/tune/request/1', origin, method, path, at, body ?? null]);
}
