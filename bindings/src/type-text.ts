/** Types and attributes as the core prints them, read back. */
import { ELEMENTS } from './element.js';
import type { Attributes, AttributeValue, DataType, Element } from './graph-types.js';

/** `f32[8]{shape=[4,2]}`, or of any other type. */
export function readType(text: string): DataType {
  const [, head = '', attributes = '{}'] = /^([\w.]+)\[\d+\](\{.*\})?$/s.exec(text) ?? [];
  const { shape } = readAttributes(attributes);
  // With its size, which the core reads as well.
  if (!Object.hasOwn(ELEMENTS, head) || !Array.isArray(shape))
    return Object.freeze({ text, element: undefined, shape: undefined });
  return Object.freeze({
    text: `${head}{shape=[${shape.join(',')}]}`,
    element: head as Element,
    shape: Object.freeze(shape.map(Number)),
  });
}

/** `{axis=0, q=[3,5], mode="set", parts=$["a"]}`. Whole numbers below 2^53 are numbers, others bigints; with a point or an exponent they are binary64. Data are left out. */
export function readAttributes(text: string): Attributes {
  const attributes: Record<string, AttributeValue> = {};
  const pattern =
    /([\w.]+)=(?:(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|\[([-\d,]*)\]|("(?:[^"\\]|\\.)*")|\$(\[(?:"(?:[^"\\]|\\.)*",?)*\])|@"[^"]*")/gs;
  for (const [, name = '', one, list, word, words] of text.matchAll(pattern)) {
    if (one !== undefined) attributes[name] = readNumber(one);
    else if (list !== undefined) attributes[name] = list === '' ? [] : list.split(',').map(readNumber);
    else if (word !== undefined) attributes[name] = JSON.parse(word) as string;
    else if (words !== undefined) attributes[name] = JSON.parse(words) as string[];
  }
  return attributes;
}

function readNumber(text: string): number | bigint {
  const number = Number(text);
  if (/[.e]/.test(text)) return number;
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
