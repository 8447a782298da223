/**
 * How parties get each other's public keys over a transport that nobody need trust: all compare a short code by another way, by telephone or in one room, on which a voice or a face is known.
 *
 * Short authenticated strings: S. Vaudenay, "Secure Communications over Insecure Channels Based on Short Authenticated Strings", CRYPTO 2005, as ZRTP has it for two (RFC 6189, section
 * 4.5.2); for groups S. Laur and S. Pasini, "SAS-Based Group Authentication and Key Agreement Protocols", PKC 2008. In words: each party i draws keys of its own and a nonce r_i of 256 bits,
 * tells all others c_i = H(commitment, meeting, about, parties, i, key_i, r_i), and only when it has all c_j what it has committed to. Then
 *
 *   t = H(transcript, meeting, about, parties, key_1, r_1, ..., key_n, r_n),  code = first 64 bits of H(code, t) mod 10^12,  run = first 128 bits of H(run, t)
 *
 * with H = SHA-256 over fields that each begin with their length. Who lies between has to fix what it passes off as another's key before the nonces are known that the code depends on: whatever it computes,
 * two parties of whom it has told different things have the same code with a probability of 10^-12 for each meeting. It has one try: a party commits once in a meeting, and takes one
 * commitment of each other.
 *
 * ```text
 * "cli" | version u8 | kind u8 | answer u8 | meeting: 16 bytes | 1 commitment: 32 bytes, or 2 revealed: key 65 bytes, nonce 32 bytes
 * ```
 *
 * `answer` is 1 where another's commitment came before: to answers nobody answers. Who comes late, or again, has missed what was said before.
 */
import { checkArgument, checkOptions, describe, INTRODUCE_OPTIONS, tag } from '../arguments.js';
import { CipherloomError, failure, type PartyError } from '../errors.js';
import { webCrypto } from '../sealed-key.js';
import { equal, joined } from './bytes.js';
import { listenTo, passOn, tell, tellRefused } from './callbacks.js';
import { bytesOfDigits, digitsOf } from './digits.js';
import { get, nameOf, put } from './kept.js';
import { partyKeys, type PartyKeys, publicKeyOf } from './sealed/keys.js';
import { lost } from './transports/lost.js';
import type { PartyStore, Transport } from './types.js';

/** Settings of {@link introduce}. */
export interface IntroduceOptions {
  /** How messages come to the others, for this introduction alone: nobody's word is taken for who sent one. */
  transport: Transport;
  /** Whose end this is. */
  party: string;
  /** All of them, in an order that all agree on: 2 to 16 different names. */
  parties: readonly string[];
  /** 32 hexadecimal digits that all know and no other introduction has: `newRun()`. No secret. */
  meeting: string;
  /** What else all have to agree on, such as the graph's identity: where it differs, the introduction fails. */
  about?: Uint8Array | undefined;
  /** Where keys, nonce and what the others have committed to are kept, so that a party can come back. Who has none and begins again ends it for all. */
  keep?: PartyStore | undefined;
  /** Told of each other party once it has come. What it throws ends the introduction. */
  onCame?: ((party: string) => void) | undefined;
  /** Told of every message that was refused, by an error that says why. What it throws ends the introduction. */
  onRefused?: ((error: PartyError) => void) | undefined;
  /** Most milliseconds until all keys are there. Default: for ever. Errors: PartyError `party.timeout`, with who has not come, or has come and said no key. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What an introduction gives; {@link sealed} takes all of it but the code. */
export interface Introduction {
  /** Two groups of six digits: nothing may be sent before all have found that theirs are the same, by a way of their own. */
  readonly code: string;
  /** The name of the run to come, which these keys alone have: for `Cut.run`, `sealed` and its transport. */
  readonly run: string;
  /** One's own keys, made for this meeting. */
  readonly keys: PartyKeys;
  /** Public keys of the others, by their names. */
  readonly others: Readonly<Record<string, Uint8Array>>;
}

const MAGIC = [0x63, 0x6c, 0x69]; // "cli"
const VERSION = 1;
const POINT = 65;
const SCALAR = 32;
const NONCE = 32;
const HASH = 32;
const MEETING = 16;
const KIND_AT = MAGIC.length + 1;
const ANSWER_AT = KIND_AT + 1;
const MEETING_AT = ANSWER_AT + 1;
const HEAD = MEETING_AT + MEETING;
const KINDS = ['commitment', 'revealed'] as const;
type Kind = (typeof KINDS)[number];
const SIZES: Readonly<Record<Kind, number>> = { commitment: HASH, revealed: POINT + NONCE };
const LAYOUT = 'cipherloom introduction 1';
const CODES = 10n ** 12n;

/**
 * Introduces this party to all others; done when all keys are there, and until `transport` is closed it answers those who come back. Then people compare {@link Introduction.code}: where one differs, somebody sits between them, and a new
 * meeting begins elsewhere. Errors: InputError; ParameterError `parameters.crypto`; PartyError `party.introduction` with `details.party` and
 * `details.reason`: `changed` (a second commitment or key), `false` (a key that is not what was committed to, or other parties, or another
 * `about`), `key` (none); `party.store`; `party.timeout`; `party.transport`; abort.
 */
export async function introduce(options: IntroduceOptions): Promise<Introduction> {
  checkOptions('introduce', options, INTRODUCE_OPTIONS);
  for (const name of ['transport', 'party', 'parties', 'meeting'] as const)
    checkArgument(`introduce, option ${name}`, options[name], INTRODUCE_OPTIONS[name]);
  const { party, parties } = options;
  if (!parties.includes(party)) {
    const [found, expected] = [describe(party), `one of ${parties.map(describe).join(', ')}`];
    const problem = `introduce, option party: expected ${expected}, found ${found}`;
    throw failure('input.type', problem, { where: 'introduce, option party', found, expected });
  }
  webCrypto('introductions');
  options.signal?.throwIfAborted();
  const meeting = new Meeting(options);
  return meeting.done();
}

/** What one party says of itself. */
interface Revealed {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
}

interface Message {
  readonly kind: Kind;
  readonly answer: boolean;
  readonly body: Uint8Array;
}

class Meeting {
  readonly #options: IntroduceOptions;
  readonly #about: readonly Uint8Array[];
  readonly #others: readonly string[];
  readonly #commitments = new Map<string, Uint8Array>();
  readonly #revealed = new Map<string, Revealed>();
  /** What is to be done, one after the other. */
  readonly #turns: (() => Promise<void>)[] = [];
  #isWorking = false;
  #keys: PartyKeys | undefined;
  /** This party has said what it committed to. */
  #open = false;
  /** All keys are there. */
  #finished = false;
  /** It has failed. */
  #over = false;
  #finish: (introduction: Introduction) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(options: IntroduceOptions) {
    this.#options = options;
    const { meeting, about = new Uint8Array(), parties, party } = options;
    this.#about = [bytesOfDigits(meeting), new Uint8Array(about), ...parties.map(utf8)];
    this.#others = parties.filter((name) => name !== party);
  }

  async done(): Promise<Introduction> {
    const { transport, timeout, signal } = this.#options;
    const finished = new Promise<Introduction>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = (error) => {
        // At once: until whoever waits has heard of it, it would go on, and others might be done by a key that it says.
        if (!this.#finished) this.#over = true;
        reject(error);
      };
    });
    // It may fail before anybody waits for it.
    finished.catch(() => {});
    const abort = (): void => this.#fail(signal?.reason);
    signal?.addEventListener('abort', abort);
    const timer =
      timeout === undefined ? undefined : setTimeout(() => this.#fail(this.#late(timeout)), timeout);
    // Nothing is taken before it is known what was kept.
    this.#inTurn(() => this.#restore().catch((error: unknown) => this.#fail(error)));
    let stop = (): void => {};
    try {
      stop = listenTo(
        transport,
        (from, bytes) => this.#hear(from, bytes),
        (cause) => this.#fail(lost(cause)),
      );
      return await finished;
    } catch (error) {
      this.#over = true;
      stop();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Who is awaited: one that has not come, or else one that says no key, since that waits for all to come. */
  #late(timeout: number): CipherloomError {
    const lacks = (said: ReadonlyMap<string, unknown>): string | undefined =>
      this.#others.find((name) => !said.has(name));
    const absent = lacks(this.#commitments);
    const party = absent ?? lacks(this.#revealed);
    const who = party === undefined ? 'This party’s store' : `Party ${describe(party)}`;
    const what = absent === undefined ? 'was not done' : 'has not come';
    const problem = `The introduction is over: ${who} ${what} within ${timeout} ms`;
    return failure('party.timeout', problem, { party, timeout, came: absent === undefined });
  }

  /** Draws what is one's own, or takes what was kept; says the first word. */
  async #restore(): Promise<void> {
    const { party, parties } = this.#options;
    const own = await this.#own();
    this.#revealed.set(party, own);
    this.#commitments.set(party, await this.#commitmentOf(party, own));
    const commitments = await this.#kept('commitments', parties.length * HASH);
    parties.forEach((name, at) => {
      if (commitments !== undefined) this.#came(name, commitments.slice(at * HASH, (at + 1) * HASH));
    });
    this.#open = commitments !== undefined;
    const revealed = await this.#kept('revealed', parties.length * SIZES.revealed);
    parties.forEach((name, at) => {
      if (revealed !== undefined)
        this.#revealed.set(name, revealedOf(revealed.slice(at * SIZES.revealed, (at + 1) * SIZES.revealed)));
    });
    for (const other of this.#others) this.#greet(other, false);
    await this.#next();
  }

  async #own(): Promise<Revealed> {
    const before = await this.#kept('own', POINT + SCALAR + NONCE);
    const drawn = before === undefined ? await partyKeys() : undefined;
    const keys = drawn ?? {
      publicKey: (before as Uint8Array).slice(0, POINT),
      privateKey: (before as Uint8Array).slice(POINT, POINT + SCALAR),
    };
    const nonce = before?.slice(POINT + SCALAR) ?? crypto.getRandomValues(new Uint8Array(NONCE));
    await this.#keep('own', [keys.publicKey, keys.privateKey, nonce]);
    this.#keys = keys;
    return { key: keys.publicKey, nonce };
  }

  // ------------------------------------------------------------------------------------------------ hearing

  /** Work that handles its errors. No chain of promises: V8 walks all of one for the trace of each error that is made in it. */
  #inTurn(work: () => Promise<void>): void {
    this.#turns.push(work);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let work = this.#turns.shift(); work !== undefined; work = this.#turns.shift()) await work();
    this.#isWorking = false;
  }

  #hear(from: unknown, given: unknown): void {
    if (this.#over) return;
    try {
      const message = messageOf(given, this.#options.meeting);
      const name = this.#others.find((other) => other === from);
      if (name === undefined) throw refuse('party.stranger', `${describe(from)} is none of these parties`);
      this.#inTurn(() =>
        this.#take(name, message).catch((error: unknown) => {
          // What breaks the rules under a party's name ends it, if it is not over.
          this.#fail(error);
          this.#refused(name, error);
        }),
      );
    } catch (error) {
      this.#refused(from, error);
    }
  }

  /** Tells why a message changed nothing. */
  #refused(from: unknown, error: unknown): void {
    if (this.#over || !(error instanceof CipherloomError)) return this.#fail(error);
    tellRefused(this.#options.onRefused, from, error, (thrown) => this.#fail(thrown));
  }

  async #take(from: string, { kind, answer, body }: Message): Promise<void> {
    if (this.#over) return;
    if (kind === 'commitment') {
      const before = this.#commitments.get(from);
      if (before !== undefined && !equal(before, body))
        throw broken(from, 'changed', 'has committed to two keys');
      this.#came(from, body);
      if (!answer) this.#greet(from, true);
    } else {
      const commitment = this.#commitments.get(from);
      // That may have gone to nobody while this party was away; who is greeted says both again.
      if (commitment === undefined)
        return this.#refused(
          from,
          refuse('party.order', `party ${describe(from)} says a key before its commitment`),
        );
      const found = revealedOf(body);
      await this.#check(from, found, commitment);
      this.#revealed.set(from, found);
    }
    await this.#next();
  }

  #came(party: string, commitment: Uint8Array): void {
    const isNew = !this.#commitments.has(party);
    this.#commitments.set(party, commitment);
    if (isNew) tell(this.#options.onCame, party, (thrown) => this.#fail(thrown));
  }

  /** Errors: PartyError `party.introduction`. */
  async #check(from: string, found: Revealed, commitment: Uint8Array): Promise<void> {
    const before = this.#revealed.get(from);
    if (before !== undefined) {
      if (equal(before.key, found.key) && equal(before.nonce, found.nonce)) return;
      throw broken(from, 'changed', 'says another key than before');
    }
    if (!equal(commitment, await this.#commitmentOf(from, found))) {
      const what = 'says another key than it has committed to, or meets other parties, or for something else';
      throw broken(from, 'false', what);
    }
    try {
      await publicKeyOf(`the public key of party ${describe(from)}`, found.key);
    } catch (cause) {
      throw broken(from, 'key', 'has a key that is no point of P-256', cause);
    }
  }

  /** Says what is its turn. */
  async #next(): Promise<void> {
    const { parties, party } = this.#options;
    const all = <T>(of: ReadonlyMap<string, T>): T[] | undefined => {
      const found = parties.flatMap((name) => of.get(name) ?? []);
      return found.length === parties.length ? found : undefined;
    };
    const commitments = all(this.#commitments);
    if (commitments === undefined || this.#finished || this.#over) return;
    if (!this.#open) {
      // Who comes back must not take others, once the own key is out.
      await this.#keep('commitments', commitments);
      this.#open = true;
      for (const other of this.#others) this.#reveal(other);
    }
    const revealed = all(this.#revealed);
    if (revealed === undefined) return;
    const fields = revealed.flatMap(({ key, nonce }) => [key, nonce]);
    await this.#keep('revealed', fields);
    this.#finished = true;
    const transcript = await hash('transcript', [...this.#about, ...fields]);
    const code = new DataView((await hash('code', [transcript])).buffer).getBigUint64(0) % CODES;
    const digits = code.toString().padStart(12, '0');
    const run = digitsOf((await hash('run', [transcript])).subarray(0, MEETING));
    const keyOf = (name: string): [string, Uint8Array] => [name, (this.#revealed.get(name) as Revealed).key];
    this.#finish({
      code: `${digits.slice(0, 6)} ${digits.slice(6)}`,
      run,
      keys: this.#keys as PartyKeys,
      others: Object.fromEntries(parties.filter((name) => name !== party).map(keyOf)),
    });
  }

  // ------------------------------------------------------------------------------------------------- saying

  /** Tells another what it may have missed. */
  #greet(to: string, answer: boolean): void {
    this.#say(to, 'commitment', answer, [this.#commitments.get(this.#options.party) as Uint8Array]);
    if (this.#open) this.#reveal(to);
  }

  #reveal(to: string): void {
    const { key, nonce } = this.#revealed.get(this.#options.party) as Revealed;
    this.#say(to, 'revealed', true, [key, nonce]);
  }

  #say(to: string, kind: Kind, answer: boolean, fields: readonly Uint8Array[]): void {
    if (this.#over) return;
    const { transport, meeting } = this.#options;
    const head = [...MAGIC, VERSION, KINDS.indexOf(kind) + 1, Number(answer), ...bytesOfDigits(meeting)];
    passOn(transport, to, joined([Uint8Array.from(head), ...fields])).catch((error: unknown) =>
      this.#fail(error),
    );
  }

  #commitmentOf(name: string, { key, nonce }: Revealed): Promise<Uint8Array> {
    return hash('commitment', [...this.#about, utf8(name), key, nonce]);
  }

  // ------------------------------------------------------------------------------------------------ keeping

  async #kept(what: string, length: number): Promise<Uint8Array | undefined> {
    const { keep } = this.#options;
    const bytes = keep && (await get(keep, this.#nameOf(what)));
    if (bytes === undefined || bytes.length === length) return bytes;
    const problem = `The store of what a party keeps: ${bytes.length} bytes of an introduction, expected ${length}`;
    throw failure('party.store', problem, { found: bytes.length, expected: length });
  }

  async #keep(what: string, fields: readonly Uint8Array[]): Promise<void> {
    const { keep } = this.#options;
    if (keep !== undefined) await put(keep, this.#nameOf(what), joined(fields));
  }

  #nameOf(what: string): string {
    const { meeting, party } = this.#options;
    return nameOf(meeting, party, 'introduction', what);
  }
}

/** Bytes of somebody as a message, copied. Errors: PartyError `party.message`, `party.run`. */
function messageOf(given: unknown, meeting: string): Message {
  const wrong = (found: string, expected: string): CipherloomError =>
    failure('party.message', `A message is none of an introduction: expected ${expected}, found ${found}`, {
      found,
      expected,
    });
  if (tag(given) !== 'Uint8Array') throw wrong('no bytes', 'bytes');
  if ((given as Uint8Array).length > HEAD + SIZES.revealed)
    throw wrong(`${(given as Uint8Array).length} bytes`, `at most ${HEAD + SIZES.revealed}`);
  const bytes = new Uint8Array(given as Uint8Array);
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw wrong('other bytes', 'a message of one');
  if (bytes[MAGIC.length] !== VERSION) throw wrong(`version ${bytes[MAGIC.length]}`, `version ${VERSION}`);
  const kind = KINDS[(bytes[KIND_AT] ?? 0) - 1];
  if (kind === undefined) throw wrong(`kind ${bytes[KIND_AT]}`, `a kind from 1 to ${KINDS.length}`);
  const answer = bytes[ANSWER_AT] as number;
  if (answer > 1) throw wrong(`answer ${answer}`, '0 or 1');
  if (bytes.length !== HEAD + SIZES[kind]) throw wrong(`${bytes.length} bytes`, `${HEAD + SIZES[kind]}`);
  const found = digitsOf(bytes.subarray(MEETING_AT, HEAD));
  if (found !== meeting) throw refuse('party.run', 'it is of another meeting', { found, expected: meeting });
  return { kind, answer: answer === 1, body: bytes.slice(HEAD) };
}

function revealedOf(body: Uint8Array): Revealed {
  return { key: body.slice(0, POINT), nonce: body.slice(POINT) };
}

/** SHA-256 of fields that each begin with their length. */
async function hash(what: string, fields: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const all = [utf8(`${LAYOUT}: ${what}`), ...fields].flatMap((field) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, field.length, true);
    return [length, field];
  });
  return new Uint8Array(await webCrypto().subtle.digest('SHA-256', joined(all)));
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function refuse(
  code: 'party.stranger' | 'party.run' | 'party.order',
  why: string,
  details = {},
): CipherloomError {
  return failure(code, `A message was refused: ${why}`, details);
}

/** Somebody broke the rules under a party's name: that party, or who lies between. */
function broken(
  party: string,
  reason: 'changed' | 'false' | 'key',
  what: string,
  cause?: unknown,
): CipherloomError {
  const problem = `The introduction is over: party ${describe(party)} ${what}, or somebody between alters what it says. Begin a new meeting`;
  return failure('party.introduction', problem, { party, reason }, cause);
}
