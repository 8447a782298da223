#!/usr/bin/env node
// The reference: every public name of the npm package, by TypeDoc, and of the crate and its engine, by rustdoc, as pages in
// target/reference/. A page that is built afterwards has it, too, at reference/.
// Usage: node scripts/docs.mjs [--check]
//   --check  writes nothing: fails where a public name of the npm package has no comment, or a link in one leads nowhere
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { find, ROOT, words } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';

const PACKAGE = join(ROOT, 'bindings');
const REFERENCE = join(ROOT, 'target', 'reference');
const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Reference – cipherloom</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <h1>Reference</h1>
    <ul>
      <li><a href="package/index.html">The npm package</a>: every public name of its entries</li>
      <li><a href="crate/cipherloom/index.html">The crate</a> and <a href="crate/cipherloom_engine/index.html">its engine</a></li>
    </ul>
    <p>What is written by hand is in <a href="../guide/index.html">the guide</a>.</p>
  </body>
</html>
`;
const unknown = process.argv.slice(2).find((arg) => arg !== '--check');
if (unknown) {
  console.error(`unknown option "${unknown}": expected --check`);
  process.exit(2);
}
const check = process.argv.includes('--check');
const typedoc = join(dirname(createRequire(import.meta.url).resolve('typedoc/package.json')), 'bin', 'typedoc');
const ofPackage = [process.execPath, typedoc, '--options', join(PACKAGE, 'typedoc.json'), ...entries()];

if (check) {
  await steps('the reference', [
    { what: 'every public name has a comment, whose links lead somewhere', run: [...ofPackage, '--emit', 'none'] },
  ]);
} else {
  const { env } = need(nativeRust());
  Object.assign(process.env, env);
  await steps('npm run docs', [
    { what: 'what was there is removed', run: () => void rmSync(REFERENCE, { recursive: true, force: true }) },
    { what: 'the package, by TypeDoc', run: [...ofPackage, '--out', join(REFERENCE, 'package')] },
    {
      what: 'the crate and its engine, by rustdoc',
      run: [find('cargo', env.PATH) ?? 'cargo', ...words('doc --locked --no-deps -p cipherloom -p cipherloom-engine')],
    },
    { what: 'both in one place', run: place },
  ]);
  console.log(`${join(REFERENCE, 'index.html')}; in the page after npm run build, at reference/`);
}

/** The public modules, but for those that are workers: what package.json exports. */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([name, { types }]) => types?.startsWith('./dist/') && !name.endsWith('-worker'))
    .map(([, { types }]) => join(PACKAGE, types.replace('./dist/', 'src/').replace('.d.ts', '.ts')));
}

function place() {
  const doc = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'doc');
  cpSync(doc, join(REFERENCE, 'crate'), { recursive: true });
  writeFileSync(join(REFERENCE, 'index.html'), INDEX);
}
