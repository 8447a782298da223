/** What goes to one other party: sealed, numbered, and in order. */
import type { SenderContext } from '@hpke/core';
import { whole } from './keys.js';
import { ENDS, writeHead } from './message.js';

/** How an {@link Outgoing} gets at the world. */
interface Ways {
  /** The name of the own end. */
  readonly end: string;
  /** Begins a stream. Errors: PartyError `party.key`. */
  begin(): Promise<SenderContext>;
  /** The transport below. */
  send(bytes: Uint8Array): Promise<void>;
}

interface OutStream {
  readonly sender: SenderContext;
  readonly enc: Uint8Array;
  readonly before: number;
  count: number;
}

export class Outgoing {
  readonly #ways: Ways;
  /** Each message after the one before. */
  #tail: Promise<void> = Promise.resolve();
  #stream: OutStream | undefined;
  /** Begin anew before the next message: who was heard of cannot open the stream that there is. */
  #stale = false;
  /** Ends of the other's, the one that was heard last at the end, and from which number on all messages were sent since it was first heard. */
  readonly #heard = new Map<string, number>();
  /** Sealed, and not taken by the transport. */
  readonly #unsent: Uint8Array[] = [];
  #broken: { readonly error: unknown } | undefined;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  /** An end of the other's was heard. */
  heard(end: string): void {
    const since = this.#heard.get(end);
    if (since === undefined) this.#stale = true;
    this.#heard.delete(end);
    this.#heard.set(end, since ?? this.#sent);
  }

  /** How many messages have a number. */
  get #sent(): number {
    return this.#stream === undefined ? 0 : this.#stream.before + this.#stream.count;
  }

  /** Done when the transport has it; `handedOn` is called as soon as the next one may follow, or nothing comes of it. */
  send(bytes: Uint8Array, handedOn: () => void): Promise<void> {
    // In an object, or the next one would wait until this one has arrived.
    const handed = this.#tail
      .then(() => this.#resend())
      .then(() => this.#seal(bytes))
      .then((message) => ({ sent: this.#pass(message) }));
    this.#tail = handed.then(handedOn, handedOn);
    return handed.then(({ sent }) => sent);
  }

  /** What the transport did not take goes first, or it would be a gap; nothing is sealed that would only wait behind it. */
  async #resend(): Promise<void> {
    for (let [first] = this.#unsent; first !== undefined; [first] = this.#unsent) {
      await this.#ways.send(first);
      this.#unsent.shift();
    }
  }

  async #pass(message: Uint8Array): Promise<void> {
    try {
      await this.#ways.send(message);
    } catch (error) {
      this.#unsent.push(message);
      throw error;
    }
  }

  async #seal(bytes: Uint8Array): Promise<Uint8Array> {
    let stream: OutStream;
    // Who was heard while it was waited for is promised this one, too.
    do stream = await this.#current();
    while (this.#stale && stream.count > 0);
    // Before anything else is waited for: who is heard meanwhile is promised what comes after it.
    const head = writeHead({
      ...{ enc: stream.enc, end: this.#ways.end, before: stream.before, counter: stream.count++ },
      heard: new Map([...this.#heard].slice(-ENDS)),
    });
    const body = new Uint8Array(await this.#sealed(stream, bytes, head));
    const message = new Uint8Array(head.length + body.length);
    message.set(head);
    message.set(body, head.length);
    return message;
  }

  async #sealed({ sender }: OutStream, bytes: Uint8Array, head: Uint8Array): Promise<ArrayBuffer> {
    if (this.#broken !== undefined) throw this.#broken.error;
    try {
      return await sender.seal(whole(bytes), whole(head));
    } catch (error) {
      // Its number is gone, and nothing behind the gap would be handed on.
      this.#broken = { error };
      throw error;
    }
  }

  async #current(): Promise<OutStream> {
    if (this.#stream === undefined || (this.#stale && this.#stream.count > 0)) {
      const before = this.#sent;
      const sender = await this.#ways.begin();
      this.#stream = { sender, enc: new Uint8Array(sender.enc), before, count: 0 };
    }
    // Also of who was heard meanwhile: nothing of this stream is out.
    if (this.#stream.count === 0) this.#stale = false;
    return this.#stream;
  }
}
