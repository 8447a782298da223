/**
 * What a best implementation is asked for by (SPEC T6; seed 003 ¶57, 59, 80, 108): type of the operator, attributes, types of operands (shape and element), and class of
 * the device. Two operators with one key run the same code equally fast.
 *
 * A key is sent to others, so it says how much of something there is where the graph says what: of attributes that are bytes, or long lists, the length; of
 * those by which streams of random numbers are told apart, nothing.
 */
import { checkArgument, checkOptions, describe, objectOf } from '../arguments.js';
import { attributesText, isWord } from '../attributes.js';
import type { Attributes, AttributeValue } from '../graph-types.js';
import { KEY_PARTS } from './options.js';
import { checkObject, checkText, wrong } from './wrong.js';

/** Key of a query. Plain JSON; make one with {@link operatorKey}. */
export interface OperatorKey {
  /** Type of the operator, as the text form of graphs names it: `limb.ntt`; with a place, where that is not the processors: `limb.ntt@gpu`. */
  readonly operator: string;
  /** Attributes, as the text form has them, sorted by name: `{n=8192, q=[3,5]}`; `{}` without any. */
  readonly attributes: string;
  /** Types of what it reads, in order, as the text form has them: `res.limb[8192]{q=...}`. */
  readonly inputs: readonly string[];
  /** Types of what it writes. */
  readonly outputs: readonly string[];
  /** Class of the device ({@link deviceClass}). */
  readonly device: string;
}

/** What a key is made of. */
export interface OperatorKeyParts {
  readonly operator: string;
  /** Attributes as values, or as the core prints them, which is taken as it is. */
  readonly attributes?: Attributes | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly device: string;
}

/** Attributes that tell streams of random numbers apart, and change nothing of how fast they are drawn. */
const STREAMS: readonly string[] = ['seed', 'stream', 'nonce'];
/** Longer lists are data. */
const LONGEST_LIST = 64;
/** Most operands of one operator, each way. */
const MOST_OPERANDS = 4096;
/** UTF-16 units of a canonical text. */
const LONGEST_KEY = 65_536;

/** A key. Errors: TuneError `tune.key`; InputError `input.type`, also of attributes, `input.option`. */
export function operatorKey(parts: OperatorKeyParts): OperatorKey {
  checkOptions('operatorKey', parts, KEY_PARTS);
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(parts.attributes ?? {}))
    if (value !== undefined && !STREAMS.includes(name)) attributes[name] = withoutData(value);
  const { operator, inputs, outputs, device } = parts;
  return checkKey({ operator, attributes: attributesText('key', attributes), inputs, outputs, device });
}

/** Of data, how much. */
function withoutData(value: AttributeValue | Uint8Array): AttributeValue {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value) && value.length > LONGEST_LIST) return `list of ${value.length}`;
  return value as AttributeValue;
}

/** Whether a value is a key; gives a frozen copy. Errors: TuneError `tune.key`. */
export function checkKey(value: unknown, where = 'key'): OperatorKey {
  const names = ['operator', 'attributes', 'inputs', 'outputs', 'device'];
  const key = checkObject('tune.key', where, value, names);
  if (!isPlacedWord(key.operator))
    throw wrong('tune.key', `${where}, operator`, describe(key.operator), 'the type of an operator');
  const types = (name: 'inputs' | 'outputs'): readonly string[] => {
    const list = key[name];
    if (!Array.isArray(list) || list.length > MOST_OPERANDS)
      throw wrong(
        'tune.key',
        `${where}, ${name}`,
        describe(list),
        `an array of at most ${MOST_OPERANDS} types`,
      );
    return Object.freeze(
      list.map((type, at) => checkText('tune.key', `${where}, ${name} ${at}`, type, 4096)),
    );
  };
  const attributes = checkText('tune.key', `${where}, attributes`, key.attributes, LONGEST_KEY);
  if (!/^\{.*\}$/s.test(attributes))
    throw wrong('tune.key', `${where}, attributes`, describe(attributes), 'attributes in braces');
  const checked: OperatorKey = Object.freeze({
    operator: checkText('tune.key', `${where}, operator`, key.operator, 256),
    attributes,
    inputs: types('inputs'),
    outputs: types('outputs'),
    device: checkText('tune.key', `${where}, device`, key.device, 256),
  });
  const { length } = keyText(checked);
  if (length > LONGEST_KEY)
    throw wrong('tune.key', where, `${length} characters`, `at most ${LONGEST_KEY} in all`);
  return checked;
}

/** A name, or one with a place. */
function isPlacedWord(name: unknown): boolean {
  return typeof name === 'string' && name.split('@').length <= 2 && name.split('@').every(isWord);
}

/** The type of a key's operator, and its place, if it names one. */
export function typeAndPlace({ operator }: Pick<OperatorKey, 'operator'>): [type: string, place?: string] {
  return operator.split('@') as [string, string?];
}

const KEY = objectOf('the parts of a key');

/** The canonical text of a key, on one line: equal keys are equal texts, and no others are. */
export function keyText(key: OperatorKey): string {
  checkArgument('keyText, key', key, KEY);
  const { operator, attributes, inputs, outputs, device } = key;
  return JSON.stringify([operator, attributes, inputs, outputs, device]);
}

/** The key of a canonical text. Errors: TuneError `tune.key`. */
export function readKey(text: string): OperatorKey {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    parts = undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 5)
    throw wrong('tune.key', 'text of a key', describe(text), 'five parts as JSON');
  const [operator, attributes, inputs, outputs, device] = parts as unknown[];
  return checkKey({ operator, attributes, inputs, outputs, device });
}
