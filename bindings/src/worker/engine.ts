/** One running instance of the wasm: a worker that drives it, and the threads of its pool. */
import { startPool, type Pool } from '../../wasm/threads/pool.js';
import type { Choice } from '../choose-mode.js';
import { failure } from '../errors.js';
import type { Role, WorkerLike } from '../types.js';
import { Connection } from './connection.js';
import type { StartMethods } from './protocol.js';

/** How engines are started. */
export interface Recipe {
  readonly choice: Choice;
  readonly module: WebAssembly.Module;
  readonly worker: (role: Role) => WorkerLike;
}

/** A running instance. */
export interface Engine<M extends StartMethods> {
  readonly connection: Connection<M>;
  readonly version: string;
  /** The most bytes that its memory can grow to. */
  readonly memoryBytes: number;
}

const PAGE = 65536;
/** 32 MiB, which is more than the module needs to start. */
const INITIAL_PAGES = 512;
/** 4, 2 and 1 GiB. Some platforms refuse to reserve the large ones. */
const MAXIMUM_PAGES = [65536, 32768, 16384] as const;

/** Starts an engine. Errors: MemoryError (no shared memory), WorkerError; nothing is left running. */
export async function startEngine<M extends StartMethods>(
  role: Role,
  { choice: { variant, threads }, module, worker }: Recipe,
  signal: AbortSignal | undefined,
): Promise<Engine<M>> {
  const { memory, maximum } =
    variant === 'threads' ? sharedMemory() : { memory: undefined, maximum: MAXIMUM_PAGES[0] };
  // The pool is started from here, not by the worker that drives it: that one is blocked while it computes.
  const pool =
    memory &&
    (await startThreads(role, {
      module,
      threads,
      memory,
      onDeath: ({ message }) => connection.fail(message),
    }));
  const stop = (): void => pool?.stop();
  const connection = new Connection<M>(role, createWorker(role, worker, stop), stop);
  try {
    const version = await connection.start({ variant, threads, module, memory }, signal);
    return { connection, version, memoryBytes: maximum * PAGE };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Browsers refuse scripts of other origins, or against a content security policy, at once. */
function createWorker(role: Role, create: Recipe['worker'], onFailure: () => void): WorkerLike {
  try {
    return create(role);
  } catch (cause) {
    onFailure();
    throw failure(
      'worker.failed',
      `The ${role} worker could not be created: ${String(cause)}`,
      { role },
      cause,
    );
  }
}

async function startThreads(role: Role, options: Parameters<typeof startPool>[0]): Promise<Pool> {
  try {
    return await startPool(options);
  } catch (cause) {
    throw failure(
      'worker.failed',
      `The threads of the ${role} worker did not start: ${String(cause)}`,
      { role },
      cause,
    );
  }
}

function sharedMemory(): { memory: WebAssembly.Memory; maximum: number } {
  let cause: unknown;
  for (const maximum of MAXIMUM_PAGES) {
    try {
      return { memory: new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum, shared: true }), maximum };
    } catch (error) {
      cause = error;
    }
  }
  const triedBytes = MAXIMUM_PAGES.map((pages) => pages * PAGE);
  throw failure('memory.shared', 'Shared memory could not be allocated', { triedBytes }, cause);
}
