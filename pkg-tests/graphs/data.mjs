/** Random data, with the values at the edges. */
import { ELEMENTS } from './elements.mjs';

const FLOAT_EDGES = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  1,
  -1,
  0.5,
  -1.5,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 63,
  2 ** 64,
];
const OWN_EDGES = {
  f32: [2 ** -149, -(2 ** -126), 3.4028234663852886e38, -3.4028234663852886e38, 16777217],
  f64: [Number.MIN_VALUE, -(2 ** -1022), Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53 + 1],
};

/** Flavors of data: small numbers, whose results are often exact; many digits; the edges; any bits at all. */
const FLAVORS = { small: 3, digits: 3, edges: 4, bits: 1 };

/** So many elements, as an array of the element's class. */
export function randomData(dice, element, length) {
  const flavor = dice.weighted(FLAVORS);
  if (flavor === 'bits' && element !== 'bit') return anyBits(dice, element, length);
  return arrayOf(
    element,
    Array.from({ length }, () => randomValue(dice, element, flavor)),
  );
}

/** Places along a dimension, a few of them outside of it. */
export function randomPlaces(dice, element, length, dimension) {
  const place = () => {
    if (dice.chance(0.15)) return randomValue(dice, element, 'edges');
    const value = BigInt(dice.between(-1, dimension));
    return ELEMENTS[element].kind === 'signed' || value >= 0n ? value : 0n;
  };
  return arrayOf(element, Array.from({ length }, place));
}

/** Also NaNs of all kinds. */
function anyBits(dice, element, length) {
  const { array, bits } = ELEMENTS[element];
  return new array(Uint8Array.from({ length: (length * bits) / 8 }, () => dice.below(256)).buffer);
}

function arrayOf(element, values) {
  const { array } = ELEMENTS[element];
  const wide = array === BigInt64Array || array === BigUint64Array || ELEMENTS[element].kind === 'float';
  return array.from(wide ? values : values.map(Number));
}

function randomValue(dice, element, flavor) {
  return ELEMENTS[element].kind === 'float' ? randomFloat(dice, element, flavor) : randomInteger(dice, element, flavor);
}

function randomFloat(dice, element, flavor) {
  if (flavor === 'digits') return (dice.between(-(2 ** 30), 2 ** 30) + dice.below(2 ** 20) / 2 ** 20) / 2 ** 28;
  if (flavor === 'edges' && dice.chance(0.6)) return dice.pick([...FLOAT_EDGES, ...OWN_EDGES[element]]);
  return dice.between(-400, 400) / 8;
}

function randomInteger(dice, element, flavor) {
  const { kind, bits } = ELEMENTS[element];
  const most = 2n ** BigInt(kind === 'signed' ? bits - 1 : bits) - 1n;
  const least = kind === 'signed' ? -most - 1n : 0n;
  if (flavor === 'digits') return dice.bigBetween(least, most);
  if (flavor === 'edges' && dice.chance(0.6)) return dice.pick([least, most, most - 1n, least + 1n, most >> 1n]);
  const value = BigInt(dice.between(-9, 20));
  return value < least ? 0n : value > most ? most : value;
}
