/** The tab “Clinic”: a service that stores and computes, and this tab, which alone has the key. */
import { load, type Loom } from 'cipherloom';
import type { DataClient } from '../data/data-client.js';
import type { Settings } from '../settings.js';
import { hideFailure, showFailure } from '../ui/failure-box.js';
import { keepFocus } from '../ui/keep-focus.js';
import { Account } from './account.js';
import { type Desk, type Entry, type Known, NOTHING, type User } from './desk.js';
import { type Frame, makeFrame, showMissing } from './frame.js';
import { Keys } from './keys.js';
import { Questions } from './questions.js';
import { Records } from './records.js';
import { Seen } from './seen.js';
import { Send } from './send.js';
import { findService, isAway, newClient, type ServiceClient } from './service.js';
import { clinicFailure, isSignedOut } from './words.js';
import './clinic.css';

/** Between two looks at what is new, while the tab is looked at. */
const LOOK_MS = 4000;
/** A session lasts as long as the tab (a tab that is duplicated takes it along), and leads to no secret key. */
const SESSION = 'cipherloom.clinic.token';

export class Clinic implements Desk {
  readonly client: ServiceClient;
  readonly loom: Loom;
  user: User | undefined;
  known: Known = NOTHING;
  readonly #host: HTMLElement;
  readonly #frame: Frame;
  readonly #account: Account;
  readonly #send: Send;
  readonly #records: Records;
  readonly #questions: Questions;
  readonly #keys: Keys;
  readonly #seen: Seen;
  /** Who was signed in before the session ended. */
  #before: User | undefined;
  #refreshing: Promise<void> | undefined;
  /** What waits for that, and comes behind it. */
  #next: Promise<void> | undefined;

  /** Shows the tab, or how to start a service where there is none. */
  static async open(host: HTMLElement, data: DataClient, settings: Settings): Promise<Clinic | undefined> {
    const clinic = await Clinic.#find(host, data, settings);
    if (clinic === undefined)
      showMissing(host, async () => (await Clinic.#find(host, data, settings)) !== undefined);
    return clinic;
  }

  static async #find(host: HTMLElement, data: DataClient, settings: Settings): Promise<Clinic | undefined> {
    const found = await findService();
    if (found === undefined) return undefined;
    // Of its own: the keys in it are to survive when the page takes another number of threads. It only encrypts and decrypts.
    const loom = await load({ ...settings.load, threads: 1 });
    const clinic = new Clinic(host, data, settings, loom, found.demo);
    await clinic.#begin();
    return clinic;
  }

  private constructor(host: HTMLElement, data: DataClient, settings: Settings, loom: Loom, demo: boolean) {
    this.#host = host;
    this.loom = loom;
    this.client = newClient((bytes) => this.#send.sent(bytes));
    this.client.loom = loom;
    this.#account = new Account(this, demo, {
      entered: (user) => this.#entered(user),
      left: () => this.#left(),
    });
    this.#questions = new Questions(this);
    this.#records = new Records(this, (question) => this.#questions.focus(question));
    this.#send = new Send(this, data, settings.compile, (record) => this.#records.focus(record));
    this.#keys = new Keys(this);
    this.#seen = new Seen(this);
    this.#frame = makeFrame(host, {
      account: this.#account.place,
      table: this.#send.table,
      leaving: this.#send.leaving,
      records: this.#records.place,
      questions: this.#questions.place,
      keys: this.#keys.place,
      requests: this.#keys.requests,
      seen: this.#seen.place,
    });
    setInterval(() => this.#look(), LOOK_MS);
    document.addEventListener('visibilitychange', () => this.#look());
    addEventListener('beforeunload', (event) => {
      if (this.#send.busy || (this.user !== undefined && this.#keys.unkept > 0)) event.preventDefault();
    });
  }

  // ------------------------------------------------------------------------------------------------ session

  async #begin(): Promise<void> {
    const token = stored();
    this.#showOutside();
    if (token === undefined) return;
    this.client.token = token;
    await this.attempt('coming back', async () => {
      const user = (await this.client.call('GET', '/me')) as User;
      this.client.user = user;
      await this.#entered(user);
    });
  }

  async #entered(user: User): Promise<void> {
    store(this.client.token);
    if (this.#before !== undefined && this.#before.id !== user.id) this.#forgetAll();
    this.#before = user;
    this.user = user;
    hideFailure(this.#frame.failure);
    await this.#keys.reset();
    this.#account.showUser(user, () => this.#keys.unkept);
    for (const part of this.#frame.inside) part.inert = false;
    await this.refresh();
  }

  async #left(): Promise<void> {
    try {
      await this.client.logout();
    } catch (error) {
      // Then there is no session, or it ends by itself.
      if (!isSignedOut(error) && !isAway(error)) throw error;
    } finally {
      this.#forgetAll();
      this.#before = undefined;
      this.#end();
    }
  }

  /** Keys, drafts and answers of somebody else. */
  #forgetAll(): void {
    this.client.forgetAllKeys();
    this.known = NOTHING;
    this.#records.reset();
    this.#questions.reset();
    this.#send.reset();
  }

  /** There is no session any more. */
  #end(): void {
    store(undefined);
    this.client.token = undefined;
    this.#showOutside();
  }

  #showOutside(): void {
    this.user = undefined;
    this.#account.showSignIn(this.#before?.name);
    // What was done is still there to be seen.
    const change = (): void => {
      for (const part of this.#frame.inside) part.inert = true;
    };
    keepFocus(change, ...this.#account.place.querySelectorAll<HTMLElement>('input, button'));
    if (this.#before === undefined) void this.#keys.reset();
    this.redraw();
  }

  // --------------------------------------------------------------------------------------------------- desk

  async attempt<T>(during: string, work: () => Promise<T>): Promise<T | undefined> {
    hideFailure(this.#frame.failure);
    try {
      return await work();
    } catch (error) {
      if (isSignedOut(error)) this.#end();
      else if (this.user !== undefined) await this.refresh().catch(() => undefined);
      this.#fail(error, during);
      return undefined;
    }
  }

  #fail(error: unknown, during: string): void {
    showFailure(this.#frame.failure, clinicFailure(error, during), () => void this.loom.restart());
  }

  refresh(): Promise<void> {
    if (this.#refreshing === undefined) {
      this.#refreshing = this.#fetch().finally(() => (this.#refreshing = undefined));
      return this.#refreshing;
    }
    // That one may have begun before what the caller has just changed.
    this.#next ??= this.#refreshing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  async #fetch(): Promise<void> {
    const { client, user } = this;
    if (user === undefined) return;
    try {
      const get = async <T>(path: string): Promise<T> => (await client.call('GET', path)) as T;
      const [users, programs, records, questions, keys, requests, entries] = await Promise.all([
        get<Known['users']>('/users'),
        ['worker', 'admin'].includes(user.role) ? [] : get<{ id: string; name: string }[]>('/programs'),
        get<Known['records']>('/records'),
        get<Known['questions']>('/questions'),
        mayKeys(user) ? get<Known['keys']>('/keys') : [],
        mayKeys(user) ? get<Known['requests']>('/key-requests') : [],
        this.#newEntries(),
      ]);
      if (user !== this.user) return;
      const byId = new Map(programs.map((program) => [program.id, program]));
      this.known = { users, programs: byId, records, questions, keys, requests, entries };
      this.#frame.away.hidden = true;
      this.redraw();
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#frame.away.textContent =
        'The service does not answer. What you did is kept in this tab, and this goes on when it is back.';
      this.#frame.away.hidden = false;
    }
  }

  /** The log, of which only what is new is fetched. */
  async #newEntries(): Promise<Entry[]> {
    const entries = [...this.known.entries];
    for (;;) {
      const after = entries.at(-1)?.seq ?? 0;
      const more = (await this.client.call('GET', `/audit/own?after=${after}`)) as Entry[];
      entries.push(...more);
      if (more.length === 0) return entries;
    }
  }

  redraw(): void {
    this.#send.update();
    this.#records.draw();
    this.#questions.draw();
    this.#keys.draw();
    this.#seen.draw();
  }

  #look(): void {
    if (this.user === undefined || document.hidden || this.#host.hidden) return;
    if (this.#refreshing !== undefined) return;
    this.refresh().catch((error: unknown) => {
      if (!isSignedOut(error)) return;
      this.#end();
      this.#fail(error, 'looking what is new');
    });
  }
}

/** Storage may be forbidden; the session then lasts until the tab is loaded anew. */
function stored(): string | undefined {
  try {
    return sessionStorage.getItem(SESSION) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(SESSION);
    else sessionStorage.setItem(SESSION, token);
  } catch {
    // As above.
  }
}

function mayKeys({ role }: User): boolean {
  return ['client', 'owner', 'analyst'].includes(role);
}
