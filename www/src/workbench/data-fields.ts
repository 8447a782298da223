/** A field for each input: numbers typed by hand, from a file, or by a pattern. */
import type { DataArray, Port } from 'cipherloom';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import type { GalleryText } from './gallery.js';
import {
  describePort,
  fill,
  lengthOf,
  parseNumbers,
  type Pattern,
  PATTERNS,
  readFile,
  textOf,
} from './values.js';

/** Inputs that have a field each; the others are filled like the last of them. */
const MOST_FIELDS = 12;

const TITLES: Readonly<Record<Pattern, string>> = {
  ascending: '0, 1, 2, …',
  random: 'Random',
  zeros: 'Zeros',
};

class Field {
  readonly element: HTMLElement;
  readonly #port: Port;
  readonly #text: HTMLTextAreaElement;
  readonly #note: HTMLElement;
  /** Data that no text shows: there are too many. */
  #data: DataArray | undefined;

  constructor(port: Port, index: number, first: Pattern | { readonly typed: string }) {
    this.#port = port;
    const id = `graph-input-${index}`;
    this.#note = h('p', { class: 'note field-note', id: `${id}-note` });
    this.#text = h('textarea', {
      id,
      rows: lengthOf(port) > (port.element === undefined ? 2 : 8) ? 3 : 1,
      spellcheck: 'false',
      autocomplete: 'off',
      'aria-describedby': `${id}-note`,
      'data-testid': 'graph-input',
      'data-name': port.name,
      input: () => this.#typed(),
    });
    const file = h('input', { class: 'sr-only', type: 'file', change: () => void this.#read(file) });
    this.element = h(
      'div',
      { class: 'data-field' },
      h('label', { for: id }, port.name, ' ', h('span', { class: 'note' }, describePort(port))),
      this.#text,
      h(
        'div',
        { class: 'row' },
        ...PATTERNS.map((pattern) =>
          button(TITLES[pattern], () => this.fill(pattern), {
            class: 'small',
            'data-testid': `fill-${pattern}`,
            'aria-label': `Fill ${port.name}: ${TITLES[pattern]}`,
          }),
        ),
        h('label', { class: 'button small' }, 'File', file),
      ),
      this.#note,
    );
    if (typeof first === 'string') this.fill(first);
    else this.#text.value = first.typed;
  }

  fill(pattern: Pattern): void {
    try {
      this.#take(fill(pattern, this.#port), '');
    } catch (error) {
      this.#say((error as Error).message, true);
    }
  }

  /** Errors: what is wrong with what was typed. */
  get data(): DataArray {
    try {
      return this.#data ?? parseNumbers(this.#text.value, this.#port);
    } catch (error) {
      const { message } = error as Error;
      this.#say(message, true);
      this.#text.focus();
      throw new Error(`Input ${this.#port.name}: ${message}.`, { cause: error });
    }
  }

  #typed(): void {
    this.#data = undefined;
    this.#say('', false);
  }

  async #read(file: HTMLInputElement): Promise<void> {
    const chosen = file.files?.[0];
    file.value = ''; // so that the same file can be chosen again
    if (chosen === undefined) return;
    try {
      this.#take(await readFile(chosen, this.#port), `From ${chosen.name}.`);
    } catch (error) {
      this.#say((error as Error).message, true);
    }
  }

  #take(data: DataArray, said: string): void {
    const text = textOf(data);
    this.#data = text === undefined ? data : undefined;
    this.#text.value = text ?? '';
    this.#text.placeholder =
      text === undefined ? `${format.plural(data.length, 'number')}, too many to show` : '';
    this.#say(said, false);
  }

  #say(text: string, isWrong: boolean): void {
    this.#note.textContent = text;
    this.#note.classList.toggle('wrong', isWrong);
    if (isWrong) this.#text.setAttribute('aria-invalid', 'true');
    else this.#text.removeAttribute('aria-invalid');
  }
}

export class DataFields {
  readonly #host: HTMLElement;
  #ports: readonly Port[] = [];
  #fields: readonly Field[] = [];

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Shows the inputs; what was typed stays as long as these stay what they are. `said`: what is to be known of the data. */
  show(ports: readonly Port[], data: GalleryText['data'], said: string | undefined, anew: boolean): void {
    if (!anew && sameInputs(ports, this.#ports)) return;
    this.#ports = ports;
    this.#fields = ports
      .slice(0, MOST_FIELDS)
      .map((port, index) => new Field(port, index, data?.[port.name] ?? 'ascending'));
    const more = ports.length - this.#fields.length;
    this.#host.replaceChildren(
      ...(said === undefined ? [] : [h('p', { class: 'note', 'data-testid': 'graph-data-note' }, said)]),
      ...(ports.length === 0 ? [h('p', { class: 'note' }, 'It reads no input.')] : []),
      ...this.#fields.map(({ element }) => element),
      ...(more > 0
        ? [
            h(
              'p',
              { class: 'note' },
              `${format.plural(more, 'more input')} ${more === 1 ? 'is' : 'are'} filled with 0, 1, 2, …`,
            ),
          ]
        : []),
    );
  }

  /** Data of all inputs. Errors: of the first field that is wrong, in a sentence. */
  get data(): Record<string, DataArray> {
    const given = this.#ports.map((port, index): [string, DataArray] => [
      port.name,
      this.#fields[index]?.data ?? fill('ascending', port),
    ]);
    return Object.fromEntries(given);
  }
}

function sameInputs(a: readonly Port[], b: readonly Port[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, type }, index) => name === b[index]!.name && type === b[index]!.type)
  );
}
