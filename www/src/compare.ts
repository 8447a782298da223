/** Results as plain data, so that both computations can be compared and sent between workers. */
import type { DecryptedDetails } from 'cipherloom';

/** A result: a double, an exact decimal, or why there is none. */
export type Result =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'decimal'; readonly text: string }
  | { readonly kind: 'none'; readonly problem: string };

/** The result of one output, a single number. */
export function resultOf({ value, problem }: Pick<DecryptedDetails, 'value' | 'problem'>): Result {
  if (value === undefined) return { kind: 'none', problem: problem?.message ?? 'There is no value.' };
  return typeof value === 'number' ? { kind: 'number', value } : { kind: 'decimal', text: String(value) };
}

/** Exactly the same: every bit of a double, every digit of a decimal, or the same reason for no value. */
export function areEqual(a: Result, b: Result): boolean {
  if (a.kind === 'number' && b.kind === 'number') return Object.is(a.value, b.value);
  if (a.kind === 'decimal' && b.kind === 'decimal') return a.text === b.text;
  return a.kind === 'none' && b.kind === 'none' && a.problem === b.problem;
}

/** With all digits. */
export function textOf(result: Result): string {
  switch (result.kind) {
    case 'number':
      return String(result.value);
    case 'decimal':
      return result.text;
    case 'none':
      return 'undefined';
  }
}
