/** Milliseconds that base operators were measured to take, and what they came from: the sum of those in it. */
import * as format from '../../format.js';
import { opOf, stageOf } from '../staged-graphs.js';
import { byStage, type OverlayKind } from './overlay.js';
import { heatOf, scale } from './tints.js';

export const time: OverlayKind = {
  id: 'time',
  title: 'Measured time',
  isOffered: ({ trace }) => trace !== undefined,
  make: ({ graphs, trace }) => {
    const sums = byStage((stage): Float64Array => {
      const all = new Float64Array(graphs.at(stage)!.size);
      if (stage === graphs.last) {
        const { op, start, end } = trace!;
        for (let at = 0; at < op.length; at++) all[op[at]!]! += end[at]! - start[at]!;
        return all;
      }
      const below = sums(stage + 1);
      const { parent } = graphs.at(stage + 1)!.view;
      for (let index = 0; index < parent.length; index++)
        if (parent[index]! >= 0) all[parent[index]!]! += below[index]!;
      return all;
    });
    // Of a stage each: what is in a box is there beside the box.
    const most = byStage((stage) => sums(stage).reduce((a, b) => Math.max(a, b), 0));
    return {
      legend: scale('0 ms', format.seconds(most(graphs.last) / 1000)),
      tint: (node) => {
        const all = most(stageOf(node));
        return all > 0 ? heatOf(sums(stageOf(node))[opOf(node)]! / all) : undefined;
      },
      text: (node) => format.seconds(sums(stageOf(node))[opOf(node)]! / 1000),
    };
  },
};
