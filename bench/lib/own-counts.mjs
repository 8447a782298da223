// What a program of ours does, in the words in which compilers are compared.

/** Of a program's info, and the text of its vectors of slots. */
export function ownCounts({ operators, keys, moduli, special, n }, packed) {
  const sum = (pattern) =>
    Object.entries(operators).reduce((all, [name, count]) => all + (pattern.test(name) ? count : 0), 0);
  const rotations = sum(/^rlwe\.automorphism(_hoisted)?$/);
  const relinearizations = sum(/\.relinearize/);
  const encrypted = [...packed.matchAll(/^type (!\d+) = .*where="encrypted"/gm)].map(([, type]) => type);
  return {
    rotations,
    relinearizations,
    products: sum(/^(bgv|ckks)\.multiply$/),
    keySwitches: rotations + relinearizations,
    decompositions: sum(/^rlwe\.(automorphism|decompose)$/) + relinearizations,
    plainProducts: sum(/^(bgv|ckks)\.multiply_(plain|number|scalar)$/),
    moduli,
    special,
    keys: keys.length,
    n,
    inputs: [...packed.matchAll(/^input %\d+ : (!\d+)/gm)].filter(([, type]) => encrypted.includes(type)).length,
  };
}
