/**
 * Schedules of transforms: everything that decides about the code of a kernel, and nothing else, as plain JSON. Equal schedules are equal code.
 *
 * The transform of dimension `n` has `log2 n` layers (P. Longa, M. Naehrig, 2016), the first one with one block, the last one with `n/2`. A schedule says how many of
 * them are done while values are in registers, in which order blocks are visited, and how products are made.
 */
import { describe } from '../../arguments.js';
import type { Json } from '../canonical.js';
import { checkObject, wrong } from '../wrong.js';

/** What kernels are made of. */
export type Piece = 'ring.forward' | 'ring.inverse';

/** All pieces. */
export const PIECES: readonly Piece[] = ['ring.forward', 'ring.inverse'];

/** How `round(a w / q)` is made. */
export type Rounding = 'nearest' | 'add';

/** A schedule of a transform. */
export interface Schedule {
  /** Of the generator: another one gives other code. */
  readonly version: 2;
  readonly piece: Piece;
  /** Ring dimension: a power of two from 16 to 32768. */
  readonly n: number;
  /** For primes below `2^bits`, 17 to 50: how often values are reduced follows from it. */
  readonly bits: number;
  /** This prime alone, its constants part of the code; any if left out. */
  readonly prime?: number;
  /** Layers of each pass over the data, 1 to 4, the layer with one block first. Two passes at least; they add up to `log2 n`. */
  readonly passes: readonly number[];
  /** `nearest`: by the instruction; `add`: by adding and subtracting 1.5 * 2^52. */
  readonly rounding: Rounding;
  /** Passes from this one on find `w / q` by a product with `1/q`; those before read it from a table. */
  readonly computed: number;
  /** Whether factors that many vectors share are held in locals, or loaded where they are used. */
  readonly held: boolean;
  /** Vectors of each part of a block in one step of a loop: 1, 2 or 4. */
  readonly unroll: number;
  /** Passes from this one on are done for one part of the data after the other (0: none): depth first. Not the last one alone. */
  readonly tile: number;
}

const NAMES = ['version', 'piece', 'n', 'bits', 'passes', 'rounding', 'computed', 'held', 'unroll', 'tile'];

/** The least dimension: two passes, the last of which works on two blocks side by side. */
export const LEAST = 16;
/** The largest dimension: that of the conformance suite. */
export const LARGEST = 32_768;
/** Bits of primes that doubles serve. */
export const BITS = { least: 17, most: 50 } as const;
/** Most layers of one pass. */
export const MOST_LAYERS = 4;

/** Whether a value is a schedule; gives a copy. Errors: TuneError `tune.record`. */
export function checkSchedule(value: unknown): Schedule {
  const given = checkObject('tune.record', 'schedule', value, NAMES, ['prime']);
  const fail = (name: string, expected: string): never => {
    throw wrong('tune.record', `schedule, ${name}`, describe(given[name]), expected);
  };
  const whole = (name: string, least: number, most: number): number => {
    const found = given[name];
    if (Number.isSafeInteger(found) && (found as number) >= least && (found as number) <= most)
      return found as number;
    return fail(name, `a whole number from ${least} to ${most}`);
  };
  whole('version', 2, 2);
  const piece = PIECES.find((known) => known === given.piece) ?? fail('piece', PIECES.join(' or '));
  const n = whole('n', LEAST, LARGEST);
  const layers = Math.log2(n);
  if (!Number.isInteger(layers)) fail('n', 'a power of two');
  const bits = whole('bits', BITS.least, BITS.most);
  const prime = given.prime === undefined ? undefined : whole('prime', 3, 2 ** bits - 1);
  const passes = given.passes as readonly number[];
  const fits =
    Array.isArray(passes) &&
    passes.length >= 2 &&
    passes.every((one) => Number.isInteger(one) && one >= 1 && one <= MOST_LAYERS) &&
    passes.reduce((sum, one) => sum + one, 0) === layers;
  if (!fits) fail('passes', `at least two numbers from 1 to ${MOST_LAYERS} that are ${layers} together`);
  const rounding =
    (['nearest', 'add'] as const).find((known) => known === given.rounding) ??
    fail('rounding', 'nearest or add');
  const computed = whole('computed', 0, passes.length);
  if (typeof given.held !== 'boolean') fail('held', 'true or false');
  const unroll = whole('unroll', 1, 4);
  if (unroll === 3) fail('unroll', '1, 2 or 4');
  // The last pass works on two blocks at a time: a part has two of its blocks at least.
  const tile = whole('tile', 0, passes.length - 2);
  return {
    version: 2,
    piece,
    n,
    bits,
    ...(prime !== undefined && { prime }),
    passes: [...passes],
    rounding,
    computed,
    held: given.held as boolean,
    unroll,
    tile,
  };
}

/** A short name: `forward-8192-50:2,3,4,4 add held u2 c3 t1`. */
export function scheduleName(schedule: Schedule): string {
  const { piece, n, bits, prime, passes, rounding, computed, held, unroll, tile } = schedule;
  const of = prime === undefined ? String(bits) : `q${prime}`;
  return `${piece.slice(5)}-${n}-${of}:${passes.join(',')} ${rounding}${held ? ' held' : ''} u${unroll} c${computed} t${tile}`;
}

/** A schedule as a record has it. */
export function scheduleJson(schedule: Schedule): Json {
  return { ...schedule } as unknown as Json;
}
