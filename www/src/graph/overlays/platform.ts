/** Where an operator is computed: after a run, by whom it was; else where its text places it (`@gpu`). */
import type { TraceView } from 'cipherloom';
import { laneOf } from '../../run/lane.js';
import { opOf, type NodeId, type StagedGraphs, stageOf } from '../staged-graphs.js';
import type { Pace } from '../pace.js';
import { computedBy } from './computed-by.js';
import type { OverlayKind } from './overlay.js';
import { Names } from './tints.js';

const UNPLACED = 'not placed';

export const platform: OverlayKind = {
  id: 'platform',
  title: 'Platform',
  isOffered: ({ graphs, stage, trace }) =>
    (trace !== undefined && new Set(Array.from(trace.thread, (one) => laneOf(trace, one))).size > 1) ||
    graphs.source(stage).text !== undefined,
  make: async ({ graphs, stage, trace }, slices) => {
    if (trace !== undefined) return computedBy(graphs, trace, whoComputes(trace));
    const names = new Names();
    const placed: string[][] = [];
    for (let at = 0; at <= stage; at++) placed.push(await placesOf(graphs, at, slices));
    const of = (node: NodeId): string | undefined => placed[stageOf(node)]?.[opOf(node)];
    for (const all of placed) for (const name of all) names.meet(name);
    return names.overlay(of);
  },
};

/** By thread of a trace. */
function whoComputes(trace: TraceView): string[] {
  const last = trace.thread.reduce((a, b) => Math.max(a, b), 0);
  const names = {
    thread: 'threads of this device',
    own: 'functions of one’s own',
    GPU: trace.gpu?.device ?? 'GPU',
    copies: 'copies to the GPU and back',
  };
  return Array.from({ length: last + 1 }, (_, index) => names[laneOf(trace, index)]);
}

/** By operator of a stage. */
async function placesOf(graphs: StagedGraphs, stage: number, slices: Pace): Promise<string[]> {
  const text = await graphs.source(stage).text?.();
  const places: string[] = [];
  for (let op = 0; op < graphs.at(stage)!.size; op++) {
    if (op % 256 === 0) await slices();
    places.push(text?.platform(op) ?? UNPLACED);
  }
  return places;
}
