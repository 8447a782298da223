/** Seeds of operators that draw random numbers, for one run. */
import type { Port } from '../graph-types.js';

const SEED = /^secret_seed\b/;
const WORDS = 4;

/**
 * For every input of a cut or circuit that is a secret seed, a fresh one of 32 bytes from the platform's cryptographic randomness, by the input's name: `cut.run({ ...freshSeeds(cut),
 * ... })`. Every run needs new ones: a mask that hides two values tells their difference. What is to be the same in several runs, as the seed of a secret key, stands
 * behind them in the data.
 */
export function freshSeeds(of: {
  readonly inputs: readonly Port[];
}): Record<string, BigUint64Array<ArrayBuffer>> {
  const seeds = of.inputs.filter(({ type }) => SEED.test(type));
  return Object.fromEntries(
    seeds.map(({ name }) => [name, crypto.getRandomValues(new BigUint64Array(WORDS))]),
  );
}
