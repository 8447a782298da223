#!/usr/bin/env node
// Files of tests by node:test, one after another, each in a process of its own. Usage: node scripts/test-files.mjs [--timeout MS] FILE...
//   --timeout  milliseconds after which a file is ended and has failed; without it, none
// In CI (where the environment says CI), at most three files that failed run once more: what passes only then is named as
// unsteady, and what fails again fails all. More than three are no chance. Elsewhere none does, so that a race is seen.
import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const AGAIN_AT_MOST = 3;
const LONGEST = 10;
/** What the runner says of a file at its end, one line each. */
const COUNTS = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'];
const COUNT = new RegExp(`^(${COUNTS.join('|')}) ([\\d.]+)$`);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { timeout: { type: 'string' } } });
const files = positionals.map((file) => resolve(file));
if (files.length === 0) throw new Error('expected files of tests, found none');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
// Each run listens for the end of this process, and there are many.
process.setMaxListeners(0);
const { signal } = stop;
const options = { concurrency: 1, ...(values.timeout && { timeout: Number(values.timeout) }) };

const results = await runAll(files);
const failed = files.filter((file) => results.has(file) && isFailed(results.get(file)));
if (process.env.CI && failed.length > 0 && failed.length <= AGAIN_AT_MOST && !signal.aborted) {
  console.log(`\nonce more: ${failed.map(named).join(', ')}`);
  for (const [file, result] of await runAll(failed)) results.set(file, result);
}
summarize();

/** Runs files, and prints what they say as they say it. Gives what came of each. */
async function runAll(files) {
  const report = new spec();
  report.pipe(process.stdout, { end: false });
  const results = new Map();
  for (const file of files) {
    if (signal.aborted) break;
    results.set(file, await runOne(file, report));
  }
  report.end();
  await once(report, 'end');
  return results;
}

/** Counts by name; those of a file that was ended before it had any are missing. */
async function runOne(file, report) {
  const counts = {};
  // A signal of its own: Node warns of many listeners to one.
  for await (const event of run({ ...options, files: [file], signal: AbortSignal.any([signal]) })) {
    const [, name, count] = (event.type === 'test:diagnostic' && COUNT.exec(event.data.message)) || [];
    if (name && event.data.nesting === 0) counts[name] = Number(count);
    // The summary of all is at the end.
    else if (!report.write(event)) await once(report, 'drain');
  }
  return counts;
}

function isFailed(counts) {
  return counts?.tests === undefined || counts.fail > 0 || counts.cancelled > 0;
}

function summarize() {
  const times = [...results].sort(([, a], [, b]) => b.duration_ms - a.duration_ms).slice(0, LONGEST);
  console.log('\nwhat took longest:');
  for (const [file, { duration_ms }] of times)
    console.log(`  ${(duration_ms / 1000).toFixed(1).padStart(6)} s  ${named(file)}`);
  for (const file of failed)
    console.log(
      isFailed(results.get(file)) ? `failed: ${named(file)}` : `unsteady, passed only the second time: ${named(file)}`,
    );
  for (const file of files) if (!results.has(file)) console.log(`not run: ${named(file)}`);
  console.log('');
  for (const name of COUNTS)
    console.log(`# ${name} ${[...results.values()].reduce((sum, counts) => sum + (counts[name] ?? 0), 0)}`);
  if (files.some((file) => isFailed(results.get(file)))) process.exitCode = 1;
}

function named(file) {
  return relative(process.cwd(), file);
}
