/** From a table to a record at the service: what leaves is seen first, and what was done stays done when something goes wrong. */
import type { Ciphertexts, Client, CompileOptions, Program } from 'cipherloom';
import type { DataTable, NumericColumn } from '../data/messages.js';
import type { DataClient } from '../data/data-client.js';
import { fetchSample, SAMPLE_COLUMNS, SAMPLE_NAME } from '../data/sample.js';
import { isCancellation } from '../failure.js';
import * as format from '../format.js';
import { totalBytes } from '../run/total-bytes.js';
import { fillTask, MOST_COLUMNS } from '../selection.js';
import { button, h } from '../ui/dom.js';
import { connectDrop } from '../ui/drop-zone.js';
import { keepFocus } from '../ui/keep-focus.js';
import { option } from '../ui/option.js';
import { selectionOf } from './answer.js';
import { type Desk, type KeySet, put, spoken } from './desk.js';

/** Waited for after a change of the choice, in milliseconds, before it is compiled. */
const SETTLE = 300;
/** A variance is divided by one less than the rows. */
const LEAST_ROWS = 2;
/** Of a record, until there is a table. */
const LABEL = 'My table';
const PEEK_VALUES = 3;
const PEEK_BYTES = 24;

/** What has been done for a choice, in the order in which it is done. */
interface Draft {
  readonly columns: readonly NumericColumn[];
  /** Of another person, who alone will be able to decrypt; undefined: of oneself. */
  readonly reader: string | undefined;
  program?: Program;
  published?: string;
  holder?: Client;
  key?: string;
  /** The other person's key, as compared. */
  agreed?: KeySet;
  ciphertexts?: Ciphertexts;
  record?: string;
}

export class Send {
  readonly table = h('div', { class: 'clinic-table' });
  readonly leaving = h('div', { class: 'clinic-leaving' });
  readonly #desk: Desk;
  readonly #data: DataClient;
  readonly #compile: CompileOptions;
  readonly #stored: (record: string) => void;
  readonly #name = h('p', { class: 'table-name', 'data-testid': 'clinic-table-name', 'aria-live': 'polite' });
  readonly #columns = h('div', { class: 'options columns', 'data-testid': 'clinic-columns' });
  readonly #label = h('input', {
    type: 'text',
    maxlength: 100,
    'data-testid': 'clinic-label',
    value: LABEL,
  });
  readonly #reader = h('select', { 'data-testid': 'clinic-reader' });
  readonly #sizes = h('div', { class: 'scroll', 'data-testid': 'clinic-sizes' });
  readonly #peek = h('div', { 'data-testid': 'clinic-peek' });
  readonly #compare = h('div', { class: 'clinic-compare', 'data-testid': 'clinic-compare' });
  readonly #go: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #progress = h('progress', {
    ...{ max: 1, value: 0, hidden: true, 'aria-label': 'Upload', 'data-testid': 'clinic-progress' },
  });
  readonly #status = h('p', { class: 'note', role: 'status', 'data-testid': 'clinic-status' });
  #source: DataTable | undefined;
  #boxes: { readonly column: NumericColumn; readonly box: HTMLInputElement }[] = [];
  #draft: Draft | undefined;
  #settling = 0;
  #running: AbortController | undefined;
  /** Of the table that is being read: a number, so that one of somebody who left is not taken. */
  #taking = 0;
  #sent = 0;
  #total = 0;

  constructor(desk: Desk, data: DataClient, compile: CompileOptions, stored: (record: string) => void) {
    this.#desk = desk;
    this.#data = data;
    this.#compile = compile;
    this.#stored = stored;
    this.#go = button('Encrypt and send', () => void this.#run(), {
      ...{ class: 'primary', 'data-testid': 'clinic-send', disabled: true },
    });
    this.#cancel = button('Cancel', () => this.#running?.abort(new DOMException('Cancelled', 'AbortError')), {
      'data-testid': 'clinic-cancel-send',
      disabled: true,
    });
    this.#makeTable();
    this.leaving.append(
      h(
        'label',
        { class: 'clinic-field' },
        h('span', {}, 'Who will be able to read the answers'),
        this.#reader,
      ),
      h(
        'label',
        { class: 'clinic-field' },
        h('span', {}, 'Name of the record: the service sees it, and so does whom you let ask'),
        this.#label,
      ),
      this.#sizes,
      h('div', { class: 'row' }, this.#go, this.#cancel),
      this.#progress,
      this.#status,
      this.#compare,
      this.#peek,
    );
    this.#reader.addEventListener('change', () => this.#changed());
    this.update();
    this.#changed();
  }

  #makeTable(): void {
    const file = h('input', {
      ...{ class: 'sr-only', type: 'file', accept: '.csv,.tsv,.txt,text/csv', 'data-testid': 'clinic-file' },
    });
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      file.value = ''; // the same file can be chosen again
      if (chosen !== undefined) void this.#take(chosen.name, () => chosen.arrayBuffer());
    });
    const drop = h(
      'div',
      { class: 'drop' },
      h(
        'div',
        { class: 'row' },
        button('Use the example data', () => void this.#take(SAMPLE_NAME, fetchSample), {
          class: 'primary',
          'data-testid': 'clinic-sample',
        }),
        h('label', { class: 'button' }, 'Choose a CSV file', file),
      ),
      h('p', { class: 'note' }, 'Or drop a file here. It is read in this tab, and stays here.'),
    );
    connectDrop(drop, (name, bytes) => {
      if (!this.busy) void this.#take(name, bytes);
    });
    this.table.append(
      drop,
      this.#name,
      h(
        'fieldset',
        { class: 'picker' },
        h('legend', {}, 'Columns', h('span', { class: 'note' }, `up to ${MOST_COLUMNS}`)),
        this.#columns,
      ),
      h(
        'p',
        { class: 'note' },
        'What may be asked of each: how many values there are, their mean and their standard deviation. Nothing else can be computed of what you send.',
      ),
    );
    this.#columns.addEventListener('change', () => this.#changed());
  }

  /** Whether something would be lost with this tab. */
  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Who is signed in is another one. */
  reset(): void {
    this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
    this.#say('');
    this.#source = undefined;
    this.#boxes = [];
    this.#columns.replaceChildren();
    this.#name.textContent = '';
    this.#label.value = LABEL;
    this.#reader.value = '';
    this.#taking += 1;
    this.update();
    this.#changed();
  }

  #drop(): void {
    const draft = this.#draft;
    if (draft?.key === undefined) draft?.holder?.dispose();
    if (draft?.published === undefined) draft?.program?.dispose();
    this.#draft = undefined;
  }

  /** Of the bytes of any request. */
  sent(bytes: number): void {
    this.#sent += bytes;
    if (this.#total === 0) return;
    const share = Math.min(this.#sent / this.#total, 1);
    this.#progress.value = share;
    this.#progress.textContent = `${Math.round(share * 100)} %`;
  }

  /** The service said something new. */
  update(): void {
    const { user, known } = this.#desk;
    const others = known.users.filter(
      ({ name, role }) => name !== user?.name && ['client', 'analyst'].includes(role),
    );
    const wanted = ['', ...others.map(({ name }) => name)];
    const there = [...this.#reader.options].map(({ value }) => value);
    if (JSON.stringify(wanted) !== JSON.stringify(there)) {
      const chosen = this.#reader.value;
      this.#reader.replaceChildren(
        ...wanted.map((name) =>
          h(
            'option',
            { value: name },
            name === '' ? 'Only I: my key stays in this tab' : `Only ${name}: by a key of theirs`,
          ),
        ),
      );
      this.#reader.value = wanted.includes(chosen) ? chosen : '';
    }
    this.#lookForKey();
    this.#enable();
  }

  async #take(file: string, bytes: () => Promise<ArrayBuffer>): Promise<void> {
    const name = format.foreign(file);
    await this.#desk.attempt(`reading ${name}`, async () => {
      const taking = (this.#taking += 1);
      const table = await this.#data.read(await bytes());
      if (taking !== this.#taking) return;
      if (table.numeric.length === 0) throw new Error(`${name} has no column of numbers`);
      if (table.rows < LEAST_ROWS)
        throw new Error(
          `${name} has ${format.plural(table.rows, 'row')}: a standard deviation needs ${LEAST_ROWS}`,
        );
      this.#source = table;
      this.#name.textContent = `${name}: ${format.plural(table.rows, 'row')}`;
      const usual =
        name === SAMPLE_NAME ? SAMPLE_COLUMNS : table.numeric.slice(0, 2).map((column) => column.name);
      this.#boxes = table.numeric.map((column) => {
        const box = h('input', { type: 'checkbox', value: column.name, 'data-testid': 'clinic-column' });
        box.checked = (usual as readonly string[]).includes(column.name);
        return { column, box };
      });
      this.#columns.replaceChildren(
        ...this.#boxes.map(({ column, box }) => option(box, column.name, `${column.min} to ${column.max}`)),
        ...table.others.map(({ name, why }) => {
          const box = h('input', { type: 'checkbox', disabled: true });
          return option(box, name, `cannot be used: ${why}`);
        }),
      );
      if (this.#label.value === '' || this.#label.value === LABEL)
        this.#label.value = name.replace(/\.\w+$/, '');
      this.#changed();
    });
  }

  // ------------------------------------------------------------------------------------------------- choice

  #changed(): void {
    clearTimeout(this.#settling);
    const columns = this.#boxes.filter(({ box }) => box.checked).map(({ column }) => column);
    for (const { box } of this.#boxes) box.disabled = !box.checked && columns.length >= MOST_COLUMNS;
    // What the service does not know is of no use to another choice.
    this.#drop();
    this.#compare.replaceChildren();
    this.#peek.replaceChildren();
    this.#sizes.replaceChildren();
    this.#enable();
    if (columns.length === 0 || this.#source === undefined) {
      this.#sizes.replaceChildren(
        h(
          'p',
          { class: 'note' },
          'Take a table and choose columns: then you see here what would leave this tab.',
        ),
      );
      return;
    }
    const draft: Draft = { columns, reader: this.#reader.value || undefined };
    this.#draft = draft;
    this.#settling = window.setTimeout(() => {
      void this.#desk.attempt('planning', async () => {
        const program = await this.#compiled(draft);
        if (program !== undefined) this.#showSizes(program, draft);
        this.#enable();
      });
    }, SETTLE);
  }

  /** Undefined: there is another choice by now. */
  async #compiled(draft: Draft): Promise<Program | undefined> {
    if (draft.program !== undefined) return draft.program;
    const { loom } = this.#desk;
    const task = loom.task();
    fillTask(task, selectionOf(draft.columns.map(({ declared }) => declared)));
    const program = await loom.compile(task, { ...this.#compile, publicKey: draft.reader !== undefined });
    if (draft === this.#draft) return (draft.program = program);
    program.dispose();
    return undefined;
  }

  #showSizes(program: Program, { reader, holder, ciphertexts }: Draft): void {
    const { cost } = program.info;
    const rows: [id: string, what: string, bytes: number, why: string][] = [
      [
        'program',
        'The question',
        program.toBytes().length,
        'which columns there are, their bounds rounded outward, how many rows, what is computed',
      ],
      [
        'keys',
        'Keys to compute with',
        holder === undefined ? cost.keyBytes : totalBytes(holder.evaluationKeys),
        'made of your secret key; they decrypt nothing',
      ],
      [
        'values',
        'Your columns, encrypted',
        ciphertexts === undefined ? cost.uploadBytes : totalBytes(Object.values(ciphertexts)),
        'no value can be read in them without the secret key',
      ],
    ];
    // Who has no key sends none; and some questions need none.
    const leaving = rows.filter(([id, , bytes]) => id !== 'keys' || (reader === undefined && bytes > 0));
    const about = ciphertexts === undefined ? 'about ' : '';
    this.#sizes.replaceChildren(
      h(
        'table',
        { class: 'clinic-sizes' },
        h(
          'thead',
          {},
          h('tr', {}, ...['What leaves this tab', 'Size'].map((text) => h('th', { scope: 'col' }, text))),
        ),
        h(
          'tbody',
          {},
          ...leaving.map(([id, what, bytes, why]) =>
            h(
              'tr',
              { 'data-leaves': id },
              h('th', { scope: 'row' }, what, h('span', { class: 'note' }, why)),
              h('td', { class: 'value' }, `${id === 'program' ? '' : about}${format.bytes(bytes)}`),
            ),
          ),
        ),
      ),
      h(
        'p',
        { class: 'clinic-stays' },
        h('strong', {}, 'What stays: '),
        reader === undefined
          ? 'the table, and the secret key, in the memory of this tab. Keep the key under a passphrase below, or it is gone with the tab.'
          : `the table. The secret key is ${reader}’s, and stays in a tab of theirs: you cannot read the answers yourself.`,
      ),
    );
  }

  // ---------------------------------------------------------------------------------------------------- send

  async #run(): Promise<void> {
    const draft = this.#draft;
    if (draft === undefined || this.#running !== undefined) return;
    const controller = new AbortController();
    this.#running = controller;
    this.#enable();
    await this.#desk.attempt('sending', async () => {
      try {
        await this.#send(draft, controller.signal);
      } catch (error) {
        // Whose it was has left, or there is another table.
        if (draft !== this.#draft) {
          this.#say('');
          return;
        }
        if (isCancellation(error, controller.signal)) {
          this.#say('Cancelled. What had been sent already is not sent again.');
          return;
        }
        this.#say('Not sent. What had been sent already is not sent again: press the button to go on.');
        throw error;
      } finally {
        this.#total = 0;
        this.#progress.hidden = true;
        this.#running = undefined;
        this.#enable();
      }
    });
  }

  /** Every step leaves what it made in the draft, so that the next try goes on behind it. */
  async #send(draft: Draft, signal: AbortSignal): Promise<void> {
    const { client } = this.#desk;
    const label = this.#label.value.trim() || 'A table';
    this.#say('Compiling…');
    const program = await this.#compiled(draft);
    signal.throwIfAborted();
    if (program === undefined) return;
    const values = Object.fromEntries(draft.columns.map(({ name, values }) => [name, values]));
    if (draft.reader === undefined) {
      this.#say('Making keys…');
      if (draft.holder === undefined) {
        const holder = await program.client({ signal });
        if (draft !== this.#draft) {
          holder.dispose();
          return;
        }
        draft.holder = holder;
      }
      this.#say('Encrypting…');
      draft.ciphertexts ??= await draft.holder.encrypt(values, { signal });
      this.#showSizes(program, draft);
      this.#showPeek(draft);
      this.#begin(
        program.toBytes().length +
          totalBytes(draft.holder.evaluationKeys) +
          totalBytes(Object.values(draft.ciphertexts)),
      );
    }
    this.#say('Sending…');
    const published = (draft.published ??= (await client.publish(
      nameOfQuestion(draft.columns),
      program,
      signal,
    )) as string);
    if (draft.reader === undefined) draft.key ??= await client.giveKeys(published, draft.holder!, { signal });
    else if (draft.agreed === undefined) {
      await this.#askForKey(published, draft.reader);
      return;
    } else {
      const fingerprint = draft.agreed.publicKey!;
      if (draft.ciphertexts === undefined) {
        this.#say('Encrypting…');
        const made = await client.encryptFor({
          program: published,
          holder: draft.reader,
          fingerprint,
          values,
        });
        draft.key = made.key;
        draft.ciphertexts = made.ciphertexts;
      }
      this.#showSizes(program, draft);
      this.#showPeek(draft);
      this.#begin(totalBytes(Object.values(draft.ciphertexts!)));
      this.#say('Sending…');
    }
    draft.record ??= (
      await client.storeCiphertexts({
        program: published,
        key: draft.key!,
        label,
        ciphertexts: draft.ciphertexts!,
        signal,
      })
    ).id as string;
    if (draft.reader !== undefined)
      await client.grant(draft.record, { to: draft.reader, use: 'ask', program: published });
    const { record, reader } = draft;
    // The same question can be asked of more values under the same key.
    delete draft.ciphertexts;
    delete draft.record;
    this.#compare.replaceChildren();
    this.#say(
      reader === undefined
        ? `Stored as “${label}”. Now ask what it comes to.`
        : `Stored as “${label}”, and ${reader} may ask what it comes to.`,
    );
    await this.#desk.refresh();
    this.#stored(record);
  }

  #begin(bytes: number): void {
    this.#sent = 0;
    this.#total = bytes;
    this.#progress.value = 0;
    this.#progress.hidden = false;
  }

  async #askForKey(program: string, holder: string): Promise<void> {
    const { client, known } = this.#desk;
    const asked = known.requests.some(
      (request) => request.program === program && request.holder === holder && request.state !== 'declined',
    );
    if (!asked) await client.call('POST', '/key-requests', { holder, program });
    this.#say(`${holder} has been asked for a key to encrypt with. This goes on when it is there.`);
    await this.#desk.refresh();
  }

  /** Of another person, once it is there: it is compared before anything is encrypted with it. */
  #lookForKey(): void {
    const draft = this.#draft;
    if (draft?.reader === undefined || draft.published === undefined || draft.agreed !== undefined) return;
    const { known } = this.#desk;
    const declined = known.requests.find(
      ({ program, holder, state }) =>
        program === draft.published && holder === draft.reader && state === 'declined',
    );
    const set = known.keys.find(
      ({ program, holder, publicKey, state }) =>
        program === draft.published &&
        holder === draft.reader &&
        state === 'active' &&
        publicKey !== undefined,
    );
    if (set === undefined) {
      if (declined !== undefined) this.#say(`${draft.reader} does not want to give a key.`);
      return;
    }
    if (this.#compare.dataset['set'] === set.id && this.#compare.childElementCount > 0) return;
    this.#compare.dataset['set'] = set.id;
    this.#say(`The key of ${draft.reader} is there.`);
    put(
      this.#compare,
      h(
        'p',
        {},
        `Ask ${draft.reader}, by telephone say, whether their tab shows the same: a service that cheats could hand out a key of its own, and read everything. `,
        h(
          'code',
          { class: 'clinic-fingerprint', 'data-testid': 'clinic-fingerprint' },
          spoken(set.publicKey!),
        ),
      ),
      button(
        'It is the same: encrypt and send',
        () => {
          draft.agreed = set;
          void this.#run();
        },
        { class: 'primary', 'data-testid': 'clinic-agree' },
      ),
    );
  }

  /** The first values of a column, and the first bytes of what leaves in their place. */
  #showPeek({ columns, ciphertexts }: Draft): void {
    const [column] = columns;
    const bytes = ciphertexts?.[column!.name];
    if (bytes === undefined) return;
    // Behind what says how to read them.
    const middle = bytes.length >> 1;
    const hex = [...bytes.subarray(middle, middle + PEEK_BYTES)].map((byte) =>
      byte.toString(16).padStart(2, '0'),
    );
    this.#peek.replaceChildren(
      h(
        'dl',
        { class: 'facts' },
        h('dt', {}, `${column!.name} here`),
        h('dd', {}, h('code', {}, `${[...column!.values.subarray(0, PEEK_VALUES)].join(', ')}, …`)),
        h('dt', {}, 'and what left'),
        h('dd', {}, h('code', {}, `${hex.join(' ')} …`)),
      ),
    );
  }

  #say(text: string): void {
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #enable(): void {
    const running = this.#running !== undefined;
    const waiting =
      this.#draft?.reader !== undefined &&
      this.#draft.published !== undefined &&
      this.#draft.agreed === undefined;
    const change = (): void => {
      this.#go.disabled =
        running || waiting || this.#draft?.program === undefined || this.#desk.user === undefined;
      this.#cancel.disabled = !running;
      for (const control of [this.#reader, this.#label]) control.disabled = running;
      for (const control of this.table.querySelectorAll<HTMLInputElement | HTMLButtonElement>(
        'input, button',
      ))
        if (control.type !== 'checkbox') control.disabled = running;
      this.#columns.inert = running;
    };
    keepFocus(change, this.#cancel, this.#go);
  }
}

function nameOfQuestion(columns: readonly NumericColumn[]): string {
  return `Mean and spread of ${columns.map(({ name }) => name).join(', ')}`.slice(0, 190);
}
