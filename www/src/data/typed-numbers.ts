/** Numbers that somebody types in a line, as a table of one column. */

export const TYPED_NAME = 'your numbers';
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The numbers, or the first piece that is none. */
export type Typed = { readonly numbers: readonly string[] } | { readonly wrong: string };

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
  const wrong = numbers.find((number) => !NUMBER.test(number));
  if (wrong !== undefined) return { wrong };
  return numbers.length === 0 ? { wrong: '' } : { numbers };
}

/** A file of them. */
export function fileOf(numbers: readonly string[]): ArrayBuffer {
  return new TextEncoder().encode(`${[TYPED_NAME, ...numbers].join('\n')}\n`).buffer as ArrayBuffer;
}
