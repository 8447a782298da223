/**
 * What messages are sealed with: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, which WebCrypto has wherever this package runs. The library is inlined into this file, and
 * no public type is made of its own.
 */
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';

export function newSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
}
