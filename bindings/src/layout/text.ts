/** Pieces of the text form of labels. */
import { wrong } from './wrong.js';

/** Longest text that is read. */
const LONGEST = 2 ** 22;

/**
 * The fields of a text that begins with `word:`, cut at commas outside of brackets. Errors: LayoutError `layout.text`.
 */
export function fieldsOf(word: string, text: unknown, names: readonly string[]): readonly string[] {
  if (typeof text !== 'string' || text.length > LONGEST)
    throw wrong('layout.text', `${word} label`, sort(text), `a text of at most ${LONGEST} characters`);
  const head = new RegExp(`^\\s*${word}\\s*:`, 'i').exec(text)?.[0];
  if (head === undefined)
    throw wrong('layout.text', `${word} label`, start(text), `a text with "${word}:" first`);
  const fields = cut(text.slice(head.length));
  if (fields.length !== names.length)
    throw wrong(
      'layout.text',
      `${word} label`,
      `${fields.length} fields`,
      `${names.length}: ${names.join(', ')}`,
    );
  return fields;
}

/** Cut at commas outside of brackets. */
function cut(text: string): string[] {
  const fields: string[] = [];
  let [depth, begin] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at] ?? ',';
    if (sign === '(' || sign === '[' || sign === '{') depth++;
    else if (sign === ')' || sign === ']' || sign === '}') depth--;
    else if (sign === ',' && (depth === 0 || at === text.length)) {
      fields.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  return fields;
}

/** A field that a pattern fits, its groups. Errors: LayoutError `layout.text`. */
export function matchField(
  where: string,
  field: string,
  pattern: RegExp,
  expected: string,
): readonly string[] {
  const found = pattern.exec(field);
  if (found === null) throw wrong('layout.text', where, start(field), expected);
  return found.slice(1).map((group) => group ?? '');
}

/** How a text begins, in quotes. */
export function start(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}

function sort(value: unknown): string {
  return typeof value === 'string' ? `${value.length} characters` : `a ${typeof value}`;
}
