/** Which operators of two stages belong together: those that one came from, or became. */
import { type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

/**
 * Operators of `stage` that `node` came from, or that it became; itself at its own stage. Ascending. All stages between are loaded. Time
 * is that of the number of these and of those between.
 */
export function kinOf(node: NodeId, stage: number, graphs: StagedGraphs): Uint32Array {
  let at = stageOf(node);
  let ops = Uint32Array.of(opOf(node));
  for (; at > stage; at--) {
    const parent = graphs.at(at)!.view.parent[ops[0]!]!;
    if (parent < 0) return new Uint32Array();
    ops = Uint32Array.of(parent);
  }
  for (; at < stage; at++) {
    const lists = Array.from(ops, (op) => graphs.at(at + 1)!.childrenOf(op));
    const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const list of lists) {
      all.set(list, end);
      end += list.length;
    }
    ops = all.sort();
  }
  return ops;
}
