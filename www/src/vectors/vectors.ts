/** The vectors tab: files, a job over them, who does which part of it, and what comes of it. */
import { type Crew, type Job, type JobStatistics, loadJob, type Row, threads } from 'cipherloom/job';
import type { App } from '../app.js';
import { isCancellation } from '../failure.js';
import * as format from '../format.js';
import { lanesOf } from '../timeline/spans.js';
import { Timeline } from '../timeline/timeline.js';
import { button, h } from '../ui/dom.js';
import { hideFailure, showFailure } from '../ui/failure-box.js';
import { keepFocus } from '../ui/keep-focus.js';
import { Board, laneColor } from './board.js';
import { type Choice, elsewhere, filesFor, mapProblem, type Preset, problemOf, withMap } from './choice.js';
import { exampleFiles } from './examples.js';
import { jobFailure } from './failure-words.js';
import { droppedFiles, mergeFiles, pathOf } from './files.js';
import { type Frame, makeFrame, PREFIX } from './frame.js';
import { Journal, laneName, lanesOfCrew } from './journal.js';
import { LogView } from './log-view.js';
import { presetsOf } from './presets.js';
import { showResults } from './results.js';
import { EncryptedStatistics, GroupMeans } from './works-tables.js';
import { Bootstrap, ColumnStatistics, FarCells, RowDistances } from './works-numbers.js';
import { OwnFunction } from './works-own.js';
import { Mandelbrot } from './works-picture.js';
import { TEXT_WORKS } from './works-texts.js';
import type { Prepared, Way, Work } from './work.js';
import './vectors.css';

/** Files that are listed; there may be thousands. */
const LISTED = 200;
/** Milliseconds between two looks at what is too much for every frame. */
const SLOW = 200;

export class Vectors {
  readonly #works: readonly Work[];
  readonly #presets: readonly Preset[];
  readonly #frame: Frame;
  readonly #board = new Board();
  readonly #log = new LogView();
  readonly #timeline: Timeline;
  #files: readonly File[] = [];
  #choice: Choice;
  #running: AbortController | undefined;
  #crew: { readonly key: string; readonly crew: Crew } | undefined;
  /** Of the last run: its rows are still to be read. */
  #last: { readonly job: Job; readonly prepared: Prepared } | undefined;
  #journal: Journal | undefined;
  /** Fields of what is chosen are there: a job waits for them. */
  #fields: Promise<void> = Promise.resolve();

  constructor(host: HTMLElement, app: App) {
    const around = { data: app.data, loom: () => app.loom() };
    this.#works = [
      ...TEXT_WORKS,
      ...[GroupMeans, ColumnStatistics, FarCells, RowDistances, Bootstrap].map((Made) => new Made(around)),
      ...[new EncryptedStatistics(around), new Mandelbrot(), new OwnFunction(around)],
    ];
    this.#presets = presetsOf(this.#works);
    this.#choice = this.#presets[0]!;
    this.#frame = makeFrame(host, this.#works, this.#presets);
    const { board, log, timeline, presets, maps, works, run, cancel, toResults, results } = this.#frame;
    board.append(this.#board.canvas);
    log.append(this.#log.element);
    const turnOf = (index: number) => this.#journal!.turns[index]!;
    const laneOf = (index: number) => this.#journal!.lanes[index]!;
    this.#timeline = new Timeline(timeline, {
      label: 'Tasks by worker and time.',
      testId: `${PREFIX}timeline-canvas`,
      hint: 'Point at a bar to see its task.',
      lane: ({ thread }) => laneName(laneOf(thread)),
      name: (op) => {
        const { gathers, part, said } = turnOf(op);
        if (gathers) return 'together';
        return said === '' ? `part ${part}` : said;
      },
      color: (op) => (turnOf(op).state === 'lost' ? '--bad' : laneColor(laneOf(turnOf(op).lane))),
      told: (op, { thread }) => {
        const { task, round, part, gathers, calls, state, said } = turnOf(op);
        const did = {
          working: 'at work',
          lost: 'not finished',
          done: gathers ? 'put results together' : format.plural(calls, 'call'),
        }[state];
        const more = said === '' ? '' : ` (${said})`;
        return `task ${task}, round ${round}, part ${part}, on ${laneName(laneOf(thread))}, ${did}${more}`;
      },
    });
    for (const [index, { input }] of presets.entries())
      input.addEventListener('change', () => this.#choose(this.#presets[index]!));
    for (const [map, { input }] of maps)
      input.addEventListener('change', () =>
        this.#choose(withMap(this.#choice, map, this.#works, this.#files)),
      );
    for (const [index, { input }] of works.entries())
      input.addEventListener('change', () => {
        const [work, { map }] = [this.#works[index]!, this.#choice];
        this.#choose({ work, map });
      });
    run.addEventListener('click', () => void this.#run());
    cancel.addEventListener('click', () => this.#cancel());
    toResults.addEventListener('click', () => {
      const title = results.querySelector<HTMLElement>('h2')!;
      title.scrollIntoView();
      title.focus({ preventScroll: true });
    });
    app.onReplaced(() => this.#cancel());
    this.#connectFiles(host);
    this.#connectWorkers();
    this.#filesChanged();
  }

  /** Draws canvases anew, in other colors. */
  repaint(): void {
    this.#board.repaint();
    this.#timeline.repaint();
  }

  // --------------------------------------------------------------------------------------------------- files

  #connectFiles(host: HTMLElement): void {
    const { drop, files, folder, examples, clear } = this.#frame;
    for (const input of [files, folder]) {
      input.addEventListener('change', () => {
        this.#take([...(input.files ?? [])]);
        input.value = ''; // the same files can be chosen again
      });
    }
    examples.addEventListener('click', () => this.#take(exampleFiles()));
    clear.addEventListener('click', () => {
      this.#files = [];
      this.#filesChanged();
      examples.focus();
    });
    // Anywhere on the tab.
    for (const type of ['dragenter', 'dragover'])
      host.addEventListener(type, () => drop.classList.add('over'));
    host.addEventListener('dragleave', () => drop.classList.remove('over'));
    host.addEventListener('drop', ({ dataTransfer }) => {
      drop.classList.remove('over');
      if (dataTransfer === null || this.#running !== undefined) return;
      droppedFiles(dataTransfer).then(
        (dropped) => this.#take(dropped),
        (error: unknown) => this.#fail(error, 'taking what was dropped'),
      );
    });
  }

  #take(added: readonly File[]): void {
    if (added.length === 0 || this.#running !== undefined) return;
    hideFailure(this.#frame.failure);
    this.#files = mergeFiles(this.#files, added);
    this.#filesChanged();
  }

  #filesChanged(): void {
    const { summary, list, clear, presets } = this.#frame;
    const bytes = this.#files.reduce((sum, { size }) => sum + size, 0);
    summary.textContent =
      this.#files.length === 0 ? '' : `${format.plural(this.#files.length, 'file')}, ${format.bytes(bytes)}`;
    clear.hidden = list.hidden = this.#files.length === 0;
    const rest = this.#files.length - LISTED;
    list.replaceChildren(
      ...this.#files.slice(0, LISTED).map((file) => this.#listed(file)),
      ...(rest > 0 ? [h('li', { class: 'note' }, `and ${format.plural(rest, 'file')} more`)] : []),
    );
    for (const [index, preset] of this.#presets.entries()) {
      const fits = filesFor(preset, this.#files);
      const problem = problemOf(preset, this.#files);
      const { note, input } = presets[index]!;
      note.textContent = problem ?? (fits.length > 0 ? format.plural(fits.length, 'file') : 'Needs no files');
      input.dataset['fits'] = String(problem === undefined);
    }
    // What cannot be done with these files is not what somebody wants who gave them.
    const another = this.#presets.find((preset) => problemOf(preset, this.#files) === undefined);
    if (this.#problem() !== undefined && this.#files.length > 0 && another !== undefined)
      this.#choice = another;
    this.#choose(this.#choice);
    this.#say(this.#problem() === undefined ? '' : 'Take some files first. The Mandelbrot set needs none.');
  }

  #listed(file: File): HTMLElement {
    const path = pathOf(file);
    const out = button(
      '×',
      () => {
        const { list, examples } = this.#frame;
        const at = [...list.children].indexOf(item);
        this.#files = this.#files.filter((other) => other !== file);
        this.#filesChanged();
        // The focus goes to the next one.
        (list.children[at]?.querySelector('button') ?? list.querySelector('button') ?? examples).focus();
      },
      { class: 'quiet small', 'aria-label': `Take ${path} out` },
    );
    const item = h(
      'li',
      { 'data-testid': 'vectors-file', 'data-path': path },
      h('span', { class: 'path' }, path),
      h('span', { class: 'size' }, format.bytes(file.size)),
      out,
    );
    return item;
  }

  #fitting(): File[] {
    return filesFor(this.#choice, this.#files);
  }

  #problem(): string | undefined {
    return problemOf(this.#choice, this.#files);
  }

  #choose({ work, map }: Choice): void {
    this.#choice = { work, map };
    const { fields, note, threadsField } = this.#frame;
    note.textContent = '';
    fields.replaceChildren();
    threadsField.hidden = map !== 'TaskMap';
    this.#showChoice();
    this.#enable();
    if (this.#problem() !== undefined || work.fields === undefined) {
      this.#fields = Promise.resolve();
      return;
    }
    const made = work.fields(this.#fitting(), map).then(
      (elements) => {
        // Others may have been asked for since.
        if (made === this.#fields) fields.replaceChildren(...elements);
      },
      (error: unknown) => {
        if (made === this.#fields) this.#fail(error, 'reading it');
      },
    );
    this.#fields = made;
  }

  /** Marks what is chosen, whoever chose it, and says what goes with it. */
  #showChoice(): void {
    const { presets, maps, works, elsewhere: others } = this.#frame;
    const { work, map } = this.#choice;
    // Before there are any files all would say so.
    const told = (problem: string | undefined): string => (this.#files.length === 0 ? '' : (problem ?? ''));
    for (const [index, preset] of this.#presets.entries())
      presets[index]!.input.checked = preset.work === work && preset.map === map;
    for (const [name, { input, note }] of maps) {
      const problem = mapProblem(name, this.#works, this.#files);
      input.checked = name === map;
      input.dataset['fits'] = String(problem === undefined);
      note.textContent = told(problem);
    }
    for (const [index, one] of this.#works.entries()) {
      const { input, note, option, way } = works[index]!;
      const how = one.ways[map];
      option.hidden = how === undefined;
      const problem = how === undefined ? undefined : problemOf({ work: one, map }, this.#files);
      input.checked = one === work;
      input.dataset['fits'] = String(how !== undefined && problem === undefined);
      way.textContent = how ?? '';
      note.textContent = told(problem);
    }
    const rest = elsewhere(map, this.#works);
    others.hidden = rest.length === 0;
    others.querySelector('summary')!.textContent = `${format.plural(rest.length, 'operator')} by other maps`;
    others
      .querySelector('ul')!
      .replaceChildren(
        ...rest.map(({ title, maps }) => h('li', {}, `${title}: `, h('code', {}, maps.join(', ')))),
      );
  }

  #connectWorkers(): void {
    const { workers } = this.#frame;
    const processors = navigator.hardwareConcurrency || 2;
    const counts = [1, 2, 4, 8, 16].filter((count) => count <= Math.max(processors, 2));
    workers.append(...counts.map((count) => h('option', { value: count }, String(count))));
    workers.value = String(counts.filter((count) => count <= 8).at(-1));
  }

  // ----------------------------------------------------------------------------------------------------- run

  async #run(): Promise<void> {
    const { failure, status, note, results, toResults } = this.#frame;
    const problem = this.#problem();
    if (this.#running !== undefined) return;
    if (problem !== undefined) return this.#say(`${problem}.`);
    hideFailure(failure);
    const controller = new AbortController();
    const { signal } = controller;
    this.#running = controller;
    const { work, map } = this.#choice;
    const [workers, threads] = [this.#frame.workers, this.#frame.threads].map(({ value }) => Number(value));
    const way: Way = { map, workers: workers!, threads: map === 'TaskMap' ? threads! : 1 };
    work.blame?.(undefined);
    this.#forget();
    results.hidden = toResults.hidden = true;
    note.textContent = '';
    this.#enable();
    const hearing = { signal, say: (text: string) => this.#say(text) };
    let prepared: Prepared | undefined;
    let job: Job | undefined;
    let during = 'getting ready';
    try {
      this.#say('Getting ready…');
      await this.#fields;
      prepared = await work.prepare(this.#fitting(), hearing, way);
      note.textContent = prepared.note ?? '';
      signal.throwIfAborted();
      const crew = await this.#crewFor(prepared.gpu ?? 0);
      job = await loadJob(prepared.definition, { crew });
      this.#last = { job, prepared };
      await prepared.feed?.(job, hearing);
      signal.throwIfAborted();
      during = 'the job ran';
      this.#say('Running…');
      const { rows, said } = await this.#watched(job, crew, { prepared, way, signal });
      const finished = await prepared.finish?.(rows(), hearing);
      const all =
        finished === undefined
          ? rows
          : async function* () {
              yield* finished;
            };
      await showResults(this.#frame, work.id, prepared, all, (error) => void this.#fail(error));
      toResults.hidden = false;
      this.#say(said);
    } catch (error) {
      // What is being fed in may not know of the signal.
      if (isCancellation(error, signal) || signal.aborted)
        this.#say('Cancelled. The files are as they were.');
      else {
        this.#say('The job failed.');
        const sentence = this.#fail(error, during);
        work.blame?.(sentence);
      }
      this.#forget();
      if (job === undefined) prepared?.close?.();
    } finally {
      this.#running = undefined;
      status.dataset['state'] = signal.aborted ? 'cancelled' : 'ended';
      this.#enable();
    }
  }

  /** Runs a job, and shows its log as it comes. */
  async #watched(
    job: Job,
    crew: Crew,
    {
      prepared,
      way,
      signal,
    }: { readonly prepared: Prepared; readonly way: Way; readonly signal: AbortSignal },
  ): Promise<{ rows: () => AsyncIterable<Row>; said: string }> {
    const { watch, board, bar } = this.#frame;
    const began = Date.now();
    const journal = new Journal(lanesOfCrew(crew, way.threads), began, prepared.expected ?? 0);
    this.#journal = journal;
    watch.hidden = board.hidden = false;
    watch.dataset['state'] = 'running';
    this.#board.begin(journal);
    let next = 0;
    let known = 0;
    const show = (all: boolean): void => {
      // What the whole log comes to is not asked for each frame.
      const now = performance.now();
      const isSlow = all || now >= next;
      const statistics = isSlow ? job.statistics() : undefined;
      if (statistics !== undefined) known = statistics.tasks;
      const tasks = journal.tasks({ tasks: known });
      this.#board.show(tasks);
      const percent = tasks === 0 ? 0 : Math.round((100 * this.#board.counts().done) / tasks);
      bar.setAttribute('aria-valuenow', String(percent));
      if (statistics === undefined) return;
      this.#log.show(journal, began);
      this.#showTimeline(journal, all ? journal.length : Date.now() - began);
      this.#showProcessors(statistics, journal);
      next = now + Math.max(SLOW, 10 * (performance.now() - now));
    };
    let frame = 0;
    const follow = (): void => {
      show(false);
      frame = requestAnimationFrame(follow);
    };
    const read = (async () => {
      for await (const line of job.log.getItr()) journal.take(line);
    })();
    show(true);
    follow();
    try {
      const result = await job.run({ signal });
      await read;
      const { done, calls } = job.statistics();
      const seconds = format.seconds((Date.now() - began) / 1000);
      const workers = format.plural(journal.workers.length, 'worker');
      const said = `Done: ${format.plural(done, 'task')} with ${format.plural(calls, 'call')} on ${workers} in ${seconds}.`;
      return { rows: () => result.getItr(), said };
    } finally {
      cancelAnimationFrame(frame);
      journal.close(Date.now());
      watch.dataset['state'] = 'over';
      show(true);
    }
  }

  #showTimeline(journal: Journal, length: number): void {
    const { turns, lanes } = journal;
    const lanesShown = lanesOf(
      {
        op: Uint32Array.from(turns.keys()),
        thread: Uint32Array.from(turns, ({ lane }) => lane),
        start: Float64Array.from(turns, ({ start }) => start),
        end: Float64Array.from(turns, ({ end }) => end ?? length),
      },
      lanes.length,
    );
    this.#timeline.show(lanesShown, length);
    const busy = lanesShown.reduce((sum, lane) => sum + lane.busy, 0);
    const share = Math.min(Math.round((busy / Math.max(length * lanes.length, 1)) * 100), 100);
    this.#timeline.say(
      `${format.plural(turns.length, 'task')} on ${format.plural(journal.workers.length, 'worker')} in ${format.seconds(length / 1000)}; ` +
        `the ${lanes.length > journal.workers.length ? 'threads' : 'workers'} had a task ${share} % of that time.`,
    );
  }

  #showProcessors({ workers }: JobStatistics, { workers: lanes }: Journal): void {
    const known = new Map(workers.map((one) => [laneName(one), one] as const));
    const rows = lanes.map((lane) => {
      const name = laneName(lane);
      return { name, lane, ...(known.get(name) ?? { tasks: 0, calls: 0, milliseconds: 0 }) };
    });
    const total = (of: 'tasks' | 'calls' | 'milliseconds'): number =>
      rows.reduce((sum, row) => sum + row[of], 0);
    const all = total('milliseconds');
    const numbers = ({ tasks, calls, milliseconds }: Record<'tasks' | 'calls' | 'milliseconds', number>) =>
      [
        format.count(tasks),
        format.count(calls),
        format.seconds(milliseconds / 1000),
        all === 0 ? '–' : `${Math.round((milliseconds / all) * 100)} %`,
      ].map((text) => h('td', {}, text));
    const head = ['Processor', 'Tasks', 'Calls', 'At work', 'Share'].map((text) =>
      h('th', { scope: 'col' }, text),
    );
    this.#frame.processors.replaceChildren(
      h(
        'table',
        { class: 'vectors-processors' },
        h('thead', {}, h('tr', {}, ...head)),
        h(
          'tbody',
          {},
          ...rows.map((row) => {
            const [kind] = [laneColor(row.lane).replace(/^--(kind-)?/, '')];
            return h(
              'tr',
              { 'data-testid': 'vectors-processor', 'data-processor': row.name },
              h(
                'th',
                { scope: 'row', class: `swatch ${kind === 'evaluator' ? 'place-gpu' : `kind-${kind}`}` },
                row.name,
              ),
              ...numbers(row),
            );
          }),
          h(
            'tr',
            { 'data-testid': 'vectors-total' },
            h('th', { scope: 'row' }, 'All'),
            ...numbers({ tasks: total('tasks'), calls: total('calls'), milliseconds: all }),
          ),
        ),
      ),
    );
  }

  /** The crew of the run before, if it is the same: its workers are there. */
  async #crewFor(gpu: number): Promise<Crew> {
    const cpu = Number(this.#frame.workers.value);
    const key = `${cpu} ${gpu}`;
    if (this.#crew?.key === key) return this.#crew.crew;
    await this.#crew?.crew.close();
    this.#crew = { key, crew: threads({ cpu, gpu }) };
    return this.#crew.crew;
  }

  /** Rows, and what they belong to, of the run before. */
  #forget(): void {
    this.#last?.job.dispose();
    this.#last?.prepared.close?.();
    this.#last = undefined;
  }

  #cancel(): void {
    this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
  }

  // -------------------------------------------------------------------------------------------------- common

  #enable(): void {
    const { run, cancel, examples, files, folder, clear, workers, threads, list, fields } = this.#frame;
    const { presets, maps, works } = this.#frame;
    const choices = [...presets, ...maps.values(), ...works];
    const running = this.#running !== undefined;
    const fields_ = [...list.querySelectorAll('button'), ...fields.querySelectorAll('select')];
    const change = (): void => {
      for (const one of [...fields_, examples, files, folder, clear, workers, threads])
        one.disabled = running;
      for (const { input } of choices) input.disabled = running || input.dataset['fits'] === 'false';
      run.disabled = running || this.#problem() !== undefined;
      cancel.disabled = !running;
    };
    keepFocus(change, cancel, run);
  }

  #say(text: string): void {
    const { status } = this.#frame;
    if (status.textContent !== text) status.textContent = text;
  }

  /** Gives the sentence that says what. */
  #fail(error: unknown, during?: string): string {
    const failure = jobFailure(error, during);
    showFailure(this.#frame.failure, failure, () => {});
    for (const item of this.#frame.list.children)
      item.classList.toggle(
        'wrong',
        failure.key !== undefined && (item as HTMLElement).dataset['path'] === failure.key,
      );
    return failure.sentence;
  }
}
