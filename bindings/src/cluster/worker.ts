/** A worker process of a cluster: takes tasks from the queue of its kind, has them done, and writes down what came of them. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { CipherloomError, failure, type ErrorRecord } from '../errors.js';
import { threads } from '../job/crew/threads.js';
import type { Kind } from '../job/kinds.js';
import type { Store } from '../job/store.js';
import type { LogLine } from '../job/types.js';
import type { Crew, TaskResult } from '../job/work.js';
import { admit, type Allowed } from './allow.js';
import { CachedStore } from './cached-store.js';
import { type Job, libraries, type QueueWorker, type Redis } from './libraries.js';
import {
  Names,
  type Outcome,
  type Stop,
  type TaskEvent,
  type TaskMessage,
  type WorkerInfo,
} from './messages.js';
import { checkWorker } from './options.js';
import { type Address, another, connect, type RedisOptions } from './redis.js';
import { BEAT, BEGIN, FINISH } from './scripts.js';
import type { SharedStore } from './shared-store.js';
import { Slots } from './slots.js';
import { packageVersion } from './version.js';

/** Settings of {@link clusterWorker}. */
export interface ClusterWorkerOptions extends RedisOptions {
  /** What names in Redis begin with, `cipherloom` where it is not said: as the manager has it. */
  readonly prefix?: string;
  /** Where chunks lie: the store that the manager has. */
  readonly store: SharedStore;
  /** What it is, `cpu` where it is not said. */
  readonly kind?: Kind;
  /** Tasks that it does at once, each in a thread of its own, 1 to 256; one where it is not said. */
  readonly threads?: number;
  /** SHA-256 hashes, in hexadecimal, of the modules, circuits and programs that it runs. `any`: all that it is sent. None where it is not said. */
  readonly allow?: Iterable<string> | 'any';
  /** Folders whose files its tasks may read; with `allow: 'any'` all, none where it is not said. */
  readonly files?: readonly string[];
  /** Milliseconds after which its tasks go to others if nothing is heard of it, 6,000 where it is not said; at least 1,000, and no more than a timer takes (24 days). */
  readonly lease?: number;
  /** Bytes of programs, keys, globals and chunks that it keeps, 268,435,456 (256 MiB) where it is not said. */
  readonly cache?: number;
  /** Who does the tasks of one thread, in place of a thread of this machine: for kinds of workers of one's own. It sees to it itself that a function's module is what `hash` says. */
  readonly crew?: (store: Store, kind: Kind) => Crew;
  /** Told what it does, line by line. */
  readonly print?: (text: string) => void;
}

/** A worker process. */
export interface ClusterWorker {
  /** The number of its first thread among all workers that ever were. */
  readonly first: number;
  /** Takes no more tasks, waits for those that it has, and ends. `now`: does not wait; others do them again. */
  close(now?: boolean): Promise<void>;
}

const LEASE_MS = 6000;
const CACHE = 256 * 2 ** 20;
/** Signs of life: so often in a lease, and once a second at least. */
const BEATS = 6;
const BEAT_MS = 1000;
/** The part of a lease without a sign of life after which a worker is dead if others get its task: less than that between the death and the end of the lease. */
const DEAD = 0.4;
/** Between two words on what was done. */
const SAY_MS = 10_000;
/** Lines of the log are sent together. */
const LINES_MS = 100;
/** After which a task that this process has already is looked at again. */
const BOUNCE_MS = 500;
/** After an outage of Redis, until all workers that live have said so. */
const SETTLED_MS = 3000;
/** How errors of connections begin. */
const CONNECTION = /ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|Connection is closed|LOADING/;
/** Its own queue is looked at more seldom than the common one, if nothing comes: few jobs have tasks for it. */
const OWN_LOOKS = 5;
/** What BullMQ keeps of a queue in which there is nothing. */
const OWN_KEYS = ['meta', 'events', 'id', 'marker', 'pc', 'stalled', 'stalled-check'];
/** For which one that ends at once still talks to Redis. */
const LEAVE_MS = 1000;
/** Between tries to write an outcome where Redis has no memory. */
const AGAIN_MS = 500;

/** Starts a worker in this process. Errors: JobError `job.store` (Redis cannot be reached, within `connectTimeout`; libraries are not installed), `job.definition` (settings); InputError `input.type`, `input.option`. */
export async function clusterWorker(options: ClusterWorkerOptions): Promise<ClusterWorker> {
  checkWorker(options);
  const { redis, address } = await connect(options);
  const worker = new Working(redis, address, options);
  try {
    await worker.start();
  } catch (error) {
    await worker.close(true);
    throw error;
  }
  return worker;
}

/** A task that is being done. */
interface Doing extends Stop {
  readonly stop: AbortController;
  /** Until it is written down. */
  readonly done: Promise<void>;
}

class Working implements ClusterWorker {
  first = 0;
  readonly #id = randomUUID();
  readonly #redis: Redis;
  readonly #address: Address;
  readonly #options: ClusterWorkerOptions;
  readonly #names: Names;
  readonly #kind: Kind;
  readonly #lease: number;
  readonly #count: number;
  readonly #allowed: Allowed;
  readonly #store: CachedStore;
  readonly #version = packageVersion();
  /** One for each thread: those that have nothing to do. */
  readonly #free: { crew: Crew; number: number }[] = [];
  readonly #crews: Crew[] = [];
  readonly #doing = new Map<string, Doing>();
  /** How many lines each thread has written. */
  readonly #lines = new Map<number, number>();
  /** That of its kind, and its own. */
  readonly #queues: QueueWorker[] = [];
  readonly #slots: Slots;
  /** Connections that were made of that one, also by queues, which cannot end theirs where Redis is away. */
  readonly #others: Redis[] = [];
  #beat: ReturnType<typeof setInterval> | undefined;
  /** When Redis came back last. */
  #since = 0;
  #identity = '';
  #closed: Promise<void> | undefined;
  #tally = { done: 0, stopped: 0 };
  #saying: ReturnType<typeof setTimeout> | undefined;
  #ending = false;
  /** Ends without waiting for what it has. */
  #leaving = false;
  /** Ends the waiting for Redis. */
  #giveUp = (): void => {};
  #DelayedError: (new () => Error) | undefined;

  constructor(redis: Redis, address: Address, options: ClusterWorkerOptions) {
    this.#redis = redis;
    this.#address = address;
    this.#options = options;
    const {
      prefix = 'cipherloom',
      kind = 'cpu',
      threads: count = 1,
      allow = [],
      files = [],
      store,
      cache = CACHE,
    } = options;
    this.#names = new Names(prefix);
    this.#kind = kind;
    this.#lease = options.lease ?? LEASE_MS;
    this.#count = count;
    this.#slots = new Slots(() => count);
    this.#allowed = allow === 'any' ? 'any' : { hashes: new Set(allow), folders: files };
    this.#store = new CachedStore(store, cache);
  }

  async start(): Promise<void> {
    const { crew = threadsOf } = this.#options;
    this.#identity = await this.#options.store.identity();
    const last = Number(await this.#redis.call('INCRBY', this.#names.threads, this.#count));
    this.first = last - this.#count;
    for (let index = 0; index < this.#count; index++) {
      const own = crew(this.#store, this.#kind);
      this.#crews.push(own);
      this.#free.push({ crew: own, number: this.first + index });
    }
    const { duplicate } = this.#redis;
    this.#redis.duplicate = (...settings) => {
      const other = duplicate.apply(this.#redis, settings);
      this.#others.push(other);
      return other;
    };
    let lost = false;
    this.#redis.on('close', () => {
      if (!lost && !this.#ending) this.#print(`Redis at ${this.#address.shown} is lost: connecting again`);
      lost = true;
      this.#look();
    });
    this.#redis.on('ready', () => {
      if (lost) this.#print(`Redis at ${this.#address.shown} is back`);
      lost = false;
      this.#since = Date.now();
    });
    await this.#hearStops();
    await this.#tellOfLife();
    this.#beat = setInterval(() => void this.#eachBeat(), Math.min(BEAT_MS, this.#lease / BEATS));
    const { Worker, DelayedError } = await libraries();
    this.#DelayedError = DelayedError;
    const names = this.#names;
    const common = names.queue(this.#version, this.#kind);
    const own = names.own(this.#version, this.#kind, this.#id);
    for (const [name, looks] of [
      [common, 1],
      [own, OWN_LOOKS],
    ] as const) {
      const queue = new Worker(name, (job, token) => this.#process(job, token), {
        connection: this.#redis,
        prefix: names.prefix,
        concurrency: this.#count,
        lockDuration: Math.round(this.#lease),
        stalledInterval: Math.round((this.#lease / 3) * looks),
        // How many workers may die of a task is counted by `begin`: an outage of Redis is nobody's death.
        maxStalledCount: 1e9,
        drainDelay: 2 * looks,
        runRetryDelay: 500,
      });
      queue.on('error', ({ message }) => {
        // Connections mend themselves, and what there is to say of a lost one was said above.
        if (this.#redis.status === 'ready' && !CONNECTION.test(message)) this.#print(`the queue: ${message}`);
      });
      queue.on('stalled', (id) => this.#print(`taken from a worker that is gone: ${id}`));
      this.#queues.push(queue);
    }
    this.#print(
      `worker ${this.first} (cipherloom ${this.#version}, ${this.#kind}, ${this.#count} at once) waits for tasks of ${this.#names.prefix} on ${this.#address.shown}; chunks in ${this.#identity}`,
    );
  }

  close(now = false): Promise<void> {
    this.#leaving ||= now;
    if (now) for (const { stop } of this.#doing.values()) stop.abort(new Error('the worker ends'));
    this.#closed ??= this.#close();
    // Time to give back what it has, if Redis answers.
    if (now) setTimeout(() => this.#giveUp(), LEAVE_MS).unref();
    this.#look();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#ending = true;
    const gaveUp = new Promise<void>((resolve) => (this.#giveUp = resolve));
    if (this.#doing.size > 0 && !this.#leaving) this.#print(`ends after ${this.#doing.size} more tasks`);
    const force = this.#isDone();
    const ended = Promise.all(this.#queues.map((queue) => queue.close(force).catch(() => {})));
    await Promise.race([ended, gaveUp]);
    clearInterval(this.#beat);
    await Promise.race([this.#signOff(), gaveUp]);
    await Promise.all(this.#crews.map((crew) => crew.close()));
    for (const one of [...this.#others, this.#redis]) one.disconnect();
    this.#say();
    this.#print(`worker ${this.first} ended`);
  }

  async #signOff(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    await this.#redis.call('ZREM', this.#names.beats, this.#id).catch(() => {});
    await this.#redis.call('HDEL', this.#names.workers, this.#id).catch(() => {});
    // Nobody else comes to its own queue.
    const own = `${this.#names.prefix}:${this.#names.own(this.#version, this.#kind, this.#id)}`;
    await this.#redis.call('UNLINK', ...OWN_KEYS.map((key) => `${own}:${key}`)).catch(() => {});
  }

  /** Nothing is left to wait for but a Redis that is away. What it has of this worker's comes to others by itself. */
  #isDone(): boolean {
    return this.#redis.status !== 'ready' && (this.#leaving || this.#doing.size === 0);
  }

  #look(): void {
    if (this.#isDone()) this.#giveUp();
  }

  /** One job of BullMQ: a task, or a second run of one. */
  async #process(job: Job, token: string): Promise<void> {
    const id = job.id as string;
    const message = job.data as TaskMessage;
    const already = this.#doing.get(id);
    // Redis was away for so long that the task went back into the queue, and came to the same worker.
    if (already !== undefined) return already.done;
    const { run, field, copy, attempts } = message;
    const begun = await BEGIN.run(this.#redis, this.#keys(run, 'begin'), [
      field,
      copy,
      this.#id,
      attempts,
      // After an outage all are late with their signs of life.
      Date.now() - this.#since > SETTLED_MS ? Math.round(DEAD * this.#lease) : 0,
      JSON.stringify({ event: 'started', field, copy, worker: this.#id } satisfies TaskEvent),
    ]);
    if (begun === 'done') return;
    if (begun === 'own') {
      // The second run of a task is for another machine.
      await job.moveToDelayed(Date.now() + BOUNCE_MS, token);
      throw new (this.#DelayedError as new () => Error)();
    }
    const stop = new AbortController();
    let ended = (): void => {};
    const done = new Promise<void>((resolve) => (ended = resolve));
    this.#doing.set(id, { run, field, stop, done });
    try {
      const outcome =
        begun === 'dead'
          ? { error: died(message), manager: message.manager }
          : await this.#done(message, stop.signal);
      if (outcome === undefined && this.#leaving) await this.#giveBack(message, job, token);
      this.#sum(outcome, message);
      // Others may be able to do what a second run failed at.
      if (outcome === undefined || (copy > 0 && 'error' in outcome)) return;
      await this.#write(message, outcome, stop.signal);
    } finally {
      this.#doing.delete(id);
      ended();
      this.#look();
    }
  }

  /** Has a task done. Nothing, where nobody waits for it any more. */
  async #done(message: TaskMessage, stopped: AbortSignal): Promise<Outcome | undefined> {
    const { run, field, task, store, timeout } = message;
    // Both queues together may give more than there are threads.
    try {
      await this.#slots.take(stopped);
    } catch {
      return undefined;
    }
    const slot = this.#free.shift() as { crew: Crew; number: number };
    const lines = new Lines((some) => this.#tell(run, { event: 'lines', field, lines: some }));
    const limit = timeout === undefined ? stopped : AbortSignal.any([stopped, AbortSignal.timeout(timeout)]);
    const log = (line: LogLine): void => {
      const count = this.#lines.get(slot.number) ?? 0;
      this.#lines.set(slot.number, count + 1);
      lines.add({ ...line, worker: slot.number, line: count });
    };
    try {
      if (store !== this.#identity) throw otherStore(this.#identity, store);
      await admit(task, this.#allowed);
      // The crew has one worker, which does all parts and lanes that come to it.
      const own = { ...task, part: task.part, lane: 0, pinned: false };
      const result = await slot.crew.run(own, { signal: limit, log });
      return { result: { ...result, worker: slot.number } satisfies TaskResult };
    } catch (error) {
      if (stopped.aborted) return undefined;
      const failed = limit.aborted ? tooLong(message) : error;
      return { error: recordOf(failed, message, slot.number), manager: message.manager };
    } finally {
      await lines.flush();
      this.#free.push(slot);
      this.#slots.give();
    }
  }

  /** Puts a task back into its queue: nobody died of it. */
  async #giveBack({ run, field, copy }: TaskMessage, job: Job, token: string): Promise<never> {
    await this.#redis.call('HDEL', this.#names.held(run), `${field} ${copy}`);
    await job.moveToDelayed(Date.now(), token);
    throw new (this.#DelayedError as new () => Error)();
  }

  /** Writes an outcome down, as long as it takes. */
  async #write(message: TaskMessage, outcome: Outcome, stopped: AbortSignal): Promise<void> {
    const { run, field, copy } = message;
    const event: TaskEvent = { event: 'outcome', field, outcome };
    while (!stopped.aborted) {
      try {
        await FINISH.run(this.#redis, this.#keys(run, 'finish'), [
          field,
          copy,
          JSON.stringify(outcome),
          JSON.stringify(event),
        ]);
        return;
      } catch (error) {
        this.#print(`${field}: its outcome cannot be written yet: ${(error as Error).message}`);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #keys(run: string, of: 'begin' | 'finish'): string[] {
    const names = this.#names;
    const keys = [names.outcomes(run), names.held(run), names.deaths(run), names.events(run)];
    return of === 'begin' ? [...keys, names.beats, names.news(run)] : [...keys, names.news(run)];
  }

  async #tell(run: string, event: TaskEvent): Promise<void> {
    try {
      await this.#redis.call(
        'XADD',
        this.#names.events(run),
        'MAXLEN',
        '~',
        100_000,
        '*',
        'e',
        JSON.stringify(event),
      );
      await this.#redis.call('PUBLISH', this.#names.news(run), '');
    } catch {
      // Lines of a log do not stop a task; that Redis is full, its outcome says.
    }
  }

  async #hearStops(): Promise<void> {
    const stops = await another(this.#redis, this.#address);
    stops.on('message', (_, text) => {
      let told: Stop;
      try {
        told = JSON.parse(text) as Stop;
      } catch {
        return;
      }
      const { run, field } = told;
      for (const doing of this.#doing.values())
        if (doing.run === run && doing.field === field) doing.stop.abort(new Error('nobody waits for it'));
    });
    await stops.subscribe(this.#names.stops);
  }

  async #eachBeat(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    try {
      await this.#tellOfLife();
      // What was told while nobody could hear it.
      for (const { run, field, stop } of [...this.#doing.values()])
        if (await this.#redis.call('HEXISTS', this.#names.outcomes(run), field))
          stop.abort(new Error('nobody waits for it'));
    } catch {
      // The next second tries again.
    }
  }

  async #tellOfLife(): Promise<void> {
    const info: WorkerInfo = {
      version: this.#version,
      kind: this.#kind,
      threads: this.#count,
      first: this.first,
      host: hostname(),
      pid: process.pid,
    };
    await BEAT.run(this.#redis, [this.#names.workers, this.#names.beats], [this.#id, JSON.stringify(info)]);
  }

  /** Says now and then what was done, and at once what failed. */
  #sum(outcome: Outcome | undefined, { run, task }: TaskMessage): void {
    if (outcome !== undefined && 'error' in outcome) {
      const { code, message } = outcome.error;
      this.#print(`run ${run}, task ${task.id}: ${message} [${code}]`);
    }
    if (outcome !== undefined && 'result' in outcome) this.#tally.done += 1;
    if (outcome === undefined) this.#tally.stopped += 1;
    this.#saying ??= setTimeout(() => this.#say(), SAY_MS).unref();
  }

  #say(): void {
    clearTimeout(this.#saying);
    this.#saying = undefined;
    const { done, stopped } = this.#tally;
    this.#tally = { done: 0, stopped: 0 };
    if (done + stopped > 0)
      this.#print(
        `${done} tasks done${stopped > 0 ? `, ${stopped} stopped since nobody waited for them` : ''}`,
      );
  }

  #print(text: string): void {
    this.#options.print?.(text);
  }
}

/** Lines that are sent some at a time. */
class Lines {
  readonly #send: (lines: readonly LogLine[]) => Promise<void>;
  #waiting: LogLine[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent: Promise<void> = Promise.resolve();

  constructor(send: (lines: readonly LogLine[]) => Promise<void>) {
    this.#send = send;
  }

  add(line: LogLine): void {
    this.#waiting.push(line);
    this.#timer ??= setTimeout(() => void this.flush(), LINES_MS);
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    // One after the other: lines of a worker come in their order.
    if (lines.length > 0) this.#sent = this.#sent.then(() => this.#send(lines));
    return this.#sent;
  }
}

/** A thread of this machine. */
function threadsOf(store: Store, kind: Kind): Crew {
  const one = kind === 'gpu' ? { cpu: 0, gpu: 1 } : { cpu: 1, gpu: 0 };
  return threads({ ...one, store });
}

/** An error as data. */
function recordOf(error: unknown, { task }: TaskMessage, worker: number): ErrorRecord {
  const { id, round, part } = task;
  const { code, message, details } =
    error instanceof CipherloomError
      ? error
      : { code: 'job.worker', message: `worker ${worker}, task ${id}: ${String(error)}`, details: {} };
  const said = JSON.parse(
    JSON.stringify(details, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
  return { code, message, details: { ...(said as ErrorRecord['details']), task: id, round, part, worker } };
}

function died({ task, attempts }: TaskMessage): ErrorRecord {
  const { id, round, part } = task;
  return {
    code: 'job.worker',
    message: `round ${round}, part ${part}: ${attempts} workers died of it`,
    details: { task: id, round, part, attempts },
  };
}

function tooLong({ task: { id, round, part }, timeout }: TaskMessage): CipherloomError {
  return failure(
    'job.timeout',
    `round ${round}, part ${part}: it took longer than ${timeout} ms, and was ended`,
    {
      task: id,
      round,
      part,
      expected: timeout,
    },
  );
}

function otherStore(found: string, expected: string): CipherloomError {
  return failure(
    'job.store',
    `this worker keeps chunks in ${found}, its manager in ${expected}: start it with the same store`,
    { found, expected },
  );
}
