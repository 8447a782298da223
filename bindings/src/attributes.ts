/** Attributes and types in the text form of graphs. */
import { describe, wrongType } from './arguments.js';

/** What the text form reads as one name. */
const WORD = /^[A-Za-z_][A-Za-z0-9_.]*$/;
/** The core's integers have 128 bits. */
const MOST = 2n ** 127n - 1n;

/** Whether that can be the name of a type, an operator or an attribute. */
export function isWord(name: unknown): name is string {
  return typeof name === 'string' && WORD.test(name);
}

/**
 * `{axis=0, data=@"AAE=", mode="set", q=[3,5], parts=$["a"]}`: sorted by name, so that equal attributes are equal texts. Errors:
 * InputError `input.type`, which names the attribute.
 */
export function attributesText(where: string, attributes: object): string {
  const names = Object.keys(attributes).sort();
  const parts = names.flatMap((name) => {
    const value = (attributes as Record<string, unknown>)[name];
    return value === undefined ? [] : [`${checkedName(where, name)}=${valueText(where, name, value)}`];
  });
  return `{${parts.join(', ')}}`;
}

function checkedName(where: string, name: string): string {
  if (isWord(name)) return name;
  throw wrongType(where, 'an attribute name of letters, digits, _ and .', describe(name));
}

function valueText(where: string, name: string, value: unknown): string {
  if (value instanceof Uint8Array) return `@"${base64(value)}"`;
  const one = scalarText(value) ?? realText(value);
  if (one !== undefined) return one;
  if (Array.isArray(value)) {
    const parts = value.map(scalarText);
    const texts = value.length > 0 && value.every((item) => typeof item === 'string');
    if (texts || value.every((item) => typeof item !== 'string'))
      if (!parts.includes(undefined)) return `${texts ? '$' : ''}[${parts.join(',')}]`;
  }
  const expected = 'a number, a string, an array of whole numbers, or one of strings';
  throw wrongType(`${where}, attribute ${name}`, expected, describe(value));
}

/** A number that is no exact integer, with a point or an exponent, as the core writes binary64; undefined for anything else. */
function realText(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A whole number or a text; undefined for anything else. */
function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case 'bigint':
      return value >= -MOST && value <= MOST ? String(value) : undefined;
    case 'string':
      return /\p{Surrogate}/u.test(value) ? undefined : JSON.stringify(value);
    default:
      return undefined;
  }
}

/** A piece at a time: arguments of a call are few. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}
