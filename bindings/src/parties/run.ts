/** Runs have names that nobody has used before. */

/** A new run: 128 random bits, for whoever starts one to tell the others, in a link or a message. */
export function newRun(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Its bytes. */
export function bytesOfRun(run: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(run.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
