/** What boxes can be coloured by instead of the kind of their work: measured time, size, wave, thread, party. */
import type { TraceView } from 'cipherloom';
import * as format from '../format.js';
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

export interface Overlay {
  readonly id: string;
  readonly title: string;
  /** What a colour means, for the legend. */
  readonly least: string;
  readonly most: string;
  /** From 0 to 1; undefined where nothing is known. */
  share(node: NodeId): number | undefined;
  /** In words; undefined where nothing is known. */
  text(node: NodeId): string | undefined;
}

/** Measured of the last stage; `graphs` are those that ran. */
export interface Measured {
  readonly graphs: StagedGraphs;
  readonly trace: TraceView;
}

/** Colours that tell threads and parties apart: then they come again. */
const APART = 6;
/** What a party's operators say of it in their attributes. */
const PARTY = /\b(?:party|from|to|owner)=("[^"]*"|[^,}\s]+)/;

/** What is known of these graphs down to `stage`, which are loaded. */
export function overlaysOf(graphs: StagedGraphs, stage: number, measured: Measured | undefined): Overlay[] {
  const overlays = [sizes(graphs, stage), waves(graphs, stage)];
  if (measured?.graphs === graphs && graphs.at(graphs.last) !== undefined)
    overlays.unshift(times(graphs, measured.trace), threads(graphs, measured.trace));
  if (graphs.at(stage)?.view.labels.some((label) => PARTY.test(label))) overlays.push(parties(graphs, stage));
  return overlays;
}

/** Milliseconds of base operators, and of what they came from: the sum of those in it. */
function times(graphs: StagedGraphs, { op, start, end }: TraceView): Overlay {
  const last = graphs.at(graphs.last)!;
  const sums: Float64Array[] = [];
  const own = new Float64Array(last.size);
  for (let at = 0; at < op.length; at++) own[op[at]!]! += end[at]! - start[at]!;
  sums[graphs.last] = own;
  for (let stage = graphs.last; stage > 0; stage--) {
    const above = new Float64Array(graphs.at(stage - 1)!.size);
    const { parent } = graphs.at(stage)!.view;
    for (let index = 0; index < parent.length; index++)
      if (parent[index]! >= 0) above[parent[index]!]! += sums[stage]![index]!;
    sums[stage - 1] = above;
  }
  // Of a stage each: what is in a box is there beside the box.
  const most = sums.map((stage) => stage.reduce((a, b) => Math.max(a, b), 0));
  const value = (node: NodeId): number => sums[stageOf(node)]?.[opOf(node)] ?? 0;
  return {
    id: 'time',
    title: 'Measured time',
    least: '0',
    most: format.seconds((most[graphs.last] ?? 0) / 1000),
    share: (node) => (most[stageOf(node)]! > 0 ? value(node) / most[stageOf(node)]! : undefined),
    text: (node) => format.seconds(value(node) / 1000),
  };
}

/** Who computed base operators, and boxes whose operators one thread computed alone. */
function threads(graphs: StagedGraphs, trace: TraceView): Overlay {
  const NOBODY = -1;
  const SEVERAL = -2;
  const last = graphs.at(graphs.last)!;
  const by: Int32Array[] = [];
  by[graphs.last] = new Int32Array(last.size).fill(NOBODY);
  for (const [at, op] of trace.op.entries()) by[graphs.last]![op] = trace.thread[at]!;
  for (let stage = graphs.last; stage > 0; stage--) {
    const above = new Int32Array(graphs.at(stage - 1)!.size).fill(NOBODY);
    const { parent } = graphs.at(stage)!.view;
    for (let index = 0; index < parent.length; index++) {
      const [to, who] = [parent[index]!, by[stage]![index]!];
      if (to < 0 || who === NOBODY) continue;
      above[to] = above[to] === NOBODY || above[to] === who ? who : SEVERAL;
    }
    by[stage - 1] = above;
  }
  const of = (node: NodeId): number => by[stageOf(node)]?.[opOf(node)] ?? NOBODY;
  return {
    id: 'thread',
    title: 'Platform: thread',
    least: 'thread 0',
    most: 'thread 5',
    share: (node) => (of(node) < 0 ? undefined : ((of(node) % APART) + 1) / APART),
    text: (node) =>
      of(node) === NOBODY ? undefined : of(node) === SEVERAL ? 'several' : `thread ${of(node)}`,
  };
}

/** Bytes that an operator writes. */
function sizes(graphs: StagedGraphs, stage: number): Overlay {
  const of = (node: NodeId): number => {
    const [start, end] = graphs.of(node).placeholder(opOf(node));
    return ((end - start) * graphs.unit) / 8;
  };
  let most = 1;
  for (let at = 0; at <= stage; at++) {
    const { placeholders } = graphs.at(at)!.view;
    for (let index = 0; index < placeholders.length; index += 2)
      most = Math.max(most, ((placeholders[index + 1]! - placeholders[index]!) * graphs.unit) / 8);
  }
  return {
    id: 'size',
    title: 'Size of what is written',
    least: '1 B',
    most: format.bytes(most),
    share: (node) => (most > 1 ? Math.log(Math.max(of(node), 1)) / Math.log(most) : undefined),
    text: (node) => format.bytes(of(node)),
  };
}

/** How many operators come one after the other before it, at its stage. */
function waves(graphs: StagedGraphs, stage: number): Overlay {
  const most: number[] = [];
  for (let at = 0; at <= stage; at++) most.push(graphs.at(at)!.view.wave.reduce((a, b) => Math.max(a, b), 1));
  const of = (node: NodeId): number => graphs.of(node).view.wave[opOf(node)]!;
  return {
    id: 'wave',
    title: 'Earliest wave',
    least: '0',
    most: format.count(most.at(-1) ?? 0),
    share: (node) => of(node) / (most[stageOf(node)] ?? Math.max(of(node), 1)),
    text: (node) => `wave ${of(node)}`,
  };
}

/** Whose an operator is, as its attributes say. */
function parties(graphs: StagedGraphs, stage: number): Overlay {
  const names = new Map<string, number>();
  const of = (node: NodeId): string | undefined => PARTY.exec(graphs.of(node).attributes(opOf(node)))?.[1];
  for (let op = 0; op < graphs.at(stage)!.size; op++) {
    const name = of(nodeId(stage, op));
    if (name !== undefined && !names.has(name)) names.set(name, names.size);
  }
  return {
    id: 'party',
    title: 'Party',
    least: [...names.keys()][0] ?? '',
    most: [...names.keys()].at(-1) ?? '',
    share: (node) => {
      const place = names.get(of(node) ?? '');
      return place === undefined ? undefined : ((place % APART) + 1) / APART;
    },
    text: of,
  };
}
