// What the clients of the clinic's benchmark ask: statistics of two columns, as a task and in the clear.
import { createTask } from 'cipherloom';

export const ROWS = 569;

/** Two columns of one client's own. */
export function columnsOf(client) {
  const column = (factor, least, range) =>
    Array.from({ length: ROWS }, (_, row) => least + ((row * factor + client * 7919) % range));
  return { age: column(31, 18, 80), pressure: column(104_729, 90, 110) };
}

export function task() {
  const described = createTask();
  const age = described.encrypted('age', { shape: [ROWS], min: 0, max: 120 });
  const pressure = described.encrypted('pressure', { shape: [ROWS], min: 0, max: 300 });
  described.output('mean', age.mean());
  described.output('variance', pressure.variance());
  described.output('covariance', age.covariance(pressure));
  return described;
}

/** Mean of the first, variance of the second, covariance of both, of a sample. */
export function statistics(age, pressure) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [a, b] = [mean(age), mean(pressure)];
  const products = (x, mx, y, my) =>
    x.reduce((sum, value, row) => sum + (value - mx) * (y[row] - my), 0) / (x.length - 1);
  return [a, products(pressure, b, pressure, b), products(age, a, pressure, b)];
}

/** Numbers, as bytes that the service takes for an encrypted value: it looks at the first eleven, and their evaluator at the rest. */
export function framed(numbers) {
  return Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.from(Float64Array.from(numbers).buffer)]);
}

export function unframed(bytes) {
  const data = Uint8Array.from(bytes.subarray(11));
  return [...new Float64Array(data.buffer)];
}
