/** A recipe as calls of the public builder, as data, and as source. */
import { ELEMENTS } from './elements.mjs';
import { unpack } from './bits.mjs';

/** Makes the calls of a recipe: `{ g, operands }`, an operand for each step. `by` gives whose view of the builder makes a call. */
export function record(pkg, loom, { unit, steps, outputs }, by = (g) => g) {
  const g = loom.graph({ unit });
  const operands = [];
  for (const step of steps) operands.push(CALLS[step.kind](by(g, step), step, typeOf(pkg, step.type), operands));
  for (const { name, step } of outputs) by(g, { kind: 'output' }).output(name, operands[step]);
  return { g, operands };
}

const CALLS = {
  input: (g, { name }, type) => g.input(name, type),
  constant: (g, { data }, type) => g.constant(type, data),
  view: (g, { inputs, from }, type, operands) => g.view(operands[inputs[0]], type, { from }),
  merge: (g, { inputs }, type, operands) =>
    g.merge(
      inputs.map((input) => operands[input]),
      type,
    ),
  op: (g, { name, inputs, attributes }, _, operands) =>
    g.op(
      name,
      inputs.map((input) => operands[input]),
      attributes,
    ),
};

function typeOf(pkg, { element, shape }) {
  return element === 'raw' ? pkg.type('raw', {}, shape[0]) : pkg[element](...shape);
}

/** Data of the inputs, by name. */
export function dataOf({ steps }) {
  return Object.fromEntries(steps.filter(({ kind }) => kind === 'input').map(({ name, data }) => [name, data]));
}

/** The same as bits. */
export function bitsOf({ steps }) {
  const inputs = steps.filter(({ kind }) => kind === 'input');
  return Object.fromEntries(inputs.map(({ name, type: { element }, data }) => [name, arrayBits(element, data)]));
}

/** An array as bits; one of `bit` has one in each of its elements. */
export function arrayBits(element, data) {
  if (element === 'bit') return data;
  return unpack(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), data.byteLength * 8);
}

/** A recipe as the code that one would write. */
export function sourceOf({ unit, steps, outputs }) {
  const type = ({ element, shape }) =>
    element === 'raw' ? `type('raw', {}, ${shape[0]})` : `${element}(${shape.join(', ')})`;
  const name = (step) => `v${step}`;
  const list = (inputs) => `[${inputs.map(name).join(', ')}]`;
  const call = {
    input: (step) => `g.input('${step.name}', ${type(step.type)}); // ${dataText(step)}`,
    constant: (step) => `g.constant(${type(step.type)}, ${dataText(step)});`,
    view: (step) => `g.view(${name(step.inputs[0])}, ${type(step.type)}, { from: ${step.from} });`,
    merge: (step) => `g.merge(${list(step.inputs)}, ${type(step.type)});`,
    op: (step) => {
      const attributes = step.attributes === undefined ? '' : `, ${JSON.stringify(step.attributes)}`;
      return `g.op('${step.name}', ${list(step.inputs)}${attributes});`;
    },
  };
  return [
    `const g = loom.graph({ unit: ${unit} });`,
    ...steps.map((step, k) => `const ${name(k)} = ${call[step.kind](step)}`),
    ...outputs.map((output) => `g.output('${output.name}', ${name(output.step)});`),
    '',
  ].join('\n');
}

function dataText({ type: { element }, data }) {
  const shown = (value) => (Object.is(value, -0) ? '-0' : typeof value === 'bigint' ? `${value}n` : String(value));
  const list = Array.from(data, shown).join(', ');
  return list.length > 2000
    ? `${ELEMENTS[element].array.name} of ${data.length}`
    : `${ELEMENTS[element].array.name}.of(${list})`;
}
