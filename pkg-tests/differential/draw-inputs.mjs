/** Random inputs, as they are declared, and their cells, as people write them. */
import { fraction, powerOfTen } from './fraction.mjs';
import { countOf, namesOf } from './model/data.mjs';
import { cellsOf, nested } from './shapes.mjs';

const DAY_MS = 86_400_000;
const NAMES = [
  'x',
  'y',
  'x y',
  'Größe',
  '0',
  'constructor',
  'toString',
  'a'.repeat(70),
  '數',
  'a"b\\',
  '.',
  '-1',
  'length',
  '\u{1f9ee}',
];
/** The largest integers, in units, by how often. */
const SIZES = { BGV: { 1: 3, 3: 5, 9: 7, 60: 4, 2000: 2, 1e6: 1, 1e12: 0.3 }, CKKS: { 1: 3, 9: 6, 100: 3, 5000: 1 } };

/** Names of categories, some of which objects have, or differ by little. */
const CATEGORIES = ['north', 'south', '0', '1', ' ', 'constructor', 'Nord\n"', 'é', 'e\u0301', 'b'.repeat(200), '東'];
/** The last day that a `Date` has, and days with years of four digits. */
export const MOST_DAY = 100_000_000;
const [FIRST_WRITTEN, LAST_WRITTEN] = [-719_528, 2_932_896];

/** Lengths of dimensions that are drawn from, so that values go together. */
function randomShapes(dice) {
  const lengths = [dice.between(2, 6), dice.between(1, 5)];
  const [m, k] = dice.chance(0.15) ? [dice.between(7, 20), 2] : lengths;
  const shapes = [[], [m], [k], [m, k], [m, k], [k, m], [1, k], [m, 1], [2, m, k].slice(0, m * k <= 20 ? 3 : 1)];
  return dice.chance(0.1) ? [[], [dice.between(20, 40)]] : shapes;
}

/** Of few cells: each has many digits. */
function shortShapes(dice) {
  const length = dice.between(2, 5);
  return [[], [length], [length], [length], [2, 3], [1, length]];
}

export function randomInputs(dice, { scheme, wide }) {
  const shapes = wide ? shortShapes(dice) : randomShapes(dice);
  const names = [...NAMES];
  const count = 1 + Number(dice.weighted({ 0: 2, 1: 4, 2: 4, 3: 2 }));
  const inputs = [];
  for (let index = 0; index < count; index++) {
    const place = index === 0 ? 'encrypted' : dice.weighted({ encrypted: 6, plain: 2.5, public: 2 });
    const [name] = names.splice(dice.chance(0.6) ? 0 : dice.below(names.length), 1);
    const mayBe = ({ options }) => scheme !== 'BGV' || place !== 'encrypted' || options.kind !== 'real';
    const like = dice.pick(inputs.filter(mayBe));
    // Values of one type and bounds may stand for each other.
    const options =
      like && dice.chance(wide ? 0.5 : 0.1)
        ? { ...like.options }
        : inputOptions(dice, { scheme, wide, place, first: index === 0, shapes });
    inputs.push({ place, name, options, cells: randomCells(dice, options) });
  }
  return inputs;
}

function inputOptions(dice, { scheme, wide, place, first, shapes }) {
  const isReal = first && scheme === 'CKKS';
  const kind = isReal ? 'real' : randomKind(dice, scheme, place);
  const own = wide && (first || dice.chance(0.6)) ? wideOptions(dice) : randomOptions(dice, kind, scheme);
  const options = { ...own, shape: dice.pick(shapes) };
  if (dice.chance(isReal ? 0.05 : 0.15)) options.missing = true;
  else if (dice.chance(0.05)) options.missing = false;
  if (options.shape.length === 0 && dice.chance(0.7)) delete options.shape;
  return options;
}

function randomKind(dice, scheme, place) {
  if (scheme === 'CKKS') return dice.weighted({ real: 6, integer: 3, boolean: 1.5, date: 0.4, category: 0.3 });
  return dice.weighted({ integer: 8, boolean: 3, date: 1, category: 1, real: place === 'encrypted' ? 0 : 1.5 });
}

function randomOptions(dice, kind, scheme) {
  switch (kind) {
    case 'boolean':
      return { kind };
    case 'category':
      return { kind, categories: randomCategories(dice) };
    case 'date': {
      const first = dice.between(-3000, 20_000);
      const last = first + dice.pick([0, 6, 30, 200]);
      return { kind, min: asDay(dice, first), max: asDay(dice, last) };
    }
    case 'real': {
      const most = dice.pick([0.5, 1, 1, 2, 4, 30]);
      return { kind, min: dice.pick([-most, -most, 0, 0.25]), max: most };
    }
    default:
      return randomIntegers(dice, scheme);
  }
}

/** So many, or their names. */
function randomCategories(dice) {
  const count = dice.between(1, 6);
  if (dice.chance(0.4)) return count;
  const names = [...CATEGORIES];
  return Array.from({ length: count }, () => names.splice(dice.below(names.length), 1)[0]);
}

/** Numbers of many digits, days of centuries, and so many categories, that they are compared by digits. */
function wideOptions(dice) {
  switch (dice.weighted({ integer: 8, date: 2, category: 2 })) {
    case 'category':
      return { kind: 'category', categories: dice.pick([30, 1000, 5000, 65_536, 100_000]) };
    case 'date': {
      const first = dice.chance(0.1) ? -MOST_DAY : dice.between(-300_000, 100_000);
      const last = dice.chance(0.1) ? MOST_DAY : first + dice.pick([60, 3000, 36_525, 150_000]);
      return { kind: 'date', min: asDay(dice, first), max: asDay(dice, last) };
    }
    default:
      return wideIntegers(dice);
  }
}

function wideIntegers(dice) {
  const digits = dice.pick([2, 2, 3, 4, 5, 6, 9, 9, 15, 18, 36]);
  const most = dice.chance(0.3) ? 8n ** BigInt(digits) - BigInt(dice.below(2)) : 10n ** BigInt(digits);
  const decimals = digits > 15 ? 0 : Number(dice.weighted({ 0: 6, 1: 1, 2: 2, 5: 0.5 }));
  const ends = {
    natural: [0n, most],
    any: [-most, most],
    negative: [-most, -1n],
    some: [dice.bigBetween(-most, 0n), dice.bigBetween(0n, most)],
    // What is far from 0 has few digits all the same.
    far: [most - 200n, most],
  };
  const [min, max] = ends[dice.weighted({ natural: 4, any: 4, negative: 1, some: 2, far: 1 })].map((units) =>
    numberOf(dice, units, decimals),
  );
  return { min, max, ...(decimals > 0 && { decimals }) };
}

function randomIntegers(dice, scheme) {
  const decimals = Number(dice.weighted(scheme === 'BGV' ? { 0: 7, 1: 2, 2: 1, 6: 0.2 } : { 0: 7, 1: 2 }));
  const most = BigInt(dice.weighted(SIZES[scheme]));
  const ends = {
    natural: [0n, most],
    any: [-most, most],
    some: [dice.bigBetween(-most, 0n), dice.bigBetween(0n, most)],
    one: [most, most],
  };
  const [min, max] = ends[dice.weighted({ natural: 4, any: 4, some: 3, one: 0.3 })].map((units) =>
    numberOf(dice, units, decimals),
  );
  return {
    ...(dice.chance(0.1) && { kind: 'integer' }),
    min,
    max,
    ...((decimals > 0 || dice.chance(0.05)) && { decimals }),
  };
}

/** A number that stands for so many units. */
export function numberOf(dice, units, decimals) {
  if (decimals === 0 && (units > 2n ** 53n || units < -(2n ** 53n) || dice.chance(0.05))) return units;
  const number = Number(`${units}e-${decimals}`);
  return number === 0 && dice.chance(0.2) ? -0 : number;
}

function asDay(dice, day) {
  const date = new Date(day * DAY_MS);
  const isShort = day >= FIRST_WRITTEN && day <= LAST_WRITTEN;
  return !isShort || dice.chance(0.5) ? date : date.toISOString().slice(0, 10);
}

const unitsOf = (number, decimals) => {
  const { n, d } = fraction(number);
  return (n * powerOfTen(decimals)) / d;
};
const numberOfDay = (day) => new Date(day).getTime() / DAY_MS;

function randomCell(dice, { kind, min, max, decimals = 0, categories }, extreme) {
  switch (kind) {
    case 'boolean':
      return dice.chance(0.5);
    case 'category': {
      const number = dice.below(countOf(categories));
      return namesOf(categories)?.[number] ?? (extreme && number > 0 ? countOf(categories) - 1 : number);
    }
    case 'date':
      return extreme ? dice.pick([min, max]) : asDay(dice, dice.between(numberOfDay(min), numberOfDay(max)));
    case 'real': {
      if (extreme) return dice.pick([min, max]);
      // Short ones and long ones.
      const between = min + ((max - min) * dice.below(2 ** 30)) / 2 ** 30;
      return dice.chance(0.5) ? between : Math.min(max, Math.max(min, Math.round(between * 64) / 64));
    }
    default: {
      const [low, high] = [unitsOf(min, decimals), unitsOf(max, decimals)];
      const units = dice.chance(0.3) ? memorable(dice, low, high) : dice.bigBetween(low, high);
      return extreme ? dice.pick([min, max]) : numberOf(dice, units, decimals);
    }
  }
}

/** One of few numbers between two, of which some are next to each other. */
function memorable(dice, low, high) {
  const middle = (low + high) / 2n;
  const some = [low, low + 1n, middle - 1n, middle, middle + 1n, high - 1n, high, -1n, 0n, 1n];
  return dice.pick(some.filter((units) => units >= low && units <= high));
}

function randomCells(dice, options) {
  const { kind = 'integer', shape = [], missing = false } = options;
  const absent = missing ? dice.pick([0, 0.2, 0.5, 0.5, 1]) : 0;
  const extremes = dice.pick([0.05, 0.05, 0.5]);
  const same = dice.chance(0.05) ? randomCell(dice, options, false) : undefined;
  const one = () => {
    if (dice.chance(absent)) return dice.pick([null, undefined, NaN]);
    return same ?? randomCell(dice, options, dice.chance(extremes));
  };
  const cells = Array.from({ length: cellsOf(shape) }, one);
  if (dice.chance(0.85) || shape.length === 0) return nested(shape, cells);
  if (kind === 'boolean' && !missing) return Uint8Array.from(cells, Number);
  if (!['integer', 'real'].includes(kind) || cells.some((cell) => typeof cell === 'bigint'))
    return nested(shape, cells);
  const short = cells.every((cell) => Number.isInteger(cell) && Math.abs(cell) < 2 ** 31);
  return short && dice.chance(0.5) ? Int32Array.from(cells) : Float64Array.from(cells, (cell) => cell ?? NaN);
}
