/** One recipe: all that it goes through, and where that differs from what its calls and its texts mean. */
import { meaningOfCalls } from './calls.mjs';
import { bitsOfAll, counted, differencesIn, foundBits } from './compare.mjs';
import { interpret } from './interpreter.mjs';
import { bitsOf, dataOf, record } from './recipe.mjs';
import { parse } from './text.mjs';

const PASSES = ['dedup', 'cancel', 'prune', 'sum_products', 'precompute'];
const PLATFORMS = ['simd', 'scalar'];

const optimized = (passes) => (circuit) => circuit.optimize({ passes });
const eachPass = (where, passesOf) => PASSES.map((pass) => [`${where} ${pass}`, optimized(passesOf(pass))]);

/** What is made of a circuit as it was built. */
const VARIANTS = {
  ...Object.fromEntries(
    PLATFORMS.map((platform) => [`expanded to ${platform}`, (circuit) => circuit.expand({ platform })]),
  ),
  'the usual passes': (circuit) => circuit.optimize(),
  'all passes': optimized(PASSES),
  'no pass': optimized([]),
  ...Object.fromEntries(eachPass('pass', (pass) => [pass])),
  ...Object.fromEntries(eachPass('without pass', (pass) => PASSES.filter((other) => other !== pass))),
  placed: (circuit) => circuit.place({ platform: PLATFORMS }),
  'placed here and there': async (circuit) => {
    const base = await circuit.expand({ platform: 'simd' });
    const names = new Set(parse(await base.toText()).operators.map(({ name }) => name));
    const pin = Object.fromEntries([...names].map((name, index) => [name, PLATFORMS[index % 2]]));
    const placed = await base.place({ pin, platform: PLATFORMS });
    base.dispose();
    return placed;
  },
  'expanded to scalar, all passes': async (circuit) => {
    const base = await circuit.expand({ platform: 'scalar' });
    const lean = await base.optimize({ passes: PASSES });
    base.dispose();
    return lean;
  },
};

/**
 * `{ differences: [{ where, found, expected }], runs, elements, open }`: runs made, elements that were compared in each,
 * and how many of these the documentation leaves open. Errors: what building throws.
 */
export async function checkRecipe(pkg, looms, recipe) {
  const [loom] = looms;
  const check = new Check(recipe);
  const { g, operands } = record(pkg, loom, recipe);
  const built = await g.build();
  await check.attempt('as built', () => check.circuit('as built', built));
  for (const [where, make] of Object.entries(VARIANTS)) {
    await check.attempt(where, async () => {
      const circuit = await make(built);
      await check.circuit(where, circuit);
      circuit.dispose();
    });
  }
  for (const platform of PLATFORMS)
    await check.attempt(`run on ${platform}`, () => check.run(`run on ${platform}`, built, { platform }));
  await check.attempt('kept', () => check.kept(built, operands));
  for (const form of ['toText', 'toBytes']) {
    for (const other of looms) {
      const where = `${form}, ${other.mode.threads} threads`;
      await check.attempt(where, async () => check.saved(where, await built[form](), other, built.id));
    }
  }
  built.dispose();
  return check.result();
}

class Check {
  #data;
  #bits;
  #steps;
  #meaning;
  #texts = new Set();
  #runs = 0;
  #differences = [];

  constructor(recipe) {
    [this.#data, this.#bits, this.#steps] = [dataOf(recipe), bitsOf(recipe), meaningOfCalls(recipe)];
    this.#meaning = Object.fromEntries(recipe.outputs.map(({ name, step }) => [name, this.#steps[step]]));
  }

  result() {
    return { differences: this.#differences, runs: this.#runs, ...counted(this.#meaning) };
  }

  /** What throws is a difference. */
  async attempt(where, work) {
    try {
      await work();
    } catch (error) {
      this.#differences.push({ where, found: `${error.code ?? error.name}: ${error.message}`, expected: 'no error' });
    }
  }

  async run(where, circuit, options) {
    const found = await circuit.run(this.#data, options);
    this.#runs++;
    this.#compare(where, foundBits(found, this.#meaning));
  }

  /** Every operand can be asked for. */
  async kept(circuit, operands) {
    const { kept } = await circuit.run(this.#data, { keep: operands });
    this.#runs++;
    const found = operands.map((operand) => kept.get(operand));
    this.#compare('kept', foundBits(found, this.#steps), this.#steps);
  }

  /** Its text means what was called, and is what is run. */
  async circuit(where, circuit) {
    const text = await circuit.toText();
    if (!this.#texts.has(text)) this.#compare(`the text, ${where}`, bitsOfAll(interpret(parse(text), this.#bits)));
    this.#texts.add(text);
    await this.run(where, circuit);
  }

  /** A text or bytes, opened elsewhere, are the same circuit. */
  async saved(where, saved, loom, id) {
    const again = await loom.circuit(saved);
    if (again.id !== id) this.#differences.push({ where: `${where}, id`, found: again.id, expected: id });
    await this.run(where, again);
    again.dispose();
  }

  #compare(where, bits, meaning = this.#meaning) {
    for (const one of differencesIn(bits, meaning))
      this.#differences.push({ where: `${where}, ${one.where}`, ...one.told });
  }
}
