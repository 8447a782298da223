/**
 * Hears what a NATS server keeps for a party: each message once, in order, also where the server is restarted or the network was away meanwhile. The library's ordered consumer
 * begins anew by itself, but says nothing while it cannot, and asks for nothing for seconds after it has; so whenever something is amiss another one is made, behind the last message that was heard.
 */
import { told } from './nats-errors.js';
import type { JetStream, NatsMessage, NatsMessages } from './nats-libraries.js';
import type { NatsServer } from './nats-server.js';

/** Messages that are fetched ahead. */
const AHEAD = 16;
/** Between two times that messages are asked for: after that long it is noticed that a server has begun anew. */
const ASKING_MS = 4000;
/** What the library says of a consumer from which nothing more comes. */
const AMISS: ReadonlySet<string> = new Set(['heartbeats_missed', 'consumer_deleted', 'consumer_not_found']);

/** What is heard, and from where. */
export interface NatsHearingSettings {
  readonly server: NatsServer;
  readonly client: JetStream;
  readonly stream: string;
  readonly subject: string;
  readonly hear: (message: NatsMessage) => void;
  /** Whether nothing is to be heard any more. */
  readonly isClosed: () => boolean;
}

/** Hears until it is closed. Errors: PartyError `party.transport` where the server is away for longer than it may be, or refuses; what `hear` throws. */
export async function hearNats(settings: NatsHearingSettings): Promise<void> {
  const { server, client, stream, subject, isClosed, hear } = settings;
  let last = 0;
  while (!isClosed()) {
    // Only to make one is asked again: who was made by a question that was given up on, and answered all the same, is not heard.
    const consumer = await server.ask('hear', () =>
      client.consumers.get(stream, { filter_subjects: subject, opt_start_seq: last + 1 }),
    );
    let thrown: { readonly error: unknown } | undefined;
    const callback = (message: NatsMessage): void => {
      last = message.seq;
      try {
        hear(message);
      } catch (error) {
        thrown ??= { error };
        messages.stop();
      }
    };
    const messages = await consumer.consume({ max_messages: AHEAD, expires: ASKING_MS, callback });
    const unwatch = server.whenLost(() => messages.stop());
    void stopAmiss(messages);
    const error = await messages.closed();
    unwatch();
    if (thrown !== undefined) throw thrown.error;
    if (error !== undefined) throw told(error, 'hear');
  }
}

async function stopAmiss(messages: NatsMessages): Promise<void> {
  for await (const { type } of messages.status()) if (AMISS.has(type)) messages.stop();
}
