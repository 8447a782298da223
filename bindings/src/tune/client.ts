/**
 * Asks a service for the best implementations of operators (SPEC T4; seed 003 ¶181-244), and remembers them. It does so for a run at no cost: `peek` answers from
 * memory and lets the network follow; without a network, everything goes on with default implementations.
 */
import { checkOptions, describe } from '../arguments.js';
import { failure } from '../errors.js';
import { digitsOf } from '../parties/digits.js';
import { webCrypto } from '../sealed-key.js';
import { memoryCache } from './caches/memory.js';
import type { TuneCache } from './caches/types.js';
import { consented, isVerdict } from './consent.js';
import type { Choice, Consent } from './consent.js';
import { checkKey, keyText } from './key.js';
import type { OperatorKey } from './key.js';
import { coOccurrence } from './predict/co-occurrence.js';
import type { Predictor } from './predict/types.js';
import { CLIENT } from './options.js';
import { checkDigits, checkRecord } from './record.js';
import type { TuneRecord } from './record.js';
import { checkOrigin, MOST_KEYS, send, sendForJson } from './requests.js';
import { checkSigned } from './sign.js';
import { checkNumber, wrong } from './wrong.js';

/** Settings of {@link tuneClient}. */
export interface TuneClientOptions extends Consent {
  /** The service: `https://`, or `http://` on this machine. */
  readonly url: string;
  /** Class of this device: `deviceClass()`. Records of other classes are never taken. */
  readonly device: string;
  /** Public keys of the explorers to believe. Whoever is not among them measures for others. */
  readonly explorers: readonly string[];
  /** What the service asks of its users, if anything. */
  readonly token?: string | undefined;
  /** Where records are kept. Default: in memory. */
  readonly cache?: TuneCache | undefined;
  /** Most records that are kept, in memory and, of this class, in the cache. Default 4096. */
  readonly most?: number | undefined;
  /** Default: {@link coOccurrence}. */
  readonly predictor?: Predictor | undefined;
  /** Whether the service may be told of a key: only where it gives true. What it throws is counted, and means no. Default: of all. */
  readonly share?: ((key: OperatorKey) => boolean) | undefined;
  /** Told of every hit (SPEC T8): of the cache, and of the service. What it throws is counted, and goes no further. */
  readonly onHit?: ((hit: Hit) => void) | undefined;
  /** Milliseconds for an answer. Default 2000. */
  readonly timeout?: number | undefined;
  /** Milliseconds for which a key that the service does not know is not guessed again, nor peeked for. `query` always asks. Default 30 000. */
  readonly quiet?: number | undefined;
  /** Another `fetch` than the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

/** A record that was found. */
export interface Hit {
  readonly key: OperatorKey;
  readonly record: TuneRecord;
  readonly from: 'cache' | 'service';
}

/** What a client has done so far. */
export interface TuneClientCounts {
  /** Requests for records. */
  readonly requests: number;
  /** Answers to `query` and `peek`: from the cache, from the service, and none. */
  readonly cached: number;
  readonly answered: number;
  readonly missed: number;
  /** Records that were not taken, and requests, caches and listeners that failed. */
  readonly refused: number;
  readonly failed: number;
}

/** How long peeks are gathered for one request. */
const GATHER_MS = 5;
/** A service that does not answer is left alone: this long, and twice as long each time, up to the longest. */
const [REST_MS, LONGEST_REST_MS] = [1000, 300_000];

/** Opens a client. Errors: TuneError `tune.option`, `tune.cache`; InputError `input.type`, `input.option`. */
export async function tuneClient(options: TuneClientOptions): Promise<TuneClient> {
  checkOptions('tuneClient', options, CLIENT);
  if (!Array.isArray(options.explorers) || options.explorers.length === 0)
    throw wrong(
      'tune.option',
      'explorers',
      describe(options.explorers),
      'public keys of explorers to believe, at least one',
    );
  const explorers = new Set(options.explorers.map((key) => checkDigits('explorers', key, 32)));
  checkKey({ operator: 'a', attributes: '{}', inputs: [], outputs: [], device: options.device }, 'device');
  const most = checkNumber('tune.option', 'most', options.most ?? 4096, 1, 1e6, true);
  const { token } = options;
  const made = {
    ...options,
    url: checkOrigin(options.url),
    token: token === undefined ? undefined : `Bearer ${token}`,
    timeout: checkNumber('tune.option', 'timeout', options.timeout ?? 2000, 1, 600_000),
    quiet: checkNumber('tune.option', 'quiet', options.quiet ?? 30_000, 0, Number.MAX_SAFE_INTEGER),
    most,
    cache: options.cache ?? memoryCache(),
    predictor: options.predictor ?? coOccurrence(),
    explorers,
  };
  const client = new TuneClient(made);
  await client.fill();
  return client;
}

type Settings = Omit<TuneClientOptions, 'explorers'> & {
  readonly timeout: number;
  readonly quiet: number;
  readonly most: number;
  readonly cache: TuneCache;
  readonly predictor: Predictor;
  readonly explorers: ReadonlySet<string>;
};

/** A client: {@link tuneClient} opens one. */
export class TuneClient {
  readonly #settings: Settings;
  /** Records by canonical text, the one used last at the end. */
  readonly #known = new Map<string, TuneRecord>();
  /** What a request is under way for. */
  readonly #asked = new Map<string, Promise<void>>();
  /** When a key was not known, by canonical text. */
  readonly #unknown = new Map<string, number>();
  readonly #choices = new WeakMap<TuneRecord, Promise<Choice>>();
  readonly #peeked = new Map<string, OperatorKey>();
  /** Hits of the cache that the service has not been told of (T8). */
  #untold = new Map<string, { key: OperatorKey; count: number }>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #life = new AbortController();
  #task = newTask();
  #gathering = false;
  #counts = { requests: 0, cached: 0, answered: 0, missed: 0, refused: 0, failed: 0 };
  #rests = 0;
  #awake = 0;
  #lastError: unknown;

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Class of the device that it asks for. */
  get device(): string {
    return this.#settings.device;
  }

  /** Public keys of the explorers that it believes. */
  get explorers(): ReadonlySet<string> {
    return new Set(this.#settings.explorers);
  }

  /** What it has done. */
  get counts(): TuneClientCounts {
    return { ...this.#counts };
  }

  /** The last thing that went wrong without anybody being told: a service that is down, a record that was refused. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Another task begins: operators that are asked for from now on belong together, and are counted as one use (T8). */
  newTask(): void {
    this.#task = newTask();
  }

  /**
   * The record of an operator, or undefined. A hit is answered at once, and the network follows; a miss asks the service once, together with what is likely to come
   * next. Rejects never because of the service. Errors: TuneError `tune.key`, `tune.device` of a key of another class; DisposedError.
   */
  async query(key: OperatorKey): Promise<TuneRecord | undefined> {
    const [own, text] = this.#check(key);
    const known = this.#find(text);
    if (known !== undefined) {
      this.#hit({ key: own, record: known, from: 'cache' });
      this.#background(() => this.#ask([], this.#related(own)));
      return known;
    }
    const related = this.#related(own);
    await (this.#asked.get(text) ?? this.#ask([own], related));
    this.#life.signal.throwIfAborted();
    const record = this.#find(text);
    if (record === undefined) this.#counts.missed++;
    else this.#hit({ key: own, record, from: 'service' });
    return record;
  }

  /**
   * What is known of an operator now; undefined costs a look into memory. What is not known is asked for behind the caller's back, many at a time. Errors: as of
   * {@link query}, thrown.
   */
  peek(key: OperatorKey): TuneRecord | undefined {
    const [own, text] = this.#check(key);
    const known = this.#find(text);
    if (known === undefined) {
      this.#counts.missed++;
      if (!this.#isQuiet(text)) this.#peeked.set(text, own);
    } else this.#hit({ key: own, record: known, from: 'cache' });
    if (!this.#gathering) {
      this.#gathering = true;
      this.#background(() => this.#gather(own));
    }
    return known;
  }

  /** The fastest implementation of a record that may run here, and why faster ones may not ({@link consented}). Looked at once for each record, and again where a look failed: for want of a network, or of a worker that ended. Errors: TuneError `tune.record`, `tune.key` of what is no record. */
  async choose(record: TuneRecord): Promise<Choice> {
    const found = this.#choices.get(record);
    if (found !== undefined) return found;
    checkRecord(record);
    const fetchCode = this.#settings.fetchCode ?? ((hash: string) => this.code(hash));
    const choice = consented(record, { ...this.#settings, fetchCode });
    this.#choices.set(record, choice);
    const forget = (): void => void this.#choices.delete(record);
    choice.then(({ refused }) => refused.every(isVerdict) || forget(), forget);
    return choice;
  }

  /** Bytes of code by their hash, from the service. Errors: TuneError `tune.service`; `tune.code` of bytes that are others. */
  async code(hash: string): Promise<Uint8Array> {
    const { token } = this.#settings;
    const path = `/v1/code/${checkDigits('code', hash, 32)}`;
    return send(this.#settings, { method: 'GET', path, authorization: token, signal: this.#life.signal });
  }

  /** Ends when nothing goes on behind the caller's back. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Ends it, with its cache. Queries that wait are rejected with a DisposedError. */
  async close(): Promise<void> {
    if (this.#life.signal.aborted) return;
    this.#life.abort(failure('disposed', 'The client of best implementations was closed'));
    await this.settled();
    await this.#settings.cache.close();
  }

  /** @internal Reads the cache. */
  async fill(): Promise<void> {
    const { cache, device, most, explorers } = this.#settings;
    const stale: string[] = [];
    for (const [text, found] of await cache.load(device, most)) {
      try {
        const record = await checkSigned(found, explorers);
        if (record.key.device !== device || keyText(record.key) !== text)
          throw wrong('tune.device', 'cache, key', 'a record of another key', text.slice(0, 200));
        this.#known.set(text, record);
      } catch (error) {
        this.#counts.refused++;
        this.#lastError = error;
        stale.push(text);
      }
    }
    if (stale.length > 0) await cache.remove(stale);
  }

  #check(key: OperatorKey): [OperatorKey, string] {
    this.#life.signal.throwIfAborted();
    const own = checkKey(key);
    if (own.device !== this.#settings.device)
      throw wrong('tune.device', 'key, device', `"${own.device}"`, `"${this.#settings.device}"`);
    this.#settings.predictor.observe(this.#task, own);
    return [own, keyText(own)];
  }

  #find(text: string): TuneRecord | undefined {
    const record = this.#known.get(text);
    if (record === undefined) return undefined;
    this.#known.delete(text);
    this.#known.set(text, record);
    return record;
  }

  #hit(hit: Hit): void {
    if (hit.from === 'cache') {
      this.#counts.cached++;
      const text = keyText(hit.key);
      const untold = this.#untold.get(text) ?? { key: hit.key, count: 0 };
      untold.count++;
      if (this.#untold.size < MOST_KEYS) this.#untold.set(text, untold);
    } else this.#counts.answered++;
    try {
      const told: unknown = this.#settings.onHit?.(hit);
      if (told instanceof Promise) told.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether the service may be told of a key: where it is not said, or it is said in so many words. */
  #mayShare(key: OperatorKey): boolean {
    const { share } = this.#settings;
    if (share === undefined) return true;
    try {
      const said: unknown = share(key);
      if (said instanceof Promise) said.catch((error: unknown) => this.#fail(error));
      return said === true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** What is likely to come next, is not known, and was not found unknown a moment ago. */
  #related(key: OperatorKey): OperatorKey[] {
    const { predictor, device } = this.#settings;
    return predictor
      .related(key)
      .filter(
        (one) => one.device === device && !this.#known.has(keyText(one)) && !this.#isQuiet(keyText(one)),
      );
  }

  #isQuiet(text: string): boolean {
    const at = this.#unknown.get(text);
    if (at === undefined) return false;
    if (Date.now() - at < this.#settings.quiet) return true;
    this.#unknown.delete(text);
    return false;
  }

  async #gather(last: OperatorKey): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    this.#gathering = false;
    while (this.#peeked.size > 0) {
      const some = [...this.#peeked].slice(0, MOST_KEYS);
      for (const [text] of some) this.#peeked.delete(text);
      await this.#ask(
        some.map(([, key]) => key),
        this.#peeked.size > 0 ? [] : this.#related(last),
      );
      if (this.#life.signal.aborted) return;
    }
  }

  /** One request: for what was asked for, and for what is guessed. Never rejects. */
  async #ask(wanted: readonly OperatorKey[], guessed: readonly OperatorKey[]): Promise<void> {
    const fresh = (key: OperatorKey): boolean =>
      !this.#asked.has(keyText(key)) && !this.#known.has(keyText(key)) && this.#mayShare(key);
    const asked = wanted.filter(fresh);
    const texts = new Set(asked.map(keyText));
    const more = guessed.filter((key) => fresh(key) && !texts.has(keyText(key)));
    const keys = [...asked, ...more].slice(0, MOST_KEYS);
    if (keys.length === 0 || Date.now() < this.#awake) return;
    const request = this.#request(keys, asked.length);
    for (const key of keys) this.#asked.set(keyText(key), request);
    await request;
    for (const key of keys) this.#asked.delete(keyText(key));
  }

  async #request(keys: readonly OperatorKey[], asked: number): Promise<void> {
    const hits = [...this.#untold.values()];
    this.#untold = new Map();
    this.#counts.requests++;
    try {
      const body = { task: this.#task, keys, asked, ...(hits.length > 0 && { hits }) };
      const { token } = this.#settings;
      const sent = { method: 'POST', path: '/v1/query', body, authorization: token } as const;
      const answer = await sendForJson(this.#settings, { ...sent, signal: this.#life.signal });
      this.#rests = 0;
      await this.#take(answer, new Set(keys.map(keyText)));
    } catch (error) {
      if (this.#life.signal.aborted) return;
      this.#fail(error);
      for (const hit of hits) this.#untold.set(keyText(hit.key), hit);
      this.#awake = Date.now() + Math.min(REST_MS * 2 ** this.#rests++, LONGEST_REST_MS);
    }
  }

  /** Takes what fits: records of what was asked for, signed by whom the user believes. */
  async #take(answer: unknown, asked: ReadonlySet<string>): Promise<void> {
    const { records } = (answer ?? {}) as { records?: unknown };
    if (!Array.isArray(records) || records.length > asked.size)
      throw wrong('tune.service', 'answer', describe(records), 'records, at most as many as were asked for');
    const taken = new Map<string, TuneRecord>();
    for (const found of records as unknown[]) {
      try {
        const record = await checkSigned(found, this.#settings.explorers);
        const text = keyText(record.key);
        if (!asked.has(text))
          throw wrong('tune.device', 'record, key', text.slice(0, 200), 'one that was asked for');
        taken.set(text, record);
      } catch (error) {
        this.#counts.refused++;
        this.#lastError = error;
      }
    }
    for (const [text, record] of taken) {
      this.#known.set(text, record);
      this.#unknown.delete(text);
    }
    const now = Date.now();
    for (const text of asked) if (!taken.has(text)) this.#unknown.set(text, now);
    for (const map of [this.#known, this.#unknown])
      while (map.size > this.#settings.most) map.delete(map.keys().next().value as string);
    if (taken.size === 0) return;
    // What is known is known, whether or not it can be kept.
    await this.#settings.cache.put(taken, this.#settings.most).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#counts.failed++;
    this.#lastError = error;
  }

  /** Begins once the caller has its answer. */
  #background(work: () => Promise<void>): void {
    const running: Promise<void> = new Promise((resolve) => setTimeout(resolve, 0))
      .then(work)
      .catch((error: unknown) => {
        if (!this.#life.signal.aborted) this.#fail(error);
      })
      .finally(() => this.#work.delete(running));
    this.#work.add(running);
  }
}

/** A name that means nothing but "another task". */
function newTask(): string {
  return digitsOf(webCrypto('names of tasks').getRandomValues(new Uint8Array(16)));
}
