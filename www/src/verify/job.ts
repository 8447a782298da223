/** A piece of work behind one button: it shows how far it is, and can be cancelled. */
import { DisposedError } from 'cipherloom';
import { failureOf, isCancellation } from '../failure.js';
import { button, h } from '../ui/dom.js';
import { keepFocus } from '../ui/keep-focus.js';

/** What the work is given. */
export interface Working {
  readonly signal: AbortSignal;
  /** Says how far the work is, and what is being done. */
  tell(done: number, total: number, doing: string): void;
}

export interface JobOptions {
  /** What the button says, and a failure: "verifying". */
  readonly title: string;
  /** Whether it is what one comes for; default true. */
  readonly primary?: boolean;
  readonly during: string;
  /** Before the test ids of its elements. */
  readonly testId: string;
  /** Gives what is said at the end. */
  work(working: Working): Promise<JobEnd>;
}

export interface JobEnd {
  readonly passed: boolean;
  readonly said: string;
}

/** As `data-state` of the host. */
type State = 'idle' | 'running' | 'passed' | 'failed' | 'cancelled' | 'error';

export class Job {
  readonly #host: HTMLElement;
  readonly #options: JobOptions;
  readonly #start: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #bar: HTMLProgressElement;
  readonly #said: HTMLElement;
  #running: AbortController | undefined;

  /** The buttons follow `beside`, in one row. */
  constructor(host: HTMLElement, beside: readonly HTMLElement[], options: JobOptions) {
    const { title, testId, primary = true } = options;
    this.#host = host;
    this.#options = options;
    this.#start = button(title, () => void this.#run(), {
      class: primary ? 'primary' : '',
      'data-testid': `${testId}-start`,
    });
    this.#cancel = button('Cancel', () => this.stop(), { 'data-testid': `${testId}-cancel`, disabled: true });
    this.#bar = h('progress', { max: 1, value: 0, 'aria-label': title, hidden: true });
    this.#said = h('p', { class: 'job-said', role: 'status', 'data-testid': `${testId}-status` });
    host.append(
      h('div', { class: 'row job-row' }, ...beside, this.#start, this.#cancel),
      this.#bar,
      this.#said,
    );
    host.dataset['state'] = 'idle' satisfies State;
  }

  set disabled(disabled: boolean) {
    this.#start.disabled = disabled || this.#running !== undefined;
  }

  /** Ends what goes on. */
  stop(): void {
    this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
  }

  /** Ends what goes on, and takes back what was said. */
  reset(): void {
    this.stop();
    this.#running = undefined;
    this.#show('idle', '');
  }

  async #run(): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running = controller;
    this.#bar.value = 0;
    this.#show('running', 'Starting…');
    const show = (state: State, said: string): void => {
      if (this.#running !== controller) return;
      this.#running = undefined;
      this.#show(state, said);
    };
    try {
      const { passed, said } = await this.#options.work({
        signal,
        tell: (done, total, doing) => {
          if (this.#running === controller && !signal.aborted) this.#tell(done / total, doing);
        },
      });
      show(passed ? 'passed' : 'failed', said);
    } catch (error) {
      if (isCancellation(error, signal)) return show('cancelled', 'Cancelled.');
      const { sentence, code } = failureOf(error, this.#options.during);
      const told =
        error instanceof DisposedError ? 'What it worked on is gone meanwhile: start it again.' : sentence;
      show('error', code === 'Error' || told !== sentence ? told : `${told} (${code})`);
    }
  }

  #tell(part: number, doing: string): void {
    this.#bar.value = part;
    this.#said.textContent = doing;
  }

  #show(state: State, said: string): void {
    const running = state === 'running';
    this.#host.dataset['state'] = state;
    const change = (): void => {
      this.#start.disabled = running;
      this.#cancel.disabled = !running;
    };
    keepFocus(change, this.#cancel, this.#start);
    this.#bar.hidden = !running;
    this.#said.textContent = said;
  }
}
