/** One cell's way through a run: as it is, encrypted, what crosses, and what comes back; and what happens to those who meddle. */
import { DisposedError } from 'cipherloom';
import { textOf } from '../compare.js';
import type { NumericColumn } from '../data/messages.js';
import { failureOf } from '../failure.js';
import * as format from '../format.js';
import type { Outcome } from '../run/runner.js';
import { button, byId, h } from '../ui/dom.js';
import { keepFocus } from '../ui/keep-focus.js';
import { namesOf } from '../ui/results-table.js';
import { hexLines } from './hex.js';
import { includes, MOST, patternsOf } from './search.js';
import { flipBit, type Spoiled, tryOtherKey } from './spoil.js';

const START_BYTES = 64;
const BODY_BYTES = 96;
const MESSAGE_BYTES = 256;
const PROGRAM_LETTERS = 1500;

/** Something that went from one side to the other. */
interface Message {
  readonly id: string;
  readonly title: string;
  readonly way: string;
  readonly bytes: readonly Uint8Array[];
}

export class Look {
  readonly #section = byId('look');
  readonly #way = byId('look-way');
  readonly #spoiled = byId('look-spoiled');
  readonly #buttons: readonly HTMLButtonElement[];
  #shown: { readonly outcome: Outcome; readonly columns: readonly NumericColumn[] } | undefined;

  /** Another choice was made since. */
  #stale = false;
  #trying = false;

  constructor() {
    this.#buttons = [
      button('Flip one bit on the way', () => void this.#flip(), { 'data-testid': 'look-flip' }),
      button('Decrypt with another key', () => void this.#otherKey(), { 'data-testid': 'look-other-key' }),
    ];
    byId('look-meddle').append(...this.#buttons);
  }

  /** Shows what a run left. */
  show(outcome: Outcome, columns: readonly NumericColumn[]): void {
    this.#shown = { outcome, columns };
    this.#section.hidden = false;
    this.#spoiled.replaceChildren();
    [this.#stale, this.#trying] = [false, false];
    this.#enable();
    const column = h(
      'select',
      { 'data-testid': 'look-column' },
      ...columns.map(({ name }, at) => h('option', { value: at }, name)),
    );
    const row = h('input', {
      ...{ type: 'number', min: 1, max: columns[0]!.values.length, step: 1, value: 1 },
      'data-testid': 'look-row',
    });
    const value = h('output', { class: 'cell-value', 'data-testid': 'look-cell' });
    const bytes = h('div', { class: 'stack', 'data-testid': 'look-bytes' });
    const draw = (): void => {
      const chosen = columns[Number(column.value)]!;
      const at = Math.trunc(Number(row.value));
      const cell = chosen.values[at - 1];
      value.textContent = cell === undefined ? 'no such row' : Number.isNaN(cell) ? 'missing' : String(cell);
      bytes.replaceChildren(...ciphertextOf(outcome.messages.inputs[chosen.name]!, chosen.values.length));
    };
    column.addEventListener('change', draw);
    row.addEventListener('input', draw);
    draw();
    const line = outcome.lines[0]!;
    this.#way.replaceChildren(
      part(
        'client',
        'Your cell',
        h('label', { class: 'field' }, h('span', {}, 'Column'), column),
        h('label', { class: 'field' }, h('span', {}, 'Row'), row),
        value,
        h('p', { class: 'note' }, 'Known to your side alone.'),
      ),
      part('client', 'The same, encrypted', bytes),
      part('evaluator', 'What crosses', ...this.#messages(outcome, columns)),
      part(
        'client',
        'The result',
        h('p', {}, `${line.statistic} of `, ...namesOf(line.columns)),
        h('output', { class: 'cell-value', 'data-testid': 'look-result' }, textOf(line.encrypted)),
        h(
          'p',
          { class: line.equal ? 'mark-equal' : 'mark-unequal' },
          line.equal ? '= the same as without encryption' : '≠ not the same as without encryption',
        ),
        h('p', { class: 'note' }, 'Decrypted on your side, with the key that never left it.'),
      ),
    );
  }

  /** Of a choice that is no longer: what was computed stands, meddling with it is over. */
  markStale(): void {
    this.#stale = true;
    this.#enable();
  }

  /** Brings it into view, and who works by keyboard goes on from there. */
  reveal(): void {
    byId('look-title').focus({ preventScroll: true });
    this.#section.scrollIntoView({ block: 'start' });
  }

  #messages({ messages }: Outcome, columns: readonly NumericColumn[]): HTMLElement[] {
    const list: Message[] = [
      { id: 'program', title: 'Program', way: 'to the other side', bytes: [messages.program] },
      { id: 'keys', title: 'Evaluation keys', way: 'to the other side', bytes: messages.keys },
      {
        id: 'columns',
        title: 'Encrypted columns',
        way: 'to the other side',
        bytes: distinct(messages.inputs),
      },
      { id: 'results', title: 'Encrypted results', way: 'back to you', bytes: distinct(messages.outputs) },
    ];
    const found = h('p', { class: 'note', role: 'status', 'data-testid': 'look-found' });
    return [
      ...list.map(messageView),
      button(
        'Look for my numbers in all but the keys',
        () => void (found.textContent = searched(list, columns)),
        {
          'data-testid': 'look-search',
        },
      ),
      found,
    ];
  }

  async #flip(): Promise<void> {
    const { outcome, columns } = this.#shown!;
    const { name } = columns[0]!;
    await this.#spoil(
      () => flipBit(outcome.plan.program, outcome.client, outcome.messages.inputs, name),
      ({ at, before, after }) => [
        h('p', {}, `One bit of byte ${format.count(at!)} of “${name}” was flipped, and the bytes sent on:`),
        difference(before!, after!, at!),
      ],
    );
  }

  async #otherKey(): Promise<void> {
    const { outcome } = this.#shown!;
    await this.#spoil(
      () => tryOtherKey(outcome.plan.program, outcome.messages.outputs),
      () => [h('p', {}, 'Another secret key was made, and given the encrypted results:')],
    );
  }

  async #spoil(work: () => Promise<Spoiled>, told: (spoiled: Spoiled) => HTMLElement[]): Promise<void> {
    const shown = this.#shown;
    this.#trying = true;
    this.#spoiled.replaceChildren(h('p', {}, 'Trying…'));
    this.#enable();
    try {
      const spoiled = await work();
      if (shown !== this.#shown) return;
      const { code, sentence } = spoiled;
      const verdict = code === undefined ? [sentence] : ['Refused: ', sentence, ' ', h('code', {}, code)];
      this.#spoiled.dataset['code'] = code ?? 'none';
      this.#spoiled.replaceChildren(...told(spoiled), h('p', { class: 'verdict' }, ...verdict));
    } catch (error) {
      if (shown !== this.#shown) return;
      if (error instanceof DisposedError) return this.#spoiled.replaceChildren(); // what it was tried on ended
      const { code, sentence } = failureOf(error, 'trying');
      this.#spoiled.replaceChildren(h('p', { class: 'verdict' }, `${sentence} `, h('code', {}, code)));
    } finally {
      if (shown === this.#shown) {
        this.#trying = false;
        this.#enable();
      }
    }
  }

  #enable(): void {
    const change = (): void => {
      for (const one of this.#buttons) one.disabled = this.#stale || this.#trying;
    };
    // Whoever pressed one reads what comes of it.
    keepFocus(change, this.#spoiled);
  }
}

function part(side: 'client' | 'evaluator', title: string, ...children: readonly HTMLElement[]): HTMLElement {
  return h('div', { class: `part ${side}` }, h('h3', {}, title), ...children);
}

function ciphertextOf(bytes: Uint8Array, rows: number): HTMLElement[] {
  const middle = (bytes.length >> 1) & ~7;
  return [
    h(
      'p',
      { class: 'note' },
      `${format.bytes(bytes.length)} for ${format.plural(rows, 'row')}: a ciphertext holds many cells, and no byte is that of one.`,
    ),
    h('p', {}, 'It begins with what it is, in the open:'),
    hex(bytes, 0, START_BYTES),
    h('p', {}, 'The rest looks random to whoever lacks the key:'),
    hex(bytes, middle, BODY_BYTES),
  ];
}

function hex(bytes: Uint8Array, from: number, count: number): HTMLElement {
  return h('pre', { class: 'hex' }, hexLines(bytes, from, count).join('\n'));
}

function messageView({ id, title, way, bytes }: Message): HTMLElement {
  const size = bytes.reduce((sum, { length }) => sum + length, 0);
  const first = bytes[0];
  const inside =
    first === undefined
      ? [h('p', { class: 'note' }, 'None were needed.')]
      : id === 'program'
        ? [
            h('p', { class: 'note' }, 'Public, and no number of yours is in it:'),
            h('pre', { class: 'hex wrapped' }, readable(first)),
          ]
        : [hex(first, 0, MESSAGE_BYTES)];
  return h(
    'details',
    { class: 'message', 'data-message': id, 'data-bytes': size },
    h('summary', {}, title, ' ', h('span', { class: 'note' }, `${way}, ${format.bytes(size)}`)),
    ...inside,
  );
}

/** What stands in bytes as text. */
function readable(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  const begin = Math.max(0, text.indexOf('{'));
  return `${text.slice(begin, begin + PROGRAM_LETTERS)}${text.length > begin + PROGRAM_LETTERS ? '…' : ''}`;
}

function distinct(values: Readonly<Record<string, Uint8Array>>): Uint8Array[] {
  return [...new Set(Object.values(values))];
}

function searched(messages: readonly Message[], columns: readonly NumericColumn[]): string {
  const patterns = columns.flatMap(({ values, decimals }) => patternsOf(values, decimals));
  if (patterns.length === 0)
    return 'Not looked for: one number alone, and nothing but 0, would be found by chance. Take two rows or more, and not only zeros.';
  // Keys are made before there are any numbers, and are by far the most.
  const bytes = messages.flatMap((message) => (message.id === 'keys' ? [] : message.bytes));
  const size = bytes.reduce((sum, { length }) => sum + length, 0);
  const ways = [...new Set(patterns.map(({ as }) => as))].join(', ');
  const hits = patterns.filter((pattern) => bytes.some((one) => includes(one, pattern)));
  const what = `rows of each column, ${MOST} at most, as ${ways}, in ${format.bytes(size)} (keys, made before your numbers, are left out)`;
  return hits.length === 0
    ? `Looked for ${what}: found nowhere.`
    : `Looked for ${what}: found as ${hits.map(({ as }) => as).join(', ')}.`;
}

/** The line in which a byte differs, before and after. */
function difference(before: Uint8Array, after: Uint8Array, at: number): HTMLElement {
  const from = at & ~7;
  const line = (bytes: Uint8Array): string => hexLines(bytes, from, 8)[0] ?? '';
  return h('pre', { class: 'hex' }, `before  ${line(before)}\nafter   ${line(after)}`);
}
