#!/usr/bin/env node
// Runs the native tests. Usage: node scripts/test-rust.mjs [options of cargo test]
import { run } from './lib/run.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';

run('cargo', ['test', '--locked', ...process.argv.slice(2)], { env: need(nativeRust()).env });
