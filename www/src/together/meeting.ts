/** A meeting: who computes together, and as what. It is in the address behind `#together`, which no server is told; nothing of it is secret. */
import { newRun } from 'cipherloom/parties';

export const MOST_PARTIES = 5;
export const MOST_DECIMALS = 4;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,23}$/u;
const RUN = /^[0-9a-f]{32}$/;

export interface Meeting {
  /** The run's name: what is sent in another run is refused. */
  readonly run: string;
  readonly parties: readonly string[];
  /** Digits behind the decimal point that are computed with. */
  readonly decimals: number;
}

/** A meeting, and who this tab is in it. */
export interface Seat {
  readonly meeting: Meeting;
  readonly party: string;
}

/** A new one. Errors: a sentence for the person, where names do not do. */
export function newMeeting(parties: readonly string[], decimals: number): Meeting {
  const found = wrongNames(parties);
  if (found !== undefined) throw new Error(found);
  return { run: newRun(), parties, decimals };
}

/** What is wrong with the names. */
export function wrongNames(parties: readonly string[]): string | undefined {
  if (parties.length < 2 || parties.length > MOST_PARTIES)
    return `It takes 2 to ${MOST_PARTIES} parties; there are ${parties.length}.`;
  const bad = parties.find((name) => !NAME.test(name));
  if (bad !== undefined)
    return `“${bad}” does not do as a name: letters, digits, spaces, - and _, at most 24, the first one a letter or digit.`;
  const twice = parties.find((name, index) => parties.indexOf(name) !== index);
  return twice === undefined ? undefined : `There are two parties of the name “${twice}”.`;
}

/** The hash of a seat's address. */
export function hashOf({ meeting, party }: Seat): string {
  const { run, parties, decimals } = meeting;
  const fields: [string, string][] = [
    ['run', run],
    ...parties.map((name): [string, string] => ['party', name]),
    ['decimals', String(decimals)],
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
  const found =
    wrongNames(parties) ??
    (RUN.test(run) &&
    parties.includes(party) &&
    Number.isInteger(decimals) &&
    decimals >= 0 &&
    decimals <= MOST_DECIMALS
      ? undefined
      : 'Its run, its party or its number of decimals is none.');
  if (found !== undefined)
    throw new Error(`This is no invitation to a meeting, or it was changed on its way. ${found}`);
  return { meeting: { run, parties, decimals }, party };
}
