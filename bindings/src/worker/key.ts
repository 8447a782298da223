/** A key in a client worker, a client's secret one or a data owner's public one: where it is, and how it comes back when its worker died. */
import { movable } from '../bytes.js';
import { DisposedError, failure } from '../errors.js';
import { abortable } from '../resource.js';
import { seal } from '../sealed-key.js';
import type { ClientWorkers, Place, Tenant } from './client-workers.js';
import type { Connection } from './connection.js';
import { overwrite } from './overwrite.js';
import type { ClientMethods, Handle } from './protocol.js';

/** Who has a key in a worker. */
export interface Lodger {
  /** Makes it in that worker, or restores it from saved bytes. */
  make(connection: Connection<ClientMethods>, saved: Uint8Array | undefined): Promise<Handle>;
  /** The bytes from which it can be made again; those of a client, where it says nothing. */
  save?(connection: Connection<ClientMethods>, handle: Handle, signal?: AbortSignal): Promise<Uint8Array>;
  /** Ends it there. */
  free(connection: Connection<ClientMethods>, handle: Handle): void;
  /** What people call it. */
  readonly name: string;
}

interface Seat {
  readonly place: Place;
  readonly handle: Handle;
}

/** See above. */
export class Key {
  readonly #workers: ClientWorkers;
  readonly #tenant: Tenant;
  readonly #lodger: Lodger;
  /** What `saveClient` gave, or what it was restored from, such as a public key. */
  #saved: Uint8Array | undefined;
  #seat: Promise<Seat>;
  #freed = false;

  private constructor(workers: ClientWorkers, tenant: Tenant, lodger: Lodger, saved: Uint8Array | undefined) {
    this.#workers = workers;
    this.#tenant = tenant;
    this.#lodger = lodger;
    this.#saved = saved?.slice();
    this.#seat = this.#settle();
  }

  /** A fresh key, or a saved one. Errors: as of starting a worker, opening the program, and restoring; abort. */
  static async make(
    workers: ClientWorkers,
    tenant: Tenant,
    lodger: Lodger,
    saved: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<Key> {
    const key = new Key(workers, tenant, lodger, saved);
    try {
      await abortable(key.#seat, signal);
      return key;
    } catch (error) {
      // It may still come, and would hold a secret that nobody can free.
      key.free();
      throw error;
    }
  }

  /**
   * Where it lives now; after a restart it is restored. Errors: WorkerError `worker.key_lost` if it died with its
   * worker and was never saved.
   */
  async find(): Promise<{ connection: Connection<ClientMethods>; handle: Handle }> {
    const seat = this.#seat;
    const { place, handle } = await seat;
    if (!place.gone) return { connection: place.connection, handle };
    // Of calls at the same time the first one restores it.
    if (this.#seat === seat) {
      this.#seat = this.#restore();
      this.#seat.catch(() => (this.#seat = seat));
    }
    return this.find();
  }

  /** Gives the bytes of the key. They are kept, so that it can come back. */
  async save(signal: AbortSignal): Promise<Uint8Array> {
    const { connection, handle } = await this.find();
    const bytes = await this.#bytes(connection, handle, signal);
    // It may have been freed meanwhile.
    if (!this.#freed) this.#hold(movable(bytes));
    return bytes;
  }

  /**
   * Keeps what it has come to where it just answered, if it was saved, so that it comes back as it is. Errors: WorkerError where that worker is gone: what it counted is forgotten
   * with it, and nothing may be told that rests on it.
   */
  async keep(connection: Connection<ClientMethods>, handle: Handle): Promise<void> {
    if (this.#saved === undefined || this.#freed) return;
    const bytes = await this.#bytes(connection, handle);
    if (this.#freed) bytes.fill(0);
    else this.#hold(bytes);
  }

  /** In place of what it held before, which is overwritten. */
  #hold(saved: Uint8Array): void {
    this.#saved?.fill(0);
    this.#saved = saved;
  }

  /** Asked for without the signal: what comes after that has ended is overwritten here, whoever gives it. */
  async #bytes(
    connection: Connection<ClientMethods>,
    handle: Handle,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const asked = this.#lodger.save?.(connection, handle) ?? connection.call('saveClient', [handle]);
    if (signal === undefined) return asked;
    try {
      return await abortable(asked, signal);
    } catch (error) {
      asked.then(overwrite, () => {});
      throw error;
    }
  }

  /** The same, under a passphrase. Errors: as of {@link seal}. */
  async export(passphrase: string, signal: AbortSignal): Promise<Uint8Array> {
    const saved = await this.save(signal);
    try {
      return await abortable(seal(saved, passphrase), signal);
    } finally {
      saved.fill(0);
    }
  }

  /** Ends it, here and in its worker. */
  free(): void {
    this.#freed = true;
    this.#saved?.fill(0);
    this.#saved = undefined;
    this.#seat.then(
      ({ place, handle }) => {
        this.#lodger.free(place.connection, handle);
        place.leave();
      },
      () => {},
    );
  }

  async #restore(): Promise<Seat> {
    if (this.#saved !== undefined) return this.#settle();
    const problem =
      'The secret key died with its worker, and was never saved: it is lost, and what was encrypted under it, too. ' +
      'Call client.save() while the worker lives';
    throw failure('worker.key_lost', problem, { role: 'client' });
  }

  async #settle(): Promise<Seat> {
    // A copy: the key may be freed meanwhile, and its bytes overwritten.
    const saved = this.#saved?.slice();
    const place = await this.#workers.place(this.#tenant);
    try {
      if (this.#freed) throw new DisposedError('disposed', `The ${this.#lodger.name} was disposed`);
      return { place, handle: await this.#lodger.make(place.connection, saved) };
    } catch (error) {
      place.leave();
      throw error;
    } finally {
      saved?.fill(0);
    }
  }
}
