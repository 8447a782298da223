/** Results as JSON has them: exact decimals as numbers, or, where these would have other digits, as text; null for what has no value. */
export function resultsOf(details) {
  const number = (decimal) => {
    const [text, nearest] = [String(decimal), decimal.toNumber()];
    const shortest = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    return String(nearest) === shortest ? nearest : text;
  };
  const plain = (value) =>
    Array.isArray(value) ? value.map(plain) : typeof value?.toNumber === 'function' ? number(value) : value;
  return Object.fromEntries(
    Object.entries(details).map(([name, { value }]) => [name, value === undefined ? null : plain(value)]),
  );
}
