/** A crew of workers on many machines, as the manager sees it: tasks go out through queues of BullMQ, outcomes come back through a stream of the run. */
import { randomUUID } from 'node:crypto';
import { CipherloomError, failure, fromRecord } from '../errors.js';
import { countWorkers, type Kind } from '../job/kinds.js';
import type { Crew, Hearing, Task, TaskResult } from '../job/work.js';
import { Journal } from './journal.js';
import { libraries, type Queue, type Redis } from './libraries.js';
import {
  Names,
  type Outcome,
  type Stop,
  type TaskEvent,
  type TaskMessage,
  type WorkerInfo,
} from './messages.js';
import { hashOf } from './named.js';
import { onAbort } from './on-abort.js';
import { checkOptions, type ClusterOptions } from './options.js';
import { type Address, another, connect, isFull, redisError } from './redis.js';
import { redisStore } from './redis-store.js';
import { Roll } from './roll.js';
import type { SharedStore } from './shared-store.js';
import { Slots } from './slots.js';
import { Durations } from './speculation.js';
import { packageVersion } from './version.js';

/** How a cluster stands. */
export interface ClusterState {
  /** Tasks that are queued and not begun, that somebody does, and that are done. */
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** Of those done: taken over from an earlier manager of the run. */
  readonly taken: number;
  /** Second runs that were begun since a task took long. */
  readonly second: number;
  /** Tasks that were queued again since Redis had lost them. */
  readonly again: number;
  /** Worker processes that live. */
  readonly workers: readonly WorkerInfo[];
}

/** A crew of workers on many machines. */
export interface ClusterCrew extends Crew {
  /** The name of what is computed. */
  readonly name: string;
  readonly store: SharedStore;
  /** How it stands, as of the last second. */
  state(): ClusterState;
  /** Lets go of the cluster: takes back what is queued, and closes connections. Workers go on, for others. */
  close(): Promise<void>;
}

const WAIT_MS = 30_000;
const OUTAGE_MS = 60_000;
const ATTEMPTS = 3;
const PRIORITY = 1000;
/** Tasks in flight: for each worker, and at least. */
const IN_FLIGHT = { each: 4, least: 16 };
const WATCH_MS = 1000;
/** After which no answer is none. */
const SILENCE_MS = 5000;
/** After which it is looked whether a task is still known to Redis. */
const LOOK_MS = 5000;
/** Seconds for which a worker that has a directory of its own may be away, beyond its signs of life. */
const MISSED = 5;
/** For which Redis may be full: what is dropped makes room. */
const FULL_MS = 5000;
/** For which one that closes still talks to Redis. */
const CLOSE_MS = 2000;
/** Tasks that are asked for at once. */
const SOME = 500;

/**
 * A crew of the workers that listen on a Redis (`npx cipherloom worker` on each machine). Errors: JobError `job.store` (Redis does not answer within `connectTimeout`, does not accept user or password, or the libraries are not
 * installed), `job.kind` (no such workers within `wait`), `job.worker` (workers of another version only), `job.definition` (settings). Its `run` gives beside these `job.store` if Redis is full, or away for longer than `outage`.
 */
export async function cluster(options: ClusterOptions): Promise<ClusterCrew> {
  checkOptions(options);
  const { redis, address } = await connect(options);
  const crew = new Managing(redis, address, options);
  try {
    await crew.start();
  } catch (error) {
    await crew.close();
    throw redisError(error, address);
  }
  return crew;
}

/** Who waits for a task. */
interface Listener {
  readonly hearing: Hearing;
  resolve(result: TaskResult): void;
  reject(reason: unknown): void;
}

/** A task whose outcome is not known. */
class Open {
  readonly listeners = new Set<Listener>();
  /** Nobody waits for it any more. */
  readonly cancelled = new AbortController();
  /** When somebody began it, by copy. */
  readonly started = new Map<number, number>();
  /** How many runs of it were queued. */
  copies = 0;
  hasSlot = false;
  looked = 0;
  /** The only process that can do it. */
  only: string | undefined;
  /** How often that was looked for, and not found. */
  missed = 0;

  constructor(
    readonly field: string,
    readonly task: Task,
  ) {}

  /** Tasks that take about as long. */
  get group(): string {
    const { kind, round, work } = this.task;
    return `${kind} ${round} ${work.do}`;
  }
}

class Managing implements ClusterCrew {
  readonly name: string;
  store!: SharedStore;
  readonly #redis: Redis;
  readonly #address: Address;
  readonly #options: ClusterOptions;
  readonly #names: Names;
  readonly #journal: Journal;
  readonly #version = packageVersion();
  /** By name. */
  readonly #queues = new Map<string, Queue>();
  readonly #roll: Roll;
  readonly #open = new Map<string, Open>();
  /** Tasks that were queued once: Redis may know an outcome that does not count any more. */
  readonly #seen = new Set<string>();
  readonly #slots: Slots;
  readonly #durations: Durations | undefined;
  #identity = '';
  #ownStore = false;
  #news: Redis | undefined;
  #last = '0-0';
  #reading: Promise<void> | undefined;
  #readAgain = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answered = Date.now();
  #fullSince: number | undefined;
  #closed: Promise<void> | undefined;
  #tally = { done: 0, taken: 0, second: 0, again: 0 };

  constructor(redis: Redis, address: Address, options: ClusterOptions) {
    this.#redis = redis;
    this.#address = address;
    this.#options = options;
    this.name = options.run ?? randomUUID();
    this.#names = new Names(options.prefix ?? 'cipherloom');
    this.#journal = new Journal(redis, this.#names, this.name);
    this.#roll = new Roll(redis, address, this.#names, this.#version);
    this.#slots = new Slots(() => options.inFlight ?? this.#bound());
    this.#durations = options.speculate === false ? undefined : new Durations(options.speculate ?? {});
  }

  get workers(): Readonly<Partial<Record<Kind, number>>> {
    return { ...this.#roll.counts };
  }

  state(): ClusterState {
    const open = [...this.#open.values()];
    const running = open.filter(({ started }) => started.size > 0).length;
    return { ...this.#tally, waiting: open.length - running, running, workers: this.#roll.infos() };
  }

  async start(): Promise<void> {
    const { store } = this.#options;
    this.#ownStore = store === undefined;
    this.store = store ?? (await redisStore(this.#options));
    this.#identity = await this.store.identity();
    await this.#roll.wait(this.#options.workers ?? {}, this.#options.wait ?? WAIT_MS);
    if (this.#options.run !== undefined) await this.#journal.load();
    this.#last = await this.#journal.lastEvent();
    this.#news = await another(this.#redis, this.#address);
    this.#news.on('message', () => void this.#read().catch(() => {}));
    await this.#news.subscribe(this.#names.news(this.name));
    this.#answered = Date.now();
    this.#watchLater();
  }

  run(task: Task, hearing: Hearing): Promise<TaskResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw closed();
      hearing.signal.throwIfAborted();
      checkTask(task);
      const only = this.#onlyOf(task);
      if (only?.leads === false) return resolve(nothing(task));
      const field = fieldOf(task, only?.id);
      let open = this.#open.get(field);
      if (open === undefined) {
        open = new Open(field, task);
        open.only = only?.id;
        this.#open.set(field, open);
        void this.#begin(open);
      }
      this.#listen(open, { hearing, resolve, reject });
    });
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const open = [...this.#open.values()];
    for (const one of open) this.#settle(one, closed());
    if (this.#redis.status === 'ready') {
      const ending = Promise.all(open.map((one) => this.#takeBack(one))).then(async () => {
        if (this.#options.run === undefined) await this.#journal.delete();
        for (const queue of this.#queues.values()) await queue.close();
      });
      await within(ending, CLOSE_MS).catch(() => {});
    }
    this.#news?.disconnect();
    this.#redis.disconnect();
    if (this.#ownStore) await this.store?.close();
  }

  /** The process that has a part which no other can do. */
  #onlyOf(task: Task): { readonly id: string; readonly leads: boolean } | undefined {
    const { id, kind, round, part, pinned } = task;
    if (!pinned) return undefined;
    if (![...this.#open.values()].some(({ only }) => only !== undefined) && part === 0)
      this.#roll.own.forget();
    const only = this.#roll.own.of(kind, part);
    if (only === undefined) throw gone(id, round, part);
    return only;
  }

  #bound(): number {
    const workers = countWorkers(this.#roll.counts);
    return Math.max(IN_FLIGHT.least, IN_FLIGHT.each * workers);
  }

  #listen(open: Open, { hearing, resolve, reject }: Listener): void {
    const { signal } = hearing;
    const listener: Listener = {
      hearing,
      resolve: (result) => {
        forget();
        resolve(result);
      },
      reject: (reason) => {
        forget();
        reject(reason);
      },
    };
    const forget = onAbort(signal, () => {
      open.listeners.delete(listener);
      listener.reject(signal.reason);
      if (open.listeners.size > 0 || this.#open.get(open.field) !== open) return;
      this.#settle(open, signal.reason);
      void this.#takeBack(open).catch(() => {});
    });
    open.listeners.add(listener);
  }

  /** Finds the outcome of a task in the journal, or queues it. */
  async #begin(open: Open): Promise<void> {
    try {
      const known = this.#journal.take(open.field);
      // Its chunks may have been dropped since.
      if (known !== undefined && (await this.store.has(known.chunks.map(({ ref }) => ref)))) {
        this.#tally.taken += 1;
        this.#settle(open, { result: known });
        return;
      }
      await this.#slots.take(open.cancelled.signal);
      open.hasSlot = true;
      if (open.cancelled.signal.aborted) return this.#giveSlot(open);
      if (known !== undefined || this.#seen.has(open.field)) await this.#journal.forget(open.field);
      this.#seen.add(open.field);
      await this.#queue(open, 0);
    } catch (error) {
      this.#settle(open, redisError(error, this.#address));
    }
  }

  async #queue({ field, task }: Open, copy: number): Promise<void> {
    const { attempts = ATTEMPTS, priority = PRIORITY, timeout } = this.#options;
    const open = this.#open.get(field);
    if (open === undefined) return;
    open.copies = Math.max(open.copies, copy + 1);
    open.looked = Date.now();
    const message: TaskMessage = {
      run: this.name,
      field,
      copy,
      task,
      store: this.#identity,
      attempts,
      ...(timeout !== undefined && { timeout }),
    };
    await (
      await this.#queueOf(open)
    ).add('task', message, {
      jobId: this.#names.job(this.name, field, copy),
      priority,
      removeOnComplete: true,
      removeOnFail: true,
    });
    // It was cancelled on the way.
    if (open.cancelled.signal.aborted) await this.#takeBack(open);
  }

  async #queueOf({ task: { kind }, only }: Open): Promise<Queue> {
    const name =
      only === undefined
        ? this.#names.queue(this.#version, kind)
        : this.#names.own(this.#version, kind, only);
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      const { Queue } = await libraries();
      // Another task may have been faster.
      queue =
        this.#queues.get(name) ??
        new Queue(name, {
          connection: this.#redis,
          prefix: this.#names.prefix,
        });
      if (!this.#queues.has(name)) queue.on('error', () => {});
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** Ends the waiting for a task: with its outcome, or an error. The first time counts. */
  #settle(open: Open, outcome: Outcome | Error | unknown): void {
    if (this.#open.get(open.field) !== open) return;
    this.#open.delete(open.field);
    open.cancelled.abort();
    this.#giveSlot(open);
    const found = outcome as Partial<{ result: TaskResult; error: Parameters<typeof fromRecord>[0] }>;
    const { result } = found;
    if (!(outcome instanceof Error) && result !== undefined) {
      this.#tally.done += 1;
      for (const listener of open.listeners) listener.resolve(result);
    } else {
      const error = outcome instanceof Error || found.error === undefined ? outcome : fromRecord(found.error);
      for (const listener of open.listeners) listener.reject(error);
    }
    open.listeners.clear();
  }

  #giveSlot(open: Open): void {
    if (!open.hasSlot) return;
    open.hasSlot = false;
    this.#slots.give();
  }

  /** Removes what is queued of a task, and tells those who do it. */
  async #takeBack(open: Open): Promise<void> {
    if (open.copies === 0) return;
    const { field } = open;
    const queue = await this.#queueOf(open);
    let removed = 0;
    for (let copy = 0; copy < open.copies; copy++)
      removed += await queue.remove(this.#names.job(this.name, field, copy));
    if (removed === open.copies) return;
    // Who begins it in this very moment finds that.
    await this.#journal.cancel(field);
    await this.#tellStop(field);
  }

  async #tellStop(field: string): Promise<void> {
    await this.#redis.call(
      'PUBLISH',
      this.#names.stops,
      JSON.stringify({ run: this.name, field } satisfies Stop),
    );
  }

  /** Reads what is new in the stream, to its end. */
  #read(): Promise<void> {
    this.#readAgain = true;
    return (this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined)));
  }

  async #readAll(): Promise<void> {
    while (this.#readAgain) {
      this.#readAgain = false;
      // Clients' versions differ in what XREAD gives.
      const entries = (await this.#redis.call(
        'XRANGE',
        this.#names.events(this.name),
        `(${this.#last}`,
        '+',
        'COUNT',
        SOME,
      )) as [string, string[]][];
      for (const [id, [, text]] of entries) {
        this.#last = id;
        this.#hear(JSON.parse(text as string) as TaskEvent);
      }
      if (entries.length > 0) this.#readAgain = true;
    }
  }

  #hear(event: TaskEvent): void {
    const open = this.#open.get(event.field);
    // Of a second run that was slower, or of a task that nobody waits for.
    if (open === undefined) return;
    switch (event.event) {
      case 'started':
        open.started.set(event.copy, Date.now());
        return;
      case 'lines':
        for (const line of event.lines) for (const { hearing } of open.listeners) hearing.log(line);
        return;
      case 'outcome':
        this.#outcome(open, event.outcome);
    }
  }

  #outcome(open: Open, outcome: Outcome): void {
    // Another manager of the run took it back: whoever still waits has it done.
    if ('cancelled' in outcome) {
      void this.#journal
        .forget(open.field)
        .then(() => this.#queue(open, 0))
        .catch(() => {});
      return;
    }
    const began = Math.min(...open.started.values());
    if ('result' in outcome && open.started.size > 0) this.#durations?.add(open.group, Date.now() - began);
    this.#settle(open, outcome);
    // An error is no outcome for those who try again.
    if ('error' in outcome) void this.#journal.forget(open.field).catch(() => {});
    if (open.copies > 1) void this.#takeBackOthers(open).catch(() => {});
  }

  /** The slower run of a task that was done twice. */
  async #takeBackOthers(open: Open): Promise<void> {
    const { field, copies } = open;
    const queue = await this.#queueOf(open);
    for (let copy = 0; copy < copies; copy++) await queue.remove(this.#names.job(this.name, field, copy));
    await this.#tellStop(field);
  }

  #watchLater(): void {
    this.#timer = setTimeout(() => {
      void this.#watch().finally(() => {
        if (!this.#closed) this.#watchLater();
      });
    }, WATCH_MS);
  }

  /** Once a second: who lives, what was not heard of, what takes too long. */
  async #watch(): Promise<void> {
    const { outage = OUTAGE_MS } = this.#options;
    try {
      if (this.#redis.status !== 'ready') throw new Error('the connection is lost');
      await within(this.#look(), SILENCE_MS);
      this.#answered = Date.now();
      this.#fullSince = undefined;
    } catch (error) {
      const now = Date.now();
      if (isFull(error as Error)) {
        this.#fullSince ??= now;
        this.#answered = now;
        if (now - this.#fullSince > FULL_MS) this.#failAll(redisError(error, this.#address));
      } else if (now - this.#answered > outage) {
        const { shown } = this.#address;
        this.#failAll(
          redisError(error, this.#address, `Redis at ${shown} was away for longer than ${outage} ms`),
        );
      } else if (error === SILENCE && this.#redis.status === 'ready') {
        // A connection whose other end is gone without a word.
        this.#redis.disconnect(true);
        this.#news?.disconnect(true);
      }
    }
  }

  async #look(): Promise<void> {
    await this.#seeWorkers();
    this.#missWorkers();
    // A small write finds out whether there is room for outcomes.
    await this.#redis.call('SET', `${this.#names.events(this.name)}:manager`, '1', 'PX', 60_000);
    await this.#read();
    await this.#lookAfter();
    await this.#speculate();
  }

  #failAll(error: unknown): void {
    for (const open of [...this.#open.values()]) {
      this.#settle(open, error);
      void this.#takeBack(open).catch(() => {});
    }
  }

  async #seeWorkers(): Promise<void> {
    await this.#roll.see();
    for (const open of [...this.#open.values()]) this.#missOnly(open);
    this.#slots.refill();
  }

  /** A task that only one process can do is not waited for once that one has been gone for a while: after an outage of Redis all seem to be. */
  #missOnly(open: Open): void {
    if (open.only === undefined || this.#roll.isAlive(open.only)) open.missed = 0;
    else if (++open.missed > MISSED) {
      const { id, round, part } = open.task;
      this.#settle(open, gone(id, round, part));
      void this.#takeBack(open).catch(() => {});
    }
  }

  /** Tasks for whose kind nobody has been there for a while are not waited for. */
  #missWorkers(): void {
    const { wait = WAIT_MS } = this.#options;
    for (const open of [...this.#open.values()]) {
      const { kind } = open.task;
      if (this.#roll.missing(kind) <= wait) continue;
      this.#settle(open, this.#roll.tooFew({ [kind]: 1 }, wait));
      void this.#takeBack(open).catch(() => {});
    }
  }

  /** Tasks of which nothing was heard for a while: done without word, or lost by a Redis that was restarted. */
  async #lookAfter(): Promise<void> {
    const now = Date.now();
    const quiet = [...this.#open.values()].filter(
      ({ copies, looked }) => copies > 0 && now - looked > LOOK_MS,
    );
    for (let from = 0; from < quiet.length; from += SOME) {
      const some = quiet.slice(from, from + SOME);
      // In this order: a job goes after its outcome was written.
      const known = await Promise.all(some.map((open) => this.#isQueued(open)));
      const outcomes = await this.#journal.outcomes(some.map(({ field }) => field));
      for (const [index, open] of some.entries()) {
        open.looked = now;
        const outcome = outcomes[index];
        if (this.#open.get(open.field) !== open) continue;
        if (outcome !== undefined) this.#outcome(open, outcome);
        else if (!known[index]) {
          this.#tally.again += 1;
          open.started.clear();
          await this.#queue(open, 0);
        }
      }
    }
  }

  async #isQueued(open: Open): Promise<boolean> {
    const { field, copies } = open;
    const queue = await this.#queueOf(open);
    const keys = Array.from({ length: copies }, (_, copy) =>
      queue.toKey(this.#names.job(this.name, field, copy)),
    );
    return Number(await this.#redis.call('EXISTS', ...keys)) > 0;
  }

  /** Has tasks that take much longer than others run a second time, by whoever has nothing to do. */
  async #speculate(): Promise<void> {
    const durations = this.#durations;
    if (durations === undefined) return;
    const now = Date.now();
    const free = new Map(Object.entries(this.#roll.counts));
    for (const { task, copies } of this.#open.values())
      free.set(task.kind, (free.get(task.kind) ?? 0) - copies);
    for (const open of [...this.#open.values()]) {
      const began = open.started.get(0);
      if (open.only !== undefined) continue;
      if (began === undefined || open.copies !== 1 || !durations.isLate(open.group, now - began)) continue;
      if ((free.get(open.task.kind) ?? 0) <= 0) continue;
      free.set(open.task.kind, (free.get(open.task.kind) as number) - 1);
      this.#tally.second += 1;
      await this.#queue(open, 1);
    }
  }
}

const SILENCE = new Error('no answer');

/** A promise, or {@link SILENCE} where it takes longer. */
function within<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(SILENCE), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What is the same in two tasks that are one: numbers of stored bytes are drawn anew each time. */
function fieldOf(task: Task, only = ''): string {
  const text = (JSON.stringify(task) + only).replace(/([0-9a-f]{64})-[0-9a-f]{16}/g, '$1');
  return `${task.id}.${hashOf(text).slice(0, 16)}`;
}

function checkTask({ id, round, work }: Task): void {
  if (work.do !== 'file' || typeof work.file === 'string') return;
  throw failure(
    'job.definition',
    `round ${round}: a File of this page or process does not reach other machines`,
    {
      task: id,
      round,
      found: 'File',
      expected: 'a path that workers can read',
    },
  );
}

/** What comes of a task for a second thread of a process, whose directory is the first one's. */
function nothing({ part }: Task): TaskResult {
  return {
    chunks: [],
    template: undefined,
    aligned: false,
    files: [],
    calls: 0,
    milliseconds: 0,
    worker: part,
  };
}

function gone(task: string, round: number, part: number): CipherloomError {
  return failure(
    'job.worker',
    `round ${round}, part ${part}: the worker whose own directory this is (shared: false) is gone, and no other has it`,
    { task, round, part },
  );
}

function closed(): CipherloomError {
  return failure('disposed', 'The crew was closed', {});
}
