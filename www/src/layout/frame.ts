/** What the layout tab consists of. */
import { MODES } from 'cipherloom/layout';
import { button, h } from '../ui/dom.js';
import { step } from '../ui/step.js';
import { LIMITS } from './answer.js';
import { EXAMPLES, MACHINES, MOST_CORES } from './examples.js';
import { OPERATORS } from './plain.js';
import { LABEL_FIELDS, type LabelField, NUMBERS, PORTS, STRATEGIES } from './question.js';
import * as format from '../format.js';

const PREFIX = 'layout-';

const TITLES = { input: 'Input I', weight: 'Weight W', output: 'Output O' } as const;

/** A text of its own, with what is wrong with it below. */
export interface TextField {
  readonly text: HTMLTextAreaElement;
  readonly wrong: HTMLElement;
  /** Takes what a person wrote away again. */
  readonly derive: HTMLButtonElement;
}

/** An operand: its labels, its picture, its parts. */
export interface OperandFrame {
  readonly whole: HTMLElement;
  readonly picture: HTMLElement;
  readonly note: HTMLElement;
  readonly parts: HTMLElement;
}

export interface Frame {
  readonly example: HTMLSelectElement;
  readonly operator: HTMLSelectElement;
  readonly formula: HTMLElement;
  readonly attributes: HTMLElement;
  readonly numbers: HTMLSelectElement;
  readonly machine: HTMLSelectElement;
  readonly description: TextField;
  readonly strategy: HTMLSelectElement;
  readonly mode: HTMLSelectElement;
  readonly failure: HTMLElement;
  readonly verdict: HTMLElement;
  readonly modes: HTMLElement;
  readonly compared: HTMLElement;
  readonly totals: HTMLElement;
  readonly cut: HTMLElement;
  readonly labels: Readonly<Record<LabelField, TextField>>;
  readonly operands: Readonly<Record<(typeof PORTS)[number], OperandFrame>>;
  readonly walk: HTMLElement;
  readonly back: HTMLButtonElement;
  readonly play: HTMLButtonElement;
  readonly on: HTMLButtonElement;
  readonly slider: HTMLInputElement;
  readonly title: HTMLElement;
  readonly picture: HTMLElement;
  readonly instructions: HTMLElement;
  readonly status: HTMLElement;
}

const id = (name: string): { id: string; 'data-testid': string } => ({
  id: `${PREFIX}${name}`,
  'data-testid': `${PREFIX}${name}`,
});

function select(name: string, options: Readonly<Record<string, string>>): HTMLSelectElement {
  return h(
    'select',
    id(name),
    ...Object.entries(options).map(([value, text]) => h('option', { value }, text)),
  );
}

const titles = (of: Readonly<Record<string, { readonly title: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(of).map(([name, { title }]) => [name, title]));

function field(title: string, control: HTMLElement): HTMLElement {
  return h('label', { class: 'layout-field' }, h('span', {}, title), control);
}

function textField(name: string, rows: number): TextField {
  const text = h('textarea', {
    ...id(name),
    rows,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    'aria-describedby': `${PREFIX}${name}-wrong`,
  });
  const wrong = h('p', { ...id(`${name}-wrong`), class: 'layout-wrong', role: 'alert', hidden: true });
  const derive = button('As derived', () => undefined, {
    ...id(`${name}-derive`),
    class: 'small quiet',
    hidden: true,
  });
  return { text, wrong, derive };
}

export function makeFrame(host: HTMLElement): Frame {
  const example = select('example', { '': 'A question of your own', ...titles(EXAMPLES) });
  const operator = select('operator', titles(OPERATORS));
  const formula = h('p', { class: 'note layout-formula' });
  const attributes = h('div', { class: 'layout-fields' });
  const numbers = select('numbers', NUMBERS);
  const machine = select('machine', { '': 'As written below', ...titles(MACHINES) });
  const description = textField('description', 8);
  const strategy = select('strategy', STRATEGIES);
  const mode = select('mode', Object.fromEntries(MODES.map((name) => [name, `${name} parallel`])));
  const failure = h('p', { ...id('error'), class: 'layout-wrong', role: 'alert', hidden: true });
  const verdict = h('p', { ...id('verdict'), class: 'layout-verdict' });
  const modes = h('div', {
    ...id('modes'),
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'The three modes',
  });
  const totals = h('dl', { ...id('totals'), class: 'facts' });
  const status = h('p', { ...id('said'), class: 'note', role: 'status' });

  const labels = Object.fromEntries(
    LABEL_FIELDS.map((name) => [name, textField(name, name.endsWith('static') ? 1 : 3)]),
  ) as unknown as Frame['labels'];
  const operands = Object.fromEntries(
    PORTS.map((port): [string, OperandFrame] => {
      const picture = h('div', {
        ...id(`${port}-picture`),
        class: 'layout-picture scroll',
        tabindex: 0,
        role: 'region',
        'aria-label': `${TITLES[port]}: who has what`,
      });
      const note = h('p', { class: 'note' });
      const parts = h('div', { ...id(`${port}-parts`), class: 'scroll' });
      const texts = (['static', 'dynamic'] as const).map((kind) => {
        const { text, wrong, derive } = labels[`${port}-${kind}`];
        const title = `${kind === 'static' ? 'Static' : 'Dynamic'} label of ${TITLES[port]}`;
        return h('div', { class: 'layout-text' }, field(title, text), derive, wrong);
      });
      const whole = h(
        'section',
        { class: 'layout-operand', 'aria-labelledby': `${PREFIX}${port}-title` },
        h('h3', { id: `${PREFIX}${port}-title` }, TITLES[port]),
        ...texts,
        picture,
        note,
        h('details', {}, h('summary', {}, 'Who holds what'), parts),
      );
      return [port, { whole, picture, note, parts }];
    }),
  ) as Frame['operands'];
  const cut = h(
    'section',
    { ...id('cut'), class: 'card layout-cut', 'aria-labelledby': 'layout-cut-title' },
    h('h2', { id: 'layout-cut-title' }, 'The cut'),
    h(
      'p',
      { class: 'note' },
      'A block’s number is the core that has it; below or beside it, how many numbers it is. Hatched: padding. Strong lines part, fine lines tile. Edit a label: the picture follows.',
    ),
    ...PORTS.map((port) => operands[port].whole),
  );

  const back = button('Back', () => undefined, { ...id('back'), class: 'small' });
  const play = button('Play', () => undefined, { ...id('play'), class: 'small' });
  const on = button('Next', () => undefined, { ...id('next'), class: 'small' });
  const slider = h('input', {
    ...id('slider'),
    type: 'range',
    min: 0,
    max: 0,
    value: 0,
    'aria-label': 'Step',
  });
  const title = h('h3', { ...id('step'), 'aria-live': 'polite' });
  const picture = h('div', {
    class: 'layout-picture scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'The machine at this step',
  });
  const instructions = h('div', { ...id('instructions'), class: 'layout-instructions' });
  const walk = h(
    'section',
    { ...id('walk'), class: 'card layout-walk', 'aria-labelledby': 'layout-walk-title' },
    h('h2', { id: 'layout-walk-title' }, 'Step by step'),
    h(
      'p',
      { class: 'note' },
      'Thin arrows: what a core fetches or leaves for itself. Strong ones: what goes from core to core, with its bytes and its level.',
    ),
    h('div', { class: 'row layout-player' }, back, play, on, slider),
    title,
    picture,
    instructions,
  );

  const compared = h(
    'section',
    { ...id('compared'), class: 'card layout-compared', 'aria-labelledby': 'layout-compared-title' },
    h('h2', { id: 'layout-compared-title' }, 'The three modes beside each other'),
    h(
      'p',
      { class: 'note' },
      'Bytes by level: core (within a cluster), cluster (between caches), memory (through memory); own: what cores read and write for themselves.',
    ),
    modes,
  );

  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'Say where each number lies'),
      h(
        'p',
        { class: 'lead' },
        'A large product of tensors (tables of numbers) is computed by many cores, each of which holds a part. A label says how a tensor is cut, filled up and placed; a plan follows from the labels. See who holds what and what goes from core to core, and edit a label to see it move.',
      ),
    ),
    h(
      'div',
      { class: 'steps' },
      h(
        'div',
        { class: 'choose' },
        step(
          1,
          { prefix: PREFIX, id: 'ask', title: 'Take an operator' },
          field('Begin with', example),
          field('Operator', operator),
          formula,
          h('div', { class: 'layout-fields' }, field('Numbers', numbers), attributes),
          h(
            'p',
            { class: 'note' },
            `Sizes are in the static labels below. This tab takes up to ${format.count(LIMITS.numbers)} numbers for an operand, ${LIMITS.parts} parts, ${MOST_CORES} cores and ${format.count(LIMITS.operations)} operations; the package itself has no such limits.`,
          ),
        ),
        step(
          2,
          { prefix: PREFIX, id: 'on', title: 'Take a machine' },
          field('Machine', machine),
          h(
            'div',
            { class: 'layout-text' },
            field('Its description (JSON)', description.text),
            description.wrong,
          ),
        ),
      ),
      step(
        3,
        { prefix: PREFIX, id: 'how', title: 'Take a strategy', kind: 'plan' },
        h('div', { class: 'layout-fields' }, field('Where to cut', strategy), field('Who shares what', mode)),
        failure,
        status,
        verdict,
        totals,
        h(
          'p',
          { class: 'note' },
          'Cycles are those of a stated model (bytes, hops, operations), for comparing layouts; they predict no machine.',
        ),
      ),
    ),
    cut,
    walk,
    compared,
  );
  return {
    ...{ example, operator, formula, attributes, numbers, machine, description, strategy, mode },
    ...{
      failure,
      verdict,
      modes,
      compared,
      totals,
      cut,
      labels,
      operands,
      walk,
      back,
      play,
      on,
      slider,
      title,
    },
    ...{ picture, instructions, status },
  };
}
