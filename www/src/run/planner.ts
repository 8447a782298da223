/** Compiles what is selected, as it is selected: one compilation at a time, and only the latest selection. */
import type { CompileOptions, Loom, Program, ProgramStats } from 'cipherloom';
import { fillTask, type Selection } from '../selection.js';

/** A compiled selection. */
export interface Plan {
  readonly selection: Selection;
  readonly program: Program;
  readonly stats: ProgramStats;
  /** Time that the compilation took. */
  readonly seconds: number;
}

/** Why a plan was not made: another one was asked for before its turn came. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

export class Planner {
  readonly #loom: Loom;
  readonly #options: CompileOptions;
  #wanted: { readonly key: string; readonly plan: Promise<Plan> } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(loom: Loom, options: CompileOptions) {
    this.#loom = loom;
    this.#options = options;
  }

  /**
   * The plan of a selection, made once. Errors: Superseded, and those of `LoomTask.compile`; a failed plan is
   * tried anew at the next call.
   */
  plan(selection: Selection): Promise<Plan> {
    const key = JSON.stringify(selection);
    if (this.#wanted?.key === key) return this.#wanted.plan;
    // A compilation cannot be stopped midway, so the next one waits for it.
    const plan = this.#last.then(() => {
      if (this.#wanted?.key !== key) throw new Superseded();
      return this.#compile(selection);
    });
    this.#wanted = { key, plan };
    this.#last = plan.catch(() => {
      if (this.#wanted?.plan === plan) this.#wanted = undefined;
    });
    return plan;
  }

  async #compile(selection: Selection): Promise<Plan> {
    const start = performance.now();
    const task = this.#loom.task();
    fillTask(task, selection);
    const program = await task.compile(this.#options);
    const stats = await program.stats();
    return { selection, program, stats, seconds: (performance.now() - start) / 1000 };
  }
}
