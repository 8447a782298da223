#!/usr/bin/env node
// Runs the native tests. Usage: node scripts/test-rust.mjs [options of cargo test]
import { testedPackages } from './lib/mpi.mjs';
import { run } from './lib/run.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';

const options = process.argv.slice(2);
const chosen = options.some((option) => /^(-p|--package|--workspace)/.test(option));
run('cargo', ['test', '--locked', ...(chosen ? [] : testedPackages()), ...options], { env: need(nativeRust()).env });
