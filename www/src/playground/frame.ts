/** What the playground consists of. */
import { button, h } from '../ui/dom.js';
import type { PhaseElements } from '../ui/phase-list.js';
import { step } from '../ui/step.js';
import { PROGRAMS } from './programs.js';
import { SAMPLES } from './samples.js';
import { LEVELS, RINGS, SCHEMES, TABLES } from './settings.js';

const PREFIX = 'play-';

export interface Frame {
  readonly program: HTMLSelectElement;
  readonly code: HTMLElement;
  readonly said: HTMLElement;
  readonly sample: HTMLSelectElement;
  readonly file: HTMLInputElement;
  readonly data: HTMLElement;
  readonly columns: HTMLElement;
  readonly scheme: HTMLSelectElement;
  readonly n: HTMLSelectElement;
  readonly table: HTMLSelectElement;
  readonly bits: HTMLSelectElement;
  readonly quantum: HTMLInputElement;
  readonly gpu: HTMLSelectElement;
  readonly gpuFound: HTMLElement;
  readonly failure: HTMLElement;
  readonly status: HTMLElement;
  readonly price: HTMLElement;
  readonly reasons: HTMLElement;
  readonly run: HTMLButtonElement;
  readonly stop: HTMLButtonElement;
  readonly phases: PhaseElements;
  readonly output: HTMLElement;
  readonly results: HTMLElement;
  readonly before: HTMLElement;
  readonly verdict: HTMLElement;
  readonly answers: HTMLElement;
  readonly copyCode: HTMLButtonElement;
  readonly saveCode: HTMLButtonElement;
  readonly copyLink: HTMLButtonElement;
  readonly saveCsv: HTMLButtonElement;
  readonly saveJson: HTMLButtonElement;
  readonly measure: HTMLButtonElement;
  readonly curve: HTMLElement;
}

const id = (name: string): { id: string; 'data-testid': string } => ({
  id: `${PREFIX}${name}`,
  'data-testid': `${PREFIX}${name}`,
});

function select(
  name: string,
  options: readonly (readonly [value: string, text: string])[],
): HTMLSelectElement {
  return h('select', id(name), ...options.map(([value, text]) => h('option', { value }, text)));
}

function field(title: string, control: HTMLElement): HTMLElement {
  return h('label', { class: 'play-field' }, h('span', {}, title), control);
}

function action(
  name: string,
  text: string,
  properties: Record<string, string | boolean> = {},
): HTMLButtonElement {
  return button(text, () => undefined, { ...id(name), class: 'small', ...properties });
}

export function makeFrame(host: HTMLElement): Frame {
  const titled = Object.entries(PROGRAMS).map(([name, { title }]) => [name, title] as const);
  const program = select('program', [...titled, ['', 'A program of your own']]);
  const code = h('div', { class: 'play-editor', ...id('code') });
  const said = h('p', { class: 'note', role: 'status', ...id('said') });
  const samples = Object.entries(SAMPLES).map(([name, { title }]) => [name, title] as const);
  const sample = select('sample', [...samples, ['', 'A table of your own']]);
  const file = h('input', {
    class: 'sr-only',
    type: 'file',
    accept: '.csv,.tsv,.txt,.xlsx,.parquet,text/csv',
    ...id('file'),
  });
  const data = h('p', { class: 'note', 'aria-live': 'polite', ...id('data') });
  const columns = h('div', { class: 'options columns', ...id('columns') });
  const usual = ['', 'Chosen for you'] as const;
  const scheme = select('scheme', [usual, ...SCHEMES.map((name) => [name, name] as const)]);
  const n = select('n', [usual, ...RINGS.map((ring) => [String(ring), String(ring)] as const)]);
  const table = select('table', Object.entries(TABLES));
  const bits = select(
    'bits',
    LEVELS.map((level) => [String(level), `${level} bits`] as const),
  );
  const quantum = h('input', { type: 'checkbox', ...id('quantum') });
  const gpu = select('gpu', []);
  const gpuFound = h('p', { class: 'note', role: 'status', ...id('gpu-found') });
  const failure = h('div', { class: 'failure card', role: 'alert', ...id('error'), hidden: true });
  const status = h('p', { class: 'note', role: 'status', ...id('plan') });
  const price = h('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'What it costs',
    ...id('price'),
  });
  const reasons = h('dl', { class: 'facts', ...id('reasons') });
  const run = h('button', { type: 'button', class: 'primary', ...id('run') }, 'Encrypt and compute');
  const stop = h('button', { type: 'button', ...id('stop'), disabled: true }, 'Stop');
  const bar = h('div', {
    class: 'sr-only',
    role: 'progressbar',
    'aria-label': 'Progress of the run',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': 0,
    'data-testid': `${PREFIX}progress`,
  });
  const list = h('ol', { class: 'phases', 'aria-label': 'Phases of the run' });
  const phaseStatus = h('p', { class: 'note', role: 'status', ...id('status') });
  const output = h('pre', { class: 'play-output', ...id('output'), tabindex: 0, hidden: true });
  const before = h(
    'p',
    { class: 'note', role: 'status', ...id('before'), hidden: true },
    'These are the results of the last run; program, settings or table have changed.',
  );
  const verdict = h('p', { class: 'verdict', ...id('verdict') });
  const answers = h('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Results',
    ...id('table-of-results'),
  });
  const copyCode = action('copy-code', 'Copy the code of this run');
  const saveCode = action('save-code', 'Save it as a file');
  const saveCsv = action('save-csv', 'Results as CSV');
  const saveJson = action('save-json', 'Results as JSON');
  const copyLink = action('copy-link', 'Copy a link');
  const measure = action('measure', 'Cost over rows');
  const curve = h('div', { ...id('curve'), 'aria-live': 'polite' });
  const results = h(
    'section',
    { class: 'card results', 'aria-labelledby': `${PREFIX}results-title`, ...id('results'), hidden: true },
    h('h2', { id: `${PREFIX}results-title` }, 'Results'),
    before,
    verdict,
    answers,
    h('div', { class: 'row' }, saveCsv, saveJson, copyCode, saveCode),
    h(
      'p',
      { class: 'note' },
      'The code of this run is one file for Node: the program, its settings, and the columns that you chose, in the clear. ' +
        'Install cipherloom beside it, and it gives the same results (real numbers within their errors). ' +
        'In Node it runs without a sandbox: read a program that came with a link first.',
    ),
  );

  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'Write a task, run it encrypted'),
      h(
        'p',
        { class: 'lead' },
        'A program says what is encrypted and what is computed; the compiler chooses scheme, parameters and keys for it. Change it, ' +
          'run it on a table of yours, and take the code with you.',
      ),
    ),
    failure,
    h(
      'div',
      { class: 'steps play-steps' },
      h(
        'div',
        { class: 'choose' },
        step(
          1,
          { prefix: PREFIX, id: 'write', title: 'Write the task' },
          field('Begin with', program),
          code,
          said,
          h('div', { class: 'row' }, copyLink),
          h(
            'p',
            { class: 'note' },
            'TypeScript, with the types of cipherloom: Ctrl+Space completes, a name under the mouse is explained, Ctrl+Enter runs. The program ' +
              'runs in a sandbox that has no network, no storage and no keys. A link holds program and settings, never data or keys.',
          ),
        ),
        step(
          2,
          { prefix: PREFIX, id: 'take', title: 'Take a table' },
          h(
            'div',
            { class: 'play-fields' },
            field('Table', sample),
            h('label', { class: 'button' }, 'Choose a file', file),
            h('span', { class: 'note' }, 'CSV, XLSX or Parquet'),
          ),
          data,
          h(
            'fieldset',
            { class: 'picker' },
            h('legend', {}, 'Columns for the program, in this order'),
            columns,
          ),
          h('p', { class: 'note' }, 'It stays in this tab: nothing is sent anywhere.'),
        ),
      ),
      h(
        'div',
        { class: 'choose' },
        step(
          3,
          { prefix: PREFIX, id: 'set', title: 'See what settings change', kind: 'plan' },
          h(
            'div',
            { class: 'play-fields' },
            field('Scheme', scheme),
            field('Ring dimension', n),
            field('Security by', table),
            field('Level', bits),
            h('label', { class: 'play-check' }, quantum, ' Against quantum computers, too'),
            h('label', { class: 'play-field play-wide' }, h('span', {}, 'Computed by'), gpu),
          ),
          gpuFound,
          status,
          price,
          h('details', {}, h('summary', {}, 'Why it is so'), reasons),
          h('div', { class: 'row run-row' }, run, stop, measure),
          bar,
          list,
          phaseStatus,
          curve,
        ),
      ),
    ),
    h('h2', { class: 'sr-only' }, 'What the program wrote'),
    output,
    results,
  );
  return {
    ...{ program, code, said, sample, file, data, columns, scheme, n, table, bits, quantum, gpu, gpuFound },
    ...{ failure, status, price, reasons, run, stop, output, results, before, verdict, answers },
    ...{ copyCode, saveCode, copyLink, saveCsv, saveJson, measure, curve },
    phases: { list, bar, status: phaseStatus, crossing: h('div'), prefix: PREFIX },
  };
}
