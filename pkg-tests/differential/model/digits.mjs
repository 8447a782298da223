/** Of what digits are compared: of inputs, and of known numbers, which were only moved, multiplied with known numbers and added to such. */
import { isSingle } from '../cells.mjs';
import { compare, powerOfTen } from '../fraction.mjs';
import { COUNTED } from './constants.mjs';

const BASE = 8n;
/** Differences, 0 included, up to which one comparison is cheaper than that of digits. */
const FEW = { order: 48n, equality: 24n };
/** Most that units of an input are multiplied with. */
const MOST_FACTOR = 10n ** 24n;

/** How many digits are compared of two values; undefined where these are compared as they are. */
export function digitsOf(a, b, decimals, isEquality) {
  if ([a, b].some((one) => inUnits(one, decimals) === undefined)) return undefined;
  const [own, other] = [unitsOf(a, decimals), unitsOf(b, decimals)];
  const values = own.most - own.least + (other.most - other.least) + 1n;
  if (values <= (isEquality ? FEW.equality : FEW.order)) return undefined;
  const least = own.least < other.least ? own.least : other.least;
  const most = own.most > other.most ? own.most : other.most;
  let count = 1;
  while (BASE ** BigInt(count) <= most - least) count++;
  return count;
}

/** The factor in units of so many decimals; undefined where nobody has digits. */
function inUnits({ factor, decimals }, wanted) {
  return wanted > decimals ? product(factor, powerOfTen(wanted - decimals)) : factor;
}

function product(factor, by) {
  const made = factor === undefined ? undefined : factor * by;
  return made === undefined || made > MOST_FACTOR || made < -MOST_FACTOR ? undefined : made;
}

/** What cells may be at least and at most. */
function unitsOf({ reach, kind }, decimals) {
  const scale = powerOfTen(kind === 'integer' ? decimals : 0);
  const [low, high] = [reach.map(({ low }) => low), reach.map(({ high }) => high)].map((all) => all.toSorted(compare));
  const units = ({ n, d }) => (n * scale) / d;
  return { least: units(low[0]), most: units(high.at(-1)) };
}

/** Whether it is one known number. */
function isNumber({ constant, factor, cells }) {
  return (
    constant && factor !== undefined && cells.every((cell) => isSingle(cell) && compare(cell.low, cells[0].low) === 0)
  );
}

/** Of a sum, or a difference: of one of the two where the other one is a known number. */
export function factorOfSum(a, b, { kind, decimals = 0 }) {
  if (!COUNTED.includes(kind)) return undefined;
  return isNumber(b) ? inUnits(a, decimals) : isNumber(a) ? inUnits(b, decimals) : undefined;
}

export function factorOfProduct(a, b, { kind }) {
  if (!COUNTED.includes(kind)) return undefined;
  const by = ({ cells: [{ low }], decimals }) => (low.n * powerOfTen(decimals)) / low.d;
  return isNumber(b) ? product(a.factor, by(b)) : isNumber(a) ? product(b.factor, by(a)) : undefined;
}

/** Of what is put together of several ones. */
export function factorOfAll(all, { kind, decimals = 0 }) {
  if (all.some((one) => one.kind !== kind)) return undefined;
  const factors = all.map((one) => inUnits(one, decimals));
  const size = (factor) => (factor < 0n ? -factor : factor);
  return factors.includes(undefined) ? undefined : factors.reduce((most, one) => (size(one) > size(most) ? one : most));
}
