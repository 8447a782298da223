/** The thread that computed an operator, or what it became. */
import { computedBy } from './computed-by.js';
import type { OverlayKind } from './overlay.js';

export const thread: OverlayKind = {
  id: 'thread',
  title: 'Thread',
  isOffered: ({ trace }) => trace !== undefined,
  make: ({ graphs, trace }) => {
    const last = trace!.thread.reduce((a, b) => Math.max(a, b), 0);
    const all = Array.from({ length: last + 1 }, (_, index) => `thread ${index}`);
    return computedBy(graphs, trace!, all);
  },
};
