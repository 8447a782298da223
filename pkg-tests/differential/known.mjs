/** Defects of the package that the random programs keep away from, or that are counted apart, until they are mended: then what is here goes. */

/**
 * What the client finishes reads a public input of a name that an output has, too, as that output: results are wrong without a word. So no output is called as
 * a public input is.
 */
export function isFreeName(name, { inputs }) {
  return inputs.every((input) => input.place !== 'public' || input.name !== name);
}

/**
 * A gap as wide as operands can differ is refused as too narrow, and so is a polynomial of what can be one number only. What operands can be the compiler
 * knows better than the generator.
 */
export function isKnownRefusal(scheme, { code, message }) {
  return scheme === 'CKKS' && code === 'operator.invalid' && /value\.compare: gap|packed\.polynomial: coefficients/.test(message);
}

/** The sum of a single boolean of a record stays a boolean, other than outside of a record. */
export function isKnownStep({ method }, on) {
  return method === 'sum' && on.rows !== undefined && on.kind === 'boolean' && on.shape.length === 0;
}
