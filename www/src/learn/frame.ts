/** What the tab “Learn” consists of. */
import { button, h } from '../ui/dom.js';
import { step } from '../ui/step.js';
import type { Field, Lesson } from './lesson.js';

export interface FieldFrame {
  readonly control: HTMLInputElement | HTMLSelectElement;
  readonly wrong: HTMLElement;
}

export interface Frame {
  readonly lessons: ReadonlyMap<string, HTMLButtonElement>;
  readonly title: HTMLElement;
  readonly lead: HTMLElement;
  readonly fields: HTMLElement;
  readonly failure: HTMLElement;
  /** Where stops are shown; data-stale while they are of other numbers. */
  readonly walk: HTMLElement;
  readonly at: HTMLElement;
  readonly back: HTMLButtonElement;
  readonly on: HTMLButtonElement;
  readonly stop: HTMLElement;
  readonly body: HTMLElement;
  readonly ask: HTMLFormElement;
  readonly question: HTMLElement;
  readonly answer: HTMLInputElement;
  readonly verdict: HTMLElement;
  readonly reveal: HTMLButtonElement;
  readonly sources: HTMLElement;
  readonly status: HTMLElement;
}

const id = (name: string): { id: string; 'data-testid': string } => ({
  id: `learn-${name}`,
  'data-testid': `learn-${name}`,
});

export function makeFrame(host: HTMLElement, lessons: readonly Lesson[]): Frame {
  const buttons = new Map(
    lessons.map(({ id: name, title }) => [
      name,
      button(title, () => undefined, { class: 'small', 'data-testid': `learn-lesson-${name}` }),
    ]),
  );
  const title = h('h2', { ...id('title') });
  const lead = h('p', { class: 'lead small' });
  const fields = h('div', { class: 'learn-fields' });
  const failure = h('p', { ...id('error'), class: 'learn-wrong', role: 'alert', hidden: true });
  const at = h('p', { ...id('at'), class: 'note' });
  const back = button('‹ Back', () => undefined, { ...id('back'), 'aria-keyshortcuts': 'ArrowLeft' });
  const on = button('Next ›', () => undefined, {
    ...id('next'),
    class: 'primary',
    'aria-keyshortcuts': 'ArrowRight',
  });
  const stop = h('h3', { ...id('stop'), 'aria-live': 'polite' });
  const body = h('div', { ...id('body'), class: 'learn-body' });
  const question = h('span', { ...id('question') });
  const answer = h('input', {
    ...id('answer'),
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    'aria-describedby': 'learn-verdict',
  });
  const verdict = h('p', { ...id('verdict'), role: 'status' });
  const reveal = button('Show the answer', () => undefined, { ...id('reveal'), class: 'quiet' });
  const ask = h(
    'form',
    { class: 'learn-ask' },
    h('label', {}, question, answer),
    h('div', { class: 'row' }, h('button', { type: 'submit', ...id('check') }, 'Check'), reveal),
    verdict,
  );
  const sources = h('ul', { class: 'learn-sources' });
  const status = h('p', { ...id('said'), class: 'note', role: 'status' });
  const walk = h(
    'div',
    { ...id('walk'), class: 'learn-walk', 'data-stale': 'true' },
    h(
      'div',
      { class: 'row learn-steps' },
      back,
      on,
      at,
      h('p', { class: 'note' }, 'Keys ← and → do the same.'),
    ),
    stop,
    body,
  );
  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'How it works, at a size to look at'),
      h(
        'p',
        { class: 'lead' },
        'Five guided pages. Each runs the package itself in this tab, on toy sizes, with numbers that you can change. Press “Next” to walk through, and try the question at the end.',
      ),
    ),
    h('nav', { class: 'row learn-lessons', 'aria-label': 'Lessons' }, ...buttons.values()),
    h(
      'section',
      { class: 'card learn-lesson', 'aria-labelledby': 'learn-title' },
      title,
      lead,
      h(
        'p',
        { class: 'note learn-toy' },
        h('strong', {}, 'Toy parameters: '),
        'rings this small protect nothing. Keys and errors are drawn anew for each run, and forgotten.',
      ),
      fields,
      failure,
      status,
    ),
    step(1, { prefix: 'learn-', id: 'walk-step', title: 'Walk through' }, walk),
    step(2, { prefix: 'learn-', id: 'ask-step', title: 'A question' }, ask),
    h(
      'section',
      { class: 'card', 'aria-labelledby': 'learn-sources-title' },
      h('h2', { id: 'learn-sources-title' }, 'Sources'),
      sources,
    ),
  );
  return {
    ...{ lessons: buttons, title, lead, fields, failure, walk, at, back, on, stop, body },
    ...{ ask, question, answer, verdict, reveal, sources, status },
  };
}

/** The fields of a lesson, by their names. */
export function makeFields(host: HTMLElement, fields: readonly Field[]): ReadonlyMap<string, FieldFrame> {
  const made = new Map<string, FieldFrame>();
  host.replaceChildren(
    ...fields.map((field) => {
      const name = id(`field-${field.name}`);
      const wrong = h('p', {
        ...id(`wrong-${field.name}`),
        class: 'learn-wrong',
        role: 'alert',
        hidden: true,
      });
      const control =
        field.kind === 'choice'
          ? h(
              'select',
              name,
              ...field.options.map(({ value, text }) => h('option', { value: String(value) }, text)),
            )
          : h('input', {
              ...{ ...name, type: 'text', spellcheck: 'false', autocomplete: 'off' },
              'aria-describedby': wrong.id,
            });
      control.value = field.first.join(', ');
      made.set(field.name, { control, wrong });
      return h('div', {}, h('label', { class: 'learn-field' }, h('span', {}, field.label), control), wrong);
    }),
  );
  return made;
}
