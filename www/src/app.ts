/** The page: from a file to results, one step after the other. */
import { load, type Loom } from 'cipherloom';
import { DataClient } from './data/data-client.js';
import type { DataTable, NumericColumn } from './data/messages.js';
import { SAMPLES } from './data/sample.js';
import { fileOf, TYPED_NAME, typedNumbers } from './data/typed-numbers.js';
import { failureOf, isCancellation } from './failure.js';
import * as format from './format.js';
import { Look } from './look/look.js';
import { computeSeconds } from './run/evaluation.js';
import { type GpuSetting, type GpuUse, gpuUseOf } from './run/gpu-choice.js';
import type { Inside } from './run/inside.js';
import { Phases } from './run/phases.js';
import { type Plan, Planner, Superseded } from './run/planner.js';
import { type Outcome, Runner } from './run/runner.js';
import { type Settings, withSetting } from './settings.js';
import type { Ran } from './timeline/operator-timeline.js';
import { costTable, type Measured, parameterList, publicNote } from './ui/cost-table.js';
import { showCrossings } from './ui/crossing.js';
import { button, byId, byTestId, h } from './ui/dom.js';
import { connectDrop } from './ui/drop-zone.js';
import { hideFailure, showFailure } from './ui/failure-box.js';
import { keepFocus } from './ui/keep-focus.js';
import { showMode, showModeFailure } from './ui/mode-panel.js';
import { PhaseList } from './ui/phase-list.js';
import { Pickers } from './ui/pickers.js';
import { markStale, showResults } from './ui/results-table.js';
import { saveFile } from './ui/save-file.js';

/** Waited for after a change of the choice, in milliseconds, before it is compiled. */
const SETTLE = 250;
/** Milliseconds after which it is said that a file is being read. */
const PATIENCE_MS = 200;
/** How often more is evaluated where a visitor asks for it. */
const REPEATS = 5;

/** The engine, and what belongs to it. */
interface Engine {
  readonly loom: Loom;
  readonly planner: Planner;
}

export class App {
  /** Reads files; the other tabs share it. */
  readonly data = new DataClient();
  readonly #runner = new Runner();
  readonly #pickers = new Pickers(() => this.#selectionChanged());
  readonly #failure = byId('failure');
  readonly #phaseList = new PhaseList({
    list: byId('phases'),
    bar: byId('progress'),
    status: byId('run-status'),
    crossing: byTestId('crossing'),
    prefix: '',
  });
  readonly #look = new Look();
  #settings: Settings;
  #engine: Promise<Engine> | undefined;
  #table: DataTable | undefined;
  /** Whether it is of numbers that were typed. */
  #isTyped = false;
  /** Of the choice as it is now. */
  #plan: Plan | undefined;
  /** The last that there was: the one on display. */
  #shown: Plan | undefined;
  #running: AbortController | undefined;
  /** A table is being read, to take the place of the one that is shown. */
  #isReading = false;
  /** What the results are of. */
  #ran: { readonly plan: Plan; readonly columns: readonly NumericColumn[]; readonly gpu: GpuUse } | undefined;
  /** Reads the table on display anew, as one says that its first row is. */
  #again: ((header: boolean) => void) | undefined;
  #settling = 0;
  /** Of the table that was asked for last: what another one gives comes too late. */
  #opening = 0;
  /** There before the first plan is shown, unless it could not be loaded. */
  #inside: Inside | undefined;
  #loadingInside: Promise<void> | undefined;
  /** What is said to have failed is a plan. */
  #planFails = false;
  /** What the timeline shows. */
  #timed: Ran | undefined;
  readonly #replaced: (() => void)[] = [];
  readonly #gpuChanged: (() => void)[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#connectFiles();
    byId('run').addEventListener('click', () => void this.#run());
    byId('cancel').addEventListener('click', () => {
      this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
    });
    const code = button('Save the code of this run', () => void this.#saveCode(), {
      class: 'small',
      title: 'One file for Node, with the chosen columns in the clear: it gives the same results',
      'data-testid': 'save-code',
    });
    byId('results').append(h('div', { class: 'row' }, code));
    void this.#start();
  }

  /** Draws canvases anew, in other colors. */
  repaint(): void {
    this.#inside?.repaint();
  }

  /** Takes another number of threads, and new workers with it. */
  changeThreads(threads: string): void {
    this.#keepInAddress('threads', threads);
    const load = { ...this.#settings.load, threads: threads === '' ? undefined : Number(threads) };
    this.#settings = { ...this.#settings, load };
    this.renew();
  }

  /** Whether runs of programs, in whichever tab, go to a GPU. */
  get gpu(): GpuUse {
    return this.#settings.gpu;
  }

  /** Has the runs that follow computed elsewhere; what was computed stays what it is. */
  changeGpu(setting: GpuSetting): void {
    this.#keepInAddress('gpu', setting);
    this.#settings = { ...this.#settings, gpu: gpuUseOf(setting) };
    for (const listener of this.#gpuChanged) listener();
  }

  /** Has it called whenever another choice is made. */
  onGpuChanged(listener: () => void): void {
    this.#gpuChanged.push(listener);
  }

  #keepInAddress(name: string, value: string): void {
    const query = withSetting(location.search, name, value);
    history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  }

  // ---------------------------------------------------------------------------------------------- engine

  /** The loom that runs now; the other tabs share it. */
  async loom(): Promise<Loom> {
    return (await this.#engine!).loom;
  }

  /** Has it called whenever another loom takes the place of the one before, with which all that it made ends. */
  onReplaced(listener: () => void): void {
    this.#replaced.push(listener);
  }

  /** Whether a run would be lost with its workers. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Takes new workers. */
  renew(): void {
    this.#runner.forget();
    void this.#start();
    this.#selectionChanged();
    for (const listener of this.#replaced) listener();
  }

  /** Starts an engine in the place of the one before, which ends first. */
  async #start(): Promise<void> {
    showMode(undefined);
    const engine = this.#load(this.#engine);
    this.#engine = engine;
    try {
      const { loom } = await engine;
      if (engine === this.#engine) showMode(loom);
    } catch (error) {
      if (engine !== this.#engine) return;
      showModeFailure();
      this.#fail(error, 'starting the workers');
    }
  }

  async #load(before: Promise<Engine> | undefined): Promise<Engine> {
    (await before?.catch(() => undefined))?.loom.dispose();
    const loom = await load(this.#settings.load);
    return { loom, planner: new Planner(loom, this.#settings.compile) };
  }

  async #restart(): Promise<void> {
    hideFailure(this.#failure);
    try {
      this.#runner.forget();
      this.#timed = undefined; // there is nothing to evaluate again
      await (await this.#engine)?.loom.restart();
      this.#selectionChanged();
    } catch (error) {
      this.#fail(error, 'restarting the workers');
    }
  }

  // ------------------------------------------------------------------------------------------------ data

  #connectFiles(): void {
    const input = byId<HTMLInputElement>('file');
    for (const { id, name, fetch, columns } of SAMPLES) {
      byId(id).addEventListener('click', () => void this.#open(name, fetch, columns));
    }
    byId('typed').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#takeTyped();
    });
    byId('header').addEventListener('change', ({ target }) => {
      this.#again?.((target as HTMLInputElement).checked);
    });
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (file !== undefined) void this.#open(file.name, () => file.arrayBuffer(), []);
      input.value = ''; // so that the same file can be chosen again
    });
    connectDrop(byId('drop'), (name, bytes) => void this.#open(name, bytes, []));
  }

  /** Numbers that were typed are taken and computed with at once. */
  async #takeTyped(): Promise<void> {
    const field = byId<HTMLInputElement>('numbers');
    const typed = typedNumbers(field.value);
    const isWrong = 'wrong' in typed;
    field.setAttribute('aria-invalid', String(isWrong));
    byId('numbers-wrong').textContent = isWrong ? typed.why : '';
    if (isWrong) {
      field.focus();
      if (this.#isTyped) this.#markStale();
    } else if (
      await this.#open('Your numbers', () => Promise.resolve(fileOf(typed.numbers)), [TYPED_NAME], true)
    )
      await this.#run();
  }

  /** Whether it could be read. */
  async #open(
    file: string,
    bytes: () => Promise<ArrayBuffer>,
    chosen: readonly string[],
    header?: boolean,
  ): Promise<boolean> {
    if (this.#running !== undefined) return false;
    const name = format.foreign(file);
    hideFailure(this.#failure);
    const turn = ++this.#opening;
    // Nothing is run meanwhile: it would be of the table before, beside the name of this one.
    this.#isReading = true;
    this.#enable();
    const said = byId('table-read');
    const slow = setTimeout(() => (said.textContent = `Reading ${name}…`), PATIENCE_MS);
    try {
      const table = await this.data.read(await bytes(), header === undefined ? {} : { header });
      if (turn !== this.#opening) return false; // another one was taken meanwhile
      this.#table = table;
      byId('table-name').textContent =
        `${name}: ${format.plural(table.rows, 'row')}, ${format.plural(table.numeric.length, 'numeric column')}`;
      clearTimeout(slow);
      said.textContent = readAs(table);
      this.#isTyped = header === true && chosen[0] === TYPED_NAME;
      byId('table-how').hidden = this.#isTyped;
      byId<HTMLInputElement>('header').checked = table.header;
      this.#again = (first) => void this.#open(name, bytes, chosen, first);
      this.#pickers.show(table, chosen);
      return true;
    } catch (error) {
      if (turn !== this.#opening) return false;
      clearTimeout(slow);
      said.textContent = readAs(this.#table);
      byId<HTMLInputElement>('header').checked = this.#table?.header ?? true;
      this.#fail(error, `reading ${name}`);
      return false;
    } finally {
      clearTimeout(slow);
      if (turn === this.#opening) {
        this.#isReading = false;
        this.#enable();
      }
    }
  }

  #markStale(): void {
    markStale();
    this.#look.markStale();
  }

  // ------------------------------------------------------------------------------------------------ plan

  #selectionChanged(): void {
    clearTimeout(this.#settling);
    this.#plan = undefined;
    this.#enable();
    this.#markStale();
    if (this.#running === undefined) {
      // What the last run did says nothing of this choice.
      this.#phaseList.show(new Phases(() => {}));
      this.#phaseList.say('');
    }
    if (this.#pickers.selection === undefined) {
      byId('plan-status').textContent =
        this.#table === undefined
          ? 'The price is known before anything is encrypted.'
          : 'Choose at least one column and one statistic.';
      return;
    }
    byId('plan-status').textContent = 'Planning…';
    this.#settling = setTimeout(() => void this.#compile(), SETTLE);
  }

  async #compile(): Promise<void> {
    const selection = this.#pickers.selection;
    if (selection === undefined) return;
    const engine = this.#engine!;
    const inside = this.#loadInside();
    let during = 'starting the workers';
    try {
      const { planner } = await engine;
      during = 'planning';
      const [plan] = await Promise.all([planner.plan(selection), inside]);
      if (engine !== this.#engine) return;
      // A file that could not be read is none the better for it.
      if (this.#planFails) hideFailure(this.#failure);
      this.#planFails = false;
      this.#showPlan(plan);
    } catch (error) {
      // Another choice, or another engine, is being planned for.
      if (error instanceof Superseded || engine !== this.#engine) return;
      byId('plan-status').textContent = 'There is no plan for this choice.';
      this.#fail(error, during);
      this.#planFails = true;
    }
  }

  /** Shows a plan, unless another choice was made meanwhile. */
  #showPlan(plan: Plan): void {
    if (JSON.stringify(plan.selection) !== JSON.stringify(this.#pickers.selection)) return;
    if (this.#plan === plan) return;
    if (this.#shown !== plan) this.#replaceShown(plan);
    this.#plan = plan;
    this.#enable();
    const { info } = plan.program;
    byId('plan-status').textContent =
      `Planned in ${format.seconds(plan.seconds)}. ${publicNote(plan.selection)}`;
    byId('cost').replaceChildren(costTable(info, plan.stats, undefined), parameterList(info, plan.stats));
    const { keyBytes: keys, uploadBytes: upload, downloadBytes: download } = info.cost;
    showCrossings({ program: plan.program.toBytes().length, keys, upload, download }, true);
  }

  /** Loads what shows the inside of programs; what keeps it from that is said, and keeps nothing else from being done. */
  #loadInside(): Promise<void> {
    return (this.#loadingInside ??= this.#makeInside());
  }

  async #makeInside(): Promise<void> {
    try {
      const { Inside } = await import('./run/inside.js');
      this.#inside = new Inside({
        program: async () => ({ loom: await this.loom(), program: this.#shown!.program }),
        repeat: () => void this.#repeat(),
      });
    } catch (error) {
      this.#loadingInside = undefined; // the next plan tries anew
      this.#fail(error, 'loading the view of the program');
    }
  }

  /** What belonged to the plan before ends with it. */
  #replaceShown(plan: Plan): void {
    this.#runner.forget(plan);
    this.#timed = undefined;
    this.#inside?.show(plan);
    this.#shown?.program.dispose();
    this.#shown = plan;
  }

  // ------------------------------------------------------------------------------------------------- run

  async #run(): Promise<void> {
    const selection = this.#pickers.selection;
    if (selection === undefined || this.#running !== undefined || this.#isReading) return;
    clearTimeout(this.#settling);
    hideFailure(this.#failure);
    const controller = new AbortController();
    const { signal } = controller;
    this.#running = controller;
    this.#enable();
    const phases = new Phases((all) => this.#phaseList.show(all));
    const planned = this.#plan !== undefined;
    const inside = this.#loadInside();
    const plan = this.#engine!.then(async ({ planner }) => {
      const [made] = await Promise.all([planner.plan(selection), inside]);
      return made;
    });
    try {
      const columns = this.#pickers.columns;
      const { gpu } = this;
      const outcome = await this.#runner.run({ plan, planned, columns, gpu, phases, signal });
      this.#ran = { plan: outcome.plan, columns, gpu };
      this.#showPlan(outcome.plan);
      this.#showOutcome(outcome, columns);
    } catch (error) {
      const during = phases.all.find(({ state }) => state === 'stopped')?.name ?? 'compile';
      if (isCancellation(error, signal)) this.#phaseList.say(`Cancelled during ${during}.`);
      else {
        this.#phaseList.say('The run failed.');
        this.#fail(error, `in phase ${during}`);
      }
      void plan.then((made) => this.#showPlan(made)).catch(() => undefined);
    } finally {
      this.#running = undefined;
      this.#enable();
    }
  }

  /** Evaluates what the last run did a few more times, for its times. */
  async #repeat(): Promise<void> {
    const [plan, ran] = [this.#plan, this.#timed];
    if (this.#running !== undefined) return;
    if (plan === undefined || ran === undefined) return this.#phaseList.say('Run it first.');
    hideFailure(this.#failure);
    const controller = new AbortController();
    this.#running = controller;
    this.#enable();
    let different = 0;
    try {
      for (let time = 1; time <= REPEATS; time++) {
        this.#phaseList.say(`Evaluating again, ${time} of ${REPEATS}…`);
        const again = await this.#runner.again(plan, controller.signal);
        if (again === undefined) return this.#phaseList.say('Run it first.');
        if (!again.same) different++;
        this.#inside?.showTimes({ ...ran, evaluations: again.evaluations });
      }
      const compared = different === 0 ? 'the same each time' : `others ${different} of ${REPEATS} times`;
      this.#phaseList.say(`Evaluated ${REPEATS} more times; the bytes of the results are ${compared}.`);
    } catch (error) {
      if (isCancellation(error, controller.signal)) this.#phaseList.say('Cancelled while evaluating again.');
      else this.#fail(error, 'evaluating again');
    } finally {
      this.#running = undefined;
      this.#enable();
    }
  }

  #showOutcome(outcome: Outcome, columns: readonly NumericColumn[]): void {
    const { plan, lines, crossings, phases, traces, evaluations, gpu } = outcome;
    const budgets = lines.map(({ budgetBits }) => budgetBits).filter(Number.isFinite);
    const measured: Measured = {
      computeSeconds: computeSeconds(traces),
      keyBytes: crossings.keys,
      uploadBytes: crossings.upload,
      downloadBytes: crossings.download,
      budgetBits: budgets.length === 0 ? undefined : Math.min(...budgets),
    };
    const { info } = plan.program;
    byId('cost').replaceChildren(costTable(info, plan.stats, measured), parameterList(info, plan.stats));
    showCrossings(crossings, false);
    const equal = lines.filter((line) => line.equal).length;
    const verdict =
      equal === lines.length
        ? 'Every result equals that of the plain table, to the last bit.'
        : `${lines.length - equal} of ${lines.length} results differ from those of the plain table.`;
    showResults(lines, verdict);
    this.#look.show(outcome, columns);
    // Unless somebody has gone elsewhere meanwhile.
    const at = document.activeElement;
    if (at === null || at === document.body || at.closest('.run-row, #typed') !== null) this.#look.reveal();
    this.#phaseList.say(`Done. ${verdict}`);
    this.#phaseList.sayWhere(gpu, this.loom());
    this.#timed = { phases, traces, planned: info.cost.seconds, evaluations };
    this.#inside?.ran(this.#timed);
  }

  /** The results' run as a file for Node. */
  async #saveCode(): Promise<void> {
    if (this.#ran === undefined) return;
    const { plan, columns, gpu } = this.#ran;
    const file = 'cipherloom-statistics.mjs';
    try {
      const { codeOfStatistics } = await import('./playground/statistics-code.js');
      const code = codeOfStatistics(plan.selection, columns, { compile: this.#settings.compile, gpu }, file);
      saveFile(file, code, 'text/javascript');
    } catch (error) {
      this.#fail(error, 'writing the code of this run');
    }
  }

  // ---------------------------------------------------------------------------------------------- common

  #enable(): void {
    const running = this.#running !== undefined;
    const [run, cancel] = [byId<HTMLButtonElement>('run'), byId<HTMLButtonElement>('cancel')];
    const change = (): void => {
      this.#pickers.disabled = running;
      run.disabled = running || this.#isReading || this.#pickers.selection === undefined;
      cancel.disabled = !running;
      if (this.#inside !== undefined)
        this.#inside.canRepeat = !running && this.#plan !== undefined && this.#timed !== undefined;
      const others = ['typed-run', 'header', 'file', 'threads', 'gpu'];
      for (const id of [...SAMPLES.map((sample) => sample.id), ...others])
        byId<HTMLButtonElement | HTMLInputElement | HTMLSelectElement>(id).disabled = running;
    };
    keepFocus(change, cancel, run);
  }

  #fail(error: unknown, during: string): void {
    this.#planFails = false;
    const failure = failureOf(error, during);
    // What a visitor can do about it, who has no say in ranges.
    const hint =
      failure.code === 'range.overflow'
        ? ' Leave out correlation, covariance or variance of these columns: sums and means need fewer.'
        : '';
    const sentence = `${failure.sentence}${hint}`;
    showFailure(this.#failure, { ...failure, sentence }, () => void this.#restart());
  }
}

function readAs(table: DataTable | undefined): string {
  return table === undefined ? '' : `Read as ${table.read}.`;
}
