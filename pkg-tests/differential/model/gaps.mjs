/**
 * Missing cells: which are there, what is made of that, and who is told. A mask, `{ place, half, levels }`, stands for what tells which cells of an operand are there: who has it, who computes
 * it, and how deep it is. A value is missing where one of its masks says so, and two values may have the same ones.
 */
import { chosen, isSingle, NOUGHT, opposite, product, sum, UNIT } from '../cells.mjs';

const PLACES = ['public', 'plain', 'encrypted'];
const HALVES = ['either', 'server', 'client'];

export const mask = (place, half, levels = 0) => ({ place, half, levels });

/** All masks of several lists, each once. */
export function masksOf(...lists) {
  return [...new Set(lists.flat())];
}

/** The same masks after a step of their own: `how` says what is another one now. */
export function otherMasks(masks, how = {}) {
  return masks.map((one) => ({ ...one, ...how }));
}

/** Who has what several masks tell together. */
export function placeOf(masks) {
  return most(
    PLACES,
    masks.map(({ place }) => place),
  );
}

export function halfOf(masks) {
  return most(
    HALVES,
    masks.map(({ half }) => half),
  );
}

/** One mask for several operands, which says what only all of them tell. */
export function maskOf(values, levels) {
  const all = values.flatMap((value) => [value, ...value.masks]);
  const deepest = Math.max(0, ...all.map((one) => (one.place === 'encrypted' ? one.levels : 0)));
  return mask(placeOf(all), halfOf(all), deepest + levels);
}

const most = (order, list) => order[Math.max(0, ...list.map((one) => order.indexOf(one)))];

/** Whether a cell of a view is there, as a boolean. */
export function presentIn({ present }, at) {
  return present?.[at] ?? UNIT;
}

export function surelyMissing({ present }, at) {
  return present !== undefined && present[at].high.n === 0n;
}

/** Where all of several ones are there. */
export function present(...all) {
  return all.reduce(product, UNIT);
}

/** Cells of a view, another one where they are missing. */
export function filledCells({ cells, present }, fill = NOUGHT) {
  return present
    ? cells.map((cell, at) => (cell ? chosen(present[at], cell, fill) : filledUnknown(present[at], fill)))
    : cells;
}

const filledUnknown = (there, fill) => (isSingle(there) && there.low.n === 0n ? fill : undefined);

const not = (a) => sum(UNIT, opposite(a));
const isCertain = (a) => a && a.low.n > 0n;
const isPossible = (a) => !a || a.high.n > 0n;
/** Any of several, which are what they are for certain, or may be. */
function anyOf(all) {
  if (all.some(isCertain)) return UNIT;
  return all.some(isPossible) ? { low: NOUGHT.low, high: UNIT.low } : NOUGHT;
}

/** Kleene's: what is known of `a and b`, each told as a cell and whether it is there. */
export function knownAnd([a, isA], [b, isB]) {
  return anyOf([product(isA, isB), product(isA, a && not(a)), product(isB, b && not(b))]);
}

export function knownOr([a, isA], [b, isB]) {
  return anyOf([product(isA, isB), product(isA, a), product(isB, b)]);
}
