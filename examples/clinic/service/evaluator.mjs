/** What computes: cipherloom's evaluator, in worker threads of its own, with the programs and keys that were used last. A service and a device that runs for it have the same. */
import { load } from 'cipherloom';
import { ServiceError } from './errors.mjs';

/** Programs and sets of keys that stay open. */
const KEPT = 8;

export class Evaluator {
  #loom;
  #programs = new Kept((program) => program.dispose());
  #keys = new Kept(() => {});

  constructor(loom) {
    this.#loom = loom;
  }

  /** @param {number} threads 0: as many as there are processors */
  static async start(threads) {
    return new Evaluator(await load(threads > 0 ? { threads } : {}));
  }

  /**
   * Computes, and gives ciphertexts by name. Errors: those of cipherloom.
   * @param {{program: string, evaluation: string[], inputs: Record<string, string>, given: {plain?: object, public?: object}}} job blobs by their SHA-256
   * @param {(sha: string) => Promise<Uint8Array>} read
   * @param {{signal: AbortSignal, onProgress: (progress: {done: number, total: number}) => void}} watch
   */
  async run({ program: sha, evaluation, inputs, given }, read, { signal, onProgress }) {
    try {
      const program = await this.#programs.get(sha, async () =>
        this.#loom.program(await read(sha), { signal }),
      );
      // The same array each time: the evaluator then has the keys still.
      const keys = await this.#keys.get(evaluation.join(), () => Promise.all(evaluation.map(read)));
      const ciphertexts = {};
      for (const [name, value] of Object.entries(inputs)) ciphertexts[name] = await read(value);
      return await program.run(ciphertexts, keys, { ...given, signal, onProgress });
    } finally {
      // Does nothing where all workers live.
      await this.#loom.restart();
    }
  }

  /** What is in a program. Errors: those of `Loom.program`; programs that are not secure are refused. */
  async inspect(bytes, publicKey, signal) {
    try {
      const program = await this.#loom.program(bytes, { signal });
      try {
        if (publicKey) (await program.owner(publicKey, { signal })).dispose();
        return described(program);
      } finally {
        program.dispose();
      }
    } finally {
      await this.#loom.restart();
    }
  }

  /** Selects scheme, parameters and base operators for a task that somebody else wrote. Errors: those of `Loom.compile`. */
  async compile(literal, options, signal) {
    const task = { literal: () => literal, ties: () => ({ results: new Map(), kept: [] }) };
    try {
      const program = await this.#loom.compile(task, { ...options, signal });
      try {
        return { bytes: program.toBytes(), info: described(program) };
      } finally {
        program.dispose();
      }
    } finally {
      await this.#loom.restart();
    }
  }

  stop() {
    this.#loom.dispose();
  }
}

/**
 * An evaluator that is started when it is needed first, and again where that failed or it was ended.
 * @template {{stop: () => void}} T
 */
export class OnDemand {
  #start;
  /** @type {Promise<T> | undefined} */
  #one;
  #stopped = false;

  /** @param {() => Promise<T>} start */
  constructor(start) {
    this.#start = start;
  }

  /** Errors: those of starting one; 503 `service.failed` behind {@link stop}. */
  async get() {
    if (this.#stopped) throw new ServiceError(503, 'service.failed', 'The service is ending');
    const one = (this.#one ??= this.#start());
    try {
      return await one;
    } catch (error) {
      // Another one may have been started since.
      if (this.#one === one) this.#one = undefined;
      throw error;
    }
  }

  async end() {
    const one = this.#one;
    this.#one = undefined;
    (await one?.catch(() => undefined))?.stop();
  }

  async stop() {
    this.#stopped = true;
    await this.end();
  }
}

/** What a catalogue says of a program: enough to choose it, and to check what is given to it. */
function described({ info }) {
  const { scheme, n, security, securityBits, quantum, publicKey } = info;
  return {
    ...{ scheme, n, security, securityBits, quantum, publicKey },
    // Digits come with what they are of.
    inputs: info.inputs
      .filter(({ digitsOf }) => digitsOf === undefined)
      .map(({ name, place, kind, shape, names }) => ({ name, place, kind, shape, names })),
    outputs: info.outputs.map(({ name, kind, shape }) => ({ name, kind, shape })),
    keys: info.keys.length,
    seconds: info.cost.seconds,
  };
}

/** The last few of something that takes time to have. */
class Kept {
  #all = new Map();
  #drop;

  constructor(drop) {
    this.#drop = drop;
  }

  async get(name, make) {
    const value = this.#all.get(name) ?? (await make());
    this.#all.delete(name);
    this.#all.set(name, value);
    if (this.#all.size > KEPT) {
      const [oldest, dropped] = this.#all.entries().next().value;
      this.#all.delete(oldest);
      this.#drop(dropped);
    }
    return value;
  }
}
