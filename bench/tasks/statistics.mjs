// The statistics job with cipherloom's public API: count, sum, mean, variance of two columns, covariance, correlation.
import { createTask } from 'cipherloom';

/** The task over columns { name, values, decimals, min, max }. */
export function describeStatistics(columns) {
  const task = createTask();
  const encrypted = columns.map(({ name, values, decimals, min, max }) =>
    task.encrypted(name, { rows: values.length, min, max, decimals }),
  );
  for (const [index, column] of encrypted.entries()) {
    for (const statistic of ['count', 'sum', 'mean', 'variance'])
      task.output(`${statistic} ${index}`, column[statistic]());
  }
  const [a, b] = encrypted;
  task.output('covariance', a.covariance(b));
  task.output('correlation', a.correlation(b));
  return task;
}

/** The job on a loom: phases, each a function of the one before, and the results as numbers. */
export async function openStatistics(loom, columns) {
  const values = Object.fromEntries(columns.map((column) => [column.name, column.values]));
  const start = performance.now();
  const program = await loom.compile(describeStatistics(columns));
  const compiled = performance.now();
  const client = await program.client();
  return {
    compileTime: compiled - start,
    keyTime: performance.now() - compiled,
    n: program.info.params.n,
    encrypt: () => client.encrypt(values),
    evaluate: (inputs) => program.run(inputs, client.evaluationKeys),
    decrypt: async (outputs) => {
      const results = await client.decrypt(outputs);
      return Object.fromEntries(Object.entries(results).map(([name, value]) => [name, Number(value)]));
    },
  };
}
