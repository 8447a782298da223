// Microsoft SEAL through node-seal 7, the way a user does who cares for time: destinations are made once.
import openSeal from 'node-seal';

/** The loaded module; one per process. */
export const seal = await openSeal();

/** BFV, see {@link makeScheme}. */
export function makeBfv(n, options = {}) {
  return makeScheme('bfv', n, options);
}

/**
 * A scheme's context, keys and tools. `bits` is the list of prime sizes, the last one for key switching; without it SEAL's
 * default for this N. `t` is the plain modulus of BFV and BGV, by default SEAL's prime of 20 bits; `scale` that of CKKS. `steps`:
 * rotations to have keys for; 0 is the exchange of the rows.
 */
export function makeScheme(scheme, n, { bits, t, scale, steps = [1] } = {}) {
  const parameters = new seal.EncryptionParameters(seal.SchemeType[scheme]);
  const approximate = scheme === 'ckks';
  parameters.setPolyModulusDegree(n);
  const { CoeffModulus, SecLevelType, PlainModulus, Modulus } = seal;
  parameters.setCoeffModulus(
    bits ? CoeffModulus.Create(n, Int32Array.from(bits)) : CoeffModulus.BFVDefault(n, SecLevelType.tc128),
  );
  if (!approximate) parameters.setPlainModulus(t === undefined ? PlainModulus.Batching(n, 20) : new Modulus(t));
  const context = new seal.SEALContext(parameters, true, SecLevelType.tc128);
  if (!context.parametersSet()) throw new Error(`SEAL refuses N = ${n}, bits ${bits}, t = ${t}`);
  const chain = parameters.coeffModulus();
  const primes = Array.from({ length: chain.size() }, (_, index) => chain.get(index).value());
  const start = performance.now();
  const generator = new seal.KeyGenerator(context);
  const secretKey = generator.secretKey();
  const publicKey = generator.createPublicKey();
  const relinKeys = generator.createRelinKeys();
  const galoisKeys = generator.createGaloisKeysWithSteps(Int32Array.from(steps));
  const keyTime = performance.now() - start;
  return {
    scheme,
    n,
    ...(approximate ? { scale } : { t: parameters.plainModulus().value() }),
    data: primes.slice(0, -1),
    special: primes.slice(-1),
    totalBits: primes.reduce((product, prime) => product * prime, 1n).toString(2).length,
    context,
    generator,
    secretKey,
    relinKeys,
    galoisKeys,
    keyTime,
    evaluator: new seal.Evaluator(context),
    encoder: approximate ? new seal.CKKSEncoder(context) : new seal.BatchEncoder(context),
    encryptor: encryptor(context, publicKey, secretKey),
    decryptor: new seal.Decryptor(context, secretKey),
    plain: () => new seal.Plaintext(),
    ciphertext: () => new seal.Ciphertext(),
  };
}

function encryptor(context, publicKey, secretKey) {
  const made = new seal.Encryptor(context, publicKey);
  made.setSecretKey(secretKey);
  return made;
}

/** The identity of the level with so many data primes left. */
export function level({ context, data }, primes) {
  let at = context.firstContextData();
  for (let left = data.length; left > primes; left--) at = at.nextContextData();
  return at.parmsId();
}
