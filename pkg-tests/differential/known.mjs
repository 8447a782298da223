/** Defects of the package that are known, and so not drawn. When one is mended, its line goes. */

/** A value that nobody has as a whole: what the client made of a single value, in a shape, of which the server has which cells are there. */
export function isStray({ missing, half, shape, record, masks }) {
  const isSingle = shape.length === 0 && !record;
  return (
    missing && half === 'client' && !isSingle && masks.some((one) => one.half === 'server' && one.place === 'encrypted')
  );
}

/** A call that is not refused as it should be. `of`: the value of the model with a number. */
export function isLetThrough({ on, method, args }, of) {
  const self = of(on);
  if (self === undefined) return false;
  // A divisor of the server's own, which missing cells of what it divides encrypt.
  if (method === 'divide') return [self, ...args.map(({ operand }) => of(operand))].some((one) => one?.missing);
  // Of one record, if it was made of others.
  return method === 'count' && self.missing && !self.declared;
}
