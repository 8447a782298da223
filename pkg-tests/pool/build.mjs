// Builds pkg-tests/wasm, which exports what no package should (a panic, an endless loop), with the pool of js/.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../../scripts/lib/run.mjs';
import { need, wasmRust } from '../../scripts/lib/toolchain.mjs';
import { BUILD_STD, buildEnv } from '../../scripts/lib/variants.mjs';

const env = buildEnv('threads', need(wasmRust()));
run('wasm-pack', [
  'build', '--mode', 'force', '--target', 'web', '--dev', '--no-pack', '--out-dir', 'pkg', '--out-name', 'cipherloom',
  'pkg-tests/wasm', '--locked', BUILD_STD,
], { env });
cpSync(join(ROOT, 'js'), join(ROOT, 'pkg-tests/wasm/pkg'), { recursive: true });
