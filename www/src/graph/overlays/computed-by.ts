/** Who computed base operators, and what they came from where one alone did. */
import type { TraceView } from 'cipherloom';
import { opOf, type StagedGraphs, stageOf, type NodeId } from '../staged-graphs.js';
import { byStage, type Overlay } from './overlay.js';
import { Names } from './tints.js';

const NOBODY = -1;
const SEVERAL = -2;
const SEVERAL_NAME = 'several';

/** Coloured by who computed what: `names` has one for each thread of the trace. */
export function computedBy(graphs: StagedGraphs, trace: TraceView, names: readonly string[]): Overlay {
  const met = new Names();
  for (const name of [...names, SEVERAL_NAME]) met.meet(name);
  return met.overlay(whoComputed(graphs, trace, names));
}

/** The name of whoever computed an operator, `several`, or undefined where nobody did. */
function whoComputed(
  graphs: StagedGraphs,
  { op, thread }: TraceView,
  names: readonly string[],
): (node: NodeId) => string | undefined {
  const places = new Map<string, number>();
  const place = names.map((name) => {
    places.set(name, places.get(name) ?? places.size);
    return places.get(name)!;
  });
  const by = byStage((stage): Int32Array => {
    const all = new Int32Array(graphs.at(stage)!.size).fill(NOBODY);
    const meet = (one: number, who: number): void => {
      if (who !== NOBODY) all[one] = all[one] === NOBODY || all[one] === who ? who : SEVERAL;
    };
    if (stage === graphs.last) for (let at = 0; at < op.length; at++) meet(op[at]!, place[thread[at]!]!);
    else {
      const below = by(stage + 1);
      const { parent } = graphs.at(stage + 1)!.view;
      for (let index = 0; index < parent.length; index++)
        if (parent[index]! >= 0) meet(parent[index]!, below[index]!);
    }
    return all;
  });
  const shown = [...places.keys()];
  return (node) => {
    const who = by(stageOf(node))[opOf(node)]!;
    return who === SEVERAL ? SEVERAL_NAME : shown[who];
  };
}
