/** Records of breast masses: a logistic regression, as a task and in the clear. */
import { type Approximation, approximation, type Loom, type LoomTask } from 'cipherloom';

/** Learned in the clear; and what doctors found, a letter for each record: `m` or `b`. */
export interface RecordsModel {
  readonly weights: readonly number[];
  readonly bias: number;
  readonly diagnoses: string;
}

/** Measurements are cut off here, in standard deviations. */
const MOST = 4;
/** Where scores are. */
const RANGE = { from: -12, to: 12 } as const;
const DEGREE = 7;

/** The polynomial that stands for the sigmoid, which ciphertexts cannot compute. */
export function sigmoidPolynomial(): Approximation {
  return approximation((x) => 1 / (1 + Math.exp(-x)), { ...RANGE, degree: DEGREE });
}

/** The task: records are encrypted, weights and bias are the server's own. */
export function describeRecords(loom: Loom, records: number, measurements: number): LoomTask {
  const task = loom.task();
  const real = { kind: 'real' } as const;
  const features = task.encrypted('records', {
    ...real,
    shape: [records, measurements],
    min: -MOST,
    max: MOST,
  });
  const weights = task.plain('weights', { ...real, shape: [measurements], min: -0.5, max: 0.5 });
  const bias = task.plain('bias', { ...real, min: -1, max: 1 });
  const score = features.matmul(weights).add(bias).within(RANGE.from, RANGE.to);
  const probability = score.approximate(sigmoidPolynomial());
  task.output('probability', probability);
  // Added up on ciphertexts, divided by your side.
  task.output('average', probability.mean());
  return task;
}

/** The same of each record, in the clear. */
export function probabilitiesOf({ weights, bias }: RecordsModel, records: readonly number[][]): number[] {
  const { at } = sigmoidPolynomial();
  return records.map((record) => at(record.reduce((sum, x, i) => sum + x * weights[i]!, bias)));
}

/** Rows of standard deviations from each column's mean. */
export function recordsOf(columns: readonly ArrayLike<number>[]): number[][] {
  const standards = columns.map((column) => standard(Array.from(column)));
  return Array.from({ length: standards[0]?.length ?? 0 }, (_, row) =>
    standards.map((column) => column[row]!),
  );
}

function standard(values: readonly number[]): number[] {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / deviation, -MOST), MOST));
}
