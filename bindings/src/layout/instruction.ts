/** Instructions that came from elsewhere, looked at. */
import { describe, tag } from '../arguments.js';
import { Exchange, LEVELS } from './exchange.js';
import { checkObject, checkOneOf, checkWhole, wrong } from './wrong.js';

const NAMES = [
  'kind',
  'action',
  'datum',
  'operand',
  'from',
  'to',
  'box',
  'as',
  'bytes',
  'level',
  'operation',
  'attributes',
  'dimension',
  'sizes',
  'inputs',
  'output',
  'dims',
  'operations',
];
const PLACE = /^(mem|cluster)[1-9]\d{0,8}$/;

/** What of an instruction can be told without running it; the rest `simulate` says. Errors: LayoutError `layout.plan`. */
export function checkInstruction(where: string, instruction: unknown): void {
  const bad = 'layout.plan';
  const one = checkObject(bad, where, instruction, NAMES);
  checkOneOf(bad, `${where}, kind`, one.kind, ['access', 'exchange', 'compute']);
  const texts = (...fields: string[]): void => {
    for (const field of fields)
      if (typeof one[field] !== 'string')
        throw wrong(bad, `${where}, ${field}`, describe(one[field]), 'a text');
  };
  const place = (value: unknown): void => {
    if (typeof value !== 'string' || !PLACE.test(value))
      throw wrong(bad, `${where}, place`, describe(value), 'such as mem1, cluster2');
  };
  if (one.kind === 'compute') {
    texts('operation', 'output', 'dims');
    if (!Array.isArray(one.inputs) || !one.inputs.every((name) => typeof name === 'string'))
      throw wrong(bad, `${where}, inputs`, describe(one.inputs), 'names');
    if (one.attributes !== undefined && tag(one.attributes) !== 'Object')
      throw wrong(bad, `${where}, attributes`, describe(one.attributes), 'numbers by name');
    return;
  }
  texts('datum');
  checkWhole(bad, `${where}, bytes`, one.bytes, 0, Number.MAX_SAFE_INTEGER);
  if (one.kind === 'exchange') checkOneOf(bad, `${where}, level`, one.level, [Exchange.None, ...LEVELS]);
  else checkOneOf(bad, `${where}, action`, one.action, ['read', 'write']);
  if (one.kind === 'access' && one.action === 'write') return place(one.to);
  texts('as');
  place(one.from);
}
