// Builds pkg-tests/wasm, which exports what no package should (a panic, an endless loop), with the pool of js/.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/run.mjs';
import { need, wasmRust } from '../../scripts/lib/toolchain.mjs';
import { buildWasmCrate } from '../../scripts/lib/wasm-crate.mjs';

const out = join(ROOT, 'pkg-tests/wasm/pkg');
buildWasmCrate('threads', need(wasmRust()), { folder: 'pkg-tests/wasm', out });
cpSync(join(ROOT, 'js'), out, { recursive: true });
