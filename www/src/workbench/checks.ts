/**
 * What is checked of a graph, and in which order: each stage by itself and beside the one that it was made of, down to base
 * operators; passes there; kernels. All on circuits that are opened for this, in workers of their own, so that the tab goes on.
 */
import type { Check, Circuit, Loom, VerifyOptions } from 'cipherloom';
import type { Line } from '../verify/check-report.js';
import { isSame } from './same-graph.js';

/** A stage as text; the first one is what was written. */
export interface Written {
  readonly name: string;
  /** Where the picture has it. */
  readonly stop: string;
  text(): Promise<string>;
  /** Which of the stages before it was made of. */
  readonly from: number | undefined;
}

export interface Subject {
  readonly stages: readonly Written[];
  /** A text that means the same as the first stage. */
  readonly meaning: string | undefined;
}

export interface CheckOptions {
  readonly trials: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  tell(done: number, total: number, doing: string): void;
  /** Makes a call that may need operators of the visitor's own. */
  resolved<T>(call: () => Promise<T>): Promise<T>;
}

export const MEANING = 'the graph that was kept';

interface Stage {
  readonly name: string;
  readonly stop: string | undefined;
  readonly circuit: Circuit;
}

const BASE = 'Base';

const LEVELS = [
  ['scheme', 'Ciphertexts'],
  ['polynomial', 'Polynomials'],
  ['base', BASE],
] as const;

export class Checks {
  readonly #loom: Loom;
  readonly #subject: Subject;
  readonly #options: CheckOptions;
  readonly #total: number;
  #done = 0;

  constructor(loom: Loom, subject: Subject, options: CheckOptions) {
    this.#loom = loom;
    this.#subject = subject;
    this.#options = options;
    this.#total = subject.stages.length + (subject.meaning === undefined ? 0 : 1) + LEVELS.length + 2;
  }

  /** Makes all checks, one after the other. Errors: those of the package, OwnOperatorError. */
  async *lines(): AsyncGenerator<Line> {
    const stages: Stage[] = [];
    for (const { name, stop, text, from } of this.#subject.stages) {
      const stage = { name, stop, circuit: await this.#open(name, await text()) };
      stages.push(stage);
      yield* this.#beside(stage, from === undefined ? undefined : stages[from]);
      if (from === undefined) yield* this.#meaning(stage);
    }
    const [first, last] = [stages[0], stages.at(-1)];
    if (first === undefined || last === undefined) return;
    const lowered = await this.#lowered(last);
    for (const [index, lower] of lowered.entries()) yield* this.#beside(lower, lowered[index - 1] ?? last);
    const lowest = lowered.at(-1) ?? last;
    // Passes, and all kernels that base operators have.
    for (const line of await this.#verified(lowest, undefined, {}))
      if (line.check.kind !== 'structure') yield line;
    // What was written may run on kernels of higher operators.
    if (lowest !== first) {
      const kernels = await this.#verified(first, undefined, { platforms: ['simd', 'scalar'] });
      yield* kernels.filter(({ check }) => check.kind === 'platform');
    }
  }

  /** Its structure, and what it gives beside another stage. */
  async *#beside(stage: Stage, other: Stage | undefined): AsyncGenerator<Line> {
    yield* await this.#verified(stage, other?.name, { against: other?.circuit, passes: [] });
  }

  async *#meaning(stage: Stage): AsyncGenerator<Line> {
    const { meaning } = this.#subject;
    if (meaning === undefined) return;
    const against = await this.#open(MEANING, meaning);
    const lines = await this.#verified(stage, MEANING, { against, passes: [] });
    yield* lines.filter(({ check }) => check.kind === 'circuit');
  }

  async #open(name: string, text: string): Promise<Circuit> {
    this.#tell(0, `Opening ${name}…`);
    const { resolved, signal } = this.#options;
    return resolved(() => this.#loom.circuit(text, { signal }));
  }

  /** All stages below one, of which the last has base operators only. */
  async #lowered(last: Stage): Promise<Stage[]> {
    const lowered: Stage[] = [];
    for (const [level, name] of LEVELS) {
      const lower = await this.#expanded(lowered.at(-1) ?? last, level, name);
      if (lower !== undefined) lowered.push(lower);
    }
    // Where nothing is encrypted, the first level may be the last.
    return lowered.map((stage, index) => (index + 1 < lowered.length ? stage : { ...stage, name: BASE }));
  }

  /** A lower stage; undefined if there is none. */
  async #expanded(from: Stage, level: (typeof LEVELS)[number][0], name: string): Promise<Stage | undefined> {
    this.#tell(0, `Expanding ${from.name}…`);
    const { resolved, signal } = this.#options;
    const circuit = await resolved(() => from.circuit.expand({ level, signal }));
    if (!(await isSame(circuit, from.circuit, signal))) return { name, stop: undefined, circuit };
    circuit.dispose();
    this.#done++;
    return undefined;
  }

  async #verified(stage: Stage, beside: string | undefined, what: VerifyOptions): Promise<Line[]> {
    const { trials, seed, signal, resolved } = this.#options;
    const doing = `Verifying ${stage.name}${beside === undefined ? '' : ` beside ${beside}`}…`;
    this.#tell(0, doing);
    const { checks } = await resolved(() =>
      stage.circuit.verify({
        ...what,
        trials,
        seed,
        signal,
        onProgress: ({ done, total }) => this.#tell(done / total, doing),
      }),
    );
    this.#done++;
    const { name, stop } = stage;
    return checks.map((check: Check) => ({ stage: name, stop, beside, check }));
  }

  #tell(part: number, doing: string): void {
    this.#options.tell(this.#done + part, this.#total, doing);
  }
}
