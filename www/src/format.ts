/** Numbers for reading. */

const GROUPED = new Intl.NumberFormat('en-US');
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** 12,345 */
export function count(value: number): string {
  return GROUPED.format(value);
}

/** "1 row", "2 rows" */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** What somebody else wrote, for a sentence: signs that would turn the direction of all that follows cannot do so. */
export function foreign(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Three digits and a decimal unit: 1.21 MB. */
export function bytes(value: number): string {
  let unit = 0;
  let scaled = value;
  while (scaled >= 999.5 && unit < BYTE_UNITS.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${threeDigits(scaled)} ${BYTE_UNITS[unit]}`;
}

/** A duration given in seconds: 0.4 ms, 12 ms, 1.24 s, 2 min 05 s. */
export function seconds(value: number): string {
  if (value < 0.9995) return `${threeDigits(value * 1000)} ms`;
  if (value < 59.95) return `${threeDigits(value)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** Bits, of which tenths say enough. */
export function bits(value: number): string {
  return `${value.toFixed(1).replace(/\.0$/, '')} bits`;
}

/** A power of two by its exponent: 2^−22.1, with a minus sign that can be seen. */
export function power(log2: number): string {
  return `2^${log2.toFixed(1).replace('-', '−')}`;
}

/** At most three significant digits, no exponent, no zeros at the end. */
function threeDigits(value: number): string {
  if (value === 0) return '0';
  const places = Math.min(Math.max(2 - Math.floor(Math.log10(value)), 0), 2);
  const text = value.toFixed(places);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
