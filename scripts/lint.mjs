#!/usr/bin/env node
// The checks that run no test: formatting, Clippy, licences and sources of dependencies.
// Usage: node scripts/lint.mjs [--fix]
//   --fix  formats what is not formatted, instead of saying so
import { testedPackages } from './lib/native-tests.mjs';
import { ROOT, find, words } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';
import { RELEASE, nativeRust, need } from './lib/toolchain.mjs';

/** Lints that `clippy.toml` turns off inside of test functions alone, not in the functions that these share. */
const PANICS = ['unwrap_used', 'expect_used', 'panic'];
/** Both runs over libraries are of these, so that what one asks of another is the same in both, and what they share is checked once. */
const LIBRARIES = [...testedPackages(), '--package', 'cipherloom-border'];
/** The border to JavaScript, which compiles natively, too. */
const BORDER = [
  '--features',
  ['tasks', 'graphs', 'conformance', 'threads'].map((part) => `cipherloom-border/${part}`).join(','),
];
/** The same border as an addon of Node. */
const NATIVE = words('--package cipherloom-native --package cipherloom-node --package cipherloom-bind');

const unknown = process.argv.slice(2).find((arg) => arg !== '--fix');
if (unknown) {
  console.error(`unknown option "${unknown}": expected --fix`);
  process.exit(2);
}
const fix = process.argv.includes('--fix');
const { env, release } = need(nativeRust());
Object.assign(process.env, env);
const program = (name) => find(name, env.PATH) ?? name;

// Each Rust has lints of its own: another than the pinned one shows what it finds, and fails nothing.
const settled = release.startsWith(`${RELEASE}.`);
if (!settled) console.warn(`This Rust is ${release}, not ${RELEASE}: what its Clippy finds does not fail.`);

await steps('checks', [
  { what: 'Rust is formatted', run: [program('cargo'), 'fmt', '--all', ...(fix ? [] : ['--check'])] },
  {
    what: 'TypeScript, JavaScript, pages and styles are formatted',
    run: [program('prettier'), fix ? '--write' : '--check', '--log-level', 'warn', ROOT],
  },
  // What comes next looks at crates, and fetches none.
  { what: 'crates are there', run: [program('cargo'), 'fetch', '--locked'] },
  {
    what: 'licences, bans and sources of crates (advisories need the network: cargo deny check)',
    run: [program('cargo'), ...words('deny --workspace --offline --locked --all-features check licenses bans sources')],
  },
  { what: 'Clippy', run: clippy([...words('--lib --bins'), ...LIBRARIES, ...BORDER]) },
  { what: 'Clippy on the border as an addon', run: clippy(['--lib', ...LIBRARIES, ...NATIVE]) },
  { what: 'Clippy on tests, which may panic', run: clippy(['--tests', ...testedPackages()], PANICS) },
]);

function clippy(what, allowed = []) {
  const levels = [...(settled ? ['-Dwarnings'] : []), ...allowed.map((lint) => `-Aclippy::${lint}`)];
  return [program('cargo'), 'clippy', '--locked', ...what, '--', ...levels];
}
