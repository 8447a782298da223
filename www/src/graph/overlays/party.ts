/** Whose an operator is, as its attributes say: of `party.send` and `party.receive` the other one. */
import { type NodeId, opOf, type StagedGraphs } from '../staged-graphs.js';
import type { OverlayKind } from './overlay.js';
import { Names } from './tints.js';

const PARTY = /\b(?:party|from|to|owner)=(?:"((?:[^"\\]|\\.)*)"|([^,}\s]+))/;

function partyIn(attributes: string): string | undefined {
  const [, quoted, plain] = PARTY.exec(attributes) ?? [];
  return quoted ?? plain;
}

/** Labels of all stages down to one. */
function labelsOf(graphs: StagedGraphs, stage: number): string[] {
  return Array.from({ length: stage + 1 }, (_, at) => graphs.at(at)?.view.labels ?? []).flat();
}

export const party: OverlayKind = {
  id: 'party',
  title: 'Party',
  isOffered: ({ graphs, stage }) => labelsOf(graphs, stage).some((label) => partyIn(label) !== undefined),
  make: ({ graphs, stage }) => {
    const names = new Names();
    for (const label of labelsOf(graphs, stage)) {
      const name = partyIn(label);
      if (name !== undefined) names.meet(name);
    }
    const of = (node: NodeId): string | undefined => partyIn(graphs.of(node).attributes(opOf(node)));
    return names.overlay(of);
  },
};
