// Parties as processes: started, killed and started again.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { newRun, partyKeys } from 'cipherloom/parties';
import { endWithThis, temporaryFolder } from '../lib/own.mjs';
import { PARTIES, ringOf } from './graph.mjs';

const SCRIPT = new URL('party.mjs', import.meta.url);

/** A run of all parties. `of(party)`: what `overNats` is told, or nothing where the test carries messages, each of which `passes`. */
export class Processes {
  #about = {};
  #children = new Map();
  #results = new Map();
  #folder = temporaryFolder();
  #passes;
  #sent = new Map();
  #looks = new Set();

  static async of(loom, { of, timeout = 120_000, seed = 1, passes, ends = true } = {}) {
    const all = new Processes();
    const shared = await ringOf(loom);
    const keys = Object.fromEntries(await Promise.all(PARTIES.map(async (name) => [name, await partyKeys()])));
    const run = newRun();
    all.#passes = passes;
    for (const party of PARTIES) {
      const others = Object.fromEntries(
        PARTIES.filter((name) => name !== party).map((name) => [name, keys[name].publicKey]),
      );
      all.#about[party] = {
        ...{ party, run, timeout, seed, graph: shared.toBytes(), nats: of?.(party), relayed: of === undefined },
        ...(ends && { keys: keys[party], others }),
        keep: join(all.#folder, party),
      };
    }
    all.run = run;
    return all;
  }

  start(party, more = {}) {
    const child = fork(SCRIPT, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    endWithThis(child);
    this.#children.set(party, child);
    let result;
    this.#sent.set(party, 0);
    child.on('message', (message) => {
      if (message.sent) {
        this.#sent.set(party, this.#sent.get(party) + 1);
        this.#looks.forEach((look) => look());
      } else if (message.relay === undefined) result = message;
      else if (this.#passes?.(message.relay) !== false) this.#tell(message.relay);
    });
    const ended = once(child, 'exit').then(([code, signal]) => {
      this.#looks.forEach((look) => look());
      return result ?? { ended: signal ?? code };
    });
    this.#results.set(party, ended);
    child.send({ ...this.#about[party], ...more });
    return ended;
  }

  #tell(relay) {
    const child = this.#children.get(relay.to);
    // Who is not there misses it.
    if (child?.connected) child.send({ relay }, () => {});
  }

  /** Waits until a party has sent so many messages, or has ended. */
  sent(party, count) {
    return new Promise((resolve) => {
      const look = () => {
        const { exitCode, signalCode } = this.#children.get(party);
        if (this.#sent.get(party) < count && exitCode === null && signalCode === null) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Ends a process at once. */
  async kill(party) {
    this.#children.get(party).kill('SIGKILL');
    return this.#results.get(party);
  }

  /** What all give in the end. */
  async results() {
    return Object.fromEntries(await Promise.all(PARTIES.map(async (party) => [party, await this.#results.get(party)])));
  }
}
