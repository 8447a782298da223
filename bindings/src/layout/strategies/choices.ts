/** Ways to cut an operator of two operands under model parallelism, as whole: what a trained strategy chooses from. */
import type { Sizes } from '../dimensions.js';
import { Exchange } from '../exchange.js';
import { coresOf, type Machine } from '../machine.js';
import type { PortName, StrategyRow } from '../strategy.js';

/** Cut by items of the input, by outputs of the weight, along what is summed, or by rows of pictures. */
export const CHOICES = ['items', 'outputs', 'summed', 'rows'] as const;
/** See {@link CHOICES}. */
export type Choice = (typeof CHOICES)[number];

/** What a choice means for an operand. */
export function rowsOfChoice(choice: Choice, port: PortName, on: Machine): readonly StrategyRow[] {
  const cached = on.clusters.every(({ cache }) => cache);
  const none: readonly StrategyRow[] = [];
  const row = (dimension: StrategyRow['dimension']): readonly StrategyRow[] => [
    { dimension, storage: 'mem', exchange: [] },
  ];
  switch (choice) {
    case 'items':
      return port === 'weight' ? none : row('N');
    case 'outputs':
      return port === 'input' ? none : row(port === 'weight' ? 'N' : 'C');
    case 'rows': {
      if (port === 'weight') return none;
      if (port === 'output') return row('H');
      return [
        {
          dimension: 'H',
          storage: cached ? 'cluster' : 'mem',
          exchange: [cached ? Exchange.Cluster : Exchange.Memory],
        },
      ];
    }
    case 'summed':
      if (port !== 'output') return row('C');
      return cached
        ? [{ dimension: 'C', storage: 'cluster', exchange: [Exchange.Core, Exchange.Cluster] }]
        : [{ dimension: 'C', storage: 'mem', exchange: [Exchange.Memory] }];
  }
}

/** Numbers by which choices are told apart. */
export const FEATURES = [
  'items',
  'channels',
  'outputs',
  'rows',
  'cores',
  'clusters',
  'memories',
  'cached',
] as const;
/** See {@link FEATURES}. */
export type Feature = (typeof FEATURES)[number];

/** The numbers of an operator on a machine. */
export function featuresOf(input: Sizes, weight: Sizes, on: Machine): Readonly<Record<Feature, number>> {
  return {
    items: input.N ?? 1,
    channels: input.C ?? 1,
    outputs: weight.N ?? 1,
    rows: input.H ?? 1,
    cores: coresOf(on),
    clusters: on.clusters.length,
    memories: on.memories,
    cached: on.clusters.every(({ cache }) => cache) ? 1 : 0,
  };
}

/** A decision tree: a feature below a number or not, and in the end a choice. */
export type Tree =
  | { readonly choice: Choice }
  | { readonly feature: Feature; readonly at: number; readonly below: Tree; readonly from: Tree };

/** Whether something is a tree, to its leaves. */
export function isTree(value: unknown): value is Tree {
  const { choice, feature, at, below, from } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (choice !== undefined) return (CHOICES as readonly unknown[]).includes(choice) && feature === undefined;
  const divides = (FEATURES as readonly unknown[]).includes(feature) && typeof at === 'number';
  return divides && isTree(below) && isTree(from);
}

/** What a tree chooses. */
export function choose(tree: Tree, features: Readonly<Record<Feature, number>>): Choice {
  let node = tree;
  while ('feature' in node) node = features[node.feature] < node.at ? node.below : node.from;
  return node.choice;
}
