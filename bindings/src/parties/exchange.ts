/** One run's ends of channels, between what the run hands out and a transport. Who is at the other ends may be anybody, and say anything. */
import { describe } from '../arguments.js';
import { CipherloomError, failure } from '../errors.js';
import type { RawOutgoing } from '../raw.js';
import { readAttributes } from '../type-text.js';
import { listenTo, passOn, tellRefused } from './callbacks.js';
import { decode, encode, type Frame, isOfAnother, NOBODY, PIECE, type Reason, type Said } from './frame.js';
import type { Kept } from './kept.js';
import { newAttempt } from './run.js';
import { lost } from './transports/lost.js';
import type { Crossing, CutRunOptions, Transport } from './types.js';

/** Most bytes of a value that are under way to a party that has not said that it has them. */
const WINDOW = 4 * PIECE;
/** What who has said farewell, and stays for others, still says. */
const LINGERING: ReadonlySet<Frame['kind']> = new Set(['here', 'bye', 'stop']);
/** Milliseconds between two messages that say that a party is there. */
const HERE_MS = 5000;
/** Milliseconds that one who is done is there for silent others who are not, where no `timeout` says it. */
const LINGER_MS = 60_000;

/** What an exchange is about. */
export interface ExchangeSettings extends Pick<CutRunOptions, 'transport' | 'run' | 'timeout' | 'onRefused'> {
  /** The shared graph's. */
  readonly id: string;
  readonly sends: readonly Crossing[];
  readonly receives: readonly Crossing[];
  /** What lets parties come back, or undefined. */
  readonly kept?: Kept | undefined;
}

/** Another party, as far as it was heard of. */
interface Peer {
  readonly name: string;
  /** Resolves when it has said hello. */
  readonly hello: Gate;
  /** Its latest attempt that was heard of. */
  attempt: string;
  /** When it was heard of last. */
  heard: number;
  /** How many wait for it, and since when somebody does. */
  waits: number;
  since: number;
  /** It said that it needs nothing more. */
  ended: boolean;
  /** It has kept that all its neighbours said so: it needs nobody, even if it comes back. */
  done: boolean;
  /** This party's own word of that is out. */
  told: boolean;
  /** It stopped after it had ended: nobody waits for it. */
  gone: boolean;
}

/** A value on its way to here. */
interface Receive {
  readonly crossing: Crossing;
  readonly done: Gate;
  /** From the first piece on. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
  received: number;
}

/** A value on its way to another. */
interface Send {
  readonly crossing: Crossing;
  /** Bytes that were sent, and those that the other says it has. */
  sent: number;
  acked: number;
  /** The run goes on without it: who comes back is sent it again by `#serve`. */
  done: boolean;
  /** Lets whoever waits for more room look again. */
  moved: Gate;
}

/** Something that happens once. */
class Gate {
  open = (): void => {};
  fail: (reason: unknown) => void = () => {};
  isOpen = false;
  readonly promise: Promise<void>;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.open = () => {
        this.isOpen = true;
        resolve();
      };
      this.fail = reject;
    });
    // Nobody may be waiting.
    this.promise.catch(() => {});
  }
}

/** See above. */
export class Exchange {
  readonly #settings: ExchangeSettings;
  readonly #transport: Transport;
  readonly #peers: ReadonlyMap<string, Peer>;
  readonly #receives: ReadonlyMap<string, Receive>;
  readonly #sends: ReadonlyMap<string, Send>;
  readonly #life = new AbortController();
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #stopListening = (): void => {};
  readonly #attempt: string;
  #over = false;
  /** All of this party's own is computed. */
  #finished = false;
  /** This party has kept that all are. */
  #closed = false;
  /** Lets who waits for farewells look again. */
  #farewells = new Gate();

  constructor(settings: ExchangeSettings) {
    const { sends, receives, transport } = settings;
    this.#settings = settings;
    this.#transport = transport;
    this.#attempt = settings.kept?.attempt ?? newAttempt(1);
    const names = new Set([...sends.map(({ to }) => to), ...receives.map(({ from }) => from)]);
    this.#peers = new Map(
      [...names].map((name) => [
        name,
        {
          ...{ name, hello: new Gate(), attempt: NOBODY, heard: 0, waits: 0, since: 0 },
          ...{ ended: false, done: false, told: false, gone: false },
        },
      ]),
    );
    this.#receives = new Map(
      receives.map((crossing) => [
        crossing.channel,
        { crossing, done: new Gate(), bytes: undefined, received: 0 },
      ]),
    );
    this.#sends = new Map(
      sends.map((crossing) => [
        crossing.channel,
        { crossing, sent: 0, acked: 0, done: false, moved: new Gate() },
      ]),
    );
  }

  /** Aborted with the error that ends the run. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Begins to listen, and says hello to all. */
  start(): void {
    this.#stopListening = listenTo(
      this.#transport,
      (from, bytes) => this.#hear(from, bytes),
      (cause) => this.#fail(lost(cause)),
    );
    for (const peer of this.#peers.values()) this.#hello(peer);
    const every = (milliseconds: number, work: () => void): void => {
      this.#timers.push(setInterval(work, milliseconds));
    };
    if (this.#peers.size > 0) every(HERE_MS, () => this.#toPresent({ kind: 'here' }));
    const { timeout } = this.#settings;
    if (timeout !== undefined)
      every(Math.min(Math.max(timeout / 4, 1), 1000), () => this.#checkSilence(timeout));
  }

  /** Waits until all others have said hello. Errors: PartyError. */
  async greeted(): Promise<void> {
    const hellos = [...this.#peers.values()].map((peer) => this.#awaited(peer, peer.hello.promise));
    await Promise.all(hellos);
  }

  /** Does what an operator of the run is for: gives the bytes that it is to write. Errors: PartyError. */
  async compute({ attributes, data, output }: RawOutgoing): Promise<Uint8Array<ArrayBuffer>> {
    const { to, from, number } = readAttributes(attributes);
    if (typeof to === 'string') {
      const send = [...this.#sends.values()].find(({ crossing: c }) => c.number === number && c.to === to);
      const [bytes] = data;
      if (send === undefined || bytes === undefined) throw noSuch(attributes);
      await this.#settings.kept?.sends(send.crossing, bytes);
      await this.#push(send, bytes);
      send.done = true;
      return new Uint8Array(output.bytes);
    }
    const receive = [...this.#receives.values()].find(
      ({ crossing: c }) => c.number === number && c.from === from,
    );
    if (receive === undefined) throw noSuch(attributes);
    await this.#awaited(this.#peer(receive.crossing.from), receive.done.promise);
    const { bytes } = receive;
    // Of no more use here, where it was received.
    receive.bytes = new Uint8Array();
    return bytes as Uint8Array<ArrayBuffer>;
  }

  /** Everything was computed in an attempt before this one: what is sent is what was kept. */
  restore(): void {
    this.#finished = true;
    for (const send of this.#sends.values()) send.done = true;
    for (const receive of this.#receives.values()) {
      receive.received = receive.crossing.bytes;
      receive.bytes = new Uint8Array();
      receive.done.open();
    }
  }

  /**
   * The run is done: all that there was to send is with the others. Where it is kept, stays for those who come back, until all have kept that all are done, or are silent
   * for longer than they may be.
   */
  async end(): Promise<void> {
    this.#finished = true;
    const { kept, sends } = this.#settings;
    if (kept === undefined) {
      this.#close();
      // Nobody comes back to it, and it to nobody.
      return this.#toPresent({ kind: 'done' });
    }
    for (const peer of this.#peers.values()) {
      peer.since = performance.now();
      if (peer.hello.isOpen) void this.#serve(peer);
    }
    try {
      if (!(await this.#untilAll(({ ended }) => ended))) return;
      await kept.close();
      // From here on this one can die and need nobody: whoever hears of it need not wait for it any more.
      this.#closed = true;
      for (const peer of this.#peers.values()) this.#tellDone(peer);
      const forgotten = kept.forget(sends).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      await this.#untilAll(({ done, told }) => done && told);
      const failed = await forgotten;
      if (failed !== undefined) throw failed.error;
    } finally {
      this.#close();
    }
  }

  /** An attempt before this one has kept that all are done, and may have died before all had heard it: who is there hears it once more. */
  async repeatDone(): Promise<void> {
    for (const peer of this.#peers.values()) {
      peer.since = performance.now();
      this.#tellDone(peer);
    }
    await this.#untilAll(({ told }) => told, HERE_MS);
  }

  #tellDone(peer: Peer): void {
    const told = (): void => {
      peer.told = true;
      this.#farewells.open();
    };
    this.#transmit(peer, { kind: 'done' }).then(told, () => {});
  }

  /** Waits until something is so of all others, as far as they have not left and are not silent for longer than they may be. Gives whether it is so of all. */
  async #untilAll(is: (peer: Peer) => boolean, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const timeout = Math.min(this.#settings.timeout ?? LINGER_MS, most);
    const peers = [...this.#peers.values()];
    const left = (peer: Peer): boolean =>
      is(peer) || peer.gone || performance.now() - Math.max(peer.since, peer.heard) > timeout;
    const look = setInterval(() => this.#farewells.open(), Math.min(Math.max(timeout / 4, 1), 1000));
    while (!peers.every(left) && !this.signal.aborted) {
      this.#farewells = new Gate();
      await this.#farewells.promise;
    }
    clearInterval(look);
    return peers.every(is) && !this.signal.aborted;
  }

  /** The run is over without an end, and the others need not wait. */
  stop(reason: Reason): void {
    if (this.#over) return;
    this.#close();
    for (const peer of this.#peers.values()) {
      // Who has not come yet may come to another attempt.
      if (peer.attempt !== NOBODY || this.#settings.kept === undefined)
        this.#say(peer, { kind: 'stop', reason });
    }
    // Whoever still waits for a channel does not any more.
    this.#fail(failure('party.stopped', 'This party has stopped', { reason }));
  }

  #close(): void {
    this.#over = true;
    this.#stopListening();
    this.#timers.splice(0).forEach((timer) => clearInterval(timer));
  }

  /** Ends the run with an error. */
  #fail(error: unknown): void {
    if (this.#life.signal.aborted) return;
    this.#life.abort(error);
    for (const { hello } of this.#peers.values()) hello.fail(error);
    for (const { done } of this.#receives.values()) done.fail(error);
    for (const { moved } of this.#sends.values()) moved.fail(error);
    this.#farewells.open();
  }

  // --------------------------------------------------------------------------------------------- saying

  #hello(peer: Peer): void {
    this.#say(peer, { kind: 'hello', id: this.#settings.id });
  }

  #say(peer: Peer, said: Said): void {
    this.#transmit(peer, said).catch(() => {});
  }

  /** To those who are there: where it is kept, also who needs nothing more stays until each has heard of the other that all are done. */
  #toPresent(said: Said): void {
    const { kept } = this.#settings;
    const left = ({ ended, done, told, gone }: Peer): boolean =>
      kept === undefined ? ended : gone || (done && told);
    for (const peer of this.#peers.values()) if (peer.hello.isOpen && !left(peer)) this.#say(peer, said);
  }

  /** Errors: PartyError `party.transport`, which ends the run, too. */
  async #transmit(peer: Peer, said: Said): Promise<void> {
    const { run } = this.#settings;
    const frame: Frame = { ...said, run, attempt: this.#attempt, to: peer.attempt };
    try {
      await passOn(this.#transport, peer.name, encode(frame));
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Sends a value, once the other is there, no faster than it is taken; done when the other has it. */
  async #push(send: Send, data: Uint8Array): Promise<void> {
    const { to, channel } = send.crossing;
    const peer = this.#peer(to);
    await this.#awaited(peer, peer.hello.promise);
    while (send.acked < data.length) {
      while (send.sent < data.length && send.sent - send.acked < WINDOW) {
        const bytes = data.subarray(send.sent, send.sent + PIECE);
        const from = send.sent;
        send.sent += bytes.length;
        const piece = { kind: 'piece', channel, total: data.length, from, bytes } as const;
        await this.#awaited(peer, this.#transmit(peer, piece));
      }
      if (send.acked < data.length) await this.#awaited(peer, send.moved.promise);
    }
  }

  /** What a party that is there, perhaps again, lacks: all that was sent before, and, where this one is done, a farewell. */
  async #serve(peer: Peer): Promise<void> {
    const { attempt } = peer;
    try {
      for (const send of this.#sends.values()) {
        const { crossing, done } = send;
        if (this.#closed || crossing.to !== peer.name || !done || send.acked === crossing.bytes) continue;
        await this.#push(send, (await this.#settings.kept?.sent(crossing)) as Uint8Array);
      }
    } catch (error) {
      // Once all have said that they lack nothing, nothing is kept any more.
      if (!this.#closed) return this.#fail(error);
    }
    if (!this.#finished || peer.attempt !== attempt || this.signal.aborted) return;
    this.#say(peer, { kind: 'bye' });
    if (this.#closed) this.#tellDone(peer);
  }

  /** Waits for something of a party's, whose silence is looked at meanwhile. */
  async #awaited(peer: Peer, promise: Promise<void>): Promise<void> {
    if (peer.waits++ === 0) peer.since = performance.now();
    try {
      await promise;
    } finally {
      peer.waits -= 1;
    }
  }

  #checkSilence(timeout: number): void {
    // Who is done needs nobody.
    if (this.#finished) return;
    const now = performance.now();
    const silent = (peer: Peer): boolean =>
      peer.waits > 0 && now - Math.max(peer.since, peer.heard) > timeout;
    const peer = [...this.#peers.values()].find(silent);
    if (peer === undefined) return;
    const what = peer.hello.isOpen ? 'said nothing' : 'has not come';
    const problem = `Party ${describe(peer.name)} ${what} for more than ${timeout} ms, and something of it is awaited`;
    this.#fail(failure('party.timeout', problem, { party: peer.name, timeout, came: peer.hello.isOpen }));
  }

  // -------------------------------------------------------------------------------------------- hearing

  #hear(from: unknown, bytes: unknown): void {
    if (this.#over || this.#life.signal.aborted) return;
    const { run, onRefused } = this.#settings;
    try {
      // Errors that nobody is told of would cost more than the runs, where there are many over one transport.
      if (onRefused === undefined && isOfAnother(run, bytes)) return;
      this.#take(from, decode(bytes));
    } catch (error) {
      // Not the message's fault, and no affair of the transport's: there may be no memory for the value.
      if (!(error instanceof CipherloomError)) return this.#fail(error);
      tellRefused(onRefused, from, error, (thrown) => this.#fail(thrown));
    }
  }

  /** Errors: PartyError for what is refused, and changes nothing. */
  #take(from: unknown, frame: Frame): void {
    const { run, id } = this.#settings;
    const peer = typeof from === 'string' ? this.#peers.get(from) : undefined;
    if (peer === undefined)
      throw refuse('party.stranger', `${describe(from)} exchanges nothing with this party`);
    if (frame.run !== run) {
      throw refuse('party.run', 'it is of another run', { found: frame.run, expected: run });
    }
    if (attemptNumber(frame.attempt) < attemptNumber(peer.attempt))
      throw refuse('party.attempt', `party ${describe(peer.name)} has begun anew since`, {
        found: frame.attempt,
        expected: peer.attempt,
      });
    if (frame.kind === 'hello') return this.#greeted(peer, frame, id);
    const { kept } = this.#settings;
    if (frame.kind === 'done' && (kept !== undefined || frame.to === this.#attempt)) {
      // Also what was said to an attempt before this one: that had said farewell, or there would be no such word.
      peer.attempt = frame.attempt;
      peer.heard = performance.now();
      peer.done = true;
      return this.#farewell(peer);
    }
    if (peer.ended && !(kept !== undefined && LINGERING.has(frame.kind)))
      throw refuse('party.ended', `party ${describe(peer.name)} had said that nothing more comes`);
    if (frame.to !== this.#attempt && !(frame.kind === 'stop' && frame.to === NOBODY))
      throw refuse('party.attempt', 'it is for another attempt of this party', {
        found: frame.to,
        expected: this.#attempt,
      });
    if (frame.kind === 'stop') {
      if (peer.ended) {
        peer.gone = true;
        return this.#farewells.open();
      }
      peer.ended = true;
      return this.#gone(
        peer,
        `Party ${describe(peer.name)} stopped: its run was ${frame.reason}`,
        frame.reason,
      );
    }
    if (!peer.hello.isOpen || frame.attempt !== peer.attempt)
      throw refuse('party.hello', `party ${describe(peer.name)} has not said hello before`, {
        kind: frame.kind,
      });
    switch (frame.kind) {
      case 'piece':
        this.#piece(peer, frame);
        break;
      case 'got':
        this.#got(peer, frame);
        break;
      case 'bye':
        this.#farewell(peer);
    }
    peer.heard = performance.now();
  }

  #greeted(peer: Peer, { attempt, to, id: found }: Frame & { readonly id: string }, expected: string): void {
    if (found !== expected) {
      const details = { found, expected };
      if (peer.hello.isOpen)
        throw refuse(
          'party.hello',
          `party ${describe(peer.name)} had said hello with another graph`,
          details,
        );
      peer.attempt = attempt;
      // It may not have been there when it was greeted, and would hear only that this one stopped.
      if (to !== this.#attempt) this.#hello(peer);
      const problem = `Party ${describe(peer.name)} has another graph: found ${found}, expected ${expected}`;
      this.#fail(failure('party.graph', problem, { party: peer.name, ...details }));
      return;
    }
    peer.heard = performance.now();
    if (peer.attempt === attempt) return;
    if (peer.hello.isOpen && !this.#returned(peer, attempt)) return;
    peer.attempt = attempt;
    peer.ended = peer.done = peer.told = peer.gone = false;
    // It may not have been there when it was greeted.
    if (to !== this.#attempt) this.#hello(peer);
    for (const { crossing, done } of this.#receives.values()) {
      const { channel, from, bytes } = crossing;
      if (from === peer.name && done.isOpen) this.#say(peer, { kind: 'got', channel, upTo: bytes });
    }
    const again = peer.hello.isOpen;
    peer.hello.open();
    if (again || this.#finished) void this.#serve(peer);
  }

  /** A party has begun anew, and nothing of what it had before: false if the run cannot go on with it. */
  #returned(peer: Peer, attempt: string): boolean {
    const [before, now] = [peer.attempt, attempt].map(attemptNumber);
    if (this.#settings.kept === undefined || before === now) {
      const why =
        before === now
          ? 'it had not kept what it had begun'
          : 'this party has not kept what it sent: option keep';
      const problem = `Party ${describe(peer.name)} has begun this run anew, and ${why}`;
      // It hears nothing that is for its attempt before, which may be there still and is told when the run ends.
      this.#say({ ...peer, attempt }, { kind: 'stop', reason: 'failed' });
      this.#fail(failure('party.restarted', problem, { party: peer.name }));
      return false;
    }
    for (const receive of this.#receives.values())
      if (receive.crossing.from === peer.name && !receive.done.isOpen) receive.received = 0;
    for (const send of this.#sends.values()) {
      if (send.crossing.to !== peer.name) continue;
      send.sent = 0;
      send.acked = 0;
      moved(send);
    }
    return true;
  }

  #piece(peer: Peer, { channel, total, from, bytes }: Extract<Frame, { kind: 'piece' }>): void {
    const receive = this.#receives.get(channel);
    if (receive === undefined) {
      const what = this.#sends.has(channel) ? 'is one on which this party sends' : 'is none of this party';
      throw refuse('party.channel', `its channel ${what}`, { channel });
    }
    const { crossing } = receive;
    if (crossing.from !== peer.name) {
      const details = { channel, found: peer.name, expected: crossing.from };
      throw refuse('party.sender', `its channel is not party ${describe(peer.name)}'s`, details);
    }
    if (receive.done.isOpen) throw refuse('party.twice', 'its value is here already', { channel });
    const expected = crossing.bytes;
    const wrongSize = (found: number): CipherloomError =>
      refuse('party.size', `its value has ${found} bytes, expected ${expected}`, {
        channel,
        found,
        expected,
      });
    if (total !== expected) throw wrongSize(total);
    if (from !== receive.received) {
      const details = { channel, found: from, expected: receive.received };
      throw refuse('party.order', `it begins at byte ${from}, expected ${receive.received}`, details);
    }
    if (bytes.length > expected - from) throw wrongSize(from + bytes.length);
    // As large as the graph says, whatever the message does.
    receive.bytes ??= new Uint8Array(expected);
    receive.bytes.set(bytes, from);
    receive.received += bytes.length;
    this.#say(peer, { kind: 'got', channel, upTo: receive.received });
    if (receive.received === expected) receive.done.open();
  }

  #got(peer: Peer, { channel, upTo }: Extract<Frame, { kind: 'got' }>): void {
    const send = this.#sends.get(channel);
    if (send === undefined)
      throw refuse('party.channel', 'this party sends nothing on its channel', { channel });
    if (send.crossing.to !== peer.name) {
      const details = { channel, found: peer.name, expected: send.crossing.to };
      throw refuse('party.sender', `nothing of its channel goes to party ${describe(peer.name)}`, details);
    }
    // Who comes back may have kept what it had: it has all, or begins with nothing.
    const all = this.#settings.kept !== undefined && upTo === send.crossing.bytes;
    if (upTo <= send.acked || (upTo > send.sent && !all)) {
      const expected = `more than ${send.acked}, at most ${send.sent}`;
      throw refuse('party.order', `it has ${upTo} bytes, expected ${expected}`, {
        channel,
        found: upTo,
        expected,
      });
    }
    send.acked = upTo;
    send.sent = Math.max(send.sent, upTo);
    moved(send);
  }

  /** Who leaves while something is awaited from it has stopped. */
  #farewell(peer: Peer): void {
    peer.ended = true;
    this.#farewells.open();
    // Who comes back done waits for no receipts.
    if (this.#finished) return;
    const owes = ({ crossing, done }: Receive): boolean => crossing.from === peer.name && !done.isOpen;
    const lacks = ({ crossing, acked }: Send): boolean => crossing.to === peer.name && acked < crossing.bytes;
    if (![...this.#receives.values()].some(owes) && ![...this.#sends.values()].some(lacks)) return;
    this.#gone(peer, `Party ${describe(peer.name)} left before all had crossed`, 'left');
  }

  #gone(peer: Peer, problem: string, reason: string): void {
    this.#fail(failure('party.stopped', problem, { party: peer.name, reason }));
  }

  #peer(name: string): Peer {
    return this.#peers.get(name) as Peer;
  }
}

/** Lets whoever waits for room on a channel look again. */
function moved(send: Send): void {
  const before = send.moved;
  send.moved = new Gate();
  before.open();
}

function attemptNumber(attempt: string): number {
  return Number.parseInt(attempt.slice(0, 8), 16);
}

/** Why a message is refused. */
type Refusal =
  | 'party.stranger'
  | 'party.run'
  | 'party.attempt'
  | 'party.ended'
  | 'party.hello'
  | 'party.channel'
  | 'party.sender'
  | 'party.twice'
  | 'party.size'
  | 'party.order';

function refuse(
  code: Refusal,
  why: string,
  details: Readonly<Record<string, unknown>> = {},
): CipherloomError {
  return failure(code, `A message was refused: ${why}`, details);
}

/** An operator of a circuit that is none of the cut's. */
function noSuch(attributes: string): CipherloomError {
  return failure('party.channel', `The cut has no channel for an operator ${attributes}`, { attributes });
}
