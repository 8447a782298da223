/** Operators of one stage, as the picture marks them: each in its own box, or in the closed one that it lies in. */
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

/** Operators that are marked. */
export interface NodeSet extends Iterable<NodeId> {
  has(node: NodeId): boolean;
  /** Whether one that is marked lies in it, at any depth. */
  holds?(node: NodeId): boolean;
}

export class Hits implements NodeSet {
  static readonly NONE = new Hits(0, [], undefined);
  readonly #stage: number;
  readonly #ops: ArrayLike<number>;
  /** By stage and operator: whether it is one of these, or has one in it. */
  readonly #flags: readonly Uint8Array[];

  /** Time is that of the number of operators of these stages. */
  constructor(stage: number, ops: ArrayLike<number>, graphs: StagedGraphs | undefined) {
    this.#stage = stage;
    this.#ops = ops;
    const flags: Uint8Array[] = [];
    if (graphs !== undefined && ops.length > 0) {
      for (let above = 0; above <= stage; above++) flags.push(new Uint8Array(graphs.at(above)!.size));
      for (let index = 0; index < ops.length; index++) {
        let op = ops[index]!;
        for (let at = stage; at >= 0 && op >= 0 && flags[at]![op] === 0; at--) {
          flags[at]![op] = 1;
          op = graphs.at(at)!.view.parent[op]!;
        }
      }
    }
    this.#flags = flags;
  }

  get size(): number {
    return this.#ops.length;
  }

  has(node: NodeId): boolean {
    return (
      this.#flags.length > 0 && stageOf(node) === this.#stage && this.#flags[this.#stage]![opOf(node)] === 1
    );
  }

  holds(node: NodeId): boolean {
    return this.#flags[stageOf(node)]?.[opOf(node)] === 1;
  }

  *[Symbol.iterator](): Iterator<NodeId> {
    for (let index = 0; index < this.#ops.length; index++) yield nodeId(this.#stage, this.#ops[index]!);
  }
}
