/** Seeds of operators that draw random numbers, for one run. */
import { checkArgument, WITH_INPUTS } from '../arguments.js';
import type { Port } from '../graph-types.js';
import { keptRandom } from './kept.js';
import type { PartyStore } from './types.js';

const SEED = /^secret_seed\b/;
const WORDS = 4;

/**
 * For every input of a cut or circuit that is a secret seed, a fresh one of 32 bytes from the platform's cryptographic randomness, by the input's name: `cut.run({ ...freshSeeds(cut),
 * ... })`. Every run needs new ones: a mask that hides two values tells their difference. What is to be the same in several runs, as the seed of a secret key, stands
 * behind them in the data. Errors: InputError `input.type`.
 */
export function freshSeeds(of: {
  readonly inputs: readonly Port[];
}): Record<string, BigUint64Array<ArrayBuffer>> {
  checkArgument('freshSeeds, of', of, WITH_INPUTS);
  return Object.fromEntries(
    seedsOf(of).map((name) => [name, crypto.getRandomValues(new BigUint64Array(WORDS))]),
  );
}

/**
 * The same for a party that may come back (`Cut.run`, option `keep`): drawn once for a run, and kept in its store, so that it sends what it has sent before. Errors: PartyError
 * `party.store`; InputError `input.type`.
 */
export async function keptSeeds(
  store: PartyStore,
  run: string,
  of: { readonly inputs: readonly Port[] },
): Promise<Record<string, BigUint64Array<ArrayBuffer>>> {
  checkArgument('keptSeeds, of', of, WITH_INPUTS);
  const seeds = seedsOf(of).map(async (name): Promise<[string, BigUint64Array<ArrayBuffer>]> => {
    const { buffer } = await keptRandom(store, run, `seed: ${name}`, WORDS * 8);
    return [name, new BigUint64Array(buffer)];
  });
  return Object.fromEntries(await Promise.all(seeds));
}

function seedsOf({ inputs }: { readonly inputs: readonly Port[] }): readonly string[] {
  return inputs.filter(({ type }) => SEED.test(type)).map(({ name }) => name);
}
