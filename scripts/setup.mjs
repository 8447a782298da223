#!/usr/bin/env node
// Checks for, and installs, all that building and testing cipherloom needs.
// Usage: node scripts/setup.mjs [--yes] [--tests] [--rustup]
//   --yes     install without asking (as where standard input is no terminal)
//   --tests   also what only tests and checks need: Chromium, its driver, Firefox, other releases of Node, Bun, cargo-deny, and
//             Rust's linter and formatter, Redis, PostgreSQL, NATS, Open MPI with what compiles against it, WebGPU for Node, and TenSEAL and moto where there is a Python for them
//   --rustup  take Rust from rustup even where Debian's packages would do
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { browsers } from './lib/browsers.mjs';
import { bun } from './lib/bun.mjs';
import { MPI_PACKAGES, mpi } from './lib/mpi.mjs';
import { nodes } from './lib/nodes.mjs';
import { POSTGRES_PACKAGE, postgres } from './lib/postgres.mjs';
import { moto, tenseal } from './lib/python.mjs';
import { ROOT, begin, find, read, run } from './lib/run.mjs';
import { steps as runSteps } from './lib/steps.mjs';
import { RELEASE, TOOLS, hasCommand, nativeRust, toolEnv, wasmRust } from './lib/toolchain.mjs';
import { CARGO_TOOLS, INSTALL_ENV } from './lib/tools.mjs';
import { webgpu } from './lib/webgpu.mjs';

const KNOWN = ['--yes', '--tests', '--rustup'];
const args = process.argv.slice(2);
const unknown = args.find((arg) => !KNOWN.includes(arg));
if (unknown) {
  console.error(`unknown option "${unknown}": expected ${KNOWN.join(', ')}`);
  process.exit(2);
}

/** Debian's Rust for browser builds: new enough, and with its sources; in Debian 12 alone. */
const DEBIAN_RUST = ['rustc-web', 'cargo-web', 'rust-web-src', 'lld-22'];
/** Waits for the network most of its time: what else there is to do does not wait for it. */
const PACKAGES = ['npm', 'ci', '--no-audit', '--no-fund'];
const LOCK_STAMP = join(ROOT, 'node_modules', '.cipherloom-lock');

const forTests = args.includes('--tests');
const debian = debianVersion();
const apt = [];
const steps = [];
const missing = [];

checkNode();
checkRust();
for (const tool of CARGO_TOOLS.filter(({ tests }) => forTests || !tests)) checkTool(tool);
checkNpm();
if (forTests) {
  checkLinters();
  checkBrowsers();
  checkNodes();
  checkBun();
  checkRedis();
  checkPostgres();
  checkNats();
  checkMpi();
  checkWebgpu();
  checkPython(tenseal());
  checkPython(moto());
}

if (apt.length) {
  const sudo = process.getuid() === 0 ? [] : ['sudo'];
  // --no-remove: refuse rather than take away a conflicting package that somebody uses.
  steps.unshift(
    [...sudo, 'apt-get', 'update', '-q'],
    [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-q', '-y', '--no-remove', ...apt],
  );
}
if (steps.length) {
  if (!(await agreed())) process.exit(1);
  let packages;
  const runs = steps.map((step) => {
    const [program, ...rest] = step;
    const own = { env: { ...toolEnv, ...(program === 'cargo' && INSTALL_ENV) } };
    const path = () => find(program, toolEnv.PATH) ?? program;
    const alone = () => run(path(), rest, own);
    const beside = () => void (packages = begin(path(), rest, own));
    return { what: step.join(' '), run: step === PACKAGES ? beside : alone };
  });
  if (steps.includes(PACKAGES)) runs.push({ what: 'npm packages are there', run: () => packages });
  await runSteps('set-up', runs);
  rmSync(INSTALL_ENV.CARGO_TARGET_DIR, { recursive: true, force: true });
  if (!wasmRust()) missing.push('Rust for wasm: still not usable after the installation');
  if (existsSync(join(ROOT, 'node_modules'))) writeFileSync(LOCK_STAMP, lockHash());
}
for (const line of missing) console.error(`missing: ${line}`);
process.exit(missing.length ? 1 : 0);

function found(what, detail) {
  console.log(`found: ${what} ${detail}`);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    missing.push(`Node.js 20.19 or newer; this is ${process.versions.node}`);
  else found('Node.js', process.versions.node);
}

function checkRust() {
  const native = nativeRust();
  const wasm = wasmRust();
  if (native) found('Rust', `${native.release} (${native.origin})`);
  if (wasm) {
    found('Rust for wasm', `${wasm.release} (${wasm.origin}, with its sources)`);
  } else if (debian === 12 && !args.includes('--rustup')) {
    apt.push(...DEBIAN_RUST);
  } else if (find('rustup', toolEnv.PATH)) {
    steps.push([
      'rustup',
      'toolchain',
      'install',
      RELEASE,
      '--profile',
      'minimal',
      '--component',
      'rust-src',
      '--component',
      'clippy',
      '--component',
      'rustfmt',
    ]);
  } else {
    missing.push('Rust: install rustup (rustup.rs), then run this again');
  }
}

/** A program that cargo installs, at its pinned release. */
function checkTool({ program, crate, release, options = ['--locked'] }) {
  const current = read(find(program, toolEnv.PATH) ?? program, ['--version'], toolEnv)?.split(' ')[1];
  if (current === release) {
    found(program, current);
    return;
  }
  const step = ['cargo', 'install', `${crate}@${release}`, ...options];
  // Somebody's other version stays where it is.
  if (current) step.push('--root', TOOLS);
  steps.push(step);
}

/** Clippy and rustfmt, of the Rust that runs the native tests. */
function checkLinters() {
  const rust = nativeRust();
  if (!rust) return;
  const components = ['clippy', 'fmt'].filter((command) => !hasCommand(rust, command));
  if (components.length === 0) found('Clippy, rustfmt', `of ${rust.release}`);
  else if (find('rustup', toolEnv.PATH)) steps.push(['rustup', 'component', 'add', 'clippy', 'rustfmt']);
  else if (debian === 12) apt.push('rust-web-clippy', 'rustfmt-web');
  else missing.push(`cargo ${components.join(', cargo ')}: install them beside this Rust (${rust.origin})`);
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

function checkNpm() {
  if (existsSync(LOCK_STAMP) && readFileSync(LOCK_STAMP, 'utf8') === lockHash())
    found('npm packages', 'as in package-lock.json');
  else steps.push(PACKAGES);
}

function checkBrowsers() {
  for (const [name, { path, debianPackage }] of Object.entries(browsers())) {
    if (path) found(name, path);
    else if (debian) apt.push(debianPackage);
    else missing.push(`${name}: install it, or set its path in the environment (scripts/lib/browsers.mjs)`);
  }
}

function checkNodes() {
  for (const { release, path, install } of nodes()) {
    if (path) found('Node.js for tests', release);
    else steps.push(['npm', ...install]);
  }
}

/** What the package is also loaded and bundled by. */
function checkBun() {
  const { release, path, install, reason } = bun();
  if (reason) console.log(`left out: ${reason}`);
  else if (path) found('Bun', release);
  else steps.push(['npm', ...install]);
}

/** What tests of clusters start; they are skipped without it. */
function checkRedis() {
  const version = read('redis-server', ['--version'])?.match(/v=(\S+)/)?.[1];
  if (version) found('Redis', version);
  else if (debian) apt.push('redis-server');
  else console.log('left out: redis-server is not on PATH, and tests of clusters need it');
}

/** What tests of the clinic start; those with PostgreSQL are skipped without it. */
function checkPostgres() {
  const folder = postgres();
  if (folder) found('PostgreSQL', folder);
  else if (debian) apt.push(POSTGRES_PACKAGE);
  else console.log('left out: initdb is not on PATH, and tests of the clinic with PostgreSQL need it');
}

/** What tests of parties start; those that need it are skipped without it. */
function checkNats() {
  const version = read('nats-server', ['--version'])?.match(/v(\S+)/)?.[1];
  if (version) found('NATS', version);
  else if (debian) apt.push('nats-server');
  else console.log('left out: nats-server is not on PATH, and tests of parties over a network need it');
}

/** For the runner of jobs in many processes, whose tests are skipped without it. */
function checkMpi() {
  const { mpirun, reason } = mpi();
  if (mpirun) found('MPI', mpirun);
  else if (debian) apt.push(...MPI_PACKAGES);
  else console.log(`left out: ${reason}`);
}

/** What has WebGPU in Node. */
function checkWebgpu() {
  const { release, folder, install, reason } = webgpu();
  if (reason) console.log(`left out: ${reason}`);
  else if (folder) found('webgpu', release);
  else steps.push(['npm', ...install]);
}

/** The peer of one test, which is skipped without it. */
function checkPython({ title, release, python, install, reason }) {
  if (python) found(title, release);
  else if (install) steps.push(...install);
  else console.log(`left out: ${reason}`);
}

/** The version of Debian, 0 where this is something else. */
function debianVersion() {
  if (!existsSync('/etc/os-release') || !find('apt-get')) return 0;
  const release = readFileSync('/etc/os-release', 'utf8');
  return /^ID=debian$/m.test(release) ? Number(release.match(/^VERSION_ID="(\d+)/m)?.[1] ?? 0) : 0;
}

async function agreed() {
  console.log('to do:');
  for (const step of steps) console.log(`  ${step.join(' ')}`);
  if (args.includes('--yes') || !process.stdin.isTTY) return true;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question('Run these? [Y/n] ');
  prompt.close();
  return /^(y|yes|)$/i.test(answer.trim());
}
