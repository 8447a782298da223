/**
 * What a tab keeps of its seat in a meeting, so that it comes back when it was reloaded: in a database of the browser's, under a key that never leaves it (`inIndexedDB`), for one seat each. It ends with the meeting; what a
 * closed tab has left goes two days later, by `sweep`.
 */
import { type BrowserStore, inIndexedDB, inMemory, type PartyStore } from 'cipherloom/parties';
import type { Seat } from './meeting.js';

/** What a person did in a meeting. */
export interface Session {
  /** How what was brought is called, and its units. */
  readonly brought?: { readonly text: string; readonly units: readonly number[] } | undefined;
  /** The relay was asked for, by that user. */
  readonly access?: Access | undefined;
  /** The codes were found to be the same. */
  readonly confirmed?: boolean;
  /** What leaves was seen, and agreed to. */
  readonly agreed?: boolean;
  /** The meeting has ended without a result. */
  readonly over?: boolean;
}

/** Who a person is for a relay; the relay's affair alone. */
export interface Access {
  readonly user: string;
  readonly pass: string;
}

const PREFIX = 'cipherloom together ';
const SESSION = 'session';
const DAY = 86_400_000;

/** One tab's seat. Two tabs cannot have one seat: they would take turns in throwing each other out. */
export class SeatStore {
  /** For `Cut.run` and `introduce`. */
  readonly store: PartyStore;
  /** Whether the browser keeps it. */
  readonly keeps: boolean;
  readonly #database: BrowserStore | undefined;
  readonly #release: () => void;
  #session: Session = {};

  private constructor(database: BrowserStore | undefined, release: () => void) {
    this.#database = database;
    this.keeps = database !== undefined;
    this.store = database ?? inMemory();
    this.#release = release;
  }

  /** Opens a seat's, once no other tab has it; `waiting` is called where one has. Errors: abort; a sentence, where something was kept that cannot be read. */
  static async open({ meeting, party }: Seat, signal: AbortSignal, waiting: () => void): Promise<SeatStore> {
    const seat = `${meeting.run} ${party}`;
    const release = await locked(PREFIX + seat, signal, waiting);
    let database: BrowserStore | undefined;
    try {
      database = await databaseOf(seat);
      const opened = new SeatStore(database, release);
      const bytes = await opened.store.get(SESSION);
      if (bytes !== undefined) opened.#session = JSON.parse(new TextDecoder().decode(bytes)) as Session;
      return opened;
    } catch (cause) {
      await database?.close();
      release();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `What this browser has kept of the seat cannot be read (${why}): begin another meeting.`,
        { cause },
      );
    }
  }

  get session(): Session {
    return this.#session;
  }

  /** Keeps what has changed. */
  async keep(more: Session): Promise<void> {
    this.#session = { ...this.#session, ...more };
    await this.store.put(SESSION, new TextEncoder().encode(JSON.stringify(this.#session)));
  }

  /** Forgets all but that it is over. */
  async end(): Promise<void> {
    this.#session = {};
    await this.#database?.destroy();
    await this.keep({ over: true });
  }

  /** Leaves the seat to whoever opens it next. */
  async leave(): Promise<void> {
    await this.#database?.close();
    this.#release();
  }
}

/** Held until what it gives is called, or the tab is gone. */
function locked(name: string, signal: AbortSignal, waiting: () => void): Promise<() => void> {
  // Pages that are not secure have no locks, and no store either.
  if (!('locks' in navigator)) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> => new Promise((release) => resolve(release));
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null) return hold();
      waiting();
      navigator.locks.request(name, { signal }, hold).catch(reject);
      return undefined;
    });
  });
}

/** Names of the databases of all seats, whatever day they were taken. */
async function allSeats(): Promise<string[]> {
  const found = await indexedDB.databases();
  return found.map(({ name = '' }) => name).filter((name) => name.startsWith(PREFIX));
}

/** The database of a seat; undefined where this browser gives none, as in some private windows. One that is there is opened whatever its state: what is wrong with it, its methods tell. */
async function databaseOf(seat: string): Promise<BrowserStore | undefined> {
  let made: BrowserStore | undefined;
  try {
    const own = (await allSeats()).find((name) => name.endsWith(` ${seat}`));
    if (own !== undefined) return inIndexedDB(own);
    made = inIndexedDB(`${PREFIX}${Math.floor(Date.now() / DAY)} ${seat}`);
    await made.get(SESSION);
    return made;
  } catch {
    // There is nothing in it yet: it was refused.
    await made?.destroy().catch(() => {});
    return undefined;
  }
}

/** Deletes what closed tabs have left two days ago and before, but not what `own` has, which this tab is about to take. */
export async function sweep(own: Seat | undefined): Promise<void> {
  // Who has no locks has no store.
  if (!('locks' in navigator)) return;
  const today = Math.floor(Date.now() / DAY);
  const taken = own && `${own.meeting.run} ${own.party}`;
  for (const name of await allSeats().catch(() => [])) {
    const [day = ''] = name.slice(PREFIX.length).split(' ', 1);
    const seat = name.slice(PREFIX.length + day.length + 1);
    if (Number(day) >= today - 1 || seat === taken) continue;
    // Not what a tab has that is open for so long.
    await navigator.locks
      .request(PREFIX + seat, { ifAvailable: true }, (lock) =>
        lock === null ? undefined : inIndexedDB(name).destroy(),
      )
      .catch(() => {});
  }
}
