#!/usr/bin/env node
// Files of tests by node:test, each in a process of its own. Usage: node scripts/test-files.mjs [--timeout MS] [--at-once N] FILE...
//   --timeout  milliseconds after which a file is ended and has failed; without it, none
//   --at-once  files that run at a time, 1 without it; what one of several says is printed when it has ended
// In CI (where the environment says CI), at most three files that failed run once more, one after another: what passes only then is named as
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { timeout: { type: 'string' }, 'at-once': { type: 'string', default: '1' } },
});
const files = positionals.map((file) => resolve(file));
if (files.length === 0) throw new Error('expected files of tests, found none');
const atOnce = Number(values['at-once']);
if (!(Number.isInteger(atOnce) && atOnce > 0))
  throw new Error(`--at-once: expected a number of files, found ${values['at-once']}`);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
// Each run listens for the end of this process, and there are many.
process.setMaxListeners(0);
const { signal } = stop;
const options = { concurrency: 1, ...(values.timeout && { timeout: Number(values.timeout) }) };

const began = performance.now();
const results = await runAll(files, Math.min(atOnce, files.length));
const failed = files.filter((file) => results.has(file) && isFailed(results.get(file)));
if (process.env.CI && failed.length > 0 && failed.length <= AGAIN_AT_MOST && !signal.aborted) {
  console.log(`\nonce more: ${failed.map(named).join(', ')}`);
  for (const [file, result] of await runAll(failed, 1)) results.set(file, result);
}
summarize();

/** Runs files, so many at a time, and prints what they say: of one as it says it, of several when each has ended. Gives what came of each. */
async function runAll(files, atOnce) {
  const report = new spec();
  report.pipe(process.stdout, { end: false });
  const print = async (event) => {
    if (!report.write(event)) await once(report, 'drain');
  };
  const results = new Map();
  const rest = [...files];
  let printed = Promise.resolve();
  const lane = async () => {
    for (let file = rest.shift(); file !== undefined && !signal.aborted; file = rest.shift()) {
      if (atOnce === 1) {
        results.set(file, await runOne(file, print));
        continue;
      }
      console.log(`begins: ${named(file)}`);
      const events = [];
      results.set(file, await runOne(file, (event) => events.push(event)));
      printed = printed.then(async () => {
        for (const event of events) await print(event);
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  await printed;
  report.end();
  await once(report, 'end');
  return results;
}

/** Counts by name; those of a file that was ended before it had any are missing. `tell` gets every other event. */
async function runOne(file, tell) {
  const counts = {};
  // A signal of its own: Node warns of many listeners to one.
  for await (const event of run({ ...options, files: [file], signal: AbortSignal.any([signal]) })) {
    const [, name, count] = (event.type === 'test:diagnostic' && COUNT.exec(event.data.message)) || [];
    // The summary of all is at the end.
    if (name && event.data.nesting === 0) counts[name] = Number(count);
    else await tell(event);
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
  // Files that ran at a time took less together.
  const all = (name) =>
    name === 'duration_ms'
      ? performance.now() - began
      : [...results.values()].reduce((sum, counts) => sum + (counts[name] ?? 0), 0);
  for (const name of COUNTS) console.log(`# ${name} ${all(name)}`);
  if (files.some((file) => isFailed(results.get(file)))) process.exitCode = 1;
}

function named(file) {
  return relative(process.cwd(), file);
}
