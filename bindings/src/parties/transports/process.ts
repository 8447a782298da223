/** Parties of one process, or of one page: messages go from one to the other as they are. */
import { describe } from '../../arguments.js';
import { failure } from '../../errors.js';
import type { Transport } from '../types.js';
import { Listeners } from './listeners.js';

/** Where parties of one process meet. */
export interface Hub {
  /** The transport of a party. Errors: PartyError `party.transport` for a name that is taken. */
  join(party: string): Transport;
}

/** Makes a place where parties of one process meet, each with a loom of its own or all with one. */
export function inProcess(): Hub {
  const members = new Map<string, Listeners>();
  return {
    join(party) {
      if (members.has(party)) {
        throw failure('party.transport', `Party ${describe(party)} has joined already`, { party });
      }
      const own = new Listeners();
      members.set(party, own);
      return {
        send: async (to, bytes) => {
          const copy = bytes.slice();
          const open = members.get(party) === own;
          // Not before the caller goes on, as if it had come from elsewhere.
          await Promise.resolve();
          if (open) members.get(to)?.hear(party, copy);
        },
        listen: (...how) => own.add(...how),
        close: () => {
          own.close();
          if (members.get(party) === own) members.delete(party);
        },
      };
    },
  };
}
