// The Node that the benchmark runs in: node-seal 7 and relaxed SIMD want a recent one.
import { nodes } from '../../scripts/lib/nodes.mjs';
import { find, run } from '../../scripts/lib/run.mjs';
import { toolEnv } from '../../scripts/lib/toolchain.mjs';

/** The first release that loads node-seal 7: exceptions with exnref are on. */
export const LEAST = [24, 15];

/**
 * Path of a recent enough Node: this one, or Node's own binary from npm, which is installed where it is missing. Null on
 * platforms that neither serves.
 */
export function recentNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return process.execPath;
  const recent = () => nodes().find(({ release }) => Number(release.split('.')[0]) >= LEAST[0]);
  if (!recent()) return null;
  if (!recent().path) run(find('npm', toolEnv.PATH) ?? 'npm', recent().install, { env: toolEnv });
  return recent().path;
}
