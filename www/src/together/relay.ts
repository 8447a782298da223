/** Meeting by a relay: a NATS server that carries messages between tabs of several browsers, and is not believed. */
import {
  createNatsStream,
  introduce,
  type Introduction,
  type NatsLibraries,
  overNats,
  type PartyStore,
  sealed,
  type Transport,
} from 'cipherloom/parties';
import { aboutOf, type Seat } from './meeting.js';
import type { Access } from './seat-store.js';

/** What goes on at a relay. */
export interface Meeting {
  readonly introduction: Introduction;
  /** Carries the run to come, once people have found that their codes are the same. */
  transport(): Promise<Transport>;
  close(): void;
}

/** Whom it is about, and what is told meanwhile. */
export interface MeetingOptions {
  readonly seat: Seat;
  /** The shared graph's. */
  readonly graph: string;
  readonly access: Access;
  readonly keep: PartyStore;
  readonly signal: AbortSignal;
  /** The relay is reached. */
  readonly onConnected: () => Promise<void>;
  readonly onCame: (party: string) => void;
}

/** Meets the others: done when all have said their keys. Errors: PartyError. */
export async function meet(options: MeetingOptions): Promise<Meeting> {
  const { seat, graph, access, keep, signal, onConnected, onCame } = options;
  const { meeting, party } = seat;
  const servers = meeting.relay!;
  narrow(servers);
  // Here alone, so that nobody else loads them.
  const [core, jetstream] = await Promise.all([import('@nats-io/nats-core'), import('@nats-io/jetstream')]);
  const libraries: NatsLibraries = { core, jetstream };
  const who = access.user === '' ? {} : { user: access.user, pass: access.pass };
  // Without TLS on this machine alone: `relayOf` takes no other.
  const nats = { servers, libraries, ...who, ...(servers.startsWith('ws:') && { tls: false as const }) };
  const transport = await connected(nats, { run: meeting.run, party });
  try {
    await onConnected();
    const introduction = await introduce({
      ...{ transport, party, parties: meeting.parties, meeting: meeting.run, keep, signal, onCame },
      about: aboutOf(meeting, graph),
    });
    return {
      introduction,
      transport: async () => {
        const plain = await overNats({ ...nats, run: introduction.run, party });
        return sealed(plain, { party, ...introduction });
      },
      close: () => transport.close(),
    };
  } catch (error) {
    transport.close();
    throw error;
  }
}

/** A server that is new has no stream yet: who may makes it. */
async function connected(
  nats: Parameters<typeof createNatsStream>[0],
  end: { readonly run: string; readonly party: string },
): Promise<Transport> {
  try {
    return await overNats({ ...nats, ...end });
  } catch (error) {
    if ((error as { details?: { reason?: unknown } }).details?.reason !== 'stream') throw error;
    await createNatsStream(nats);
    return overNats({ ...nats, ...end });
  }
}

let narrowed: string | undefined;

/** Whether this document may still connect to that relay: it is bound to the first one. */
export function mayConnect(relay: string): boolean {
  return narrowed === undefined || narrowed === relay;
}

/**
 * Binds this document to one relay from now on: policies add up, so that the one it came with, which allows any, counts no more. It is one host, which `relayOf` sees to.
 */
function narrow(relay: string): void {
  if (narrowed !== undefined) return;
  narrowed = relay;
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `connect-src 'self' ${relay}`;
  document.head.append(policy);
}
