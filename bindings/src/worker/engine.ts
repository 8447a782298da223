/** One running instance of the wasm: a worker that drives it, and the threads of its pool. */
import { startPool, type Pool } from '../../wasm/threads/pool.js';
import type { Choice } from '../choose-mode.js';
import { failure } from '../errors.js';
import type { Role, WorkerLike } from '../types.js';
import { Connection } from './connection.js';
import { sharedMemory } from './memory.js';
import type { Started, StartMethods } from './protocol.js';

/** How engines are started. */
export interface Recipe {
  readonly choice: Choice;
  readonly module: WebAssembly.Module;
  readonly worker: (role: Role) => WorkerLike;
}

/** A running instance. */
export interface Engine<M extends StartMethods> extends Started {
  readonly connection: Connection<M>;
}

/** Starts an engine. Errors: MemoryError (no shared memory), WorkerError; nothing is left running. */
export async function startEngine<M extends StartMethods>(
  role: Role,
  { choice: { variant, threads }, module, worker }: Recipe,
  signal: AbortSignal | undefined,
): Promise<Engine<M>> {
  const shared = threads > 1 ? sharedMemory() : undefined;
  // The pool is started from here, not by the worker that drives it: that one is blocked while it computes.
  const pool =
    shared &&
    (await startThreads(role, {
      module,
      memory: shared.memory,
      threads,
      onDeath: ({ message }) => connection.fail(message),
    }));
  const stop = (): void => pool?.stop();
  const connection = new Connection<M>(role, createWorker(role, worker, stop), stop);
  try {
    return { connection, ...(await connection.start({ variant, threads, module, shared }, signal)) };
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
