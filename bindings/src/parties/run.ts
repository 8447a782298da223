/** Runs have names that nobody has used before. */

/** A new run: 128 random bits, for whoever starts one to tell the others, in a link or a message. */
export function newRun(): string {
  return randomDigits(16);
}

/** How often a party has begun a run, and random digits, so that two that say the same are told apart: 16 hexadecimal digits, in the order of attempts. */
export function newAttempt(count: number): string {
  return count.toString(16).padStart(8, '0') + randomDigits(4);
}

function randomDigits(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Its bytes. */
export function bytesOfRun(run: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(run.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
