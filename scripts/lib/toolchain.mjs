// Decides which Rust builds the wasm and which runs the native tests.
//
// The wasm builds need a standard library with atomics, so they compile it themselves (`-Zbuild-std`): what is
// needed is a rustc with its library sources, from rustup (component rust-src) or from Debian (rust-web-src).
// `RUSTC_BOOTSTRAP=1` lets a released compiler do that; a nightly would be a compiler nobody tested this with.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT, find, read } from './run.mjs';

/** The Rust that set-up installs and whose lints are settled, and the oldest that will do: `rust-version` of Cargo.toml. */
export const RELEASE = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8').match(/^rust-version = "(\d+\.\d+)"/m)[1];
const MINIMUM = RELEASE.split('.').map(Number);

/** Tools that set-up installs for this checkout alone come first on PATH; `cargo install` puts the others second. */
export const TOOLS = join(ROOT, '.tools');
const CARGO_HOME = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
const PATH = [join(TOOLS, 'bin'), join(ROOT, 'node_modules', '.bin'), process.env.PATH, join(CARGO_HOME, 'bin')].join(
  delimiter,
);

/** One Rust: its folder, version and environment, or null where `rustc` is missing, broken or too old. */
function inspect(origin, rustc, extra = {}) {
  const env = { ...process.env, PATH, ...extra };
  const verbose = rustc && read(rustc, ['-vV'], env);
  if (!verbose) return null;
  const field = (name) => verbose.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? '';
  const [major, minor] = field('release').split('.').map(Number);
  if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) return null;
  const sysroot = read(rustc, ['--print', 'sysroot'], env);
  return {
    origin,
    env,
    sysroot,
    cargoHome: CARGO_HOME,
    release: field('release'),
    host: field('host'),
    llvm: Number.parseInt(field('LLVM version'), 10),
    sources: existsSync(join(sysroot, 'lib', 'rustlib', 'src', 'rust', 'library', 'Cargo.lock')),
  };
}

/** Every Rust of this machine that is new enough: the one on PATH, rustup's of RELEASE and stable, the one of the system. */
function* toolchains() {
  const onPath = find('rustc', PATH);
  yield inspect('PATH', onPath);
  const rustup = find('rustup', PATH);
  // Asked for one that is not there, rustup would fetch it.
  const installed =
    (rustup && read(rustup, ['toolchain', 'list']))?.split('\n').map((line) => line.split(' ')[0]) ?? [];
  for (const start of [RELEASE, 'stable']) {
    const name = installed.find((toolchain) => toolchain.startsWith(start));
    const rustc = name && read(rustup, ['which', '--toolchain', name, 'rustc']);
    if (rustc) yield inspect(`rustup ${name}`, rustc, { RUSTUP_TOOLCHAIN: name });
  }
  const system = '/usr/bin/rustc';
  if (onPath !== system && existsSync(system)) {
    yield inspect('system', system, { PATH: [dirname(system), PATH].join(delimiter), RUSTC: system });
  }
}

/** A linker for wasm: null stands for the one in the toolchain, undefined for none found. */
function linker({ sysroot, host, llvm, env }) {
  if (existsSync(join(sysroot, 'lib', 'rustlib', host, 'bin', 'rust-lld'))) return null;
  for (let version = llvm; version < llvm + 3; version++) {
    const found = find(`wasm-ld-${version}`, env.PATH);
    if (found) return found;
  }
  return undefined;
}

/** The Rust for native builds and tests, or null. */
export function nativeRust() {
  for (const rust of toolchains()) {
    if (rust && find('cargo', rust.env.PATH)) return rust;
  }
  return null;
}

/** The Rust that can build the wasm, or null. */
export function wasmRust() {
  for (const rust of toolchains()) {
    if (!rust?.sources) continue;
    const wasmLinker = linker(rust);
    if (wasmLinker === undefined) continue;
    const env = { ...rust.env, RUSTC_BOOTSTRAP: '1' };
    if (wasmLinker) env.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER = wasmLinker;
    return { ...rust, env };
  }
  return null;
}

/** Whether a Rust's cargo has a subcommand: rustup and Debian install the linter and the formatter apart. */
export function hasCommand(rust, command) {
  return read(find('cargo', rust.env.PATH), [command, '--version'], rust.env) !== null;
}

/** The version of a crate in Cargo.lock. */
export function lockedVersion(crate) {
  const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8');
  return lock.match(new RegExp(`name = "${crate}"\nversion = "([^"]+)"`))[1];
}

/** PATH with this checkout's tools first. */
export const toolEnv = { ...process.env, PATH };

/** Ends the process where no usable Rust is there: set-up names what to install. */
export function need(rust) {
  if (rust) return rust;
  console.error(`No Rust >= ${RELEASE} that can do this was found. Run: node scripts/setup.mjs`);
  process.exit(1);
}
