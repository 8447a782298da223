// Bundles the application with each bundler, as its documentation says, into built/NAME.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import resolve from '@rollup/plugin-node-resolve';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import webpack from 'webpack';

const WASM = join(dirname(createRequire(import.meta.url).resolve('cipherloom/package.json')), 'wasm');
const ROLES = ['client', 'evaluator', 'pool', 'graph', 'graph-pool', 'operator', 'conformance'];
const OWN = {
  main: './own.js',
  ...Object.fromEntries(ROLES.map((role) => [`${role}-worker`, `cipherloom/${role}-worker`])),
};

const BUNDLERS = {
  async webpack(path) {
    const output = { path: join(import.meta.dirname, path) };
    // Its hints would be of the size of the wasm.
    const compiler = webpack({ mode: 'production', entry: './main.js', output, performance: { hints: false } });
    const stats = await new Promise((done, failed) =>
      compiler.run((error, stats) => (error ? failed(error) : done(stats))),
    );
    if (stats.hasErrors() || stats.compilation.warnings.length > 0) throw new Error(stats.toString('errors-warnings'));
  },
  async esbuild(outdir) {
    await build({ entryPoints: OWN, outdir, bundle: true, format: 'esm' });
    placeWasm(outdir);
  },
  async rollup(dir) {
    const bundle = await rollup({ input: OWN, plugins: [resolve()] });
    await bundle.write({ dir, format: 'es' });
    placeWasm(dir);
  },
};

function placeWasm(folder) {
  cpSync(WASM, join(folder, 'wasm'), { recursive: true });
}

for (const [name, bundle] of Object.entries(BUNDLERS)) {
  const folder = `built/${name}`;
  mkdirSync(folder, { recursive: true });
  await bundle(folder);
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>',
  );
  cpSync('given', join(folder, 'given'), { recursive: true });
  console.log(name, readdirSync(folder).length);
}
