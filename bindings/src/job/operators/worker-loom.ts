/** The loom of a worker: started by the first circuit or program, given up with its death, and what is open in it. */
import { CipherloomError, DisposedError } from '../../errors.js';
import type { Circuit } from '../../graph-types.js';
import type { Loom } from '../../types.js';
import type { Program } from '../../values/types.js';
import { Kept } from './kept.js';

/** How many circuits, and how many programs, stay open. */
const MOST_OPEN = 16;

/** One loom's life. */
interface Life {
  readonly loom: Promise<Loom>;
  readonly circuits: Kept<Circuit>;
  readonly programs: Kept<Program>;
}

/** See above. A worker is one thread of many, and so its loom has one. */
export class LazyLoom {
  readonly #start: () => Promise<Loom>;
  #life: Life | undefined;
  #closed = false;

  constructor(start: () => Promise<Loom> = startLoom) {
    this.#start = start;
  }

  /** Works with a circuit, by a name for its bytes. */
  circuit<R>(
    name: string,
    bytes: () => Promise<Uint8Array>,
    work: (opened: Circuit) => Promise<R>,
  ): Promise<R> {
    return this.#living(({ loom, circuits }) =>
      circuits.use(name, async () => (await loom).circuit(await bytes()), work),
    );
  }

  /** Works with a program, by a name for its bytes. */
  program<R>(
    name: string,
    bytes: () => Promise<Uint8Array>,
    work: (opened: Program) => Promise<R>,
  ): Promise<R> {
    return this.#living(({ loom, programs }) =>
      programs.use(name, async () => (await loom).program(await bytes()), work),
    );
  }

  /** Ends the loom, and all that is open in it. */
  close(): void {
    this.#closed = true;
    this.#end(this.#life);
  }

  async #living<R>(work: (life: Life) => Promise<R>): Promise<R> {
    if (this.#closed) throw new DisposedError('disposed', 'The worker of the job was closed');
    const life = (this.#life ??= begin(this.#start()));
    try {
      return await work(life);
    } catch (error) {
      // A loom that did not start, or one of whose workers died, serves nobody; the next call has another one.
      const dead = error instanceof CipherloomError && error.code.startsWith('worker.');
      if (dead || !(await started(life))) this.#end(life);
      throw error;
    }
  }

  #end(life: Life | undefined): void {
    if (this.#life === life) this.#life = undefined;
    life?.circuits.close();
    life?.programs.close();
    life?.loom.then(
      (loom) => loom.dispose(),
      () => {},
    );
  }
}

/** Imported here, so that a job of functions alone loads none of it. */
async function startLoom(): Promise<Loom> {
  const { load } = await import('../../load.js');
  return load({ threads: 1 });
}

function begin(loom: Promise<Loom>): Life {
  return { loom, circuits: new Kept(MOST_OPEN), programs: new Kept(MOST_OPEN) };
}

function started({ loom }: Life): Promise<boolean> {
  return loom.then(
    () => true,
    () => false,
  );
}
