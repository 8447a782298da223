/** What an operator's output is to a network: its category by colour, and its static label as text (seed 004, paragraphs 59-61, 104-110). */
import type { DetectedNode } from 'cipherloom/layout';
import { type NodeId, opOf, stageOf } from '../staged-graphs.js';
import type { OverlayKind } from './overlay.js';
import { Names } from './tints.js';

/** Of one stage: labels are read off a graph in one go, on the page's thread. */
const MOST_OPERATORS = 5000;

export const label: OverlayKind = {
  id: 'label',
  title: 'Label: category',
  isOffered: ({ graphs, stage }) =>
    graphs.source(stage).labels !== undefined && graphs.at(stage)!.size <= MOST_OPERATORS,
  make: async ({ graphs, stage }) => {
    const { CATEGORY_CODES } = await import('cipherloom/layout');
    const labels: (readonly DetectedNode[])[] = [];
    for (let at = 0; at <= stage; at++) labels.push((await graphs.source(at).labels?.()) ?? []);
    const title = ({ category }: DetectedNode): string => `${CATEGORY_CODES[category]} (${category})`;
    const names = new Names();
    for (const all of labels) for (const one of all) names.meet(title(one));
    const of = (node: NodeId): DetectedNode | undefined => labels[stageOf(node)]?.[opOf(node)];
    return {
      legend: names.legend,
      tint: (node) => {
        const one = of(node);
        return one && names.tint(title(one));
      },
      text: (node) => {
        const one = of(node);
        if (one?.label === undefined) return one?.category;
        return `${one.category} ${one.label.dims} ${one.label.sizes.join('×')}`;
      },
    };
  },
};
