/** The graph tab: from a text to stages, pictures and runs. */
import { CipherloomError, type Circuit, type ExpandOptions } from 'cipherloom';
import type { App } from '../app.js';
import { failureOf } from '../failure.js';
import * as format from '../format.js';
import { Explorer, type Stop } from '../graph/explorer.js';
import { GraphText } from '../graph/graph-text.js';
import { button, h } from '../ui/dom.js';
import { AbsorbView } from './absorb-view.js';
import { Checker } from './checker.js';
import { DataFields } from './data-fields.js';
import { diagnose } from './diagnose.js';
import { Editor } from './editor.js';
import { type Frame, makeFrame } from './frame.js';
import { GALLERY, type GalleryEntry, type GalleryText } from './gallery.js';
import { OwnPanel } from './own-panel.js';
import { type OwnOperator, OwnOperatorError, OwnOperators } from './own/own-operators.js';
import { RunPanel } from './run-panel.js';
import { isSame } from './same-graph.js';
import { type Made, type Making, Stages } from './stages.js';
import { StepBar } from './step-bar.js';
import { completeOperators, textLanguage } from './text-language.js';
import { SuitePanel } from '../verify/suite-panel.js';
import { VerifyPanel } from './verify-panel.js';
import './workbench.css';

/** Characters of a text in which the line of an operator is looked for. */
const MOST_FOLLOWED = 500_000;

export class Workbench {
  readonly #app: App;
  readonly #frame: Frame;
  readonly #own = new OwnOperators();
  readonly #stages = new Stages();
  readonly #editor: Editor;
  readonly #checker: Checker;
  readonly #explorer: Explorer;
  readonly #steps: StepBar;
  readonly #fields: DataFields;
  readonly #runs: RunPanel;
  readonly #verification: VerifyPanel;
  readonly #absorb: AbsorbView;
  readonly #ownPanel: OwnPanel;
  /** The stage that is shown. */
  #made: Made | undefined;
  /** What the gallery says of the text that is being opened. */
  #given: GalleryText | undefined;
  #making: AbortController | undefined;

  constructor(host: HTMLElement, app: App) {
    this.#app = app;
    const frame = makeFrame(host);
    this.#frame = frame;
    this.#explorer = new Explorer(frame.explorer, {
      stopped: (stop) => this.#stopped(stop),
      selected: (stop, op) => this.#selected(stop, op),
      actions: (stop, op) => this.#actions(stop, op),
    });
    this.#steps = new StepBar(frame.steps, {
      expand: (name, options) => void this.#expand(name, options),
      optimize: (name, passes) => void this.#optimize(name, passes),
      cancel: () => this.#making?.abort(new DOMException('Cancelled', 'AbortError')),
    });
    this.#fields = new DataFields(frame.inputs);
    this.#runs = new RunPanel(frame.run, frame.outputs, this.#fields, {
      loom: () => app.loom(),
      resolved: (loom, call) => this.#own.resolved(loom, call),
      failed: (error) => this.#offerRestart(error),
    });
    this.#verification = new VerifyPanel(frame.verify, {
      loom: () => app.loom(),
      stages: () => this.#stages.all,
      operators: () => this.#own,
      reveal: (stop, op) => void this.#explorer.reveal(stop, op),
    });
    new SuitePanel(frame.suite, () => app.loom());
    this.#absorb = new AbsorbView(frame.absorb, (made, op) => void this.#explorer.reveal(made.stop.id, op));
    void this.#absorb.show(undefined);
    this.#ownPanel = new OwnPanel(frame.own, (operator) => void this.#define(operator));
    this.#checker = new Checker({
      open: (text, signal) => this.#open(text, signal),
      started: () => this.#say('checking', 'Checking…'),
      opened: (circuit, text) => void this.#opened(circuit, text),
      failed: (error, text, signal) => void this.#refused(error, text, signal),
    });
    this.#editor = new Editor(frame.editor, {
      label: 'Text of the graph',
      language: textLanguage,
      complete: completeOperators(() => this.#own.names),
      changed: () => this.#checker.check(this.#editor.text),
    });
    frame.gallery.append(...GALLERY.map((entry) => this.#galleryButton(entry)));
    app.onReplaced(() => this.#checkAgain());
    void this.#take(GALLERY[0]!);
  }

  repaint(): void {
    this.#explorer.repaint();
  }

  // ------------------------------------------------------------------------------------------------ texts

  #galleryButton(entry: GalleryEntry): HTMLButtonElement {
    return h(
      'button',
      {
        type: 'button',
        class: 'gallery-entry',
        'data-testid': `gallery-${entry.id}`,
        click: () => void this.#take(entry),
      },
      h('strong', {}, entry.title),
      h('span', { class: 'note' }, entry.about),
    );
  }

  async #take(entry: GalleryEntry): Promise<void> {
    this.#checker.cancel();
    this.#say('checking', `Making ${entry.title}…`);
    try {
      const given = await entry.make(await this.#app.loom());
      for (const operator of given.operators ?? []) this.#own.define(operator);
      if (given.operators?.[0] !== undefined) this.#ownPanel.show(given.operators[0]);
      this.#listOperators();
      this.#given = given;
      this.#verification.keep(given.meaning);
      this.#editor.text = given.text;
      this.#checker.check(given.text, 0);
      for (const [index, button] of [...this.#frame.gallery.children].entries())
        button.setAttribute('aria-pressed', String(GALLERY[index] === entry));
    } catch (error) {
      this.#fail(error, `making ${entry.title}`);
    }
  }

  async #open(text: string, signal: AbortSignal): Promise<Circuit> {
    const loom = await this.#app.loom();
    return this.#own.resolved(loom, () => loom.circuit(text, { signal }));
  }

  async #opened(circuit: Circuit, text: string): Promise<void> {
    this.#editor.showProblem(undefined);
    this.#frame.problem.hidden = true;
    this.#say(
      'opened',
      `${format.plural(circuit.operators, 'operator')}. Equal graphs have equal names: ${circuit.id}.`,
    );
    const given = this.#given;
    this.#given = undefined;
    this.#fields.show(circuit.inputs, given?.data, given?.note, given !== undefined);
    this.#verification.reset(circuit);
    this.#stages.open(circuit, new GraphText(text.slice(0, 1000)).unit);
    await this.#explorer.show(
      this.#stages.all.map(({ stop }) => stop),
      0,
    );
  }

  async #refused(error: unknown, text: string, signal: AbortSignal): Promise<void> {
    this.#given = undefined;
    this.#say('refused', 'The picture shows the last text that could be opened.');
    this.#showProblem(error);
    if (error instanceof OwnOperatorError) {
      this.#ownPanel.fail(error);
      const line = text.split('\n').findIndex((one) => one.includes(`= ${error.operator}`)) + 1;
      this.#editor.showProblem({ line: Math.max(line, 1), word: error.operator, message: error.message });
      return;
    }
    const { operator } = error instanceof CipherloomError ? error.details : {};
    if (this.#own.names.includes(String(operator))) this.#ownPanel.fail(error);
    try {
      const problem = await diagnose(text, error, (part, signal) => this.#open(part, signal), signal);
      if (signal.aborted) return;
      this.#editor.showProblem(problem);
      this.#showProblem(error, problem.line);
    } catch (other) {
      if (!signal.aborted) this.#showProblem(other);
    }
  }

  #showProblem(error: unknown, line?: number): void {
    const { sentence, code } = failureOf(error, 'opening the text');
    // The core says the line, but for what is wrong with more than one.
    const { line: at, expected } = error instanceof CipherloomError ? error.details : {};
    const told =
      String(at) === '0' // the end of the text
        ? `The text ends where “${String(expected).trim()}” is expected.`
        : sentence.replace(/^line /, 'Line ');
    const place = line === undefined || told !== sentence ? '' : `Line ${line}: `;
    this.#frame.problem.textContent = `${place}${told} (${code})`;
    this.#frame.problem.hidden = false;
    this.#offerRestart(error);
  }

  /** Workers that are gone can be replaced. */
  #offerRestart(error: unknown): void {
    const { sentence, code, canRestart } = failureOf(error, 'working');
    if (!canRestart) return;
    this.#frame.problem.hidden = false;
    this.#frame.problem.replaceChildren(
      `${sentence} (${code})`,
      button('Restart the workers', () => this.#app.renew(), { class: 'small' }),
    );
  }

  #checkAgain(): void {
    this.#checker.check(this.#editor.text, 0);
  }

  // ----------------------------------------------------------------------------------------------- stages

  #stopped(stop: Stop): void {
    const made = this.#stages.of(stop);
    this.#made = made;
    this.#runs.show(made);
    void this.#absorb.show(made);
  }

  async #expand(name: string | undefined, options: ExpandOptions): Promise<void> {
    await this.#derive(name ?? this.#nextStep, 'expand', (from, signal) =>
      from.circuit.expand({ ...options, signal }),
    );
  }

  /** Steps are counted. */
  get #nextStep(): string {
    let made = this.#made;
    let steps = 1;
    for (; made !== undefined; made = made.from) if (/^Step \d+$/.test(made.name)) steps++;
    return `Step ${steps}`;
  }

  async #optimize(name: string, passes: readonly string[] | undefined): Promise<void> {
    await this.#derive(name, 'optimize', (from, signal) => from.circuit.optimize({ passes, signal }));
  }

  async #derive(
    name: string,
    making: Exclude<Making, 'open'>,
    make: (from: Made, signal: AbortSignal) => Promise<Circuit>,
  ): Promise<void> {
    const from = this.#made;
    if (from === undefined) return;
    const controller = new AbortController();
    this.#making = controller;
    this.#steps.busy = true;
    try {
      const loom = await this.#app.loom();
      const circuit = await this.#own.resolved(loom, () => make(from, controller.signal));
      if (from !== this.#made) return circuit.dispose();
      if (await isSame(circuit, from.circuit, controller.signal)) {
        this.#frame.explorer.note.textContent = NOTHING_TO_DO[making];
        return circuit.dispose();
      }
      this.#stages.add(name, circuit, making, from);
      const stops = this.#stages.all.map(({ stop }) => stop);
      await this.#explorer.show(stops, stops.length - 1);
    } catch (error) {
      if (error instanceof OwnOperatorError) this.#ownPanel.fail(error);
      this.#offerRestart(error);
      const { sentence, code } = failureOf(error, 'making a stage');
      this.#frame.explorer.note.textContent = `${sentence} (${code})`;
    } finally {
      this.#steps.busy = false;
    }
  }

  // -------------------------------------------------------------------------------------------- operators

  #selected(stop: Stop, op: number): void {
    const made = this.#stages.of(stop);
    const { text } = this.#editor;
    if (made?.making !== 'open' || text.length > MOST_FOLLOWED) return;
    const line = new GraphText(text).lineOf(op);
    if (line !== undefined) this.#editor.reveal(line);
  }

  /** What can be done with the operator that is told about. */
  #actions(stop: Stop, op: number): HTMLElement[] {
    if (this.#stages.of(stop) !== this.#made) return [];
    const title = this.#runs.looksInto(op) ? 'Do not look into its result' : 'Look into its result';
    const look = button(
      title,
      () => {
        this.#runs.toggleLook(op);
        look.textContent = this.#runs.looksInto(op)
          ? 'The next run shows its result'
          : 'Look into its result';
      },
      { class: 'small', 'data-testid': 'look' },
    );
    return [look];
  }

  async #define(operator: OwnOperator): Promise<void> {
    const known = this.#own.get(operator.name);
    if (known !== undefined && known.code !== operator.code && this.#app.isRunning) {
      this.#ownPanel.fail(
        new Error('The other tab is running, and would lose its workers: try again when it is done.'),
      );
      return;
    }
    try {
      this.#own.define(operator);
      const loom = await this.#app.loom();
      if (this.#own.isOutdated(loom)) {
        // Names cannot be given another meaning: this takes new workers, and opens the text in them.
        this.#app.renew();
        this.#ownPanel.say(
          `${operator.name} is changed. The workers were replaced, since they knew it as it was.`,
        );
      } else {
        await this.#own.resolved(loom, () => Promise.resolve());
        this.#ownPanel.say(`${operator.name} is known now: use it in the text above.`);
        this.#checkAgain();
      }
    } catch (error) {
      this.#ownPanel.fail(error);
    }
    this.#listOperators();
  }

  #listOperators(): void {
    this.#ownPanel.list(this.#own.names.map((name) => this.#own.get(name)!));
  }

  // ---------------------------------------------------------------------------------------------- common

  #say(state: 'checking' | 'opened' | 'refused', text: string): void {
    this.#frame.editor.dataset['state'] = state;
    this.#frame.status.textContent = text;
  }

  #fail(error: unknown, during: string): void {
    const { sentence, code } = failureOf(error, during);
    this.#say('refused', '');
    this.#frame.problem.textContent = `${sentence} (${code})`;
    this.#frame.problem.hidden = false;
    this.#offerRestart(error);
  }
}

const NOTHING_TO_DO: Readonly<Record<Exclude<Making, 'open'>, string>> = {
  expand: 'There is nothing left to expand: all of these are base operators.',
  optimize: 'These passes find nothing to do here.',
};
