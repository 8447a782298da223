// The main job: statistics of a table's columns, computed on ciphertexts and, to compare, on the plain numbers.
import { createTask } from 'cipherloom';
import { columnOptions } from 'cipherloom/table';

/**
 * Computes count, sum, mean and variance of each column, and covariance and Pearson's r of the first two.
 * Gives `rows` of { statistic, columns, encrypted, plain, equal }, the `milliseconds` of each phase, and the `program`'s
 * info. `equal` says that the two are the same number, bit for bit. A statistic without a value, such as the
 * variance of one row, is undefined in both, with the reason in `problem`.
 */
export async function runJob(loom, columns, { population = false, onProgress } = {}) {
  const { task, asked } = describeJob(columns, { of: population ? 'population' : 'sample' });
  const values = Object.fromEntries(columns.map((column) => [column.name, column.values]));
  const milliseconds = {};
  const timed = async (phase, work) => {
    const start = performance.now();
    const result = await work();
    milliseconds[phase] = performance.now() - start;
    return result;
  };

  const program = await timed('compile', () => loom.compile(task, { onProgress }));
  const client = await timed('keys', () => program.client({ onProgress }));
  const inputs = await timed('encrypt', () => client.encrypt(values, { onProgress }));
  const outputs = await timed('evaluate', () => program.run(inputs, client.evaluationKeys, { onProgress }));
  const decrypted = await timed('decrypt', () => client.decryptDetails(outputs, { onProgress }));
  const plain = await timed('plain', () => client.plainDetails(values));

  const bytes = {
    keys: total(client.evaluationKeys),
    upload: total(Object.values(inputs)),
    download: total(Object.values(outputs)),
  };
  const { info } = program;
  const { memoryBytes } = await program.stats();
  client.dispose();
  program.dispose();
  const rows = asked.map(({ output, ...row }) => {
    const [encrypted, reference] = [decrypted, plain].map((all) => shown(row.statistic, all[output]));
    return { ...row, ...compare(encrypted, reference) };
  });
  return { rows, milliseconds, info, bytes, memoryBytes };
}

function describeJob(columns, options) {
  const task = createTask();
  const asked = [];
  const ask = (statistic, names, expression) => {
    const output = `${statistic} of ${names.join(', ')}`;
    task.output(output, expression);
    asked.push({ output, statistic, columns: names });
  };
  const encrypted = columns.map((column) => task.encrypted(column.name, columnOptions(column)));
  const names = columns.map(({ name }) => name);
  for (const [index, column] of encrypted.entries()) {
    const name = names.slice(index, index + 1);
    ask('count', name, column.count());
    ask('sum', name, column.sum());
    ask('mean', name, column.mean());
    ask('variance', name, column.variance(options));
  }
  const [a, b] = encrypted;
  if (b !== undefined) {
    ask('covariance', names.slice(0, 2), a.covariance(b, options));
    ask('correlation', names.slice(0, 2), a.correlation(b));
  }
  return { task, asked };
}

/** A count is a number; sums are decimals. */
function shown(statistic, { value, problem }) {
  return { value: statistic === 'count' && value !== undefined ? value.toNumber() : value, problem };
}

function compare(encrypted, plain) {
  const equal = same(encrypted.value, plain.value) && encrypted.problem?.code === plain.problem?.code;
  const problem = (encrypted.problem ?? plain.problem)?.message;
  return { encrypted: encrypted.value, plain: plain.value, equal, ...(problem && { problem }) };
}

/** Numbers by their bits, decimals by their digits. */
function same(a, b) {
  return (
    Object.is(a, b) ||
    (typeof a === 'object' && typeof b === 'object' && a.decimals === b.decimals && a.units === b.units)
  );
}

/** Bytes of all files, those that are one and the same once. */
function total(files) {
  return [...new Set(files)].reduce((sum, { length }) => sum + length, 0);
}
