// The statistics job with cipherloom's public API: count, sum, mean, variance of two columns, covariance, correlation.
/** What is asked of columns { name, values, decimals, min, max }. */
export function describeStatistics(task, columns) {
  const encrypted = columns.map(({ name, values, decimals, min, max }) =>
    task.encrypted(name, { shape: [values.length], min, max, decimals }),
  );
  for (const [index, column] of encrypted.entries()) {
    for (const statistic of ['count', 'sum', 'mean', 'variance'])
      task.output(`${statistic} ${index}`, column[statistic]());
  }
  const [a, b] = encrypted;
  task.output('covariance', a.covariance(b));
  task.output('correlation', a.correlation(b));
}

/** The job on a loom: phases, each a function of the one before, and the results as numbers. */
export async function openStatistics(loom, columns) {
  const values = Object.fromEntries(columns.map((column) => [column.name, column.values]));
  const start = performance.now();
  const task = loom.task();
  describeStatistics(task, columns);
  const program = await task.compile();
  const compiled = performance.now();
  const client = await program.client();
  return {
    compileTime: compiled - start,
    keyTime: performance.now() - compiled,
    n: program.info.n,
    encrypt: () => client.encrypt(values),
    evaluate: (inputs) => program.run(inputs, client.evaluationKeys),
    decrypt: (results) => client.decrypt(results),
  };
}
