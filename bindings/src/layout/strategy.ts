/** Who says along which dimensions a datum may be cut, where its parts lie, and who else uses them [L3]. */
import { describe } from '../arguments.js';
import type { Category } from './category.js';
import { type Dimension, isDimension, type Sizes } from './dimensions.js';
import { Exchange, exchangeSet, LEVELS } from './exchange.js';
import type { Machine } from './machine.js';
import { checkStorage, type Storage } from './storage.js';
import { checkObject, checkOneOf, wrong } from './wrong.js';

/** How cores share the work [L5b]: parts of one input, different inputs, or both. */
export type Mode = 'model' | 'data' | 'hybrid';
/** Their names. */
export const MODES: readonly Mode[] = ['model', 'data', 'hybrid'];

/** What a datum is to an operator: the first operand, the second, or what comes out. */
export type PortName = 'input' | 'weight' | 'output';

/** What a strategy is asked. */
export interface StrategyUse {
  readonly operator: string;
  readonly category: Category;
  /** Which operand it is; follows from the category where that says it. */
  readonly port: PortName;
  readonly mode: Mode;
  readonly machine: Machine;
  /** Operation sizes of the datum. */
  readonly sizes: Sizes;
  /** Operation sizes of the operator's operands, as far as they are known. */
  readonly operands: Readonly<Partial<Record<PortName, Sizes>>>;
}

/** A dimension that may be cut, with exactly one storage and one set of levels. */
export interface StrategyRow {
  readonly dimension: Dimension;
  readonly storage: Storage;
  readonly exchange: readonly Exchange[];
}

/**
 * A stored table, a rule or a trained model, behind one interface: dimensions by priority; none for what is not to be cut; undefined where nothing is known of operator and category.
 */
export interface Strategy {
  readonly name: string;
  rows(use: StrategyUse): readonly StrategyRow[] | undefined;
}

/** The operand that a category is by itself: weights are weights, results outputs, all else the first operand. */
export function portOf(category: Category): PortName {
  if (category === 'iw' || category === 'cw') return 'weight';
  return category === 'on' || category === 'ow' ? 'output' : 'input';
}

/** What a strategy says, looked at. Errors: LayoutError `layout.strategy` (nothing known, or a row that is none), `layout.storage` of the machine. */
export function rowsOf(strategy: Strategy, use: StrategyUse): readonly StrategyRow[] {
  const { operator, category, port, mode, machine } = use;
  const where = `strategy ${describe(strategy?.name)}, ${operator}, ${port} (${category}), ${mode}`;
  if (typeof strategy?.rows !== 'function')
    throw wrong('layout.strategy', where, describe(strategy), 'a strategy');
  const rows: unknown = strategy.rows(use);
  if (rows === undefined) throw wrong('layout.strategy', where, 'nothing', 'dimensions by priority, or none');
  if (!Array.isArray(rows)) throw wrong('layout.strategy', where, describe(rows), 'an array of rows');
  const seen = new Set<unknown>();
  return rows.map((row: StrategyRow, index): StrategyRow => {
    const at = `${where}, row ${index + 1}`;
    checkObject('layout.strategy', at, row, ['dimension', 'storage', 'exchange', 'source']);
    if (!isDimension(row.dimension) || seen.has(row.dimension))
      throw wrong('layout.strategy', at, describe(row.dimension), 'a dimension that is in no row before');
    seen.add(row.dimension);
    if (!Array.isArray(row.exchange))
      throw wrong('layout.strategy', at, describe(row.exchange), 'an array of levels');
    for (const level of row.exchange as unknown[])
      checkOneOf('layout.strategy', at, level, [Exchange.None, ...LEVELS]);
    return {
      dimension: row.dimension,
      storage: checkStorage(`${at}, storage`, row.storage, machine),
      exchange: exchangeSet(row.exchange),
    };
  });
}
