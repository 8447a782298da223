/** Meeting at a relay, as a person does it: connect, wait for the others, compare the code by telephone, say that it is the same. */
import type { Transport } from 'cipherloom/parties';
import { keepFocus } from '../ui/keep-focus.js';
import type { Frame } from './frame.js';
import type { Seat } from './meeting.js';
import { meet, type Meeting } from './relay.js';
import type { SeatStore } from './seat-store.js';

/** Where a person sits, and what is kept of it. */
export interface RelaySeat {
  readonly seat: Seat;
  /** The shared graph's. */
  readonly graph: string;
  readonly kept: SeatStore;
  /** Aborted when the seat is left. */
  readonly signal: AbortSignal;
}

/** What the tab is told. */
export interface RelayEvents {
  changed(): void;
  failed(error: unknown, during: string): void;
  /** The meeting is over without a result. */
  ended(why: string): Promise<void>;
}

export class RelayPanel {
  readonly #frame: Frame;
  readonly #events: RelayEvents;
  #at: RelaySeat | undefined;
  #meeting: Meeting | undefined;
  #connecting = false;

  constructor(frame: Frame, events: RelayEvents) {
    this.#frame = frame;
    this.#events = events;
    frame.access.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#connect();
    });
    frame.same.addEventListener('click', () => void this.#confirm());
    frame.differs.addEventListener('click', () => void this.#reject());
  }

  /** Whether all have the same code. */
  get isMet(): boolean {
    return this.#meeting !== undefined && this.#at?.kept.session.confirmed === true;
  }

  /** Whether it has its seat. */
  get isSeated(): boolean {
    return this.#at !== undefined;
  }

  /** Whether it connects, or waits for the others there. */
  get isWaiting(): boolean {
    return this.#connecting;
  }

  /** Shows that there is a relay, or hides it all. */
  reset(isRelayed: boolean): void {
    const { relayed, compare, connected } = this.#frame;
    this.#meeting?.close();
    this.#meeting = undefined;
    this.#at = undefined;
    this.#connecting = false;
    relayed.hidden = !isRelayed;
    compare.hidden = true;
    connected.textContent = '';
    this.enable();
  }

  /** Takes a seat; connects at once where it was connected before. */
  async sit(at: RelaySeat): Promise<void> {
    this.#at = at;
    this.enable();
    const { access } = at.kept.session;
    if (access === undefined) return;
    const { user, pass } = this.#frame;
    [user.value, pass.value] = [access.user, access.pass];
    await this.#connect();
  }

  /** What carries the run to come, and what it is called. */
  async open(): Promise<{ readonly carrier: Transport; readonly run: string }> {
    const { introduction, transport } = this.#meeting!;
    return { carrier: await transport(), run: introduction.run };
  }

  enable(): void {
    const { connect, user, pass, connected } = this.#frame;
    const free = this.#at?.kept.session.over !== true && !this.#connecting && this.#meeting === undefined;
    const change = (): void => {
      for (const control of [connect, user, pass]) control.disabled = this.#at === undefined || !free;
    };
    // There it is told who is still missing.
    keepFocus(change, connected);
  }

  async #connect(): Promise<void> {
    const at = this.#at;
    if (at === undefined || this.#connecting || this.#meeting !== undefined) return;
    const { seat, graph, kept, signal } = at;
    const { user, pass, connected, compare, code } = this.#frame;
    const access = { user: user.value, pass: pass.value };
    const absent = new Set(seat.meeting.parties.filter((name) => name !== seat.party));
    const say = (): void => {
      connected.textContent =
        absent.size === 0 ? 'All are there.' : `Connected. Waiting for ${[...absent].join(' and ')}.`;
    };
    this.#connecting = true;
    this.#events.changed();
    connected.textContent = `Connecting to ${seat.meeting.relay}…`;
    try {
      const onConnected = (): Promise<void> => kept.keep({ access }).then(say);
      const onCame = (party: string): void => {
        absent.delete(party);
        say();
      };
      const meeting = await meet({ seat, graph, access, keep: kept.store, signal, onConnected, onCame });
      if (signal.aborted) return meeting.close();
      this.#meeting = meeting;
      code.textContent = meeting.introduction.code;
      if (kept.session.confirmed === true) return this.#confirmed();
      connected.textContent = 'All are there.';
      compare.hidden = false;
      compare.querySelector<HTMLElement>('h3')!.focus({ preventScroll: true });
    } catch (error) {
      if (signal.aborted) return;
      connected.textContent = '';
      this.#events.failed(error, 'meeting at the relay');
      // Its keys are of no more use.
      if ((error as { code?: unknown }).code === 'party.introduction')
        await this.#events.ended('This meeting is over: nothing was sent.');
    } finally {
      if (this.#at === at) {
        this.#connecting = false;
        this.#events.changed();
      }
    }
  }

  async #confirm(): Promise<void> {
    const at = this.#at;
    try {
      await at?.kept.keep({ confirmed: true });
      if (this.#at === at) this.#confirmed();
    } catch (error) {
      this.#events.failed(error, 'keeping that the codes are the same');
    }
  }

  #confirmed(): void {
    const { compare, connected, code, agree, sample } = this.#frame;
    const change = (): void => {
      compare.hidden = true;
      connected.textContent = `All have the code ${code.textContent}.`;
      this.#events.changed();
    };
    keepFocus(change, agree, sample);
  }

  async #reject(): Promise<void> {
    this.#meeting?.close();
    const { compare, connected, another } = this.#frame;
    connected.textContent = '';
    keepFocus(() => (compare.hidden = true), another);
    await this.#events.ended(
      'Nothing was sent. If a code differs, somebody sits between you: begin a new meeting, by another relay.',
    );
  }
}
