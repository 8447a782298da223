/**
 * What comes from one other party, opened, put in order and handed on. Until a message was opened, nothing that it says of itself is certain, and anybody may have made it: such messages cost time and memory within bounds, and
 * what is of a stream that is known to be its sender's waits behind none of others. Only who makes up more than can be looked at meanwhile keeps something out.
 *
 * The order is that of an end's numbers. A message that says since when its sender has heard of this end is waited for with all before it, back to that number; before, or without that, some may have gone to nobody, and what comes
 * first in its stream is handed on. What comes after a later one is refused.
 */
import type { RecipientContext } from '@hpke/core';
import { type CipherloomError, failure } from '../../errors.js';
import { equal } from '../bytes.js';
import { bytesOfDigits } from '../digits.js';
import { whole } from './keys.js';
import type { Message } from './message.js';

/** Messages that a stream may be ahead of what has come, and how many may claim one place: who forges some does not keep out the true one. */
const AHEAD = 256;
const CLAIMS = 4;
/** Bytes that wait to be looked at, of streams of which a message was opened, and of others; and for their turn, in either. */
const MOST_QUEUED = 2 ** 27;
const MOST_EARLY = 2 ** 27;
const MOST_UNPROVEN = 2 ** 23;
/** What any message counts, beside its bytes. */
const PRICE = 1024;
/** Streams: proven ones, and others, of which the oldest goes. */
const MOST_STREAMS = 1024;
const MOST_NEW_STREAMS = 8;

/** Milliseconds of work in a row. */
const PATIENCE_MS = 10;

/** How an {@link Incoming} gets at the world. */
interface Ways {
  /** The name of the own end. */
  readonly end: string;
  /** Errors: whatever, for a key that is none. */
  begin(enc: ArrayBuffer): Promise<RecipientContext>;
  /** An end of the other's was heard. */
  heard(end: string): void;
  handOn(bytes: Uint8Array): void;
  /** Told of what was refused, and of what `handOn` throws. */
  refused(error: unknown): void;
}

interface Stream {
  readonly recipient: RecipientContext;
  next: number;
  /** What all of its messages say, once one was opened: then it is proven. */
  of: { readonly end: string; readonly before: number } | undefined;
  /** Another stream of its end has begun behind it. */
  over: boolean;
  /** What came before its turn, by counter. */
  readonly early: Map<number, Message[]>;
  bytes: number;
}

/** Another party's sealed transport: a new one where it has begun anew. */
interface End {
  /** Which of its messages comes next. */
  next: number;
  /** It has heard of this one, so that whatever it sends comes here. */
  isComplete: boolean;
  stream: Stream;
}

/** What was not looked at yet, by stream. */
class Queue {
  readonly #all = new Map<string, Message[]>();
  #bytes = 0;

  /** Errors: PartyError `party.order` where it is full. */
  add(message: Message): void {
    if (this.#bytes + cost(message) > MOST_QUEUED)
      throw refuse('party.order', `${this.#bytes} bytes wait to be opened`);
    this.#put(message);
  }

  take(): Message | undefined {
    const [first] = this.#all;
    if (first === undefined) return undefined;
    const [stream, messages] = first;
    const message = messages.shift() as Message;
    if (messages.length === 0) this.#all.delete(stream);
    this.#bytes -= cost(message);
    return message;
  }

  /** All that another one has of a stream, which is within its bounds. */
  takeOver(stream: string, other: Queue): void {
    const messages = other.#all.get(stream) ?? [];
    other.#all.delete(stream);
    for (const message of messages) {
      other.#bytes -= cost(message);
      this.#put(message);
    }
  }

  #put(message: Message): void {
    const own = this.#all.get(message.stream);
    if (own === undefined) this.#all.set(message.stream, [message]);
    else own.push(message);
    this.#bytes += cost(message);
  }
}

export class Incoming {
  readonly #ways: Ways;
  /** What is of proven streams goes first, so that made-up ones hold nobody up. */
  readonly #queues = { proven: new Queue(), others: new Queue() };
  #isWorking = false;
  readonly #streams = new Map<string, Stream>();
  readonly #ends = new Map<string, End>();

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  /** Takes a message. Errors: PartyError `party.order` where too much waits of its kind. */
  hear(message: Message): void {
    const isProven = this.#streams.get(message.stream)?.of !== undefined;
    this.#queues[isProven ? 'proven' : 'others'].add(message);
    if (!this.#isWorking) void this.#work();
  }

  /** One message after the other. (A chain of promises would do, but V8 walks all of it for the trace of each error that is made in it.) */
  async #work(): Promise<void> {
    this.#isWorking = true;
    let since = performance.now();
    for (let message = this.#pick(); message !== undefined; message = this.#pick()) {
      try {
        await this.#take(message);
      } catch (error) {
        this.#ways.refused(error);
      }
      // What is refused at once lets nothing else in between.
      if (performance.now() - since > PATIENCE_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        since = performance.now();
      }
    }
    this.#isWorking = false;
  }

  #pick(): Message | undefined {
    return this.#queues.proven.take() ?? this.#queues.others.take();
  }

  async #take(message: Message): Promise<void> {
    const stream = await this.#streamOf(message);
    const { counter } = message;
    if (counter < stream.next) {
      const details = { found: counter, expected: stream.next };
      throw refuse('party.twice', `message ${counter} of its stream is here already`, details);
    }
    if (stream.over || (stream.of !== undefined && !isOf(message, stream.of))) throw this.#late(message);
    if (!this.#isNext(stream, message)) return this.#keep(stream, message);
    try {
      await this.#open(stream, message);
    } finally {
      await this.#openEarly();
    }
  }

  /** Whether it is a message's turn: the next of its stream, and of its end, as far as that sends only what comes here. */
  #isNext(stream: Stream, message: Message): boolean {
    if (message.counter !== stream.next) return false;
    const end = this.#ends.get(message.end);
    const since = message.heard.get(this.#ways.end) ?? (end?.isComplete ? 0 : undefined);
    return since === undefined || message.number <= Math.max(since, end?.next ?? 0);
  }

  #late({ end, number }: Message): CipherloomError {
    const expected = this.#ends.get(end)?.next ?? 0;
    const details = { found: number, expected };
    return refuse('party.order', `message ${number} of its end comes after ${expected - 1}`, details);
  }

  /** Opens and hands on what is next. Errors: PartyError `party.sealed`; `party.order` where a later one was handed on. */
  async #open(stream: Stream, message: Message): Promise<void> {
    const { head, body, counter, number, end: name } = message;
    let bytes: ArrayBuffer;
    try {
      bytes = await stream.recipient.open(whole(body), whole(head));
    } catch {
      // Who makes up keys has nobody's place.
      if (stream.of === undefined && stream.bytes === 0) this.#streams.delete(message.stream);
      throw notOpened();
    }
    stream.next += 1;
    this.#drop(stream, counter, `message ${counter} of its stream is here already`, 'party.twice');
    if (stream.of === undefined) this.#prove(stream, message);
    const end = this.#ends.get(name) ?? { next: 0, isComplete: false, stream };
    const since = message.heard.get(this.#ways.end);
    if (since !== undefined) Object.assign(end, { isComplete: true, next: Math.max(end.next, since) });
    if (number < end.next) {
      this.#endStream(stream);
      throw this.#late(message);
    }
    if (end.stream !== stream) this.#endStream(end.stream);
    Object.assign(end, { next: number + 1, stream });
    this.#ends.set(name, end);
    this.#ways.heard(name);
    this.#ways.handOn(new Uint8Array(bytes));
  }

  /** A message of a stream was opened: it is of whom it says. */
  #prove(stream: Stream, { stream: name, end, before }: Message): void {
    stream.of = { end, before };
    this.#queues.proven.takeOver(name, this.#queues.others);
  }

  /** Nothing of it is handed on any more. */
  #endStream(stream: Stream): void {
    stream.over = true;
    for (const message of [...stream.early.values()].flat()) this.#ways.refused(this.#late(message));
    stream.early.clear();
    stream.bytes = 0;
  }

  /** Refuses what waits for a place; gives the bytes that it had. */
  #drop(stream: Stream, counter: number, why: string, code: 'party.twice' | 'party.order'): number {
    const claims = stream.early.get(counter) ?? [];
    const bytes = claims.reduce((sum, claim) => sum + cost(claim), 0);
    stream.early.delete(counter);
    stream.bytes -= bytes;
    const details = code === 'party.order' ? { found: counter, expected: stream.next } : {};
    for (const _ of claims) this.#ways.refused(refuse(code, why, details));
    return bytes;
  }

  // ------------------------------------------------------------------------------------------- before its turn

  /** Keeps what comes before its turn. Errors: PartyError for what waits already, what is too far ahead, and where too much waits. */
  #keep(stream: Stream, message: Message): void {
    const { counter } = message;
    const details = { found: counter, expected: stream.next };
    const claims = stream.early.get(counter) ?? [];
    if (counter > stream.next + AHEAD || claims.length >= CLAIMS)
      throw refuse('party.order', `it is message ${counter} of its stream, expected ${stream.next}`, details);
    if (claims.some(({ body, head }) => equal(body, message.body) && equal(head, message.head)))
      throw refuse('party.twice', `message ${counter} of its stream waits already`, details);
    stream.early.set(counter, [...claims, message]);
    stream.bytes += cost(message);
    this.#makeRoom(stream.of !== undefined);
  }

  /** Of what waits, what is the furthest from its turn goes. */
  #makeRoom(areProven: boolean): void {
    const streams = [...this.#streams.values()].filter(({ of }) => (of !== undefined) === areProven);
    let bytes = streams.reduce((sum, stream) => sum + stream.bytes, 0);
    while (bytes > (areProven ? MOST_EARLY : MOST_UNPROVEN)) {
      const furthest = streams
        .filter(({ early }) => early.size > 0)
        .map((stream) => ({ stream, counter: Math.max(...stream.early.keys()) }))
        .reduce((a, b) => (b.counter - b.stream.next > a.counter - a.stream.next ? b : a));
      const { stream, counter } = furthest;
      const why = `too much waits for what should come before message ${counter} of its stream`;
      bytes -= this.#drop(stream, counter, why, 'party.order');
    }
  }

  /** Opens what waited for the message before it. */
  async #openEarly(): Promise<void> {
    const found = (): [Stream, Message] | undefined => {
      for (const stream of this.#streams.values()) {
        const claim = stream.early.get(stream.next)?.find((claim) => this.#isNext(stream, claim));
        if (claim !== undefined) return [stream, claim];
      }
      return undefined;
    };
    for (let next = found(); next !== undefined; next = found()) {
      const [stream, claim] = next;
      const others = stream.early.get(claim.counter)?.filter((other) => other !== claim) ?? [];
      if (others.length > 0) stream.early.set(claim.counter, others);
      else stream.early.delete(claim.counter);
      stream.bytes -= cost(claim);
      await this.#open(stream, claim).catch((error: unknown) => this.#ways.refused(error));
    }
  }

  /** The stream of a message. Errors: PartyError `party.sealed` where the key that it brings is none. */
  async #streamOf({ stream: name }: Message): Promise<Stream> {
    const found = this.#streams.get(name);
    if (found !== undefined) return found;
    if (this.#streams.size >= MOST_STREAMS)
      throw refuse('party.order', `its sender has begun ${MOST_STREAMS} streams`);
    let recipient: RecipientContext;
    try {
      recipient = await this.#ways.begin(bytesOfDigits(name).buffer);
    } catch {
      throw notOpened();
    }
    const unproven = [...this.#streams].filter(([, { of }]) => of === undefined);
    const oldest = unproven[0];
    if (unproven.length >= MOST_NEW_STREAMS && oldest !== undefined) {
      this.#streams.delete(oldest[0]);
      for (const _ of [...oldest[1].early.values()].flat()) this.#ways.refused(notOpened());
    }
    const stream = { recipient, next: 0, of: undefined, over: false, early: new Map(), bytes: 0 };
    this.#streams.set(name, stream);
    return stream;
  }
}

const cost = ({ head, body }: Message): number => head.length + body.length + PRICE;
const isOf = (message: Message, { end, before }: { end: string; before: number }): boolean =>
  message.end === end && message.before === before;

/** Why a message was refused. */
export function refuse(
  code: 'party.stranger' | 'party.order' | 'party.twice' | 'party.sealed',
  why: string,
  details: Readonly<Record<string, unknown>> = {},
): CipherloomError {
  return failure(code, `A message was refused: ${why}`, details);
}

function notOpened(): CipherloomError {
  return refuse(
    'party.sealed',
    'it was altered, or is of another run, another sender or for another receiver',
  );
}
