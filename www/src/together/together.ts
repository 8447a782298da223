/** The tab “Together”: several tabs, each a party with values of its own, compute one statistic. */
import type { Loom } from 'cipherloom';
import { type Cut, overBroadcast, type SharedGraph } from 'cipherloom/parties';
import type { App } from '../app.js';
import { fetchSample, SAMPLE_COLUMNS, SAMPLE_NAME } from '../data/sample.js';
import type { DataTable } from '../data/messages.js';
import { failureOf, isCancellation } from '../failure.js';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { hideFailure, showFailure } from '../ui/failure-box.js';
import { crossingTable, messageList, numbersOf } from './crossed.js';
import { cutPicture } from './cut-picture.js';
import { type Frame, makeFrame } from './frame.js';
import { hashOf, newMeeting, type Seat, seatOf } from './meeting.js';
import { answerOf, inputsOf, ownTotals, sharedGraph, unitsOf } from './question.js';
import { type Message, overheard } from './wire.js';
import './together.css';

/** A table, and how it is called. */
interface Source {
  readonly name: string;
  readonly table: DataTable;
}

/** The graph of a meeting, cut for this tab. */
interface Joined {
  readonly shared: SharedGraph;
  readonly cut: Cut;
}

export class Together {
  readonly #app: App;
  readonly #frame: Frame;
  #seat: Seat | undefined;
  #source: Source | undefined;
  #units: readonly number[] | undefined;
  #joined: Joined | undefined;
  #running: AbortController | undefined;
  /** A run is named by its meeting: there is one in each. */
  #over = false;

  constructor(host: HTMLElement, app: App) {
    this.#app = app;
    this.#frame = makeFrame(host);
    const { begin, sample, file, column, agree, cancel } = this.#frame;
    begin.addEventListener('click', () => this.#begin());
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
      this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
      this.#joined = undefined;
      void this.#join();
    });
    // An invitation that is opened in this tab, and back and forward.
    addEventListener('hashchange', () => this.#follow());
    addEventListener('popstate', () => this.#follow());
    this.#follow();
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
    const { names, decimals, failure } = this.#frame;
    hideFailure(failure);
    try {
      const parties = names.value.split(',').map((name) => name.trim());
      const meeting = newMeeting(parties, Number(decimals.value));
      const seat = { meeting, party: parties[0]! };
      history.pushState(null, '', hashOf(seat));
      this.#sit(seat);
    } catch (error) {
      this.#fail(error, 'beginning a meeting');
    }
  }

  #sit(seat: Seat): void {
    this.#leave();
    const { plan, seat: place } = this.#frame;
    this.#seat = seat;
    plan.hidden = true;
    place.hidden = false;
    place.replaceChildren(...this.#invitations(seat));
    this.#columnChosen();
    void this.#join();
  }

  /** What belonged to a meeting ends with it; values that were brought stay. */
  #leave(): void {
    this.#running?.abort(new DOMException('Cancelled', 'AbortError'));
    const { plan, seat, results, status, failure, leaves, cut } = this.#frame;
    hideFailure(failure);
    this.#seat = undefined;
    this.#over = false;
    this.#joined?.cut.dispose();
    this.#joined = undefined;
    plan.hidden = false;
    for (const place of [seat, results, cut.parentElement!]) place.hidden = true;
    status.textContent = '';
    leaves.replaceChildren();
    this.#enable();
  }

  #invitations({ meeting, party }: Seat): HTMLElement[] {
    const others = meeting.parties.filter((name) => name !== party);
    const links = others.map((name) => {
      const address = `${location.pathname}${location.search}${hashOf({ meeting, party: name })}`;
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
      h('p', { class: 'note' }, 'The others meet you in tabs of this browser:'),
      h('ul', { class: 'together-links' }, ...links),
      button(
        'Begin another meeting',
        () => {
          history.pushState(null, '', '#together');
          this.#leave();
          this.#frame.names.focus();
        },
        { class: 'small quiet', 'data-testid': 'together-another' },
      ),
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

  async #take(name: string, bytes: () => Promise<ArrayBuffer>): Promise<void> {
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
      const values =
        name === SAMPLE_NAME ? found.values.filter((_, row) => row % parties.length === mine) : found.values;
      try {
        hideFailure(failure);
        this.#units = unitsOf(values, decimals);
        const part = name === SAMPLE_NAME ? `, your part of ${format.count(found.values.length)}` : '';
        brought.textContent = `${name}, ${found.name}: ${format.plural(this.#units.length, 'value')}${part}`;
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
    const [seat, joined, units] = [this.#seat, this.#joined, this.#units];
    if (seat === undefined || joined === undefined || units === undefined || this.#running !== undefined)
      return;
    hideFailure(failure);
    results.hidden = true;
    const { meeting, party } = seat;
    const { cut } = joined;
    const controller = new AbortController();
    this.#running = controller;
    this.#enable();
    const messages: Message[] = [];
    const absent = new Set(meeting.parties.filter((name) => name !== party));
    this.#say(absent);
    const channel = new BroadcastChannel(`cipherloom together ${meeting.run}`);
    const crossings = [...cut.sends, ...cut.receives];
    const transport = overheard(overBroadcast(channel, party), party, crossings, (message) => {
      messages.push(message);
      if (absent.delete(message.from)) this.#say(absent);
    });
    const bring = { values: units };
    try {
      // Whoever has pressed the button has seen the list.
      const outputs = await cut.run(inputsOf(party, meeting.parties, bring), {
        transport,
        run: meeting.run,
        leaves: cut.leaves,
        signal: controller.signal,
      });
      this.#over = true;
      const totals = [...(outputs[`${party}: totals`] as BigUint64Array)];
      this.#show(totals, ownTotals(bring), messages, seat);
    } catch (error) {
      if (isCancellation(error, controller.signal)) {
        this.#over = true;
        this.#frame.status.textContent =
          'Cancelled, and the others were told. A new meeting begins a new run.';
      } else {
        this.#over = true;
        this.#frame.status.textContent = 'There is no result. A new meeting begins a new run.';
        this.#fail(error, 'computing together');
      }
    } finally {
      transport.close();
      this.#running = undefined;
      this.#enable();
    }
  }

  #say(absent: ReadonlySet<string>): void {
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
      '',
      'yours',
      ...left.map(({ to, value }) => `${value!.crossing.input ? 'part' : 'sum of parts'} to ${to}`),
    ];
    compared.replaceChildren(
      h(
        'table',
        { class: 'together-table' },
        h('thead', {}, h('tr', {}, ...head.map((text) => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, ...rows),
      ),
    );
    place.replaceChildren(messageList(messages));
    results.hidden = false;
    status.textContent = 'Done: everybody has the same result.';
    const title = results.querySelector<HTMLElement>('h2')!;
    results.scrollIntoView({ block: 'nearest' });
    title.focus({ preventScroll: true });
  }

  #enable(): void {
    const { sample, file, column, agree, cancel } = this.#frame;
    const running = this.#running !== undefined;
    const free = this.#seat !== undefined && !running && !this.#over;
    for (const control of [sample, file, column]) control.disabled = !free;
    agree.disabled = !free || this.#units === undefined || this.#joined === undefined;
    cancel.disabled = !running;
  }

  #fail(error: unknown, during: string): void {
    showFailure(this.#frame.failure, failureOf(error, during), () => this.#app.renew());
  }
}
