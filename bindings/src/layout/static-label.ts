/** What a datum is on every machine [L1]. */
import { CATEGORIES, type Category } from './category.js';
import { describe } from '../arguments.js';
import { byDimension, type Dimension, lettersOf, MOST_ELEMENTS, product, type Sizes } from './dimensions.js';
import { NUMBER_TYPES, type NumberType } from './numbers.js';
import { fieldsOf, matchField } from './text.js';
import { checkObject, checkOneOf, checkWhole, wrong } from './wrong.js';

/** Category, type, dimensions, their order and sizes (seed 004, paragraphs 59-61, 104-110). */
export interface StaticLabel {
  /** What it is to the network. */
  readonly category: Category;
  /** Type of its numbers. */
  readonly type: NumberType;
  /** Dimensions, the outermost first: `NCHW`. */
  readonly dims: string;
  /** The size of each, in that order: whole numbers from 1. */
  readonly sizes: readonly number[];
}

/** A label that was looked at, frozen. Errors: LayoutError `layout.label`. */
export function staticLabel(label: StaticLabel, where = 'static label'): StaticLabel {
  checkObject('layout.label', where, label, ['category', 'type', 'dims', 'sizes']);
  const category = checkOneOf('layout.label', `${where}, category`, label.category, CATEGORIES);
  const type = checkOneOf('layout.label', `${where}, type`, label.type, NUMBER_TYPES);
  const letters = lettersOf('layout.label', `${where}, dimensions`, label.dims);
  const { sizes } = label;
  if (!Array.isArray(sizes) || sizes.length !== letters.length)
    throw wrong(
      'layout.label',
      `${where}, sizes`,
      describe(sizes),
      `an array of ${letters.length}, one for each of ${label.dims}`,
    );
  const checked = letters.map((letter, index) =>
    checkWhole('layout.label', `${where}, size of ${letter}`, sizes[index], 1, MOST_ELEMENTS),
  );
  if (product(checked) > MOST_ELEMENTS)
    throw wrong('layout.label', `${where}, sizes`, checked.join(' x '), 'at most 2^40 elements');
  return Object.freeze({ category, type, dims: label.dims, sizes: Object.freeze(checked) });
}

/** The letters of a label that was looked at. */
export function dimensionsOf({ dims }: { readonly dims: string }): readonly Dimension[] {
  return [...dims] as Dimension[];
}

/** Its static sizes, by dimension. */
export function staticSizes(label: StaticLabel): Sizes {
  return byDimension(dimensionsOf(label), label.sizes);
}

/** `static: in, float32, dim_NC, {1 1024}`. */
export function printStatic(label: StaticLabel): string {
  const { category, type, dims, sizes } = staticLabel(label);
  return `static: ${category}, ${type}, dim_${dims}, {${sizes.join(' ')}}`;
}

/** Reads {@link printStatic}'s text; letters may be small, as the seed has them. Errors: LayoutError `layout.text`, `layout.label`. */
export function parseStatic(text: string): StaticLabel {
  const fields = fieldsOf('static', text, ['category', 'type', 'dim_ORDER', '{sizes}']);
  const [category, type, order, sizes] = fields as [string, string, string, string];
  const [dims = ''] = matchField('static label, dimensions', order, /^dim_([a-z]+)$/i, 'dim_ and letters');
  const [numbers = ''] = matchField('static label, sizes', sizes, /^\{\s*(\d+(?:\s+\d+)*)\s*\}$/, '{1 1024}');
  return staticLabel({
    category: category.toLowerCase() as Category,
    type: type.toLowerCase() as NumberType,
    dims: dims.toUpperCase(),
    sizes: numbers.split(/\s+/).map(Number),
  });
}
