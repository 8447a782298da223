/**
 * The worker's side of the protocol: one call after the other, each of which can be cancelled between its
 * steps.
 */
import { CipherloomError, type ErrorRecord } from '../errors.js';
import type { Hear, RawJob } from '../raw.js';
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
  finish<T>(job: RawJob, take: () => T): Promise<T>;
  /** For what the core computes in one go: tells the page how far it is, and the core whether to go on. */
  readonly hear: Hear;
  /** The same, but the page is told nothing. */
  readonly listen: Hear;
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
  let last: Promise<void> = Promise.resolve();
  const post = (message: FromWorker, transfer: Transferable[] = []): void => port.post(message, transfer);

  const answer = async (request: Request<M>): Promise<void> => {
    const { id, method, args, stop } = request;
    let reported = performance.now();
    const listen: Hear = () => stop === undefined || Atomics.load(stop, 0) === 0;
    const hear: Hear = (done) => {
      if (performance.now() - reported >= PROGRESS_MS) {
        post({ id, progress: { done, total: 1 } });
        reported = performance.now();
      }
      return listen(done);
    };
    try {
      if (cancelled.has(id)) throw new Cancelled();
      const call: Call = {
        hear,
        listen,
        finish: (job, take) =>
          finish(
            job,
            take,
            () => cancelled.has(id),
            (progress) => post({ id, progress }),
          ),
      };
      const handler = handlers[method] as (call: Call, ...args: Args<M, typeof method>) => unknown;
      const value = await handler(call, ...args);
      if (value instanceof Moved) post({ id, result: value.value }, value.transfer);
      else post({ id, result: value });
    } catch (error) {
      post({ id, error: toRecord(error), fatal: isTrap(error) });
    } finally {
      waiting.delete(id);
      cancelled.delete(id);
    }
  };

  port.listen((data) => {
    const message = data as ToWorker<M>;
    if ('cancel' in message) {
      if (waiting.has(message.cancel)) cancelled.add(message.cancel);
      return;
    }
    waiting.add(message.id);
    last = last.then(() => answer(message));
  });
}

async function finish<T>(
  job: RawJob,
  take: () => T,
  isCancelled: () => boolean,
  report: (progress: { done: number; total: number }) => void,
): Promise<T> {
  try {
    let reported = performance.now();
    while (!job.step(STEP_MS)) {
      if (performance.now() - reported >= PROGRESS_MS) {
        report(job.progress());
        reported = performance.now();
      }
      await nextMessages();
      if (isCancelled()) throw new Cancelled();
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
function isTrap(error: unknown): boolean {
  return (
    error instanceof WebAssembly.RuntimeError ||
    error instanceof RangeError ||
    (error instanceof Error && error.name === 'InternalError')
  );
}

/** What the core throws has `code` and `details`; anything else is a defect, or the end of the memory. */
function toRecord(error: unknown): ErrorRecord {
  const { code, details, message = String(error) } = error as Partial<ErrorRecord>;
  if (isTrap(error)) return { code: 'worker.trap', message: `The worker crashed: ${message}`, details: {} };
  return { code: typeof code === 'string' ? code : 'worker.unexpected', message, details: details ?? {} };
}
