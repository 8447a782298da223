/** What the tab “Clinic” consists of. */
import { failureOf } from '../failure.js';
import { button, h } from '../ui/dom.js';
import { step } from '../ui/step.js';

export const PREFIX = 'clinic-';

export interface Parts {
  readonly account: HTMLElement;
  readonly table: HTMLElement;
  readonly leaving: HTMLElement;
  readonly records: HTMLElement;
  readonly questions: HTMLElement;
  readonly keys: HTMLElement;
  readonly requests: HTMLElement;
  readonly seen: HTMLElement;
}

export interface Frame {
  readonly failure: HTMLElement;
  /** Says that the service is away. */
  readonly away: HTMLElement;
  /** All that needs somebody who is signed in, or was. */
  readonly inside: readonly HTMLElement[];
}

function hero(): HTMLElement {
  return h(
    'section',
    { class: 'hero' },
    h('h1', {}, 'Ask a service that cannot read your table'),
    h(
      'p',
      { class: 'lead' },
      'A service stores your records and computes on them, and has no key. Your table is encrypted in this tab, the answer is decrypted in this tab, and what is between them, the service included, sees ciphertexts.',
    ),
  );
}

export function makeFrame(host: HTMLElement, parts: Parts): Frame {
  const failure = h('div', {
    class: 'failure card',
    role: 'alert',
    'data-testid': 'clinic-error',
    hidden: true,
  });
  const away = h('p', {
    class: 'clinic-away card',
    role: 'status',
    'data-testid': 'clinic-away',
    hidden: true,
  });
  const section = (id: string, title: string, ...children: (Node | string)[]): HTMLElement =>
    h(
      'section',
      { class: 'card clinic-section', 'aria-labelledby': `${PREFIX}${id}-title` },
      h('h2', { id: `${PREFIX}${id}-title` }, title),
      ...children,
    );
  const take = step(2, { prefix: PREFIX, id: 'take', title: 'Take a table' }, parts.table);
  const send = step(
    3,
    { prefix: PREFIX, id: 'send', title: 'See what leaves, then send', kind: 'plan' },
    parts.leaving,
  );
  const records = step(
    4,
    { prefix: PREFIX, id: 'records', title: 'Records: ask, and let ask' },
    parts.records,
  );
  const questions = step(
    5,
    { prefix: PREFIX, id: 'questions', title: 'Questions and answers', kind: 'clinic-questions' },
    parts.questions,
  );
  const keys = section(
    'keys',
    'Your keys',
    h(
      'p',
      { class: 'note' },
      'A secret key is made in this tab and never leaves it, unless you keep it in this browser: then encrypted, under a passphrase that is stored nowhere.',
    ),
    parts.requests,
    parts.keys,
  );
  const seen = section(
    'seen',
    'What the service saw of you',
    h(
      'p',
      { class: 'note' },
      'Its own log: who did what when, and how large it was. It also knows your name, the names of records, which columns there are and their bounds rounded outward. It knows no value, no answer and no secret key.',
    ),
    parts.seen,
  );
  host.replaceChildren(
    hero(),
    failure,
    away,
    h(
      'div',
      { class: 'steps' },
      h(
        'div',
        { class: 'choose' },
        step(1, { prefix: PREFIX, id: 'enter', title: 'Come in' }, parts.account),
        take,
      ),
      send,
    ),
    h('div', { class: 'clinic-pair' }, records, questions),
    h('div', { class: 'clinic-pair' }, keys, seen),
    trust(),
  );
  return { failure, away, inside: [take, send, records, questions, keys, seen] };
}

function trust(): HTMLElement {
  return h(
    'section',
    { class: 'answers', 'aria-labelledby': `${PREFIX}trust-title` },
    h('h2', { id: `${PREFIX}trust-title` }, 'Whom you have to trust'),
    h(
      'details',
      {},
      h('summary', {}, 'What if the service itself serves this page?'),
      h(
        'p',
        {},
        'Then it could serve another page, which sends your table in the clear, and you would have to read its code to notice. A page can promise nothing against whoever serves it. Against a service that you do not trust, run the page from a copy of your own (it is a folder of files, and may lie behind your own server with the service as its folder “clinic”), or use the client for Node.',
      ),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Is the answer right?'),
      h(
        'p',
        {},
        'Nothing proves it: the service could compute something else. It cannot learn from that what your values are, as long as nobody tells it what came out.',
      ),
    ),
  );
}

/** Where there is no service behind the page. `again` puts the tab in the place of this, or tells that there is still none. */
export function showMissing(host: HTMLElement, again: () => Promise<boolean>): void {
  const status = h('p', { class: 'note', role: 'status', 'data-testid': 'clinic-missing-status' });
  const look = async (): Promise<void> => {
    // Two would be two tabs in one place.
    retry.disabled = true;
    status.textContent = 'Looking…';
    try {
      if (!(await again())) status.textContent = 'There is still none.';
    } catch (error) {
      const { sentence, code } = failureOf(error, 'opening the clinic tab');
      status.textContent = `The tab could not be opened: ${sentence} (${code})`;
    } finally {
      retry.disabled = false;
      if (retry.isConnected && document.activeElement === document.body) retry.focus();
    }
  };
  const retry = button('Look again', () => void look(), { 'data-testid': 'clinic-look-again' });
  host.replaceChildren(
    hero(),
    h(
      'section',
      {
        class: 'card clinic-section',
        'aria-labelledby': `${PREFIX}missing-title`,
        'data-testid': 'clinic-missing',
      },
      h('h2', { id: `${PREFIX}missing-title` }, 'There is no service behind this page'),
      h(
        'p',
        {},
        'This tab talks to a service at the address of the page itself, and to nobody else. On your own machine, this starts both:',
      ),
      h('pre', {}, h('code', {}, 'npm start')),
      h(
        'p',
        {},
        'Or, once all is built, the service alone, which then serves this page at http://127.0.0.1:8080/#clinic:',
      ),
      h(
        'pre',
        {},
        h('code', {}, 'cd examples/clinic\nCLINIC_PAGE=../../www/dist CLINIC_DEMO=yes node server.mjs'),
      ),
      h('div', { class: 'row' }, retry),
      status,
    ),
  );
}
