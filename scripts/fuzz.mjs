#!/usr/bin/env node
// Fuzzes what comes from outside.
// Usage: node scripts/fuzz.mjs [target]... [--runs N | --seconds S] [--minimize] [--input FILE]
//        node scripts/fuzz.mjs [target]... --changes N [--from K]
//
// Targets are the files of fuzz/src/targets, and csv; all, one after the other, where none is named. Each takes N
// inputs, or S seconds; 60 seconds without either. --minimize adds to fuzz/corpus what was found since and covers
// something. A finding ends the run and says where its input lies; `--input` shows it again. --changes tries N changed
// inputs of the corpus, numbered from K on, without looking at what they cover: ten times as many in the same time.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, run } from './lib/run.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';

/** What makes a stable rustc count which edges are taken, and tell what is compared. */
const COVERAGE = [
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
];
/** Bytes of the longest input, and seconds and megabytes at which libFuzzer ends the run; targets look more closely. */
const LIMITS = ['-max_len=4096', '-timeout=30', '-rss_limit_mb=4096'];
/** How a corpus stays small: few files that together reach every edge, however often. */
const MERGE = ['-set_cover_merge=1', '-use_counters=0'];
/** The flags would have everything else built again, so they get a target folder of their own. */
const FOLDER = process.env.FUZZ_TARGET_DIR ?? join(ROOT, 'target', 'fuzz');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    seconds: { type: 'string' },
    minimize: { type: 'boolean', default: false },
    input: { type: 'string' },
    changes: { type: 'string' },
    from: { type: 'string', default: '0' },
  },
});

/** Builds the fuzzer; gives the file. */
function build() {
  const rust = need(nativeRust());
  const env = { ...rust.env, CARGO_TARGET_DIR: FOLDER, RUSTFLAGS: COVERAGE.join(' ') };
  const what = ['--package', 'cipherloom-fuzz', '--features', 'libfuzzer', '--bin', 'fuzz', '--profile', 'fuzz'];
  // Where a target is named, build scripts and macros go without the flags.
  run('cargo', ['build', '--locked', ...what, '--target', rust.host], { env });
  return join(FOLDER, rust.host, 'fuzz', 'fuzz');
}

/** Builds what tries changed inputs; gives the file. */
function buildChanges() {
  const rust = need(nativeRust());
  const env = { ...rust.env, CARGO_TARGET_DIR: FOLDER };
  const what = ['--package', 'cipherloom-fuzz', '--bin', 'changes', '--profile', 'fuzz'];
  run('cargo', ['build', '--locked', ...what], { env });
  return join(FOLDER, 'fuzz', 'changes');
}

function folder(...names) {
  const path = join(...names);
  mkdirSync(path, { recursive: true });
  return path;
}

function fuzz(program, target) {
  const [found, seeds] = [folder(FOLDER, 'found', target), folder(FOLDER, 'seeds', target)];
  const corpus = folder(ROOT, 'fuzz', 'corpus', target);
  const env = { ...process.env, FUZZ_TARGET: target, FUZZ_SEEDS: seeds };
  if (options.input) return run(program, [options.input, ...LIMITS], { env });
  if (options.minimize) return run(program, [...MERGE, ...LIMITS, corpus, found], { env });
  const amount = options.runs ? `-runs=${options.runs}` : `-max_total_time=${options.seconds ?? 60}`;
  const report = [`-artifact_prefix=${join(FOLDER, target)}-`, '-print_final_stats=1', '-verbosity=1'];
  run(program, [found, corpus, seeds, amount, ...LIMITS, ...report], { env });
}

const files = readdirSync(join(ROOT, 'fuzz', 'src', 'targets'));
const named = files.map((file) => file.replace('.rs', '').replaceAll('_', '-'));
const bytes = named.filter((name) => name !== 'mod');
const all = [...bytes, 'csv'];
const unknown = positionals.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`fuzz: found target ${unknown}, expected one of ${all.join(', ')}`);
  process.exit(1);
}
const wanted = positionals.length > 0 ? positionals : all;
if (options.changes) {
  const changes = buildChanges();
  for (const target of wanted.filter((name) => name !== 'csv')) run(changes, [target, options.from, options.changes]);
  if (wanted.includes('csv')) run(process.execPath, [join(ROOT, 'fuzz', 'csv.mjs'), '--runs', options.changes]);
  process.exit(0);
}
const program = wanted.some((name) => name !== 'csv') && build();
for (const target of wanted) {
  if (target !== 'csv') fuzz(program, target);
  else
    run(process.execPath, [join(ROOT, 'fuzz', 'csv.mjs'), ...process.argv.slice(2).filter((word) => word !== 'csv')]);
}
