/** Who is signed in, and how one comes in. */
import { button, h } from '../ui/dom.js';
import { type Desk, put, type User } from './desk.js';
import { ClinicError } from './service.js';

const NAMES = ['ann', 'ben', 'cleo', 'dan', 'eva', 'finn', 'gita', 'hugo'] as const;
/** Of a demo account: 120 bits. */
const PASSWORD_BYTES = 15;

export interface AccountEvents {
  /** Signed in, with the token that the client has now. */
  entered(user: User): Promise<void>;
  left(): Promise<void>;
}

export class Account {
  readonly place = h('div', { class: 'clinic-account', 'data-testid': 'clinic-account' });
  readonly #desk: Desk;
  readonly #events: AccountEvents;
  readonly #demo: boolean;
  /** Of a demo account that was made here, which nobody else could tell. */
  #password: string | undefined;

  constructor(desk: Desk, demo: boolean, events: AccountEvents) {
    this.#desk = desk;
    this.#demo = demo;
    this.#events = events;
  }

  /** `name`: of who was signed in, whose session has ended. */
  showSignIn(name = ''): void {
    this.#password = undefined;
    const field = (text: string, properties: Record<string, string | boolean>): HTMLInputElement => {
      const input = h('input', { type: 'text', autocomplete: 'off', ...properties });
      fields.append(h('label', { class: 'clinic-field' }, h('span', {}, text), input));
      return input;
    };
    const fields = h('div', { class: 'clinic-fields' });
    const user = field('Name', {
      ...{ 'data-testid': 'clinic-name', autocomplete: 'username', required: true, value: name },
      ...{ autocapitalize: 'none', spellcheck: 'false' },
    });
    const password = field('Password', {
      ...{
        'data-testid': 'clinic-password',
        type: 'password',
        autocomplete: 'current-password',
        required: true,
      },
    });
    const code = field('Invitation code, the first time only', { 'data-testid': 'clinic-code' });
    const form = h(
      'form',
      {
        class: 'clinic-form',
        'data-testid': 'clinic-sign-in',
        submit: (event: SubmitEvent) => {
          event.preventDefault();
          const given = { name: user.value.trim(), password: password.value };
          void this.#desk.attempt('signing in', () => this.#enter(given, code.value.trim()));
        },
      },
      fields,
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'submit', class: this.#demo ? '' : 'primary' }, 'Sign in'),
      ),
    );
    if (this.#demo && name === '')
      put(
        this.place,
        h(
          'p',
          {},
          'This service runs on your own machine, to try it out: it gives an account to whoever asks.',
        ),
        h(
          'div',
          { class: 'row' },
          button(
            'Use a demo account',
            () => void this.#desk.attempt('making an account', () => this.#tryOut()),
            {
              class: 'primary',
              'data-testid': 'clinic-demo',
            },
          ),
        ),
        h('details', {}, h('summary', {}, 'Sign in with a name and a password'), form),
      );
    else put(this.place, form);
  }

  showUser({ name, role }: User, holding: () => number): void {
    const out = button(
      'Sign out',
      () => {
        const keys = holding();
        if (keys > 0 && !out.dataset['sure']) {
          out.dataset['sure'] = 'true';
          out.textContent = `Sign out, and lose ${keys === 1 ? 'a key' : `${keys} keys`} that only this tab has`;
          return;
        }
        void this.#desk.attempt('signing out', () => this.#events.left());
      },
      { class: 'small', 'data-testid': 'clinic-sign-out' },
    );
    put(
      this.place,
      h(
        'p',
        {},
        'Signed in as ',
        h('strong', { 'data-testid': 'clinic-user' }, name),
        `, with the role “${role}”.`,
      ),
      ...(this.#password === undefined
        ? []
        : [
            h(
              'p',
              { class: 'note' },
              'The password of this demo account is ',
              h('code', { 'data-testid': 'clinic-demo-password' }, this.#password),
              ': you need it only to sign in elsewhere.',
            ),
          ]),
      h(
        'div',
        { class: 'row' },
        ...(this.#demo
          ? [
              h(
                'a',
                {
                  ...{
                    href: `${location.pathname}${location.search}#clinic`,
                    target: '_blank',
                    rel: 'noopener',
                  },
                  ...{ class: 'button', 'data-testid': 'clinic-second' },
                },
                'Open a tab for a second person',
              ),
            ]
          : []),
        out,
      ),
    );
  }

  async #tryOut(): Promise<void> {
    const password = [...crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    const { code } = (await this.#desk.client.call('POST', '/demo')) as { code: string };
    for (let tries = 0; ; tries += 1) {
      const [first, digits] = crypto.getRandomValues(new Uint16Array(2));
      const name = `${NAMES[first! % NAMES.length]!}-${String(digits! % 1000).padStart(3, '0')}`;
      try {
        await this.#enter({ name, password }, code, password);
        return;
      } catch (error) {
        if (!(error instanceof ClinicError) || error.code !== 'user.taken' || tries > 8) throw error;
      }
    }
  }

  async #enter(given: { name: string; password: string }, code: string, shown?: string): Promise<void> {
    const { client } = this.#desk;
    if (code !== '') await client.call('POST', '/register', { code, ...given });
    await client.login(given);
    this.#password = shown;
    await this.#events.entered(client.user as User);
  }
}
