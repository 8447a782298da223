// The Node that the benchmark runs in: node-seal 7 and relaxed SIMD want a recent one.
import { nodes } from '../../scripts/lib/nodes.mjs';
import { find, run } from '../../scripts/lib/run.mjs';
import { toolEnv } from '../../scripts/lib/toolchain.mjs';

/** The first release that loads node-seal 7: exceptions with exnref are on. */
const LEAST = [24, 15];

/** Path of a recent enough Node: this one, or Node's own binary from npm, which is installed where it is missing. */
export function recentNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return process.execPath;
  const recent = () => nodes().find(({ release }) => Number(release.split('.')[0]) >= LEAST[0]);
  if (!recent()) throw new Error(`the benchmark needs Node ${LEAST.join('.')} or newer; this is ${process.versions.node}`);
  if (!recent().path) run(find('npm', toolEnv.PATH) ?? 'npm', recent().install, { env: toolEnv });
  return recent().path;
}
