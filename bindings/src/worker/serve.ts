/**
 * The worker's side of the protocol: one call after the other, each of which can be cancelled between its
 * steps. A run that waits for what is computed elsewhere lets the next call in.
 */
import { CipherloomError, type ErrorRecord, fromRecord, GpuError } from '../errors.js';
import type { GpuRun } from '../gpu/run.js';
import type { Hear, RawCircuitJob, RawDeviceJob, RawJob, RawOutgoing } from '../raw.js';
import type { GpuTrace, SubmissionTrace } from '../types.js';
import { toRecord } from './error-record.js';
import { backOf, type GivenBack } from './lent.js';
import { nextMessages, ownPort, type Port } from './port.js';
import type { Args, FromWorker, Request, Result, ToWorker } from './protocol.js';

/** Milliseconds of computing between two looks at the messages. */
const STEP_MS = 25;
/** The same while a GPU computes, too: what it gives back is not to wait for long. */
const STEP_BESIDE_GPU_MS = 4;
/** Milliseconds between two progress messages. */
const PROGRESS_MS = 50;

/** A result that moves to the page instead of being copied. */
export class Moved<T> {
  readonly value: T;
  readonly transfer: Transferable[];

  constructor(value: T, transfer: Transferable[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

/** What a method may use while it works. */
export interface Call {
  /** Runs a job to its end, or frees it when the call is cancelled. `take` is told what a GPU did, where one was asked for. */
  finish<T>(job: Job, take: (gpu: GpuTrace | undefined) => T): Promise<T>;
  /**
   * Between two parts of work that is done in parts: tells how far it is, lets messages in, or waits for `news`, and
   * throws if the call was cancelled.
   */
  pause(progress: { done: number; total: number }, news?: Promise<void>): Promise<void>;
  /** For what the core computes in one go: tells the page how far it is, and the core whether to go on. */
  readonly hear: Hear;
  /** The same, but the page is told nothing. */
  readonly listen: Hear;
  /** Sends memory back with the answer, where there is one: of data that are all 0, and of others; nobody may look at these any more. */
  giveBack(cleared: readonly unknown[], used: readonly unknown[]): void;
  /** Asks whoever called something; what is in `transfer` moves there. */
  ask<T>(question: unknown, transfer?: Transferable[]): Promise<T>;
}

type Job = RawJob | RawDeviceJob | RawCircuitJob;

/** One call works at a time; whoever waits for his turn gets it in the order in which he asked. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves, when it is the caller's turn, with what gives it back. */
  take(): Promise<() => void> {
    const before = this.#last;
    return new Promise((resolve) => {
      this.#last = new Promise((give) => void before.then(() => resolve(give)));
    });
  }
}

type Answer<T> = T | Moved<T> | Promise<T | Moved<T>>;

/** One handler per method. */
export type Handlers<M> = {
  readonly [K in keyof M]: (call: Call, ...args: Args<M, K>) => Answer<Result<M, K>>;
};

let final: (() => Promise<void>) | undefined;

/** What is to be done before this thread ends. */
export function beforeEnd(work: () => Promise<void>): void {
  final = work;
}

/** Ends a thread of Node's. */
async function endThread(): Promise<void> {
  await final?.();
  globalThis.process.exit();
}

/** Serves a worker's methods, on its own port where no other is given. */
export function serve<M>(handlers: Handlers<M>, port: Port = ownPort()): void {
  const waiting = new Set<number>();
  const cancelled = new Set<number>();
  const questions = new Map<number, Question>();
  let asked = 0;
  /** Of each call that waits for news. */
  const wakes = new Map<number, () => void>();
  const turns = new Turns();
  /** Once the instance is of no use any more: a run that waited must not touch it again. */
  let trapped = false;
  const post = (message: FromWorker, transfer: Transferable[] = []): void => port.post(message, transfer);

  const answer = async (request: Request<M>): Promise<void> => {
    let give = await turns.take();
    const { id, method, args, stop } = request;
    let reported = performance.now();
    const report = (progress: { done: number; total: number }): void => {
      if (performance.now() - reported < PROGRESS_MS) return;
      post({ id, progress });
      reported = performance.now();
    };
    const pause: Call['pause'] = async (progress, news) => {
      report(progress);
      await (news ?? nextMessages());
      if (cancelled.has(id)) throw new Cancelled();
    };
    const listen: Hear = () => stop === undefined || Atomics.load(stop, 0) === 0;
    const hear: Hear = (done) => {
      report({ done, total: 1 });
      return listen(done);
    };
    let back: GivenBack | undefined;
    const fail = (error: unknown): void => {
      trapped ||= isTrap(error);
      post({ id, error: recordOf(error), fatal: isTrap(error) });
    };
    /** What is done once the page has its answer: it need not wait for that. */
    let afterwards = (): void => {};
    try {
      if (cancelled.has(id)) throw new Cancelled();
      const ask: Call['ask'] = (question, transfer = []) =>
        new Promise((resolve, reject) => {
          questions.set(++asked, { call: id, resolve: resolve as Question['resolve'], reject });
          post({ id, ask: asked, question }, transfer);
        });
      const call: Call = {
        pause,
        hear,
        listen,
        ask,
        giveBack: (cleared, used) => (back = { cleared: backOf(cleared), used: backOf(used) }),
        finish: (job, take) =>
          finish(job, take, {
            pause,
            compute: (outgoing) =>
              ask(
                outgoing,
                outgoing.data.map(({ buffer }) => buffer),
              ),
            news: async (keepsTurn) => {
              const woken = new Promise<void>((resolve) => wakes.set(id, resolve));
              if (keepsTurn) return woken;
              give();
              await woken;
              give = await turns.take();
              if (trapped) throw new WebAssembly.RuntimeError('another call of this worker crashed');
            },
            wake: () => wakes.get(id)?.(),
            afterwards: (work) => (afterwards = work),
          }),
      };
      const handler = handlers[method] as (call: Call, ...args: Args<M, typeof method>) => unknown;
      const value = await handler(call, ...args);
      const [result, transfer] = value instanceof Moved ? [value.value, value.transfer] : [value, []];
      if (back === undefined) post({ id, result }, transfer);
      else post({ id, result, back }, [...transfer, ...back.cleared, ...back.used]);
    } catch (error) {
      fail(error);
    }
    try {
      if (!trapped) afterwards();
    } catch (error) {
      fail(error);
    } finally {
      // What is answered later is nobody's any more.
      for (const [question, { call }] of questions) if (call === id) questions.delete(question);
      waiting.delete(id);
      cancelled.delete(id);
      wakes.delete(id);
      give();
    }
  };

  port.listen((data) => {
    const message = data as ToWorker<M>;
    if ('cancel' in message) {
      if (waiting.has(message.cancel)) cancelled.add(message.cancel);
      wakes.get(message.cancel)?.();
      return;
    }
    if ('end' in message) {
      void endThread();
      return;
    }
    if ('answer' in message) {
      const question = questions.get(message.answer);
      questions.delete(message.answer);
      if ('error' in message) question?.reject(fromRecord(message.error));
      else question?.resolve(message.result);
      if (question !== undefined) wakes.get(question.call)?.();
      return;
    }
    waiting.add(message.id);
    void answer(message);
  });
}

/** Whoever waits for an answer of the page. */
interface Question {
  /** The call that asked. */
  readonly call: number;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** What the outside does while a job runs. */
interface Surroundings extends Pick<Call, 'pause'> {
  /** Has an operator computed elsewhere. */
  compute(outgoing: RawOutgoing): Promise<Uint8Array>;
  /** Resolves when an answer or a cancel message has come, or {@link wake} is called. Others have their turn meanwhile, unless it is kept. */
  news(keepsTurn: boolean): Promise<void>;
  wake(): void;
  /** Has something done when the answer is on its way, before anybody else's turn. */
  afterwards(work: () => void): void;
}

async function finish<T>(
  job: Job,
  take: (gpu: GpuTrace | undefined) => T,
  { pause, compute, news, wake, afterwards }: Surroundings,
): Promise<T> {
  const computed: { op: number; bytes: Uint8Array }[] = [];
  let failed: { error: unknown } | undefined;
  let beside: BesideGpu | undefined;
  try {
    beside = await BesideGpu.of(job, wake);
    while (!job.step(beside?.runs ? STEP_BESIDE_GPU_MS : STEP_MS)) {
      if (!('waits' in job)) {
        await pause(job.progress());
        continue;
      }
      if ('handOut' in job)
        for (const outgoing of job.handOut()) {
          const { op } = outgoing;
          const asked = beside?.falls;
          // Of a run that has begun anew nobody waits for the first one's answers.
          const still = (): boolean => beside?.falls === asked;
          compute(outgoing).then(
            (bytes) => still() && computed.push({ op, bytes }),
            (error: unknown) => still() && (failed ??= { error }),
          );
        }
      if (beside?.work() === 'anew') computed.length = 0;
      const idle = job.waits() && computed.length === 0 && failed === undefined && !beside?.news;
      // The memory of a GPU is one run's at a time.
      await pause(job.progress(), idle ? news(beside?.runs ?? false) : undefined);
      if (failed !== undefined) throw failed.error;
      if ('deliver' in job) for (const { op, bytes } of computed.splice(0)) job.deliver(op, bytes);
    }
    const taken = take(beside?.trace());
    // It overwrites what it worked with, which takes a while.
    afterwards(() => job.free());
    return taken;
  } catch (error) {
    // After a trap nothing of the instance may be touched any more.
    if (!isTrap(error)) job.free();
    throw error;
  } finally {
    beside?.end();
  }
}

/** The GPU's part of a job, if it has one: without it the job goes on where the GPU fails. */
class BesideGpu {
  /** How often the job has begun anew. */
  falls = 0;
  readonly #job: RawDeviceJob;
  readonly #device: string | undefined;
  #run: GpuRun | undefined;
  #submissions = 0;
  readonly #queue: SubmissionTrace[] = [];
  #lost: GpuTrace['lost'];

  private constructor(job: RawDeviceJob, device: string | undefined) {
    this.#job = job;
    this.#device = device;
  }

  /** Errors: GpuError `gpu.none`. */
  static async of(job: Job, wake: () => void): Promise<BesideGpu | undefined> {
    if (!('device' in job)) return undefined;
    const wanted = job.device();
    if (wanted === undefined) return undefined;
    // Whoever asks for no GPU does not load it.
    const { GpuRun } = await import('../gpu/run.js');
    beforeEnd(GpuRun.end);
    const start = await GpuRun.open();
    const beside = new BesideGpu(job, start.device);
    try {
      beside.#run = await start.begin(job, wanted, wake);
    } catch (error) {
      beside.#fall(error);
    }
    return beside;
  }

  get runs(): boolean {
    return this.#run !== undefined;
  }

  get news(): boolean {
    return this.#run?.news ?? false;
  }

  /** Gives it work, and takes what it has done; `anew` where the job had to begin anew. */
  work(): 'anew' | undefined {
    try {
      this.#run?.work();
      return undefined;
    } catch (error) {
      this.#fall(error);
      return 'anew';
    }
  }

  trace(): GpuTrace {
    return {
      device: this.#device,
      submissions: this.#submissions + (this.#run?.submissions ?? 0),
      queue: [...this.#queue, ...(this.#run?.queue ?? [])],
      lost: this.#lost,
    };
  }

  end(): void {
    this.#run = undefined;
  }

  /** What is no failure of the GPU is thrown. */
  #fall(error: unknown): void {
    if (!(error instanceof GpuError)) throw error;
    this.#lost = { code: error.code, message: error.message };
    this.#submissions += this.#run?.submissions ?? 0;
    this.#queue.push(...(this.#run?.queue ?? []));
    this.#run?.drop();
    this.#run = undefined;
    this.falls++;
    this.#job.fallBack();
  }
}

/** The page has already rejected the call: it only needs to hear that the worker is free again. */
class Cancelled extends CipherloomError {
  constructor() {
    super('cancelled', 'The call was cancelled');
  }
}

/**
 * Whether the instance is of no use any more. An exhausted stack is a RangeError in V8 and JavaScriptCore, an
 * InternalError in Firefox; exhausted memory is a RangeError. The core's own errors are none of these.
 */
export function isTrap(error: unknown): boolean {
  return (
    error instanceof WebAssembly.RuntimeError ||
    error instanceof RangeError ||
    (error instanceof Error && error.name === 'InternalError')
  );
}

/** What the core throws has `code` and `details`; anything else is a defect, or the end of the memory. */
export function recordOf(error: unknown): ErrorRecord {
  const record = toRecord(error);
  if (isTrap(error))
    return { code: 'worker.trap', message: `The worker crashed: ${record.message}`, details: {} };
  return record;
}
