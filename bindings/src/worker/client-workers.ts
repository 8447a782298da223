/**
 * The client workers of a loom: which secret key lives where.
 *
 * A program that others made could be made to crash whoever works with it. So no worker has keys of such a program
 * and of another one: `Tenant` says whose keys may live together. The main worker, which is always there, takes the
 * keys of one tenant; those of others get workers of their own, which end with their last key. Data owners, who have public keys, are never tenants of a worker
 * that has secret ones.
 */
import type { Connection } from './connection.js';
import type { ClientMethods } from './protocol.js';

/** Whose keys these are: one object for all programs that the loom compiled, one for each that it opened; and as many for data owners. */
export type Tenant = object;

/** A worker and the keys in it. */
interface Lodging {
  connection: Connection<ClientMethods> | undefined;
  readonly started: Promise<Connection<ClientMethods>>;
  tenant: Tenant | undefined;
  keys: number;
  /** A restart has given it up. */
  gone: boolean;
}

/** A place for one key. */
export interface Place {
  readonly connection: Connection<ClientMethods>;
  /** Whether its worker died and was replaced. */
  readonly gone: boolean;
  /** The key is no longer there. */
  leave(): void;
}

/** See above. */
export class ClientWorkers {
  /** The data owners of all programs that the loom compiled; clients of these are tenants as the workers themselves. */
  readonly owners: Tenant = {};
  readonly #start: () => Promise<Connection<ClientMethods>>;
  #main: Lodging;
  readonly #others = new Set<Lodging>();
  #closed = false;

  /** `main` runs already; `start` starts another one alike. */
  constructor(main: Connection<ClientMethods>, start: () => Promise<Connection<ClientMethods>>) {
    this.#start = start;
    this.#main = lodging(Promise.resolve(main), main);
  }

  /** The worker that is always there: it compiles tasks. */
  get main(): Connection<ClientMethods> {
    return this.#main.connection as Connection<ClientMethods>;
  }

  /** A place for one more key of a tenant. Errors: as of starting a worker. */
  async place(tenant: Tenant): Promise<Place> {
    const all = [this.#main, ...this.#others];
    const home =
      all.find((one) => one.tenant === tenant) ?? all.find((one) => one.tenant === undefined) ?? this.#more();
    home.tenant = tenant;
    home.keys += 1;
    let lives = true;
    const leave = (): void => {
      if (lives) this.#left(home);
      lives = false;
    };
    try {
      const connection = await home.started;
      return {
        connection,
        leave,
        get gone() {
          return home.gone;
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Gives up dead workers, and replaces the main one if it is dead. Errors: as of starting a worker. */
  async restart(): Promise<void> {
    for (const other of this.#others) if (other.connection?.alive === false) this.#giveUp(other);
    if (this.main.alive) return;
    const next = await this.#begin();
    this.#main.gone = true;
    this.#main = lodging(Promise.resolve(next), next);
  }

  /** Ends all of them. */
  close(): void {
    this.#closed = true;
    for (const { connection } of [this.#main, ...this.#others]) connection?.close();
  }

  #more(): Lodging {
    const started = this.#begin();
    const more = lodging(started);
    this.#others.add(more);
    started.then(
      (connection) => (more.connection = connection),
      () => this.#others.delete(more),
    );
    return more;
  }

  async #begin(): Promise<Connection<ClientMethods>> {
    const connection = await this.#start();
    if (this.#closed) connection.close();
    return connection;
  }

  #left(home: Lodging): void {
    home.keys -= 1;
    if (home.keys > 0) return;
    home.tenant = undefined;
    if (!this.#others.delete(home)) return;
    home.started.then(
      (connection) => connection.close(),
      () => {},
    );
  }

  #giveUp(home: Lodging): void {
    home.gone = true;
    this.#others.delete(home);
  }
}

function lodging(
  started: Promise<Connection<ClientMethods>>,
  connection?: Connection<ClientMethods>,
): Lodging {
  return { connection, started, tenant: undefined, keys: 0, gone: false };
}
