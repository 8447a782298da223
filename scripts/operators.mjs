#!/usr/bin/env node
// Writes bindings/src/operators.ts, by which editors complete names of operators, attributes and passes, from the lists of
// the core: build-wasm first.
// Usage: node scripts/operators.mjs [--check]
//   --check  says whether the file is what it should be, instead of writing it
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { operatorTypes } from './lib/operator-types.mjs';
import { ROOT } from './lib/run.mjs';

const FILE = join(ROOT, 'bindings/src/operators.ts');
const BUILD = join(ROOT, 'bindings/wasm/graphs/single');

const unknown = process.argv.slice(2).find((arg) => arg !== '--check');
if (unknown) stop(2, `unknown option "${unknown}": expected --check`);
const { operators, passes } = await core();
const text = await operatorTypes(operators(), passes(), FILE);
if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text) stop(1, `${FILE} is old. Run: node scripts/operators.mjs`);
} else {
  writeFileSync(FILE, text);
}

/** An instance of the build for one thread. */
async function core() {
  const wasm = join(BUILD, 'cipherloom_bg.wasm');
  if (!existsSync(wasm)) stop(1, `${wasm} is not there. Run: node scripts/build-wasm.mjs single`);
  const glue = await import(pathToFileURL(join(BUILD, 'cipherloom.js')));
  if (typeof glue.operators !== 'function') stop(1, 'this build has no list of operators: build-wasm makes a new one');
  glue.initSync({ module: new WebAssembly.Module(readFileSync(wasm)) });
  return glue;
}

function stop(status, message) {
  console.error(message);
  process.exit(status);
}
