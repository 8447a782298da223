// What the compiler's passes are worth: counts of programs with all of them, with none, and with each one off.
import { fileURLToPath } from 'node:url';
import { ownCounts } from './own-counts.mjs';

/** Where the counts are kept that a test compares with. */
export const GOLDEN = fileURLToPath(new URL('../passes.golden.json', import.meta.url));

export const PASSES = [
  'square',
  'balance',
  'turns',
  'dedup',
  'factors',
  'flatten',
  'giantSteps',
  'lateSums',
  'extract',
  'lazyRelinearization',
  'openResults',
  'earlySwitching',
  'hoist',
  'fuse',
];

/** Of one program of `programs/`. A program that no parameters carry is `refused`. */
export async function countsOfPasses(loom, program, single = PASSES) {
  const off = (names) => Object.fromEntries(names.map((name) => [name, false]));
  const [all, none] = [await counted(loom, program, {}), await counted(loom, program, off(PASSES))];
  const without = {};
  for (const pass of single) without[pass] = await counted(loom, program, off([pass]));
  return { all, none, without };
}

async function counted(loom, { describe }, passes) {
  let program;
  try {
    program = await describe(loom).compile({ passes });
  } catch (error) {
    if (error.code !== 'parameters.none') throw error;
    return { refused: 'no parameters' };
  }
  const { rotations, relinearizations, keySwitches, decompositions, plainProducts, moduli, special, keys, n } =
    ownCounts(program.info, await program.toText('packed'));
  const { types, type } = await program.graph('base');
  const transforms = type.reduce((sum, number) => sum + (/^limb\.i?ntt/.test(types[number]) ? 1 : 0), 0);
  const keyMegabytes = Math.round(program.info.keys.reduce((sum, { bytes }) => sum + bytes, 0) / 1e5) / 10;
  program.dispose();
  return {
    n,
    levels: moduli.length,
    special: special.length,
    rotations,
    relinearizations,
    keySwitches,
    decompositions,
    plainProducts,
    transforms,
    keys,
    keyMegabytes,
  };
}
