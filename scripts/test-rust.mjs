#!/usr/bin/env node
// Runs the native tests. Usage: node scripts/test-rust.mjs [options of cargo test]
import { nativeTests, testedPackages } from './lib/native-tests.mjs';
import { run } from './lib/run.mjs';

const options = process.argv.slice(2);
const chosen = options.some((option) => /^(-p|--package|--workspace)/.test(option));
const { args, env } = nativeTests();
run('cargo', [...args, ...(chosen ? [] : testedPackages()), ...options], { env });
