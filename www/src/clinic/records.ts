/** Records: one's own, with who may ask what of them, and those that others let one ask. */
import { button, h } from '../ui/dom.js';
import { type Desk, put, type StoredRecord } from './desk.js';
import { isAway } from './service.js';

interface Grant {
  readonly id: string;
  readonly to: string;
  readonly use: string;
}

export class Records {
  readonly place = h('ul', { class: 'clinic-list', 'data-testid': 'clinic-records' });
  readonly #desk: Desk;
  readonly #asked: (question: string) => void;
  /** Of own records, once they were looked up. */
  readonly #grants = new Map<string, readonly Grant[]>();
  /** Whom each record is to be shared with: what is chosen survives drawing anew. */
  readonly #chosen = new Map<string, string>();
  /** Of questions that were asked without hearing that they arrived: asking again with the same id is asking once. */
  readonly #asking = new Map<string, string>();
  /** What is drawn: a list of names that is open is not to be closed by drawing the same anew. */
  #drawn = '';

  constructor(desk: Desk, asked: (question: string) => void) {
    this.#desk = desk;
    this.#asked = asked;
  }

  reset(): void {
    this.#asking.clear();
    this.#grants.clear();
    this.#chosen.clear();
  }

  draw(): void {
    const { known, user } = this.#desk;
    const { records, users, keys, programs } = known;
    const drawn = JSON.stringify([user, records, users, keys, [...programs.values()], [...this.#grants]]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      if (records.length === 0)
        put(
          this.place,
          h('li', { class: 'note' }, 'None yet. What you send, and what others let you ask, comes here.'),
        );
      else put(this.place, ...records.map((record) => this.#item(record)).reverse());
    }
    for (const { id, owner } of known.records)
      if (owner === user?.name && !this.#grants.has(id)) void this.#look(id);
  }

  /** The button that asks a record, for who has just stored it. */
  focus(record: string): void {
    this.place.querySelector<HTMLElement>(`[data-focus="ask ${record}"]`)?.focus();
  }

  #item(record: StoredRecord): HTMLElement {
    const { known, user } = this.#desk;
    const own = record.owner === user?.name;
    const program = known.programs.get(record.program);
    const holder = known.keys.find(({ id }) => id === record.key)?.holder;
    const mayAsk =
      ['client', 'analyst'].includes(user?.role ?? '') &&
      (own ? holder === user?.name : record.use === 'ask');
    const reader =
      holder === undefined
        ? 'by a key that was deleted'
        : holder === user?.name
          ? 'by your key'
          : `by the key of ${holder}`;
    return h(
      'li',
      { 'data-item': record.id, 'data-testid': 'clinic-record' },
      h(
        'div',
        { class: 'clinic-item-head' },
        h('strong', {}, record.label),
        h('span', { class: 'note' }, `${own ? 'yours' : `from ${record.owner}`}; its answers open ${reader}`),
      ),
      h('p', { class: 'note' }, program?.name ?? 'a question that is no longer offered'),
      h(
        'div',
        { class: 'row' },
        ...(mayAsk
          ? [
              button('Ask', () => void this.#ask(record), {
                ...{ class: 'primary small', 'data-testid': 'clinic-ask', 'data-focus': `ask ${record.id}` },
                'aria-label': `Ask ${record.label}`,
              }),
            ]
          : []),
        ...(own ? this.#sharing(record) : []),
        ...(own
          ? [
              button('Delete', () => void this.#delete(record), {
                ...{
                  class: 'small',
                  'data-testid': 'clinic-delete-record',
                  'data-focus': `delete ${record.id}`,
                },
                'aria-label': `Delete ${record.label}`,
              }),
            ]
          : []),
      ),
      ...(own ? this.#granted(record) : []),
    );
  }

  #sharing(record: StoredRecord): HTMLElement[] {
    const { known, user } = this.#desk;
    const already = new Set(this.#grants.get(record.id)?.map(({ to }) => to));
    const others = known.users.filter(
      ({ name, role }) => name !== user?.name && ['client', 'analyst'].includes(role) && !already.has(name),
    );
    if (others.length === 0) return [];
    const select = h('select', {
      ...{
        class: 'small',
        'aria-label': `Who else may ask ${record.label}`,
        'data-testid': 'clinic-share-with',
      },
      'data-focus': `with ${record.id}`,
    });
    select.append(
      h('option', { value: '' }, 'Let somebody ask…'),
      ...others.map(({ name }) => h('option', { value: name }, name)),
    );
    select.value = this.#chosen.get(record.id) ?? '';
    const share = button('Let ask', () => void this.#share(record, select.value), {
      ...{ class: 'small', 'data-testid': 'clinic-share', 'data-focus': `share ${record.id}` },
      disabled: select.value === '',
    });
    select.addEventListener('change', () => {
      this.#chosen.set(record.id, select.value);
      share.disabled = select.value === '';
    });
    return [h('span', { class: 'clinic-share' }, select, share)];
  }

  #granted(record: StoredRecord): HTMLElement[] {
    const grants = this.#grants.get(record.id) ?? [];
    if (grants.length === 0) return [];
    return [
      h(
        'ul',
        { class: 'clinic-grants' },
        ...grants.map(({ id, to, use }) =>
          h(
            'li',
            { 'data-testid': 'clinic-grant' },
            h(
              'span',
              {},
              use === 'ask' ? `${to} may ask this question of it` : `${to} may fetch its ciphertexts`,
            ),
            button('Take back', () => void this.#revoke(record, id), {
              ...{ class: 'small', 'data-testid': 'clinic-revoke', 'data-focus': `revoke ${id}` },
              'aria-label': `Take back what ${to} may do with ${record.label}`,
            }),
          ),
        ),
      ),
    ];
  }

  async #look(record: string): Promise<void> {
    this.#grants.set(record, []);
    await this.#desk.attempt('looking who may ask', async () => {
      const grants = (await this.#desk.client.call('GET', `/records/${record}/grants`)) as Grant[];
      this.#grants.set(record, grants);
      if (grants.length > 0) this.draw();
    });
  }

  async #ask({ id: record, program, label }: StoredRecord): Promise<void> {
    await this.#desk.attempt(`asking ${label}`, async () => {
      const id = this.#asking.get(record) ?? crypto.randomUUID();
      this.#asking.set(record, id);
      try {
        await this.#desk.client.call('POST', '/questions', { id, program, records: [record] });
        this.#asking.delete(record);
      } catch (error) {
        if (!isAway(error)) this.#asking.delete(record);
        throw error;
      }
      await this.#desk.refresh();
      this.#asked(id);
    });
  }

  async #share({ id, program, label }: StoredRecord, to: string): Promise<void> {
    if (to === '') return;
    await this.#desk.attempt(`letting ${to} ask ${label}`, async () => {
      await this.#desk.client.grant(id, { to, use: 'ask', program });
      this.#chosen.delete(id);
      this.#grants.delete(id);
      await this.#desk.refresh();
    });
  }

  async #revoke({ id, label }: StoredRecord, grant: string): Promise<void> {
    await this.#desk.attempt(`taking back what others may do with ${label}`, async () => {
      await this.#desk.client.call('DELETE', `/records/${id}/grants/${grant}`);
      this.#grants.delete(id);
      await this.#desk.refresh();
    });
  }

  async #delete({ id, label }: StoredRecord): Promise<void> {
    await this.#desk.attempt(`deleting ${label}`, async () => {
      await this.#desk.client.call('DELETE', `/records/${id}`);
      this.#grants.delete(id);
      await this.#desk.refresh();
    });
  }
}
