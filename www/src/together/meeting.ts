/** A meeting: who computes together, as what, and where. It is in the address behind `#together`, which no server is told; nothing of it is secret. */
import { newRun } from 'cipherloom/parties';

export const MOST_PARTIES = 5;
export const MOST_DECIMALS = 4;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,23}$/u;
const RUN = /^[0-9a-f]{32}$/;
/** A host that a policy takes for that one host: no pattern, and no end of a directive. */
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

export interface Meeting {
  /** The run's name: what is sent in another run is refused. */
  readonly run: string;
  readonly parties: readonly string[];
  /** Digits behind the decimal point that are computed with. */
  readonly decimals: number;
  /** WebSocket address of the NATS server by which tabs of several browsers meet; tabs of one browser need none. */
  readonly relay: string | undefined;
}

/** A meeting, and who this tab is in it. */
export interface Seat {
  readonly meeting: Meeting;
  readonly party: string;
}

/** A new one. Errors: a sentence for the person, where names or the address do not do. */
export function newMeeting(parties: readonly string[], decimals: number, address = ''): Meeting {
  const found = wrongNames(parties);
  if (found !== undefined) throw new Error(found);
  return { run: newRun(), parties, decimals, relay: address === '' ? undefined : relayOf(address) };
}

/**
 * The address of a relay: encrypted, or on this machine. Errors: a sentence. Names and passwords have no place in it, since it is part of a link; nor has what a policy would not take for one host (`narrow`).
 */
export function relayOf(address: string): string {
  const { protocol, hostname, host, pathname, search, hash, username, password } = parsed(address) ?? {};
  const plain = [username, password, search, hash].every((part) => part === '') && pathname === '/';
  const near = protocol === 'ws:' && (hostname === 'localhost' || hostname === '127.0.0.1');
  if (hostname?.startsWith('['))
    throw new Error(
      `“${address.slice(0, 100)}” does not do as the address of a relay: a policy of this page cannot name an IPv6 address. Give the relay's name.`,
    );
  if (plain && HOST.test(hostname ?? '') && (protocol === 'wss:' || near)) return `${protocol}//${host}`;
  throw new Error(
    `“${address.slice(0, 100)}” does not do as the address of a relay: wss://host or wss://host:port, or ws://localhost:port on this machine, without a name, a password or anything behind it.`,
  );
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** What all have to agree on beside their names: it goes into the code that people compare. */
export function aboutOf({ decimals, relay }: Meeting, graph: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ graph, decimals, relay }));
}

/** What is wrong with the names. */
export function wrongNames(parties: readonly string[]): string | undefined {
  const named = parties.filter((name) => name !== '').length;
  if (named < 2 || parties.length > MOST_PARTIES)
    return `It takes 2 to ${MOST_PARTIES} parties; there ${named === 1 ? 'is' : 'are'} ${named}.`;
  const bad = parties.find((name) => !NAME.test(name));
  if (bad !== undefined)
    return `“${bad}” does not do as a name: letters, digits, spaces, - and _, at most 24, the first one a letter or digit.`;
  const twice = parties.find((name, index) => parties.indexOf(name) !== index);
  return twice === undefined ? undefined : `There are two parties of the name “${twice}”.`;
}

/** The hash of a seat's address. */
export function hashOf({ meeting, party }: Seat): string {
  const { run, parties, decimals, relay } = meeting;
  const fields: [string, string][] = [
    ['run', run],
    ...parties.map((name): [string, string] => ['party', name]),
    ['decimals', String(decimals)],
    ...(relay === undefined ? [] : [['relay', relay] as [string, string]]),
    ['as', party],
  ];
  return `#together?${new URLSearchParams(fields).toString()}`;
}

/** The seat that an address has; undefined where it has none. Errors: a sentence, for an address that was changed. */
export function seatOf(hash: string): Seat | undefined {
  const at = hash.indexOf('?');
  if (!hash.startsWith('#together') || at < 0) return undefined;
  const fields = new URLSearchParams(hash.slice(at + 1));
  const [run, parties, party] = [fields.get('run') ?? '', fields.getAll('party'), fields.get('as') ?? ''];
  const decimals = Number(fields.get('decimals') ?? 'none');
  const address = fields.get('relay');
  const found =
    wrongNames(parties) ??
    (RUN.test(run) &&
    parties.includes(party) &&
    Number.isInteger(decimals) &&
    decimals >= 0 &&
    decimals <= MOST_DECIMALS
      ? undefined
      : 'Its run, its party or its number of decimals is none.');
  const wrong = (why: string): Error =>
    new Error(`This is no invitation to a meeting, or it was changed on its way. ${why}`);
  if (found !== undefined) throw wrong(found);
  try {
    const relay = address === null ? undefined : relayOf(address);
    return { meeting: { run, parties, decimals, relay }, party };
  } catch (error) {
    throw wrong((error as Error).message);
  }
}
