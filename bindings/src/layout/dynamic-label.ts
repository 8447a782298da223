/** What a datum is on one machine [L2, L2b]. */
import { checkArgument, describe } from '../arguments.js';
import { type Dimension, isDimension, lettersOf, MOST_ELEMENTS, product, type Sizes } from './dimensions.js';
import { Exchange, exchangeSet, LEVELS, printExchange } from './exchange.js';
import { MACHINE, PADDED, SIZED } from './kinds.js';
import type { Machine, Place } from './machine.js';
import { NUMBER_TYPES, numberKind, type NumberType } from './numbers.js';
import { checkParts, type Range } from './split-index.js';
import { dimensionsOf, type StaticLabel, staticSizes } from './static-label.js';
import { checkStorage, printStorage, type Storage } from './storage.js';
import { fieldsOf, matchField, start } from './text.js';
import { checkObject, checkOneOf, checkWhole, wrong } from './wrong.js';

/** How far a dimension is filled up, and with what. */
export interface Padding {
  /** Elements behind the datum's own, from 0. */
  readonly length: number;
  /** A finite number. */
  readonly fill: number;
}

/** Cuts of a datum: the dimension, and its parts, half-open. */
export interface SplitIndex {
  readonly dimension: Dimension;
  readonly parts: readonly Range[];
}

/** Type, order, tile, padding, size, split index, storage, exchange levels (seed 004, paragraphs 60, 93-97). */
export interface DynamicLabel {
  readonly type: NumberType;
  /** The static dimensions, in the machine's order. */
  readonly dims: string;
  /** Numbers that are taken at once, by dimension. */
  readonly tile: Readonly<Partial<Record<Dimension, number>>>;
  /** By dimension: to a multiple of its tile. */
  readonly padding: Readonly<Partial<Record<Dimension, Padding>>>;
  /** Product of operation sizes and of bytes of an element. */
  readonly bytes: number;
  readonly split: SplitIndex;
  readonly storage: Storage;
  /** A set; none of them is `no`. */
  readonly exchange: readonly Exchange[];
}

const NAMES: readonly (keyof DynamicLabel)[] = [
  'type',
  'dims',
  'tile',
  'padding',
  'bytes',
  'split',
  'storage',
  'exchange',
];

/** Static size + padding of each dimension (seed 004, paragraph 166). Errors: InputError `input.type` for what is no label. */
export function operationSizes(
  dynamic: Pick<DynamicLabel, 'padding'>,
  label: Pick<StaticLabel, 'dims' | 'sizes'>,
): Sizes {
  checkArgument('operationSizes, dynamic label', dynamic, PADDED);
  checkArgument('operationSizes, static label', label, SIZED);
  const { padding } = dynamic;
  const sizes = staticSizes(label as StaticLabel);
  return Object.fromEntries(
    dimensionsOf(label).map(
      (dimension) => [dimension, (sizes[dimension] ?? 1) + (padding[dimension]?.length ?? 0)] as const,
    ),
  );
}

/**
 * A label that was looked at, beside the static one that it belongs to, and the machine, frozen. Errors: LayoutError `layout.label`, `layout.split` (parts), `layout.storage`; InputError `input.type` for no static label, or no machine.
 */
export function dynamicLabel(
  label: DynamicLabel,
  of: StaticLabel,
  on?: Machine,
  where = 'dynamic label',
): DynamicLabel {
  checkArgument(`${where}, static label`, of, SIZED);
  if (on !== undefined) checkArgument(`${where}, machine`, on, MACHINE);
  const shaped = shapeOf(label, where);
  const { dims, type, tile, padding, bytes } = shaped;
  const sorted = (order: string): string => [...order].sort().join('');
  if (sorted(dims) !== sorted(of.dims))
    throw wrong(
      'layout.label',
      `${where}, dimensions`,
      dims,
      `those of the static label, ${of.dims}, in any order`,
    );
  const sizes = operationSizes(shaped, of);
  for (const [dimension, length] of Object.entries(tile)) {
    const size = sizes[dimension as Dimension] ?? 1;
    if (size % length !== 0)
      throw wrong(
        'layout.label',
        `${where}, padding of ${dimension}`,
        `operation size ${size}`,
        `a multiple of the tile, ${length}`,
      );
  }
  const all = product(dimensionsOf(of).map((dimension) => sizes[dimension] ?? 1)) * numberKind(type).bytes;
  if (bytes !== all) throw wrong('layout.label', `${where}, size`, `${bytes} bytes`, `${all}`);
  const { dimension } = shaped.split;
  if (sizes[dimension] === undefined)
    throw wrong('layout.label', `${where}, split index`, `dimension ${dimension}`, `one of ${of.dims}`);
  const parts = checkParts(`${where}, split index`, shaped.split.parts, sizes[dimension]);
  const storage = checkStorage(`${where}, storage`, shaped.storage, on);
  return Object.freeze({
    type,
    dims,
    tile: Object.freeze({ ...tile }),
    padding: Object.freeze({ ...padding }),
    bytes,
    split: Object.freeze({ dimension, parts }),
    storage,
    exchange: exchangeSet(shaped.exchange),
  });
}

/** What of a label can be looked at by itself. */
function shapeOf(label: DynamicLabel, where: string): DynamicLabel {
  const bad = 'layout.label';
  checkObject(bad, where, label, NAMES);
  checkOneOf(bad, `${where}, type`, label.type, NUMBER_TYPES);
  const letters = lettersOf(bad, `${where}, dimensions`, label.dims);
  checkObject(bad, `${where}, tile`, label.tile, letters);
  for (const [dimension, length] of Object.entries(label.tile))
    checkWhole(bad, `${where}, tile of ${dimension}`, length, 1, MOST_ELEMENTS);
  checkObject(bad, `${where}, padding`, label.padding, letters);
  for (const [dimension, padding] of Object.entries(label.padding)) {
    checkObject(bad, `${where}, padding of ${dimension}`, padding, ['length', 'fill']);
    checkWhole(bad, `${where}, padding of ${dimension}`, padding.length, 0, MOST_ELEMENTS);
    if (!Number.isFinite(padding.fill))
      throw wrong(bad, `${where}, fill of ${dimension}`, describe(padding.fill), 'a finite number');
  }
  checkWhole(bad, `${where}, size`, label.bytes, 1, 8 * MOST_ELEMENTS);
  checkObject(bad, `${where}, split index`, label.split, ['dimension', 'parts']);
  if (!isDimension(label.split.dimension))
    throw wrong(bad, `${where}, split index`, describe(label.split.dimension), `one of ${label.dims}`);
  const { parts } = label.split;
  if (!Array.isArray(parts) || !parts.every(Array.isArray))
    throw wrong('layout.split', `${where}, split index`, describe(parts), 'an array of parts, [from, to]');
  if (!Array.isArray(label.exchange))
    throw wrong(bad, `${where}, exchange`, describe(label.exchange), 'an array of levels');
  for (const level of label.exchange)
    checkOneOf(bad, `${where}, exchange`, level, [Exchange.None, ...LEVELS]);
  return label;
}

/** `dynamic: float16, dim_NC, C=512, C=24, 8192 B, C[(0,255),(256,511)], mem, no`; fills that are not 0 as `C=24:7`, no tile as `-`. Errors: LayoutError `layout.label`, `layout.split`, `layout.storage`. */
export function printDynamic(label: DynamicLabel): string {
  const { type, dims, tile, padding, bytes, split, storage, exchange } = shapeOf(label, 'dynamic label');
  const ordered = <T>(by: Readonly<Partial<Record<Dimension, T>>>, print: (value: T) => string): string =>
    dimensionsOf({ dims })
      .flatMap((dimension) => (by[dimension] === undefined ? [] : [`${dimension}=${print(by[dimension])}`]))
      .join(' ') || '-';
  const filled = ({ length, fill }: Padding): string =>
    Object.is(fill, 0) ? `${length}` : `${length}:${Object.is(fill, -0) ? '-0' : fill}`;
  const parts = split.parts.map(([from, to]) => `(${from},${to - 1})`).join(',');
  const fields = [
    type,
    `dim_${dims}`,
    ordered(tile, String),
    ordered(padding, filled),
    `${bytes} B`,
    `${split.dimension}[${parts}]`,
    printStorage(checkStorage('dynamic label, storage', storage)),
    printExchange(exchange),
  ];
  return `dynamic: ${fields.join(', ')}`;
}

/**
 * Reads {@link printDynamic}'s text; letters may be small, sizes in kb (of 1,024 bytes), as the seed has them. What fits its datum `dynamicLabel` says. Errors: LayoutError `layout.text`, `layout.label`.
 */
export function parseDynamic(text: string): DynamicLabel {
  const fields = fieldsOf('dynamic', text, [
    'type',
    'dim_ORDER',
    'tile',
    'padding',
    'size',
    'DIM[(first,last),...]',
    'storage',
    'exchange',
  ]);
  const [type, order, tile, padding, size, split, storage, exchange] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const where = 'dynamic label';
  const [dims = ''] = matchField(`${where}, dimensions`, order, /^dim_([a-z]+)$/i, 'dim_ and letters');
  const [number = '', unit = ''] = matchField(
    `${where}, size`,
    size,
    /^(\d+)\s*(k?)(?:b|bytes)$/i,
    '2048 B, or 2 kb',
  );
  const [dimension = '', list = ''] = matchField(
    `${where}, split index`,
    split,
    /^([a-z])\s*\[(.*)\]$/is,
    'C[(0,255),(256,511)]',
  );
  const parts = list.split(/(?<=\))\s*,\s*/).map((part): Range => {
    const [first = '', last = ''] = matchField(
      `${where}, split index`,
      part.trim(),
      /^\(\s*(\d+)\s*,\s*(\d+)\s*\)$/,
      '(first,last)',
    );
    return [Number(first), Number(last) + 1];
  });
  const levels = exchange
    .toLowerCase()
    .split('+')
    .map((level) =>
      checkOneOf('layout.text', `${where}, exchange`, level.trim(), [Exchange.None, ...LEVELS]),
    );
  return shapeOf(
    {
      type: type.toLowerCase() as NumberType,
      dims: dims.toUpperCase(),
      tile: byLetter(`${where}, tile`, tile, /^(\d+)$/, ([length = '']) => Number(length)),
      padding: byLetter(
        `${where}, padding`,
        padding,
        /^(\d+)(?::(-?[\d.]+(?:e[+-]?\d+)?))?$/i,
        ([length = '', fill = '']) => ({
          length: Number(length),
          fill: Number(fill),
        }),
      ),
      bytes: Number(number) * (unit === '' ? 1 : 1024),
      split: { dimension: dimension.toUpperCase() as Dimension, parts },
      storage: readStorage(storage.toLowerCase()),
      exchange: exchangeSet(levels),
    },
    where,
  );
}

/** `C=512 H=4`, or `-`. */
function byLetter<T>(
  where: string,
  field: string,
  value: RegExp,
  read: (groups: readonly string[]) => T,
): Partial<Record<Dimension, T>> {
  if (field === '-') return {};
  const found: Partial<Record<Dimension, T>> = {};
  for (const item of field.split(/\s+/)) {
    const [letter = '', text = ''] = matchField(where, item, /^([a-z])=(.*)$/i, 'such as C=24, or -');
    const dimension = letter.toUpperCase();
    if (!isDimension(dimension) || found[dimension] !== undefined)
      throw wrong('layout.text', where, start(item), 'a dimension, once');
    found[dimension] = read(matchField(where, text, value, 'a whole number'));
  }
  return found;
}

function readStorage(field: string): Storage {
  if (field === 'mem' || field === 'cluster') return field;
  const names = /^\{(.*)\}$/.exec(field)?.[1]?.trim().split(/\s+/) ?? [field];
  return checkStorage('dynamic label, storage', names as Place[]);
}
