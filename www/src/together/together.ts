/** The tab “Together”: several tabs, each a party with values of its own, compute one statistic. */
import type { Loom } from 'cipherloom';
import { type Cut, keptSeeds, overBroadcast, type SharedGraph, type Transport } from 'cipherloom/parties';
import type { DataClient } from '../data/data-client.js';
import { fetchSample, SAMPLE_COLUMNS, SAMPLE_NAME } from '../data/sample.js';
import type { DataTable } from '../data/messages.js';
import { failureOf, isCancellation } from '../failure.js';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { hideFailure, showFailure } from '../ui/failure-box.js';
import { keepFocus } from '../ui/keep-focus.js';
import { crossingTable, messageList, nameOf, numbersOf } from './crossed.js';
import { cutPicture } from './cut-picture.js';
import { type Frame, makeFrame } from './frame.js';
import { hashOf, newMeeting, type Seat, seatOf } from './meeting.js';
import { answerOf, inputsOf, ownTotals, sharedGraph, totalsIn, unitsOf } from './question.js';
import { mayConnect } from './relay.js';
import { RelayPanel } from './relay-panel.js';
import { SeatStore, sweep } from './seat-store.js';
import type { MeetingState } from './title.js';
import { type Message, overheard } from './wire.js';
import './together.css';

/** A table, and how it is called. */
interface Source {
  readonly name: string;
  readonly table: DataTable;
}

/** What the tab asks of the page that it is in. */
export interface Host {
  /** Reads files. */
  readonly data: DataClient;
  /** The loom that runs now. */
  loom(): Promise<Loom>;
  /** Has it called whenever another loom takes the place of the one before. */
  onReplaced(listener: () => void): void;
  /** Takes new workers. */
  renew(): void;
  /** Hears how the meeting stands, as often as that is shown. */
  stands?(state: MeetingState): void;
}

/** The document whose policy lets it connect to a relay. */
const RELAYED = 'together.html';

/** Why a run ends that goes on by other workers, as after a reload. */
const REPLACED = new DOMException('The workers were replaced', 'AbortError');

/** Where a seat is taken: without a relay in any document. */
function documentOf({ meeting }: Seat): string {
  return meeting.relay === undefined ? location.pathname : new URL(RELAYED, location.href).pathname;
}

function addressOf(seat: Seat): string {
  return `${documentOf(seat)}${location.search}${hashOf(seat)}`;
}

/** The graph of a meeting, cut for this tab. */
interface Joined {
  readonly shared: SharedGraph;
  readonly cut: Cut;
}

export class Together {
  readonly #app: Host;
  readonly #frame: Frame;
  readonly #relay: RelayPanel;
  #seat: Seat | undefined;
  #source: Source | undefined;
  #units: readonly number[] | undefined;
  #joined: Joined | undefined;
  #running: AbortController | undefined;
  /** Aborted when the seat is left. */
  #sitting = new AbortController();
  /** What is kept of the seat. */
  #kept: SeatStore | undefined;
  /** The seat before this one is free. */
  #left: Promise<void> = Promise.resolve();
  /** A run is named by its meeting: there is one in each. */
  #over = false;
  /** It ended with one. */
  #hasResult = false;
  /** Who has not agreed yet to what runs. */
  #absent: readonly string[] = [];

  constructor(host: HTMLElement, app: Host) {
    this.#app = app;
    this.#frame = makeFrame(host);
    this.#relay = new RelayPanel(this.#frame, {
      changed: () => this.#enable(),
      failed: (error, during) => this.#fail(error, during),
      ended: (why) => this.#end(why),
    });
    const { plan, another, sample, file, column, agree, cancel } = this.#frame;
    plan.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#begin();
    });
    another.addEventListener('click', () => {
      history.pushState(null, '', '#together');
      this.#leave(true);
      this.#frame.names.focus();
    });
    sample.addEventListener('click', () => void this.#take(SAMPLE_NAME, fetchSample));
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      file.value = ''; // the same file can be chosen again
      if (chosen !== undefined) void this.#take(chosen.name, () => chosen.arrayBuffer());
    });
    column.addEventListener('change', () => this.#columnChosen());
    agree.addEventListener('click', () => void this.#run());
    cancel.addEventListener('click', () => this.#running?.abort(new DOMException('Cancelled', 'AbortError')));
    app.onReplaced(() => {
      this.#running?.abort(REPLACED);
      this.#joined = undefined;
      void this.#joinAgain();
    });
    // An invitation that is opened in this tab, and back and forward.
    addEventListener('hashchange', () => this.#follow());
    addEventListener('popstate', () => this.#follow());
    this.#follow();
    void sweep(this.#seat);
  }

  // ------------------------------------------------------------------------------------------------ meeting

  #follow(): void {
    if (!location.hash.startsWith('#together')) return;
    try {
      const seat = seatOf(location.hash);
      if (seat === undefined) this.#leave();
      else if (this.#seat === undefined || hashOf(seat) !== hashOf(this.#seat)) this.#sit(seat);
    } catch (error) {
      this.#fail(error, 'reading the invitation');
    }
  }

  #begin(): void {
    const { names, decimals, relay, failure } = this.#frame;
    hideFailure(failure);
    try {
      const parties = namesIn(names.value);
      const meeting = newMeeting(parties, Number(decimals.value), relay.value.trim());
      const seat = { meeting, party: parties[0]! };
      if (documentOf(seat) !== location.pathname) return location.assign(addressOf(seat));
      history.pushState(null, '', hashOf(seat));
      this.#sit(seat);
    } catch (error) {
      this.#fail(error, 'beginning a meeting');
    }
  }

  #sit(seat: Seat): void {
    if (documentOf(seat) !== location.pathname) return location.replace(addressOf(seat));
    const { relay } = seat.meeting;
    // Bound to another relay: a fresh document is bound to none.
    if (relay !== undefined && !mayConnect(relay)) return location.reload();
    this.#leave();
    const { plan, seat: place } = this.#frame;
    this.#seat = seat;
    place.hidden = false;
    place.replaceChildren(...this.#invitations(seat));
    keepFocus(() => (plan.hidden = true), place.querySelector('a'));
    this.#relay.reset(relay !== undefined);
    void this.#join().then(() => this.#comeBack(seat));
  }

  /** Goes on where this seat was when its tab was reloaded. */
  async #comeBack(seat: Seat): Promise<void> {
    if (seat !== this.#seat) return;
    const { status, brought, columnField } = this.#frame;
    const { signal } = this.#sitting;
    try {
      await this.#left;
      const kept = await SeatStore.open(seat, signal, () => {
        status.textContent = `Another tab of this browser is ${seat.party}: this one waits until that is closed.`;
      });
      if (signal.aborted) return await kept.leave();
      this.#kept = kept;
      const { session } = kept;
      status.textContent = kept.keeps
        ? ''
        : 'This browser keeps nothing for this page: once computing has begun, do not reload this tab.';
      if (session.over === true) {
        this.#over = true;
        status.textContent = 'This meeting is over. A new meeting begins a new run.';
        return;
      }
      if (session.brought === undefined) this.#columnChosen();
      else {
        this.#source = undefined;
        columnField.hidden = true;
        this.#units = session.brought.units;
        brought.textContent = session.brought.text;
      }
      await this.#goOn(seat);
    } catch (error) {
      if (!signal.aborted) this.#fail(error, 'coming back to the meeting');
    } finally {
      if (!signal.aborted) this.#enable();
    }
  }

  /** By another loom: what waits for the graph goes on, where none could be made before. */
  async #joinAgain(): Promise<void> {
    const { signal } = this.#sitting;
    try {
      await this.#join();
      if (this.#seat !== undefined && !signal.aborted) await this.#goOn(this.#seat);
    } catch (error) {
      if (!signal.aborted) this.#fail(error, 'coming back to the meeting');
    }
  }

  /** Sits down at the relay, and computes where that was agreed to: once both the graph and what was kept are there. */
  async #goOn(seat: Seat): Promise<void> {
    const { signal } = this.#sitting;
    const [graph, kept] = [this.#joined?.shared.id, this.#kept];
    if (graph === undefined || kept === undefined || this.#over) return;
    if (seat.meeting.relay !== undefined && !this.#relay.isSeated)
      await this.#relay.sit({ seat, graph, kept, signal });
    if (kept.session.agreed === true && !this.#over && !signal.aborted) void this.#run();
  }

  /** The meeting is over without a result. */
  async #end(why: string): Promise<void> {
    this.#over = true;
    this.#enable();
    const seat = this.#seat;
    try {
      await this.#kept?.end();
    } catch (error) {
      this.#fail(error, 'forgetting what was kept');
    }
    // Only now a tab that is reloaded knows it, too.
    if (seat === this.#seat) this.#frame.status.textContent = why;
  }

  /** What belonged to a meeting ends with it; values that were brought stay. `ends`: the seat is not to be taken again. */
  #leave(ends = false): void {
    const over = ends || this.#running !== undefined;
    this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
    const { plan, begin, seat, results, status, failure, leaves, cut } = this.#frame;
    hideFailure(failure);
    this.#sitting.abort(new DOMException('Cancelled', 'AbortError'));
    this.#sitting = new AbortController();
    this.#relay.reset(false);
    const kept = this.#kept;
    this.#kept = undefined;
    // The next seat may be the same one.
    if (kept !== undefined)
      this.#left = (over ? kept.end() : Promise.resolve()).catch(() => {}).then(() => kept.leave());
    this.#seat = undefined;
    this.#over = this.#hasResult = false;
    this.#joined?.cut.dispose();
    this.#joined = undefined;
    plan.hidden = false;
    const hide = (): void => {
      for (const place of [seat, results, cut.parentElement!]) place.hidden = true;
    };
    keepFocus(hide, begin);
    status.textContent = '';
    leaves.replaceChildren();
    this.#enable();
  }

  #invitations({ meeting, party }: Seat): HTMLElement[] {
    const others = meeting.parties.filter((name) => name !== party);
    const links = others.map((name) => {
      const address = addressOf({ meeting, party: name });
      const copied = h('span', { class: 'note', role: 'status' });
      const copy = button(
        'Copy the link',
        () => {
          navigator.clipboard.writeText(new URL(address, location.href).href).then(
            () => (copied.textContent = 'copied'),
            () => (copied.textContent = 'The browser does not let it be copied.'),
          );
        },
        { class: 'small quiet' },
      );
      return h(
        'li',
        {},
        h(
          'a',
          { href: address, target: '_blank', rel: 'noopener', 'data-testid': 'together-invitation' },
          `Open ${name}’s tab`,
        ),
        copy,
        copied,
      );
    });
    return [
      h(
        'p',
        {},
        'In this tab you are ',
        h('strong', { 'data-testid': 'together-party' }, party),
        `, one of ${format.plural(meeting.parties.length, 'party').replace(/partys$/, 'parties')}.`,
      ),
      h(
        'p',
        { class: 'note' },
        ...(meeting.relay === undefined
          ? [
              'The others meet you in tabs of this browser. Open them, and in each of them, too, bring values and agree:',
            ]
          : ['The others meet you at ', h('code', {}, meeting.relay), '. Send each of them their link:']),
      ),
      h('ul', { class: 'together-links' }, ...links),
      this.#frame.another,
      ...(meeting.parties.length === 2
        ? [
            h(
              'p',
              { class: 'note' },
              'Of two, each one can take its own sum off the result and knows the other’s; of three or more, nobody alone can.',
            ),
          ]
        : []),
    ];
  }

  /** Makes the graph of the meeting, and cuts it. */
  async #join(): Promise<void> {
    const seat = this.#seat;
    if (seat === undefined) return;
    const { leaves, cut: place, cutNote } = this.#frame;
    try {
      const loom: Loom = await this.#app.loom();
      const shared = await sharedGraph(loom, seat.meeting.parties);
      const cut = await shared.cut(seat.party);
      if (seat !== this.#seat) return cut.dispose();
      this.#joined = { shared, cut };
      leaves.replaceChildren(
        h('p', { class: 'note' }, `${format.plural(cut.leaves.length, 'value')} will leave this tab:`),
        crossingTable(cut.leaves, 'to'),
      );
      place.replaceChildren(await cutPicture(shared, cut));
      cutNote.textContent =
        `${shared.operators} operators in all, ${cut.own.length} of them here. Thick edges go from one tab to another: ` +
        'the only values of others that this tab ever sees. Everything else of theirs is known by name alone.';
      place.parentElement!.hidden = false;
    } catch (error) {
      if (seat === this.#seat) this.#fail(error, 'making the graph');
    } finally {
      this.#enable();
    }
  }

  // ------------------------------------------------------------------------------------------------- values

  async #take(file: string, bytes: () => Promise<ArrayBuffer>): Promise<void> {
    const name = format.foreign(file);
    hideFailure(this.#frame.failure);
    try {
      const table = await this.#app.data.read(await bytes());
      if (table.numeric.length === 0) throw new Error(`${name} has no column of numbers.`);
      this.#source = { name, table };
      const { column, columnField } = this.#frame;
      column.replaceChildren(...table.numeric.map(({ name }) => h('option', { value: name }, name)));
      if (name === SAMPLE_NAME) column.value = SAMPLE_COLUMNS[0];
      columnField.hidden = false;
      this.#columnChosen();
    } catch (error) {
      this.#fail(error, `reading ${name}`);
    }
  }

  #columnChosen(): void {
    const { column, brought, failure } = this.#frame;
    this.#units = undefined;
    if (this.#source !== undefined && this.#seat !== undefined) {
      const { name, table } = this.#source;
      const { meeting, party } = this.#seat;
      const { parties, decimals } = meeting;
      const found = table.numeric.find(({ name }) => name === column.value)!;
      // Of the example everybody has other rows.
      const mine = parties.indexOf(party);
      const isSample = name === SAMPLE_NAME;
      const part = isSample ? ([mine, parties.length] as const) : [];
      // The example does for any meeting, and is said to be rounded; what a person brings is not.
      const unit = 10 ** decimals;
      const values = isSample ? found.values.map((value) => Math.round(value * unit) / unit) : found.values;
      try {
        hideFailure(failure);
        const units = unitsOf(values, decimals, ...part);
        const whose = isSample
          ? `, your part of ${format.count(values.length)}, rounded to ${format.plural(decimals, 'decimal')}`
          : '';
        brought.textContent = `${name}, ${found.name}: ${format.plural(units.length, 'value')}${whose}`;
        this.#units = units;
      } catch (error) {
        brought.textContent = '';
        this.#fail(error, `taking ${found.name} of ${name}`);
      }
    }
    this.#enable();
  }

  // ---------------------------------------------------------------------------------------------------- run

  async #run(): Promise<void> {
    const { failure, results } = this.#frame;
    const [seat, joined, units, kept] = [this.#seat, this.#joined, this.#units, this.#kept];
    if (seat === undefined || joined === undefined || units === undefined || kept === undefined) return;
    if (this.#running !== undefined || !this.#isMet) return;
    hideFailure(failure);
    results.hidden = true;
    const { meeting, party } = seat;
    const { cut } = joined;
    const { store } = kept;
    const controller = new AbortController();
    this.#running = controller;
    this.#enable();
    const messages: Message[] = [];
    const absent = new Set(meeting.parties.filter((name) => name !== party));
    this.#say(absent);
    const crossings = [...cut.sends, ...cut.receives];
    const bring = { values: units };
    const { signal } = controller;
    let transport: Transport | undefined;
    try {
      const text = this.#frame.brought.textContent;
      await kept.keep({ brought: { text, units }, agreed: true });
      const { carrier, run } = await this.#wire(seat);
      const heard = (message: Message): void => {
        messages.push(message);
        if (absent.delete(message.from)) this.#say(absent);
      };
      // Of a run that goes on the others are not told that it ends.
      transport = overheard(carrier, { party, crossings, heard, isMute: () => signal.reason === REPLACED });
      const seeds = await keptSeeds(store, run, cut);
      // Whoever has pressed the button has seen the list.
      const options = { transport, run, leaves: cut.leaves, keep: store, signal };
      const outputs = await cut.run({ ...seeds, ...inputsOf(party, bring) }, options);
      this.#over = this.#hasResult = true;
      this.#show(totalsIn(outputs, party), ownTotals(bring), messages, seat);
    } catch (error) {
      // Who has left the seat comes back to it, or not.
      if (seat !== this.#seat || signal.reason === REPLACED) return;
      const cancelled = isCancellation(error, signal);
      if (!cancelled) this.#fail(error, 'computing together');
      await this.#end(
        `${cancelled ? cancelledBefore(absent) : 'There is no result'}. A new meeting begins a new run.`,
      );
    } finally {
      transport?.close();
      if (this.#running === controller) this.#running = undefined;
      this.#enable();
      if (signal.reason === REPLACED && seat === this.#seat) void this.#goOn(seat);
    }
  }

  /** What carries a run, and what it is called there. */
  async #wire({ meeting, party }: Seat): Promise<{ readonly carrier: Transport; readonly run: string }> {
    if (meeting.relay !== undefined) return this.#relay.open();
    const channel = new BroadcastChannel(`cipherloom together ${meeting.run}`);
    return { carrier: overBroadcast(channel, party), run: meeting.run };
  }

  /** The others are who they are taken for, as far as a meeting can tell. */
  get #isMet(): boolean {
    return this.#seat?.meeting.relay === undefined || this.#relay.isMet;
  }

  #say(absent: ReadonlySet<string>): void {
    this.#absent = [...absent];
    this.#app.stands?.(this.#state);
    this.#frame.status.textContent =
      absent.size === 0 ? 'All are there. Computing…' : `Waiting for ${[...absent].join(' and ')} to agree.`;
  }

  #show(
    totals: readonly bigint[],
    own: readonly bigint[],
    messages: readonly Message[],
    { meeting, party }: Seat,
  ): void {
    const { status, results, answer, compared, messages: place } = this.#frame;
    const found = answerOf(totals, meeting.decimals)!;
    const number = (value: number): string =>
      Number.isNaN(value)
        ? 'none of one value'
        : value.toLocaleString('en-US', { maximumFractionDigits: meeting.decimals + 3 });
    const facts: [string, string, string][] = [
      ['Values of all', 'count', format.count(found.count)],
      ['Mean', 'mean', number(found.mean)],
      ['Standard deviation', 'deviation', number(found.deviation)],
    ];
    answer.replaceChildren(
      h(
        'dl',
        { class: 'facts' },
        ...facts.flatMap(([name, id, text]) => [
          h('dt', {}, name),
          h('dd', { 'data-testid': `together-${id}` }, text),
        ]),
      ),
    );
    const left = messages.filter(({ from, value }) => from === party && value !== undefined);
    const rows = ['how many', 'sum', 'sum of squares'].map((name, word) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, name),
        h('td', {}, h('code', {}, own[word]!.toLocaleString('en-US'))),
        ...left.map(({ bytes, value }) =>
          h('td', {}, h('code', {}, numbersOf(bytes.subarray(value!.at))[word]!)),
        ),
      ),
    );
    const head = [
      'what',
      'yours',
      ...left.map(({ to, value }) => `${nameOf(value!.crossing).replace(/ for .*/, '')} to ${to}`),
    ];
    compared.replaceChildren(
      h(
        'table',
        { class: 'together-table' },
        h('thead', {}, h('tr', {}, ...head.map((text) => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, ...rows),
      ),
    );
    const sealed = h(
      'p',
      { class: 'note' },
      'The relay saw none of these bytes: each message was sealed for its receiver.',
    );
    place.replaceChildren(...(meeting.relay === undefined ? [] : [sealed]), messageList(messages));
    results.hidden = false;
    status.textContent = 'Done: everybody has the same result.';
    const title = results.querySelector<HTMLElement>('h2')!;
    results.scrollIntoView({ block: 'nearest' });
    title.focus({ preventScroll: true });
  }

  get #state(): MeetingState {
    if (this.#seat === undefined) return { at: 'none' };
    if (this.#hasResult) return { at: 'done' };
    if (this.#over) return { at: 'over' };
    if (this.#running !== undefined) return { at: 'running', absent: this.#absent };
    return { at: this.#relay.isWaiting ? 'waiting' : 'seated' };
  }

  #enable(): void {
    this.#app.stands?.(this.#state);
    const { sample, file, column, agree, cancel, another } = this.#frame;
    const running = this.#running !== undefined;
    const free = this.#seat !== undefined && !running && !this.#over;
    const ready = this.#kept !== undefined && this.#joined !== undefined && this.#isMet;
    this.#relay.enable();
    const change = (): void => {
      for (const control of [sample, file, column]) control.disabled = !free;
      agree.disabled = !free || this.#units === undefined || !ready;
      cancel.disabled = !running;
    };
    keepFocus(change, cancel, agree, another);
  }

  #fail(error: unknown, during: string): void {
    showFailure(this.#frame.failure, failureOf(error, during), () => this.#app.renew());
  }
}

/** Names between commas, those that look alike as one; a comma too many names nobody. */
function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim().replaceAll(/\s+/g, ' ').normalize());
  return names.filter((name) => name !== '');
}

/** Who has not come yet hears nothing. */
function cancelledBefore(absent: ReadonlySet<string>): string {
  if (absent.size === 0) return 'Cancelled, and the others were told';
  return `Cancelled. ${[...absent].join(' and ')} had not agreed yet, and may still wait: say there that this meeting is over`;
}
