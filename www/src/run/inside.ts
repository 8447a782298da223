/** What shows the inside of a program and of its run: the graph, the timeline, verification. Loaded with the first plan: nobody needs it before. */
import type { Loom, Program } from 'cipherloom';
import { Explorer } from '../graph/explorer.js';
import { programFrame } from '../graph/explorer-frame.js';
import { stopsOf } from '../graph/program-stops.js';
import { OperatorTimeline, type Ran } from '../timeline/operator-timeline.js';
import { byId } from '../ui/dom.js';
import { ProgramPanel } from '../verify/program-panel.js';
import { evaluationOf } from './evaluation.js';
import type { Plan } from './planner.js';

/** What it asks of the page. */
export interface InsideEvents {
  /** What is shown, and where it was compiled. */
  program(): Promise<{ readonly loom: Loom; readonly program: Program }>;
  /** Evaluate the same ciphertexts again. */
  repeat(): void;
}

export class Inside {
  readonly #explorer: Explorer;
  readonly #timeline: OperatorTimeline;
  readonly #verification: ProgramPanel;

  constructor(events: InsideEvents) {
    this.#explorer = new Explorer(programFrame(), {
      actions: ({ id }, op) => this.#timeline.actions(id, op),
    });
    this.#timeline = new OperatorTimeline({
      picked: (op) => void this.#explorer.reveal('base', op),
      repeat: () => events.repeat(),
    });
    this.#verification = new ProgramPanel(byId('program-verify'), {
      program: () => events.program(),
      reveal: (stage, op) => void this.#explorer.reveal(stage, op),
    });
  }

  /** Draws canvases anew, in other colors. */
  repaint(): void {
    this.#explorer.repaint();
    this.#timeline.repaint();
  }

  /** Another plan: what was shown of the one before ends. */
  show({ program, stats }: Plan): void {
    this.#timeline.clear();
    this.#verification.reset();
    void this.#explorer.show(stopsOf(program, stats));
  }

  /** A run of the plan that is shown. */
  ran(ran: Ran): void {
    this.#timeline.show(ran);
    const run = evaluationOf(ran.traces);
    if (run !== undefined) this.#explorer.measured(run);
  }

  /** Plan and measurements alone, after another evaluation. */
  showTimes(ran: Ran): void {
    this.#timeline.showTimes(ran);
  }

  /** Whether it can be evaluated again now. */
  set canRepeat(can: boolean) {
    this.#timeline.canRepeat = can;
  }
}
