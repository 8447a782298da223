/** What the tab “Together” consists of. */
import { h } from '../ui/dom.js';
import { step } from '../ui/step.js';
import { MOST_DECIMALS, MOST_PARTIES } from './meeting.js';

export const PREFIX = 'together-';

export interface Frame {
  readonly failure: HTMLElement;
  /** Before there is a meeting. */
  readonly plan: HTMLFormElement;
  readonly names: HTMLInputElement;
  readonly decimals: HTMLSelectElement;
  readonly relay: HTMLInputElement;
  readonly begin: HTMLButtonElement;
  /** Of a meeting. */
  readonly seat: HTMLElement;
  readonly another: HTMLButtonElement;
  /** Of a meeting by a relay. */
  readonly relayed: HTMLElement;
  readonly access: HTMLFormElement;
  readonly user: HTMLInputElement;
  readonly pass: HTMLInputElement;
  readonly connect: HTMLButtonElement;
  readonly connected: HTMLElement;
  readonly compare: HTMLElement;
  readonly code: HTMLElement;
  readonly same: HTMLButtonElement;
  readonly differs: HTMLButtonElement;
  readonly sample: HTMLButtonElement;
  readonly file: HTMLInputElement;
  readonly column: HTMLSelectElement;
  readonly columnField: HTMLElement;
  readonly brought: HTMLElement;
  readonly leaves: HTMLElement;
  readonly agree: HTMLButtonElement;
  readonly cancel: HTMLButtonElement;
  readonly status: HTMLElement;
  readonly cut: HTMLElement;
  readonly cutNote: HTMLElement;
  readonly results: HTMLElement;
  readonly answer: HTMLElement;
  readonly compared: HTMLElement;
  readonly messages: HTMLElement;
}

export function makeFrame(host: HTMLElement): Frame {
  const id = (name: string): { id: string; 'data-testid': string } => ({
    id: `${PREFIX}${name}`,
    'data-testid': `${PREFIX}${name}`,
  });
  const failure = h('div', { ...id('error'), class: 'failure card', role: 'alert', hidden: true });
  const names = h('input', {
    ...id('names'),
    type: 'text',
    value: 'north, south, west',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const decimals = h(
    'select',
    id('decimals'),
    ...Array.from({ length: MOST_DECIMALS + 1 }, (_, digits) =>
      h('option', { value: digits, selected: digits === 2 }, String(digits)),
    ),
  );
  const relay = h('input', {
    ...id('relay'),
    type: 'text',
    inputmode: 'url',
    placeholder: 'wss://nats.example.org',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'together-relay-note',
  });
  const begin = h('button', { ...id('begin'), type: 'submit', class: 'primary' }, 'Begin a meeting');
  const plan = h(
    'form',
    { class: 'together-plan', novalidate: true },
    h('label', { class: 'field' }, h('span', {}, `Names of the parties, 2 to ${MOST_PARTIES}`), names),
    h('label', { class: 'field' }, h('span', {}, 'Digits behind the decimal point'), decimals),
    h(
      'details',
      { class: 'together-elsewhere' },
      h('summary', { 'data-testid': 'together-elsewhere' }, 'The others sit at other computers'),
      h('label', { class: 'field' }, h('span', {}, 'Address of a relay, a NATS server of your own'), relay),
      h(
        'p',
        { class: 'note', id: 'together-relay-note' },
        'The link takes it along. The relay need not be trusted: what goes over it is sealed for its receiver, and you compare a code with the others first. Empty: tabs of this browser.',
      ),
    ),
    h('div', { class: 'row' }, begin),
  );
  const user = h('input', { ...id('user'), type: 'text', autocomplete: 'off', spellcheck: 'false' });
  const pass = h('input', { ...id('pass'), type: 'password', autocomplete: 'off' });
  const connect = h('button', { ...id('connect'), type: 'submit', class: 'primary' }, 'Connect to the relay');
  const connected = h('p', { ...id('connected'), class: 'note', role: 'status', tabindex: -1 });
  const code = h('p', { ...id('code'), class: 'together-code' });
  const same = h('button', { ...id('same'), type: 'button', class: 'primary' }, 'All have this code');
  const differs = h('button', { ...id('differs'), type: 'button' }, 'A code differs');
  const compare = h(
    'div',
    {
      ...id('compare'),
      class: 'together-compare',
      role: 'group',
      'aria-labelledby': 'together-compare-title',
      hidden: true,
    },
    h('h3', { id: 'together-compare-title', tabindex: -1 }, 'Read this code to each other'),
    code,
    h(
      'p',
      { class: 'note' },
      'By telephone or in one room, where you know each other’s voices: all of you must have the same twelve digits. If one differs, somebody sits between you, and nothing was sent yet.',
    ),
    h('div', { class: 'row' }, same, differs),
  );
  const access = h(
    'form',
    { class: 'together-access', novalidate: true },
    h(
      'details',
      {},
      h('summary', {}, 'The relay asks for a name and a password'),
      h('label', { class: 'field' }, h('span', {}, 'Name at the relay'), user),
      h('label', { class: 'field' }, h('span', {}, 'Password at the relay'), pass),
    ),
    h('div', { class: 'row' }, connect),
  );
  const relayed = h(
    'div',
    { ...id('relayed'), class: 'together-relayed', hidden: true },
    access,
    connected,
    compare,
  );
  const seat = h('div', { ...id('seat'), hidden: true });
  const another = h(
    'button',
    { ...id('another'), type: 'button', class: 'small quiet' },
    'Begin another meeting',
  );
  const sample = h(
    'button',
    { ...id('sample'), type: 'button', class: 'primary', disabled: true },
    'Take my part of the example',
  );
  const file = h('input', {
    ...id('file'),
    class: 'sr-only',
    type: 'file',
    accept: '.csv,.tsv,.txt,text/csv',
    disabled: true,
  });
  const column = h('select', id('column'));
  const columnField = h('label', { class: 'field', hidden: true }, h('span', {}, 'Column'), column);
  const brought = h('p', { ...id('brought'), class: 'table-name', 'aria-live': 'polite' });
  // Tables may be wider than a telephone: who has keys alone has to get there to move them.
  const wide = (label: string) => ({ class: 'scroll', role: 'region', tabindex: 0, 'aria-label': label });
  const leaves = h('div', { ...id('leaves'), ...wide('What will leave this tab') });
  const agree = h(
    'button',
    { ...id('agree'), type: 'button', class: 'primary', disabled: true },
    'Agree, and compute',
  );
  const cancel = h('button', { ...id('cancel'), type: 'button', disabled: true }, 'Cancel');
  const status = h('p', { ...id('said'), class: 'note run-status', role: 'status' });
  const cutNote = h('p', { class: 'note' });
  const cut = h('section', {
    ...id('graph'),
    class: 'card',
    'aria-labelledby': 'together-graph-title',
    hidden: true,
  });
  const cutPlace = h('div', {});
  cut.append(h('h2', { id: 'together-graph-title' }, 'The graph, and where it is cut'), cutNote, cutPlace);
  const answer = h('div', { ...id('answer'), class: 'together-answer' });
  const compared = h('div', { ...id('compared'), ...wide('What is yours, and what left this tab') });
  const messages = h('div', {});
  const results = h(
    'section',
    {
      ...id('results'),
      class: 'card together-results',
      'aria-labelledby': 'together-results-title',
      hidden: true,
    },
    h('h2', { id: 'together-results-title', tabindex: -1 }, 'Result'),
    answer,
    h('h3', {}, 'What is yours, and what left this tab'),
    compared,
    h('h3', {}, 'What crossed, byte by byte'),
    messages,
  );
  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'Compute together, and keep your own table'),
      h(
        'p',
        { class: 'lead' },
        'Each tab is a party with values of its own. Together they learn how many there are in all, their mean and their standard deviation, and nothing else: what goes from tab to tab is random numbers that only add up to something all together.',
      ),
    ),
    failure,
    h(
      'div',
      { class: 'steps' },
      h(
        'div',
        { class: 'choose' },
        step(1, { prefix: PREFIX, id: 'meet', title: 'Meet' }, plan, seat, relayed),
        step(
          2,
          { prefix: PREFIX, id: 'bring', title: 'Bring your values' },
          h('div', { class: 'row' }, sample, h('label', { class: 'button' }, 'Choose a CSV file', file)),
          columnField,
          brought,
          h('p', { class: 'note' }, 'They stay in this tab.'),
        ),
      ),
      step(
        3,
        { prefix: PREFIX, id: 'run', title: 'See what leaves, and agree', kind: 'plan' },
        leaves,
        h('div', { class: 'row run-row' }, agree, cancel),
        status,
      ),
    ),
    cut,
    results,
  );
  return {
    ...{
      failure,
      plan,
      names,
      decimals,
      relay,
      begin,
      seat,
      another,
      sample,
      file,
      column,
      columnField,
      brought,
      leaves,
      agree,
      cancel,
    },
    ...{ relayed, access, user, pass, connect, connected, compare, code, same, differs },
    ...{ status, cut: cutPlace, cutNote, results, answer, compared, messages },
  };
}
