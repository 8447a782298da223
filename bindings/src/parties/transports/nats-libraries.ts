/** The libraries of NATS: optional peers, fetched when they are needed. Here is what is used of them. */
import { failure } from '../../errors.js';

/** A connection to a server. */
export interface Connection {
  close(): Promise<void>;
  /** Resolves when it is closed for good, with why. */
  closed(): Promise<unknown>;
  isClosed(): boolean;
  /** Tells of `disconnect` and `reconnect`, and of more, until it is closed. */
  status(): AsyncIterable<{ readonly type: string }>;
}

interface ConnectionSettings {
  readonly servers: string[];
  readonly inboxPrefix: string;
  readonly timeout: number;
  readonly maxReconnectAttempts: number;
  readonly reconnectTimeWait: number;
  readonly ignoreAuthErrorAbort: boolean;
  readonly tls?: object;
}

/** What of a stream of JetStream is said; times in nanoseconds. */
export interface StreamSettings {
  readonly name: string;
  readonly subjects: string[];
  readonly retention: 'limits';
  readonly discard: 'old';
  readonly storage: 'file';
  readonly max_age: number;
  readonly max_bytes: number;
  readonly max_msgs_per_subject: number;
  readonly duplicate_window: number;
}

/** JetStream, as a client. */
export interface JetStream {
  publish(subject: string, data: Uint8Array, options: { msgID: string; timeout: number }): Promise<unknown>;
  readonly consumers: {
    get(stream: string, options: { filter_subjects: string; opt_start_seq: number }): Promise<Consumer>;
  };
}

/** A message that a stream keeps. `seq`: its number there, from 1. */
export interface NatsMessage {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
}

interface Consumer {
  /** Makes no request that has to be waited for. */
  consume(options: {
    max_messages: number;
    expires: number;
    callback: (message: NatsMessage) => void;
  }): Promise<NatsMessages>;
}

/** Messages that are handed to a callback. */
export interface NatsMessages {
  /** At once. */
  stop(): void;
  /** Resolves when nothing more comes, with why. */
  closed(): Promise<unknown>;
  status(): AsyncIterable<{ readonly type: string }>;
}

interface JetStreamLibrary {
  jetstream(connection: Connection, options: { timeout: number }): JetStream;
  jetstreamManager(
    connection: Connection,
    options: { checkAPI: boolean },
  ): Promise<{
    readonly streams: {
      info(name: string): Promise<unknown>;
      add(settings: StreamSettings): Promise<unknown>;
      update(name: string, settings: StreamSettings): Promise<unknown>;
    };
  }>;
}

type Connect = (settings: ConnectionSettings) => Promise<Connection>;

/** The packages, where a page has imported them itself. */
export interface NatsLibraries {
  /** `await import('@nats-io/nats-core')`, for WebSockets. */
  readonly core?: object;
  /** `await import('@nats-io/transport-node')`, for Node. */
  readonly node?: object;
  /** `await import('@nats-io/jetstream')`. */
  readonly jetstream: object;
}

/** Fetches them. Errors: PartyError `party.transport` with what to install. */
export async function libraries({
  libraries: given,
}: {
  readonly libraries?: NatsLibraries | undefined;
}): Promise<{
  readonly jetstream: JetStreamLibrary;
  connect(byWebSocket: boolean): Promise<Connect>;
}> {
  const jetstream = (given?.jetstream ?? (await found('@nats-io/jetstream'))) as JetStreamLibrary;
  return {
    jetstream,
    async connect(byWebSocket) {
      if (byWebSocket) {
        const { wsconnect } = (given?.core ?? (await found('@nats-io/nats-core'))) as { wsconnect: Connect };
        return wsconnect;
      }
      const { connect } = (given?.node ?? (await found('@nats-io/transport-node'))) as { connect: Connect };
      return connect;
    },
  };
}

async function found(name: string): Promise<object> {
  try {
    // By a variable: neither compiler nor bundlers look for what need not be installed.
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as object;
  } catch (cause) {
    const problem = `NATS needs the packages @nats-io/transport-node, @nats-io/nats-core and @nats-io/jetstream, and ${name} cannot be loaded: npm install @nats-io/transport-node @nats-io/nats-core @nats-io/jetstream. In a page, hand them over: option libraries`;
    throw failure('party.transport', problem, { reason: 'library', expected: name }, cause);
  }
}
