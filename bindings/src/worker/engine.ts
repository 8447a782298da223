/** One running instance of the wasm: a worker that drives it, and the threads of its pool. */
import { startPool, type Pool } from '../../wasm/threads/pool.js';
import { checkArgument, WORKER } from '../arguments.js';
import type { Choice } from '../choose-mode.js';
import { CipherloomError, failure } from '../errors.js';
import { abortable } from '../resource.js';
import { kernelsFor, modulesOf, type RawKernel } from '../raw.js';
import type { Role, WorkerLike } from '../types.js';
import { Connection } from './connection.js';
import { engineMemory, type SharedMemory } from './memory.js';
import type { Args, Started, StartMethods } from './protocol.js';

/** How engines are started. */
export interface Recipe {
  readonly choice: Choice;
  /** Undefined for the native build. */
  readonly module: Promise<WebAssembly.Module | undefined>;
  readonly worker: (role: Role) => WorkerLike;
  /** Made at run time. */
  readonly kernels: readonly RawKernel[];
}

/** A running instance. */
export interface Engine<M extends StartMethods> extends Started {
  readonly connection: Connection<M>;
}

/** Who runs the threads of an engine. */
const POOLS = {
  client: 'pool',
  evaluator: 'pool',
  graph: 'graph-pool',
  conformance: 'pool',
} as const satisfies { readonly [role in Role]?: Role };

/** The memory of an engine whose threads are workers; undefined of others. Errors: MemoryError. */
export function memoryFor({ threads, variant }: Choice): SharedMemory | undefined {
  return threads > 1 && variant !== 'native' ? engineMemory() : undefined;
}

/** Starts an engine, over a memory of {@link memoryFor}. Errors: MemoryError, WorkerError; nothing is left running. */
export async function startEngine<M extends StartMethods>(
  role: keyof typeof POOLS,
  { choice, module, worker, kernels: given }: Recipe,
  signal: AbortSignal | undefined,
  memory = memoryFor(choice),
): Promise<Engine<M>> {
  const { variant, threads, native } = choice;
  let shared = memory;
  let pool: Pool | undefined;
  const kernels = kernelsFor(variant, given);
  const codes = modulesOf(kernels);
  // All scripts load while the module is compiled. What outlives the end, such as a disposed loom that somebody still
  // refers to, must not keep the memory: its addresses are few.
  const ended = new AbortController();
  const connection = new Connection<M>(role, createWorker(role, worker), (end) => {
    pool?.stop();
    pool = shared = undefined;
    // Threads that were stopped say nothing more, so that whoever waits for them has to be told.
    ended.abort(end);
  });
  try {
    // The pool is started from here, not by the worker that drives it: that one is blocked while it computes.
    const onDeath = ({ message }: Error): void => connection.fail(message);
    const threadWorker = (): WorkerLike => createWorker(POOLS[role], worker);
    pool =
      shared &&
      startPool({
        module: module as Promise<WebAssembly.Module>,
        memory: shared.memory,
        threads,
        kernels: codes,
        worker: threadWorker,
        onDeath,
      });
    const ready = pool?.ready.catch((cause: unknown) => {
      throw notStarted(`The threads of the ${role} worker did not start`, role, cause);
    });
    // The driver joins the memory last: js/pool.js.
    const either = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
    const [compiled] = await abortable(Promise.all([module, ready]), either);
    const from = native === undefined ? { module: compiled } : { native };
    const options = [{ variant, threads, ...from, shared, kernels }] as unknown as Args<M, 'start'>;
    const started = (await connection.call('start', options, { signal })) as Started;
    return { connection, ...started };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Browsers refuse scripts of other origins, or against a content security policy, at once. */
export function createWorker(role: Role, create: Recipe['worker']): WorkerLike {
  let made: WorkerLike | undefined;
  try {
    made = create(role);
    checkArgument('load, what option worker made', made, WORKER);
    return made;
  } catch (cause) {
    void end(made);
    throw notStarted(`The ${role} worker could not be created`, role, cause);
  }
}

/** Ends what is no Worker as far as it can be ended: Node's own has a `terminate`, too, and a Promise may give one. */
async function end(made: unknown): Promise<void> {
  try {
    const { terminate } = ((await made) ?? {}) as Partial<WorkerLike>;
    if (typeof terminate === 'function') await terminate.call(await made);
  } catch {
    // Its end is the caller's affair; the error that matters was thrown.
  }
}

/** What is typed already, such as a module that could not be had, stays as it is. */
function notStarted(what: string, role: Role, cause: unknown): CipherloomError {
  if (cause instanceof CipherloomError) return cause;
  return failure('worker.failed', `${what}: ${String(cause)}`, { role }, cause);
}
