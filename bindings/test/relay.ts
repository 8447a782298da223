// What lies between parties and cannot be trusted: it drops, doubles, reorders, delays, alters and makes up messages.
import { type Hub, inProcess } from '../src/parties/transports/process.js';
import type { Transport } from '../src/parties/types.js';
import { random } from './random.js';

export type Mischief = 'drop' | 'double' | 'reorder' | 'delay' | 'alter' | 'forge' | 'replay';

/** One message in `oneIn` meets each kind of mischief. */
export class Relay {
  readonly #hub: Hub = inProcess();
  readonly #kinds: readonly Mischief[];
  readonly #oneIn: number;
  /** All that went through, as it was sent. */
  readonly seen: { readonly from: string; readonly to: string; readonly bytes: Uint8Array }[] = [];
  readonly done: Record<Mischief, number> = {
    drop: 0,
    double: 0,
    reorder: 0,
    delay: 0,
    alter: 0,
    forge: 0,
    replay: 0,
  };

  constructor(kinds: readonly Mischief[] = [], oneIn = 4) {
    this.#kinds = kinds;
    this.#oneIn = oneIn;
  }

  join(party: string): Transport {
    const inner = this.#hub.join(party);
    /** Held back, until another one has passed it. */
    let held: (() => Promise<void>) | undefined;
    const send = async (to: string, bytes: Uint8Array): Promise<void> => {
      this.seen.push({ from: party, to, bytes: bytes.slice() });
      const pass = (what: Uint8Array): Promise<void> => inner.send(to, what);
      const does = (kind: Mischief): boolean => {
        if (!this.#kinds.includes(kind) || random(this.#oneIn) !== 0) return false;
        this.done[kind] += 1;
        return true;
      };
      if (does('drop')) return;
      if (does('alter')) {
        bytes = bytes.slice();
        (bytes[random(bytes.length)] as number) ^= 1 + random(255);
      }
      // Its counter is that of the true one, which comes after it.
      if (does('forge')) {
        const forged = bytes.slice();
        (forged[forged.length - 1 - random(16)] as number) ^= 1 + random(255);
        await pass(forged);
      }
      if (does('delay')) await new Promise((resolve) => setTimeout(resolve, random(5)));
      if (held === undefined && does('reorder')) {
        held = () => pass(bytes);
        // Nothing may ever come after it.
        const late = held;
        setTimeout(() => {
          if (held !== late) return;
          held = undefined;
          void late();
        }, 10);
        return;
      }
      await pass(bytes);
      const passed = held;
      held = undefined;
      await passed?.();
      if (does('double')) await pass(bytes);
      if (does('replay')) {
        const old = this.seen.filter((message) => message.to === to && message.from === party);
        await pass((old[random(old.length)] as { bytes: Uint8Array }).bytes);
      }
    };
    return { ...inner, send };
  }
}
