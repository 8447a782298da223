/**
 * Any transport, sealed from end to end: what lies between the parties reads nothing, and what it alters, makes up or sends again is refused. By HPKE (RFC 9180)
 * in its authenticated mode, so that who sent a message is known, too: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, which WebCrypto has
 * wherever this package runs.
 *
 * ```text
 * "cls" | version u8 | encapsulated key: 65 bytes | end: 8 bytes | before u64 | heard: 8 bytes | counter u64 | what HPKE seals, with all before it as additional data
 * ```
 *
 * Numbers are little-endian. One encapsulation is a *stream*: messages of one sender to one receiver, counted from 0. `info` is the name of this layout, the
 * run and both parties. `heard` are the 8 bytes behind the first one of the key of the latest stream that came the other way, or zeros: who
 * learns from it that the other began without having heard of one's own stream begins a new one, since what was sent before may be lost. `end` is drawn once for each
 * sealed transport, and `before` counts what it sent to this receiver in streams before this one, so that all its messages have an order. In that they are handed on, and without gaps from where it
 * has heard of the receiver: what comes early waits, what comes twice, or after a later one, is refused.
 */
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import type { RecipientContext, SenderContext } from '@hpke/core';
import {
  checkArgument,
  describe,
  FUNCTION,
  objectOf,
  PARTY_NAME,
  RUN_NAME,
  tag,
  TRANSPORT,
} from '../arguments.js';
import { CipherloomError, failure, type PartyError } from '../errors.js';
import { webCrypto } from '../sealed-key.js';
import { equal } from './bytes.js';
import { digitsOf } from './digits.js';
import { MOST as MOST_FRAME } from './frame.js';
import { Listeners } from './transports/listeners.js';
import type { Transport } from './types.js';

/** A party's keys, as bytes: for the others, and to be kept. */
export interface PartyKeys {
  /** A point of P-256, uncompressed: 65 bytes. The others have to have it from its owner, by a way on which nobody can change it. */
  readonly publicKey: Uint8Array;
  /** 32 bytes. It never leaves its owner. */
  readonly privateKey: Uint8Array;
}

/** Settings of {@link sealed}. */
export interface SealedOptions {
  /** Whose end this is. */
  readonly party: string;
  /** The run, as of `Cut.run`: messages of another one are refused. */
  readonly run: string;
  readonly keys: PartyKeys;
  /** Public keys of the others, by their names. */
  readonly others: Readonly<Record<string, Uint8Array>>;
  /** Told of every message that was refused, by an error that says why, and has the name that came with it. What it throws ends the transport. */
  readonly onRefused?: ((error: PartyError) => void) | undefined;
}

const MAGIC = [0x63, 0x6c, 0x73]; // "cls"
const VERSION = 2;
const POINT = 65;
const SCALAR = 32;
/** Bytes of `end`, and of `heard`. */
const NAME = 8;
const ENC_AT = MAGIC.length + 1;
const END_AT = ENC_AT + POINT;
const BEFORE_AT = END_AT + NAME;
const HEARD_AT = BEFORE_AT + 8;
const COUNTER_AT = HEARD_AT + NAME;
const HEAD = COUNTER_AT + 8;
const TAG = 16;

/** Messages that a stream may be ahead of what has come, and how many may claim one place: who forges some does not keep out the true one. */
const AHEAD = 256;
const CLAIMS = 4;
/** Bytes of one sender that wait to be opened or for their turn. */
const MOST_WAITING = 2 ** 27;
/** Streams of one sender: of those that nothing came of yet, the oldest goes. */
const MOST_STREAMS = 1024;
const MOST_NEW_STREAMS = 8;

const LAYOUT = 'cipherloom parties sealed 2';

function newSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
}

/** Makes a party's keys, by the platform's random numbers. Errors: ParameterError `parameters.crypto` where a page has no WebCrypto. */
export async function partyKeys(): Promise<PartyKeys> {
  webCrypto('keys of parties');
  const { kem } = newSuite();
  const pair = await kem.generateKeyPair();
  return {
    publicKey: new Uint8Array(await kem.serializePublicKey(pair.publicKey)),
    privateKey: new Uint8Array(await kem.serializePrivateKey(pair.privateKey)),
  };
}

/**
 * A transport of one run whose messages nobody but their receiver can read, and nobody but the sender can have made. It takes over `transport`, and closes it with itself. Messages that were altered, are not from who they are said to
 * be from, or of another run, or were there already, are told to `onRefused` and change nothing; one that never comes holds up all behind it, so that runs need a `timeout`. Errors: InputError;
 * PartyError `party.key` (keys that are none, or none of each other); ParameterError `parameters.crypto`.
 */
export async function sealed(transport: Transport, options: SealedOptions): Promise<Transport> {
  checkArgument('sealed, transport', transport, TRANSPORT);
  checkArgument('sealed, options', options, objectOf('options'));
  const { party, run, keys, others, onRefused } = options;
  checkArgument('sealed, option party', party, PARTY_NAME);
  checkArgument('sealed, option run', run, RUN_NAME);
  checkArgument('sealed, option others', others, objectOf('public keys by name'));
  if (onRefused !== undefined) checkArgument('sealed, option onRefused', onRefused, FUNCTION);
  webCrypto('sealed transports');
  const own = await pairOf(keys);
  const known = new Map<string, CryptoKey>();
  for (const [name, key] of Object.entries(others)) {
    known.set(name, await publicKeyOf(`the public key of party ${describe(name)}`, key));
  }
  return new Sealed(transport, { party, run, own, known, onRefused });
}

interface Settings extends Pick<SealedOptions, 'party' | 'run' | 'onRefused'> {
  readonly own: CryptoKeyPair;
  readonly known: ReadonlyMap<string, CryptoKey>;
}

/** What goes to another party. */
interface Outgoing {
  /** Each message after the one before. */
  tail: Promise<void>;
  stream: OutStream | undefined;
  /** Begin anew before the next message. */
  stale: boolean;
  /** `heard` of all streams that were begun. */
  readonly begun: Set<string>;
}

/** One stream to another party. */
interface OutStream {
  readonly sender: SenderContext;
  readonly enc: Uint8Array;
  readonly before: number;
  count: number;
}

/** Another party's sealed transport: a new one where it has begun anew. */
interface End {
  /** Which of its messages comes next. */
  next: number;
  /** It has heard of this one, so that whatever it sends comes here. */
  heardOfThis: boolean;
}

/** One stream that comes from another party. */
interface Stream {
  readonly recipient: RecipientContext;
  readonly id: Uint8Array;
  next: number;
  /** What came before its turn, by counter. */
  readonly early: Map<number, Message[]>;
}

/** What comes from another party. */
interface Incoming {
  tail: Promise<void>;
  waiting: number;
  readonly streams: Map<string, Stream>;
  /** Those of which a message was opened. */
  readonly ends: Map<string, End>;
  /** Of the latest stream. */
  heard: Uint8Array;
}

interface Message {
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly counter: number;
  /** Among all of its end. */
  readonly number: number;
}

class Sealed implements Transport {
  readonly #suite = newSuite();
  readonly #end = webCrypto('sealed transports').getRandomValues(new Uint8Array(NAME));
  readonly #transport: Transport;
  readonly #settings: Settings;
  readonly #listeners = new Listeners();
  readonly #outgoing = new Map<string, Outgoing>();
  readonly #incoming = new Map<string, Incoming>();
  readonly #stopListening: () => void;
  /** Messages that were handed over and not on. */
  #pending = 0;
  #settled = (): void => {};
  /** What a callback threw. */
  #broken: { readonly error: unknown } | undefined;

  constructor(transport: Transport, settings: Settings) {
    this.#transport = transport;
    this.#settings = settings;
    // From now on, whether there is a run or not: what is missed would be a gap.
    this.#stopListening = transport.listen((from, bytes) => this.#hear(from, bytes));
  }

  listen(hear: Parameters<Transport['listen']>[0]): () => void {
    return this.#listeners.add(hear);
  }

  close(): void {
    this.#listeners.clear();
    this.#stopListening();
    if (this.#pending === 0) return this.#transport.close();
    // What was handed over before, such as a farewell, still goes out.
    this.#settled = () => this.#transport.close();
  }

  send(to: string, bytes: Uint8Array): Promise<void> {
    const outgoing = this.#outgoing.get(to) ?? {
      tail: Promise.resolve(),
      stream: undefined,
      stale: false,
      begun: new Set(),
    };
    this.#outgoing.set(to, outgoing);
    this.#pending += 1;
    // In an object, or the next one would wait until this one has arrived.
    const handed = outgoing.tail
      .then(() => this.#seal(to, outgoing, bytes))
      .then((message) => ({ sent: this.#transport.send(to, message) }));
    outgoing.tail = handed.then(
      () => this.#handedOn(),
      () => this.#handedOn(),
    );
    return handed.then(({ sent }) => sent);
  }

  #handedOn(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#settled();
  }

  async #seal(to: string, outgoing: Outgoing, bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#broken !== undefined) throw this.#broken.error;
    const stream = await this.#outStream(to, outgoing);
    const message = new Uint8Array(HEAD + bytes.length + TAG);
    message.set([...MAGIC, VERSION]);
    message.set(stream.enc, ENC_AT);
    message.set(this.#end, END_AT);
    message.set(this.#incoming.get(to)?.heard ?? new Uint8Array(NAME), HEARD_AT);
    const view = new DataView(message.buffer);
    view.setBigUint64(BEFORE_AT, BigInt(stream.before), true);
    view.setBigUint64(COUNTER_AT, BigInt(stream.count), true);
    const body = await stream.sender.seal(whole(bytes), whole(message.subarray(0, HEAD)));
    message.set(new Uint8Array(body), HEAD);
    stream.count += 1;
    return message;
  }

  async #outStream(to: string, outgoing: Outgoing): Promise<OutStream> {
    const { stream } = outgoing;
    if (stream !== undefined && !outgoing.stale) return stream;
    const recipientPublicKey = this.#settings.known.get(to);
    if (recipientPublicKey === undefined) {
      const known = [...this.#settings.known.keys()];
      const problem = `There is no public key of party ${describe(to)}; there are those of ${known.map(describe).join(', ') || 'nobody'}`;
      throw failure('party.key', problem, { party: to, expected: known });
    }
    const { own, party } = this.#settings;
    const info = this.#info(party, to);
    const sender = await this.#suite.createSenderContext({ recipientPublicKey, senderKey: own, info });
    const enc = new Uint8Array(sender.enc);
    outgoing.begun.add(digitsOf(nameOf(enc)));
    outgoing.stale = false;
    const before = stream === undefined ? 0 : stream.before + stream.count;
    return (outgoing.stream = { sender, enc, before, count: 0 });
  }

  /** What HPKE binds both ends to. */
  #info(from: string, to: string): ArrayBuffer {
    const text = (value: string): number[] => {
      const bytes = new TextEncoder().encode(value);
      return [bytes.length & 255, bytes.length >> 8, ...bytes];
    };
    return whole(Uint8Array.from([LAYOUT, this.#settings.run, from, to].flatMap(text)));
  }

  // ------------------------------------------------------------------------------------------------ hearing

  #hear(from: unknown, bytes: unknown): void {
    if (this.#broken !== undefined) return;
    try {
      const message = messageOf(bytes);
      const key = typeof from === 'string' ? this.#settings.known.get(from) : undefined;
      if (key === undefined)
        throw refuse('party.stranger', `there is no public key of ${describe(from)}`, {});
      const name = from as string;
      const incoming = this.#incoming.get(name) ?? {
        tail: Promise.resolve(),
        waiting: 0,
        streams: new Map(),
        ends: new Map(),
        heard: new Uint8Array(NAME),
      };
      this.#incoming.set(name, incoming);
      if (incoming.waiting + size(message) > MOST_WAITING)
        throw refuse('party.order', `${incoming.waiting} bytes wait for what should come before them`, {});
      incoming.waiting += size(message);
      incoming.tail = incoming.tail
        .then(() => this.#take(name, key, incoming, message))
        .catch((error: unknown) => this.#refused(name, error));
    } catch (error) {
      this.#refused(from, error);
    }
  }

  #refused(from: unknown, error: unknown): void {
    if (!(error instanceof CipherloomError)) {
      this.#broken ??= { error };
      return;
    }
    const details = { ...error.details, party: typeof from === 'string' ? from : undefined };
    try {
      this.#settings.onRefused?.(
        failure(error.code as 'party.message', error.message, details) as PartyError,
      );
    } catch (thrown) {
      this.#broken ??= { error: thrown };
    }
  }

  async #take(from: string, key: CryptoKey, incoming: Incoming, message: Message): Promise<void> {
    let kept = false;
    try {
      const stream = await this.#inStream(from, key, incoming, message);
      kept = this.#early(incoming, stream, message);
      if (kept) return;
      await this.#open(from, incoming, stream, message);
    } finally {
      if (!kept) incoming.waiting -= size(message);
    }
    await this.#openEarly(from, incoming);
  }

  /** Keeps what comes before its turn. Errors: PartyError for what came already, what is too far ahead, and what comes after a later one. */
  #early(incoming: Incoming, stream: Stream, message: Message): boolean {
    const { counter } = message;
    if (isNext(incoming, stream, message)) return false;
    const details = { found: counter, expected: stream.next };
    if (counter < stream.next)
      throw refuse('party.twice', `message ${counter} of its stream is here already`, details);
    const claims = stream.early.get(counter) ?? [];
    if (counter > stream.next + AHEAD || claims.length >= CLAIMS)
      throw refuse('party.order', `it is message ${counter} of its stream, expected ${stream.next}`, details);
    if (claims.some(({ body, head }) => equal(body, message.body) && equal(head, message.head)))
      throw refuse('party.twice', `message ${counter} of its stream waits already`, details);
    stream.early.set(counter, [...claims, message]);
    return true;
  }

  /** Opens what waited for the message before it. */
  async #openEarly(from: string, incoming: Incoming): Promise<void> {
    const found = (): [Stream, Message] | undefined => {
      for (const stream of incoming.streams.values()) {
        const claim = stream.early.get(stream.next)?.find((claim) => isNext(incoming, stream, claim));
        if (claim !== undefined) return [stream, claim];
      }
      return undefined;
    };
    for (let next = found(); next !== undefined; next = found()) {
      const [stream, claim] = next;
      const others = stream.early.get(claim.counter)?.filter((other) => other !== claim);
      stream.early.set(claim.counter, others ?? []);
      incoming.waiting -= size(claim);
      await this.#open(from, incoming, stream, claim).catch((error: unknown) => this.#refused(from, error));
    }
  }

  /** Opens and hands on what is next. Errors: PartyError `party.sealed`; `party.order` where a later one was handed on. */
  async #open(from: string, incoming: Incoming, stream: Stream, message: Message): Promise<void> {
    const { head, body, counter, number } = message;
    let bytes: ArrayBuffer;
    try {
      bytes = await stream.recipient.open(whole(body), whole(head));
    } catch {
      throw notOpened();
    }
    stream.next += 1;
    this.#giveUp(from, incoming, stream, counter);
    const name = digitsOf(endOf(head));
    const end = incoming.ends.get(name) ?? { next: number, heardOfThis: false };
    if (number < end.next) {
      const details = { found: number, expected: end.next };
      throw refuse('party.order', `message ${number} of its end comes after ${end.next - 1}`, details);
    }
    end.next = number + 1;
    incoming.ends.set(name, end);
    const heard = digitsOf(heardOf(head));
    if (this.#outgoing.get(from)?.begun.has(heard)) end.heardOfThis = true;
    if (stream.next === 1) this.#begun(from, incoming, stream, heard);
    this.#listeners.hear(from, new Uint8Array(bytes));
  }

  /** Refuses what waited for a place that is taken. */
  #giveUp(from: string, incoming: Incoming, { early }: Stream, counter: number): void {
    for (const claim of early.get(counter) ?? []) {
      incoming.waiting -= size(claim);
      this.#refused(from, refuse('party.twice', `message ${counter} of its stream is here already`, {}));
    }
    early.delete(counter);
  }

  /** A stream of the other's has begun, and is of who it says. */
  #begun(from: string, incoming: Incoming, { id }: Stream, heard: string): void {
    incoming.heard = id;
    const outgoing = this.#outgoing.get(from);
    // It has not heard any of one's own: these messages may have gone to nobody, or to one before it.
    if (outgoing?.stream !== undefined && !outgoing.begun.has(heard)) outgoing.stale = true;
  }

  /** The stream of a message. Errors: PartyError `party.sealed` where the key that it brings is none. */
  async #inStream(from: string, key: CryptoKey, incoming: Incoming, { head }: Message): Promise<Stream> {
    const enc = encOf(head);
    const name = digitsOf(enc);
    const found = incoming.streams.get(name);
    if (found !== undefined) return found;
    const fresh = [...incoming.streams].filter(([, { next }]) => next === 0);
    const oldest = fresh[0];
    if (fresh.length >= MOST_NEW_STREAMS && oldest !== undefined) {
      incoming.streams.delete(oldest[0]);
      for (const message of [...oldest[1].early.values()].flat()) {
        incoming.waiting -= size(message);
        this.#refused(from, notOpened());
      }
    }
    if (incoming.streams.size >= MOST_STREAMS)
      throw refuse('party.order', `party ${describe(from)} has begun ${MOST_STREAMS} streams`, {});
    const { own, party } = this.#settings;
    let recipient: RecipientContext;
    try {
      recipient = await this.#suite.createRecipientContext({
        recipientKey: own,
        enc: whole(enc),
        senderPublicKey: key,
        info: this.#info(from, party),
      });
    } catch {
      throw notOpened();
    }
    const stream = { recipient, id: nameOf(enc), next: 0, early: new Map<number, Message[]>() };
    incoming.streams.set(name, stream);
    return stream;
  }
}

/** Bytes of somebody as a message, copied. Errors: PartyError `party.message`. */
function messageOf(given: unknown): Message {
  const wrong = (found: string, expected: string): CipherloomError =>
    failure('party.message', `A message is no sealed one: expected ${expected}, found ${found}`, {
      found,
      expected,
    });
  if (tag(given) !== 'Uint8Array') throw wrong('no bytes', 'bytes');
  const { length } = given as Uint8Array;
  const most = HEAD + MOST_FRAME + TAG;
  if (length <= HEAD + TAG || length > most)
    throw wrong(`${length} bytes`, `${HEAD + TAG + 1} to ${most} bytes`);
  const bytes = (given as Uint8Array).slice();
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw wrong('other bytes', 'a sealed message');
  if (bytes[MAGIC.length] !== VERSION) throw wrong(`version ${bytes[MAGIC.length]}`, `version ${VERSION}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [before, counter] = [BEFORE_AT, COUNTER_AT].map((at) => view.getBigUint64(at, true)) as [
    bigint,
    bigint,
  ];
  const number = before + counter;
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw wrong(`message ${number}`, 'less than 2^53');
  const [head, body] = [bytes.subarray(0, HEAD), bytes.subarray(HEAD)];
  return { head, body, counter: Number(counter), number: Number(number) };
}

/** Whether it is a message's turn: the next of its stream, and of its end, as far as that sends only what comes here. */
function isNext({ ends }: Incoming, stream: Stream, { head, counter, number }: Message): boolean {
  const end = ends.get(digitsOf(endOf(head)));
  return counter === stream.next && !(end?.heardOfThis && number > end.next);
}

const encOf = (head: Uint8Array): Uint8Array => head.subarray(ENC_AT, END_AT);
const endOf = (head: Uint8Array): Uint8Array => head.subarray(END_AT, BEFORE_AT);
const heardOf = (head: Uint8Array): Uint8Array => head.subarray(HEARD_AT, COUNTER_AT);
const nameOf = (enc: Uint8Array): Uint8Array => enc.slice(1, 1 + NAME);
const size = ({ head, body }: Message): number => head.length + body.length;

/** As WebCrypto takes them: a buffer of their own, never memory that threads share. */
function whole(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function refuse(
  code: 'party.stranger' | 'party.order' | 'party.twice' | 'party.sealed',
  why: string,
  details: Readonly<Record<string, unknown>>,
): CipherloomError {
  return failure(code, `A message was refused: ${why}`, details);
}

function notOpened(): CipherloomError {
  return refuse(
    'party.sealed',
    'it was altered, or is of another run, another sender or for another receiver',
    {},
  );
}

// ---------------------------------------------------------------------------------------------------- keys

/** A party's own keys. Errors: PartyError `party.key`, without any of them. */
async function pairOf(keys: PartyKeys): Promise<CryptoKeyPair> {
  const { publicKey: point, privateKey: scalar } = (keys ?? {}) as Partial<PartyKeys>;
  const publicKey = await publicKeyOf('the own public key', point);
  checkKey('the own private key', scalar, SCALAR);
  const suite = newSuite();
  try {
    // With its point, without which Firefox cannot use it, and never to be exported.
    const [x, y, d] = [point?.subarray(1, 33), point?.subarray(33), scalar].map(base64url);
    const jwk = { kty: 'EC', crv: 'P-256', x, y, d } as JsonWebKey;
    const ecdh = { name: 'ECDH', namedCurve: 'P-256' };
    const privateKey = await webCrypto().subtle.importKey('jwk', jwk, ecdh, false, ['deriveBits']);
    const pair = { publicKey, privateKey };
    // Another's private key would show at the other end only.
    const sender = await suite.createSenderContext({ recipientPublicKey: publicKey });
    const box = await sender.seal(new ArrayBuffer(1));
    await suite.open({ recipientKey: pair, enc: sender.enc }, box);
    return pair;
  } catch (cause) {
    throw failure('party.key', 'The own private key does not belong to the own public key', {}, cause);
  }
}

function base64url(bytes: Uint8Array | undefined): string {
  const text = btoa(String.fromCharCode(...(bytes ?? [])));
  return text.replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');
}

/** Errors: PartyError `party.key` for bytes that are no public key. */
export async function checkPublicKey(what: string, bytes: unknown): Promise<void> {
  await publicKeyOf(what, bytes);
}

async function publicKeyOf(what: string, bytes: unknown): Promise<CryptoKey> {
  checkKey(what, bytes, POINT);
  try {
    return await newSuite().kem.deserializePublicKey(whole(bytes as Uint8Array));
  } catch (cause) {
    throw failure('party.key', `${what} is no point of P-256`, {}, cause);
  }
}

function checkKey(what: string, bytes: unknown, length: number): void {
  const isBytes = tag(bytes) === 'Uint8Array';
  if (isBytes && (bytes as Uint8Array).length === length) return;
  const found = isBytes ? `${(bytes as Uint8Array).length} bytes` : tag(bytes);
  const expected = `${length} bytes (Uint8Array)`;
  throw failure('party.key', `${what}: found ${found}, expected ${expected}`, { found, expected });
}
