#!/usr/bin/env node
// Packs what a release publishes, and publishes it: `cipherloom`, `cipherloom-native` and its packages, one for each platform; and two crates.
// Usage: node scripts/release.mjs [--check | --platform | --publish]
//   (nothing)   builds everything, and packs it into target/packages/
//   --check     builds nothing: sees that versions are in step, that what is built here would be packed whole, and packs the crates, unverified
//   --platform  builds and packs the addons of this machine's platform alone: on each platform but the one that publishes
//   --publish   publishes what lies in target/packages/, where all platforms' packages have been put: addons first, so that nobody
//               installs a package whose addons are not there yet; those that were published before it ended are left out, so that
//               it can go on. With provenance, so it runs in CI
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  builtLevels,
  CRATES,
  FINDER,
  MAIN,
  ofCrates,
  pack,
  platformNames,
  platformPackage,
  releaseVersion,
} from './lib/packages.mjs';
import { find, ROOT, run } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';
import { nativeRust, need } from './lib/toolchain.mjs';

const PACKAGES = join(ROOT, 'target', 'packages');
const MODES = ['--check', '--platform', '--publish'];
const [mode, ...more] = process.argv.slice(2);
const unknown = mode !== undefined && !MODES.includes(mode) ? mode : more[0];
if (unknown !== undefined) {
  console.error(`unknown option "${unknown}": expected one of ${MODES.join(', ')}`);
  process.exit(2);
}
const npm = find('npm');
const cargo = (args) => run('cargo', args, { env: need(nativeRust()).env });
const versions = { what: 'versions are in step', run: orEnd(() => console.log(releaseVersion())) };
const native = { what: 'the addons of this platform', run: [process.execPath, 'scripts/build-native.mjs'] };

if (mode === '--check') {
  await steps('what would be published', [
    versions,
    {
      what: 'packages are whole',
      run: orEnd(() => {
        const platform = builtLevels().length > 0 ? [platformPackage()] : [];
        if (platform.length === 0) console.log('no addon is built here: node scripts/build-native.mjs');
        for (const one of [MAIN, FINDER, ...platform]) tell(pack(one));
      }),
    },
    // What is not committed may be looked at, too.
    { what: 'crates are whole', run: () => cargo([...ofCrates('package'), '--no-verify', '--allow-dirty']) },
  ]);
} else if (mode === '--publish') {
  const version = releaseVersion();
  const names = [...platformNames(), FINDER.name, MAIN.name];
  const file = (name) => join(PACKAGES, `${name}-${version}.tgz`);
  const missing = names.filter((name) => !existsSync(file(name)));
  if (missing.length > 0) {
    console.error(`not in ${PACKAGES}, of version ${version}: ${missing.join(', ')}`);
    process.exit(1);
  }
  // What was published before is left out.
  const published = (what, isThere, publish) => ({
    what,
    run: () => (isThere() ? console.log(`${what} ${version} is there`) : publish()),
  });
  await steps(`publishing ${version}`, [
    ...names.map((name) =>
      published(
        name,
        () => isPublished(name, version),
        () => [npm, 'publish', file(name)],
      ),
    ),
    ...CRATES.map((crate) =>
      published(
        `crate ${crate}`,
        () => isPublishedCrate(crate, version),
        () => cargo(ofCrates('publish', [crate])),
      ),
    ),
  ]);
} else {
  const all = mode === undefined;
  await steps('packing a release', [
    versions,
    ...(all ? [{ what: 'all builds', run: [npm, 'run', 'build'] }] : []),
    native,
    {
      what: 'packages',
      run: orEnd(() => {
        rmSync(PACKAGES, { recursive: true, force: true });
        mkdirSync(PACKAGES, { recursive: true });
        for (const one of [...(all ? [MAIN, FINDER] : []), platformPackage()]) tell(pack(one, PACKAGES));
        console.log(`${PACKAGES}: ${readdirSync(PACKAGES).join(', ')}`);
      }),
    },
    ...(all ? [{ what: 'crates', run: () => cargo(ofCrates('package')) }] : []),
  ]);
}

function isPublished(name, version) {
  const { stdout } = spawnSync(npm, ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  return stdout?.trim() === version;
}

function isPublishedCrate(name, version) {
  // In the repository cargo would tell of what is there.
  const { env } = need(nativeRust());
  return spawnSync('cargo', ['info', '--quiet', `${name}@${version}`], { cwd: tmpdir(), env }).status === 0;
}

function tell({ name, version, files, size }) {
  console.log(`${name} ${version}: ${files.length} files, ${(size / 1e6).toFixed(1)} MB`);
}

/** A step whose failure is told in a line. */
function orEnd(step) {
  return () => {
    try {
      step();
    } catch (error) {
      console.error(error.message);
      process.exit(1);
    }
  };
}
