// The wasm builds of the crate and the compiler flags of each.
import { join } from 'node:path';
import { ROOT, words } from './run.mjs';

/** What rustc compiles to. */
export const TRIPLE = 'wasm32-unknown-unknown';

/**
 * What JavaScript needs to share the memory and start threads, and no longer given by rustc on its own; and the function table, for kernels
 * that are made at run time.
 */
const SHARED = words(
  '--shared-memory --import-memory --max-memory=4294967296 --export=__heap_base --export=__wasm_init_tls ' +
    '--export=__tls_size --export=__tls_align --export=__tls_base --export-table --growable-table',
);

/**
 * Each build: its file in the folder of a part, the build beside which it lies and whose JavaScript it uses (if any), cargo
 * features beside that of the part, target features, those of the kernels alone, linker arguments, and what wasm-opt must know of. The
 * standard library has the same atomics as the crate: without them in it, threads are unsound.
 */
export const VARIANTS = {
  single: {
    file: 'single/cipherloom_bg.wasm',
    features: [],
    target: ['bulk-memory', 'simd128'],
    link: [],
    opt: [],
  },
  threads: {
    file: 'threads/cipherloom_bg.wasm',
    features: ['threads'],
    target: ['atomics', 'bulk-memory', 'simd128'],
    link: SHARED,
    opt: ['--enable-threads'],
  },
  relaxed: {
    file: 'threads/relaxed.wasm',
    beside: 'threads',
    features: ['threads'],
    target: ['atomics', 'bulk-memory', 'simd128'],
    own: ['relaxed-simd'],
    link: SHARED,
    opt: ['--enable-threads', '--enable-relaxed-simd'],
  },
};

/**
 * The modules that each build has: the cargo feature, and the folder in bindings/wasm/ that their builds lie in. Nobody loads
 * what is not asked for.
 */
export const PARTS = { tasks: '.', graphs: 'graphs', conformance: 'conformance' };

/** What wasm-opt has to know of every build: what rustc turns on for wasm32 by itself, and SIMD. */
export const FEATURES = words(
  '--enable-simd --enable-bulk-memory --enable-bulk-memory-opt --enable-mutable-globals --enable-sign-ext ' +
    '--enable-nontrapping-float-to-int --enable-reference-types --enable-multivalue --enable-call-indirect-overlong',
);

/**
 * How wasm-opt makes builds smaller. The first kilobyte of the memory is the far end of the stack. More than -O1 takes four times as
 * long, and its result is no faster, and larger once packed.
 */
export const OPTIMIZE = words('-O1 --low-memory-unused');

/** What then sorts functions, by the names that `function-order.mjs` gives them. */
export const SORT = ['--reorder-functions-by-name'];

/** The folder that a build is compiled in, with those beside it, which have most crates alike; others may be compiled at the same time. */
export function target(variant) {
  const base = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  return join(base, 'wasm', VARIANTS[variant].beside ?? variant);
}

/** The environment that compiles a build: its flags, and no path of this machine in the result. */
export function buildEnv(variant, rust) {
  const { target: features, link } = VARIANTS[variant];
  const remap = [
    [join(rust.cargoHome, 'registry', 'src'), 'crates'],
    [join(rust.sysroot, 'lib', 'rustlib', 'src', 'rust'), 'rust'],
    [ROOT, 'cipherloom'],
  ];
  const flags = [
    targetFeatures(features),
    ...link.map((argument) => `-Clink-arg=${argument}`),
    // Kernels say `#[inline]` where it is worth its bytes; elsewhere LLVM, whose own limit is 225, is to do less of it.
    '-Cllvm-args=-inline-threshold=50',
    // Else LLVM's loop strength reduction writes each address of a loop as a sum of its own, where one and constant offsets do.
    '-Cllvm-args=-disable-lsr',
    // A panic is a defect of ours; that it says where costs a word for each place that could.
    '-Zlocation-detail=none',
    ...remap.map(([from, to]) => `--remap-path-prefix=${from}=${to}`),
  ];
  return {
    ...rust.env,
    CARGO_TARGET_DIR: target(variant),
    // Builds that differ in flags alone must not overwrite each other: cargo then puts these into the files' names.
    __CARGO_DEFAULT_LIB_METADATA: 'cipherloom',
    // Sorting and the printing of numbers, small rather than fast.
    CARGO_UNSTABLE_BUILD_STD_FEATURES: 'optimize_for_size',
    // Unlike RUSTFLAGS, this may hold paths with spaces; 0x1f is cargo's separator.
    CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f'),
  };
}

/**
 * cargo's options for a build: a standard library of its own (with what tests are made of, so that these find all else
 * compiled), and the target features that only the crates with kernels have, so that builds that differ in these share all else.
 */
export function cargoOptions(variant) {
  const options = ['--locked', '-Zbuild-std=std,panic_abort,test'];
  const { own } = VARIANTS[variant];
  if (own === undefined) return options;
  const flags = JSON.stringify([targetFeatures(own)]);
  const configure = (name) => `--config=profile.release.package.${name}.rustflags=${flags}`;
  return [
    ...options,
    '-Zprofile-rustflags',
    ...['cipherloom-engine', 'cipherloom-bench', 'cipherloom-wasm-tests'].map(configure),
  ];
}

function targetFeatures(names) {
  return `-Ctarget-feature=${names.map((name) => `+${name}`).join(',')}`;
}
