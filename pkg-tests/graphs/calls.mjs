/** What the calls of a recipe mean, without any text: that must be what their text means. */
import { ELEMENTS, lengthOf } from './elements.mjs';
import { OPERATIONS } from './operations.mjs';
import { arrayBits } from './recipe.mjs';

/** Of each step what it gives: `{ element, shape, bits }`, without the first two for plain units. */
export function meaningOfCalls({ unit, steps }) {
  const tensors = [];
  for (const step of steps) {
    const inputs = step.inputs.map((input) => tensors[input]);
    tensors.push({ ...namedBy(step.type), bits: BITS[step.kind](step, inputs, unit) });
  }
  return tensors;
}

const BITS = {
  input: ({ type, data }) => arrayBits(type.element, data),
  constant: ({ type, data }) => arrayBits(type.element, data),
  view({ from, type }, [{ bits }], unit) {
    return bits.slice(from * unit, from * unit + bitsIn(type, unit));
  },
  merge: (_, inputs) => Uint8Array.from(inputs.flatMap(({ bits }) => [...bits])),
  op({ name, attributes }, inputs) {
    const [element, operation] = name.split('.');
    return OPERATIONS[operation](element, inputs, attributes).bits;
  },
};

function namedBy({ element, shape }) {
  return element === 'raw' ? {} : { element, shape };
}

function bitsIn({ element, shape }, unit) {
  return lengthOf(shape) * (element === 'raw' ? unit : ELEMENTS[element].bits);
}
