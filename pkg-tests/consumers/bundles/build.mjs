// Bundles the application with each bundler, as its documentation says, into built/NAME.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import resolve from '@rollup/plugin-node-resolve';
import { rspack } from '@rspack/core';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import webpack from 'webpack';

const PACKAGE = dirname(createRequire(import.meta.url).resolve('cipherloom/package.json'));
const ROLES = ['client', 'evaluator', 'pool', 'graph', 'graph-pool', 'operator', 'conformance'];
const OWN = {
  main: './own.js',
  ...Object.fromEntries(ROLES.map((role) => [`${role}-worker`, `cipherloom/${role}-worker`])),
};

const BUNDLERS = {
  webpack: (path) => packed(webpack, path),
  // It says otherwise that there is no such folder in a browser, which the package knows.
  rspack: (path) => packed(rspack, path, { node: { __dirname: 'mock' } }),
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

async function packed(bundler, path, options = {}) {
  const output = { path: join(import.meta.dirname, path) };
  // Its hints would be of the size of the wasm.
  const common = { mode: 'production', entry: './main.js', output, performance: { hints: false } };
  const compiler = bundler({ ...common, ...options });
  const stats = await new Promise((done, failed) =>
    compiler.run((error, stats) => (error ? failed(error) : done(stats))),
  );
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'));
  await new Promise((done) => compiler.close(done));
}

function placeWasm(folder) {
  cpSync(join(PACKAGE, 'wasm'), join(folder, 'wasm'), { recursive: true });
}

for (const [name, bundle] of Object.entries(BUNDLERS)) {
  const folder = `built/${name}`;
  mkdirSync(folder, { recursive: true });
  await bundle(folder);
  cpSync('index.html', join(folder, 'index.html'));
  cpSync('given', join(folder, 'given'), { recursive: true });
  console.log(name, readdirSync(folder).length);
}
