/** The tab “Playground”: a task as code, run on a table, and what it costs. */
import { Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { javascript, typescriptLanguage } from '@codemirror/lang-javascript';
import { type Loom } from 'cipherloom';
import type { App } from '../app.js';
import type { DataTable, NumericColumn } from '../data/messages.js';
import { failureOf, isCancellation } from '../failure.js';
import * as format from '../format.js';
import { Phases } from '../run/phases.js';
import { h } from '../ui/dom.js';
import { hideFailure, showFailure } from '../ui/failure-box.js';
import { connectGpu } from '../ui/gpu-select.js';
import { keepFocus } from '../ui/keep-focus.js';
import { option } from '../ui/option.js';
import { PhaseList } from '../ui/phase-list.js';
import { saveFile } from '../ui/save-file.js';
import { Editor, type Problem } from '../workbench/editor.js';
import { codeOfRun } from './code-of-run.js';
import { type CurvePoint, curvePicture, sizesAround } from './curve.js';
import { type Frame, makeFrame } from './frame.js';
import { hashOf, sharedOf } from './permalink.js';
import { priceTable } from './price.js';
import { type ProgramName, PROGRAMS } from './programs.js';
import { allAgree, csvOfResults, jsonOfResults, resultsTable } from './results.js';
import { type SampleName, SAMPLES } from './samples.js';
import { describe, type Described, ProgramError } from './sandbox/sandbox.js';
import { compilePlan, type Outcome, type Plan, Session } from './session.js';
import { type Choice, choiceOf, optionsOf, USUAL } from './settings.js';
import { csvOf } from './table-text.js';
import { lineMap } from './types/line-map.js';
import type { Compiled, Finding } from './types/messages.js';
import { TypeClient } from './types/type-client.js';
import { completeNames, hoverTypes } from './types/typed-editing.js';
import './playground.css';

/** Milliseconds without a key before a program is looked at, and before it is compiled. */
const [LOOK, SETTLE] = [250, 700];
/** Cells that go to a program: more would keep a visitor waiting before anything is encrypted. */
const MOST_CELLS = 2_000_000;
const FILE = 'cipherloom-run.mjs';

/** What a visitor asks, as it was at one moment. */
interface Question {
  readonly version: number;
  readonly text: string;
  readonly choice: Choice;
  readonly columns: readonly NumericColumn[];
}

/** Its plan, and what that was made of. */
interface Planned {
  readonly question: Question;
  readonly plan: Plan;
  readonly compiled: Compiled;
}

/** What was computed, and of what. */
interface Done {
  readonly outcome: Outcome;
  readonly code: string;
}

interface OpenTable {
  readonly name: string;
  readonly table: DataTable;
}

export class Playground {
  readonly #app: App;
  readonly #frame: Frame;
  readonly #editor: Editor;
  readonly #types = new TypeClient();
  readonly #session = new Session();
  readonly #phaseList: PhaseList;
  #table: OpenTable | undefined;
  /** Of the table that was asked for last: what another one gives comes too late. */
  #taking = 0;
  /** What a link brought is not run before it was looked at: somebody else wrote it. */
  #asked = true;
  /** What is wrong with a link stays to be read until the program is changed. */
  #linkFailed = false;
  #looking = 0;
  #settling = 0;
  /** Counts changes of what is asked: an answer to another question is dropped. */
  #version = 0;
  #plan: Planned | undefined;
  #planning: AbortController | undefined;
  #running: AbortController | undefined;
  #done: Done | undefined;
  #findings: readonly Finding[] = [];
  /** What went wrong when the text was run. */
  #problem: Problem | undefined;
  /** The loop in which a program was when it was stopped. */
  #stoppedAt: number | undefined;

  constructor(host: HTMLElement, app: App) {
    this.#app = app;
    const frame = makeFrame(host);
    this.#frame = frame;
    this.#phaseList = new PhaseList(frame.phases);
    this.#editor = new Editor(frame.code, {
      label: 'The program, TypeScript',
      language: typescriptLanguage,
      extensions: [
        javascript({ typescript: true }).support,
        hoverTypes(this.#types),
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (void this.#run(), true) }])),
      ],
      complete: completeNames(this.#types),
      changed: () => this.#textChanged(),
    });
    this.#connect();
    void this.#open();
  }

  // ------------------------------------------------------------------------------------------- what is asked

  #connect(): void {
    const { program, sample, file, scheme, n, table, bits, quantum } = this.#frame;
    const { run, stop, measure, copyCode, saveCode, saveCsv, saveJson, copyLink } = this.#frame;
    // It is no part of the question: plan and results are the same.
    connectGpu(this.#frame.gpu, this.#frame.gpuFound, this.#app);
    program.addEventListener('change', () => {
      if (program.value !== '') void this.#begin(program.value as ProgramName);
    });
    sample.addEventListener('change', () => {
      if (sample.value !== '') void this.#takeSample(sample.value as SampleName, []);
    });
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      file.value = ''; // so that the same file can be chosen again
      if (chosen !== undefined) void this.#take(chosen.name, () => chosen.arrayBuffer(), []);
    });
    for (const control of [scheme, n, table, bits, quantum])
      control.addEventListener('change', () => this.#changed(0));
    this.#frame.columns.addEventListener('change', () => this.#changed(0));
    run.addEventListener('click', () => void this.#run());
    stop.addEventListener('click', () => this.#stop());
    measure.addEventListener('click', () => void this.#measure());
    copyLink.addEventListener('click', () => void this.#copyLink());
    copyCode.addEventListener('click', () => void this.#copy(copyCode, this.#done?.code ?? ''));
    saveCode.addEventListener('click', () => saveFile(FILE, this.#done?.code ?? '', 'text/javascript'));
    saveCsv.addEventListener('click', () =>
      saveFile('results.csv', csvOfResults(this.#done?.outcome.encrypted ?? {}), 'text/csv'),
    );
    saveJson.addEventListener('click', () =>
      saveFile('results.json', jsonOfResults(this.#done?.outcome.encrypted ?? {}), 'application/json'),
    );
    addEventListener('hashchange', () => {
      if (location.hash.startsWith('#playground?')) void this.#open();
    });
    this.#app.onReplaced(() => {
      this.#stop();
      this.#session.forget();
      this.#plan = undefined;
      this.#changed(SETTLE);
    });
  }

  /** Begins with what the address says, or else with the first program. */
  async #open(): Promise<void> {
    try {
      const shared = await sharedOf(location.hash);
      if (shared === undefined) {
        if (this.#editor.text === '') await this.#begin('statistics');
        return;
      }
      this.#asked = false;
      this.#showChoice(shared.choice);
      this.#editor.text = shared.text;
      const same = Object.entries(PROGRAMS).find(([, { text }]) => text === shared.text);
      const ready = PROGRAMS[(same?.[0] ?? 'statistics') as ProgramName];
      if (this.#table === undefined) await this.#takeSample(ready.sample, ready.columns);
      else this.#changed(0);
    } catch (error) {
      if (this.#editor.text === '') await this.#begin('statistics');
      this.#fail(error, 'reading the link');
      this.#linkFailed = true;
    }
  }

  /** Takes a ready program, and its table unless a person's own is open. */
  async #begin(name: ProgramName): Promise<void> {
    const { text, sample, columns } = PROGRAMS[name];
    this.#asked = true;
    this.#editor.text = text;
    if (this.#table === undefined || this.#frame.sample.value !== '') await this.#takeSample(sample, columns);
  }

  get #choice(): Choice {
    const { scheme, n, table, bits, quantum } = this.#frame;
    return choiceOf({
      scheme: scheme.value,
      n: Number(n.value),
      table: table.value,
      bits: Number(bits.value),
      quantum: quantum.checked,
    });
  }

  #showChoice({ scheme, n, table, bits, quantum }: Choice): void {
    const frame = this.#frame;
    frame.scheme.value = scheme ?? '';
    frame.n.value = n === undefined ? '' : String(n);
    frame.table.value = table;
    frame.bits.value = String(bits);
    frame.quantum.checked = quantum;
  }

  #textChanged(): void {
    const { program } = this.#frame;
    const { text } = this.#editor;
    program.value = Object.entries(PROGRAMS).find(([, ready]) => ready.text === text)?.[0] ?? '';
    this.#linkFailed = false;
    this.#problem = undefined;
    this.#findings = [];
    this.#showWrong();
    clearTimeout(this.#looking);
    this.#looking = setTimeout(() => void this.#look(), LOOK);
    this.#changed(SETTLE);
  }

  /** Has TypeScript look at the text. */
  async #look(): Promise<void> {
    const { text } = this.#editor;
    const { said, code } = this.#frame;
    try {
      const findings = await this.#types.ask('check', { text });
      if (text !== this.#editor.text) return;
      this.#findings = findings;
      this.#showWrong();
      const errors = findings.filter(({ severity }) => severity === 'error');
      code.dataset['errors'] = String(errors.length);
      const [first] = errors;
      said.textContent =
        first === undefined
          ? 'TypeScript finds nothing wrong.'
          : `${format.plural(errors.length, 'error')}, the first in line ${lineOf(text, first.from)}: ${first.message}`;
      said.classList.toggle('wrong', first !== undefined);
    } catch (error) {
      this.#fail(error, 'looking at the program');
    }
  }

  /** What TypeScript found, and what came of running it. */
  #showWrong(): void {
    this.#editor.showProblem(
      this.#problem,
      this.#findings.map(({ from, to, message, severity }) => ({ from, to, message, severity })),
    );
  }

  // -------------------------------------------------------------------------------------------------- the table

  async #takeSample(name: SampleName, columns: readonly string[]): Promise<void> {
    const { file, bytes } = SAMPLES[name];
    if (await this.#take(file, bytes, columns)) this.#frame.sample.value = name;
  }

  /** Whether it could be read, and is still wanted then. */
  async #take(file: string, bytes: () => Promise<ArrayBuffer>, chosen: readonly string[]): Promise<boolean> {
    const name = format.foreign(file);
    const { data, sample, failure } = this.#frame;
    hideFailure(failure);
    const turn = ++this.#taking;
    try {
      const table = await this.#app.data.read(await bytes());
      if (turn !== this.#taking) return false; // another one was taken meanwhile
      this.#table = { name, table };
      sample.value = '';
      data.textContent = `${name}: ${format.plural(table.rows, 'row')}, ${format.plural(table.numeric.length, 'numeric column')}`;
      this.#showColumns(table, chosen);
      this.#changed(0);
      return true;
    } catch (error) {
      if (turn === this.#taking) this.#fail(error, `reading ${name}`);
      return false;
    }
  }

  #showColumns({ numeric }: DataTable, chosen: readonly string[]): void {
    const first = chosen.length > 0 ? chosen : numeric.slice(0, 3).map(({ name }) => name);
    this.#frame.columns.replaceChildren(
      ...numeric.map(({ name, min, max, missing }) => {
        const box = h('input', {
          type: 'checkbox',
          value: name,
          checked: first.includes(name),
          'data-testid': 'play-column',
        });
        const facts = [Number.isNaN(min) ? 'all missing' : `${min} to ${max}`];
        if (missing > 0) facts.push(`${format.count(missing)} missing`);
        return option(box, name, facts.join(', '));
      }),
    );
  }

  /** Columns for the program. */
  get #columns(): NumericColumn[] {
    const boxes = this.#frame.columns.querySelectorAll<HTMLInputElement>('input:checked');
    const names = new Set(Array.from(boxes, ({ value }) => value));
    return this.#table?.table.numeric.filter(({ name }) => names.has(name)) ?? [];
  }

  // --------------------------------------------------------------------------------------------------- the plan

  /** Something else is asked by now; it is planned for after a while. */
  #changed(wait: number): void {
    this.#version++;
    this.#planning?.abort(new DOMException('Another plan is wanted', 'AbortError'));
    const { results, curve } = this.#frame;
    if (!results.hidden) this.#showStale(true);
    curve.replaceChildren();
    if (this.#running === undefined) {
      // What the last run did says nothing of what is asked now.
      this.#phaseList.show(new Phases(() => {}));
      this.#phaseList.say('');
    }
    this.#schedule(wait);
  }

  #schedule(wait: number): void {
    const { status } = this.#frame;
    clearTimeout(this.#settling);
    if (this.#table === undefined) return;
    if (!this.#asked) {
      status.dataset['state'] = 'link';
      status.textContent =
        'This program came with the link. Read it, then press the button: until then nothing of it runs.';
      return;
    }
    status.dataset['state'] = 'waiting';
    status.textContent = 'Planning…';
    this.#settling = setTimeout(() => void this.#planFor(), wait);
  }

  /** Plans for what is asked, and shows it. */
  async #planFor(): Promise<void> {
    // Whatever runs asks for its plan itself, or has this called once it has ended.
    if (this.#running !== undefined) return;
    const controller = new AbortController();
    this.#planning = controller;
    try {
      await this.#planned(controller.signal);
    } catch (error) {
      if (!isCancellation(error, controller.signal)) this.#fail(error, 'planning');
    } finally {
      if (this.#planning === controller) this.#planning = undefined;
    }
  }

  /** The plan for what is asked now. Errors: ProgramError, those of the package, `signal.reason`. */
  async #planned(signal: AbortSignal): Promise<Planned> {
    const version = this.#version;
    if (this.#plan?.question.version === version) return this.#plan;
    const { failure, status } = this.#frame;
    if (!this.#linkFailed) hideFailure(failure);
    this.#problem = undefined;
    this.#showWrong();
    try {
      const question = this.#question();
      const loom = await this.#app.loom();
      const compiled = await this.#compiled(question.text);
      const described = await this.#describe(compiled, csvOf(question.columns), signal);
      this.#showSaid(described);
      const plan = await compilePlan(loom, described, optionsOf(question.choice), signal);
      if (signal.aborted) {
        plan.program.dispose();
        throw signal.reason as Error;
      }
      this.#session.forget();
      this.#plan?.plan.program.dispose();
      this.#plan = { question, plan, compiled };
      if (version === this.#version) this.#showPlan(loom, this.#plan, signal);
      return this.#plan;
    } catch (error) {
      if (version === this.#version && !isCancellation(error, signal)) {
        status.dataset['state'] = 'refused';
        status.textContent = 'There is no plan for this.';
      }
      throw error;
    }
  }

  #showPlan(loom: Loom, { question, plan }: Planned, signal: AbortSignal): void {
    const { status, price, reasons } = this.#frame;
    price.replaceChildren(priceTable(plan.program.info, undefined));
    reasons.replaceChildren(
      ...plan.explanation.reasons.flatMap(({ about, text }) => [h('dt', {}, about), h('dd', {}, text)]),
    );
    status.dataset['state'] = 'planned';
    status.textContent = `Planned in ${format.seconds(plan.seconds)}.`;
    if (JSON.stringify(question.choice) !== JSON.stringify(USUAL))
      void this.#compare(loom, plan, question.version, signal);
  }

  /** Shows what the compiler would have chosen, beside a plan. */
  async #compare(loom: Loom, plan: Plan, version: number, signal: AbortSignal): Promise<void> {
    try {
      const usual = await compilePlan(loom, plan.described, {}, signal);
      const { info } = usual.program;
      usual.program.dispose();
      if (version === this.#version) this.#frame.price.replaceChildren(priceTable(plan.program.info, info));
    } catch {
      // The plan alone is there, and what is wrong with the usual one is nobody's question.
    }
  }

  /** Errors: ProgramError for a table that is none. */
  #question(): Question {
    return {
      version: this.#version,
      text: this.#editor.text,
      choice: this.#choice,
      columns: this.#checkedColumns(),
    };
  }

  /** The text as JavaScript. Errors: ProgramError at what cannot be read. */
  async #compiled(text: string): Promise<Compiled> {
    const compiled = await this.#types.ask('compile', { text });
    const [wrong] = compiled.wrong;
    if (wrong !== undefined)
      throw new ProgramError('program.syntax', wrong.message, lineOf(text, wrong.from));
    return compiled;
  }

  #checkedColumns(): NumericColumn[] {
    const columns = this.#columns;
    if (columns.length === 0)
      throw new ProgramError(
        'program.columns',
        'No column is chosen: a program takes one at least',
        undefined,
      );
    const cells = columns.length * columns[0]!.values.length;
    if (cells > MOST_CELLS)
      throw new ProgramError(
        'program.cells',
        `${format.count(cells)} cells are too many for this tab, which takes ${format.count(MOST_CELLS)}: choose fewer columns`,
        undefined,
      );
    return columns;
  }

  async #describe(compiled: Compiled, csv: string, signal: AbortSignal): Promise<Described> {
    let seen: number | undefined;
    // What an earlier program said is not of this one.
    this.#showSaid({ said: [] });
    try {
      return await describe({ code: compiled.code, lineOf: lineMap(compiled.mappings) }, csv, {
        signal,
        at: (line) => (seen = line),
      });
    } catch (error) {
      if (seen !== undefined && isCancellation(error, signal)) this.#stoppedAt = seen;
      if (error instanceof ProgramError) this.#showSaid(error);
      throw error;
    }
  }

  #showSaid({ said }: Pick<Described, 'said'>): void {
    const { output } = this.#frame;
    output.textContent = said.join('\n');
    output.hidden = said.length === 0;
  }

  // ---------------------------------------------------------------------------------------------------- the run

  /** Has one thing going on at a time, which the stop button ends. */
  async #during(
    of: HTMLButtonElement,
    name: string,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (this.#running !== undefined || this.#table === undefined) return;
    this.#asked = true;
    clearTimeout(this.#settling);
    this.#planning?.abort(new DOMException('A run begins', 'AbortError'));
    const controller = new AbortController();
    this.#running = controller;
    this.#stoppedAt = undefined;
    this.#enable();
    let state = 'stopped';
    of.dataset['state'] = 'running';
    try {
      await work(controller.signal);
      state = 'done';
    } catch (error) {
      const line = this.#stoppedAt;
      if (isCancellation(error, controller.signal))
        this.#phaseList.say(
          line === undefined ? 'Stopped.' : `Stopped: the program was in the loop of line ${line}.`,
        );
      else {
        state = 'failed';
        this.#phaseList.say('It went wrong.');
        this.#fail(error, name);
      }
    } finally {
      of.dataset['state'] = state;
      this.#running = undefined;
      this.#enable();
      const { status } = this.#frame;
      if (state === 'stopped') {
        // It may have been stopped because of what planning would do again.
        status.dataset['state'] = 'stopped';
        status.textContent = 'Stopped: another change, or the button, plans anew.';
      } else if (status.dataset['state'] === 'waiting') this.#schedule(0); // what was asked meanwhile, or was given up for this
    }
  }

  #run(): Promise<void> {
    return this.#during(this.#frame.run, 'running the program', async (signal) => {
      const phases = new Phases((all) => this.#phaseList.show(all));
      this.#phaseList.show(phases);
      this.#phaseList.say('Running the program…');
      const { plan, compiled, question } = await this.#planned(signal);
      const { gpu } = this.#app;
      const outcome = await this.#session.run(plan, gpu, phases, signal);
      const { module: code, name } = compiled;
      const { columns, version } = question;
      this.#showOutcome(outcome);
      this.#done = {
        outcome,
        code: codeOfRun({ code, name, options: plan.options, gpu, columns, file: FILE }),
      };
      this.#showStale(version !== this.#version);
    });
  }

  /** Whether what is shown is of what is asked now. */
  #showStale(isStale: boolean): void {
    const { results, before } = this.#frame;
    results.dataset['stale'] = String(isStale);
    before.hidden = !isStale;
  }

  #showOutcome(outcome: Outcome): void {
    const { results, verdict, answers } = this.#frame;
    const table = resultsTable(outcome);
    answers.replaceChildren(table);
    results.hidden = false;
    const { keys, upload, download } = outcome.bytes;
    const agrees = allAgree(table)
      ? outcome.isReal
        ? 'Every result agrees with that in the clear, within its error.'
        : 'Every result equals that in the clear.'
      : 'Not every result agrees with that in the clear.';
    verdict.textContent = `${agrees} The other side got ${format.bytes(keys)} of keys and ${format.bytes(upload)} of ciphertexts, and gave ${format.bytes(download)} back.`;
    this.#phaseList.say(`Done. ${agrees}`);
    this.#phaseList.sayWhere(outcome.gpu, this.#app.loom());
  }

  /** Compiles the program for tables of several sizes: the one that is open, cut off or repeated. */
  #measure(): Promise<void> {
    const { curve } = this.#frame;
    const points: CurvePoint[] = [];
    return this.#during(this.#frame.measure, 'planning for other sizes', async (signal) => {
      hideFailure(this.#frame.failure);
      const { text, choice, columns } = this.#question();
      const [compiled, loom] = [await this.#compiled(text), await this.#app.loom()];
      const asked = { compiled, columns, loom, options: optionsOf(choice), signal };
      for (const size of sizesAround(columns[0]!.values.length)) {
        this.#phaseList.say(`Planning for ${format.plural(size, 'row')}…`);
        points.push(await this.#pointAt(size, asked));
        curve.replaceChildren(curvePicture(points));
      }
      this.#phaseList.say('Planned for each size; nothing was encrypted.');
    });
  }

  async #pointAt(
    rows: number,
    asked: {
      readonly compiled: Compiled;
      readonly columns: readonly NumericColumn[];
      readonly loom: Loom;
      readonly options: Plan['options'];
      readonly signal: AbortSignal;
    },
  ): Promise<CurvePoint> {
    const { compiled, columns, loom, options, signal } = asked;
    const repeated = columns.map(({ name, values }) => ({
      name,
      values: Float64Array.from({ length: rows }, (_, row) => values[row % values.length]!),
    }));
    try {
      const described = await this.#describe(compiled, csvOf(repeated, rows), signal);
      const { program } = await compilePlan(loom, described, options, signal);
      const { seconds, keyBytes, uploadBytes } = program.info.cost;
      program.dispose();
      return { rows, cost: { seconds, keyBytes, uploadBytes }, problem: undefined };
    } catch (error) {
      signal.throwIfAborted();
      return { rows, cost: undefined, problem: failureOf(error, 'planning').sentence };
    }
  }

  #stop(): void {
    this.#running?.abort(new DOMException('Stopped', 'AbortError'));
  }

  #enable(): void {
    const { run, stop, measure, gpu } = this.#frame;
    const running = this.#running !== undefined;
    const change = (): void => {
      run.disabled = measure.disabled = gpu.disabled = running;
      stop.disabled = !running;
    };
    keepFocus(change, stop, run);
  }

  // --------------------------------------------------------------------------------------------------- taking it

  async #copyLink(): Promise<void> {
    try {
      const hash = await hashOf({ text: this.#editor.text, choice: this.#choice });
      history.replaceState(null, '', hash);
      await this.#copy(this.#frame.copyLink, location.href);
    } catch (error) {
      this.#fail(error, 'making a link');
    }
  }

  async #copy(from: HTMLButtonElement, text: string): Promise<void> {
    const words = (from.dataset['words'] ??= from.textContent ?? '');
    try {
      await navigator.clipboard.writeText(text);
      from.textContent = 'Copied';
    } catch {
      // Over plain http there is no clipboard, and a person may refuse.
      from.textContent = from === this.#frame.copyLink ? 'It is in the address bar' : 'Not copied: save it';
    }
    from.addEventListener('blur', () => (from.textContent = words), { once: true });
  }

  #fail(error: unknown, during: string): void {
    const failure = failureOf(error, during);
    // What was not asked for moves nothing under whoever is writing.
    const moves = this.#running !== undefined || !this.#editor.hasFocus;
    if (error instanceof ProgramError) {
      const { code, line, message } = error;
      const place = line === undefined ? failure.place : `${failure.place}, line ${line}`;
      showFailure(this.#frame.failure, { ...failure, code, place }, () => undefined, moves);
      if (line !== undefined) {
        this.#problem = { line, word: undefined, message };
        this.#showWrong();
        if (moves) this.#editor.reveal(line);
      }
      return;
    }
    showFailure(this.#frame.failure, failure, () => this.#app.renew(), moves);
  }
}

/** The line of a letter, from 1. */
function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
