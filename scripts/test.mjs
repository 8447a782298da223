#!/usr/bin/env node
// Everything: set-up, checks, builds, tests. Usage: node scripts/test.mjs [--yes]
//   --yes  installs what is missing without asking
import { commandsInLanes } from './lib/lanes.mjs';
import { find } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';
import { VARIANTS } from './lib/variants.mjs';

const npm = find('npm');
const script = (name, ...args) => [process.execPath, `scripts/${name}.mjs`, ...args];
const tests = (workspace) => [npm, 'test', '--workspace', workspace];

/** Where there is a native build, its tests find it built. */
const native = ['darwin', 'linux'].includes(process.platform) ? [script('build-native', 'here')] : [];
const begins = ([, ...args], following) => console.log(`begins: ${args.join(' ')}, ${following} to follow`);

await steps('npm test', [
  { what: 'what is missing is installed', run: script('setup', '--tests', ...process.argv.slice(2)) },
  // Each of these has one processor at work for much of its time; the first one makes two builds of the wasm at a time.
  {
    what: 'all builds, checks, and native tests',
    run: () => commandsInLanes([[npm, 'run', 'build'], script('lint'), script('test-rust'), ...native], 2, begins),
  },
  // Tests of what is shipped take longest, two files at a time, and wait for much of that: all others run beside them, one after the other, the longest first (but for one that builds what others read).
  {
    what: 'tests of all that was built, and threads in every order',
    run: () =>
      commandsInLanes(
        [
          tests('pkg-tests'),
          script('test-native'),
          [npm, 'run', 'test:built', '--workspace', 'bindings', '--', '--maxWorkers=1'],
          ...Object.keys(VARIANTS).map((variant) => script('test-wasm', variant)),
          script('test-race'),
          ...['bench', 'www', 'examples/clinic'].map(tests),
          script('release', '--check'),
        ],
        2,
        begins,
        true,
      ),
  },
]);
