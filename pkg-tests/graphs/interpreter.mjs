/** Evaluates the text form of a graph over an address space of bits, in whatever order its operators are written. */
import { unpack } from './bits.mjs';
import { ELEMENTS, lengthOf } from './elements.mjs';
import { OPERATIONS } from './operations.mjs';

const MOST_BITS = 2 ** 27;

/**
 * The bits of each output, by name: `{ element, shape, bits }`, without the first two where it is no tensor. `data` are
 * bits by the name of their input. `operations` may be others, to see whether wrong ones would be found.
 */
export function interpret({ unit, inputs, operators, outputs }, data, operations = OPERATIONS) {
  const memory = new Memory(unit, [...inputs.map(({ operand }) => operand), ...operators.map(({ output }) => output)]);
  for (const { name, operand } of inputs) memory.write(operand, data[name]);
  let waiting = operators;
  while (waiting.length > 0) {
    const blocked = [];
    for (const operator of waiting) {
      if (operator.inputs.every((operand) => memory.has(operand)))
        memory.write(operator.output, evaluate(operator, unit, memory, operations));
      else blocked.push(operator);
    }
    if (blocked.length === waiting.length)
      throw new Error(`nothing can be computed of ${blocked.map(({ name }) => name)}`);
    waiting = blocked;
  }
  return Object.fromEntries(outputs.map(({ name, operand }) => [name, tensor(operand, memory.read(operand))]));
}

function evaluate({ name, attributes, inputs, output }, unit, memory, operations) {
  if (name === 'constant') return constant(attributes);
  const tensors = inputs.map((operand) => tensor(operand, memory.read(operand)));
  if (name === 'copy') return copy(attributes, tensors);
  const [element, operation] = name.split('.');
  const found = operations[operation](element, tensors, attributes);
  const expected = tensor(output, found.bits);
  if (found.element !== expected.element || String(found.shape) !== String(expected.shape))
    throw new Error(
      `${name} gives ${found.element}[${found.shape}], its text says ${expected.element}[${expected.shape}]`,
    );
  return found.bits;
}

function constant({ of, shape, value }) {
  return unpack(value, lengthOf(shape.map(Number)) * ELEMENTS[of].bits);
}

function copy({ skip }, tensors) {
  return Uint8Array.from(tensors.flatMap(({ bits }, k) => [...bits.subarray(Number(skip?.[k] ?? 0))]));
}

/** Bits as what the operand's type says that they are. */
function tensor({ type: { head, attributes } }, bits) {
  return Object.hasOwn(ELEMENTS, head) ? { element: head, shape: attributes.shape.map(Number), bits } : { bits };
}

class Memory {
  #unit;
  #bits;
  #written;

  constructor(unit, operands) {
    this.#unit = unit;
    const units = operands.reduce((most, { parts }) => parts.reduce((end, part) => Math.max(end, part[1]), most), 0);
    if (units * unit > MOST_BITS) throw new Error(`${units} units are too many`);
    this.#bits = new Uint8Array(units * unit);
    this.#written = new Uint8Array(units);
  }

  has({ parts }) {
    return parts.every(
      ([start, end]) => end <= this.#written.length && this.#written.subarray(start, end).every(Boolean),
    );
  }

  read({ parts }) {
    const pieces = parts.map(([start, end]) => this.#bits.slice(start * this.#unit, end * this.#unit));
    if (pieces.length === 1) return pieces[0];
    const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
    pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
    return whole;
  }

  /** Every unit once, and as many bits as there is room for. */
  write({ parts }, bits) {
    let at = 0;
    for (const [start, end] of parts) {
      if (this.#written.subarray(start, end).some(Boolean)) throw new Error(`[${start},${end}) is written twice`);
      const size = (end - start) * this.#unit;
      this.#bits.set(bits.subarray(at, at + size), start * this.#unit);
      this.#written.fill(1, start, end);
      at += size;
    }
    if (at !== bits.length) throw new Error(`${bits.length} bits are written to ${at}`);
  }
}
