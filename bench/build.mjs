#!/usr/bin/env node
// Builds bench/wasm, with threads and relaxed SIMD, into bench/wasm/pkg, with the pool of js/.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../scripts/lib/run.mjs';
import { need, wasmRust } from '../scripts/lib/toolchain.mjs';
import { BUILD_STD, OPTIMIZE, VARIANTS, buildEnv } from '../scripts/lib/variants.mjs';

const VARIANT = 'relaxed';
const env = buildEnv(VARIANT, need(wasmRust()));
run('wasm-pack', [
  'build', '--mode', 'force', '--target', 'web', '--release', '--no-opt', '--no-pack', '--no-gitignore',
  '--out-dir', 'pkg', '--out-name', 'cipherloom', 'bench/wasm', '--locked', BUILD_STD,
], { env });
const wasm = 'bench/wasm/pkg/cipherloom_bg.wasm';
run('wasm-opt', [wasm, '-o', wasm, ...OPTIMIZE, ...VARIANTS[VARIANT].opt], { env });
for (const file of ['pool.js', 'pool-worker.js', 'shared-memory.js']) cpSync(join(ROOT, 'js', file), join(ROOT, 'bench/wasm/pkg', file));
