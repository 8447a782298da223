/** What questions are given in the clear: names and forms as the program's inputs have them. Ranges, decimals and which inputs a run needs are cipherloom's to check. */
import { ServiceError } from './errors.mjs';

/** A day as it is written. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const isNumber = (cell) => Number.isFinite(cell);
/** By the kind of an input: what a cell has to be, in words and as a function. */
const KINDS = {
  integer: ['a finite number', isNumber],
  real: ['a finite number', isNumber],
  category: ['the whole number of a category', Number.isInteger],
  boolean: ['true or false', (cell) => typeof cell === 'boolean' || cell === 0 || cell === 1],
  date: ['a day: "2024-02-29"', (cell) => typeof cell === 'string' && DAY.test(cell)],
};

/** What a cell has to be, in words and as a function. */
const cellOf = ({ kind, names }) =>
  names ? ['the name of a category', (cell) => names.includes(cell)] : KINDS[kind];

/**
 * @param {{name: string, place: string, kind: string, shape: number[], names?: string[]}[]} inputs of the program
 * @param {{plain?: object, public?: object}} given
 * Errors: 422 with the codes of cipherloom, `input.unknown`, `input.shape`, `input.kind`.
 */
export function checkGiven(inputs, given) {
  for (const [place, values] of Object.entries(given)) {
    const own = new Map(inputs.filter((input) => input.place === place).map((input) => [input.name, input]));
    for (const [name, value] of Object.entries(values)) {
      const input = own.get(name);
      if (input === undefined)
        throw refusal('input.unknown', `The program has no ${place} input of this name`, name, [
          ...own.keys(),
        ]);
      checkPart(input, value, input.shape);
    }
  }
}

/** No deeper than the shape, of which `axes` are left. */
function checkPart(input, value, axes) {
  const [length, ...rest] = axes;
  if (length !== undefined) {
    if (!Array.isArray(value) || value.length !== length)
      throw refusal('input.shape', 'An input is not in the shape that was declared', input.name, input.shape);
    for (const part of value) checkPart(input, part, rest);
    return;
  }
  const [expected, isOne] = cellOf(input);
  // Cells may be missing; the program knows of which inputs.
  if (value !== null && !isOne(value))
    throw refusal('input.kind', 'A cell is not of the kind that was declared', input.name, expected);
}

function refusal(code, message, where, expected) {
  return new ServiceError(422, code, message, { where, expected });
}
