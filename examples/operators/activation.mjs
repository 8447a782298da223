// A polynomial activation over ciphertexts: x^2 + x in every slot of a BFV ciphertext, with a relinearization key.
export const activation = {
  name: 'my.activation',
  expand(g, [x, key], { attributes: { aux } }) {
    const square = g.op('rlwe.relinearize', [g.op('bfv.multiply', [x, x], { aux }), key]);
    return g.op('rlwe.add', [square, x]);
  },
};
