/** Random rows for tests of jobs. */
import type { Data, Key, Row, TemplateName } from '../src/job/types.js';
import { random, randomDouble } from './random.js';

const CHARACTERS = [
  'a',
  'B',
  '"',
  "'",
  ',',
  '\n',
  '\r',
  '\t',
  ' ',
  '<',
  '&',
  '>',
  ']]>',
  'ä',
  '€',
  '😀',
  '=',
  '\\',
  '\u2028',
  ';',
];

/** Text of up to `length` characters, among them those that formats have to escape. */
export function randomText(length = 8): string {
  return Array.from({ length: random(length + 1) }, () => CHARACTERS[random(CHARACTERS.length)]).join('');
}

/** A text or a number. */
export function randomKey(): Key {
  return random(2) === 0 ? randomText() : randomDouble() + 0;
}

/** Any data, in lists and objects up to `depth` deep. `sayable`: finite numbers alone, as JSON has them. */
export function randomData(depth = 3, sayable = false): Data {
  const length = random(4);
  const list = () => Array.from({ length }, () => random(2 ** 31));
  switch (random(depth > 0 ? 13 : 10)) {
    case 0:
      return null;
    case 1:
      return random(2) === 0;
    case 2:
      return sayable ? random(1000) - 500 : [Number.NaN, Number.POSITIVE_INFINITY, -0, 2 ** 53][random(4)]!;
    case 3:
      return randomDouble();
    case 4:
      return randomText();
    case 5:
      return Uint8Array.from(list());
    case 6:
      return Float64Array.from({ length }, randomDouble);
    case 7:
      return Float32Array.from(list());
    case 8:
      return Int32Array.from(list(), (value) => value - 2 ** 30);
    case 9:
      return Uint32Array.from(list());
    case 10:
      return Array.from({ length }, () => randomData(depth - 1, sayable));
    default:
      return Object.fromEntries(
        Array.from({ length }, () => [randomText(3), randomData(depth - 1, sayable)] as const),
      );
  }
}

/** Rows as a vector of a template takes them; of any without one. */
export function randomRows(
  count: number,
  template = TEMPLATES[random(TEMPLATES.length)]!,
  sayable = false,
): Row[] {
  return Array.from({ length: count }, (_, row): Row => {
    switch (template) {
      case 'FixValueVector':
        return [row, randomDouble()];
      case 'SparseValueVector':
        return [randomKey(), randomDouble()];
      case 'SparseTextVector':
        return [randomKey(), randomText()];
      case 'SparseMatrix':
        return [[random(1000), random(2) * 2 ** 52], randomDouble()];
      case 'VariableLenVector':
        return [randomKey(), randomData(3, sayable)];
    }
  });
}

/** All templates. */
export const TEMPLATES: readonly TemplateName[] = [
  'FixValueVector',
  'SparseValueVector',
  'SparseTextVector',
  'VariableLenVector',
  'SparseMatrix',
];
