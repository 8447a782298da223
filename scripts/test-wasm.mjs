#!/usr/bin/env node
// Runs the tests of pkg-tests/wasm, built with threads, in headless Chromium.
// Usage: node scripts/test-wasm.mjs [options of cargo test]
import { browsers } from './lib/browsers.mjs';
import { run } from './lib/run.mjs';
import { need, wasmRust } from './lib/toolchain.mjs';
import { buildEnv, cargoOptions } from './lib/variants.mjs';

const VARIANT = 'threads';

const { chromedriver } = browsers();
if (!chromedriver.path) {
  console.error('No chromedriver was found. Run: node scripts/setup.mjs --tests');
  process.exit(1);
}
const env = { ...buildEnv(VARIANT, need(wasmRust())), WASM_BINDGEN_TEST_TIMEOUT: '300' };
run(
  'wasm-pack',
  [
    ...[
      'test',
      '--headless',
      '--chrome',
      '--chromedriver',
      chromedriver.path,
      '--mode',
      'no-install',
      'pkg-tests/wasm',
    ],
    ...cargoOptions(VARIANT, 'dev'),
    ...process.argv.slice(2),
  ],
  { env },
);
