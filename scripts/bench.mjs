#!/usr/bin/env node
// The benchmark, from a clean clone: installs and builds what is missing, then runs bench/bench.mjs in a recent Node.
// Usage: node scripts/bench.mjs [--yes] [options of bench/bench.mjs]
//   --yes  installs what is missing without asking
import { spawnSync } from 'node:child_process';
import { LEAST, recentNode } from '../bench/lib/node.mjs';
import { ROOT, find } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';

const BENCH = 'bench/bench.mjs';
const yes = process.argv.includes('--yes');
const args = process.argv.slice(2).filter((arg) => arg !== '--yes');
const npm = find('npm');
const build = (workspace) => [npm, 'run', 'build', '--workspace', workspace];
if (args.includes('--help') || args.includes('-h')) process.exit(benchmark(process.execPath));

await steps('npm run bench', [
  { what: 'what is missing is installed', run: [process.execPath, 'scripts/setup.mjs', ...(yes ? ['--yes'] : [])] },
  { what: 'the WebAssembly, every build', run: [process.execPath, 'scripts/build-wasm.mjs'] },
  { what: 'the package', run: build('cipherloom') },
  { what: 'the inside, for single operators', run: build('@cipherloom/bench') },
]);
const node = recentNode();
if (node === null) {
  console.error(`The benchmark needs Node ${LEAST.join('.')} or newer; this is ${process.versions.node}`);
  process.exit(2);
}
process.exit(benchmark(node));

function benchmark(program) {
  return spawnSync(program, [BENCH, ...args], { cwd: ROOT, stdio: 'inherit' }).status ?? 2;
}
