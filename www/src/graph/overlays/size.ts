/** Bytes that an operator writes; the lines of what it writes are as wide. */
import * as format from '../../format.js';
import { type NodeId, opOf } from '../staged-graphs.js';
import type { OverlayKind } from './overlay.js';
import { heatOf, scale } from './tints.js';

export const size: OverlayKind = {
  id: 'size',
  title: 'Size of what is written',
  isOffered: () => true,
  make: ({ graphs, stage }) => {
    const bytes = (units: number): number => (units * graphs.unit) / 8;
    const of = (node: NodeId): number => {
      const [start, end] = graphs.of(node).placeholder(opOf(node));
      return bytes(end - start);
    };
    let most = 1;
    for (let at = 0; at <= stage; at++) {
      const { placeholders } = graphs.at(at)!.view;
      for (let index = 0; index < placeholders.length; index += 2)
        most = Math.max(most, bytes(placeholders[index + 1]! - placeholders[index]!));
    }
    const share = (node: NodeId): number =>
      most > 1 ? Math.min(Math.log(Math.max(of(node), 1)) / Math.log(most), 1) : 0;
    return {
      legend: scale('1 B', format.bytes(most)),
      tint: (node) => heatOf(share(node)),
      text: (node) => format.bytes(of(node)),
      width: share,
    };
  },
};
