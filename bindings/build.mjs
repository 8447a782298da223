#!/usr/bin/env node
// Compiles src/ to dist/. scripts/build-wasm (repository root) makes wasm/ beside it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc')], {
  stdio: 'inherit',
});

// The CSV reader is CommonJS. Inlined into the one file that uses it, the package has no dependencies, works
// in pages without a bundler, and in Vite's dev server, which must not pre-bundle packages that have workers.
// The package's own files stay outside: a second copy of the error classes would break `instanceof`.
await build({
  entryPoints: ['dist/table.js'],
  outfile: 'dist/table.js',
  allowOverwrite: true,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  external: ['./dist/*'],
  legalComments: 'inline',
});

// The licences go into the package, too.
for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(`../${name}`, name);
