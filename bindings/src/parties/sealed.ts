/**
 * Any transport, sealed from end to end: what lies between the parties reads nothing, and what it alters, makes up or sends again is refused. By HPKE (RFC 9180)
 * in its authenticated mode, so that who sent a message is known, too. Messages are laid out as in `sealed/message.ts`; `info` is the name of that layout, the run and both parties.
 *
 * Each sealed transport is an *end* of its party's, with a name that it draws. Whoever hears of a new end of the other's begins a new stream before the next message, since the new one cannot open the one that there is, and says so from
 * there on: so all that was sent since a party was heard of arrives, once and in order, also where it has begun anew, and whatever of before is sent again by who lies between.
 */
import {
  checkArgument,
  describe,
  FUNCTION,
  objectOf,
  PARTY_NAME,
  RUN_NAME,
  TRANSPORT,
} from '../arguments.js';
import { CipherloomError, failure, type PartyError } from '../errors.js';
import { webCrypto } from '../sealed-key.js';
import { listenTo, tellRefused } from './callbacks.js';
import { digitsOf } from './digits.js';
import { Incoming, refuse } from './sealed/incoming.js';
import { pairOf, type PartyKeys, publicKeyOf, whole } from './sealed/keys.js';
import { END, LAYOUT, messageOf } from './sealed/message.js';
import { Outgoing } from './sealed/outgoing.js';
import { newSuite } from './sealed/suite.js';
import { Listeners } from './transports/listeners.js';
import type { Transport } from './types.js';

export { type PartyKeys, partyKeys } from './sealed/keys.js';

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

/**
 * A transport of one run whose messages nobody but their receiver can read, and nobody but the sender can have made. It takes over `transport`, and closes it with itself. Messages that were altered, are not from who they are said to
 * be from, or of another run, or were there already, are told to `onRefused` and change nothing; one that never comes holds up all behind it, so that runs need a `timeout`. One that `transport` did not take goes before the next one. Errors: InputError;
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

/** Another party, to whom and from whom messages go. */
interface Peer {
  readonly outgoing: Outgoing;
  readonly incoming: Incoming;
}

class Sealed implements Transport {
  readonly #suite = newSuite();
  readonly #end = digitsOf(webCrypto('sealed transports').getRandomValues(new Uint8Array(END)));
  readonly #transport: Transport;
  readonly #settings: Settings;
  readonly #listeners = new Listeners();
  readonly #peers = new Map<string, Peer>();
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
    this.#stopListening = listenTo(
      transport,
      (from, bytes) => this.#hear(from, bytes),
      (cause) => this.#listeners.lose(cause),
    );
  }

  listen(...how: Parameters<Transport['listen']>): () => void {
    return this.#listeners.add(...how);
  }

  close(): void {
    this.#listeners.close();
    this.#stopListening();
    if (this.#pending === 0) return this.#transport.close();
    // What was handed over before, such as a farewell, still goes out.
    this.#settled = () => {
      try {
        this.#transport.close();
      } catch {
        // Nobody is there any more to be told.
      }
    };
  }

  async send(to: string, bytes: Uint8Array): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken.error;
    const peer = this.#peer(to);
    if (peer === undefined) {
      const known = [...this.#settings.known.keys()];
      const problem = `There is no public key of party ${describe(to)}; there are those of ${known.map(describe).join(', ') || 'nobody'}`;
      throw failure('party.key', problem, { party: to, expected: known });
    }
    this.#pending += 1;
    await peer.outgoing.send(bytes, () => {
      this.#pending -= 1;
      if (this.#pending === 0) this.#settled();
    });
  }

  #hear(from: unknown, bytes: unknown): void {
    if (this.#broken !== undefined) return;
    try {
      const message = messageOf(bytes);
      const peer = typeof from === 'string' ? this.#peer(from) : undefined;
      if (peer === undefined) throw refuse('party.stranger', `there is no public key of ${describe(from)}`);
      peer.incoming.hear(message);
    } catch (error) {
      this.#refused(from, error);
    }
  }

  /** Of whom there is a key. */
  #peer(name: string): Peer | undefined {
    const found = this.#peers.get(name);
    const key = this.#settings.known.get(name);
    if (found !== undefined || key === undefined) return found;
    const { own, party } = this.#settings;
    const end = this.#end;
    const outgoing = new Outgoing({
      end,
      begin: () => {
        const info = this.#info(party, name);
        return this.#suite.createSenderContext({ recipientPublicKey: key, senderKey: own, info });
      },
      send: (bytes) => this.#transport.send(name, bytes),
    });
    const incoming = new Incoming({
      end,
      begin: (enc) => {
        const info = this.#info(name, party);
        return this.#suite.createRecipientContext({ recipientKey: own, enc, senderPublicKey: key, info });
      },
      heard: (other) => outgoing.heard(other),
      handOn: (bytes) => {
        if (this.#broken === undefined) this.#listeners.hear(name, bytes);
      },
      refused: (error) => this.#refused(name, error),
    });
    const peer = { outgoing, incoming };
    this.#peers.set(name, peer);
    return peer;
  }

  /** What HPKE binds both ends to. */
  #info(from: string, to: string): ArrayBuffer {
    const text = (value: string): number[] => {
      const bytes = new TextEncoder().encode(value);
      return [bytes.length & 255, bytes.length >> 8, ...bytes];
    };
    return whole(Uint8Array.from([LAYOUT, this.#settings.run, from, to].flatMap(text)));
  }

  #refused(from: unknown, error: unknown): void {
    if (!(error instanceof CipherloomError)) return this.#break(error);
    tellRefused(this.#settings.onRefused, from, error, (thrown) => this.#break(thrown));
  }

  /** Nothing more goes through, and who only listens is told. */
  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#listeners.lose(error);
  }
}
