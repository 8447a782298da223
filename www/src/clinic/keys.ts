/** One's keys: where each secret key is, keeping it under a passphrase, and requests of others for a public key. */
import { button, h } from '../ui/dom.js';
import { type Desk, type KeyRequest, type KeySet, outputsOf, put, spoken } from './desk.js';
import { forget, keep, type KeptKey, keptOf } from './kept-keys.js';

const LEAST_PASSPHRASE = 12;

export class Keys {
  readonly place = h('ul', { class: 'clinic-list', 'data-testid': 'clinic-keys' });
  readonly requests = h('div', {
    class: 'clinic-requests',
    'data-testid': 'clinic-requests',
    'aria-live': 'polite',
  });
  readonly #desk: Desk;
  #kept = new Map<string, KeptKey>();
  /** What each program computes that a key is wanted for, once it was looked at. */
  readonly #seen = new Map<string, string>();
  /** What is drawn: passphrases that are being typed are not to be drawn over. */
  #drawn = '';
  #drawnRequests = '';

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Whose keys these are has changed. */
  async reset(): Promise<void> {
    this.#drawn = '';
    this.#drawnRequests = '';
    this.#kept.clear();
    this.#seen.clear();
    const { user } = this.#desk;
    if (user === undefined) return;
    // A browser that keeps nothing has nothing kept.
    const kept = await keptOf(user.name).catch(() => []);
    this.#kept = new Map(kept.map((key) => [key.set, key]));
  }

  get own(): readonly KeySet[] {
    return this.#desk.known.keys.filter(({ holder }) => holder === this.#desk.user?.name);
  }

  /** How many secret keys would be lost with this tab. */
  get unkept(): number {
    return this.own.filter(({ id }) => this.#desk.client.holds(id) && !this.#kept.has(id)).length;
  }

  draw(): void {
    this.#drawRequests();
    const { client } = this.#desk;
    const drawn = JSON.stringify(
      this.own.map(({ id, state }) => [id, state, client.holds(id), this.#kept.has(id)]),
    );
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    if (this.own.length === 0)
      put(this.place, h('li', { class: 'note' }, 'None yet. A key is made when you encrypt, in this tab.'));
    else put(this.place, ...[...this.own].reverse().map((set) => this.#item(set)));
  }

  #drawRequests(): void {
    const open = this.#open();
    const drawn = JSON.stringify(open.map(({ id }) => [id, this.#seen.has(id)]));
    if (drawn === this.#drawnRequests) return;
    this.#drawnRequests = drawn;
    put(this.requests, ...open.map((request) => this.#request(request)));
  }

  #open(): KeyRequest[] {
    const { known, user } = this.#desk;
    return known.requests.filter(({ holder, state }) => holder === user?.name && state === 'open');
  }

  #item(set: KeySet): HTMLElement {
    const { client, known } = this.#desk;
    const here = client.holds(set.id);
    const kept = this.#kept.has(set.id);
    const where = here
      ? kept
        ? 'in the memory of this tab, and in this browser under your passphrase'
        : 'in the memory of this tab alone: it is gone when the tab is closed'
      : kept
        ? 'in this browser, under your passphrase'
        : 'not in this tab, nor kept in this browser';
    return h(
      'li',
      {
        'data-item': set.id,
        'data-testid': 'clinic-key',
        'data-here': String(here),
        'data-kept': String(kept),
      },
      h('strong', {}, known.programs.get(set.program)?.name ?? 'A question that is no longer offered'),
      h('p', { class: 'note' }, `Secret key: ${where}.`),
      ...(set.publicKey === undefined
        ? []
        : [
            h(
              'p',
              { class: 'note' },
              'Public key, to be compared with what others see: ',
              h(
                'code',
                { class: 'clinic-fingerprint', 'data-testid': 'clinic-own-fingerprint' },
                spoken(set.publicKey),
              ),
            ),
          ]),
      ...(here && !kept
        ? [this.#passphrase(set, 'Keep in this browser', (text) => this.#keep(set, text))]
        : []),
      ...(!here && kept ? [this.#passphrase(set, 'Open', (text) => this.#restore(set, text))] : []),
      h(
        'div',
        { class: 'row' },
        ...(kept
          ? [
              button('Remove from this browser', () => void this.#forget(set), {
                ...{ class: 'small', 'data-testid': 'clinic-forget', 'data-focus': `forget ${set.id}` },
              }),
            ]
          : []),
      ),
    );
  }

  #passphrase(set: KeySet, text: string, work: (passphrase: string) => Promise<void>): HTMLElement {
    const opening = text === 'Open';
    const input = h('input', {
      ...{
        type: 'password',
        required: true,
        minlength: LEAST_PASSPHRASE,
        'data-testid': 'clinic-passphrase',
      },
      ...{
        autocomplete: opening ? 'current-password' : 'new-password',
        'data-focus': `passphrase ${set.id}`,
      },
    });
    return h(
      'form',
      {
        class: 'clinic-passphrase',
        submit: (event: SubmitEvent) => {
          event.preventDefault();
          const given = input.value;
          input.value = '';
          void this.#desk.attempt(opening ? 'opening the key' : 'keeping the key', () => work(given));
        },
      },
      // So that password managers know whose it is.
      h('input', {
        type: 'text',
        autocomplete: 'username',
        value: `key ${set.id}`,
        hidden: true,
        readonly: true,
      }),
      h(
        'label',
        { class: 'clinic-field' },
        h('span', {}, `Passphrase, ${LEAST_PASSPHRASE} characters or more`),
        input,
      ),
      h(
        'button',
        { type: 'submit', class: 'small', 'data-testid': opening ? 'clinic-open-key' : 'clinic-keep-key' },
        text,
      ),
    );
  }

  async #keep({ id, program }: KeySet, passphrase: string): Promise<void> {
    const { client, user } = this.#desk;
    const key = {
      set: id,
      user: user!.name,
      program,
      sealed: (await client.exportKeys(id, passphrase)) as Uint8Array,
    };
    await keep(key);
    this.#kept.set(id, key);
    this.#desk.redraw();
  }

  async #restore({ id, program }: KeySet, passphrase: string): Promise<void> {
    await this.#desk.client.importKeys(id, program, this.#kept.get(id)!.sealed, passphrase);
    this.#desk.redraw();
  }

  async #forget({ id }: KeySet): Promise<void> {
    await this.#desk.attempt('removing the key', async () => {
      await forget(id);
      this.#kept.delete(id);
      this.#desk.redraw();
    });
  }

  #request(request: KeyRequest): HTMLElement {
    const { id, requester, program } = request;
    const seen = this.#seen.get(id);
    const { known } = this.#desk;
    return h(
      'div',
      { class: 'clinic-request', 'data-testid': 'clinic-request' },
      h(
        'p',
        {},
        h('strong', {}, requester),
        ` asks for a key of yours, to encrypt values that you can then ask about: “${known.programs.get(program)?.name ?? ''}”.`,
      ),
      ...(seen === undefined ? [] : [h('p', { class: 'note' }, `It gives you: ${seen}.`)]),
      h(
        'div',
        { class: 'row' },
        button('Make a key, and give its public half', () => void this.#give(request), {
          ...{ class: 'primary small', 'data-testid': 'clinic-give-key', 'data-focus': `give ${id}` },
        }),
        ...(seen === undefined
          ? [
              button('What does it compute?', () => void this.#look(request), {
                ...{ class: 'small', 'data-focus': `look ${id}`, 'data-testid': 'clinic-look' },
              }),
            ]
          : []),
        button('Decline', () => void this.#decline(id), {
          ...{ class: 'small', 'data-testid': 'clinic-decline', 'data-focus': `decline ${id}` },
        }),
      ),
    );
  }

  async #look({ id, program }: KeyRequest): Promise<void> {
    await this.#desk.attempt('opening the program', async () => {
      this.#seen.set(id, outputsOf(await this.#desk.client.program(program)));
      this.draw();
    });
  }

  async #give({ program }: KeyRequest): Promise<void> {
    await this.#desk.attempt('giving a key', async () => {
      await this.#desk.client.issueKeys(program);
      await this.#desk.refresh();
    });
  }

  async #decline(id: string): Promise<void> {
    await this.#desk.attempt('declining', async () => {
      await this.#desk.client.call('POST', `/key-requests/${id}/decline`);
      await this.#desk.refresh();
    });
  }
}
