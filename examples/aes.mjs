// AES as a graph: a message encrypted in counter mode and sealed with GCM, by operators over bytes, beside the platform's own
// WebCrypto. Whoever runs a graph sees its key: this is for graphs that need a cipher inside, not in place of WebCrypto.
// Run it after `npm run build`:
//   node examples/aes.mjs
import assert from 'node:assert/strict';
import { load, u8 } from 'cipherloom';

const { crypto } = globalThis;
const loom = await load();
const bytes = (length) => crypto.getRandomValues(new Uint8Array(length));
const message = new TextEncoder().encode(
  'A whole computation is one graph, and so is the cipher that it needs. '.repeat(20),
);
const [key, counter, iv, header] = [bytes(16), bytes(16), bytes(12), bytes(20)];

// AES-128-CTR: round keys from the key, then the message and the encrypted counter blocks, added.
const g = loom.graph({ unit: 8 });
const roundKeys = g.op('aes.key_schedule', [g.input('key', u8(16))]);
const text = g.input('text', u8(message.length));
g.output('out', g.op('aes.ctr', [text, roundKeys, g.input('counter', u8(16))]));
const ctr = await g.expand({ platform: 'simd' });
const { out: encrypted } = await ctr.run({ key, text: message, counter }, { secret: true });

const algorithm = { name: 'AES-CTR', counter, length: 128 };
const ctrKey = await crypto.subtle.importKey('raw', key, 'AES-CTR', false, ['encrypt']);
assert.deepEqual(encrypted, new Uint8Array(await crypto.subtle.encrypt(algorithm, ctrKey, message)));
// Counter mode is its own inverse.
assert.deepEqual((await ctr.run({ key, text: encrypted, counter }, { secret: true })).out, message);
console.log(`AES-128-CTR: ${message.length} bytes by ${ctr.operators} operators, as WebCrypto has them`);

// AES-128-GCM: the ciphertext, and a tag of 16 bytes behind it.
const seal = loom.graph({ unit: 8 });
const inputs = [
  seal.op('aes.key_schedule', [seal.input('key', u8(16))]),
  seal.input('iv', u8(iv.length)),
  seal.input('message', u8(message.length)),
  seal.input('header', u8(header.length)),
];
seal.output('sealed', seal.op('aes.gcm_seal', inputs));
const sealing = await seal.expand({ platform: 'simd' });
const { sealed } = await sealing.run({ key, iv, message, header }, { secret: true });
const gcmKey = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
const gcm = { name: 'AES-GCM', iv, additionalData: header };
assert.deepEqual(sealed, new Uint8Array(await crypto.subtle.encrypt(gcm, gcmKey, message)));

// Opening gives the message, and behind it a byte that is 1 where the tag fits; otherwise all is 0.
const opening = loom.graph({ unit: 8 });
const parts = [
  opening.op('aes.key_schedule', [opening.input('key', u8(16))]),
  opening.input('iv', u8(iv.length)),
  opening.input('sealed', u8(sealed.length)),
  opening.input('header', u8(header.length)),
];
opening.output('opened', opening.op('aes.gcm_open', parts));
const open = await opening.expand({ platform: 'simd' });
const { opened } = await open.run({ key, iv, sealed, header }, { secret: true });
assert.equal(opened.at(-1), 1);
assert.deepEqual(opened.slice(0, -1), message);
sealed[5] ^= 1;
const { opened: refused } = await open.run({ key, iv, sealed, header }, { secret: true });
assert.ok(refused.every((byte) => byte === 0));
console.log('AES-128-GCM: sealed as WebCrypto seals, opened; with a changed bit refused');
loom.dispose();
