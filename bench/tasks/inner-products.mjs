// Inner products of vector pairs with cipherloom's public API, many pairs per ciphertext.
import { createTask } from 'cipherloom';
import { packPairs } from './packing.mjs';

/** Opens the job under the smallest ring that the compiler finds secure parameters for. */
export async function openInnerProducts(loom, pairs, limit) {
  for (const n of [4096, 8192, 16384]) {
    const layout = packPairs(n, pairs);
    const start = performance.now();
    let program;
    try {
      program = await loom.compile(describe(layout, limit), { n });
    } catch (error) {
      if (error.code === 'parameters.none') continue;
      throw error;
    }
    const compiled = performance.now();
    const client = await program.client();
    const values = layout.factors().map(([a, b], group) => [[`a${group}`, a], [`b${group}`, b]]);
    const inputs = Object.fromEntries(values.flat());
    return {
      n,
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
  throw new Error('no ring is large enough');
}

function describe({ n, groups, steps }, limit) {
  const task = createTask();
  for (let group = 0; group < groups; group++) {
    const options = { rows: n, min: -limit, max: limit, layout: 'slots' };
    let sum = task.encrypted(`a${group}`, options).multiply(task.encrypted(`b${group}`, options));
    for (const step of steps) sum = sum.add(sum.rotateRows(step));
    task.output(`products${group}`, sum);
  }
  return task;
}
