#!/usr/bin/env node
// Compiles src/ to dist/, and that to dist/node/. scripts/build-wasm (repository root) makes wasm/ beside it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildNode } from './build-node.mjs';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc')], {
  stdio: 'inherit',
});

const withoutNodeCrypto = {
  name: 'without node crypto',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^crypto$/ }, () => ({ path: 'crypto', namespace: 'none' }));
    // Where there is no WebCrypto, the library of HPKE asks old releases of Node, by a name that bundlers for pages do not find.
    onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export const webcrypto = undefined;' }));
  },
};

// Libraries are inlined, each into the files that use it: so the package has no dependencies, works in pages without a
// bundler, and in Vite's dev server, which must not pre-bundle packages that have workers. (The CSV library is CommonJS,
// besides.) The package's own files stay outside: a second copy of the error classes would break `instanceof`.
for (const file of ['table', 'job/chunk', 'job/formats/csv', 'job/formats/xml', 'parties/sealed/suite']) {
  const outfile = `dist/${file}.js`;
  const { metafile } = await build({
    entryPoints: [outfile],
    outfile,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    external: ['./dist/*'],
    metafile: true,
    legalComments: 'inline',
    plugins: [withoutNodeCrypto],
  });
  writeFileSync(outfile, `${licencesOf(metafile)}${readFileSync(outfile, 'utf8')}`);
}

/** What libraries ask of those who hand them on. */
function licencesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const licences = [...new Set(folders)].map((folder) => {
    const name = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    return `/*! ${folder.replace(/.*node_modules\//, '')}\n\n${readFileSync(`${folder}/${name}`, 'utf8').trim()}\n*/\n`;
  });
  return licences.join('');
}

await buildNode(nodeEntries());

/** What `package.json` has for Node: each file's name, and the module that it is made of. */
function nodeEntries() {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const entries = Object.values(exports).filter(({ node }) => node !== undefined);
  const names = entries.map((entry) => [basename(entry.node, '.js'), entry.default.slice('./'.length)]);
  return { ...Object.fromEntries(names), cli: 'dist/cluster/cli.js' };
}

// The licences go into the package, too.
for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(`../${name}`, name);
