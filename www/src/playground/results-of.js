/** Results as JSON has them: exact decimals as numbers, or, where these would have other digits, as text; null for what has no value. */
export function resultsOf(details) {
  // Digits without zeros at either end, and the exponent of the last one.
  const digits = (text) => {
    const [mantissa, exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
    const [whole, fraction = ''] = mantissa.split('.');
    const all = whole + fraction;
    const kept = all.replace(/0+$/, '');
    return `${kept.replace(/^0+/, '')} ${kept === '' ? 0 : Number(exponent) - fraction.length + all.length - kept.length}`;
  };
  const number = (decimal) => {
    const [text, nearest] = [String(decimal), decimal.toNumber()];
    return digits(String(nearest)) === digits(text) ? nearest : text;
  };
  const plain = (value) =>
    Array.isArray(value) ? value.map(plain) : typeof value?.toNumber === 'function' ? number(value) : value;
  return Object.fromEntries(
    Object.entries(details).map(([name, { value }]) => [name, value === undefined ? null : plain(value)]),
  );
}
