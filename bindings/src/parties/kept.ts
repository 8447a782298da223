/** What a party keeps of a run, so that it can come back to it after its process has died. */
import {
  BYTES,
  checkArgument,
  describe,
  type Kind,
  PARTY_STORE,
  RUN_NAME,
  sortOf,
  TEXT,
  WHOLE,
} from '../arguments.js';
import { fromBytes, toBytes } from '../data.js';
import { failure } from '../errors.js';
import type { Port, RunOutputs } from '../graph-types.js';
import { equal, joined } from './bytes.js';
import { newAttempt } from './run.js';
import type { Crossing, PartyStore } from './types.js';

/** Most attempts of one run. */
const MOST_ATTEMPTS = 2 ** 32 - 1;
/** Random bytes under one name: no more than Node reads of a file at once. */
const MOST_RANDOM = 2 ** 31 - 1;
const RANDOM_LENGTH: Kind = {
  expected: `a whole number of bytes, at most ${MOST_RANDOM}`,
  fits: (value) => WHOLE.fits(value) && (value as number) <= MOST_RANDOM,
};
/** Who draws under a name, in whatever store: the next one looks at what was kept when it is done. */
const drawing = new Map<string, Promise<unknown>>();

/** Whose part of which run it is, and over what. `id`: of the graph. */
interface Whose {
  readonly run: string;
  readonly party: string;
  readonly id: string;
  readonly inputs: readonly Uint8Array<ArrayBuffer>[];
}

/** One run in a party's store. Errors of all methods: PartyError `party.store`. */
export class Kept {
  readonly #store: PartyStore;
  readonly #about: readonly [run: string, party: string];
  /** Of the graph. */
  readonly #id: string;
  readonly #inputs: Uint8Array;
  /** Of this process: one more than the last that was kept. */
  readonly attempt: string;

  private constructor(store: PartyStore, { run, party, id }: Whose, inputs: Uint8Array, attempt: string) {
    this.#store = store;
    this.#about = [run, party];
    this.#id = id;
    this.#inputs = inputs;
    this.attempt = attempt;
  }

  /** Counts one more attempt. */
  static async open(store: PartyStore, whose: Whose): Promise<Kept> {
    const { run, party, inputs } = whose;
    const name = nameOf(run, party, 'attempts');
    const bytes = await get(store, name);
    const before = bytes === undefined ? 0 : Number(new TextDecoder().decode(bytes));
    if (!Number.isInteger(before) || before < 0 || before >= MOST_ATTEMPTS)
      throw failed('the number of attempts that it has is none', undefined, { name });
    await put(store, name, new TextEncoder().encode(String(before + 1)));
    return new Kept(store, whose, await digestOf(inputs), newAttempt(before + 1));
  }

  /** Keeps a value before any of it leaves. Errors: PartyError `party.changed` where another one was kept for its channel. */
  async sends(crossing: Crossing, bytes: Uint8Array): Promise<void> {
    const before = await get(this.#store, this.#sentName(crossing));
    if (before === undefined) return put(this.#store, this.#sentName(crossing), bytes);
    if (equal(before, bytes)) return;
    const { to, channel, producer, number } = crossing;
    const problem = `What this party sends party ${describe(to)} of ${producer} (${number}) is not what it has sent before in this run: nothing of it was sent again. Expected the same inputs; random ones by keptRandom`;
    throw failure('party.changed', problem, { party: to, channel });
  }

  /** A value that was kept. */
  async sent(crossing: Crossing): Promise<Uint8Array> {
    const bytes = await get(this.#store, this.#sentName(crossing));
    if (bytes?.length === crossing.bytes) return bytes;
    throw failed('it has not what was sent', undefined, { channel: crossing.channel });
  }

  /** Keeps that all are done. */
  async close(): Promise<void> {
    await put(this.#store, nameOf(...this.#about, 'done'), new Uint8Array());
  }

  /** Forgets values that nobody can ask for any more. */
  async forget(crossings: readonly Crossing[]): Promise<void> {
    for (const crossing of crossings) await guarded(() => this.#store.remove(this.#sentName(crossing)));
  }

  /** Whether all are done, so that nothing is to be waited for. */
  async closed(): Promise<boolean> {
    return (await get(this.#store, nameOf(...this.#about, 'done'))) !== undefined;
  }

  /** Keeps results, before anybody is told that there are some, with a digest of what they are of. */
  async finish(ports: readonly Port[], outputs: RunOutputs): Promise<void> {
    const results = ports.map((port) => toBytes(`Output "${port.name}"`, port, outputs[port.name]));
    const all = [new TextEncoder().encode(this.#id), this.#inputs, ...results];
    const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + 8 + length, 0));
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (const one of all) {
      view.setBigUint64(at, BigInt(one.length), true);
      bytes.set(one, at + 8);
      at += 8 + one.length;
    }
    await put(this.#store, nameOf(...this.#about, 'outputs'), bytes);
  }

  /** Results of an attempt before, or undefined. Errors: PartyError `party.changed` where they are of other inputs. */
  async outputs(ports: readonly Port[]): Promise<RunOutputs | undefined> {
    const bytes = await get(this.#store, nameOf(...this.#about, 'outputs'));
    if (bytes === undefined) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    const next = (): Uint8Array<ArrayBuffer> => {
      const length = at + 8 <= bytes.length ? Number(view.getBigUint64(at, true)) : Number.POSITIVE_INFINITY;
      at += 8 + length;
      if (at > bytes.length) throw failed('the results that it has are cut short', undefined, {});
      return new Uint8Array(bytes.subarray(at - length, at));
    };
    const isOther = new TextDecoder().decode(next()) !== this.#id;
    const inputs = isOther ? this.#inputs : next();
    const outputs = isOther ? [] : ports.map((port) => [port.name, fromBytes(port, next())] as const);
    if (at !== bytes.length) throw failed('the results that it has are of another graph', undefined, {});
    // What was kept without a digest, or is asked for without one, is believed.
    if (inputs.length === this.#inputs.length && !equal(inputs, this.#inputs)) {
      const problem =
        'The inputs are not those that this party had before in this run: expected the same ones, or a run of its own for these';
      throw failure('party.changed', problem);
    }
    return Object.defineProperty(Object.fromEntries(outputs), 'kept', {
      value: new Map(),
    }) as unknown as RunOutputs;
  }

  #sentName({ channel }: Crossing): string {
    return nameOf(...this.#about, 'sent', channel);
  }
}

/**
 * Random bytes of a run, by the platform's random numbers, and the same ones whenever a party comes back to it, or asks twice at once: for seeds, masks and keys that are inputs. `length`: at most
 * 2^31 - 1. They are as secret as what they are for, and so is the store. Errors: PartyError `party.store`; InputError `input.type`.
 */
export async function keptRandom(
  store: PartyStore,
  run: string,
  name: string,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  checkArgument('keptRandom, store', store, PARTY_STORE);
  checkArgument('keptRandom, run', run, RUN_NAME);
  checkArgument('keptRandom, name', name, TEXT);
  checkArgument('keptRandom, length', length, RANDOM_LENGTH);
  const key = nameOf(run, name, 'random');
  const draw = (): Promise<Uint8Array<ArrayBuffer>> => keptOrDrawn(store, key, name, length);
  const drawn = (drawing.get(key) ?? Promise.resolve()).then(draw, draw);
  drawing.set(key, drawn);
  try {
    return await drawn;
  } finally {
    if (drawing.get(key) === drawn) drawing.delete(key);
  }
}

async function keptOrDrawn(
  store: PartyStore,
  key: string,
  name: string,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const before = await get(store, key);
  if (before !== undefined && before.length !== length)
    throw failed(`its random bytes ${describe(name)} are ${before.length}, expected ${length}`, undefined, {
      name,
      expected: length,
    });
  if (before !== undefined) return new Uint8Array(before);
  const bytes = new Uint8Array(length);
  // The platform gives this many at a time.
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  await put(store, key, bytes);
  return bytes;
}

/** What tells a run's inputs from others: SHA-256 of that of each; nothing where a page has no WebCrypto. */
async function digestOf(inputs: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array> {
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle;
  if (subtle === undefined) return new Uint8Array();
  const each = await Promise.all(inputs.map((bytes) => subtle.digest('SHA-256', bytes)));
  const all = joined(each.map((digest) => new Uint8Array(digest)));
  return new Uint8Array(await subtle.digest('SHA-256', all));
}

/** Names of runs have no blank, and no part is ambiguous. */
export function nameOf(run: string, ...parts: string[]): string {
  return JSON.stringify([run, ...parts]);
}

/** Errors: PartyError `party.store`, also where what it gives is neither bytes nor undefined. */
export async function get(store: PartyStore, name: string): Promise<Uint8Array | undefined> {
  const given: unknown = await guarded(() => store.get(name));
  if (given === undefined || BYTES.fits(given)) return given as Uint8Array | undefined;
  const expected = 'bytes (Uint8Array), or undefined for what is not there';
  // Of what sort, and not the value: it may be a secret.
  const found = sortOf(given);
  throw failed(`its get gave ${found}, expected ${expected}`, undefined, { name, found, expected });
}

/** Errors: PartyError `party.store`. */
export async function put(store: PartyStore, name: string, bytes: Uint8Array): Promise<void> {
  return guarded(() => store.put(name, bytes));
}

async function guarded<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw failed(cause instanceof Error ? cause.message : String(cause), cause, {});
  }
}

function failed(problem: string, cause: unknown, details: Readonly<Record<string, unknown>>): Error {
  return failure('party.store', `The store of what a party keeps: ${problem}`, details, cause);
}
