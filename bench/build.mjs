#!/usr/bin/env node
// Builds bench/wasm, with threads and relaxed SIMD, into bench/wasm/pkg, with the pool of js/.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, run } from '../scripts/lib/run.mjs';
import { need, wasmRust } from '../scripts/lib/toolchain.mjs';
import { FEATURES, OPTIMIZE, VARIANTS, target } from '../scripts/lib/variants.mjs';
import { buildWasmCrate } from '../scripts/lib/wasm-crate.mjs';

const VARIANT = 'relaxed';
const out = join(ROOT, 'bench/wasm/pkg');
const made = join(target(VARIANT), 'bench-package');
const env = buildWasmCrate(VARIANT, need(wasmRust()), { folder: 'bench/wasm', out: made });
const [input, wasm, source] = [
  join(made, 'cipherloom_bg.wasm'),
  join(out, 'cipherloom_bg.wasm'),
  join(out, 'source.sha256'),
];
// Optimizing takes longest by far: only what has changed.
const hash = createHash('sha256').update(readFileSync(input)).digest('hex');
if (!existsSync(source) || readFileSync(source, 'utf8') !== hash) {
  rmSync(source, { force: true });
  cpSync(made, out, { recursive: true });
  const options = [...OPTIMIZE, ...FEATURES, ...VARIANTS[VARIANT].opt];
  run('wasm-opt', [relative(ROOT, input), '-o', relative(ROOT, wasm), ...options], { env });
  writeFileSync(source, hash);
}
cpSync(join(ROOT, 'js'), out, { recursive: true });
