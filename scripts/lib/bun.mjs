// Bun, which the tests run the package in and bundle it with.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from './toolchain.mjs';

const RELEASE = '1.4.5';
/** npm has Bun's own programs as packages. This one also runs on processors without AVX2. */
const PACKAGE = 'bun-linux-x64-baseline';

/**
 * The program's path (null where it is not installed) and the npm arguments that install it, or the reason why there is none. Not in package.json: it
 * has 90 MB, and building needs none of them.
 */
export function bun() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return {
      release: RELEASE,
      path: null,
      reason: `Bun is tried on linux-x64 alone; this is ${process.platform}-${process.arch}`,
    };
  const prefix = join(TOOLS, `bun-${RELEASE}`);
  const path = join(prefix, 'node_modules', '@oven', PACKAGE, 'bin', 'bun');
  const install = [
    'install',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `@oven/${PACKAGE}@${RELEASE}`,
  ];
  return { release: RELEASE, path: existsSync(path) ? path : null, install };
}
