/** Operators as a worker has them: opened once, kept, and called row by row. */
import { DisposedError } from '../../errors.js';
import type { Ref } from '../store.js';
import type { PlacedOperator } from '../work.js';
import { openCircuit } from './circuit.js';
import type { Computing } from './computing.js';
import { openFunction } from './function.js';
import { ifOf } from './if.js';
import { openProgram } from './program.js';
import { whileOf } from './while.js';
import { LazyLoom } from './worker-loom.js';

export type { CallPlace, Computing, Soon } from './computing.js';

/** What a worker has for its operators. */
export interface OperatorSources {
  /** Bytes of circuits and programs: `Store.get`. */
  bytesOf(ref: Ref): Promise<Uint8Array>;
  /** Asked before a module is imported, a circuit or a program opened. Throws where it may not be: JobError `job.refused`. */
  readonly admit?: ((what: { module: string } | { bytes: Uint8Array }) => Promise<void>) | undefined;
}

/** Opens operators, and keeps what is open between tasks. One for each worker, and one loom in it, if any of them needs one. */
export class Operators {
  readonly #sources: OperatorSources;
  readonly #loom = new LazyLoom();
  /** Open ones by what they are. Circuits and programs among them hold no more than their names. */
  readonly #open = new Map<string, Promise<Computing>>();
  #closed = false;

  constructor(sources: OperatorSources) {
    this.#sources = sources;
  }

  /** Opens an operator, and all in it; the same one again costs nothing. Errors: JobError `job.operator`, `job.refused`, those of the store; DisposedError. */
  async open(placed: PlacedOperator): Promise<Computing> {
    if (this.#closed) throw new DisposedError('disposed', 'The worker of the job was closed');
    switch (placed.kind) {
      case 'function': {
        const { module, name } = placed;
        return this.#kept(['function', module, name], async () => {
          await this.#sources.admit?.({ module });
          return openFunction(module, name);
        });
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
    return async () => {
      const bytes = await this.#sources.bytesOf(ref);
      await this.#sources.admit?.({ bytes });
      return bytes;
    };
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
