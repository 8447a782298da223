// Bundles what runs where there are no workers, each into one file, as service workers want it, with the wasm beside.
import { cpSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const WASM = join(dirname(createRequire(import.meta.url).resolve('cipherloom/package.json')), 'wasm');

await build({
  entryPoints: ['./edge.js', './service-worker.js', './shared-worker.js', './page.js'],
  outdir: 'built',
  bundle: true,
  format: 'esm',
  external: ['*.wasm'],
});
cpSync(join(WASM, 'single', 'cipherloom_bg.wasm'), 'built/tasks.wasm');
cpSync(join(WASM, 'graphs', 'single', 'cipherloom_bg.wasm'), 'built/graphs.wasm');
cpSync('given', 'built/given', { recursive: true });
writeFileSync('built/index.html', '<!doctype html><script type="module" src="./page.js"></script>');
