/** A loom whose workers' mail is read. */
import { load, type Loom, type Role, type Variant, type WorkerLike } from 'cipherloom';
import { startWorker } from '../../dist/worker/start.js';
import { threadsOf } from './builds.js';

/** One worker and all that it was told. */
export interface Watched {
  readonly role: Role;
  readonly worker: WorkerLike;
  readonly messages: { readonly method?: string; readonly args?: readonly unknown[] }[];
  ended: boolean;
  /** Called with each message once it was sent. */
  onSent?: (message: Watched['messages'][number]) => void;
}

export interface WatchedLoom {
  readonly loom: Loom;
  readonly workers: Watched[];
  of(role: Role): Watched[];
}

/** `start` makes the workers: by default the package's own. */
export async function openWatched(
  mode: Variant = 'single',
  start: (role: Role) => WorkerLike = startWorker,
): Promise<WatchedLoom> {
  const workers: Watched[] = [];
  const worker = (role: Role): WorkerLike => {
    const real = start(role);
    const watched: Watched = { role, worker: real, messages: [], ended: false };
    workers.push(watched);
    return {
      ...real,
      postMessage: (message, transfer) => {
        watched.messages.push(structuredClone(message) as Watched['messages'][number]);
        real.postMessage(message, transfer);
        watched.onSent?.(message as Watched['messages'][number]);
      },
      terminate: () => {
        watched.ended = true;
        return real.terminate();
      },
    };
  };
  const loom = await load({ mode, threads: threadsOf(mode), worker });
  return { loom, workers, of: (role) => workers.filter((one) => one.role === role) };
}
