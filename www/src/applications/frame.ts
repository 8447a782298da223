/** What the applications tab consists of. */
import { h } from '../ui/dom.js';
import { option } from '../ui/option.js';
import type { PhaseElements } from '../ui/phase-list.js';
import { step } from '../ui/step.js';
import type { Application } from './application.js';
import type { ExplanationElements } from './explain/explanation-view.js';

export const PREFIX = 'application-';

export interface Frame {
  readonly choices: readonly HTMLInputElement[];
  readonly client: HTMLElement;
  readonly evaluator: HTMLElement;
  readonly upload: HTMLElement;
  readonly download: HTMLElement;
  readonly failure: HTMLElement;
  readonly data: HTMLElement;
  readonly run: HTMLButtonElement;
  readonly cancel: HTMLButtonElement;
  readonly phases: PhaseElements;
  readonly results: HTMLElement;
  readonly verdict: HTMLElement;
  readonly answer: HTMLElement;
  readonly explanation: ExplanationElements;
}

/** Makes the elements of all parts; choices are in the order of the applications. */
export function makeFrame(host: HTMLElement, applications: readonly Application[]): Frame {
  const choices = applications.map(({ id }) =>
    h('input', { type: 'radio', name: 'application', value: id, 'data-testid': `${PREFIX}${id}` }),
  );
  const client = h('p', {});
  const evaluator = h('p', {});
  const upload = h('span', { class: 'what' });
  const download = h('span', { class: 'what' });
  const crossing = crossingOf(client, evaluator, upload, download);
  const failure = h('div', {
    class: 'failure card',
    role: 'alert',
    'data-testid': `${PREFIX}error`,
    hidden: true,
  });
  const data = h('div', { class: 'application-data', 'data-testid': `${PREFIX}data` });
  const run = h(
    'button',
    { type: 'button', class: 'primary', 'data-testid': `${PREFIX}run`, disabled: true },
    'Encrypt, compute, decrypt',
  );
  const cancel = h('button', { type: 'button', 'data-testid': `${PREFIX}cancel`, disabled: true }, 'Cancel');
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
  const status = h('p', { class: 'note run-status', role: 'status', 'data-testid': `${PREFIX}status` });
  const verdict = h('p', { class: 'verdict', 'data-testid': `${PREFIX}verdict` });
  const answer = h('div', { class: 'answer' });
  const results = h(
    'section',
    {
      class: 'card results application-results',
      'aria-labelledby': `${PREFIX}results-title`,
      'data-testid': `${PREFIX}results`,
      hidden: true,
    },
    h('h2', { id: `${PREFIX}results-title` }, 'Result'),
    verdict,
    answer,
  );
  const explanation = explanationOf();
  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'Answers about data that nobody shows'),
      h(
        'p',
        { class: 'lead' },
        'Three things that one would rather keep to oneself. Each is encrypted here, worked on by a side that cannot read it, and ' +
          'decrypted here; then you see what the compiler made of the question, and why.',
      ),
    ),
    h(
      'fieldset',
      { class: 'picker applications' },
      h('legend', { class: 'sr-only' }, 'Application'),
      h(
        'div',
        { class: 'options' },
        ...applications.map(({ title, about }, index) => option(choices[index]!, title, about)),
      ),
    ),
    crossing,
    failure,
    h(
      'div',
      { class: 'steps' },
      step(1, { prefix: PREFIX, id: 'data', title: 'Your side’s data' }, data),
      step(
        2,
        { prefix: PREFIX, id: 'run', title: 'Ask the other side', kind: 'plan' },
        h(
          'p',
          { class: 'note' },
          'Compiles the question, makes keys, encrypts, computes on ciphertexts and decrypts: all in this tab, where two workers ' +
            'play the two sides.',
        ),
        h('div', { class: 'row run-row' }, run, cancel),
        bar,
        list,
        status,
      ),
    ),
    results,
    explanation.section,
  );
  return {
    choices,
    client,
    evaluator,
    upload,
    download,
    failure,
    data,
    run,
    cancel,
    phases: { list, bar, status, crossing, prefix: PREFIX },
    results,
    verdict,
    answer,
    explanation,
  };
}

function crossingOf(
  client: HTMLElement,
  evaluator: HTMLElement,
  upload: HTMLElement,
  download: HTMLElement,
): HTMLElement {
  const thread = (way: 'out' | 'back', phase: string, size: string, what: HTMLElement): HTMLElement =>
    h(
      'li',
      { 'data-way': way, 'data-phase': phase },
      what,
      h('span', { class: 'size', 'data-testid': `${PREFIX}crossing-${size}` }, '–'),
    );
  const what = (text: string): HTMLElement => h('span', { class: 'what' }, text);
  const side = (name: string, title: string, tag: string, text: HTMLElement): HTMLElement =>
    h('div', { class: `side ${name}` }, h('h3', {}, `${title} `, h('span', { class: 'tag' }, tag)), text);
  return h(
    'section',
    { class: 'crossing', 'aria-labelledby': `${PREFIX}crossing-title` },
    h('h2', { class: 'sr-only', id: `${PREFIX}crossing-title` }, 'Who holds and sees what'),
    side('client', 'Your side', 'client worker', client),
    h(
      'ol',
      { class: 'threads-between' },
      thread('out', 'compile', 'program', what('Program')),
      thread('out', 'keys', 'keys', what('Evaluation keys')),
      thread('out', 'encrypt', 'upload', upload),
      thread('back', 'evaluate', 'download', download),
    ),
    side('evaluator', 'The other side', 'evaluator worker', evaluator),
  );
}

function explanationOf(): ExplanationElements {
  const title = `${PREFIX}explanation-title`;
  const reasons = h('dl', { class: 'facts decided', 'data-testid': 'reasons' });
  const note = h('p', { class: 'note' });
  const diagram = h('div', { class: 'diagram', 'data-testid': 'value-diagram' });
  const tools = h('div', { class: 'diagram-tools' });
  const legend = h('ul', { class: 'legend', 'aria-label': 'Legend' });
  const inspector = h('aside', {
    class: 'inspector',
    'aria-label': 'Value',
    'data-testid': 'value-inspector',
  });
  const values = h('div', { class: 'scroll' });
  const keys = h('div', { class: 'scroll' });
  const section = h(
    'section',
    { class: 'explorer explanation', 'aria-labelledby': title, 'data-testid': 'explanation', hidden: true },
    h('h2', { id: title }, 'What the compiler made of it, and why'),
    h('div', { class: 'card' }, h('h3', {}, 'What was decided'), reasons),
    h(
      'div',
      { class: 'card flush' },
      h('div', { class: 'explanation-head' }, h('h3', {}, 'The values of the question'), note),
      h(
        'div',
        { class: 'inside' },
        h('div', { class: 'diagram-pane' }, diagram, h('div', { class: 'diagram-foot' }, legend, tools)),
        inspector,
      ),
    ),
    h('div', { class: 'card' }, h('h3', {}, 'The same, line by line'), values),
    h('div', { class: 'card' }, h('h3', {}, 'Evaluation keys, and what they are for'), keys),
  );
  return { section, reasons, note, diagram, tools, legend, inspector, values, keys };
}
