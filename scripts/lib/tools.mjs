// The tools that cargo installs, and the release of each. Rust's own is in Cargo.toml, npm's are in package-lock.json.
import { join } from 'node:path';
import { TOOLS, lockedVersion } from './toolchain.mjs';

/**
 * Programs that cargo installs. `options` replace `--locked` where the crate's own lock cannot be used; `tests` marks what
 * builds do without.
 */
export const CARGO_TOOLS = [
  {
    program: 'wasm-bindgen',
    crate: 'wasm-bindgen-cli',
    // The very release of the crate.
    release: lockedVersion('wasm-bindgen'),
    // The lock of 0.2.130 names webpki-roots 1.0.11, which registry copies lack. Without its default features there is
    // no TLS, which only drivers of browsers on other machines would need.
    options: ['--no-default-features'],
  },
  { program: 'cargo-deny', crate: 'cargo-deny', release: '0.20.2', tests: true },
];

/** Tools run for seconds and take minutes to optimize: they are not. What they share is compiled once. */
export const INSTALL_ENV = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: '0',
  CARGO_PROFILE_RELEASE_LTO: 'off',
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '256',
  CARGO_TARGET_DIR: join(TOOLS, 'build'),
};
