/**
 * Workers that are none: what they do is done on the caller's thread, for hosts that have no workers, and for scripts that end
 * before one would have started. Messages are copied as between threads, so that nothing that a caller has changes under a
 * call, and each comes in a turn of its own of the event loop.
 */
import { openConformanceApart, openGraphsApart, openTasksApart } from '../raw-apart.js';
import { failure } from '../errors.js';
import type { Role, WorkerLike } from '../types.js';
import { nextMessages, type Port } from './port.js';
import { serve } from './serve.js';

type Listener = (event: Event) => void;

/** What each role serves; what is not asked for is not loaded. */
const ROLES: { readonly [role in Role]?: (port: Port) => Promise<void> } = {
  client: async (port) => serve((await import('./client-methods.js')).clientMethods(openTasksApart), port),
  evaluator: async (port) =>
    serve((await import('./evaluator-methods.js')).evaluatorMethods(openTasksApart), port),
  graph: async (port) => serve((await import('./graph-methods.js')).graphMethods(openGraphsApart), port),
  conformance: async (port) =>
    serve((await import('./conformance-methods.js')).conformanceMethods(openConformanceApart), port),
  operator: async (port) => serve((await import('./operator-methods.js')).operatorMethods, port),
};

/** See above. Errors: WorkerError for a thread of a pool, which there is none of. */
export function inlineWorker(role: Role): WorkerLike {
  const begin = ROLES[role];
  if (begin === undefined) throw failure('worker.failed', 'One thread has no pool', { role });
  const listeners = new Map<string, Listener[]>();
  let alive = true;
  const tell = (type: string, fields: object): void => {
    const event = Object.assign(new Event(type), fields);
    if (alive) for (const listener of listeners.get(type) ?? []) listener(event);
  };
  let hear: ((message: unknown) => void) | undefined;
  const port: Port = {
    post: (message, transfer) => {
      const data: unknown = structuredClone(message, { transfer });
      queueMicrotask(() => tell('message', { data }));
    },
    listen: (listener) => (hear = listener),
  };
  let last = begin(port).catch((cause: unknown) => tell('error', { message: String(cause) }));
  return {
    postMessage: (message, transfer) => {
      const data = copied(message, transfer);
      last = last.then(nextMessages).then(() => {
        if (alive) hear?.(data);
      });
    },
    addEventListener: (type, listener) => {
      listeners.set(type, [...(listeners.get(type) ?? []), listener]);
    },
    terminate: () => {
      alive = false;
      hear = undefined;
    },
  };
}

/** A compiled module stays what it is: not every host without workers copies one. */
function copied(message: unknown, transfer: Transferable[]): unknown {
  if ((message as { method?: unknown }).method === 'start') return message;
  return structuredClone(message, { transfer });
}
