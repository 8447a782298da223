/** Between tabs, frames, workers and threads that share a MessagePort: one port for each other party, which says who speaks. */
import { checkArgument, PORTS } from '../../arguments.js';
import type { Transport } from '../types.js';
import { Listeners } from './listeners.js';

/** A MessagePort of a browser or of Node. */
export interface PortLike {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: Event) => void): void;
  removeEventListener(type: 'message', listener: (event: Event) => void): void;
  start?(): void;
  close(): void;
}

/** A transport over ports, by the names of the parties at their other ends. Errors: InputError `input.type`. */
export function overPorts(ports: Readonly<Record<string, PortLike>>): Transport {
  checkArgument('overPorts, ports', ports, PORTS);
  const listeners = new Listeners();
  const all = new Map(Object.entries(ports));
  const heard = [...all].map(([party, port]) => {
    const hear = (event: Event): void => listeners.hear(party, (event as MessageEvent<unknown>).data);
    port.addEventListener('message', hear);
    port.start?.();
    return (): void => {
      port.removeEventListener('message', hear);
      port.close();
    };
  });
  return {
    send: async (to, bytes) => all.get(to)?.postMessage(bytes),
    listen: (...how) => listeners.add(...how),
    close: () => {
      listeners.close();
      heard.splice(0).forEach((end) => end());
    },
  };
}
