/** The applications tab: one question, asked in encrypted form, answered, and explained. */
import { DisposedError } from 'cipherloom';
import type { App } from '../app.js';
import { failureOf, isCancellation } from '../failure.js';
import { Phases } from '../run/phases.js';
import type { Settings } from '../settings.js';
import { showCrossings } from '../ui/crossing.js';
import { byTestId } from '../ui/dom.js';
import { hideFailure, showFailure } from '../ui/failure-box.js';
import { keepFocus } from '../ui/keep-focus.js';
import { PhaseList } from '../ui/phase-list.js';
import type { Answer, Application } from './application.js';
import { DigitsView } from './digits/digits-view.js';
import { EdgesView } from './edges/edges-view.js';
import { ExplanationView } from './explain/explanation-view.js';
import { type Frame, makeFrame, PREFIX } from './frame.js';
import { RecordsView } from './records/records-view.js';
import { Session, type SessionOutcome } from './session.js';
import './applications.css';

export class Applications {
  readonly #app: App;
  readonly #all: readonly Application[];
  readonly #frame: Frame;
  readonly #phaseList: PhaseList;
  readonly #explanation: ExplanationView;
  readonly #session: Session;
  /** The one that is shown; undefined until its data is there. */
  #current: Application | undefined;
  #wanted: Application;
  #running: AbortController | undefined;
  /** How often another question was asked: a run answers the one that it began with. */
  #questions = 0;

  constructor(host: HTMLElement, app: App, compile: Settings['compile']) {
    this.#app = app;
    this.#session = new Session(compile);
    this.#all = [new DigitsView(), new RecordsView(app.data), new EdgesView()];
    this.#wanted = this.#all[0]!;
    const frame = makeFrame(host, this.#all);
    this.#frame = frame;
    this.#phaseList = new PhaseList(frame.phases);
    this.#explanation = new ExplanationView(frame.explanation);
    for (const [index, input] of frame.choices.entries())
      input.addEventListener('change', () => void this.#choose(this.#all[index]!));
    frame.run.addEventListener('click', () => void this.#run());
    frame.cancel.addEventListener('click', () => this.#cancel());
    app.onReplaced(() => {
      this.#cancel();
      this.#session.forget();
    });
    frame.choices[0]!.checked = true;
    void this.#choose(this.#wanted);
  }

  // -------------------------------------------------------------------------------------------- choosing

  async #choose(application: Application): Promise<void> {
    const { client, evaluator, upload, download, data, failure, results } = this.#frame;
    this.#wanted = application;
    this.#current = undefined;
    hideFailure(failure);
    client.replaceChildren(...emphasized(application.client));
    evaluator.replaceChildren(...emphasized(application.evaluator));
    upload.textContent = application.upload;
    download.textContent = application.download;
    for (const name of ['program', 'keys', 'upload', 'download']) {
      const size = byTestId(`${PREFIX}crossing-${name}`);
      size.textContent = '–';
      delete size.dataset['bytes'];
    }
    results.hidden = true;
    this.#explanation.hide();
    this.#phaseList.show(new Phases(() => {}));
    this.#phaseList.say('');
    data.replaceChildren('Loading…');
    this.#enable();
    try {
      await application.open(data, {
        changed: () => this.#changed(application),
        failed: (error, during) => this.#fail(error, during),
      });
      if (application !== this.#wanted) return;
      this.#current = application;
    } catch (error) {
      if (application !== this.#wanted) return;
      data.replaceChildren('There is nothing to ask about: choose again to try anew.');
      this.#fail(error, 'loading the data');
    }
    this.#enable();
  }

  /** Another question is being asked by now. */
  #changed(application: Application): void {
    if (application !== this.#current) return;
    this.#questions++;
    const { results, failure } = this.#frame;
    hideFailure(failure);
    if (!results.hidden && results.dataset['stale'] === 'false') this.#markStale();
  }

  #markStale(): void {
    const { results, verdict } = this.#frame;
    results.dataset['stale'] = 'true';
    verdict.textContent = 'This is the result of the last run; the data above has changed.';
  }

  // ------------------------------------------------------------------------------------------------- run

  async #run(): Promise<void> {
    const application = this.#current;
    if (application === undefined || this.#running !== undefined) return;
    hideFailure(this.#frame.failure);
    const controller = new AbortController();
    const { signal } = controller;
    this.#running = controller;
    this.#enable();
    const phases = new Phases((all) => this.#phaseList.show(all));
    try {
      const question = application.question();
      const asked = this.#questions;
      const loom = await this.#app.loom();
      const { gpu } = this.#app;
      const outcome = await this.#session.run({ application, question, loom, gpu, phases, signal });
      this.#show(outcome, question.answer(outcome.decrypted));
      if (asked !== this.#questions) this.#markStale();
    } catch (error) {
      const during = phases.all.find(({ state }) => state === 'stopped')?.name ?? 'compile';
      if (isCancellation(error, signal)) this.#phaseList.say(`Cancelled during ${during}.`);
      else {
        this.#phaseList.say('The run failed.');
        this.#fail(error, `in phase ${during}`);
      }
    } finally {
      this.#running = undefined;
      this.#enable();
    }
    await this.#explain(application);
  }

  #cancel(): void {
    this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
  }

  #show({ crossings, gpu }: SessionOutcome, { verdict, agrees, contents }: Answer): void {
    const { results, verdict: line, answer } = this.#frame;
    showCrossings(crossings, false, PREFIX);
    line.textContent = verdict;
    line.dataset['agrees'] = String(agrees);
    answer.replaceChildren(...contents);
    results.hidden = false;
    results.dataset['stale'] = 'false';
    this.#phaseList.say(`Done. ${verdict}`);
    this.#phaseList.sayWhere(gpu, this.#app.loom());
  }

  /** Also after a run that failed, if it came so far that there is a program. */
  async #explain(application: Application): Promise<void> {
    try {
      const explanation = await this.#session.explanation(application);
      if (explanation !== undefined && application === this.#current)
        await this.#explanation.show(explanation);
    } catch (error) {
      if (!(error instanceof DisposedError)) this.#fail(error, 'explaining the program');
    }
  }

  // ---------------------------------------------------------------------------------------------- common

  #enable(): void {
    const { run, cancel, choices } = this.#frame;
    const running = this.#running !== undefined;
    const change = (): void => {
      for (const input of choices) input.disabled = running;
      run.disabled = running || this.#current === undefined;
      cancel.disabled = !running;
    };
    keepFocus(change, cancel, run);
  }

  #fail(error: unknown, during: string): void {
    showFailure(this.#frame.failure, failureOf(error, during), () => {
      hideFailure(this.#frame.failure);
      this.#app.renew();
    });
  }
}

/** Text between asterisks is strong. */
function emphasized(text: string): (Node | string)[] {
  return text.split('*').map((part, index) => {
    if (index % 2 === 0) return part;
    const strong = document.createElement('strong');
    strong.textContent = part;
    return strong;
  });
}
