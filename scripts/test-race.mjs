#!/usr/bin/env node
// Explores the engine's threads in every order, by the model checker loom (engine/src/engine/models.rs).
// Usage: node scripts/test-race.mjs [options of cargo test]
import { join } from 'node:path';
import { ROOT, run } from './lib/run.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';

const { env } = need(nativeRust());
run(
  'cargo',
  ['test', '--locked', '--package', 'cipherloom-engine', '--lib', 'engine::models', ...process.argv.slice(2)],
  {
    env: {
      ...env,
      // Without vector kernels and the conformance suite, what these alone call is unused.
      RUSTFLAGS: `${env.RUSTFLAGS ?? ''} --cfg loom -Adead_code`.trim(),
      // They run for a second.
      CARGO_PROFILE_DEV_OPT_LEVEL: env.CARGO_PROFILE_DEV_OPT_LEVEL ?? '1',
      // Flags are other ones here: a folder of its own, so that nothing else is compiled anew.
      CARGO_TARGET_DIR: join(env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'loom'),
    },
  },
);
