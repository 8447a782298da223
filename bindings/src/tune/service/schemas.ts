/** What requests and answers look like, as JSON schemas. Whatever they do not name is refused. Keys and records are checked by their own rules besides. */
import { MOST_KEYS } from '../requests.js';

type Schema = Readonly<Record<string, unknown>>;

const text = (most: number): Schema => ({ type: 'string', minLength: 1, maxLength: most });
const digits = (bytes: number): Schema => ({ type: 'string', pattern: `^[0-9a-f]{${2 * bytes}}$` });
const whole = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const list = (items: Schema, maxItems: number): Schema => ({ type: 'array', items, maxItems });

function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

const types = list(text(4096), 4096);
const key = object({
  operator: text(256),
  attributes: text(65_536),
  inputs: types,
  outputs: types,
  device: text(256),
});
const number: Schema = { type: 'number' };
/** 128 bits of a client's choice. */
const task = digits(16);
const sha = digits(32);
const implementation = (kind: string): Schema =>
  object(
    {
      kind: { const: kind },
      call: text(256),
      schedule: {},
      code: sha,
      time: number,
      spread: number,
      samples: whole(1, 1e9),
      searched: number,
    },
    ['call', 'schedule', 'code', 'searched'],
  );
const record = object({
  key,
  best: object(
    Object.fromEntries(['library', 'generated', 'hand-written'].map((kind) => [kind, implementation(kind)])),
    ['library', 'generated', 'hand-written'],
  ),
  at: whole(0, 8.64e15),
  version: text(100),
  explorer: sha,
  signature: digits(64),
});

export const query = object(
  {
    task,
    keys: list(key, MOST_KEYS),
    asked: whole(0, MOST_KEYS),
    hits: list(object({ key, count: whole(1, 1e6) }), MOST_KEYS),
  },
  ['hits'],
);
export const byName = object({ name: sha });
export const bySha = object({ sha });
export const byExplorer = object({ explorer: sha });
export const byTask = object({ id: text(64) });
export const byResult = object({ id: text(64), name: sha });
export const registration = object({ device: text(256), room: whole(1, 64) });
export const taking = object({ device: text(256), room: whole(1, 64), wait: whole(0, 60_000) });
/** One of the two. */
export const result = object({ record, failure: object({ reason: text(500) }) }, ['record', 'failure']);
export const priority = object({ priority: { enum: ['high', 'low'] } });
export const standing = object({ allowed: { type: 'boolean' } });

const digitsOnly = (most: number): Schema => ({ type: 'string', pattern: `^[0-9]{1,${most}}$` });
export const window = object({ hours: digitsOnly(5) }, ['hours']);
export const page = object(
  {
    hours: digitsOnly(5),
    order: { enum: ['queries', 'hits', 'misses'] },
    limit: digitsOnly(3),
    offset: digitsOnly(9),
  },
  ['hours', 'order', 'limit', 'offset'],
);
export const failure = object({ error: object({ code: text(100), message: { type: 'string' } }) });
