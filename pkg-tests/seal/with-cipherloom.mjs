// Runs programs with cipherloom.
import { createTask } from 'cipherloom';
import { LARGEST } from './programs.mjs';

/** The outputs' slots and the least noise budget among them; null if no secure parameters of this N are large enough. */
export async function runCipherloom(loom, program, n) {
  const { inputs, outputs, plainModulus } = program;
  let compiled;
  try {
    compiled = await loom.compile(describe(program, n), { n, plainModuli: [String(plainModulus)] });
  } catch (error) {
    if (error.code === 'parameters.none') return null;
    throw error;
  }
  const client = await compiled.client();
  const columns = Object.fromEntries(inputs.map(({ values }, i) => [`input ${i}`, values(n)]));
  const results = await compiled.run(await client.encrypt(columns), client.evaluationKeys);
  const details = await client.decryptDetails(results);
  client.dispose();
  compiled.dispose();
  const found = outputs.map((operand) => details[`operand ${operand}`]);
  return {
    slots: found.map(({ value }) => value.map(({ units }) => Number(units))),
    budget: Math.min(...found.map(({ noiseBudgetBits }) => noiseBudgetBits)),
    promised: compiled.info.params.noiseBudgetBits,
  };
}

function describe({ inputs, nodes, outputs }, n) {
  const task = createTask();
  const options = { rows: n, min: -LARGEST, max: LARGEST, layout: 'slots', rings: 2 };
  const operands = inputs.map((_, i) => task.encrypted(`input ${i}`, options));
  for (const {
    op,
    operands: [i, j],
    steps,
    plain,
  } of nodes) {
    const [a, b] = [operands[i], operands[j]];
    const compute = {
      add: () => a.add(b),
      sub: () => a.sub(b),
      negate: () => a.negate(),
      multiply: () => a.multiply(b),
      rotateRows: () => a.rotateRows(steps),
      rotateColumns: () => a.rotateColumns(),
      addPlain: () => a.add(plain(n)),
      multiplyPlain: () => a.multiply(plain(n)),
    }[op];
    operands.push(compute());
  }
  for (const operand of outputs) task.output(`operand ${operand}`, operands[operand]);
  return task;
}
