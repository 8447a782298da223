/** Runs have names that nobody has used before. */
import { digitsOf } from './digits.js';

/** A new run: 128 random bits, for whoever starts one to tell the others, in a link or a message. */
export function newRun(): string {
  return randomDigits(16);
}

/** How often a party has begun a run, and random digits, so that two that say the same are told apart: 16 hexadecimal digits, in the order of attempts. */
export function newAttempt(count: number): string {
  return count.toString(16).padStart(8, '0') + randomDigits(4);
}

function randomDigits(length: number): string {
  return digitsOf(crypto.getRandomValues(new Uint8Array(length)));
}
