/** One recipe: all that it goes through, and where that differs from what its text means. */
import { bitsOfAll, counted, differencesIn, foundBits } from './compare.mjs';
import { interpret } from './interpreter.mjs';
import { bitsOf, dataOf, record } from './recipe.mjs';
import { parse } from './text.mjs';

const PASSES = ['dedup', 'cancel_transforms', 'prune', 'sum_products'];

/** What is made of a circuit as it was built. */
const VARIANTS = {
  'as built': undefined,
  'expanded to simd': (circuit) => circuit.expand({ platform: 'simd' }),
  'expanded to scalar': (circuit) => circuit.expand({ platform: 'scalar' }),
  'the usual passes': (circuit) => circuit.optimize(),
  'all passes': (circuit) => circuit.optimize({ passes: PASSES }),
  'no pass': (circuit) => circuit.optimize({ passes: [] }),
  ...Object.fromEntries(PASSES.map((pass) => [`pass ${pass}`, (circuit) => circuit.optimize({ passes: [pass] })])),
  'expanded to scalar, all passes': async (circuit) => {
    const base = await circuit.expand({ platform: 'scalar' });
    const lean = await base.optimize({ passes: PASSES });
    base.dispose();
    return lean;
  },
};

/**
 * `{ differences: [{ where, found, expected }], runs, elements, open }`: runs made, elements of outputs compared in the
 * first, and how many of these the documentation leaves open.
 */
export async function checkRecipe(pkg, looms, recipe) {
  const own = { differences: [], runs: 0, elements: 0, open: 0 };
  const meanings = new Map();
  const [data, bits] = [dataOf(recipe), bitsOf(recipe)];
  const meaningOf = (text) => {
    if (!meanings.has(text)) meanings.set(text, interpret(parse(text), bits));
    return meanings.get(text);
  };
  const run = async (where, circuit, meaning, options) => {
    const found = await circuit.run(data, options);
    own.runs++;
    own.differences.push(
      ...differencesIn(foundBits(found, meaning), meaning).map((one) => ({
        where: `${where}, ${one.where}`,
        ...one.told,
      })),
    );
  };
  const attempt = async (where, work) => {
    try {
      await work();
    } catch (error) {
      own.differences.push({ where, found: `${error.code ?? error.name}: ${error.message}`, expected: 'no error' });
    }
  };
  const [loom, ...others] = looms;
  const built = await record(pkg, loom, recipe).build();
  let first;
  for (const [where, make] of Object.entries(VARIANTS)) {
    await attempt(where, async () => {
      const circuit = make === undefined ? built : await make(built);
      const meaning = meaningOf(await circuit.toText());
      first ??= meaning;
      await run(where, circuit, meaning);
      // What another text means, too, must be the same.
      const moved = differencesIn(bitsOfAll(meaning), first);
      own.differences.push(...moved.map((one) => ({ where: `the text, ${where}, ${one.where}`, ...one.told })));
      if (circuit !== built) circuit.dispose();
    });
  }
  for (const platform of ['simd', 'scalar'])
    await attempt(platform, () => run(`run on ${platform}`, built, first, { platform }));
  for (const form of ['toText', 'toBytes']) {
    await attempt(form, async () => {
      const saved = await built[form]();
      const again = await loom.circuit(saved);
      if (again.id !== built.id) own.differences.push({ where: form, found: again.id, expected: built.id });
      for (const other of others) {
        const there = await other.circuit(saved);
        if (there.id !== built.id) own.differences.push({ where: form, found: there.id, expected: built.id });
        await run(`${form}, ${other.mode.threads} threads`, there, first);
        there.dispose();
      }
      await run(form, again, first);
      again.dispose();
    });
  }
  built.dispose();
  return Object.assign(own, counted(first));
}
