/**
 * The checksum of what this side of the package writes. It finds accidents, as the core's XXH3 does for the
 * core's bytes: any change within 32 bits in a row, all but one in 2^32 of others. Nothing here holds off
 * attackers, so a CRC is enough, and unlike the Web's digests it needs no waiting.
 */

/** The remainders of all bytes: polynomial 0x04C11DB7, bits reversed. */
const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32 as of zip and PNG (ISO 3309): 0 to 2^32 - 1. */
export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ (TABLE[(rest ^ byte) & 0xff] as number);
  return ~rest >>> 0;
}
