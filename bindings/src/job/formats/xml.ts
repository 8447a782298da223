/**
 * Rows as XML, by fast-xml-builder (MIT), which writes elements and escapes what is in them.
 */
import Builder from 'fast-xml-builder';
import { isTypedArray } from '../data.js';
import type { AnyKey, Data } from '../types.js';
import { base64, formatError, groups, type Rows } from './text.js';

/** What XML 1.0 has no way to say, escaped or not. */
const UNSAYABLE = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/**
 * An XML 1.0 document, in pieces: `<rows><row><key type="text">a</key><value type="number">1</value></row>...`, and `<position row="0" column="1"/>` in place of the key for elements of a
 * matrix. Types are number (as XML Schema writes doubles), text, boolean, null, bytes (base64), numbers (other typed arrays, separated by spaces), list (of `item`) and object (of `entry`, with `name`). Errors: JobError
 * `job.format` for text with control characters, which XML has not, and for what is no row; InputError `input.type`; what reading the rows throws.
 */
export async function* toXml(rows: Rows): AsyncGenerator<string, void, void> {
  const builder = new Builder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressBooleanAttributes: false,
    suppressEmptyNode: true,
  });
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<rows>\n';
  for await (const { first, group } of groups(rows, 'XML')) {
    const elements = group.map(([key, data], index) => {
      const said = (text: string): string => {
        const found = UNSAYABLE.exec(text)?.[0];
        if (found === undefined) return text;
        const code = `U+${(found.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
        throw formatError(first + index, key, 'XML', `text with ${code}`, 'characters of XML 1.0');
      };
      return escaped(builder.build({ row: { ...keyElement(key, said), value: element(data, said) } }));
    });
    yield `${elements.join('\n')}\n`;
  }
  yield '</rows>\n';
}

/** Readers take line ends for `\n`, and white space in attributes for spaces, unless it is escaped. The builder puts none between elements, so that all there is belongs to the data. */
function escaped(xml: string): string {
  return xml.replace(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`);
}

/** An element as the builder takes it: attributes begin with @. */
type Element = Readonly<Record<string, unknown>>;
/** Text that XML can say, or an error. */
type Said = (text: string) => string;

function keyElement(key: AnyKey, said: Said): Element {
  if (typeof key === 'object') return { position: { '@row': key[0], '@column': key[1] } };
  return { key: element(key, said) };
}

function element(value: Data, said: Said): Element {
  if (value === null) return { '@type': 'null' };
  if (typeof value === 'number') return { '@type': 'number', '#text': numberText(value) };
  if (typeof value === 'string') return { '@type': 'text', '#text': said(value) };
  if (typeof value === 'boolean') return { '@type': 'boolean', '#text': String(value) };
  if (isTypedArray(value)) {
    return value.BYTES_PER_ELEMENT === 1
      ? { '@type': 'bytes', '#text': base64(value as Uint8Array) }
      : { '@type': 'numbers', '#text': Array.from(value as Iterable<number>, numberText).join(' ') };
  }
  if (Array.isArray(value))
    return { '@type': 'list', item: (value as readonly Data[]).map((item) => element(item, said)) };
  const entry = Object.entries(value).map(([name, item]) => {
    return { '@name': said(name), ...element(item as Data, said) };
  });
  return { '@type': 'object', entry };
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? 'INF' : '-INF';
}
