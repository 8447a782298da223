#!/usr/bin/env node
// Runs the tests of pkg-tests/wasm in headless Chromium, for each build, of the crates that `build-wasm.mjs` compiled; two builds at a time.
// Usage: node scripts/test-wasm.mjs [single] [threads] [relaxed] [options of cargo test]
import { availableParallelism } from 'node:os';
import { browsers } from './lib/browsers.mjs';
import { inLanes } from './lib/lanes.mjs';
import { run, words } from './lib/run.mjs';
import { need, wasmRust } from './lib/toolchain.mjs';
import { VARIANTS, TRIPLE, buildEnv, cargoOptions } from './lib/variants.mjs';

const { chromedriver } = browsers();
if (!chromedriver.path) {
  console.error('No chromedriver was found. Run: node scripts/setup.mjs --tests');
  process.exit(1);
}
const args = process.argv.slice(2);
const named = Object.keys(VARIANTS).filter((variant) => args.includes(variant));
const options = args.filter((arg) => !named.includes(arg));
if (named.length === 1) {
  test(named[0]);
} else {
  const variants = named.length > 0 ? named : Object.keys(VARIANTS);
  const scripts = variants.map((variant) => [process.argv[1], variant, ...options]);
  await inLanes(scripts, Math.min(2, availableParallelism()), ([, variant]) =>
    console.log(`wasm ${variant}: is being tested`),
  );
}

function test(variant) {
  console.log(`\n== the ${variant} build ==`);
  const env = {
    ...buildEnv(variant, need(wasmRust())),
    [`CARGO_TARGET_${TRIPLE.toUpperCase().replaceAll('-', '_')}_RUNNER`]: 'wasm-bindgen-test-runner',
    CHROMEDRIVER: chromedriver.path,
    WASM_BINDGEN_TEST_ONLY_WEB: '1',
    WASM_BINDGEN_TEST_TIMEOUT: '1800',
  };
  // Default features of the tests are those of the builds with threads.
  const features = VARIANTS[variant].features.includes('threads') ? [] : ['--no-default-features'];
  run(
    'cargo',
    [
      ...words(`test --release --target ${TRIPLE} --package cipherloom-wasm-tests`),
      ...cargoOptions(variant),
      // As the modules are compiled.
      '-Zpanic-abort-tests',
      ...features,
      ...options,
    ],
    { env },
  );
}
