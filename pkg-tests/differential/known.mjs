/** Defects of the package that the random programs keep away from, or that are counted apart, until they are mended: then what is here goes. */

/**
 * A gap as wide as operands can differ is refused as too narrow, and so is a polynomial of what can be one number only, in two ways, one of which has no code. What
 * operands can be the compiler knows better than the generator.
 */
export function isKnownRefusal({ scheme }, step, { message }) {
  const wrong = /value\.compare: gap|packed\.polynomial: coefficients|an interval has a length/;
  return scheme === 'CKKS' && step === 'compile' && wrong.test(message);
}

export function isKnownStep({ method, on, args }, operands, value) {
  const read = [on, ...args.flatMap(({ operand, operands: several }) => several ?? operand ?? [])].map(
    (at) => operands[at],
  );
  // The sum of a single boolean of a record stays a boolean, other than outside of a record.
  if (method === 'sum' && read[0].rows && read[0].kind === 'boolean' && read[0].shape.length === 0) return true;
  // What is chosen of the server's integers and the client's reals makes reals of these integers on the server: a task of integers becomes one of CKKS.
  const [first] = value.rows ?? [value];
  const integers = read.some((one) => (one.rows?.[0] ?? one).isCiphertext && one.kind !== 'real');
  return (
    ['select', 'max', 'min', 'concat'].includes(method) &&
    first.task.scheme === 'BGV' &&
    first.kind === 'real' &&
    integers
  );
}
