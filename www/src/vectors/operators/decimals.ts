/** Numbers as cells have them, and exact sums of them. */

/** Cells that mean "no value", in lower case. */
const MISSING = new Set(['', 'na', 'n/a', 'null', 'nan']);

/** What is a number by its decimal mark: as in `cipherloom/table`, which no operator can import. */
const NUMBERS = {
  '.': /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i,
  ',': /^[+-]?(?:\d+,?\d*|,\d+)(?:e[+-]?\d+)?$/i,
} as const;

/** A whole number of units, each of them 10 to the power of −places. */
interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

/** The number in a cell; undefined if it is missing. Errors: if it is none, or has more digits than a double. */
export function numberOf(cell: string, mark: '.' | ','): number | undefined {
  const text = cell.trim();
  if (MISSING.has(text.toLowerCase())) return undefined;
  if (!isNumber(text, mark)) throw new Error(`“${text}” is no number`);
  const written = plain(text).replace(mark, '.');
  const value = Number(written);
  if (!isDouble(decimalOf(written), value)) throw new Error(`“${text}” has more digits than a double holds`);
  return value;
}

/** Whether there is a number in a cell, of however many digits. */
export function isNumber(cell: string, mark: '.' | ','): boolean {
  return NUMBERS[mark].test(plain(cell.trim()));
}

/** With the minus of keyboards in place of the typographic one. */
function plain(text: string): string {
  return text.replace(/^\u2212/, '-');
}

/** The sum of two decimals, as a text that this takes again. */
export function sumOf(a: string, b: string): string {
  const [some, others] = [decimalOf(a), decimalOf(b)];
  const places = Math.max(some.places, others.places);
  const units = ({ units, places: own }: Decimal): bigint => units * 10n ** BigInt(places - own);
  return `${units(some) + units(others)}e${-places}`;
}

/** Whether a decimal is a double, so that nothing of it is lost as one. */
export function isHeld(decimal: string): boolean {
  return isDouble(decimalOf(decimal), Number(decimal));
}

/** As a double if it is one; else all its digits, as text. */
export function exactly(decimal: string): number | string {
  const value = Number(decimal);
  const exact = decimalOf(decimal);
  if (isDouble(exact, value)) return value;
  const { units, places } = exact;
  if (places <= 0) return String(units * 10n ** BigInt(-places));
  const digits = String(units)
    .replace('-', '')
    .padStart(places + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The double that is nearest to a decimal divided by a count. */
export function meanOf(decimal: string, count: number): number {
  const { units, places } = decimalOf(decimal);
  // Far more digits than a double has.
  return Number(`${(units * 10n ** 40n) / BigInt(count)}e${-(places + 40)}`);
}

/** Whether the shortest decimal of a double is this one. */
function isDouble({ units, places }: Decimal, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const held = decimalOf(String(value));
  return held.units === units && held.places === places;
}

/** Of a number with a point, with or without an exponent; in the fewest units. */
function decimalOf(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const kept = digits.replace(/0+$/, '');
  const units = BigInt(/\d$/.test(kept) ? kept : 0);
  return {
    units,
    places: units === 0n ? 0 : fraction.length - Number(exponent) - digits.length + kept.length,
  };
}
