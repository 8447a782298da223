/** Shapes, and where cells come from when they move. Cells are in one row, the first dimension outermost. */

const MOST_DIMENSIONS = 16;
const MOST_CELLS = 2 ** 32;

export function cellsOf(shape) {
  return shape.reduce((cells, length) => cells * length, 1);
}

export function isShape(shape) {
  if (!Array.isArray(shape) || shape.length > MOST_DIMENSIONS) return false;
  return shape.every((length) => Number.isSafeInteger(length) && length >= 1) && cellsOf(shape) <= MOST_CELLS;
}

export function sameShape(a, b) {
  return a.length === b.length && a.every((length, axis) => length === b[axis]);
}

/** The shape that two broadcast to; undefined for two that do not. */
export function joint(a, b) {
  const rank = Math.max(a.length, b.length);
  const [first, second] = [a, b].map((shape) => [...Array(rank - shape.length).fill(1), ...shape]);
  const fits = first.every((length, axis) => length === second[axis] || length === 1 || second[axis] === 1);
  return fits ? first.map((length, axis) => (length === 1 ? second[axis] : length)) : undefined;
}

/** All places of a shape, in order, as indices. */
export function places(shape) {
  return shape.reduce((all, length) => all.flatMap((at) => Array.from({ length }, (_, index) => [...at, index])), [[]]);
}

/** The number of a place. */
export function numberOf(shape, place) {
  return place.reduce((number, index, axis) => number * shape[axis] + index, 0);
}

/** Of each place of a shape the number of the cell, in another shape, that a function of the place names. */
export function moved(to, from, placeIn) {
  return places(to).map((place) => numberOf(from, placeIn(place)));
}

/** Of each cell of a shape the cell of a smaller one that is repeated there. */
export function repeated(from, to) {
  if (sameShape(from, to)) return [...Array(cellsOf(to)).keys()];
  const skipped = to.length - from.length;
  return moved(to, from, (place) => from.map((length, axis) => (length === 1 ? 0 : place[axis + skipped])));
}

/** Cells in one row as arrays in arrays. */
export function nested(shape, cells) {
  let next = 0;
  const part = ([length, ...rest]) => (length === undefined ? cells[next++] : Array.from({ length }, () => part(rest)));
  return part(shape);
}

/** The shape that arrays in arrays have, and their cells in one row; undefined for unequal parts. */
export function flattened(value) {
  if (ArrayBuffer.isView(value)) return { shape: [value.length], cells: Array.from(value) };
  if (!Array.isArray(value)) return { shape: [], cells: [value] };
  const parts = value.map(flattened);
  if (parts.some((part) => !part || !sameShape(part.shape, parts[0].shape))) return undefined;
  return { shape: [value.length, ...(parts[0]?.shape ?? [])], cells: parts.flatMap(({ cells }) => cells) };
}
