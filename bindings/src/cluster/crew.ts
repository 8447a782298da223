/** A crew of workers on many machines, as the manager sees it: tasks go out through queues of BullMQ, outcomes come back through a stream of the run. */
import { randomUUID } from 'node:crypto';
import { CipherloomError, failure, fromRecord } from '../errors.js';
import { countWorkers, type Kind } from '../job/kinds.js';
import type { Chunk, Crew, Hearing, Task, TaskResult } from '../job/work.js';
import { fieldOf, nameOfTask } from './fields.js';
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
import { onAbort } from '../on-abort.js';
import { checkCluster, type ClusterOptions } from './options.js';
import { type Address, another, connect, isFull, redisError } from './redis.js';
import { openRedisStore } from './redis-store.js';
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
 * installed), `job.kind` (no such workers within `wait`), `job.worker` (workers of another version only), `job.definition` (settings); InputError `input.type`, `input.option`. Its `run` gives beside these `job.store` if Redis is full, or away for longer than `outage`.
 */
export async function cluster(options: ClusterOptions): Promise<ClusterCrew> {
  checkCluster(options);
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
  /** Who waits for it; until it has ended. */
  listener: Listener | undefined;
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
  /** Its result is there, and is made its own. */
  arriving = false;

  constructor(
    readonly name: string,
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
  readonly #id = randomUUID();
  /** By field. */
  readonly #open = new Map<string, Open>();
  /** Fields of the journal that belong to a task. An equal one, of another job, has another: each job has chunks of its own, and what is heard of the one is not taken for the other. */
  readonly #used = new Set<string>();
  /** How many were equal, by name. */
  readonly #equal = new Map<string, number>();
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
    this.#journal = new Journal(redis, this.#names, this.name, this.#id);
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
    this.store = store ?? (await openRedisStore(this.#options));
    this.#identity = await this.store.identity();
    await this.#roll.wait(this.#options.workers ?? {}, this.#options.wait ?? WAIT_MS);
    if (this.#options.run !== undefined) await this.#journal.load();
    this.#last = await this.#journal.lastEvent();
    this.#news = await another(this.#redis, this.#address);
    this.#news.on('message', () => void this.#read().catch(() => {}));
    await this.#news.subscribe(this.#names.news(this.name), this.#names.manager(this.name, this.#id));
    this.#answered = Date.now();
    this.#watchLater();
  }

  async run(task: Task, hearing: Hearing): Promise<TaskResult> {
    this.#checkOpen(hearing);
    checkTask(task);
    const only = this.#onlyOf(task);
    if (only?.leads === false) return nothing(task);
    const name = nameOfTask(task, only?.id ?? '');
    const open = new Open(name, this.#fieldOf(name), task);
    open.only = only?.id;
    this.#open.set(open.field, open);
    return new Promise((resolve, reject) => {
      this.#listen(open, { hearing, resolve, reject });
      void this.#begin(open);
    });
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const open = [...this.#open.values()];
    for (const one of open) this.#settle(one, { error: closed() });
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

  #checkOpen({ signal }: Hearing): void {
    if (this.#closed) throw closed();
    signal.throwIfAborted();
  }

  #fieldOf(name: string): string {
    let number = this.#equal.get(name) ?? 0;
    while (this.#used.has(fieldOf(name, number))) number += 1;
    this.#equal.set(name, number + 1);
    const field = fieldOf(name, number);
    this.#used.add(field);
    return field;
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
    open.listener = {
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
      this.#settle(open, { error: signal.reason });
      void this.#takeBack(open).catch(() => {});
    });
  }

  /** Finds the outcome of a task in the journal, or queues it. */
  async #begin(open: Open): Promise<void> {
    try {
      if (await this.#takeOver(open)) return;
      await this.#slots.take(open.cancelled.signal);
      open.hasSlot = true;
      if (open.cancelled.signal.aborted) return this.#giveSlot(open);
      await this.#queue(open, 0);
    } catch (error) {
      this.#settle(open, { error: redisError(error, this.#address) });
    }
  }

  /** Whether an earlier manager knew its outcome. */
  async #takeOver(open: Open): Promise<boolean> {
    for (;;) {
      const known = this.#journal.take(open.name);
      if (known === undefined) return false;
      this.#used.add(known.field);
      // Its chunks may have been dropped since.
      if (await this.store.has(known.result.chunks.map(({ ref }) => ref))) {
        const own = await this.#owned(known.result);
        if (own !== undefined) {
          if (this.#deliver(open, known.result, own)) this.#tally.taken += 1;
          return true;
        }
      }
      await this.#journal.forget(known.field);
    }
  }

  /** A result whose chunks nobody else drops: copies, where they are another manager's. None where that one has dropped them. */
  async #owned(result: TaskResult): Promise<TaskResult | undefined> {
    if (this.#options.run === undefined || (await this.#journal.owns(result))) return result;
    const chunks: Chunk[] = [];
    try {
      for (const chunk of result.chunks) {
        const ref = await this.store.put(await this.store.get(chunk.ref));
        chunks.push({ ...chunk, ref });
      }
      return { ...result, chunks };
    } catch (error) {
      await this.#drop(chunks);
      if (await this.store.has(result.chunks.map(({ ref }) => ref))) throw error;
      return undefined;
    }
  }

  /** Ends the waiting for a task by a result. False where nobody waits any more: then nobody drops what was copied for it. */
  #deliver(open: Open, found: TaskResult, own: TaskResult): boolean {
    if (this.#settle(open, { result: own })) return true;
    if (own !== found) void this.#drop(own.chunks);
    return false;
  }

  async #drop(chunks: readonly Chunk[]): Promise<void> {
    await this.store.drop(chunks.map(({ ref }) => ref)).catch(() => {});
  }

  async #queue({ field, task }: Open, copy: number): Promise<void> {
    const { attempts = ATTEMPTS, priority = PRIORITY, timeout } = this.#options;
    const open = this.#open.get(field);
    if (open === undefined) return;
    open.copies = Math.max(open.copies, copy + 1);
    open.looked = Date.now();
    const message: TaskMessage = {
      run: this.name,
      manager: this.#id,
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

  /** Ends the waiting for a task: with its outcome, or an error. The first time counts: false after that. */
  #settle(open: Open, outcome: { readonly result: TaskResult } | { readonly error: unknown }): boolean {
    const { listener } = open;
    if (listener === undefined || this.#open.get(open.field) !== open) return false;
    this.#open.delete(open.field);
    open.listener = undefined;
    open.cancelled.abort();
    this.#giveSlot(open);
    if ('error' in outcome) listener.reject(outcome.error);
    else {
      this.#tally.done += 1;
      listener.resolve(outcome.result);
    }
    return true;
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
        for (const line of event.lines) open.listener?.hearing.log(line);
        return;
      case 'outcome':
        this.#outcome(open, event.outcome);
    }
  }

  #outcome(open: Open, outcome: Outcome): void {
    if (open.arriving) return;
    if ('result' in outcome) {
      const began = Math.min(...open.started.values());
      if (open.started.size > 0) this.#durations?.add(open.group, Date.now() - began);
      open.arriving = true;
      void this.#arrive(open, outcome.result);
    } else if ('cancelled' in outcome || outcome.manager !== this.#id) {
      // Another manager of the run took it back, or dropped its chunks under the worker: whoever still waits has it done with its own.
      void this.#again(open);
    } else {
      this.#settle(open, { error: fromRecord(outcome.error) });
      // An error is no outcome for those who try again.
      void this.#journal.forget(open.field).catch(() => {});
      this.#tidy(open);
    }
  }

  async #arrive(open: Open, result: TaskResult): Promise<void> {
    try {
      const own = await this.#owned(result);
      if (own !== undefined) this.#deliver(open, result, own);
      else await this.#again(open);
    } catch (error) {
      // Where Redis is full, it is looked again; for how long, `#watch` says.
      if (!isFull(error as Error)) this.#settle(open, { error: redisError(error, this.#address) });
    }
    open.arriving = false;
    this.#tidy(open);
  }

  /** What is known of it does not count: it is queued anew. */
  async #again(open: Open): Promise<void> {
    open.looked = Date.now();
    await this.#journal
      .forget(open.field)
      // Who waits for a slot queues it when there is one.
      .then(() => (open.hasSlot ? this.#queue(open, 0) : undefined))
      .catch(() => {});
  }

  #tidy(open: Open): void {
    if (this.#open.get(open.field) !== open && open.copies > 1)
      void this.#takeBackOthers(open).catch(() => {});
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
      this.#settle(open, { error });
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
      this.#settle(open, { error: gone(id, round, part) });
      void this.#takeBack(open).catch(() => {});
    }
  }

  /** Tasks for whose kind nobody has been there for a while are not waited for. */
  #missWorkers(): void {
    const { wait = WAIT_MS } = this.#options;
    for (const open of [...this.#open.values()]) {
      const { kind } = open.task;
      if (this.#roll.missing(kind) <= wait) continue;
      this.#settle(open, { error: this.#roll.tooFew({ [kind]: 1 }, wait) });
      void this.#takeBack(open).catch(() => {});
    }
  }

  /** Tasks of which nothing was heard for a while: done without word, or lost by a Redis that was restarted. */
  async #lookAfter(): Promise<void> {
    const now = Date.now();
    const quiet = [...this.#open.values()].filter(
      ({ arriving, copies, looked }) => !arriving && copies > 0 && now - looked > LOOK_MS,
    );
    for (let from = 0; from < quiet.length; from += SOME) {
      const some = quiet.slice(from, from + SOME);
      // In this order: a job goes after its outcome was written.
      const known = await Promise.all(some.map((open) => this.#isQueued(open)));
      const outcomes = await this.#journal.outcomes(some.map(({ field }) => field));
      for (const [index, open] of some.entries()) {
        open.looked = now;
        const outcome = outcomes[index];
        if (open.arriving || this.#open.get(open.field) !== open) continue;
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
      if (open.only !== undefined || open.arriving) continue;
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
