/** A split strategy that was trained on simulated times [L3]. */
import { checkArgument, type Kind, tag } from '../../arguments.js';
import type { Strategy, StrategyUse } from '../strategy.js';
import { layoutOperator } from '../operators/index.js';
import { choose, featuresOf, isTree, rowsOfChoice, type Tree } from './choices.js';
import { tableStrategy } from './table.js';
import { TREES } from './tree.js';

/** Trees by operator. */
export type Trees = Readonly<Partial<Record<string, Tree>>>;

const TREES_BY_OPERATOR: Kind = {
  expected: 'trees by operator, as trainStrategy() gives them',
  fits: (value) => tag(value) === 'Object' && Object.values(value as object).every(isTree),
};

/**
 * Model parallel: what a tree chooses by the operator's sizes and the machine's traits. Other modes, operators without a tree and data whose operator's sizes are not known are the stored table's. Default: the trees that
 * `scripts/layout-tree.mjs` has fitted. Errors: InputError `input.type` for no trees.
 */
export function learnedStrategy(trees: Trees = TREES): Strategy {
  checkArgument('learnedStrategy, trees', trees, TREES_BY_OPERATOR);
  const otherwise = tableStrategy();
  return {
    name: 'learned',
    rows(use: StrategyUse) {
      const { operator, mode, port, machine, operands } = use;
      const tree = Object.hasOwn(trees, operator) ? trees[operator] : undefined;
      const { input, weight } = operands;
      if (tree === undefined || mode !== 'model' || input === undefined || weight === undefined)
        return otherwise.rows(use);
      const choice = choose(tree, featuresOf(input, weight, machine));
      // Along a dimension that the datum has not nothing is cut.
      const { ports } = layoutOperator(operator);
      const known = port === 'output' || ports.some(({ name }) => name === port);
      return known ? rowsOfChoice(choice, port, machine) : undefined;
    },
  };
}
