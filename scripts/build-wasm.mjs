#!/usr/bin/env node
// Builds the crate to wasm, into bindings/wasm: single/ (any engine with SIMD), threads/ (shared memory), and beside the
// latter relaxed.wasm (shared memory and relaxed SIMD), which has the same JavaScript. These are for tasks; the same
// three in graphs/ compute circuits, those in conformance/ try the kernels of both.
// Usage: node scripts/build-wasm.mjs [--force] [tasks] [graphs] [conformance] [single] [threads] [relaxed]
// A build whose inputs have not changed is skipped; for one that was never made stands JavaScript without anything in it.
// The core takes most of the time, and one processor: it is compiled once for each build, and several builds are made at a
// time where processors and memory allow.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nameByLikeness } from './lib/function-order.mjs';
import { inLanes } from './lib/lanes.mjs';
import { ROOT, run, words } from './lib/run.mjs';
import { lockedVersion, need, wasmRust } from './lib/toolchain.mjs';
import { FEATURES, OPTIMIZE, PARTS, SORT, VARIANTS, target } from './lib/variants.mjs';
import { buildWasmCrate } from './lib/wasm-crate.mjs';

const args = process.argv.slice(2);
/** Whether this is one of several processes that build at a time. */
const inLane = args.includes('--lane');
let force = args.includes('--force');
const wanted = args.filter((arg) => !['--force', '--lane'].includes(arg));
/** Those that are named; all, where none of them is. */
const chosen = (all) => {
  const named = Object.keys(all).filter((name) => wanted.includes(name));
  return named.length > 0 ? named : Object.keys(all);
};
const unknown = wanted.find((name) => !(name in VARIANTS) && !(name in PARTS));
if (unknown !== undefined) {
  const expected = [...Object.keys(PARTS), ...Object.keys(VARIANTS)].join(', ');
  console.error(`unknown module or build "${unknown}": expected some of ${expected}`);
  process.exit(2);
}
/** The scripts that a result depends on. */
const SCRIPTS = ['function-order', 'glue', 'variants', 'wasm-crate']
  .map((name) => `scripts/lib/${name}.mjs`)
  .concat('scripts/build-wasm.mjs');
const WASM = join(ROOT, 'bindings', 'wasm');
/** Bytes that one build may need. */
const MEMORY = 2.5e9;
const rust = need(wasmRust());
if (!inLane) await manyAtATime(outdated(chosen(PARTS), chosen(VARIANTS)));
// What is left, and a line on each.
for (const variant of chosen(VARIANTS)) for (const part of chosen(PARTS)) build(part, variant);
if (!inLane) for (const part of Object.keys(PARTS)) for (const variant of Object.keys(VARIANTS)) standIn(part, variant);

function build(part, variant) {
  const { features, opt } = VARIANTS[variant];
  const wasm = join(WASM, PARTS[part], VARIANTS[variant].file);
  const inputs = fingerprint(part, variant);
  const stamp = readStamp(part, variant);
  if (!force && stamp?.inputs === inputs) {
    report(part, variant, stamp.sizes, 'unchanged');
    return;
  }
  const started = performance.now();
  rmSync(stampFile(part, variant), { force: true });
  const made = join(target(variant), `${part}-${variant}-package`);
  const env = buildWasmCrate(variant, rust, { folder: 'wasm', out: made, features: [part, ...features] });
  addGlue(part, variant, made);
  if (isThreaded(variant)) addPool(folder(part, variant), env);
  const optimized = join(target(variant), `${part}-${variant}.wasm`);
  const optimize = (from, to, options) =>
    run('wasm-opt', [relative(ROOT, from), '-o', relative(ROOT, to), ...options, ...FEATURES, ...opt], { env });
  optimize(join(made, 'cipherloom_bg.wasm'), optimized, OPTIMIZE);
  // What functions have in common shows once they are optimized.
  nameByLikeness(optimized);
  optimize(optimized, wasm, SORT);
  const bytes = readFileSync(wasm);
  check(bytes);
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length];
  writeFileSync(stampFile(part, variant), JSON.stringify({ inputs, sizes }));
  report(part, variant, sizes, `built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** What is to be built, in groups that do not meet: builds that share JavaScript are in one. The longest come first. */
function outdated(parts, variants) {
  const old = (variant) => (part) => force || readStamp(part, variant)?.inputs !== fingerprint(part, variant);
  const names = variants.filter((variant) => parts.some(old(variant)));
  const beside = (name) => names.filter((other) => dirname(VARIANTS[other].file) === dirname(VARIANTS[name].file));
  return names
    .map(beside)
    .filter((group, index) => group[0] === names[index])
    .map((group) => [...group, ...parts.filter((part) => group.some((name) => old(name)(part)))])
    .sort((a, b) => b.length - a.length);
}

/** Makes groups by processes of their own, if more than one can be made at a time: each has a target folder, which cargo locks. */
async function manyAtATime(groups) {
  const lanes = Math.min(groups.length, availableParallelism(), Math.floor(freemem() / MEMORY));
  if (lanes < 2) return;
  const scripts = groups.map((group) => [process.argv[1], '--lane', ...group, ...(force ? ['--force'] : [])]);
  await inLanes(scripts, lanes, ([, , ...group], following) =>
    console.log(`wasm ${group.join(' ')}: is being built, ${following} to follow`),
  );
  force = false;
}

function isThreaded(variant) {
  return VARIANTS[variant].features.includes('threads');
}

function folder(part, variant) {
  return join(WASM, PARTS[part], dirname(VARIANTS[variant].file));
}

function stampFile(part, variant) {
  return join(folder(part, variant), `.${variant}.stamp.json`);
}

function readStamp(part, variant) {
  const file = stampFile(part, variant);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Puts the JavaScript of a build where the package has it. Builds that lie side by side must have been given the same. */
function addGlue(part, variant, made) {
  const out = folder(part, variant);
  const glue = (from) => readFileSync(join(from, 'instance.js'));
  if (existsSync(join(out, 'instance.js')) && !glue(out).equals(glue(made))) {
    const beside = Object.keys(VARIANTS).find(
      (name) =>
        name !== variant && folder(part, name) === out && readStamp(part, name)?.inputs === fingerprint(part, name),
    );
    if (beside) throw new Error(`the JavaScript of ${variant} is not that of ${beside}, built of the same sources`);
    // Of other sources, or none: of no use any more.
    rmSync(out, { recursive: true, force: true });
  }
  const own = (file) => !VARIANTS[variant].beside || !file.endsWith('.wasm');
  cpSync(made, out, { recursive: true, filter: own });
}

/** Lets what imports all builds run without those that were not made. */
function standIn(part, variant) {
  const out = folder(part, variant);
  if (existsSync(join(out, 'instance.js'))) return;
  mkdirSync(out, { recursive: true });
  for (const file of ['cipherloom.js', 'instance.js'])
    writeFileSync(join(out, file), '// Not built yet: npm run build\nexport {};\n');
  if (isThreaded(variant)) copyPool(out);
}

/** Puts the thread start-up of js/ beside the glue that it imports. */
function copyPool(out) {
  const files = readdirSync(join(ROOT, 'js')).filter((name) => name.endsWith('.js'));
  for (const name of files) cpSync(join(ROOT, 'js', name), join(out, name));
  return files;
}

/** The thread start-up, checked, and with its declarations. */
function addPool(out, env) {
  const files = copyPool(out);
  for (const name of files) rmSync(join(out, name.replace(/js$/, 'd.ts')), { force: true });
  const pages = (file, pattern) => Number(readFileSync(join(out, file), 'utf8').match(pattern)[1]);
  const least = pages('instance.js', /initial:(\d+),maximum/);
  const given = pages('shared-memory.js', /INITIAL_PAGES = (\d+)/);
  if (given < least)
    throw new Error(`js/shared-memory.js starts with ${given} pages of memory, the module needs ${least}`);
  const options = words(
    '--allowJs --checkJs --strict --declaration --emitDeclarationOnly --skipLibCheck --types node ' +
      '--target es2022 --lib es2022,dom --module nodenext',
  );
  run('tsc', [...options, ...files.map((name) => relative(ROOT, join(out, name)))], { env });
}

/** A hash of all that the result depends on. */
function fingerprint(part, variant) {
  const hash = createHash('sha256');
  const files = ['src', 'engine', 'border', 'wasm', 'js', ...SCRIPTS, 'Cargo.toml', 'Cargo.lock'];
  for (const entry of files.flatMap(walk)) hash.update(`${entry}\0`).update(readFileSync(join(ROOT, entry)));
  hash.update(`${part} ${variant} rustc ${rust.release} wasm-bindgen ${lockedVersion('wasm-bindgen')}`);
  return hash.digest('hex');
}

/** The files of a folder (or the file itself), in a fixed order. */
function walk(path) {
  const folder = join(ROOT, path);
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder)
      .sort()
      .flatMap((name) => walk(`${path}/${name}`));
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

function report(part, variant, [raw, gzip], note) {
  const kilobytes = (size) => `${(size / 1000).toFixed(1)} kB`;
  console.log(`wasm ${part} ${variant}: ${kilobytes(raw)} raw, ${kilobytes(gzip)} gzip (${note})`);
}
