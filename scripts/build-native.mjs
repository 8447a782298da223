#!/usr/bin/env node
// Builds the native addon for this machine's Node, into native/build/. Usage: node scripts/build-native.mjs [base] [v3] [v4] [here]
// `base` runs on every processor of the architecture, `v3` needs AVX2 and fused multiplication (x86-64-v3), `v4` AVX-512 (x86-64-v4);
// `here` is the fastest that this processor runs; without names, all that this architecture has.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HERE, LEVELS } from './lib/levels.mjs';
import { ROOT, run } from './lib/run.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';
import { platform } from '../native/index.cjs';

const LIBRARY = { darwin: 'libcipherloom_native.dylib', linux: 'libcipherloom_native.so' }[process.platform];
if (LIBRARY === undefined) {
  console.error(`there is no native build for ${process.platform}: expected linux or darwin`);
  process.exit(2);
}

const wanted = process.argv.slice(2).map((name) => (name === 'here' ? HERE : name));
const unknown = wanted.find((name) => !(name in LEVELS));
if (unknown !== undefined) {
  console.error(`unknown level "${unknown}": expected some of ${Object.keys(LEVELS).join(', ')}`);
  process.exit(2);
}
const rust = need(nativeRust());
// As in `bindings/build.mjs`: a package is to carry them.
for (const license of ['LICENSE-APACHE', 'LICENSE-MIT'])
  copyFileSync(join(ROOT, license), join(ROOT, 'native', license));
for (const name of wanted.length > 0 ? wanted : Object.keys(LEVELS)) build(name);

function build(name) {
  const started = performance.now();
  const target = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'native');
  // The file tells nothing of the machine that built it.
  const remap = [
    [join(rust.cargoHome, 'registry', 'src'), 'crates'],
    [join(rust.sysroot, 'lib', 'rustlib', 'src', 'rust'), 'rust'],
    [ROOT, 'cipherloom'],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  // With a target, the flags are the addon's alone, not those of what runs while it is compiled.
  const args = ['build', '--locked', '--profile', 'native', '--package', 'cipherloom-native', '--target', rust.host];
  const env = {
    ...rust.env,
    CARGO_TARGET_DIR: target,
    CARGO_ENCODED_RUSTFLAGS: [...LEVELS[name], ...remap, '-Cstrip=symbols'].join('\x1f'),
  };
  run('cargo', args, { env });
  const out = join(platform.build, name);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const file = join(out, 'cipherloom.node');
  copyFileSync(join(target, rust.host, 'native', LIBRARY), file);
  const bytes = readFileSync(file);
  for (const path of [ROOT, rust.cargoHome])
    if (bytes.includes(path)) throw new Error(`a path of this machine is in the addon: ${path}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`native ${name}: ${(bytes.length / 1e6).toFixed(1)} MB, built in ${seconds} s`);
}
