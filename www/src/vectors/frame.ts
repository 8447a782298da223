/** What the vectors tab consists of. */
import { h } from '../ui/dom.js';
import { step } from '../ui/step.js';
import type { TimelineElements } from '../timeline/timeline.js';
import type { Preset } from './choice.js';
import { MAP_NAMES, MAPS } from './maps.js';
import type { MapName, Work } from './work.js';

export const PREFIX = 'vectors-';

/** Something to be chosen. */
export interface Offered {
  readonly input: HTMLInputElement;
  readonly note: HTMLElement;
}

export interface OfferedWork extends Offered {
  readonly option: HTMLElement;
  /** What the map means for it. */
  readonly way: HTMLElement;
}

export interface Frame {
  readonly drop: HTMLElement;
  readonly files: HTMLInputElement;
  readonly folder: HTMLInputElement;
  readonly examples: HTMLButtonElement;
  readonly clear: HTMLButtonElement;
  readonly summary: HTMLElement;
  readonly list: HTMLElement;
  /** In the order of the presets, with what is said of each; so the others. */
  readonly presets: readonly Offered[];
  readonly maps: ReadonlyMap<MapName, Offered>;
  /** In the order of the works. */
  readonly works: readonly OfferedWork[];
  readonly elsewhere: HTMLElement;
  readonly fields: HTMLElement;
  readonly workers: HTMLSelectElement;
  readonly threads: HTMLSelectElement;
  readonly threadsField: HTMLElement;
  readonly run: HTMLButtonElement;
  readonly cancel: HTMLButtonElement;
  readonly bar: HTMLElement;
  readonly status: HTMLElement;
  readonly note: HTMLElement;
  readonly toResults: HTMLButtonElement;
  readonly failure: HTMLElement;
  readonly watch: HTMLElement;
  readonly board: HTMLElement;
  readonly timeline: TimelineElements;
  readonly processors: HTMLElement;
  readonly log: HTMLElement;
  readonly results: HTMLElement;
  readonly resultNote: HTMLElement;
  readonly picture: HTMLElement;
  readonly table: HTMLElement;
  readonly downloads: HTMLElement;
}

export function makeFrame(host: HTMLElement, works: readonly Work[], presets: readonly Preset[]): Frame {
  const id = (name: string): { id: string; 'data-testid': string } => ({
    id: `${PREFIX}${name}`,
    'data-testid': `${PREFIX}${name}`,
  });
  const files = h('input', { ...id('files'), class: 'sr-only', type: 'file', multiple: true });
  const folder = h('input', { ...id('folder'), class: 'sr-only', type: 'file', webkitdirectory: true });
  const examples = h(
    'button',
    { ...id('examples'), type: 'button', class: 'primary' },
    'Try it with examples',
  );
  const clear = h('button', { ...id('clear'), type: 'button', class: 'quiet', hidden: true }, 'Take all out');
  const summary = h('p', { ...id('summary'), class: 'table-name', 'aria-live': 'polite' });
  const list = h('ul', {
    ...id('list'),
    class: 'vectors-files',
    'aria-label': 'Files',
    tabindex: 0,
    hidden: true,
  });
  const drop = h(
    'div',
    { ...id('drop'), class: 'drop' },
    h(
      'div',
      { class: 'row' },
      examples,
      h('label', { class: 'button' }, 'Choose files', files),
      h('label', { class: 'button' }, 'Choose a folder', folder),
    ),
    h(
      'p',
      { class: 'note' },
      'Or drop files and folders here. They stay in this tab: nothing is sent anywhere.',
    ),
  );
  const offered = (group: string, value: string): Offered => ({
    input: h('input', {
      type: 'radio',
      name: `${PREFIX}${group}`,
      value,
      'data-testid': `${PREFIX}${group}-${value}`,
    }),
    note: h('span', { class: 'note vectors-for' }),
  });
  const ready = presets.map(({ work }) => offered('work', work.id));
  const maps = new Map(MAP_NAMES.map((name) => [name, offered('map', name)] as const));
  const operators = works.map((work): OfferedWork => {
    const { input, note } = offered('operator', work.id);
    const way = h('span', { class: 'note vectors-way' });
    const option = h(
      'label',
      { class: 'option' },
      input,
      h('span', { class: 'title' }, work.title),
      h('span', { class: 'note' }, work.about),
      way,
      note,
    );
    return { input, note, option, way };
  });
  const elsewhere = h(
    'details',
    { ...id('elsewhere'), class: 'note vectors-elsewhere' },
    h('summary', {}),
    h('ul', {}),
  );
  const fields = h('div', { class: 'vectors-fields' });
  const workers = h('select', id('workers'));
  const threads = h(
    'select',
    id('threads'),
    ...[2, 3, 4].map((count) => h('option', { value: count }, String(count))),
  );
  const threadsField = h(
    'label',
    { class: 'field', hidden: true },
    h('span', {}, 'Threads of each worker'),
    threads,
  );
  const run = h('button', { ...id('run'), type: 'button', class: 'primary', disabled: true }, 'Run the job');
  const cancel = h('button', { ...id('cancel'), type: 'button', disabled: true }, 'Cancel');
  const bar = h('div', {
    ...id('progress'),
    class: 'sr-only',
    role: 'progressbar',
    'aria-label': 'Tasks that are done',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': 0,
  });
  const status = h('p', { ...id('said'), class: 'note run-status', role: 'status' });
  const note = h('p', { ...id('note'), class: 'note' });
  const toResults = h(
    'button',
    { ...id('to-results'), type: 'button', class: 'small', hidden: true },
    'Go to the result',
  );
  const failure = h('div', { ...id('error'), class: 'failure card', role: 'alert', hidden: true });
  const board = h('div', { hidden: true });
  const timeline: TimelineElements = {
    section: h('section', {
      ...id('timeline'),
      class: 'timeline',
      'aria-labelledby': 'vectors-timeline-title',
    }),
    note: h('p', { class: 'note' }),
    tools: h('div', { class: 'timeline-tools row' }),
    canvas: h('div', { class: 'timeline-canvas' }),
    detail: h('p', { class: 'timeline-detail', 'aria-live': 'polite' }),
  };
  timeline.section.append(
    h('h3', { id: 'vectors-timeline-title' }, 'Which processor did what, and when'),
    ...[timeline.note, timeline.tools, timeline.canvas, timeline.detail],
  );
  const processors = h('div', {
    ...id('processors'),
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Work by processor',
  });
  const log = h('div', {});
  const watch = h(
    'section',
    { ...id('watch'), class: 'card vectors-watch', 'aria-labelledby': 'vectors-watch-title', hidden: true },
    h('h2', { id: 'vectors-watch-title' }, 'The job at work'),
    timeline.section,
    h('div', {}, h('h3', {}, 'By processor'), processors),
    h('div', {}, h('h3', {}, 'Log'), log),
  );
  const resultNote = h('p', { ...id('result-note'), class: 'note' });
  const picture = h('div', {});
  const table = h('div', {
    class: 'scroll vectors-rows',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Rows of the result',
  });
  const downloads = h('div', { class: 'row' });
  const results = h(
    'section',
    {
      ...id('results'),
      class: 'card vectors-results',
      'aria-labelledby': 'vectors-results-title',
      hidden: true,
    },
    h('h2', { id: 'vectors-results-title', tabindex: -1 }, 'Result'),
    resultNote,
    picture,
    table,
    downloads,
  );
  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'Work on many files, with every processor'),
      h(
        'p',
        { class: 'lead' },
        'Count words, compare texts, paint a picture, or compute on encrypted tables: a job over many files is cut into parts, whichever worker is free takes the next (a “map”), ' +
          'and what belongs together is put together (a “reducer”). Take some files, choose a map and what it does, and watch who does what.',
      ),
    ),
    failure,
    h(
      'div',
      { class: 'steps' },
      h(
        'div',
        { class: 'choose' },
        step(
          1,
          { prefix: PREFIX, id: 'files', title: 'Take files' },
          drop,
          h('div', { class: 'row vectors-taken' }, summary, clear),
          list,
        ),
        step(
          2,
          { prefix: PREFIX, id: 'work', title: 'Say what to do' },
          h(
            'fieldset',
            { class: 'picker' },
            h('legend', {}, 'Take something ready'),
            h(
              'div',
              { class: 'options vectors-ready' },
              ...presets.map(({ title }, index) => {
                const { input, note } = ready[index]!;
                return h('label', { class: 'option' }, input, h('span', { class: 'title' }, title), note);
              }),
            ),
          ),
          h(
            'div',
            { class: 'vectors-made' },
            h(
              'fieldset',
              { class: 'picker' },
              h('legend', {}, 'Map', h('span', { class: 'note' }, ' what an operator is called with')),
              h(
                'div',
                { class: 'options' },
                ...[...maps].map(([name, { input, note }]) =>
                  h(
                    'label',
                    { class: 'option' },
                    input,
                    h('code', { class: 'title' }, name),
                    h('span', { class: 'note' }, MAPS[name]),
                    note,
                  ),
                ),
              ),
            ),
            h(
              'fieldset',
              { class: 'picker' },
              h('legend', {}, 'Operator', h('span', { class: 'note' }, ' what is done in each call')),
              h('div', { class: 'options' }, ...operators.map(({ option }) => option)),
              elsewhere,
            ),
          ),
          fields,
        ),
      ),
      step(
        3,
        { prefix: PREFIX, id: 'run', title: 'Run it, and watch', kind: 'plan vectors-plan' },
        h('label', { class: 'field' }, h('span', {}, 'Workers (CPU)'), workers),
        threadsField,
        h('div', { class: 'row run-row' }, run, cancel),
        bar,
        status,
        note,
        board,
        h('div', {}, toResults),
      ),
    ),
    watch,
    results,
  );
  return {
    ...{
      drop,
      files,
      folder,
      examples,
      clear,
      summary,
      list,
      fields,
      workers,
      threads,
      threadsField,
      run,
      cancel,
      bar,
      status,
      note,
      toResults,
    },
    ...{ presets: ready, maps, works: operators, elsewhere },
    ...{ failure, watch, board, timeline, processors, log, results, resultNote, picture, table, downloads },
  };
}
