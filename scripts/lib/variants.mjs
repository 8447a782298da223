// The wasm builds of the crate and the compiler flags of each.
import { join } from 'node:path';
import { ROOT } from './run.mjs';

/** std is compiled with the same features as the crate: without atomics in it, threads are unsound. */
export const BUILD_STD = '-Zbuild-std=std,panic_abort';

/** What JavaScript needs to share the memory and start threads, and no longer given by rustc on its own. */
const SHARED = [
  '--shared-memory', '--import-memory', '--max-memory=4294967296',
  '--export=__heap_base', '--export=__wasm_init_tls', '--export=__tls_size', '--export=__tls_align', '--export=__tls_base',
];

/**
 * Each build: its file in bindings/wasm/, the build beside which it lies and whose JavaScript it uses (if any), cargo
 * feature, target features, linker arguments, and what wasm-opt must know of.
 */
export const VARIANTS = {
  single: {
    file: 'single/cipherloom_bg.wasm',
    feature: 'wasm',
    target: ['bulk-memory', 'simd128'],
    link: [],
    opt: [],
  },
  threads: {
    file: 'threads/cipherloom_bg.wasm',
    feature: 'threads',
    target: ['atomics', 'bulk-memory', 'simd128'],
    link: SHARED,
    opt: ['--enable-threads'],
  },
  relaxed: {
    file: 'threads/relaxed.wasm',
    beside: 'threads',
    feature: 'threads',
    target: ['atomics', 'bulk-memory', 'simd128', 'relaxed-simd'],
    link: SHARED,
    opt: ['--enable-threads', '--enable-relaxed-simd'],
  },
};

/** wasm-opt options that every build needs: what rustc turns on for wasm32 by itself, and SIMD. */
export const OPTIMIZE = [
  '-O3', '--enable-simd', '--enable-bulk-memory', '--enable-bulk-memory-opt', '--enable-mutable-globals', '--enable-sign-ext',
  '--enable-nontrapping-float-to-int', '--enable-reference-types', '--enable-multivalue', '--enable-call-indirect-overlong',
];

/** The environment that compiles a build: flags, its own target folder, and no path of this machine in the result. */
export function buildEnv(variant, rust) {
  const { target, link } = VARIANTS[variant];
  const remap = [
    [join(rust.cargoHome, 'registry', 'src'), 'crates'],
    [join(rust.sysroot, 'lib', 'rustlib', 'src', 'rust'), 'rust'],
    [ROOT, 'cipherloom'],
  ];
  const flags = [
    `-Ctarget-feature=${target.map((name) => `+${name}`).join(',')}`,
    ...link.map((argument) => `-Clink-arg=${argument}`),
    // Kernels say `#[inline]` where it is worth its bytes; elsewhere LLVM, whose own limit is 225, is to do less of it.
    '-Cllvm-args=-inline-threshold=50',
    ...remap.map(([from, to]) => `--remap-path-prefix=${from}=${to}`),
  ];
  return {
    ...rust.env,
    CARGO_TARGET_DIR: join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), `wasm-${variant}`),
    // Sorting and the printing of numbers, small rather than fast.
    CARGO_UNSTABLE_BUILD_STD_FEATURES: 'optimize_for_size',
    // Unlike RUSTFLAGS, this may hold paths with spaces; 0x1f is cargo's separator.
    CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f'),
  };
}
