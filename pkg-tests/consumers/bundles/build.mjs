// Bundles the application with each bundler, as its documentation says, into built/NAME. Usage: build.mjs [BUN]
//   BUN  where Bun's program is; without it, nothing is bundled by Bun
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
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

const BUN = process.argv[2];

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
  ...(BUN && { bun }),
  ...Object.fromEntries(['vite-5', 'vite-6', 'vite-7'].map((name) => [name, (outDir) => byVite(name, outDir)])),
  parcel,
};

/** Its files take the names of theirs that it is given. */
function bun(outdir) {
  for (const [name, from] of Object.entries(OWN)) {
    const file = `bun-${name}.js`;
    writeFileSync(file, `import '${from}';\n`);
    execFileSync(BUN, ['build', file, '--format=esm', `--outfile=${join(outdir, name)}.js`]);
  }
  placeWasm(outdir);
}

/** Older releases; the newest one has a test of its own. */
async function byVite(name, outDir) {
  const { build } = await import(name);
  await build({ base: './', build: { outDir }, configFile: false, logLevel: 'error', worker: { format: 'es' } });
}

function parcel(distDir) {
  const script = join('node_modules', 'parcel', 'lib', 'bin.js');
  const options = ['--dist-dir', distDir, '--public-url', './', '--no-cache', '--no-source-maps'];
  execFileSync(process.execPath, [script, 'build', 'index.html', ...options]);
}

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
  // Unless the bundler wrote its own.
  if (!existsSync(join(folder, 'index.html'))) cpSync('index.html', join(folder, 'index.html'));
  cpSync('given', join(folder, 'given'), { recursive: true });
  console.log(name, readdirSync(folder).length);
}
