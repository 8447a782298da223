/** From a datum as it is given to parts as its label says [L4]. */
import { checkArgument } from '../arguments.js';
import { checkPair } from './checks.js';
import { type Dimension, inOrder } from './dimensions.js';
import { type DynamicLabel, operationSizes } from './dynamic-label.js';
import { CUT, MACHINE } from './kinds.js';
import type { LabelPair } from './label-operator.js';
import type { Machine, Place } from './machine.js';
import type { Range } from './split-index.js';
import { staticSizes } from './static-label.js';
import { checkTensor, convert, fit, type LayoutTensor, sizesOf, slice, transpose } from './tensor.js';
import { checkStorage, coreOfPart, placeOfPart } from './storage.js';
import { wrong } from './wrong.js';

/** What is done, in this order. */
export const PREPARATIONS = ['convert', 'transpose', 'pad', 'tile', 'split'] as const;
/** See {@link PREPARATIONS}. */
export type Preparation = (typeof PREPARATIONS)[number];

/** A datum, made ready. */
export interface Prepared {
  /** As the machine reads it: of the label's type, order and operation sizes. */
  readonly whole: LayoutTensor;
  /** Its tiles along each dimension that has some: what the machine takes at once. */
  readonly tiles: Readonly<Partial<Record<Dimension, readonly Range[]>>>;
  /** In the order of the split index. */
  readonly parts: readonly LayoutTensor[];
  /** What there was to do. */
  readonly done: readonly Preparation[];
}

/**
 * Converts, transposes, pads, tiles and splits a datum of the static label, as far as its state differs from the dynamic one (seed 004, paragraphs 65, 92, 98-103, 221). Errors: LayoutError `layout.data` for a datum that is not
 * what the static label says, or has more or fewer numbers; those of `dynamicLabel` for labels that break a rule.
 */
export function prepare(labels: LabelPair, data: LayoutTensor): Prepared {
  const { static: from, dynamic: to } = checkPair('prepare', labels);
  checkTensor('prepare, datum', data);
  checkAlike('prepare, datum', data, from);
  const sizes = operationSizes(to, from);
  const fills = Object.fromEntries(
    Object.entries(to.padding).map(([dimension, { fill }]) => [dimension, fill] as const),
  );
  // Numbers are those of the static type, whoever gave them; a conversion to the same type changes nothing.
  const given = convert(data, from.type);
  const whole = convert(fit(transpose(convert(given, to.type), to.dims), sizes, fills), to.type);
  const { dimension, parts } = to.split;
  const cut = parts.length > 1;
  const tiles = tilesOf(to, sizesOf(whole));
  const differs: Record<Preparation, boolean> = {
    convert: from.type !== to.type,
    transpose: from.dims !== to.dims,
    pad: Object.values(to.padding).some(({ length }) => length > 0),
    tile: Object.values(tiles).some((ranges) => ranges.length > 1),
    split: cut,
  };
  return {
    whole,
    tiles,
    parts: cut ? parts.map((range) => slice(whole, { [dimension]: range })) : [whole],
    done: PREPARATIONS.filter((step) => differs[step]),
  };
}

/** Errors: LayoutError `layout.data` for other dimensions or sizes. */
function checkAlike(
  where: string,
  found: Pick<LayoutTensor, 'dims' | 'sizes'>,
  expected: Pick<LayoutTensor, 'dims' | 'sizes'>,
): void {
  const print = ({ dims, sizes }: typeof found): string => `${dims} ${sizes.join(' x ')}`;
  if (print(found) !== print(expected)) throw wrong('layout.data', where, print(found), print(expected));
}

function tilesOf(
  { tile }: DynamicLabel,
  sizes: Readonly<Partial<Record<Dimension, number>>>,
): Prepared['tiles'] {
  const entries = Object.entries(tile) as [Dimension, number][];
  return Object.fromEntries(
    entries.map(([dimension, length]) => {
      const count = (sizes[dimension] ?? 1) / length;
      return [
        dimension,
        Array.from({ length: count }, (_, k): Range => [k * length, (k + 1) * length]),
      ] as const;
    }),
  );
}

/** Where a part of a datum lies, and whose it is. */
export interface PartPlace {
  /** From 0. */
  readonly part: number;
  /** The core that has it, from 0. */
  readonly core: number;
  readonly place: Place;
}

/** The place of each part of a datum [L4b]. Errors: InputError `input.type` for no label, or no machine; LayoutError `layout.storage`. */
export function placesOf(label: DynamicLabel, on: Machine): readonly PartPlace[] {
  checkArgument('placesOf, label', label, CUT);
  checkArgument('placesOf, machine', on, MACHINE);
  const { split } = label;
  const storage = checkStorage('placesOf, storage', label.storage, on);
  const count = split.parts.length;
  return split.parts.map((_, part) => ({
    part,
    core: coreOfPart(on, part, count),
    place: placeOfPart(on, storage, part, count),
  }));
}

/** The datum that a label's parts are, as its static label has it: joined, cut off, transposed, converted. Errors: as of {@link prepare}, for what has not the label's order and operation sizes. */
export function restore(labels: LabelPair, whole: LayoutTensor): LayoutTensor {
  const { static: to, dynamic: from } = checkPair('restore', labels);
  checkTensor('restore, datum', whole);
  const sizes = inOrder(from.dims, operationSizes(from, to));
  checkAlike('restore, datum', whole, { dims: from.dims, sizes });
  return convert(transpose(fit(whole, staticSizes(to)), to.dims), to.type);
}
