// The whole tasks: input, our side, the peer's side with its candidates, and the check of results.
import { columns } from './data.mjs';
import { openStatistics } from './statistics.mjs';
import { openSealStatistics, statisticsCandidates } from './statistics-seal.mjs';

export const JOBS = {
  statistics_569: statisticsJob(569),
  statistics_100000: statisticsJob(100_000),
};

function statisticsJob(rows) {
  return {
    scheme: 'bgv',
    input: () => columns(rows),
    ours: openStatistics,
    candidates: statisticsCandidates(rows),
    peer: openSealStatistics,
    check: (input, found) => {
      const expected = plainStatistics(input);
      for (const [name, value] of Object.entries(expected)) {
        // The sums are exact; the reference in doubles is not.
        if (!(Math.abs(found[name] - value) <= 1e-7 * Math.abs(value))) throw wrong(name, found[name], value);
      }
    },
  };
}

/** By the definitions, in doubles. */
function plainStatistics([{ values: x }, { values: y }]) {
  const n = x.length;
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const [meanX, meanY] = [sum(x) / n, sum(y) / n];
  const moment = (f) => sum(x.map((_, i) => f(x[i] - meanX, y[i] - meanY)));
  const [xx, yy, xy] = [moment((a) => a * a), moment((_, b) => b * b), moment((a, b) => a * b)];
  return {
    'count 0': n,
    'sum 0': meanX * n,
    'mean 0': meanX,
    'variance 0': xx / (n - 1),
    'count 1': n,
    'sum 1': meanY * n,
    'mean 1': meanY,
    'variance 1': yy / (n - 1),
    covariance: xy / (n - 1),
    correlation: xy / Math.sqrt(xx * yy),
  };
}

function wrong(what, found, expected) {
  return new Error(`${what}: found ${found}, expected ${expected}`);
}
