/**
 * Between machines, over NATS: its JetStream keeps what is pushed, so that a message survives a restart of the server, and reaches a party that comes later. A party is told
 * of in subjects, `cipherloom.<run>.<to>.<from>`, so that a server's permissions can say who may publish as whom ({@link natsPermissions}). What the server sees and can do is
 * `sealed`'s affair.
 */
import { checkArgument, describe, PARTY_NAME, RUN_NAME } from '../../arguments.js';
import { failure } from '../../errors.js';
import type { Transport } from '../types.js';
import { Listeners } from './listeners.js';
import { told } from './nats-errors.js';
import { hearNats } from './nats-hearing.js';
import {
  type Connection,
  type JetStream,
  libraries,
  type NatsLibraries,
  type StreamSettings,
} from './nats-libraries.js';
import { NatsServer } from './nats-server.js';

/** How to reach a NATS server. */
export interface NatsOptions {
  /** `host:port` or `nats://host:port` of one server or several of a cluster; `wss://host:port` of its WebSocket listener, for tabs. */
  readonly servers: string | readonly string[];
  readonly user?: string | undefined;
  readonly pass?: string | undefined;
  readonly token?: string | undefined;
  /** Another way to say who this is, as of the library (`nkeyAuthenticator`, `credsAuthenticator`). */
  readonly authenticator?: unknown;
  /** Settings of TLS, as of Node's `tls.connect`: `ca`, `cert`, `key`. Tabs have their browser's. False is a connection without TLS, which has to be asked for. */
  readonly tls?: object | false | undefined;
  /**
   * Milliseconds for which the server may be away, restarted or out of reach, from when the party is connected on: a message that it does not take, or hearing that does not go on, within them
   * ends the transport's runs. At the start, the most that it has to answer. 60,000 where it is not said.
   */
  readonly patience?: number | undefined;
  /** In a page, which cannot import packages by their names: `{ core: await import('@nats-io/nats-core'), jetstream: await import('@nats-io/jetstream') }`. */
  readonly libraries?: NatsLibraries | undefined;
}

/** Settings of {@link overNats}. */
export interface NatsTransportOptions extends NatsOptions {
  /** The run, as of `Cut.run`. */
  readonly run: string;
  /** Whose end this is. */
  readonly party: string;
}

/** What a stream keeps: the oldest messages go first. */
export interface NatsStreamLimits {
  /** Seconds that a message is kept: 86,400 (a day) where it is not said. */
  readonly age?: number | undefined;
  /** Bytes of all runs together: 2^30 where it is not said. */
  readonly bytes?: number | undefined;
  /** Messages from one party to another in one run: 4096 where it is not said. */
  readonly messages?: number | undefined;
}

/** The stream that all runs share, and the first part of their subjects. */
const STREAM = 'cipherloom';
const PATIENCE_MS = 60_000;
/** Of one question. */
const TRY_MS = 5000;
/** Within which a server forgets that it has a message: a second try is none then. */
const DUPLICATES_S = 600;

/**
 * A transport of a party in a run. The server has to have the stream ({@link createNatsStream}). Errors: InputError; PartyError `party.transport` with
 * `details.reason`: `library` (a package that is not installed), `credentials`, `permissions`, `stream` (not there), `unreachable`, `tls`.
 */
export async function overNats(options: NatsTransportOptions): Promise<Transport> {
  const { run, party, patience = PATIENCE_MS } = options;
  checkArgument('overNats, option run', run, RUN_NAME);
  checkArgument('overNats, option party', party, PARTY_NAME);
  const connection = await connect(options, `_INBOX_${token(party)}`);
  try {
    const { jetstream } = await libraries(options);
    const client = jetstream.jetstream(connection, { timeout: Math.min(TRY_MS, patience) });
    const transport = new Nats(connection, client, run, party, patience);
    await transport.start();
    return transport;
  } catch (error) {
    await connection.close().catch(() => {});
    throw told(error, 'open');
  }
}

/**
 * Makes the stream, or gives it other limits; by a user who may publish to `$JS.API.STREAM.>`. It is called `cipherloom`, has all subjects `cipherloom.*.*.*`, and keeps them on
 * the server's disk. Errors: as {@link overNats}.
 */
export async function createNatsStream(
  options: NatsOptions & { readonly limits?: NatsStreamLimits },
): Promise<void> {
  const { age = 86_400, bytes = 2 ** 30, messages = 4096 } = options.limits ?? {};
  const connection = await connect(options, '_INBOX');
  try {
    const { jetstream } = await libraries(options);
    const { streams } = await jetstream.jetstreamManager(connection, { checkAPI: false });
    const nanoseconds = (seconds: number): number => seconds * 1e9;
    const settings: StreamSettings = {
      name: STREAM,
      subjects: [`${STREAM}.*.*.*`],
      retention: 'limits',
      discard: 'old',
      storage: 'file',
      max_age: nanoseconds(age),
      max_bytes: bytes,
      max_msgs_per_subject: messages,
      duplicate_window: nanoseconds(Math.min(age, DUPLICATES_S)),
    };
    const there = await streams.info(STREAM).then(
      () => true,
      () => false,
    );
    await (there ? streams.update(STREAM, settings) : streams.add(settings));
  } catch (error) {
    throw told(error, 'make its stream');
  } finally {
    await connection.close();
  }
}

/**
 * What a server's user may do who is a party: publish under its own name, have what is for it, and nothing else. As `permissions` of a user of nats-server's configuration
 * (which takes JSON). The names of consumers are random, so that nobody can ask for another's.
 */
export function natsPermissions(party: string): {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
} {
  checkArgument('natsPermissions, party', party, PARTY_NAME);
  const own = token(party);
  return {
    publish: [
      `${STREAM}.*.*.${own}`,
      `$JS.API.STREAM.INFO.${STREAM}`,
      `$JS.API.CONSUMER.CREATE.${STREAM}.*.${STREAM}.*.${own}.*`,
      ...['INFO', 'MSG.NEXT', 'DELETE'].map((what) => `$JS.API.CONSUMER.${what}.${STREAM}.*`),
    ],
    subscribe: [`_INBOX_${own}.>`],
  };
}

class Nats implements Transport {
  readonly #connection: Connection;
  readonly #client: JetStream;
  readonly #server: NatsServer;
  readonly #run: string;
  readonly #party: string;
  /** Of one try to publish. */
  readonly #timeout: number;
  readonly #listeners = new Listeners();
  /** What was sent last to each: one message after the other. */
  readonly #tails = new Map<string, Promise<void>>();
  /** Of the messages of this process: the server knows one again by it. */
  readonly #prefix = crypto.randomUUID();
  #count = 0;
  /** When it was closed: then the server has one more try's time. */
  #closed = Number.POSITIVE_INFINITY;
  #hearing: Promise<void> | undefined;
  /** Why nothing more is heard. */
  #deaf: { readonly error: unknown } | undefined;

  constructor(connection: Connection, client: JetStream, run: string, party: string, patience: number) {
    this.#connection = connection;
    this.#client = client;
    this.#server = new NatsServer(connection, patience);
    this.#run = run;
    this.#party = party;
    this.#timeout = Math.min(TRY_MS, patience);
  }

  /** Asks once whether the stream is there, and may be heard. */
  async start(): Promise<void> {
    await this.#client.consumers.get(STREAM, { filter_subjects: this.#subject, opt_start_seq: 1 });
  }

  send(to: string, bytes: Uint8Array): Promise<void> {
    const sent = (this.#tails.get(to) ?? Promise.resolve()).then(() => this.#publish(to, bytes));
    this.#tails.set(
      to,
      sent.catch(() => {}),
    );
    return sent;
  }

  listen(...how: Parameters<Transport['listen']>): () => void {
    const stop = this.#listeners.add(...how);
    // Not before somebody listens: the server keeps it.
    this.#hearing ??= this.#hear().catch((error: unknown) => {
      if (this.#isClosed()) return;
      this.#deaf = { error };
      this.#listeners.lose(error);
    });
    return stop;
  }

  close(): void {
    if (this.#isClosed()) return;
    this.#closed = performance.now();
    this.#listeners.close();
    // What was handed over before, such as a farewell, still goes out.
    void Promise.all(this.#tails.values()).then(() => this.#connection.close().catch(() => {}));
  }

  async #publish(to: string, bytes: Uint8Array): Promise<void> {
    const subject = `${STREAM}.${this.#run}.${token(to)}.${token(this.#party)}`;
    const msgID = `${this.#prefix}-${this.#count++}`;
    if (this.#deaf !== undefined) throw this.#deaf.error;
    await this.#server.ask(
      `publish to ${describe(to)}`,
      () => this.#client.publish(subject, bytes, { msgID, timeout: this.#timeout }),
      () => this.#closed + TRY_MS,
    );
  }

  #hear(): Promise<void> {
    return hearNats({
      server: this.#server,
      client: this.#client,
      stream: STREAM,
      subject: this.#subject,
      hear: ({ subject, data }) => this.#listeners.hear(name(subject.split('.')[3] ?? ''), data),
      isClosed: () => this.#isClosed(),
    });
  }

  /** Of all that is for this party. */
  get #subject(): string {
    return `${STREAM}.${this.#run}.${token(this.#party)}.*`;
  }

  #isClosed(): boolean {
    return this.#closed < Number.POSITIVE_INFINITY;
  }
}

async function connect(options: NatsOptions, inboxPrefix: string): Promise<Connection> {
  const { servers, user, pass, token, authenticator, tls, patience = PATIENCE_MS } = options;
  const all = typeof servers === 'string' ? [servers] : servers;
  const expected = "addresses such as 'nats://host:4222' or 'wss://host:443'";
  if (
    !Array.isArray(all) ||
    all.length === 0 ||
    !all.every((server) => typeof server === 'string' && server !== '')
  )
    throw failure('input.type', `overNats, option servers: expected ${expected}`, { expected });
  // Addresses with passwords are none of NATS' options.
  if (all.some((server) => server.includes('@')))
    throw failure(
      'input.option',
      'overNats, option servers: expected addresses without a user; options user, pass, token say who',
      { expected },
    );
  const sockets = all.filter((server) => /^wss?:/i.test(server)).length;
  if (sockets !== 0 && sockets !== all.length)
    throw failure('input.option', 'overNats, option servers: expected all by WebSocket or none', {
      expected,
    });
  if (tls !== false && all.some((server) => /^(ws|http):/i.test(server)))
    throw failure('party.transport', `A NATS server without TLS: expected wss://, or option tls: false`, {
      reason: 'tls',
      expected: 'wss://',
    });
  const open = await (await libraries(options)).connect(sockets > 0);
  try {
    return await open({
      servers: [...all],
      ...Object.fromEntries(
        Object.entries({ user, pass, token, authenticator }).filter(([, value]) => value !== undefined),
      ),
      // Asked for, it is had, or there is no connection.
      ...(tls !== false && sockets === 0 && { tls: tls ?? {} }),
      inboxPrefix,
      timeout: Math.min(patience, 20_000),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      ignoreAuthErrorAbort: false,
    });
  } catch (error) {
    throw told(error, 'connect');
  }
}

/** A name as one part of a subject, which has no blanks, dots and stars. */
function token(party: string): string {
  return encodeURIComponent(party).replace(
    /[.!'()*~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function name(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Nobody is called like that.
    return part;
  }
}
