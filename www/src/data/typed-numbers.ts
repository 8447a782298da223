/** Numbers that somebody types in a line, as a table of one column. */

import { isHeld } from '../vectors/operators/decimals.js';

export const TYPED_NAME = 'your numbers';
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The numbers; or the first piece that cannot be taken, empty where nothing was typed, and why. */
export type Typed =
  { readonly numbers: readonly string[] } | { readonly wrong: string; readonly why: string };

/**
 * Separated by spaces, semicolons or commas. A comma is a decimal mark where something else separates: “1,5 2,5” and “1,5; 2,5”
 * are two numbers, “1,5” and “1, 5” as well. The typographic minus is one, too.
 */
export function typedNumbers(text: string): Typed {
  const trimmed = text.trim().replaceAll('\u2212', '-');
  const pieces = trimmed.split(/[\s;]+/).filter(Boolean);
  const isDecimal =
    pieces.length > 1 && pieces.every((piece) => /^[+-]?\d+(?:,\d+)?$|^[+-]?\d+\.\d+$/.test(piece));
  const numbers = isDecimal
    ? pieces.map((piece) => piece.replace(',', '.'))
    : trimmed.split(/[\s;,]+/).filter(Boolean);
  for (const wrong of numbers) {
    const why = whyNot(wrong);
    if (why !== undefined) return { wrong, why };
  }
  return numbers.length === 0 ? { wrong: '', why: 'Type a few numbers, such as 54 61 47.' } : { numbers };
}

function whyNot(text: string): string | undefined {
  const piece = `“${text.slice(0, 20)}${text.length > 20 ? '…' : ''}”`;
  if (!NUMBER.test(text)) return `${piece} is no number. Type a few, such as 54 61 47.`;
  if (!Number.isFinite(Number(text))) return `${piece} is too large.`;
  return isHeld(text) ? undefined : `${piece} has more digits than can be kept exactly.`;
}

/** A file of them. */
export function fileOf(numbers: readonly string[]): ArrayBuffer {
  return new TextEncoder().encode(`${[TYPED_NAME, ...numbers].join('\n')}\n`).buffer as ArrayBuffer;
}
