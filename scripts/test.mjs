#!/usr/bin/env node
// Everything: set-up, checks, builds, tests. Usage: node scripts/test.mjs [--yes]
//   --yes  installs what is missing without asking
import { commandsInLanes, inLanes } from './lib/lanes.mjs';
import { find } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';
import { VARIANTS } from './lib/variants.mjs';

const npm = find('npm');
const script = (name, ...args) => [process.execPath, `scripts/${name}.mjs`, ...args];
const tests = (workspace) => [npm, 'test', '--workspace', workspace];

/** Where there is a native build, its tests find it built. */
const native = ['darwin', 'linux'].includes(process.platform) ? [['build-native', 'here']] : [];
const begins = (args, following) => console.log(`begins: ${args.join(' ')}, ${following} to follow`);

await steps('npm test', [
  { what: 'what is missing is installed', run: script('setup', '--tests', ...process.argv.slice(2)) },
  // Each of these has one processor at work for much of its time; the first one makes two builds at a time.
  {
    what: 'builds of the wasm and of native code, checks, native tests, and threads in every order',
    run: () =>
      inLanes(
        [['build-wasm'], ['lint'], ['test-rust'], ...native, ['test-race']].map(([name, ...args]) => [
          `scripts/${name}.mjs`,
          ...args,
        ]),
        2,
        begins,
      ),
  },
  { what: 'all builds', run: [npm, 'run', 'build'] },
  // Tests of what is shipped take longest, two files at a time, and wait for much of that: all others run beside them, one after the other.
  {
    what: 'tests of all that was built',
    run: () =>
      commandsInLanes(
        [
          tests('pkg-tests'),
          script('test-native'),
          [npm, 'run', 'test:built', '--workspace', 'bindings', '--', '--maxWorkers=1'],
          ...Object.keys(VARIANTS).map((variant) => script('test-wasm', variant)),
          ...['www', 'examples/clinic', 'bench'].map(tests),
          script('release', '--check'),
        ],
        2,
        ([, ...args], following) => begins(args, following),
        true,
      ),
  },
]);
