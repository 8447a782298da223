#!/usr/bin/env node
// The page's graph with more than 100,000 operators, worked in Chromium: times between frames, and tasks of the page's thread.
// Usage: node bench/page-graph.mjs [--steps N] [--screenshots FOLDER]
//   --steps N             expands the gallery's blocks so many times (3: more than 100,000 operators)
//   --screenshots FOLDER  keeps a picture after every part
import { cpus } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '../pkg-tests/lib/browser.mjs';
import { servePage } from '../pkg-tests/page/demo.mjs';
import { openGraph, work } from './lib/page-graph.mjs';

const args = process.argv.slice(2);
const option = (name) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const steps = Number(option('--steps') ?? 3);
const folder = option('--screenshots');
if (args.length > 0 || !Number.isInteger(steps) || steps < 1) {
  console.error(`unknown argument "${args[0] ?? steps}": expected --steps N, --screenshots FOLDER`);
  process.exit(2);
}

const server = await servePage();
const browser = await openBrowser('Chromium');
try {
  const page = await browser.open(`${server.url}#graph`);
  const operators = await openGraph(page, { steps });
  console.log(`${operators} operators, ${cpus()[0].model}, ${cpus().length} threads, no GPU\n`);
  console.log(
    '| | frames | between frames, p95 (ms) | page’s thread in a frame, p95 (ms) | longest task (ms) | longest task, of the processor (ms) | tasks over 50 ms of it |',
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|');
  let picture = 0;
  for await (const { name, frames, interval, busy, lasted, processor, over } of work(page, { traced: true })) {
    console.log(
      `| ${name} | ${frames} | ${interval.toFixed(1)} | ${busy.toFixed(1)} | ${lasted.toFixed(0)} | ${processor.toFixed(0)} | ${over} |`,
    );
    if (folder !== undefined) await page.screenshot?.(join(folder, `${picture++}.png`));
  }
  for (const problem of page.problems) console.error(problem);
  process.exitCode = page.problems.length > 0 ? 1 : 0;
} finally {
  await browser.close();
  await server.stop();
}
