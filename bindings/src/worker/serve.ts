/**
 * The worker's side of the protocol: one call after the other, each of which can be cancelled between its
 * steps. A run that waits for what is computed elsewhere lets the next call in.
 */
import { CipherloomError, type ErrorRecord, fromRecord } from '../errors.js';
import type { Hear, RawCircuitJob, RawJob, RawOutgoing } from '../raw.js';
import { toRecord } from './error-record.js';
import { ownPort } from './port.js';
import type { Args, FromWorker, Request, Result, ToWorker } from './protocol.js';

/** Milliseconds of computing between two looks at the messages. */
const STEP_MS = 25;
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
  /** Runs a job to its end, or frees it when the call is cancelled. */
  finish<T>(job: RawJob | RawCircuitJob, take: () => T): Promise<T>;
  /**
   * Between two parts of work that is done in parts: tells how far it is, lets messages in, or waits for `news`, and
   * throws if the call was cancelled.
   */
  pause(progress: { done: number; total: number }, news?: Promise<void>): Promise<void>;
  /** For what the core computes in one go: tells the page how far it is, and the core whether to go on. */
  readonly hear: Hear;
  /** The same, but the page is told nothing. */
  readonly listen: Hear;
  /** Asks whoever called something; what is in `transfer` moves there. */
  ask<T>(question: unknown, transfer?: Transferable[]): Promise<T>;
}

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

/** Serves a worker's methods on its own port. */
export function serve<M>(handlers: Handlers<M>): void {
  const port = ownPort();
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
        finish: (job, take) =>
          finish(job, take, {
            pause,
            compute: (outgoing) =>
              ask(
                outgoing,
                outgoing.data.map(({ buffer }) => buffer),
              ),
            news: async () => {
              const woken = new Promise<void>((resolve) => wakes.set(id, resolve));
              give();
              await woken;
              give = await turns.take();
              if (trapped) throw new WebAssembly.RuntimeError('another call of this worker crashed');
            },
          }),
      };
      const handler = handlers[method] as (call: Call, ...args: Args<M, typeof method>) => unknown;
      const value = await handler(call, ...args);
      if (value instanceof Moved) post({ id, result: value.value }, value.transfer);
      else post({ id, result: value });
    } catch (error) {
      trapped ||= isTrap(error);
      post({ id, error: recordOf(error), fatal: isTrap(error) });
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
  /** Resolves when an answer or a cancel message has come. */
  news(): Promise<void>;
}

async function finish<T>(
  job: RawJob | RawCircuitJob,
  take: () => T,
  { pause, compute, news }: Surroundings,
): Promise<T> {
  const computed: { op: number; bytes: Uint8Array }[] = [];
  let failed: { error: unknown } | undefined;
  try {
    while (!job.step(STEP_MS)) {
      if (!('handOut' in job)) {
        await pause(job.progress());
        continue;
      }
      for (const outgoing of job.handOut()) {
        const { op } = outgoing;
        compute(outgoing).then(
          (bytes) => computed.push({ op, bytes }),
          (error: unknown) => (failed ??= { error }),
        );
      }
      await pause(job.progress(), job.waits() && computed.length === 0 ? news() : undefined);
      if (failed !== undefined) throw failed.error;
      for (const { op, bytes } of computed.splice(0)) job.deliver(op, bytes);
    }
    const taken = take();
    job.free();
    return taken;
  } catch (error) {
    // After a trap nothing of the instance may be touched any more.
    if (!isTrap(error)) job.free();
    throw error;
  }
}

/** Lets waiting messages in. A message to itself, since timers are held back by milliseconds in browsers. */
function nextMessages(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = () => {
      port2.close();
      resolve();
    };
    port1.postMessage(undefined);
  });
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
