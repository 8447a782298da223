/** Operators as a worker has them: opened once, kept, and called row by row. */
import { DisposedError } from '../../errors.js';
import { runs } from '../runs.js';
import type { Ref, Store } from '../store.js';
import type { PlacedOperator, Work } from '../work.js';
import { openCircuit } from './circuit.js';
import type { Computing } from './computing.js';
import { openFunction } from './function.js';
import { ifOf } from './if.js';
import { importModule, StaleModule } from './modules.js';
import { openProgram } from './program.js';
import { whileOf } from './while.js';
import { LazyLoom } from './worker-loom.js';

export type { CallPlace, Computing, Soon } from './computing.js';

/** Opens operators, and keeps what is open between tasks. One for each worker, and one loom in it, if any of them needs one. */
export class Operators {
  readonly #store: Pick<Store, 'get'>;
  readonly #loom = new LazyLoom();
  /** Open ones by what they are. Circuits and programs among them hold no more than their names. */
  readonly #open = new Map<string, Promise<Computing>>();
  #closed = false;

  /** `store` has the bytes of circuits and programs. */
  constructor(store: Pick<Store, 'get'>) {
    this.#store = store;
  }

  /** Opens an operator, and all in it; the same one again costs nothing. Errors: JobError `job.operator`, those of the store; DisposedError. */
  async open(placed: PlacedOperator): Promise<Computing> {
    if (this.#closed) throw new DisposedError('disposed', 'The worker of the job was closed');
    switch (placed.kind) {
      case 'function': {
        const { module, name, hash } = placed;
        // Of which nobody knows what it is to be: it is looked at each time.
        if (hash === undefined) return openFunction(placed);
        return this.#kept(['function', module, name, hash], () => openFunction(placed));
      }
      case 'circuit':
        return this.#kept(['circuit', placed.bytes.name], () =>
          openCircuit(this.#loom, placed.bytes, this.#bytes(placed.bytes)),
        );
      case 'program':
        return this.#kept(['program', placed.bytes.name, placed.keys], () =>
          openProgram(this.#loom, placed.bytes, this.#bytes(placed.bytes), placed.keys),
        );
      case 'while':
        return whileOf(await this.open(placed.condition), await this.#all(placed.body), placed.most);
      case 'if':
        return ifOf(
          await this.open(placed.condition),
          await this.#all(placed.then),
          await this.#all(placed.otherwise),
        );
    }
  }

  /** Imports the modules of some work. Errors: StaleModule; all others come again where the operators are opened. */
  async imported(work: Work): Promise<void> {
    for (const run of runs(work))
      if ('module' in run)
        await importModule(run.module, run.hash as string | undefined).catch((error: unknown) => {
          if (error instanceof StaleModule) throw error;
        });
  }

  /** Closes circuits and programs, and ends the loom. Calls that are under way fail. */
  close(): void {
    this.#closed = true;
    this.#open.clear();
    this.#loom.close();
  }

  #all(placed: readonly PlacedOperator[]): Promise<Computing[]> {
    return Promise.all(placed.map((one) => this.open(one)));
  }

  #bytes(ref: Ref): () => Promise<Uint8Array> {
    return () => this.#store.get(ref);
  }

  /** One that could not be opened is opened anew the next time. */
  #kept(parts: readonly string[], open: () => Promise<Computing>): Promise<Computing> {
    const what = JSON.stringify(parts);
    const known = this.#open.get(what);
    if (known !== undefined) return known;
    const opened = open();
    this.#open.set(what, opened);
    opened.catch(() => {
      if (this.#open.get(what) === opened) this.#open.delete(what);
    });
    return opened;
  }
}
