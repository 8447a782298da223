// The same questions as tasks over values: each group is one program, with an output for each question.
import { LIMIT } from './questions.mjs';

const OPERATIONS = {
  add: ([a, b]) => a.add(b),
  sub: ([a, b]) => a.sub(b),
  mul: ([a, b]) => a.multiply(b),
  square: ([a]) => a.square(),
  polynomial: ([a], { coefficients }) => a.polynomial(coefficients),
  dot: ([a, b]) => a.dot(b).reshape([1]),
  vector_matrix: ([a, m]) =>
    a
      .reshape([1, ...a.shape])
      .matmul(m)
      .reshape([m.shape[1]]),
  matrix_matrix: ([a, b]) => a.matmul(b),
};

/** By name: the answer, and by how much it can be off, as the program promised it. */
export async function askCipherloom(loom, group) {
  const task = loom.task();
  const given = { encrypted: {}, plain: {} };
  const values = new Map();
  for (const [name, question] of Object.entries(group)) {
    const operands = question.inputs.map(({ place, cells }) => {
      if (!values.has(cells)) {
        const input = `${place} ${values.size}`;
        const shape = cells[0].length === undefined ? [cells.length] : [cells.length, cells[0].length];
        values.set(cells, task[place](input, { kind: 'real', shape, min: -LIMIT, max: LIMIT }));
        given[place][input] = cells;
      }
      return values.get(cells);
    });
    task.output(name, OPERATIONS[question.op](operands, question));
  }
  const program = await task.compile();
  const client = await program.client();
  const inputs = await client.encrypt(given.encrypted);
  const answers = await client.decrypt(await program.run(inputs, client.evaluationKeys, { plain: given.plain }));
  const { scheme, n, ciphertexts } = program.info;
  client.dispose();
  program.dispose();
  const found = Object.keys(group).map((name) => {
    const own = ciphertexts.filter(({ values }) => values.includes(name));
    const bound = Math.max(...own.map(({ errorBits }) => 2 ** errorBits));
    return [name, { answer: answers[name], bound }];
  });
  return { scheme, n, found: Object.fromEntries(found) };
}
