/** Results as JSON has them: exact decimals as the nearest numbers, null for what has no value. */
export function resultsOf(details) {
  const plain = (value) =>
    Array.isArray(value)
      ? value.map(plain)
      : typeof value?.toNumber === 'function'
        ? value.toNumber()
        : value;
  return Object.fromEntries(
    Object.entries(details).map(([name, { value }]) => [name, value === undefined ? null : plain(value)]),
  );
}
