// The packed package, and consumers that install it as anybody would.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from '../../scripts/lib/packages.mjs';
import { ROOT, find } from '../../scripts/lib/run.mjs';
import { PARTS, VARIANTS } from '../../scripts/lib/variants.mjs';
import { kept } from './kept.mjs';
import { temporaryFolder } from './own.mjs';

const NPM = find('npm');
/** What is packed, and what is packed with it. */
export const PACKED = ['dist', 'wasm', 'package.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE'].map(
  (name) => `bindings/${name}`,
);
const MADE = [
  'bindings/dist/index.js',
  'bindings/dist/node/index.js',
  ...Object.values(PARTS).flatMap((folder) =>
    Object.values(VARIANTS).map(({ file }) => `bindings/wasm/${folder}/${file}`),
  ),
];

/** A copy of a consumer (a folder with a package.json) that has installed the packed package, and other ones of this repository. Gives its folder. */
export function install(consumer, others = []) {
  const missing = MADE.find((file) => !existsSync(join(ROOT, file)));
  if (missing) throw new Error(`${missing} is not there. Run: npm run build`);
  const folder = temporaryFolder();
  cpSync(consumer, folder, { recursive: true });
  const packed = kept('package', PACKED, (made) =>
    npm(ROOT, 'pack', '--workspace', 'cipherloom', '--pack-destination', made, '--json'),
  );
  const [filename] = readdirSync(packed);
  cpSync(join(packed, filename), join(folder, filename));
  const tarballs = [filename, ...others.map((other) => pack(other, folder).filename)].map((name) => `./${name}`);
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs];
  try {
    npm(folder, 'install', ...options);
  } catch (error) {
    // A registry that did not answer is no fault of the package.
    console.warn(`${error.message}\nonce more`);
    npm(folder, 'install', ...options);
  }
  return folder;
}

function npm(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync(NPM, args, { cwd, encoding: 'utf8', timeout: 300_000 });
  if (status !== 0) throw new Error(`npm ${args[0]} failed\n${stdout}\n${stderr}`);
  return stdout;
}
