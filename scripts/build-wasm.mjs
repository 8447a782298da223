#!/usr/bin/env node
// Builds the crate to wasm, into bindings/wasm: single/ (any engine with SIMD), threads/ (shared memory), and beside the
// latter relaxed.wasm (shared memory and relaxed SIMD), which has the same JavaScript.
// Usage: node scripts/build-wasm.mjs [--force] [single] [threads] [relaxed]
// A build whose inputs have not changed is skipped.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { ROOT, run } from './lib/run.mjs';
import { lockedVersion, need, wasmRust } from './lib/toolchain.mjs';
import { BUILD_STD, OPTIMIZE, VARIANTS, buildEnv } from './lib/variants.mjs';

const args = process.argv.slice(2);
const force = args.includes('--force');
const wanted = args.filter((arg) => arg !== '--force');
for (const name of wanted) {
  if (!(name in VARIANTS)) {
    console.error(`unknown build "${name}": expected ${Object.keys(VARIANTS).join(' or ')}`);
    process.exit(2);
  }
}
const rust = need(wasmRust());
for (const variant of wanted.length ? wanted : Object.keys(VARIANTS)) build(variant);

function build(variant) {
  const { file, feature, opt, beside } = VARIANTS[variant];
  const wasm = join(ROOT, 'bindings', 'wasm', file);
  const out = dirname(wasm);
  const stampFile = join(out, `.${variant}.stamp.json`);
  const inputs = fingerprint(variant);
  const stamp = !force && existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : null;
  if (stamp?.inputs === inputs) {
    report(variant, stamp.sizes, 'unchanged');
    return;
  }
  const started = performance.now();
  rmSync(stampFile, { force: true });
  const env = buildEnv(variant, rust);
  const made = join(env.CARGO_TARGET_DIR, 'package');
  run('wasm-pack', [
    'build', '--mode', 'force', '--target', 'web', '--release', '--no-opt', '--no-pack', '--no-gitignore',
    '--out-dir', relative(ROOT, made), '--out-name', 'cipherloom', '.',
    '--locked', '--features', feature, BUILD_STD,
  ], { env });
  addGlue(variant, made, out);
  if (feature === 'threads' && !beside) addPool(out, env);
  run('wasm-opt', [relative(ROOT, join(made, 'cipherloom_bg.wasm')), '-o', relative(ROOT, wasm), ...OPTIMIZE, ...opt], { env });
  const bytes = readFileSync(wasm);
  check(bytes);
  const sizes = [
    bytes.length,
    gzipSync(bytes, { level: 9 }).length,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
  ];
  writeFileSync(stampFile, JSON.stringify({ inputs, sizes }));
  report(variant, sizes, `built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * Puts the JavaScript of a build where the package has it. A build that lies beside another has none of its own, so it
 * must have been given the very same; where the other's has changed, what lay beside it is of no use any more.
 */
function addGlue(variant, made, out) {
  const { beside } = VARIANTS[variant];
  const present = join(out, 'cipherloom.js');
  const same = existsSync(present) && readFileSync(present).equals(readFileSync(join(made, 'cipherloom.js')));
  if (beside) {
    if (!same) throw new Error(`the JavaScript of ${variant} is not that of ${beside}, which must be built first and alike`);
    return;
  }
  if (!same) rmSync(out, { recursive: true, force: true });
  cpSync(made, out, { recursive: true });
}

/** Puts the thread start-up of js/ beside the glue that it imports, checked, and with its declarations. */
function addPool(out, env) {
  const files = readdirSync(join(ROOT, 'js')).filter((name) => name.endsWith('.js'));
  for (const name of files) {
    cpSync(join(ROOT, 'js', name), join(out, name));
    rmSync(join(out, name.replace(/js$/, 'd.ts')), { force: true });
  }
  const pages = (file, pattern) => Number(readFileSync(join(out, file), 'utf8').match(pattern)[1]);
  const least = pages('cipherloom.js', /initial:(\d+),maximum/);
  const given = pages('shared-memory.js', /INITIAL_PAGES = (\d+)/);
  if (given < least) throw new Error(`js/shared-memory.js starts with ${given} pages of memory, the module needs ${least}`);
  run('tsc', [
    '--allowJs', '--checkJs', '--strict', '--declaration', '--emitDeclarationOnly', '--skipLibCheck', '--types', 'node',
    '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext', ...files.map((name) => relative(ROOT, join(out, name))),
  ], { env });
}

/** A hash of all that the result depends on. */
function fingerprint(variant) {
  const hash = createHash('sha256');
  const files = ['src', 'js', 'scripts/lib/variants.mjs', 'scripts/build-wasm.mjs', 'Cargo.toml', 'Cargo.lock'];
  for (const entry of files.flatMap(walk)) hash.update(`${entry}\0`).update(readFileSync(join(ROOT, entry)));
  hash.update(`${variant} rustc ${rust.release} wasm-bindgen ${lockedVersion('wasm-bindgen')}`);
  return hash.digest('hex');
}

/** The files of a folder (or the file itself), in a fixed order. */
function walk(path) {
  const folder = join(ROOT, path);
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).sort().flatMap((name) => walk(`${path}/${name}`));
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
}

/** The shipped file tells nothing of the machine that built it. That it is valid, wasm-opt has seen. */
function check(bytes) {
  for (const path of [ROOT, rust.cargoHome, rust.sysroot === '/usr' ? '/usr/lib/rustlib' : rust.sysroot]) {
    if (bytes.includes(path)) throw new Error(`a path of this machine is in the wasm: ${path}`);
  }
}

function report(variant, [raw, gzip, brotli], note) {
  const kilobytes = (size) => `${(size / 1000).toFixed(1)} kB`;
  console.log(`wasm ${variant}: ${kilobytes(raw)} raw, ${kilobytes(gzip)} gzip, ${kilobytes(brotli)} brotli (${note})`);
}
