/** Cells and bounds as people write them. */
import { hull, NOUGHT, single, UNIT } from '../cells.mjs';
import { compare, decimalsOf, fraction, ofDouble } from '../fraction.mjs';
import { cellsOf, flattened, sameShape } from '../shapes.mjs';

const DAY_MS = 86_400_000;

/** The number of a day; undefined for what is none. */
export function dayOf(day) {
  const isDay = typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day);
  const time = day instanceof Date ? day.getTime() : isDay ? Date.parse(day) : NaN;
  // The 31st of February is none.
  const real = !isDay || (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day));
  return real && Number.isInteger(time / DAY_MS) ? time / DAY_MS : undefined;
}

/** How many categories there are, by number or names. */
export function countOf(categories) {
  return Array.isArray(categories) ? categories.length : categories;
}

/** The names of categories; undefined where they have none. */
export function namesOf(categories) {
  return Array.isArray(categories) ? categories : undefined;
}

const isNumber = (value) => typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));

/** What a bound of a value stands for; undefined for what is none. */
export function readBound({ kind, decimals = 0 }, bound) {
  if (kind === 'date') {
    const day = dayOf(bound);
    return day === undefined ? undefined : fraction(day);
  }
  if (!isNumber(bound)) return undefined;
  if (kind === 'real') return ofDouble(Number(bound));
  return decimalsOf(bound) <= decimals ? fraction(bound) : undefined;
}

/** One cell; a code for what is none. */
function readCell({ kind, decimals = 0, categories }, cell) {
  const names = namesOf(categories);
  switch (kind) {
    case 'boolean':
      return typeof cell === 'boolean' || cell === 0 || cell === 1 ? fraction(Number(cell)) : 'input.kind';
    case 'date': {
      const day = typeof cell === 'string' || cell instanceof Date ? dayOf(cell) : undefined;
      return day === undefined ? 'input.kind' : fraction(day);
    }
    case 'category':
      if (names) return names.includes(cell) ? fraction(names.indexOf(cell)) : 'input.kind';
      if (!Number.isInteger(cell)) return 'input.kind';
      return cell >= 0 && cell < categories ? fraction(cell) : 'range.value';
    case 'real':
      return isNumber(cell) ? ofDouble(Number(cell)) : 'input.kind';
    default:
      if (!isNumber(cell)) return 'input.kind';
      return decimalsOf(cell) <= decimals ? fraction(cell) : 'input.decimals';
  }
}

const isAbsent = (cell) => cell === null || cell === undefined || Number.isNaN(cell);

/** The cells of an input, `{ cells, present }`, or `{ codes }` of what is wrong with them. */
export function readCells(options, value) {
  const { shape = [], missing = false } = options;
  const found = flattened(value);
  const flat = ArrayBuffer.isView(value) && value.length === cellsOf(shape);
  if (!found || !(flat || sameShape(found.shape, shape))) return { codes: ['input.shape'] };
  const codes = new Set();
  const [min, max] = ['min', 'max'].map((bound) => options[bound] !== undefined && readBound(options, options[bound]));
  const present = found.cells.map((cell) => (isAbsent(cell) ? NOUGHT : UNIT));
  const cells = found.cells.map((cell) => {
    if (isAbsent(cell)) {
      if (!missing) codes.add('input.missing_value');
      return NOUGHT;
    }
    const read = readCell(options, cell);
    const outside = typeof read !== 'string' && ((min && compare(read, min) < 0) || (max && compare(read, max) > 0));
    if (typeof read === 'string' || outside) codes.add(outside ? 'range.value' : read);
    return typeof read === 'string' ? NOUGHT : single(read);
  });
  return codes.size > 0 ? { codes: [...codes] } : { cells, ...(missing && { present }) };
}

/** What the cells of an input may be. */
export function boundsOf(options) {
  const { kind = 'integer', shape = [], missing = false, categories } = options;
  const ends = { boolean: [0, 1], category: [0, countOf(categories) - 1] }[kind]?.map(fraction);
  const [low, high] = ends ?? [options.min, options.max].map((bound) => readBound({ ...options, kind }, bound));
  const one = hull(single(low), single(high));
  const cells = Array(cellsOf(shape)).fill(one);
  return { cells, ...(missing && { present: cells.map(() => hull(NOUGHT, UNIT)) }) };
}
