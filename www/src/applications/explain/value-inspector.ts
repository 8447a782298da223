/** All that is told of one value. */
import type { ExplainedValue, Explanation } from 'cipherloom';
import * as format from '../../format.js';
import { button, h } from '../../ui/dom.js';
import { mostPrimes, readersOf } from './value-graph.js';
import {
  operatorList,
  placesOf,
  PLACE_TITLES,
  referenceText,
  shareText,
  titleOf,
  typeText,
} from './value-text.js';

/** What stands there before a value is selected. */
export function inspectorHint(): HTMLElement[] {
  return [
    h('h3', {}, 'Select a value'),
    h(
      'p',
      { class: 'note' },
      'Of each value: where it is computed, in how many ciphertexts, how many primes and bits these have left, what it costs and ' +
        'by which operators. Arrow keys go from box to box, Enter selects.',
    ),
  ];
}

export function inspectorOf(
  { values, keys }: Explanation,
  index: number,
  select: (index: number) => void,
): HTMLElement[] {
  const value = values[index]!;
  const links = (title: string, kind: string, list: readonly number[]): HTMLElement[] =>
    list.length === 0
      ? []
      : [
          h('h4', {}, title),
          h(
            'div',
            { class: `operands ${kind}` },
            h(
              'ul',
              { class: 'entries' },
              ...list.map((at) =>
                h(
                  'li',
                  {},
                  button(referenceText(values[at]!, at), () => select(at), { class: 'link' }),
                ),
              ),
            ),
          ),
        ];
  const operators = operatorList(value);
  const own = keys.filter(({ of }) => of.includes(index));
  return [
    h('h3', { class: `kind place-${placesOf(value)[0]}`, tabindex: -1 }, titleOf(value)),
    h(
      'p',
      { class: 'note' },
      `%${index}${value.operator === undefined ? ', an input' : `, ${value.operator}`}`,
    ),
    factList(facts(value, mostPrimes(values))),
    ...(value.attributes === ''
      ? []
      : [h('h4', {}, 'Attributes'), h('p', { class: 'attributes' }, h('code', {}, value.attributes))]),
    ...(operators.length === 0
      ? []
      : [
          h('h4', {}, 'Operators on ciphertexts'),
          h(
            'ul',
            { class: 'entries', 'data-testid': 'value-operators' },
            ...operators.map((one) => h('li', {}, h('code', {}, one))),
          ),
        ]),
    ...links('Made of', 'producer', [...new Set(value.operands)]),
    ...links('Read by', 'reader', readersOf(values, index)),
    ...(own.length === 0
      ? []
      : [
          h('h4', {}, 'Needs the keys'),
          h(
            'p',
            { class: 'note' },
            own.map(({ name, bytes }) => `${name} (${format.bytes(bytes)})`).join(', '),
          ),
        ]),
  ];
}

function facts(value: ExplainedValue, most: number): [string, string][] {
  const { ciphertexts, level, scaleBits, messageBits, errorBits, budgetBits, outputs } = value;
  const places = placesOf(value).map((place) => PLACE_TITLES[place]);
  const given = value.encrypted ? 'given encrypted, by your side' : 'given in the clear';
  const rows: [string, string | undefined][] = [
    ['Is', typeText(value)],
    ['Computed', value.name === undefined ? places.join('; ') : given],
    ['Output', outputs.length > 0 ? outputs.join(', ') : undefined],
    ['Ciphertexts', ciphertexts > 0 ? String(ciphertexts) : undefined],
    ['Level', level === undefined ? undefined : `${level} of ${format.plural(most, 'prime')} left`],
    ['Budget', budgetBits === undefined ? undefined : `${format.bits(budgetBits)} before decryption fails`],
    ['Scale', scaleBits === undefined ? undefined : format.power(scaleBits)],
    ['At most', messageBits === undefined ? undefined : format.power(messageBits)],
    ['Error', errorBits === undefined ? undefined : `at most ${format.power(errorBits)}`],
    ['Work', shareText(value) === '' ? undefined : `${shareText(value)} of all`],
  ];
  return rows.flatMap(([term, text]) => (text === undefined ? [] : [[term, text]]));
}

function factList(rows: readonly [string, string][]): HTMLElement {
  return h(
    'dl',
    { class: 'facts', 'data-testid': 'value-facts' },
    ...rows.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]),
  );
}
