/** The tab “Layout”: labels, the cut that they say, and the plan that follows, step by step. */
import { type Mode, numberKind } from 'cipherloom/layout';
import { failureOf } from '../failure.js';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { keepFocus } from '../ui/keep-focus.js';
import { AnswerClient } from './answer-client.js';
import { type Answer, portsOf, type Wrong } from './answer.js';
import { gridOf, holdingsOf } from './blocks.js';
import { EXAMPLES, MACHINE_TEXTS, usualQuestion } from './examples.js';
import { type Frame, makeFrame, type TextField } from './frame.js';
import { machinePicture } from './machine-picture.js';
import { OPERATORS } from './plain.js';
import {
  hashOf,
  LABEL_FIELDS,
  type NumbersName,
  PORTS,
  type Question,
  questionOf,
  type StrategyName,
} from './question.js';
import { instructionsTable, modesTable, partsTable, stopTitle, totalsList, verdictText } from './tables.js';
import { tensorPicture } from './tensor-picture.js';
import { type Stop, walk } from './walk.js';
import './layouts.css';

/** Milliseconds without a key before a text is read, before a visitor is told to wait, and between steps that play. */
const [SETTLE, PATIENCE, PACE] = [120, 300, 1300];
const LETTERS = { input: 'i', weight: 'w', output: 'o' } as const;

export class Layouts {
  readonly #frame: Frame;
  readonly #client = new AnswerClient();
  #question: Question = EXAMPLES.caches!.question;
  #answer: Answer | undefined;
  #stops: readonly Stop[] = [];
  #stop = 0;
  #settling = 0;
  #playing = 0;
  #drawn = { cut: 0, walk: 0 };

  constructor(host: HTMLElement) {
    this.#frame = makeFrame(host);
    this.#connect();
    this.#follow();
  }

  // ------------------------------------------------------------------------------------------------ asking

  #connect(): void {
    const { example, operator, numbers, machine, description, strategy, mode, labels } = this.#frame;
    example.addEventListener('change', () => {
      const chosen = EXAMPLES[example.value];
      if (chosen !== undefined) this.#take(chosen.question);
    });
    operator.addEventListener('change', () =>
      this.#take({ ...usualQuestion(operator.value), ...this.#kept() }),
    );
    numbers.addEventListener('change', () => this.#change({ numbers: numbers.value as NumbersName }));
    machine.addEventListener('change', () => {
      const text = MACHINE_TEXTS[machine.value];
      if (text === undefined) return;
      description.text.value = text;
      this.#change({ machine: text });
    });
    description.text.addEventListener('input', () =>
      this.#change({ machine: description.text.value }, SETTLE),
    );
    strategy.addEventListener('change', () => this.#change({ strategy: strategy.value as StrategyName }));
    mode.addEventListener('change', () => this.#change({ mode: mode.value as Mode }));
    for (const name of LABEL_FIELDS) {
      const { text, derive } = labels[name];
      text.addEventListener('input', () => {
        this.#change({ labels: { ...this.#question.labels, [name]: text.value } }, SETTLE);
        this.#mark();
      });
      derive.addEventListener('click', () => {
        const { [name]: _, ...others } = this.#question.labels;
        this.#change({ labels: others });
        text.focus();
      });
    }
    this.#connectWalk();
    addEventListener('hashchange', () => {
      if (location.hash.startsWith('#layout?')) this.#follow();
    });
    const { cut, walk } = this.#frame;
    const watch = new ResizeObserver(() => this.#draw());
    watch.observe(cut);
    watch.observe(walk);
  }

  /** What stays when another operator is taken. */
  #kept(): Pick<Question, 'machine' | 'strategy' | 'mode' | 'numbers'> {
    const { machine, strategy, mode, numbers } = this.#question;
    return { machine, strategy, mode, numbers };
  }

  /** Asks what the address says, or else what the tab begins with. */
  #follow(): void {
    this.#take(questionOf(location.hash, MACHINE_TEXTS, usualQuestion) ?? this.#question);
  }

  #take(question: Question): void {
    this.#question = question;
    this.#change({});
  }

  #change(change: Partial<Question>, wait = 0): void {
    this.#question = { ...this.#question, ...change };
    this.#showQuestion();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#ask(), wait);
  }

  /** Fills in what was chosen; texts that are being written are left alone. */
  #showQuestion(): void {
    const { operator, attributes, labels, machine, strategy, mode, numbers } = this.#question;
    const frame = this.#frame;
    const { formula, operands } = OPERATORS[operator]!;
    frame.operator.value = operator;
    frame.formula.textContent = formula;
    frame.numbers.value = numbers;
    frame.strategy.value = strategy;
    frame.mode.value = mode;
    const named = Object.entries(MACHINE_TEXTS).find(([, text]) => text === machine)?.[0];
    frame.machine.value = named ?? '';
    const same = Object.entries(EXAMPLES).find(
      ([, { question }]) => JSON.stringify(question) === JSON.stringify(this.#question),
    );
    frame.example.value = same?.[0] ?? '';
    setText(frame.description.text, machine);
    for (const name of LABEL_FIELDS)
      if (labels[name] !== undefined) setText(frame.labels[name].text, labels[name]);
    frame.operands.weight.whole.hidden = operands === 1;
    this.#showAttributes(operator, attributes);
    this.#mark();
  }

  #showAttributes(operator: string, attributes: Question['attributes']): void {
    const host = this.#frame.attributes;
    const known = OPERATORS[operator]!.attributes;
    if (host.dataset['operator'] !== operator) {
      host.dataset['operator'] = operator;
      host.replaceChildren(
        ...Object.entries(known).map(([name, { least, most }]) => {
          const input = h('input', {
            type: 'number',
            min: least,
            max: most,
            step: 'any',
            'data-testid': `layout-attribute-${name}`,
            'data-name': name,
          });
          input.addEventListener('input', () => {
            if (input.value !== '')
              this.#change(
                { attributes: { ...this.#question.attributes, [name]: input.valueAsNumber } },
                SETTLE,
              );
          });
          return h('label', { class: 'layout-field' }, h('span', {}, name), input);
        }),
      );
    }
    for (const input of host.querySelectorAll('input')) {
      const value = String(attributes[input.dataset['name']!] ?? '');
      if (document.activeElement !== input) input.value = value;
    }
  }

  /** Which labels a person wrote, so that they can be derived again. */
  #mark(): void {
    for (const name of LABEL_FIELDS) {
      const written = this.#question.labels[name] !== undefined;
      const isGiven = name === 'input-static' || name === 'weight-static';
      this.#frame.labels[name].derive.hidden = isGiven || !written;
    }
  }

  async #ask(): Promise<void> {
    const question = this.#question;
    const frame = this.#frame;
    if (location.hash.split('?')[0] === '#layout')
      history.replaceState(null, '', hashOf(question, MACHINE_TEXTS));
    // Of another operator's second operand nothing is asked.
    const ports = portsOf(question.operator);
    const labels = Object.fromEntries(
      Object.entries(question.labels).filter(([name]) => ports.some((port) => name.startsWith(port))),
    );
    frame.cut.setAttribute('aria-busy', 'true');
    const slow = setTimeout(() => (frame.status.textContent = 'Working it out…'), PATIENCE);
    try {
      const reply = await this.#client.ask({ ...question, labels });
      if (reply === undefined) return;
      if ('code' in reply) this.#showWrong(reply);
      else this.#show(reply);
    } catch (error) {
      const { code, sentence } = failureOf(error, 'placing labels');
      this.#showWrong({ field: 'question', code, sentence });
    } finally {
      clearTimeout(slow);
    }
    frame.cut.removeAttribute('aria-busy');
  }

  // ----------------------------------------------------------------------------------------------- showing

  /** The field is marked; pictures stay those of the last valid text. */
  #showWrong({ field, code, sentence }: Wrong): void {
    this.#clearWrong();
    const frame = this.#frame;
    const text =
      field === 'machine' ? frame.description : field === 'question' ? undefined : frame.labels[field];
    const place = text?.wrong ?? frame.failure;
    const hint =
      text === undefined && code === 'layout.operands'
        ? ' Sizes are in the static labels; tiles of the machine fill them up.'
        : '';
    place.replaceChildren(`${sentence}${hint} `, h('code', {}, code));
    place.hidden = false;
    text?.text.setAttribute('aria-invalid', 'true');
    frame.status.textContent =
      this.#answer === undefined
        ? 'There is no picture of this.'
        : 'Pictures are those of the last text that could be read.';
    for (const part of [frame.cut, frame.walk, frame.compared]) part.dataset['stale'] = 'true';
  }

  #clearWrong(): void {
    const { labels, description, failure } = this.#frame;
    for (const { text, wrong } of [...Object.values(labels), description]) {
      text.removeAttribute('aria-invalid');
      wrong.hidden = true;
      wrong.replaceChildren();
    }
    failure.hidden = true;
    failure.replaceChildren();
  }

  #show(answer: Answer): void {
    this.#clearWrong();
    this.#answer = answer;
    const frame = this.#frame;
    const { labelled, plan, texts, pieces, modes } = answer;
    for (const part of [frame.cut, frame.walk, frame.compared]) part.dataset['stale'] = 'false';
    for (const name of LABEL_FIELDS)
      if (this.#question.labels[name] === undefined) setText(frame.labels[name].text, texts[name] ?? '');
    this.#mark();
    const own = modes.find(({ mode }) => mode === plan.mode);
    if (own !== undefined && !('wrong' in own)) {
      const equal = own.verdict.different === 0;
      const sum = answer.output.map((value) => String(Number(value.toPrecision(6)))).join(', ');
      frame.verdict.className = equal ? 'layout-verdict mark-equal' : 'layout-verdict';
      frame.verdict.dataset['equal'] = String(equal);
      frame.verdict.textContent = `${verdictText(own.verdict, plan.type)} It begins ${sum}.`;
      frame.totals.replaceChildren(...totalsList(own.counts, own.time));
    }
    frame.modes.replaceChildren(modesTable(modes, plan.mode));
    const parts = PORTS.flatMap((port) => labelled[port]?.dynamic.split.parts.length ?? []);
    frame.status.textContent = [
      `Placed on ${format.plural(plan.machine.clusterOf.length, 'core')}: ${parts.join(' + ')} parts, ${format.plural(plan.steps.length, 'step')}.`,
      ...labelled.notes.map((note) => `${note}.`),
    ].join(' ');
    this.#stops = walk(plan, (name) => pieces[name]?.bytes ?? 0);
    frame.slider.max = String(plan.steps.length);
    this.#drawn = { cut: 0, walk: 0 };
    this.#draw();
    this.#goTo(Math.min(this.#stop, plan.steps.length));
  }

  /** Draws what another width has made stale. */
  #draw(): void {
    const answer = this.#answer;
    const frame = this.#frame;
    const width = frame.operands.input.picture.clientWidth;
    // Hidden, there is no width; it is drawn when it is shown.
    if (answer === undefined || width === 0) return;
    if (this.#drawn.cut !== width) {
      this.#drawn.cut = width;
      this.#drawCut(answer, width);
    }
    const room = frame.picture.clientWidth;
    if (this.#drawn.walk !== room) {
      this.#drawn.walk = room;
      this.#drawStop();
    }
  }

  #drawCut({ labelled, plan }: Answer, width: number): void {
    for (const port of PORTS) {
      const pair = labelled[port];
      if (pair === undefined) continue;
      const { picture, note, parts } = this.#frame.operands[port];
      const grid = gridOf(pair, plan.machine);
      const holdings = holdingsOf(pair, plan.machine);
      const cores = new Set(holdings.map(({ core }) => core)).size;
      const label = `${format.plural(holdings.length, 'part')} of ${pair.dynamic.split.dimension} with ${format.plural(cores, 'core')}`;
      picture.replaceChildren(
        tensorPicture(grid, { label, ids: `layout-${port}`, width, letter: LETTERS[port] }),
      );
      const axes = [grid.x, ...(grid.y === undefined ? [] : [grid.y])];
      const many = axes.filter(({ tilesLeftOut }) => tilesLeftOut > 0);
      note.textContent = many
        .map(
          ({ dimension, tilesLeftOut }) =>
            `Tiles of ${tilesLeftOut} along ${dimension} are too many to be drawn.`,
        )
        .join(' ');
      const { bytes } = numberKind(pair.dynamic.type);
      parts.replaceChildren(partsTable(holdings, LETTERS[port], pair.dynamic.split.dimension, bytes));
    }
  }

  // ----------------------------------------------------------------------------------------------- walking

  #connectWalk(): void {
    const { back, play, on, slider } = this.#frame;
    const by = (change: number) => (): void => {
      this.#pause();
      this.#goTo(this.#stop + change);
    };
    back.addEventListener('click', by(-1));
    on.addEventListener('click', by(1));
    slider.addEventListener('input', () => {
      this.#pause();
      this.#goTo(slider.valueAsNumber);
    });
    play.addEventListener('click', () => {
      if (this.#playing !== 0) return this.#pause();
      if (this.#stop === this.#stops.length - 1) this.#goTo(0);
      play.textContent = 'Pause';
      this.#playing = setInterval(() => {
        this.#goTo(this.#stop + 1);
        if (this.#stop >= this.#stops.length - 1) this.#pause();
      }, PACE);
    });
  }

  #pause(): void {
    clearInterval(this.#playing);
    this.#playing = 0;
    this.#frame.play.textContent = 'Play';
  }

  #goTo(stop: number): void {
    const last = this.#stops.length - 1;
    if (last < 0) return;
    this.#stop = Math.max(0, Math.min(stop, last));
    this.#drawStop();
  }

  #drawStop(): void {
    const answer = this.#answer;
    const stop = this.#stops[this.#stop];
    if (answer === undefined || stop === undefined) return;
    const { title, slider, back, on, picture, instructions } = this.#frame;
    title.textContent = stopTitle(this.#stop, answer);
    slider.value = String(this.#stop);
    slider.setAttribute('aria-valuetext', title.textContent);
    const change = (): void => {
      back.disabled = this.#stop === 0;
      on.disabled = this.#stop === this.#stops.length - 1;
    };
    keepFocus(change, on, back);
    const width = picture.clientWidth;
    if (width > 0)
      picture.replaceChildren(machinePicture(answer.plan.machine, stop, width, title.textContent));
    instructions.replaceChildren(instructionsTable(this.#stop, answer, stop));
  }
}

/** A text that is another one already is not touched: its cursor stays. */
function setText(field: TextField['text'], text: string): void {
  if (field.value !== text) field.value = text;
}
