/** Made by scripts/layout-tree.mjs: decision trees that were fitted to simulated times. */
import type { Tree } from './choices.js';

/** By operator. */
export const TREES: Readonly<Partial<Record<string, Tree>>> = {
  mlp: {
    feature: 'items',
    at: 64,
    below: {
      feature: 'channels',
      at: 64,
      below: {
        feature: 'outputs',
        at: 8,
        below: {
          feature: 'channels',
          at: 32,
          below: { feature: 'items', at: 2, below: { choice: 'outputs' }, from: { choice: 'items' } },
          from: { feature: 'items', at: 4, below: { choice: 'summed' }, from: { choice: 'items' } },
        },
        from: { choice: 'outputs' },
      },
      from: {
        feature: 'outputs',
        at: 128,
        below: { choice: 'summed' },
        from: {
          feature: 'channels',
          at: 512,
          below: { choice: 'outputs' },
          from: { feature: 'outputs', at: 256, below: { choice: 'summed' }, from: { choice: 'outputs' } },
        },
      },
    },
    from: {
      feature: 'outputs',
      at: 256,
      below: {
        feature: 'channels',
        at: 256,
        below: { choice: 'items' },
        from: {
          feature: 'items',
          at: 256,
          below: { feature: 'cores', at: 8, below: { choice: 'items' }, from: { choice: 'summed' } },
          from: { choice: 'items' },
        },
      },
      from: { feature: 'items', at: 512, below: { choice: 'outputs' }, from: { choice: 'items' } },
    },
  },
  conv2d: {
    feature: 'outputs',
    at: 16,
    below: {
      feature: 'items',
      at: 16,
      below: {
        feature: 'channels',
        at: 32,
        below: {
          feature: 'items',
          at: 8,
          below: { choice: 'rows' },
          from: { feature: 'rows', at: 16, below: { choice: 'items' }, from: { choice: 'rows' } },
        },
        from: {
          feature: 'rows',
          at: 16,
          below: { feature: 'cores', at: 4, below: { choice: 'rows' }, from: { choice: 'summed' } },
          from: { feature: 'cores', at: 5, below: { choice: 'summed' }, from: { choice: 'rows' } },
        },
      },
      from: { feature: 'cores', at: 2, below: { choice: 'rows' }, from: { choice: 'items' } },
    },
    from: {
      feature: 'items',
      at: 32,
      below: { feature: 'cores', at: 2, below: { choice: 'rows' }, from: { choice: 'outputs' } },
      from: {
        feature: 'outputs',
        at: 64,
        below: { feature: 'cores', at: 2, below: { choice: 'rows' }, from: { choice: 'items' } },
        from: {
          feature: 'cores',
          at: 7,
          below: { feature: 'cores', at: 5, below: { choice: 'items' }, from: { choice: 'outputs' } },
          from: { feature: 'cores', at: 13, below: { choice: 'items' }, from: { choice: 'outputs' } },
        },
      },
    },
  },
};
