// The packages of a release: `cipherloom`, `cipherloom-native`, which finds the addons, and one for each platform, which has them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { platform } from '../../native/index.cjs';
import { find, ROOT } from './run.mjs';
import { PARTS, VARIANTS } from './variants.mjs';

const LICENSES = ['LICENSE-APACHE', 'LICENSE-MIT'];
const json = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

/** The package itself: where it lies, and files that it must not lack. */
export const MAIN = {
  name: 'cipherloom',
  folder: join(ROOT, 'bindings'),
  needs: [
    ...['dist/index.js', 'dist/index.d.ts', 'dist/node/index.js', ...LICENSES],
    ...Object.values(PARTS).flatMap((folder) =>
      Object.values(VARIANTS).map(({ file }) => posix.join('wasm', folder, file)),
    ),
  ],
};

/** What is asked where the addon for a machine lies. */
export const FINDER = {
  name: 'cipherloom-native',
  folder: join(ROOT, 'native'),
  needs: ['index.cjs', 'index.d.cts', ...LICENSES],
};

/** The levels of the addon that were built here. */
export const builtLevels = () =>
  ['base', 'v3', 'v4'].filter((level) => existsSync(join(platform.build, level, 'cipherloom.node')));

/** The addons of this platform, with what makes them a package. */
export function platformPackage() {
  const { version, license, repository, engines, publishConfig } = json('native');
  const made = {
    name: platform.package,
    version,
    description: `cipherloom compiled for ${process.platform} on ${process.arch}: installed by the package cipherloom-native`,
    license,
    repository,
    os: [process.platform],
    cpu: [process.arch],
    ...(process.platform === 'linux' && { libc: ['glibc'] }),
    engines,
    files: ['*/cipherloom.node', 'LICENSE-*'],
    publishConfig,
  };
  writeFileSync(join(platform.build, 'package.json'), `${JSON.stringify(made, null, 2)}\n`);
  for (const license of LICENSES) copyFileSync(join(ROOT, license), join(platform.build, license));
  const addons = builtLevels().map((level) => `${level}/cipherloom.node`);
  return { name: platform.package, folder: platform.build, needs: [...addons, ...LICENSES] };
}

/** Names of the packages of all platforms, of which each machine makes its own. */
export const platformNames = () => Object.keys(json('native').optionalDependencies);

/** The one version of all; throws where they are not in step. */
export function releaseVersion() {
  const { version } = json('bindings');
  const native = json('native');
  const text = (path, pattern) => pattern.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1];
  const all = {
    'bindings/src/version.ts': text('bindings/src/version.ts', /VERSION = '(.+)'/),
    'Cargo.toml': text('Cargo.toml', /^\[package\][^[]*?^version = "([^"]+)"$/m),
    'Cargo.toml, cipherloom-engine': text('Cargo.toml', /^cipherloom-engine = .*?version = "([^"]+)"/m),
    'engine/Cargo.toml': text('engine/Cargo.toml', /^\[package\][^[]*?^version = "([^"]+)"$/m),
    'native/package.json': native.version,
    'bindings/package.json, cipherloom-native': json('bindings').peerDependencies['cipherloom-native'],
    ...Object.fromEntries(
      Object.entries(native.optionalDependencies).map(([name, wanted]) => [`native/package.json, ${name}`, wanted]),
    ),
  };
  for (const [where, found] of Object.entries(all))
    if (found !== version)
      throw new Error(`${where}: found ${found}, expected ${version}, as in bindings/package.json`);
  return version;
}

/** The crates, in the order in which one needs another. */
export const CRATES = ['cipherloom-engine', 'cipherloom'];

/** cargo's arguments for a command on those crates. */
export function ofCrates(command, crates = CRATES) {
  return [command, '--locked', '--quiet', ...crates.flatMap((crate) => ['--package', crate])];
}

/** Packs a package into a folder, or only looks at what would be packed; throws where a file is missing. Gives what npm tells of it. */
export function pack({ name, folder, needs }, into) {
  const where = into === undefined ? ['--dry-run'] : ['--pack-destination', into];
  const { status, stdout, stderr } = spawnSync(find('npm'), ['pack', '--json', ...where], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`npm pack of ${name} failed\n${stdout}\n${stderr}`);
  const told = JSON.parse(stdout);
  // Releases of npm differ.
  const [packed] = Array.isArray(told) ? told : Object.values(told);
  const there = new Set(packed.files.map(({ path }) => path));
  const missing = needs.find((file) => !there.has(file));
  if (missing !== undefined) throw new Error(`${name} would be published without ${missing}. Run: npm run build`);
  return packed;
}
