/** A worker's own end of its message channel, alike in browsers and in Node. */

/** The page's messages in, answers out. */
export interface Port {
  post(message: unknown, transfer: Transferable[]): void;
  listen(listener: (message: unknown) => void): void;
}

/**
 * The port of the worker that this runs in. A message that cannot be read ends the worker, or its call would
 * wait.
 */
export function ownPort(): Port {
  const parent = globalThis.process?.getBuiltinModule?.('node:worker_threads').parentPort;
  if (parent) {
    parent.on('messageerror', unreadable);
    return {
      post: (message, transfer) => parent.postMessage(message, transfer as never),
      listen: (listener) => void parent.on('message', listener),
    };
  }
  globalThis.addEventListener('messageerror', unreadable);
  return {
    post: (message, transfer) => globalThis.postMessage(message, { transfer }),
    listen: (listener) =>
      globalThis.addEventListener('message', (event: MessageEvent<unknown>) => listener(event.data)),
  };
}

function unreadable(): never {
  throw new Error('a message could not be read');
}

/** Lets waiting messages in. A message to itself where there are such, since timers are held back by milliseconds in browsers. */
export function nextMessages(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') {
      setTimeout(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    const heard = (): void => {
      port2.close();
      resolve();
    };
    // Node has listeners of its own, for which no event of the web is made: for the first one of these it loads all that is beneath `fetch`.
    if (isNodes(port2)) port2.on('message', heard);
    else port2.onmessage = heard;
    port1.postMessage(undefined);
  });
}

type NodePort = import('node:worker_threads').MessagePort;

function isNodes(port: unknown): port is NodePort {
  return typeof (port as Partial<NodePort>).on === 'function';
}
