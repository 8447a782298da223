/** The stages of a computation, each made of the one before, and each loaded when it is first looked at. */
import type { ExplainedValue, GraphView } from 'cipherloom';
import type { DetectedNode } from 'cipherloom/layout';
import type { GraphText } from './graph-text.js';
import { StageGraph } from './stage-graph.js';

/** A stage that can be loaded. Operators of a stage came from those of the stage before, as its `parent` says. */
export interface StageSource {
  readonly name: string;
  view(): Promise<GraphView>;
  /** Its text form, where one can be had. */
  text?(): Promise<GraphText>;
  /** Labels of its operators' outputs, where it is a circuit. */
  labels?(): Promise<readonly DetectedNode[]>;
}

/** An operator of any stage, as one number. */
export type NodeId = number;

const SPAN = 2 ** 28;

export function nodeId(stage: number, op: number): NodeId {
  return stage * SPAN + op;
}

export function stageOf(node: NodeId): number {
  return Math.floor(node / SPAN);
}

export function opOf(node: NodeId): number {
  return node % SPAN;
}

export interface StagedOptions {
  readonly unit: number;
  readonly endsAtBase: boolean;
  /** An operator that a stage left as it was is the same box as before, not one in another. */
  readonly joinsUnchanged: boolean;
  /** The values of the task that the first stage computes, inputs first: its operators' parents are numbers of the others. */
  readonly values?: () => Promise<readonly ExplainedValue[]>;
}

export class StagedGraphs {
  /** Bits of the units that placeholders count. */
  readonly unit: number;
  /** The last stage is what runs: nothing of it can be lowered. */
  readonly endsAtBase: boolean;
  readonly #joinsUnchanged: boolean;
  readonly values: StagedOptions['values'];
  readonly #sources: readonly StageSource[];
  #origin: Int32Array = new Int32Array();
  readonly #loading: Promise<void>[] = [];
  readonly #loaded: StageGraph[] = [];

  constructor(sources: readonly StageSource[], { unit, endsAtBase, joinsUnchanged, values }: StagedOptions) {
    this.values = values;
    this.endsAtBase = endsAtBase;
    this.#joinsUnchanged = joinsUnchanged;
    this.#sources = sources;
    this.unit = unit;
  }

  /** Index of the last stage. */
  get last(): number {
    return this.#sources.length - 1;
  }

  name(stage: number): string {
    return this.#sources[stage]!.name;
  }

  source(stage: number): StageSource {
    return this.#sources[stage]!;
  }

  /** What each operator of the first stage came from: an operator of the task, or -1. Empty before that stage is loaded. */
  get origin(): Int32Array {
    return this.#origin;
  }

  /** Loads all stages down to `stage` (deeper than the last means the last). */
  async load(stage: number): Promise<void> {
    for (let index = 0; index <= Math.min(stage, this.last); index++) {
      const above = this.#loaded[index - 1]?.size ?? 0;
      this.#loading[index] ??= this.#get(index, above);
      await this.#loading[index];
    }
  }

  async #get(index: number, above: number): Promise<void> {
    try {
      const view = await this.#sources[index]!.view();
      // What the first stage came from is not shown.
      if (index === 0) this.#origin = view.parent;
      const parent = index === 0 ? new Int32Array(view.parent.length).fill(-1) : view.parent;
      this.#loaded[index] = new StageGraph({ ...view, parent }, above);
    } catch (error) {
      delete this.#loading[index]; // the next call tries anew
      throw error;
    }
  }

  /** A stage, if it was loaded. */
  at(stage: number): StageGraph | undefined {
    return this.#loaded[stage];
  }

  /** Whether there is such a node, as far as stages were loaded: it may be another computation's. */
  has(node: NodeId): boolean {
    const graph = this.at(stageOf(node));
    return graph !== undefined && opOf(node) < graph.size;
  }

  /** The stage of a node that was got from here. */
  of(node: NodeId): StageGraph {
    return this.#loaded[stageOf(node)]!;
  }

  type(node: NodeId): string {
    return this.of(node).type(opOf(node));
  }

  parent(node: NodeId): NodeId | undefined {
    const parent = this.of(node).view.parent[opOf(node)]!;
    return parent < 0 ? undefined : nodeId(stageOf(node) - 1, parent);
  }

  /** From the operator that came from no other down to the node's parent. */
  ancestors(node: NodeId): NodeId[] {
    const parent = this.parent(node);
    return parent === undefined ? [] : [...this.ancestors(parent), parent];
  }

  /** The operator that came from no other, and that the node came from; itself, if it is one. */
  root(node: NodeId): NodeId {
    return this.ancestors(node)[0] ?? node;
  }

  /** How many these are. */
  rootCount(stage: number): number {
    return this.#loaded.slice(0, stage + 1).reduce((sum, { roots }) => sum + roots.length, 0);
  }

  /** All operators down to `stage` that came from no other: those of the task first. */
  roots(stage: number): NodeId[] {
    const stages = this.#loaded.slice(0, stage + 1);
    return stages.flatMap(({ roots }, index) => Array.from(roots, (op) => nodeId(index, op)));
  }

  /** The producers of what a node reads; names of graph inputs instead, where it reads those. Each once. */
  sources(node: NodeId): (NodeId | string)[] {
    const [graph, stage] = [this.of(node), stageOf(node)];
    return Array.from(new Set(graph.inputs(opOf(node))), (producer) =>
      producer < 0 ? graph.view.inputNames[-producer - 1]! : nodeId(stage, producer),
    );
  }

  /** Who reads what a node writes. Each once. */
  readers(node: NodeId): NodeId[] {
    return this.of(node)
      .readers(opOf(node))
      .map((op) => nodeId(stageOf(node), op));
  }

  /** Whether a node writes an output of its stage. */
  writes(node: NodeId, output: string): boolean {
    const op = opOf(node);
    return this.of(node).view.outputs.some((one) => one.name === output && one.op === op);
  }

  /** The operator of the next stage that is the same still; undefined if it became another, or several. */
  unchanged(node: NodeId): NodeId | undefined {
    if (!this.#joinsUnchanged) return undefined;
    const [child, ...others] = this.children(node);
    if (child === undefined || others.length > 0 || this.type(child) !== this.type(node)) return undefined;
    return this.of(child).attributes(opOf(child)) === this.of(node).attributes(opOf(node))
      ? child
      : undefined;
  }

  /** Number of `children`. */
  childCount(node: NodeId): number {
    return this.at(stageOf(node) + 1)?.childrenOf(opOf(node)).length ?? 0;
  }

  /** What the node was lowered to, as operators of the next stage; empty if that is not loaded. */
  children(node: NodeId): NodeId[] {
    const stage = stageOf(node) + 1;
    return Array.from(this.at(stage)?.childrenOf(opOf(node)) ?? [], (op) => nodeId(stage, op));
  }
}
