/** Verification of the program that the statistics tab runs. */
import { type Check, type Loom, type Program, STAGES, type Stage } from 'cipherloom';
import { STAGE_TITLES } from '../graph/program-stops.js';
import { h } from '../ui/dom.js';
import { type Line, verdictOf } from './check-report.js';
import { CheckTable } from './check-table.js';
import { deviceOf } from './device.js';
import { Job, type JobEnd, type Working } from './job.js';

export interface ProgramEvents {
  /** What is verified, and where it was compiled. */
  program(): Promise<{ readonly loom: Loom; readonly program: Program }>;
  /** Shows an operator of a stage in the picture. */
  reveal(stop: string, op: number): void;
}

/** How the data are drawn: as the package does it unless told otherwise. Ciphertexts are thousands of numbers each. */
const DRAWN = { trials: 1, seed: 0 } as const;

export class ProgramPanel {
  readonly #events: ProgramEvents;
  readonly #job: Job;
  readonly #report = h('div', { class: 'job-report', 'data-testid': 'program-verify-report' });

  constructor(host: HTMLElement, events: ProgramEvents) {
    this.#events = events;
    const title = h('h3', {}, 'Verify the stages');
    const about = h(
      'p',
      { class: 'note' },
      'Compares what the compiler made with the question, on random data: values and slots with exact arithmetic, polynomials with the ' +
        'scheme, base operators with polynomials, vector kernels with scalar ones, bit by bit on random ciphertexts and keys. It ' +
        'is no proof; nor does it say that an evaluator ran it.',
    );
    this.#job = new Job(host, [], {
      title: 'Verify the stages',
      primary: false,
      during: 'verifying',
      testId: 'program-verify',
      work: (working) => this.#verify(working),
    });
    host.prepend(title, about);
    host.append(this.#report);
  }

  /** Another program is shown. */
  reset(): void {
    this.#job.reset();
    this.#report.replaceChildren();
  }

  async #verify({ signal, tell }: Working): Promise<JobEnd> {
    const start = performance.now();
    this.#report.replaceChildren();
    const { loom, program } = await this.#events.program();
    const { checks, passed } = await program.verify({
      ...DRAWN,
      signal,
      onProgress: ({ done, total, item }) =>
        tell(done, total, item === undefined ? '' : `Verifying ${STAGE_TITLES[item as Stage]}…`),
    });
    const seconds = (performance.now() - start) / 1000;
    const lines = checks.map(lineOf);
    const checked = { lines, ...DRAWN, seconds, device: await deviceOf(loom) };
    signal.throwIfAborted();
    const table = new CheckTable(this.#report, this.#events.reveal);
    for (const line of lines) table.add(line);
    table.end(checked);
    return { passed, said: verdictOf(checked) };
  }
}

/** Each stage is compared with the one above. */
function lineOf(check: Check): Line {
  const stage = check.stage as Stage;
  const above = check.kind === 'circuit' ? STAGES[STAGES.indexOf(stage) - 1] : undefined;
  return { stage: STAGE_TITLES[stage], stop: stage, beside: above && STAGE_TITLES[above], check };
}
