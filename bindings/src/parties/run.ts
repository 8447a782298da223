/** Runs have names that nobody has used before. */

/** A new run: 128 random bits, for whoever starts one to tell the others, in a link or a message. */
export function newRun(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A new public seed of a key that parties share: 32 random bytes, for one of them to draw and to tell the others. */
export function newSeed(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(32));
}
