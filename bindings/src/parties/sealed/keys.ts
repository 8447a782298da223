/** Keys of parties, as bytes and as WebCrypto has them. */
import { tag } from '../../arguments.js';
import { failure } from '../../errors.js';
import { webCrypto } from '../../sealed-key.js';
import type { CryptoKey, CryptoKeyPair } from '../../web-types.js';
import { newSuite } from './suite.js';

/** A party's keys, as bytes: for the others, and to be kept. */
export interface PartyKeys {
  /** A point of P-256, uncompressed: 65 bytes. The others have to have it from its owner, by a way on which nobody can change it. */
  readonly publicKey: Uint8Array;
  /** 32 bytes. It never leaves its owner. */
  readonly privateKey: Uint8Array;
}

/** Bytes of a point, uncompressed. */
export const POINT = 65;
const SCALAR = 32;

/** Makes a party's keys, by the platform's random numbers. Errors: ParameterError `parameters.crypto` where a page has no WebCrypto. */
export async function partyKeys(): Promise<PartyKeys> {
  webCrypto('keys of parties');
  const { kem } = newSuite();
  const pair = await kem.generateKeyPair();
  return {
    publicKey: new Uint8Array(await kem.serializePublicKey(pair.publicKey)),
    privateKey: new Uint8Array(await kem.serializePrivateKey(pair.privateKey)),
  };
}

/** A party's own keys. Errors: PartyError `party.key`, without any of them. */
export async function pairOf(keys: PartyKeys): Promise<CryptoKeyPair> {
  const { publicKey: point, privateKey: scalar } = (keys ?? {}) as Partial<PartyKeys>;
  const publicKey = await publicKeyOf('the own public key', point);
  checkKey('the own private key', scalar, SCALAR);
  const suite = newSuite();
  try {
    // With its point, without which Firefox cannot use it, and never to be exported.
    const [x, y, d] = [point?.subarray(1, 33), point?.subarray(33), scalar].map(base64url);
    const jwk = { kty: 'EC', crv: 'P-256', x, y, d } as JsonWebKey;
    const ecdh = { name: 'ECDH', namedCurve: 'P-256' };
    const privateKey = await webCrypto().subtle.importKey('jwk', jwk, ecdh, false, ['deriveBits']);
    const pair = { publicKey, privateKey };
    // Another's private key would show at the other end only.
    const sender = await suite.createSenderContext({ recipientPublicKey: publicKey });
    const box = await sender.seal(new ArrayBuffer(1));
    await suite.open({ recipientKey: pair, enc: sender.enc }, box);
    return pair;
  } catch (cause) {
    throw failure('party.key', 'The own private key does not belong to the own public key', {}, cause);
  }
}

function base64url(bytes: Uint8Array | undefined): string {
  const text = btoa(String.fromCharCode(...(bytes ?? [])));
  return text.replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');
}

/** Errors: PartyError `party.key` for bytes that are no public key. */
export async function publicKeyOf(what: string, bytes: unknown): Promise<CryptoKey> {
  checkKey(what, bytes, POINT);
  try {
    return await newSuite().kem.deserializePublicKey(whole(bytes as Uint8Array));
  } catch (cause) {
    throw failure('party.key', `${what} is no point of P-256`, {}, cause);
  }
}

function checkKey(what: string, bytes: unknown, length: number): void {
  const isBytes = tag(bytes) === 'Uint8Array';
  if (isBytes && (bytes as Uint8Array).length === length) return;
  const found = isBytes ? `${(bytes as Uint8Array).length} bytes` : tag(bytes);
  const expected = `${length} bytes (Uint8Array)`;
  throw failure('party.key', `${what}: found ${found}, expected ${expected}`, { found, expected });
}

/** As WebCrypto takes them: a buffer of their own, never memory that threads share. */
export function whole(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
