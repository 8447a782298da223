/**
 * What each operation on plain data means, by the formulas of the documentation. Slow, and sharing nothing with the
 * package. An operation is `(element, inputs, attributes) => { element, shape, bits }`, tensors being such results.
 */
import { decode, encode, Rough } from './bits.mjs';
import { ELEMENTS, lengthOf } from './elements.mjs';

// ------------------------------------------------------------------------------------------ numbers of an element

/** A result of an operation on elements of a kind: rounded, or wrapped. */
function fit(element, value) {
  const { kind, bits } = ELEMENTS[element];
  if (kind === 'float') return element === 'f32' ? Math.fround(value) : value;
  return kind === 'signed' ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

const isFloat = (element) => ELEMENTS[element].kind === 'float';
const widthOf = (element) => BigInt(ELEMENTS[element].bits);
const unsigned = (element, value) => BigInt.asUintN(ELEMENTS[element].bits, value);
const zero = (element) => (isFloat(element) ? 0 : 0n);
const one = (element) => (isFloat(element) ? 1 : 1n);

/** The order of `min`, `max` and `sort`: -0 below +0. NaN is not asked about. */
function isBelow(a, b) {
  return a < b || (Object.is(a, -0) && Object.is(b, 0));
}

const ARITHMETIC = {
  add: (element, a, b) => fit(element, a + b),
  sub: (element, a, b) => fit(element, a - b),
  mul: (element, a, b) => fit(element, a * b),
  div: (element, a, b) => (b === 0n ? fit(element, -1n) : fit(element, a / b)),
  rem: (element, a, b) => (b === 0n ? a : fit(element, a % b)),
  neg: (element, a) => fit(element, -a),
  abs: (element, a) => (isFloat(element) ? Math.abs(a) : fit(element, a < 0n ? -a : a)),
  min: (_, a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : isBelow(b, a) ? b : a),
  max: (_, a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : isBelow(a, b) ? b : a),
  sqrt: (element, a) => fit(element, Math.sqrt(a)),
  exp: (element, a) => new Rough(fit(element, Math.exp(a))),
  log: (element, a) => new Rough(fit(element, Math.log(a))),
  tanh: (element, a) => new Rough(fit(element, Math.tanh(a))),
  and: (_, a, b) => a & b,
  or: (_, a, b) => a | b,
  xor: (_, a, b) => a ^ b,
  not: (element, a) => fit(element, ~a),
  shl: (element, a, b) => fit(element, a << amount(element, b)),
  shr: (element, a, b) => a >> amount(element, b),
  rotl(element, a, b) {
    const [x, by] = [unsigned(element, a), amount(element, b)];
    return fit(element, (x << by) | (x >> (widthOf(element) - by)));
  },
};

function amount(element, value) {
  return unsigned(element, value) % widthOf(element);
}

const COMPARISONS = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

/** A value as an element of another kind. */
export function convert(to, value) {
  if (to === 'bit') return BigInt(value !== 0 && value !== 0n);
  if (typeof value === 'bigint') return isFloat(to) ? nearest(to, value) : fit(to, value);
  if (isFloat(to)) return fit(to, value);
  if (Number.isNaN(value)) return 0n;
  const { kind, bits } = ELEMENTS[to];
  const [least, most] =
    kind === 'signed' ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] : [0n, 2n ** BigInt(bits) - 1n];
  if (value <= Number(least)) return least;
  if (value >= Number(most)) return most;
  return BigInt(Math.trunc(value));
}

/** The float nearest to an integer: what lies far below its digits is kept as one bit, so that it is rounded once. */
function nearest(to, value) {
  if (to === 'f64') return Number(value);
  const size = value < 0n ? -value : value;
  const surplus = BigInt(Math.max(0, size.toString(2).length - 40));
  const [high, low] = [size >> surplus, size & ((1n << surplus) - 1n)];
  const rounded = Math.fround(Number(low === 0n ? high : high | 1n)) * 2 ** Number(surplus);
  return value < 0n ? -rounded : rounded;
}

// ------------------------------------------------------------------------------------------------------- tensors

/** The bits of element `index`. */
function cell({ element, bits }, index) {
  const width = ELEMENTS[element].bits;
  return bits.subarray(index * width, (index + 1) * width);
}

const valueAt = (tensor, index) => decode(tensor.element, cell(tensor, index));
const valuesOf = (tensor) => Array.from({ length: lengthOf(tensor.shape) }, (_, index) => valueAt(tensor, index));

/** A tensor whose elements are given as bits, by their index. */
function made(element, shape, bitsAt) {
  const width = ELEMENTS[element].bits;
  const bits = new Uint8Array(lengthOf(shape) * width);
  for (let index = 0; index < lengthOf(shape); index++) bits.set(bitsAt(index), index * width);
  return { element, shape, bits };
}

const computed = (element, shape, valueOf) => made(element, shape, (index) => encode(element, valueOf(index)));

/** `f` of values, open where one of them is. */
function known(f, ...values) {
  return values.includes(undefined) ? undefined : f(...values);
}

/** Coordinates of an element, and back. */
function coordinates(shape, index) {
  const at = new Array(shape.length);
  for (let d = shape.length - 1; d >= 0; d--) {
    at[d] = index % shape[d];
    index = Math.floor(index / shape[d]);
  }
  return at;
}

const indexOf = (shape, at) => shape.reduce((index, dimension, d) => index * dimension + at[d], 0);

function broadcastShape(shapes) {
  const rank = Math.max(...shapes.map(({ length }) => length));
  const padded = shapes.map((shape) => [...Array(rank - shape.length).fill(1), ...shape]);
  return Array.from({ length: rank }, (_, d) => {
    const sizes = new Set(padded.map((shape) => shape[d]).filter((size) => size !== 1));
    if (sizes.size > 1) throw new Error(`shapes ${JSON.stringify(shapes)} do not broadcast`);
    return [...sizes][0] ?? 1;
  });
}

/** Where element `index` of a shape comes from in a tensor that is broadcast to it. */
function source(own, shape, index) {
  const at = coordinates(shape, index).slice(shape.length - own.length);
  return indexOf(
    own,
    at.map((place, d) => (own[d] === 1 ? 0 : place)),
  );
}

/** A function of the values at each place. */
function elementwise(element, inputs, f) {
  const shape = broadcastShape(inputs.map((input) => input.shape));
  return computed(element, shape, (index) =>
    known(f, ...inputs.map((input) => valueAt(input, source(input.shape, shape, index)))),
  );
}

/** The rows along an axis: for each place in the other dimensions the values there. */
function along(x, axis, f) {
  const shape = x.shape.toSpliced(axis, 1);
  return Array.from({ length: lengthOf(shape) }, (_, index) => {
    const at = coordinates(shape, index);
    return f(Array.from({ length: x.shape[axis] }, (_, k) => valueAt(x, indexOf(x.shape, at.toSpliced(axis, 0, k)))));
  });
}

/** Each row becomes one value; open if one of its elements is. */
function reduced(x, axis, element, f) {
  const results = along(x, axis, (row) => known((...values) => f(values), ...row));
  return computed(element, x.shape.toSpliced(axis, 1), (index) => results[index]);
}

/** Each row becomes a row. */
function rowwise(x, axis, element, f) {
  const rows = along(x, axis, (row) => f(row));
  const others = x.shape.toSpliced(axis, 1);
  return computed(element, x.shape, (index) => {
    const at = coordinates(x.shape, index);
    return rows[indexOf(others, at.toSpliced(axis, 1))][at[axis]];
  });
}

const axisOf = ({ axis }) => Number(axis);
const numbers = (list) => list.map(Number);

/** Sums and products of floats: blocks of 1,024, eight partial results in each, then pairs. */
function byBlocks(values, start, combine) {
  let blocks = [];
  for (let from = 0; from < values.length; from += 1024) {
    const parts = new Array(8).fill(start);
    for (const [index, value] of values.slice(from, from + 1024).entries())
      parts[index % 8] = combine(parts[index % 8], value);
    const pair = (a, b) => combine(parts[a], parts[b]);
    blocks.push(combine(combine(pair(0, 1), pair(2, 3)), combine(pair(4, 5), pair(6, 7))));
  }
  while (blocks.length > 1) {
    const next = [];
    for (let k = 0; k < blocks.length; k += 2)
      next.push(k + 1 < blocks.length ? combine(blocks[k], blocks[k + 1]) : blocks[k]);
    blocks = next;
  }
  return blocks[0];
}

/** Along an axis, in the element of totals. */
function total(name, start) {
  return (element, [x], attributes) => {
    const to = ELEMENTS[element].total;
    const combine = (a, b) => ARITHMETIC[name](to, a, b);
    return reduced(x, axisOf(attributes), to, (values) =>
      isFloat(element) ? byBlocks(values, start(to), combine) : values.reduce(combine, start(to)),
    );
  };
}

function reduction(name) {
  return (element, [x], attributes) =>
    reduced(x, axisOf(attributes), element, (values) => values.reduce((a, b) => ARITHMETIC[name](element, a, b)));
}

/** The first place of what the reduction gives. */
function place(name) {
  return (element, [x], attributes) =>
    reduced(x, axisOf(attributes), 'u64', (values) => {
      const best = values.reduce((a, b) => ARITHMETIC[name](element, a, b));
      return BigInt(values.findIndex((value) => Object.is(value, best)));
    });
}

function scan(element, [x], { axis, of }) {
  const to = ELEMENTS[element].total;
  const combine = ARITHMETIC[{ sum: 'add', product: 'mul', min: 'min', max: 'max' }[of]];
  return rowwise(x, Number(axis), to, (row) => {
    const out = [row[0]];
    for (const value of row.slice(1)) out.push(known((a, b) => combine(to, a, b), out.at(-1), value));
    return out;
  });
}

function sort(element, [x], attributes) {
  return rowwise(x, axisOf(attributes), element, (row) => {
    if (row.includes(undefined)) return row.fill(undefined);
    const isNan = (value) => Number.isNaN(value);
    const sorted = row.filter((value) => !isNan(value)).sort((a, b) => (isBelow(a, b) ? -1 : isBelow(b, a) ? 1 : 0));
    return [...sorted, ...row.filter(isNan)];
  });
}

function matmul(element, [a, b]) {
  const [rows, inner] = a.shape.length === 1 ? [[], a.shape[0]] : [[a.shape[0]], a.shape[1]];
  const columns = b.shape.slice(1);
  const width = lengthOf(columns);
  const [left, right] = [valuesOf(a), valuesOf(b)];
  return computed(element, [...rows, ...columns], (index) => {
    const [i, j] = [Math.floor(index / width), index % width];
    let sum = zero(element);
    for (let k = 0; k < inner; k++)
      sum = known(
        (before, x, y) => ARITHMETIC.add(element, before, ARITHMETIC.mul(element, x, y)),
        sum,
        left[i * inner + k],
        right[k * width + j],
      );
    return sum;
  });
}

// -------------------------------------------------------------------------------------------- what moves elements

function select(element, [condition, a, b]) {
  const shape = broadcastShape([condition.shape, a.shape, b.shape]);
  return made(element, shape, (index) => {
    const at = (tensor) => source(tensor.shape, shape, index);
    const chosen = valueAt(condition, at(condition));
    if (chosen === undefined) return encode(element, undefined);
    return chosen !== 0n ? cell(a, at(a)) : cell(b, at(b));
  });
}

function gather(element, [x, index], attributes) {
  const axis = axisOf(attributes);
  const shape = [...x.shape.slice(0, axis), ...index.shape, ...x.shape.slice(axis + 1)];
  return made(element, shape, (k) => {
    const at = coordinates(shape, k);
    const chosen = valueAt(index, indexOf(index.shape, at.slice(axis, axis + index.shape.length)));
    if (chosen === undefined) return encode(element, undefined);
    if (chosen < 0n || chosen >= BigInt(x.shape[axis])) return encode(element, zero(element));
    return cell(x, indexOf(x.shape, at.toSpliced(axis, index.shape.length, Number(chosen))));
  });
}

function scatter(element, [x, index, updates], { axis: along, mode }) {
  const axis = Number(along);
  const cells = Array.from({ length: lengthOf(x.shape) }, (_, k) => cell(x, k));
  for (let k = 0; k < lengthOf(updates.shape); k++) {
    const at = coordinates(updates.shape, k);
    const chosen = valueAt(index, indexOf(index.shape, at.slice(axis, axis + index.shape.length)));
    // It may have been written anywhere.
    if (chosen === undefined) return computed(element, x.shape, () => undefined);
    if (chosen < 0n || chosen >= BigInt(x.shape[axis])) continue;
    const target = indexOf(x.shape, at.toSpliced(axis, index.shape.length, Number(chosen)));
    cells[target] = mode === 'set' ? cell(updates, k) : sum(element, cells[target], cell(updates, k));
  }
  return made(element, x.shape, (k) => cells[k]);
}

function sum(element, a, b) {
  return encode(
    element,
    known((x, y) => ARITHMETIC.add(element, x, y), decode(element, a), decode(element, b)),
  );
}

function slice(element, [x], { start, size }) {
  const [from, shape] = [numbers(start), numbers(size)];
  return made(element, shape, (index) =>
    cell(
      x,
      indexOf(
        x.shape,
        coordinates(shape, index).map((place, d) => place + from[d]),
      ),
    ),
  );
}

function concat(element, inputs, attributes) {
  const axis = axisOf(attributes);
  const shape = inputs[0].shape.with(
    axis,
    inputs.reduce((size, input) => size + input.shape[axis], 0),
  );
  return made(element, shape, (index) => {
    const at = coordinates(shape, index);
    let k = 0;
    while (at[axis] >= inputs[k].shape[axis]) at[axis] -= inputs[k++].shape[axis];
    return cell(inputs[k], indexOf(inputs[k].shape, at));
  });
}

function transpose(element, [x], { axes }) {
  const order = numbers(axes);
  const shape = order.map((axis) => x.shape[axis]);
  return made(element, shape, (index) => {
    const at = [];
    for (const [d, place] of coordinates(shape, index).entries()) at[order[d]] = place;
    return cell(x, indexOf(x.shape, at));
  });
}

function broadcast(element, [x], { shape: to }) {
  const shape = numbers(to);
  return made(element, shape, (index) => cell(x, source(x.shape, shape, index)));
}

// ------------------------------------------------------------------------------------------------------ the table

const entries = (table, make) => Object.fromEntries(Object.entries(table).map(([name, f]) => [name, make(f)]));

/** All of them, by the second part of the operators' names. */
export const OPERATIONS = {
  ...entries(
    ARITHMETIC,
    (f) => (element, inputs) => elementwise(element, inputs, (...values) => f(element, ...values)),
  ),
  ...entries(
    COMPARISONS,
    (f) => (element, inputs) => elementwise(ELEMENTS[element].mask, inputs, (a, b) => BigInt(f(a, b))),
  ),
  convert: (element, inputs) => elementwise(element, inputs, (value) => convert(element, value)),
  sum: total('add', zero),
  product: total('mul', one),
  reduce_min: reduction('min'),
  reduce_max: reduction('max'),
  reduce_and: reduction('and'),
  reduce_or: reduction('or'),
  reduce_xor: reduction('xor'),
  argmin: place('min'),
  argmax: place('max'),
  scan,
  sort,
  matmul,
  select,
  gather,
  scatter,
  slice,
  concat,
  transpose,
  broadcast,
};
