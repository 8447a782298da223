// Inner products of vector pairs with cipherloom's public API, many pairs per ciphertext.
import { createTask } from 'cipherloom';
import { packPairs } from './packing.mjs';

/** Opens the job under the ring that the compiler expects to be fastest: the layout, and so the task, depends on it. */
export async function openInnerProducts(loom, pairs, limit) {
  const start = performance.now();
  const candidates = await Promise.all([4096, 8192].map((n) => compile(loom, packPairs(n, pairs), limit)));
  const [best, ...others] = candidates
    .filter((candidate) => candidate !== undefined)
    .sort((a, b) => a.program.info.cost.seconds - b.program.info.cost.seconds);
  if (best === undefined) throw new Error('no ring is large enough');
  for (const { program } of others) program.dispose();
  const compiled = performance.now();
  const { layout, program } = best;
  const client = await program.client();
  const values = layout.factors().map(([a, b], group) => [
    [`a${group}`, a],
    [`b${group}`, b],
  ]);
  const inputs = Object.fromEntries(values.flat());
  return {
    n: layout.n,
    compileTime: compiled - start,
    keyTime: performance.now() - compiled,
    encrypt: () => client.encrypt(inputs),
    evaluate: (encrypted) => program.run(encrypted, client.evaluationKeys),
    decrypt: async (outputs) => {
      const slots = await client.decrypt(outputs);
      return layout.read((group, slot) => Number(slots[`products${group}`][slot].units));
    },
  };
}

/** The job under one layout; undefined where no secure parameters are large enough. */
async function compile(loom, layout, limit) {
  try {
    return { layout, program: await loom.compile(describe(layout, limit), { n: layout.n }) };
  } catch (error) {
    if (error.code === 'parameters.none') return undefined;
    throw error;
  }
}

function describe({ n, groups, steps }, limit) {
  const task = createTask();
  for (let group = 0; group < groups; group++) {
    const options = { rows: n, min: -limit, max: limit, layout: 'slots', rings: 2 };
    let sum = task.encrypted(`a${group}`, options).multiply(task.encrypted(`b${group}`, options));
    for (const step of steps) sum = sum.add(sum.rotateRows(step));
    task.output(`products${group}`, sum);
  }
  return task;
}
