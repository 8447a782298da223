/** Numbers with all their digits, in groups of three: 1,234,567.891. */

export function allDigits(value: number | string): string {
  const text = String(value);
  // An exponent has no digits to group.
  return text.replace(/^-?\d+(?![\de])/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','));
}

/** With as many digits as are worth reading of what was measured. */
export function fewDigits(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}
