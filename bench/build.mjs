#!/usr/bin/env node
// Builds bench/wasm, with threads and relaxed SIMD, into bench/wasm/pkg, with the pool of js/.
import { cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, run } from '../scripts/lib/run.mjs';
import { need, wasmRust } from '../scripts/lib/toolchain.mjs';
import { OPTIMIZE, VARIANTS } from '../scripts/lib/variants.mjs';
import { packWasm } from '../scripts/lib/wasm-pack.mjs';

const VARIANT = 'relaxed';
const out = join(ROOT, 'bench/wasm/pkg');
const env = packWasm(VARIANT, need(wasmRust()), { folder: 'bench/wasm', out });
const wasm = relative(ROOT, join(out, 'cipherloom_bg.wasm'));
run('wasm-opt', [wasm, '-o', wasm, ...OPTIMIZE, ...VARIANTS[VARIANT].opt], { env });
for (const file of ['pool.js', 'pool-worker.js', 'shared-memory.js']) cpSync(join(ROOT, 'js', file), join(out, file));
