// Prints { megabytes }: peak memory of this process after the 100,000-row job. Usage: peak-memory.mjs ours THREADS | peer CANDIDATE
import { existsSync, readFileSync } from 'node:fs';

const [side, number] = process.argv.slice(2);
const { columns } = await import('../tasks/data.mjs');
const input = columns(100_000);
let job;
if (side === 'ours') {
  const { load } = await import('cipherloom');
  const { openStatistics } = await import('../tasks/statistics.mjs');
  job = await openStatistics(await load({ threads: Number(number) }), input);
} else {
  const { openSealStatistics, statisticsCandidates } = await import('../tasks/statistics-seal.mjs');
  job = openSealStatistics(input, statisticsCandidates(100_000)[Number(number)]);
}
await job.decrypt(await job.evaluate(await job.encrypt()));
console.log(JSON.stringify({ megabytes: peakKibibytes() * 1.024e-3 }));
process.exit();

/** Linux counts the process that started this one into `maxRSS`, but not into VmHWM. */
function peakKibibytes() {
  const status = '/proc/self/status';
  if (!existsSync(status)) return process.resourceUsage().maxRSS;
  return Number(readFileSync(status, 'utf8').match(/^VmHWM:\s*(\d+) kB$/m)[1]);
}
