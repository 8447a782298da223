/**
 * Faults that the package could have, the other way round: wrong meanings of operations, made of right ones, and texts
 * that say something else than what was run. Each is `{ operations }` or `{ changed }`, as compare takes them.
 */
import { encode } from './bits.mjs';
import { ELEMENTS } from './elements.mjs';
import { OPERATIONS as RIGHT } from './operations.mjs';

/** Operations that mean something else for elements of some kinds. */
function meaning(names, kinds, change) {
  const wrong = (name) => (element, inputs, attributes) => {
    const { kind } = ELEMENTS[element];
    return kinds.includes(kind)
      ? change(element, inputs, attributes, RIGHT[name])
      : RIGHT[name](element, inputs, attributes);
  };
  return { operations: { ...RIGHT, ...Object.fromEntries(names.map((name) => [name, wrong(name)])) } };
}

/** Lines of operators that are changed. */
function text(change) {
  const line = (own) => (own.startsWith('op ') ? change(own) : own);
  return { changed: (whole) => whole.split('\n').map(line).join('\n') };
}

const inputsOf = (change) => text((line) => line.replace(/\((.*)\)(?= : )/, (_, inputs) => `(${change(inputs)})`));

const FLOAT = ['float'];
const INTEGER = ['signed', 'unsigned'];
const ANY = [...FLOAT, ...INTEGER];

const scalar = (element, value) => ({ element, shape: [], bits: encode(element, value) });
const seenAs = (element) => (tensor) => ({ ...tensor, element });
const asUnsigned = (element, inputs) => inputs.map(seenAs(ELEMENTS[element].mask));
const isNan = (element, x) => RIGHT.ne(element, [x, x]);
const converted = (to, x) => RIGHT.convert(to, [x]);

/** Backwards along an axis. */
function flipped(x, axis) {
  const places = Array.from({ length: x.shape[axis] }, (_, k) => encode('u32', BigInt(x.shape[axis] - 1 - k)));
  const index = { element: 'u32', shape: [places.length], bits: Uint8Array.from(places.flatMap((bits) => [...bits])) };
  return RIGHT.gather(x.element, [x, index], { axis });
}

export const FAULTS = {
  'differences are taken the other way': meaning(['sub'], ANY, (element, [a, b], _, right) => right(element, [b, a])),
  'x / 0 is 0': meaning(['div'], INTEGER, (element, [a, b], _, right) => {
    const zero = scalar(element, 0n);
    return RIGHT.select(element, [RIGHT.ne(element, [b, zero]), right(element, [a, b]), zero]);
  }),
  'x % 0 is 0': meaning(['rem'], INTEGER, (element, [a, b], _, right) => {
    const zero = scalar(element, 0n);
    return RIGHT.select(element, [RIGHT.ne(element, [b, zero]), right(element, [a, b]), zero]);
  }),
  'shifts by too many bits give 0': meaning(['shl', 'shr'], ['unsigned'], (element, [a, b], _, right) => {
    const few = RIGHT.lt(element, [b, scalar(element, BigInt(ELEMENTS[element].bits))]);
    return RIGHT.select(element, [few, right(element, [a, b]), scalar(element, 0n)]);
  }),
  'shifts lose the sign': meaning(['shr'], ['signed'], (element, inputs, _, right) =>
    seenAs(element)(right(ELEMENTS[element].mask, asUnsigned(element, inputs))),
  ),
  'signed integers are compared as unsigned ones': meaning(['lt', 'le'], ['signed'], (element, inputs, _, right) =>
    right(ELEMENTS[element].mask, asUnsigned(element, inputs)),
  ),
  'the larger one of NaN and a number is the number': meaning(['max'], FLOAT, (element, [a, b], _, right) => {
    const unlessB = RIGHT.select(element, [isNan(element, b), a, right(element, [a, b])]);
    return RIGHT.select(element, [isNan(element, a), b, unlessB]);
  }),
  '-0 is not below +0': meaning(['min', 'max'], FLOAT, (element, [a, b], _, right) =>
    RIGHT.select(element, [RIGHT.eq(element, [a, b]), b, right(element, [a, b])]),
  ),
  'sums of floats go from left to right': meaning(['sum'], FLOAT, (element, [x], { axis }) => {
    const sums = RIGHT.scan(element, [x], { axis, of: 'sum' });
    const last = flipped(sums, Number(axis));
    const size = last.shape.with(Number(axis), 1);
    const { bits } = RIGHT.slice(element, [last], { start: size.map(() => 0), size });
    return { element, shape: size.toSpliced(Number(axis), 1), bits };
  }),
  'sums keep the bits of their elements': meaning(['sum'], INTEGER, (element, inputs, attributes, right) => {
    const sum = right(element, inputs, attributes);
    return element === 'bit' ? sum : converted(sum.element, converted(element, sum));
  }),
  'rows of a matrix product are summed backwards': meaning(['matmul'], FLOAT, (element, [a, b], _, right) =>
    right(element, [flipped(a, a.shape.length - 1), flipped(b, 0)]),
  ),
  'products of f32 are not rounded': meaning(['matmul'], FLOAT, (element, inputs, _, right) =>
    converted(
      element,
      right(
        'f64',
        inputs.map((x) => converted('f64', x)),
      ),
    ),
  ),
  'of equal elements the last is the largest': meaning(['argmax'], ANY, (element, [x], attributes, right) => {
    const axis = Number(attributes.axis);
    const fromEnd = right(element, [flipped(x, axis)], attributes);
    return RIGHT.sub('u64', [scalar('u64', BigInt(x.shape[axis] - 1)), fromEnd]);
  }),
  'places outside are the last one': meaning(['gather'], ANY, (element, [x, index], attributes, right) => {
    const most = BigInt(x.shape[Number(attributes.axis)] - 1);
    if (index.element === 'u8' && most > 255n) return right(element, [x, index], attributes);
    return right(element, [x, RIGHT.min(index.element, [index, scalar(index.element, most)])], attributes);
  }),
  'what is written is added': meaning(['scatter'], ANY, (element, inputs, { axis }, right) =>
    right(element, inputs, { axis, mode: 'add' }),
  ),
  'conversions wrap instead of saturating': meaning(['convert'], INTEGER, (element, [x], _, right) =>
    ELEMENTS[element].bits < 64 && element !== 'bit' ? right(element, [converted('i64', x)]) : right(element, [x]),
  ),
  'elements are sorted the other way': meaning(['sort'], ANY, (element, inputs, attributes, right) =>
    flipped(right(element, inputs, attributes), Number(attributes.axis)),
  ),
  'the first two operands change places': inputsOf((inputs) => inputs.replace(/^([^,]+|![^)]+\)), ([^,]+)/, '$2, $1')),
  'views begin a unit early': inputsOf((inputs) =>
    inputs.replace(/\[(\d+),(\d+)\)/g, (view, start, end) => (start === '0' ? view : `[${start - 1},${end - 1})`)),
  ),
  'parts are merged backwards': inputsOf((inputs) =>
    inputs.replace(/\[[\d,)+[]+\)/g, (parts) => parts.split('+').toReversed().join('+')),
  ),
  'a bit of each constant is another': {
    changed: (whole) =>
      whole.replace(/@"([^"]+)"/g, (_, data) => {
        const bytes = Buffer.from(data, 'base64');
        bytes[0] ^= 1;
        return `@"${bytes.toString('base64')}"`;
      }),
  },
};
