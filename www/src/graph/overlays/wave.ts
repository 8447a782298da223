/** How many operators come one after the other before an operator, at its stage. */
import * as format from '../../format.js';
import { type NodeId, opOf, stageOf } from '../staged-graphs.js';
import { byStage, type OverlayKind } from './overlay.js';
import { heatOf, scale } from './tints.js';

export const wave: OverlayKind = {
  id: 'wave',
  title: 'Earliest wave',
  isOffered: () => true,
  make: ({ graphs, stage }) => {
    const most = byStage((at) => graphs.at(at)!.view.wave.reduce((a, b) => Math.max(a, b), 1));
    const of = (node: NodeId): number => graphs.of(node).view.wave[opOf(node)]!;
    return {
      legend: scale('wave 0', `wave ${format.count(most(stage))}`),
      tint: (node) => heatOf(of(node) / most(stageOf(node))),
      text: (node) => `wave ${of(node)}`,
    };
  },
};
