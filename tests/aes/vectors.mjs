// Writes vectors.txt: what Node's crypto (OpenSSL) makes of the inputs of SP 800-38A and of the GCM specification (McGrew
// and Viega), and of messages of its own. Usage: node tests/aes/vectors.mjs > tests/aes/vectors.txt
//
// A line: mode, key, IV or counter block, message, additional data, result (with the tag behind it); "-" for nothing.

import { createCipheriv, createHash } from 'node:crypto';

const hex = (text) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const show = (bytes) => (bytes.length > 0 ? bytes.toString('hex') : '-');

/** So many bytes that follow from a name. */
function bytes(name, length) {
  const parts = [];
  for (let i = 0; i * 32 < length; i++) parts.push(createHash('sha256').update(`${name} ${i}`).digest());
  return Buffer.concat(parts).subarray(0, length);
}

function line(mode, key, iv, message, additional = Buffer.alloc(0)) {
  const cipher = createCipheriv(`aes-${8 * key.length}-${mode}`, key, mode === 'ecb' ? null : iv);
  if (mode === 'ecb') cipher.setAutoPadding(false);
  if (mode === 'gcm' && additional.length > 0) cipher.setAAD(additional);
  const parts = [cipher.update(message), cipher.final()];
  if (mode === 'gcm') parts.push(cipher.getAuthTag());
  console.log([mode, ...[key, iv, message, additional, Buffer.concat(parts)].map(show)].join(' '));
}

// SP 800-38A, F.1 and F.5.
const text = hex(
  '6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710',
);
const keys = [
  '2b7e151628aed2a6abf7158809cf4f3c',
  '8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b',
  '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
].map(hex);
for (const key of keys) {
  line('ecb', key, Buffer.alloc(0), text);
  line('ctr', key, hex('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'), text);
}

// GCM specification, test cases 1 to 18.
const zero = Buffer.alloc(32);
const own = hex('feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308');
const iv = hex('cafebabefacedbaddecaf888');
const message = hex(
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72 1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
);
const additional = hex('feedfacedeadbeeffeedfacedeadbeefabaddad2');
const long = hex(
  '9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728 c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b',
);
for (const size of [16, 24, 32]) {
  line('gcm', zero.subarray(0, size), zero.subarray(0, 12), Buffer.alloc(0));
  line('gcm', zero.subarray(0, size), zero.subarray(0, 12), zero.subarray(0, 16));
  line('gcm', own.subarray(0, size), iv, message);
  for (const way of [iv, iv.subarray(0, 8), long]) {
    line('gcm', own.subarray(0, size), way, message.subarray(0, 60), additional);
  }
}

// Counters that wrap, parts of blocks, many blocks, additional data alone.
for (const size of [16, 24, 32]) {
  const key = bytes('key', size);
  line('ctr', key, hex('ffffffffffffffffffffffffffffffff'), bytes('m', 33));
  line('ctr', key, hex('0123456789abcdeffffffffffffffffe'), bytes('m', 100));
  line('gcm', key, bytes('iv', 12), Buffer.alloc(0), bytes('a', 21));
  line('gcm', key, bytes('iv', 1), bytes('m', 1), bytes('a', 1));
  line('gcm', key, bytes('iv', 16), bytes('m', 1000), bytes('a', 16));
}
