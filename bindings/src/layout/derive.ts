/** The dynamic label of one datum for one machine [L2b, L3]. */
import { checkArgument, checkOptions } from '../arguments.js';
import type { Dimension, Sizes } from './dimensions.js';
import { product } from './dimensions.js';
import { type DynamicLabel, dynamicLabel, operationSizes, type Padding } from './dynamic-label.js';
import type { Exchange } from './exchange.js';
import { CUT, DATUM_OPTIONS, MACHINE } from './kinds.js';
import { coresOf, type Machine } from './machine.js';
import { numberKind } from './numbers.js';
import type { LayoutPort } from './operator.js';
import { layoutOperator } from './operators/index.js';
import { type PartsOptions, partsOf, type Range, ROUNDINGS, targetOf } from './split-index.js';
import { dimensionsOf, staticLabel, type StaticLabel, staticSizes } from './static-label.js';
import type { Storage } from './storage.js';
import {
  type Mode,
  MODES,
  portOf,
  type PortName,
  rowsOf,
  type Strategy,
  type StrategyUse,
} from './strategy.js';
import { tableStrategy } from './strategies/table.js';
import { checkOneOf, wrong } from './wrong.js';

/** What of a label does not depend on how the datum is cut. */
export type Shape = Pick<DynamicLabel, 'type' | 'dims' | 'tile' | 'padding' | 'bytes'>;

/** How labels are derived. */
export interface DeriveOptions extends Pick<PartsOptions, 'rounding' | 'rest'> {
  /** Default `model`. */
  readonly mode?: Mode | undefined;
  /** Default: the stored table. */
  readonly strategy?: Strategy | undefined;
  /** What padding is made of, a finite number. Default 0. */
  readonly fill?: number | undefined;
  /**
   * Where parts would cut tiles (R45): left as it is, and told by `cutTiles` (default); refused; lengths made multiples of the tile; the tile made smaller.
   */
  readonly tiles?: 'report' | 'refuse' | 'multiple' | 'shrink' | undefined;
}

/** Words among the options, looked at whether or not something is cut. Errors: LayoutError `layout.label`; `layout.operator` for a mode. */
export function checkChoices(where: string, options: DeriveOptions): void {
  const { rounding = 'ceiling', rest = 'refuse', tiles = 'report', mode = 'model' } = options;
  checkOneOf('layout.operator', `${where}, mode`, mode, MODES);
  checkOneOf('layout.label', `${where}, option rounding`, rounding, ROUNDINGS);
  checkOneOf('layout.label', `${where}, option rest`, rest, ['refuse', 'spread']);
  checkOneOf('layout.label', `${where}, option tiles`, tiles, ['report', 'refuse', 'multiple', 'shrink']);
}

/** How one label is derived. */
export interface DatumOptions extends DeriveOptions {
  readonly operator: string;
  /** Default: what the category says. */
  readonly port?: PortName | undefined;
  /** Operation sizes of the operator's operands, for strategies that ask. */
  readonly operands?: StrategyUse['operands'] | undefined;
}

/**
 * Type, order, tile, padding, size: the machine's type; its order; its tile of the category, along the innermost dimension; filled up to a multiple of the tile (seed 004, paragraphs 94, 139-144). A dimension of an operand that leads nowhere (`leads`), such as a kernel's rows, is neither. Errors: LayoutError `layout.label`.
 */
export function shapeFor(label: StaticLabel, on: Machine, fill = 0, leads?: LayoutPort['leads']): Shape {
  const dims = [...on.order].filter((letter) => label.dims.includes(letter)).join('');
  if (dims.length !== label.dims.length)
    throw wrong(
      'layout.label',
      'derived label, dimensions',
      label.dims,
      `some of those that the machine orders, ${on.order}`,
    );
  const sizes = staticSizes(label);
  const inner = dims.at(-1) as Dimension;
  // A kernel of three rows that became one of eight would be another one.
  const exact = leads !== undefined && leads[inner] === undefined;
  const tile = exact ? 1 : (on.tile[label.category] ?? on.tile.default ?? 1);
  const tiles = tile === 1 ? {} : { [inner]: tile };
  const length = Math.ceil((sizes[inner] ?? 1) / tile) * tile - (sizes[inner] ?? 1);
  const padding: Readonly<Partial<Record<Dimension, Padding>>> =
    tile === 1 ? {} : { [inner]: { length, fill } };
  return withBytes({ type: on.type, dims, tile: tiles, padding }, label);
}

/** A shape with its bytes. */
export function withBytes(shape: Omit<Shape, 'bytes'>, label: StaticLabel): Shape {
  const sizes = operationSizes(shape, label);
  const elements = product(dimensionsOf(label).map((dimension) => sizes[dimension] ?? 1));
  return { ...shape, bytes: elements * numberKind(shape.type).bytes };
}

/** A cut: the dimension, its parts, where they lie, who else uses them. */
export interface Cut {
  readonly dimension: Dimension;
  readonly parts: readonly Range[];
  readonly storage: Storage;
  readonly exchange: readonly Exchange[];
}

/**
 * What a strategy, the sizes and the machine make of a datum: the target dimension and its parts; all of it, in one part in memory, where nothing is to be cut.
 */
export function cutFor(
  shape: Shape,
  label: StaticLabel,
  on: Machine,
  use: Omit<StrategyUse, 'sizes' | 'machine'>,
  options: DeriveOptions,
): Cut {
  const sizes = operationSizes(shape, label);
  const { strategy = tableStrategy(), tiles = 'report' } = options;
  const target = targetOf(rowsOf(strategy, { ...use, machine: on, sizes }), sizes, on.memories);
  if (target === undefined) return whole(shape, sizes);
  const { dimension, storage, exchange } = target;
  const multiple = tiles === 'multiple' ? (shape.tile[dimension] ?? 1) : 1;
  const settings = { rounding: options.rounding, rest: options.rest, multiple };
  const parts = partsOf(sizes[dimension] ?? 1, coresOf(on), on.memories, settings);
  return { dimension, parts, storage, exchange };
}

/** A cut that is none. */
export function whole(
  shape: Shape,
  sizes: Sizes,
  storage: Storage = 'mem',
  exchange: readonly Exchange[] = [],
): Cut {
  const dimension = shape.dims.at(-1) as Dimension;
  return { dimension, parts: [[0, sizes[dimension] ?? 1]], storage, exchange };
}

/** A label of its shape and its cut, looked at; tiles that parts cut are dealt with as the option says. Errors: LayoutError. */
export function labelOf(
  shape: Shape,
  { dimension, parts, storage, exchange }: Cut,
  label: StaticLabel,
  on: Machine,
  options: DeriveOptions,
  where: string,
): DynamicLabel {
  const { tiles = 'report' } = options;
  const made = dynamicLabel({ ...shape, split: { dimension, parts }, storage, exchange }, label, on, where);
  const [cut] = cutTiles(made);
  if (cut === undefined || tiles === 'report') return made;
  if (tiles === 'refuse') {
    const found = `part [${cut.join(', ')}), which cuts a tile of ${made.tile[dimension]}`;
    throw wrong('layout.split', `${where}, split index`, found, 'parts that end where tiles do');
  }
  const smaller = parts.reduce((all, [, to]) => gcd(all, to), made.tile[dimension] ?? 1);
  return dynamicLabel({ ...made, tile: { ...made.tile, [dimension]: smaller } }, label, on, where);
}

/** Parts that end within a tile (R45). Errors: InputError `input.type` for what is no label. */
export function cutTiles(label: Pick<DynamicLabel, 'tile' | 'split'>): readonly Range[] {
  checkArgument('cutTiles, label', label, CUT);
  const { tile, split } = label;
  const length = tile[split.dimension] ?? 1;
  return split.parts.filter(([, to]) => to % length !== 0);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/**
 * The dynamic label of a datum by itself. What its operator sums is not known here: labels of all operands together are `labelOperator`'s. Errors: LayoutError; InputError for options that there are not, and for no machine.
 */
export function deriveLabel(of: StaticLabel, on: Machine, options: DatumOptions): DynamicLabel {
  checkOptions('deriveLabel', options, DATUM_OPTIONS);
  checkArgument('deriveLabel, machine', on, MACHINE);
  checkChoices('derived label', options);
  const label = staticLabel(of);
  const { mode = 'model', operator, port = portOf(label.category), operands = {} } = options;
  const ports = layoutOperator(operator).ports;
  const shape = shapeFor(label, on, options.fill, ports.find(({ name }) => name === port)?.leads);
  const use = { operator, port, mode, operands, category: label.category };
  return labelOf(shape, cutFor(shape, label, on, use, options), label, on, options, 'derived label');
}
