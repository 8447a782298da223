import { createDecipheriv, pbkdf2Sync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KeyError } from '../src/errors.js';
import { isSealed, seal, unseal, withSaved } from '../src/sealed-key.js';

const SAVED = Uint8Array.from({ length: 101 }, (_, at) => (at * 73) & 255);
const PASSPHRASE = 'correct horse battery staple \u00e9\u{1f511}';
/** Fields, each with a byte in it. */
const FIELDS = { magic: 0, kind: 10, version: 11, length: 13, iterations: 21, salt: 25, nonce: 41, key: 53 };

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: { code: string }) => error.code,
  );
const changed = (bytes: Uint8Array, at: number, by = 1): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ by;
  return copy;
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a saved client under a passphrase', () => {
  it('comes back', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    expect(sealed.length).toBe(53 + SAVED.length + 16);
    expect([isSealed(sealed), isSealed(SAVED), isSealed(new Uint8Array())]).toEqual([true, false, false]);
    expect(await unseal(sealed, PASSPHRASE)).toEqual(SAVED);
    // The same text in other characters; and bytes that lie somewhere in others.
    const within = new Uint8Array(sealed.length + 3);
    within.set(sealed, 3);
    expect(await unseal(within.subarray(3), PASSPHRASE.normalize('NFD'))).toEqual(SAVED);
  });

  it('is laid out as it is documented', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    const view = new DataView(sealed.buffer);
    expect(new TextDecoder().decode(sealed.subarray(0, 10))).toBe('cipherloom');
    expect([sealed[10], view.getUint16(11, true)]).toEqual([10, 1]);
    expect(view.getBigUint64(13, true)).toBe(BigInt(4 + 16 + 12 + SAVED.length));
    const iterations = view.getUint32(21, true);
    expect(iterations).toBeGreaterThanOrEqual(600_000);
    const key = pbkdf2Sync(PASSPHRASE.normalize('NFKC'), sealed.subarray(25, 41), iterations, 32, 'sha256');
    const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(41, 53));
    cipher.setAAD(sealed.subarray(0, 53)).setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(53, -16)), cipher.final()]);
    expect(new Uint8Array(plain)).toEqual(SAVED);
  });

  it('draws salt and nonce anew', async () => {
    const [first, second] = [await seal(SAVED, PASSPHRASE), await seal(SAVED, PASSPHRASE)];
    expect(first.subarray(25, 41)).not.toEqual(second.subarray(25, 41));
    expect(first.subarray(41, 53)).not.toEqual(second.subarray(41, 53));
    expect(first.subarray(53)).not.toEqual(second.subarray(53));
  });

  it('says of a wrong passphrase and of changed bytes the same, and nothing else', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    const found = [
      unseal(sealed, `${PASSPHRASE} `),
      ...[FIELDS.salt, FIELDS.nonce, FIELDS.key, sealed.length - 1].map((at) =>
        unseal(changed(sealed, at), PASSPHRASE),
      ),
      // More iterations than it was made with.
      unseal(changed(sealed, FIELDS.iterations + 2, 64), PASSPHRASE),
    ].map((promise) => promise.catch((error: unknown) => error));
    const errors = await Promise.all(found);
    for (const error of errors) expect(error).toBeInstanceOf(KeyError);
    const [first, ...others] = errors as KeyError[];
    expect(first).toMatchObject({ code: 'key.passphrase', details: {} });
    expect(first?.cause).toBeUndefined();
    for (const { code, message, details, cause } of others) {
      expect({ code, message, details, cause }).toEqual({
        code: first?.code,
        message: first?.message,
        details: first?.details,
        cause: first?.cause,
      });
    }
  });

  it('refuses other bytes before it works on them', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const least = changed(sealed, FIELDS.iterations, 255);
    new DataView(least.buffer).setUint32(FIELDS.iterations, 599_999, true);
    const most = sealed.slice();
    new DataView(most.buffer).setUint32(FIELDS.iterations, 0xffff_ffff, true);
    const all = [
      ...[FIELDS.magic, FIELDS.kind, FIELDS.version, FIELDS.length].map((at) => changed(sealed, at)),
      ...[least, most, SAVED, new Uint8Array(), sealed.subarray(0, 20), sealed.subarray(0, -1)],
    ];
    for (const bytes of all) expect(await codeOf(unseal(bytes, PASSPHRASE))).toBe('format.sealed');
    expect(derive).not.toHaveBeenCalled();
    derive.mockRestore();
  });

  it('needs WebCrypto', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    vi.stubGlobal('crypto', {});
    expect(await codeOf(seal(SAVED, PASSPHRASE))).toBe('parameters.crypto');
    expect(await codeOf(unseal(sealed, PASSPHRASE))).toBe('parameters.crypto');
  });
});

describe('restoring', () => {
  const { signal } = new AbortController();
  const taken = (bytes: Uint8Array): Promise<Uint8Array> => Promise.resolve(bytes.slice());

  it('takes what was saved, and what was exported', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    expect(await withSaved(SAVED, undefined, signal, taken)).toEqual(SAVED);
    expect(await withSaved(sealed, PASSPHRASE, signal, taken)).toEqual(SAVED);
    expect(await codeOf(withSaved(sealed, undefined, signal, taken))).toBe('key.sealed');
    expect(await codeOf(withSaved(SAVED, PASSPHRASE, signal, taken))).toBe('format.sealed');
  });

  it('overwrites what was decrypted, and nothing of the caller', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    let plain: Uint8Array | undefined;
    const failing = (bytes: Uint8Array): Promise<never> => {
      plain = bytes;
      expect(bytes).toEqual(SAVED);
      return Promise.reject(Object.assign(new Error(), { code: 'refused' }));
    };
    expect(await codeOf(withSaved(sealed, PASSPHRASE, signal, failing))).toBe('refused');
    expect(plain).toEqual(new Uint8Array(SAVED.length));
    expect(await codeOf(withSaved(SAVED, undefined, signal, failing))).toBe('refused');
    expect(plain).toEqual(SAVED);
  });

  it('ends with its signal', async () => {
    const ended = AbortSignal.abort(Object.assign(new Error(), { code: 'ended' }));
    const sealed = await seal(SAVED, PASSPHRASE);
    expect(await codeOf(withSaved(sealed, PASSPHRASE, ended, taken))).toBe('ended');
  });

  it('overwrites what was decrypted after its signal has ended', async () => {
    const sealed = await seal(SAVED, PASSPHRASE);
    const stop = new AbortController();
    const { subtle } = crypto;
    const decrypt = subtle.decrypt.bind(subtle);
    const decrypted = vi.spyOn(subtle, 'decrypt').mockImplementation((...args) => {
      stop.abort({ code: 'ended' });
      return decrypt(...args);
    });
    expect(await codeOf(withSaved(sealed, PASSPHRASE, stop.signal, taken))).toBe('ended');
    const plain = new Uint8Array((await decrypted.mock.results[0]?.value) as ArrayBuffer);
    await vi.waitFor(() => expect(plain).toEqual(new Uint8Array(SAVED.length)));
  });
});
