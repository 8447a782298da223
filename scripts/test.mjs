#!/usr/bin/env node
// Everything: set-up, checks, builds, tests. Usage: node scripts/test.mjs [--yes]
//   --yes  installs what is missing without asking
import { inLanes } from './lib/lanes.mjs';
import { find } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';

const npm = find('npm');
const script = (name, ...args) => [process.execPath, `scripts/${name}.mjs`, ...args];
const tests = (workspace) => ({ what: `tests of ${workspace}`, run: [npm, 'test', '--workspace', workspace] });

await steps('npm test', [
  { what: 'what is missing is installed', run: script('setup', '--tests', ...process.argv.slice(2)) },
  // Each of these has one processor at work for much of its time.
  {
    what: 'checks, builds of the wasm, and threads in every order',
    run: () => inLanes([['scripts/lint.mjs'], ['scripts/build-wasm.mjs'], ['scripts/test-race.mjs']], 2),
  },
  { what: 'native tests', run: script('test-rust') },
  { what: 'all builds', run: [npm, 'run', 'build'] },
  { what: 'tests of the wasm', run: script('test-wasm') },
  { what: 'tests of the native build', run: script('test-native') },
  { what: 'what a release would publish', run: script('release', '--check') },
  ...['bindings', 'www', 'examples/clinic', 'pkg-tests', 'bench'].map(tests),
]);
