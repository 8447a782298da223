// How `cargo test` compiles what is tested natively.
import { join } from 'node:path';
import { HERE, LEVELS } from './levels.mjs';
import { mpi } from './mpi.mjs';
import { ROOT, words } from './run.mjs';
import { nativeRust, need } from './toolchain.mjs';

/**
 * Arguments of `cargo test`, and its environment: for the level that this processor runs, so that tests are of the kernels that the native build has, and take half as long; what
 * runs while compiling is left as it is. Flags of one's own go before.
 */
export function nativeTests() {
  const { env, host } = need(nativeRust());
  const flags = LEVELS[HERE].join(' ');
  return {
    args: ['test', '--locked', '--target', host],
    env: { ...env, RUSTFLAGS: env.RUSTFLAGS ?? flags, RUSTDOCFLAGS: env.RUSTDOCFLAGS ?? flags },
  };
}

/** All in one go: what the tests of one crate turn on is on in all, so each is compiled once, and the runner with them. */
export function testedPackages() {
  const packages = words('--package cipherloom --package cipherloom-engine --package cipherloom-runner');
  return 'mpirun' in mpi() ? [...packages, '--features', 'cipherloom-runner/mpi'] : packages;
}

/** The runner that `cargo test` compiles. */
export function testedRunner() {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  return join(target, need(nativeRust()).host, 'debug', 'cipherloom-run');
}
