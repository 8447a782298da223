/** A crew of workers on many machines, as the manager sees it: tasks go out through queues of BullMQ, outcomes come back through a stream of the run. */
import { randomUUID } from 'node:crypto';
import { CipherloomError, failure, fromRecord } from '../errors.js';
import { KINDS, type Kind } from '../job/kinds.js';
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
import { type Address, another, connect, isFull, redisError, type RedisOptions } from './redis.js';
import { redisStore } from './redis-store.js';
import { ALIVE } from './scripts.js';
import type { SharedStore } from './shared-store.js';
import { Slots } from './slots.js';
import { Durations, type Speculation } from './speculation.js';
import { packageVersion } from './version.js';

/** Settings of {@link cluster}. */
export interface ClusterOptions extends RedisOptions {
  /** What names in Redis begin with, `cipherloom` where it is not said: as the workers have it. */
  readonly prefix?: string;
  /** Where chunks lie: a store that workers have, too. The same Redis where it is not said. */
  readonly store?: SharedStore;
  /** How many workers of which kind it waits for at the start; for one of any kind where it is not said. */
  readonly workers?: Readonly<Partial<Record<Kind, number>>>;
  /** Milliseconds for which it waits for these, and later for any at all if all are gone, 30,000 where it is not said. */
  readonly wait?: number;
  /** Milliseconds for which Redis may be away in the middle of a job, 60,000 where it is not said. */
  readonly outage?: number;
  /** Tasks in queues and with workers at a time; four for each worker, and 16 at least, where it is not said. */
  readonly inFlight?: number;
  /** How many workers may die of a task before it counts as its fault, 3 where it is not said. */
  readonly attempts?: number;
  /** Of its tasks among those of other managers: 1 comes first, 2,097,151 last; 1,000 where it is not said. */
  readonly priority?: number;
  /** Milliseconds that a task may take before it is ended; as long as it likes where it is not said. */
  readonly timeout?: number;
  /** When a task that takes long is begun a second time; `false`: never. */
  readonly speculate?: Speculation | false;
  /** A name for what is computed. Under the same name a manager that starts anew takes over what was done, and what is waiting. Without one, what is left is deleted at the end. */
  readonly run?: string;
}

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

function checkOptions(options: ClusterOptions): void {
  const positive = ['wait', 'outage', 'timeout'] as const;
  for (const name of positive)
    check(name, options[name], (value) => Number.isFinite(value) && value > 0, 'a number of milliseconds');
  const whole = { inFlight: 2 ** 20, attempts: 1000, priority: 2 ** 21 - 1 } as const;
  for (const [name, most] of Object.entries(whole) as [keyof typeof whole, number][])
    check(
      name,
      options[name],
      (value) => Number.isInteger(value) && value >= 1 && value <= most,
      `a whole number from 1 to ${most}`,
    );
  for (const [kind, count] of Object.entries(options.workers ?? {})) {
    check('workers', kind, (value) => KINDS.includes(value as Kind), `kinds: ${KINDS.join(', ')}`);
    check(`workers.${kind}`, count, (value) => Number.isInteger(value) && value >= 0, 'a whole number');
  }
  const isName = (value: string): boolean => typeof value === 'string' && /^[^\s]{1,200}$/.test(value);
  check('run', options.run, isName, 'a name of 1 to 200 characters without blanks');
  check('prefix', options.prefix, isName, 'a name of 1 to 200 characters without blanks');
}

function check<T>(name: string, found: T | undefined, fits: (value: T) => boolean, expected: string): void {
  if (found === undefined || fits(found)) return;
  throw failure('job.definition', `cluster: ${name} is ${JSON.stringify(found)}, expected ${expected}`, {
    where: name,
    found,
    expected,
  });
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
  readonly #queues = new Map<Kind, Queue>();
  readonly #open = new Map<string, Open>();
  /** Tasks that were queued once: Redis may know an outcome that does not count any more. */
  readonly #seen = new Set<string>();
  readonly #slots: Slots;
  readonly #durations: Durations | undefined;
  /** Workers of each kind: of those that were there last, if there are none now. */
  readonly #counts: Partial<Record<Kind, number>> = {};
  readonly #noneSince = new Map<Kind, number>();
  #alive: readonly WorkerInfo[] = [];
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
    this.#slots = new Slots(() => options.inFlight ?? this.#bound());
    this.#durations = options.speculate === false ? undefined : new Durations(options.speculate ?? {});
  }

  get workers(): Readonly<Partial<Record<Kind, number>>> {
    return { ...this.#counts };
  }

  state(): ClusterState {
    const open = [...this.#open.values()];
    const running = open.filter(({ started }) => started.size > 0).length;
    return { ...this.#tally, waiting: open.length - running, running, workers: this.#alive };
  }

  async start(): Promise<void> {
    const { store } = this.#options;
    this.#ownStore = store === undefined;
    this.store = store ?? (await redisStore(this.#options));
    this.#identity = await this.store.identity();
    await this.#await();
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
      const field = fieldOf(task);
      let open = this.#open.get(field);
      if (open === undefined) {
        open = new Open(field, task);
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

  #bound(): number {
    const workers = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
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
      await this.#queueOf(task.kind)
    ).add('task', message, {
      jobId: this.#names.job(this.name, field, copy),
      priority,
      removeOnComplete: true,
      removeOnFail: true,
    });
    // It was cancelled on the way.
    if (open.cancelled.signal.aborted) await this.#takeBack(open);
  }

  async #queueOf(kind: Kind): Promise<Queue> {
    let queue = this.#queues.get(kind);
    if (queue === undefined) {
      const { Queue } = await libraries();
      // Another task may have been faster.
      queue =
        this.#queues.get(kind) ??
        new Queue(this.#names.queue(this.#version, kind), {
          connection: this.#redis,
          prefix: this.#names.prefix,
        });
      if (!this.#queues.has(kind)) queue.on('error', () => {});
      this.#queues.set(kind, queue);
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
    const { field, task } = open;
    const queue = await this.#queueOf(task.kind);
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
  async #takeBackOthers({ field, task, copies }: Open): Promise<void> {
    const queue = await this.#queueOf(task.kind);
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

  async #seeWorkers(): Promise<readonly WorkerInfo[]> {
    const found = (await ALIVE.run(this.#redis, [this.#names.workers, this.#names.beats], [])) as string[];
    const all = found.filter((_, index) => index % 2 === 1).map((text) => JSON.parse(text) as WorkerInfo);
    this.#alive = all;
    for (const kind of KINDS) {
      const count = all
        .filter((worker) => worker.kind === kind && worker.version === this.#version)
        .reduce((sum, { threads }) => sum + threads, 0);
      if (count > 0) this.#counts[kind] = count;
      if (count > 0) this.#noneSince.delete(kind);
      else if (!this.#noneSince.has(kind)) this.#noneSince.set(kind, Date.now());
    }
    this.#slots.refill();
    return all;
  }

  /** Waits for workers at the start. */
  async #await(): Promise<void> {
    const { workers = {}, wait = WAIT_MS } = this.#options;
    const wanted = Object.entries(workers) as [Kind, number][];
    const enough = (): boolean =>
      wanted.length > 0
        ? wanted.every(([kind, count]) => (this.#counts[kind] ?? 0) >= count)
        : Object.keys(this.#counts).length > 0;
    for (const began = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 100))) {
      await this.#seeWorkers();
      if (enough()) return;
      if (Date.now() - began > wait) throw this.#noWorkers(wanted, wait);
    }
  }

  /** Tasks for whose kind nobody has been there for a while are not waited for. */
  #missWorkers(): void {
    const { wait = WAIT_MS } = this.#options;
    for (const open of [...this.#open.values()]) {
      const { kind } = open.task;
      if (Date.now() - (this.#noneSince.get(kind) ?? Infinity) <= wait) continue;
      this.#settle(open, this.#noWorkers([[kind, 1]], wait));
      void this.#takeBack(open).catch(() => {});
    }
  }

  #noWorkers(wanted: readonly (readonly [Kind, number])[], wait: number): CipherloomError {
    const { shown } = this.#address;
    const prefix = this.#names.prefix;
    const others = [...new Set(this.#alive.map(({ version }) => version))].filter(
      (version) => version !== this.#version,
    );
    const ours = this.#alive.filter(({ version }) => version === this.#version);
    if (others.length > 0 && ours.length === 0)
      return failure(
        'job.worker',
        `the workers at ${shown} (prefix ${prefix}) are of cipherloom ${others.join(', ')}, this is ${this.#version}: have them updated`,
        { found: others, expected: this.#version },
      );
    const expected =
      wanted.map(([kind, count]) => `${count} of kind ${kind}`).join(', ') || 'one of any kind';
    const found =
      Object.entries(this.#counts)
        .map(([kind, count]) => `${count} of kind ${kind}`)
        .join(', ') || 'none';
    return failure(
      'job.kind',
      `waited ${wait} ms for workers at ${shown} (prefix ${prefix}): expected ${expected}, found ${ours.length > 0 ? found : 'none'}. Start them: npx cipherloom worker --redis URL`,
      { found: this.#alive, expected: Object.fromEntries(wanted) },
    );
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

  async #isQueued({ field, task, copies }: Open): Promise<boolean> {
    const queue = await this.#queueOf(task.kind);
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
    const free = new Map(Object.entries(this.#counts));
    for (const { task, copies } of this.#open.values())
      free.set(task.kind, (free.get(task.kind) ?? 0) - copies);
    for (const open of [...this.#open.values()]) {
      const began = open.started.get(0);
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
function fieldOf(task: Task): string {
  const text = JSON.stringify(task).replace(/([0-9a-f]{64})-[0-9a-f]{16}/g, '$1');
  return `${task.id}.${hashOf(text).slice(0, 16)}`;
}

function checkTask({ id, round, work, pinned }: Task): void {
  if (work.do === 'file' && typeof work.file !== 'string')
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
  if (pinned)
    throw failure(
      'job.definition',
      `round ${round}: a directory of each worker's own (shared: false) needs workers that can be told apart, which those of a cluster cannot; put the files where all workers see them`,
      { task: id, round, found: 'shared: false', expected: 'shared: true' },
    );
}

function closed(): CipherloomError {
  return failure('disposed', 'The crew was closed', {});
}
