/** An explorer's loop: takes tasks of its class from a service, measures, signs, and brings what came of it. In Node, or in a page whose visitor agreed. */
import { checkArgument, checkOptions, describe } from '../arguments.js';
import { CipherloomError } from '../errors.js';
import { hashOf } from './consent.js';
import { checkKey } from './key.js';
import type { OperatorKey } from './key.js';
import { RUN_EXPLORER } from './options.js';
import { checkBest, KINDS } from './record.js';
import type { Best, Explorer, TuneRecord } from './record.js';
import { checkOrigin, isPassing, sendForJson } from './requests.js';
import type { Sent } from './requests.js';
import { authorization, signRecord } from './sign.js';
import type { ExplorerKeys } from './sign.js';
import { checkNumber, wrong } from './wrong.js';

/** Settings of {@link runExplorer}. */
export interface ExplorerOptions {
  readonly url: string;
  /** Keys of this device alone: a service knows one class of each. */
  readonly keys: ExplorerKeys;
  readonly explorer: Explorer;
  /** Of the package and its kernels: what a measurement is true of. */
  readonly version: string;
  /** Operators in one task, at most. Default 8. */
  readonly room?: number | undefined;
  /** Ends it: the task under way is given back. */
  readonly signal: AbortSignal;
  /** Milliseconds for an answer, beyond those of waiting. Default 10 000. */
  readonly timeout?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Told of what happens. */
  readonly onEvent?: ((event: ExplorerEvent) => void) | undefined;
}

/** What happens at an explorer. */
export type ExplorerEvent =
  | { readonly what: 'registered'; readonly allowed: boolean }
  | { readonly what: 'task'; readonly id: string; readonly operators: readonly OperatorKey[] }
  | { readonly what: 'brought'; readonly key: OperatorKey; readonly record: TuneRecord | undefined }
  /** A service that does not answer, a result that came too late. It goes on. */
  | { readonly what: 'trouble'; readonly error: unknown };

interface Task {
  readonly id: string;
  /** Milliseconds after which it is somebody else's, if nothing is heard. */
  readonly lease: number;
  readonly operators: readonly { readonly name: string; readonly key: OperatorKey }[];
}

/** How long a request for a task waits at the service. */
const WAIT_MS = 25_000;
const [PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000];
const MOST_REASON = 500;

/**
 * Explores until the signal ends it. One operator after the other: two that are measured at once measure each other. Where a service does not answer, or fails, it tries
 * again, later each time; where it refuses what was found of an operator, that operator is brought as a failure. Errors: TuneError `tune.option`; InputError `input.type`, `input.option`; `tune.signature`
 * where the service knows the explorer and takes nothing from it; `tune.device` where it knows it as one of another class; `tune.service` where it refuses to give tasks.
 */
export async function runExplorer(options: ExplorerOptions): Promise<void> {
  checkOptions('runExplorer', options, RUN_EXPLORER);
  for (const name of ['keys', 'explorer', 'version', 'signal'] as const)
    checkArgument(`runExplorer, option ${name}`, options[name], RUN_EXPLORER[name]);
  const { keys, explorer, signal, onEvent } = options;
  const room = checkNumber('tune.option', 'room', options.room ?? 8, 1, 64, true);
  const timeout = checkNumber('tune.option', 'timeout', options.timeout ?? 10_000, 1, 600_000);
  const connection = { url: checkOrigin(options.url), timeout, fetch: options.fetch };
  const call = async (sent: Omit<Sent, 'authorization'>): Promise<unknown> => {
    const { method, path, body } = sent;
    const signed = { origin: connection.url, method, path, at: Date.now(), body: body ?? null };
    return sendForJson(connection, { ...sent, authorization: await authorization(keys, signed) });
  };
  let pause = PAUSE_MS;
  /** Tries until it works: a service may be restarted, a network come back. */
  const persist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const done = await work();
        pause = PAUSE_MS;
        return done;
      } catch (error) {
        signal.throwIfAborted();
        // Whatever the service says for certain stays so.
        if (!isPassing(error)) throw error;
        onEvent?.({ what: 'trouble', error });
        await sleep(pause, signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  };

  /** Brings what was found. Errors: what the service says for certain; code of the explorer that is other code. */
  const bring = async (
    key: OperatorKey,
    best: Best,
    path: string,
    life: AbortSignal,
  ): Promise<TuneRecord> => {
    const unsigned = { key, best, at: Date.now(), version: options.version, explorer: keys.publicKey };
    const record = await signRecord(unsigned, keys);
    for (const hash of new Set(KINDS.flatMap((kind) => best[kind]?.code ?? []))) {
      const bytes = await explorer.code?.(hash);
      if (bytes === undefined) continue;
      if ((await hashOf(bytes)) !== hash)
        throw wrong('tune.code', 'code of the explorer', 'other bytes', hash);
      await persist(() => call({ method: 'PUT', path: `/v1/code/${hash}`, bytes, signal: life }));
    }
    await persist(() => call({ method: 'PUT', path, body: { record }, signal: life }));
    return record;
  };

  const explore = async (task: Task, life: AbortSignal): Promise<void> => {
    for (const { name, key } of task.operators) {
      const path = `/v1/tasks/${task.id}/results/${name}`;
      let found = await bestOf(explorer, key, life);
      life.throwIfAborted();
      let record: TuneRecord | undefined;
      if (!(found instanceof Error))
        try {
          record = await bring(key, found, path, life);
        } catch (error) {
          life.throwIfAborted();
          if (isOver(error)) throw error;
          onEvent?.({ what: 'trouble', error });
          found = error instanceof Error ? error : new Error(describe(error));
        }
      if (found instanceof Error) {
        const failure = { reason: found.message.slice(0, MOST_REASON) || 'no reason' };
        await persist(() => call({ method: 'PUT', path, body: { failure }, signal: life }));
      }
      onEvent?.({ what: 'brought', key, record });
    }
  };

  let troubles = 0;
  try {
    const registration = { device: explorer.device, room };
    const registered = await persist(() =>
      call({ method: 'POST', path: '/v1/explorers', body: registration, signal }),
    );
    const allowed = (registered as { allowed?: unknown } | undefined)?.allowed === true;
    onEvent?.({ what: 'registered', allowed });
    if (!allowed)
      throw wrong(
        'tune.signature',
        'explorer',
        keys.publicKey,
        'one that the operator of the service has allowed',
      );
    for (;;) {
      signal.throwIfAborted();
      const taken = await persist(() =>
        call({
          ...{ method: 'POST', path: '/v1/tasks', body: { ...registration, wait: WAIT_MS } },
          ...{ patience: WAIT_MS, signal },
        }),
      );
      const task = checkTask(taken, explorer.device);
      if (task === undefined) continue;
      onEvent?.({ what: 'task', id: task.id, operators: task.operators.map(({ key }) => key) });
      const lost = new AbortController();
      const life = AbortSignal.any([signal, lost.signal]);
      const renewing = renew(task, life, () =>
        call({ method: 'POST', path: `/v1/tasks/${task.id}/renew`, signal: life }),
      ).catch((error: unknown) => lost.abort(error));
      try {
        await explore(task, life);
        troubles = 0;
      } catch (error) {
        if (!signal.aborted) onEvent?.({ what: 'trouble', error });
        // Given back rather than left until its lease ends; if that fails, it is left.
        if (!isOver(error))
          await call({ method: 'DELETE', path: `/v1/tasks/${task.id}` }).catch(() => undefined);
        signal.throwIfAborted();
        // It may be given the same task again.
        if (!isOver(error)) await sleep(Math.min(PAUSE_MS * 2 ** troubles++, LONGEST_PAUSE_MS), signal);
      } finally {
        lost.abort(new Error('the task is done'));
        await renewing;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Whether a task is another's by now, or the explorer is not believed any more. */
function isOver(error: unknown): boolean {
  return error instanceof CipherloomError && ['tune.lease', 'tune.signature'].includes(error.code);
}

/** What an explorer finds; an error where it finds nothing that is a record. */
async function bestOf(explorer: Explorer, key: OperatorKey, signal: AbortSignal): Promise<Best | Error> {
  try {
    return checkBest(await explorer.explore(key, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error : new Error(describe(error));
  }
}

/** Signs of life, thrice in a lease. A service that does not answer is no reason to stop: it may be back in time. Rejects where the task is lost. */
async function renew(task: Task, life: AbortSignal, call: () => Promise<unknown>): Promise<void> {
  while (!life.aborted) {
    await sleep(task.lease / 3, life).catch(() => undefined);
    if (life.aborted) return;
    await call().catch((error: unknown) => {
      if (!life.aborted && error instanceof CipherloomError && error.code === 'tune.lease') throw error;
    });
  }
}

function checkTask(value: unknown, device: string): Task | undefined {
  const { task } = (value ?? {}) as { task?: { id?: unknown; lease?: unknown; operators?: unknown } | null };
  if (task === null) return undefined;
  const { id, lease, operators } = task ?? {};
  if (
    typeof id !== 'string' ||
    !/^[0-9a-f-]{1,64}$/.test(id) ||
    typeof lease !== 'number' ||
    !Array.isArray(operators)
  )
    throw wrong('tune.service', 'task', describe(task), 'id, lease and operators');
  return {
    id,
    lease: checkNumber('tune.service', 'task, lease', lease, 1, 86_400_000),
    operators: (operators as { name?: unknown; key?: unknown }[]).map(({ name, key }) => {
      const own = checkKey(key, 'task');
      if (own.device !== device) throw wrong('tune.device', 'task', `"${own.device}"`, `"${device}"`);
      if (typeof name !== 'string' || !/^[0-9a-f]{64}$/.test(name))
        throw wrong('tune.service', 'task, name', describe(name), 'a hash');
      return { name, key: own };
    }),
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
