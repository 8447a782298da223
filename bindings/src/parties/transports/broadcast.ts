/**
 * Between the tabs and workers of one origin, or the threads of one process, over a BroadcastChannel. All who have its name hear everything and
 * may call themselves what they like: for parties that trust each other with both.
 */
import type { Transport } from '../types.js';
import { Listeners } from './listeners.js';
import type { PortLike } from './port.js';

/** A transport of `party` over a channel, which the caller has opened: `new BroadcastChannel('our run')`. */
export function overBroadcast(channel: PortLike, party: string): Transport {
  const listeners = new Listeners();
  const hear = (event: Event): void => {
    const { to, from, bytes } = ((event as MessageEvent<unknown>).data ?? {}) as Readonly<
      Record<string, unknown>
    >;
    if (to === party) listeners.hear(from, bytes);
  };
  channel.addEventListener('message', hear);
  return {
    send: async (to, bytes) => channel.postMessage({ to, from: party, bytes }),
    listen: (...how) => listeners.add(...how),
    close: () => {
      listeners.close();
      channel.removeEventListener('message', hear);
      channel.close();
    },
  };
}
