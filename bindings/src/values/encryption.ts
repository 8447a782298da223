/** What clients and data owners have in common: values, encrypted in the worker that has the key. */
import { byName } from '../bytes.js';
import { abortable } from '../resource.js';
import { told } from '../tracing.js';
import type { Ciphertexts, EncryptOptions } from '../types.js';
import type { Key } from '../worker/key.js';
import type { ValueRule } from './cells.js';
import { apart, buffersOf, encodedByName } from './named.js';
import { withDigits } from './parts.js';
import type { Cells } from './types.js';

/** Encrypts values with a key, which the method is for. Errors: as of `Client.encrypt`. */
export async function encryptedBy(
  key: Key,
  method: 'encrypt' | 'encryptAsOwner',
  rules: readonly ValueRule[],
  values: Readonly<Record<string, Cells>>,
  options: EncryptOptions & { readonly signal: AbortSignal },
): Promise<Ciphertexts> {
  const { signal, onProgress, onTrace } = options;
  const encoded = encodedByName(rules, 'encrypted', values, options.showValues ?? false);
  const { connection, handle } = await abortable(key.find(), signal);
  const total = encoded.length;
  const answered = await connection.call(method, [handle, onTrace !== undefined, ...apart(encoded)], {
    signal,
    onProgress:
      onProgress &&
      (({ done, total: all }) => onProgress({ phase: 'encrypt', done: (total * done) / all, total })),
    transfer: buffersOf(encoded),
  });
  onProgress?.({ phase: 'encrypt', done: total, total });
  return withDigits(byName(told(answered, onTrace, { phase: 'encrypt', role: 'client' }), rules), rules);
}
