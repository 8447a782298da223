/** Split strategies as a stored table [L3]: what the seed gives, and what we add. */
import { checkArgument, TEXT } from '../../arguments.js';
import type { Dimension } from '../dimensions.js';
import { Exchange } from '../exchange.js';
import { listOf } from '../kinds.js';
import { layoutOperator } from '../operators/index.js';
import type { Mode, PortName, Strategy, StrategyRow } from '../strategy.js';

/** A dimension of a table's entry, with where it comes from. */
export interface TableRow extends StrategyRow {
  readonly storage: 'mem' | 'cluster';
  /** A paragraph of seed 004, or why it is so. */
  readonly source: string;
}

/** What a table says of an operand of an operator. */
export interface TableEntry {
  /** An operator, or a family of them. */
  readonly operator: string;
  readonly port: PortName;
  readonly mode: Mode;
  /** Of machines whose clusters all have caches, or of those where one has none; of both where it is missing. */
  readonly cached?: boolean | undefined;
  /** By priority; none: not cut. */
  readonly rows: readonly TableRow[];
}

const { Core, Cluster, Memory } = Exchange;

const row = (
  dimension: Dimension,
  storage: 'mem' | 'cluster',
  exchange: readonly Exchange[],
  source: string,
): TableRow => ({ dimension, storage, exchange, source });
const entry = (
  operator: string,
  port: PortName,
  mode: Mode,
  rows: readonly TableRow[],
  cached?: boolean,
): TableEntry => ({
  operator,
  port,
  mode,
  rows,
  cached,
});

const unknown = 'ours: the seed (217) names the dimension, and not where it lies';
const bus = 'ours: as 155, without caches';
const items = 'ours: items are independent';
const elements = 'ours: elements are independent';
const travels = 'ours: as of mlp';

/** The rows recovered from the seed's lost table 2 and its examples, and ours; each says which it is. */
export const STRATEGY_TABLE: readonly TableEntry[] = [
  // Model parallel, mlp: paragraphs 217, 218, 231.
  entry('mlp', 'input', 'model', [row('N', 'mem', [], unknown), row('C', 'mem', [], 'seed 217')]),
  entry('mlp', 'weight', 'model', [row('C', 'mem', [], 'seed 218, R43')]),
  entry('mlp', 'output', 'model', [row('C', 'cluster', [Core], 'seed 218')], true),
  entry('mlp', 'output', 'model', [row('C', 'mem', [Cluster], 'seed 231')], false),
  // Data parallel: weights travel (75, example 1).
  entry('mlp', 'input', 'data', [row('N', 'mem', [], items)]),
  entry('mlp', 'weight', 'data', [row('N', 'cluster', [Cluster], 'seed 75, example 1')], true),
  entry('mlp', 'weight', 'data', [row('N', 'mem', [Memory], 'seed 75, example 1')], false),
  entry('mlp', 'output', 'data', [row('N', 'mem', [], 'seed 75, example 1')]),
  // Hybrid: inputs travel, outputs are combined (75, example 3).
  entry('mlp', 'input', 'hybrid', [row('N', 'cluster', [Cluster], 'seed 75, example 3')], true),
  entry('mlp', 'input', 'hybrid', [row('N', 'mem', [Memory], 'ours: R29, not in 75')], false),
  entry('mlp', 'weight', 'hybrid', [row('N', 'mem', [], 'seed 75, example 3')]),
  entry('mlp', 'output', 'hybrid', [row('N', 'cluster', [Core, Cluster], 'seed 75, example 3')], true),
  entry('mlp', 'output', 'hybrid', [row('N', 'mem', [Memory], 'ours: R29, not in 75')], false),
  // Convolutions, model parallel: paragraphs 155, 207.
  entry(
    'conv2d',
    'input',
    'model',
    [
      row('N', 'mem', [], 'seed 155'),
      row('H', 'cluster', [Cluster], 'seed 155'),
      row('W', 'cluster', [Cluster], 'seed 155'),
    ],
    true,
  ),
  entry(
    'conv2d',
    'input',
    'model',
    [row('N', 'mem', [], 'seed 155'), row('H', 'mem', [Memory], bus), row('W', 'mem', [Memory], bus)],
    false,
  ),
  entry('conv2d', 'weight', 'model', [row('N', 'cluster', [], 'seed 155')], true),
  entry('conv2d', 'weight', 'model', [row('N', 'mem', [], bus)], false),
  entry('conv2d', 'output', 'model', [
    row('N', 'mem', [], items),
    row('H', 'mem', [], items),
    row('W', 'mem', [], items),
  ]),
  // Convolutions, the other two.
  entry('conv2d', 'input', 'data', [row('N', 'mem', [], items)]),
  entry('conv2d', 'weight', 'data', [row('N', 'cluster', [Cluster], travels)], true),
  entry('conv2d', 'weight', 'data', [row('N', 'mem', [Memory], travels)], false),
  entry('conv2d', 'output', 'data', [row('N', 'mem', [], travels)]),
  entry('conv2d', 'input', 'hybrid', [row('N', 'cluster', [Cluster], travels)], true),
  entry('conv2d', 'input', 'hybrid', [row('N', 'mem', [Memory], travels)], false),
  entry('conv2d', 'weight', 'hybrid', [row('N', 'mem', [], travels)]),
  entry('conv2d', 'output', 'hybrid', [row('N', 'cluster', [Core, Cluster], travels)], true),
  entry('conv2d', 'output', 'hybrid', [row('N', 'mem', [Memory], travels)], false),
  // Element by element: nothing is exchanged, whatever is cut.
  ...(['model', 'data', 'hybrid'] as const).flatMap((mode) =>
    (['input', 'weight', 'output'] as const).map((port) =>
      entry(
        'each',
        port,
        mode,
        (['N', 'C', 'H', 'W', 'D', 'T'] as const).map((dimension) => row(dimension, 'mem', [], elements)),
      ),
    ),
  ),
];

/** A strategy that looks up in a table: an entry of the operator, or else of its family. Errors: InputError `input.type` for no table, or no name. */
export function tableStrategy(table: readonly TableEntry[] = STRATEGY_TABLE, name = 'table'): Strategy {
  checkArgument('tableStrategy, table', table, listOf('entries'));
  checkArgument('tableStrategy, name', name, TEXT);
  return {
    name,
    rows({ operator, port, mode, machine }) {
      const cached = machine.clusters.every(({ cache }) => cache);
      const fits =
        (of: string) =>
        (one: TableEntry): boolean =>
          one.operator === of && one.port === port && one.mode === mode && (one.cached ?? cached) === cached;
      return (table.find(fits(operator)) ?? table.find(fits(layoutOperator(operator).family)))?.rows;
    },
  };
}
