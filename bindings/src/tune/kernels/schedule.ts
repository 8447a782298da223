/**
 * Schedules: everything that decides about the code of a kernel, and nothing else, as plain JSON. Equal schedules are equal code.
 *
 * The transform of dimension `n` has `log2 n` layers (P. Longa, M. Naehrig, 2016), the first one with one block, the last one with `n/2`. A schedule says how many of
 * them are done while values are in registers, in which order blocks are visited, and how products are made. Sums of products go over all terms for a few indices at a time;
 * a schedule says for how many, and what is in registers then; changes of base, too. On a GPU a schedule of a transform says which layers are one dispatch, which of them are done
 * in registers before words are exchanged, and how much a workgroup and each of its invocations have.
 */
import { describe } from '../../arguments.js';
import type { Json } from '../canonical.js';
import { checkObject, wrong } from '../wrong.js';

/** What kernels are made of. */
export type Piece = Schedule['piece'];

/** All pieces. */
export const PIECES: readonly Piece[] = [
  'ring.forward',
  'ring.inverse',
  'ring.sum',
  'rns.change',
  'gpu.forward',
  'gpu.inverse',
];

/** How `round(a w / q)` is made. */
export type Rounding = 'nearest' | 'add';

/** What all schedules have. */
interface OfRing {
  /** Of the generator: another one gives other code. */
  readonly version: 3;
  /** Ring dimension: a power of two from 16 to 32768. */
  readonly n: number;
  /** For primes below `2^bits`, 17 to 50, on a GPU to 62: how often values are reduced follows from it. */
  readonly bits: number;
  /** This prime alone, its constants part of the code; any if left out. */
  readonly prime?: number;
}

/** What all schedules of WebAssembly have. */
interface Common extends OfRing {
  /** `nearest`: by the instruction; `add`: by adding and subtracting 1.5 * 2^52. */
  readonly rounding: Rounding;
  /** Of transforms whether factors that many vectors share, of sums whether addresses are held in locals, or loaded where they are used. */
  readonly held: boolean;
  /** Vectors of each part of a block, or of a limb, in one step of a loop: 1, 2 or 4. */
  readonly unroll: number;
}

/** A schedule of a transform. */
export interface TransformSchedule extends Common {
  readonly piece: 'ring.forward' | 'ring.inverse';
  /** Layers of each pass over the data, 1 to 4, the layer with one block first. Two passes at least; they add up to `log2 n`. */
  readonly passes: readonly number[];
  /** Passes from this one on find `w / q` by a product with `1/q`; those before read it from a table. */
  readonly computed: number;
  /** Passes from this one on are done for one part of the data after the other (0: none): depth first. Not the last one alone. */
  readonly tile: number;
}

/** Terms of sums of products: how many are what a transform left open, how many are residues, and how many sums there are of them. */
export type Terms = readonly [open: number, residues: number, outputs: number];

/** A schedule of sums of products, `out_k = sum over i of x_i y_ik`: the inner product of key switching. */
export interface SumSchedule extends Common {
  readonly piece: 'ring.sum';
  /** 1 to 16 terms, 1 to 4 outputs. */
  readonly terms: Terms;
  /** Whether all outputs are summed at a time, so that each `x` is read once, or one after the other, so that more sums stay in registers. */
  readonly together: boolean;
}

/** A change of base: limbs that it starts from, limbs that it makes, and whether (0 or 1) sources are multiplied first, and whether targets have limbs of their own. */
export type Change = readonly [sources: number, targets: number, scaled: 0 | 1, own: 0 | 1];

/** A schedule of a change of the RNS base. */
export interface ChangeSchedule extends Omit<Common, 'prime'> {
  readonly piece: 'rns.change';
  /** There are several primes, whose constants are never part of the code. */
  readonly prime?: undefined;
  /** 1 to 12 sources, 1 to 16 targets. */
  readonly change: Change;
}

/** A schedule of a transform on a GPU. */
export interface ShaderSchedule extends OfRing {
  readonly piece: 'gpu.forward' | 'gpu.inverse';
  /**
   * Passes over the data, each a dispatch, the layer with one block first. Of each the layers of its steps, 1 to 4: those of a step are done on words in registers; between steps words
   * are exchanged in the memory of the workgroup. They add up to `log2 n`.
   */
  readonly passes: readonly (readonly number[])[];
  /** Invocations of a workgroup: a power of two from 16 to 1024; fewer where the ring has fewer words. */
  readonly group: number;
  /** Words that each invocation works on: 2, 4, 8 or 16, as many at least as the largest step has at a time. */
  readonly each: number;
  /** 32-bit words that a residue is computed on: 1 for primes below `2^31`, or 2. */
  readonly words: 1 | 2;
  /** Products with known factors: by the quotient `floor(R w / q)`, which the table has, too (V. Shoup), or by `w R mod q` and `1/q mod R` (P. Montgomery, 1985). `R` is `2^(32 words)`. */
  readonly product: 'shoup' | 'montgomery';
  /** Whether residues stay below `4 q` between layers (below `2 q` backward; D. Harvey, 2014), or below `q`. */
  readonly lazy: boolean;
  /** Whether a workgroup reads and writes its words in order, by way of its memory, or where the first and the last step have them. */
  readonly staged: boolean;
}

/** A schedule of what becomes WebAssembly. */
export type WasmSchedule = TransformSchedule | SumSchedule | ChangeSchedule;

/** A schedule. */
export type Schedule = WasmSchedule | ShaderSchedule;

const NAMES = ['version', 'piece', 'n', 'bits'];
const WASM = ['rounding', 'held', 'unroll'];
const TRANSFORM = [...WASM, 'passes', 'computed', 'tile'];
const SHADER = ['passes', 'group', 'each', 'words', 'product', 'lazy', 'staged'];
/** Names beside these. */
const MORE: Readonly<Record<Piece, readonly string[]>> = {
  'ring.forward': TRANSFORM,
  'ring.inverse': TRANSFORM,
  'ring.sum': [...WASM, 'terms', 'together'],
  'rns.change': [...WASM, 'change'],
  'gpu.forward': SHADER,
  'gpu.inverse': SHADER,
};

/** The least dimension: two passes, the last of which works on two blocks side by side. */
export const LEAST = 16;
/** The largest dimension: that of the conformance suite. */
export const LARGEST = 32_768;
/** Bits of primes that doubles serve. */
export const BITS = { least: 17, most: 50 } as const;
/** Bits of primes that shaders compute with, on one word and on two: with residues below `4 q`, one or none less. */
export const SHADER_BITS = { least: 17, most: { 1: 31, 2: 62 } } as const;
/** Invocations of a workgroup, and words of each of them. */
export const GROUPS = [16, 32, 64, 128, 256, 512, 1024] as const;
export const EACH = [2, 4, 8, 16] as const;
/** Most layers of one pass, on a GPU of one step. */
export const MOST_LAYERS = 4;
/** Most sources of a change of base, and most targets: those of the engine. */
export const MOST_CHANGE = { sources: 12, targets: 16 } as const;
/** Most terms of a sum, and most outputs: those of the engine. */
export const MOST_TERMS = { terms: 16, outputs: 4 } as const;

/** Whether there are kernels for a ring of that dimension and primes of so many bits. */
export function isRing(n: number, bits: number, most: number = BITS.most): boolean {
  const fits = Number.isInteger(Math.log2(n)) && n >= LEAST && n <= LARGEST;
  return fits && bits >= BITS.least && bits <= most;
}

/** Whether a schedule is one of a GPU. */
export function isShader(schedule: Schedule): schedule is ShaderSchedule {
  return isShaderPiece(schedule.piece);
}

/** Whether a piece is one of a GPU. */
export function isShaderPiece(piece: Piece): piece is ShaderSchedule['piece'] {
  return piece === 'gpu.forward' || piece === 'gpu.inverse';
}

/** Words of a workgroup: all of a small ring, in one workgroup. */
export function tileOf({ n, group, each }: Pick<ShaderSchedule, 'n' | 'group' | 'each'>): number {
  return Math.min(n, group * each);
}

/** Most bits of a prime by words of a residue, where residues stay below `4 q` or not. */
export function mostBits(words: 1 | 2, lazy: boolean): number {
  return words === 1 && lazy ? SHADER_BITS.most[1] - 1 : SHADER_BITS.most[words];
}

/** Whether a value is a schedule; gives a copy. Errors: TuneError `tune.record`. */
export function checkSchedule(value: unknown): Schedule {
  const named = PIECES.find((known) => known === (value as { piece?: unknown } | null | undefined)?.piece);
  const several = named === 'rns.change';
  const names = [...NAMES, ...MORE[named ?? 'ring.forward']];
  const given = checkObject('tune.record', 'schedule', value, names, several ? [] : ['prime']);
  const fail = (name: string, expected: string): never => {
    throw wrong('tune.record', `schedule, ${name}`, describe(given[name]), expected);
  };
  const whole = (name: string, least: number, most: number): number => {
    const found = given[name];
    if (Number.isSafeInteger(found) && (found as number) >= least && (found as number) <= most)
      return found as number;
    return fail(name, `a whole number from ${least} to ${most}`);
  };
  whole('version', 3, 3);
  const piece = PIECES.find((known) => known === given.piece) ?? fail('piece', PIECES.join(' or '));
  const n = whole('n', LEAST, LARGEST);
  const layers = Math.log2(n);
  if (!Number.isInteger(layers)) fail('n', 'a power of two');
  const shader = isShaderPiece(piece);
  const bits = whole('bits', BITS.least, shader ? SHADER_BITS.most[2] : BITS.most);
  const largest = Math.min(2 ** bits - 1, Number.MAX_SAFE_INTEGER);
  const prime = given.prime === undefined ? undefined : whole('prime', 3, largest);
  if (prime !== undefined && prime % 2 === 0) fail('prime', 'an odd number');
  const alone = prime === undefined ? {} : { prime };
  const of = { version: 3 as const, n, bits, ...alone };
  if (isShaderPiece(piece)) return { ...of, ...checkShader({ ...of, piece }, given, fail) };
  const rounding =
    (['nearest', 'add'] as const).find((known) => known === given.rounding) ??
    fail('rounding', 'nearest or add');
  if (typeof given.held !== 'boolean') fail('held', 'true or false');
  const unroll = whole('unroll', 1, 4);
  if (unroll === 3) fail('unroll', '1, 2 or 4');
  const common = { version: 3 as const, n, bits, rounding, held: given.held as boolean, unroll };
  if (piece === 'ring.sum') {
    const terms = given.terms as Terms;
    if (!isTerms(terms))
      fail(
        'terms',
        `three whole numbers: 1 to ${MOST_TERMS.terms} terms in two, 1 to ${MOST_TERMS.outputs} outputs`,
      );
    if (typeof given.together !== 'boolean') fail('together', 'true or false');
    return { ...common, ...alone, piece, terms: [...terms], together: given.together as boolean };
  }
  if (piece === 'rns.change') {
    const change = given.change as Change;
    if (!isChange(change)) fail('change', '1 to 12 sources, 1 to 16 targets, 0 or 1, 0 or 1');
    return { ...common, piece, change: [...change] };
  }
  const passes = given.passes as readonly number[];
  const fits =
    Array.isArray(passes) &&
    passes.length >= 2 &&
    passes.every((one) => Number.isInteger(one) && one >= 1 && one <= MOST_LAYERS) &&
    passes.reduce((sum, one) => sum + one, 0) === layers;
  if (!fits) fail('passes', `at least two numbers from 1 to ${MOST_LAYERS} that are ${layers} together`);
  const computed = whole('computed', 0, passes.length);
  // The last pass works on two blocks at a time: a part has two of its blocks at least.
  const tile = whole('tile', 0, passes.length - 2);
  return { ...common, ...alone, piece, passes: [...passes], computed, tile };
}

/** What a schedule of a GPU has beside its ring. */
function checkShader(
  { piece, n, bits }: Pick<ShaderSchedule, 'piece' | 'n' | 'bits'>,
  given: Readonly<Record<string, unknown>>,
  fail: (name: string, expected: string) => never,
): Omit<ShaderSchedule, 'version' | 'n' | 'bits' | 'prime'> {
  const one = <T>(name: string, list: readonly T[]): T =>
    list.find((known) => known === given[name]) ?? fail(name, list.join(' or '));
  const [group, each] = [one('group', GROUPS), one('each', EACH)];
  const words = one('words', [1, 2] as const);
  const product = one('product', ['shoup', 'montgomery'] as const);
  for (const name of ['lazy', 'staged']) if (typeof given[name] !== 'boolean') fail(name, 'true or false');
  const [lazy, staged] = [given['lazy'] as boolean, given['staged'] as boolean];
  const most = mostBits(words, lazy);
  if (bits > most) fail('bits', `at most ${most} on ${words} word${words === 1 ? '' : 's'}`);
  const passes = given['passes'] as readonly (readonly number[])[];
  const layers = (steps: readonly number[]): number => steps.reduce((sum, step) => sum + step, 0);
  const isStep = (step: unknown): boolean =>
    Number.isInteger(step) && (step as number) >= 1 && 2 ** (step as number) <= each;
  const [held, tile] = [Math.log2(each), Math.log2(tileOf({ n, group, each }))];
  const fits =
    Array.isArray(passes) &&
    passes.every((steps) => Array.isArray(steps) && steps.length > 0 && steps.every(isStep)) &&
    passes.every((steps) => layers(steps) <= tile) &&
    layers(passes.map(layers)) === Math.log2(n);
  if (!fits)
    fail(
      'passes',
      `lists of numbers from 1 to ${held}, at most ${tile} together, that are ${Math.log2(n)} in all`,
    );
  const copied = passes.map((steps) => [...steps]);
  return { piece, passes: copied, group, each, words, product, lazy, staged };
}

/** Whether there are kernels for changes of base of that shape. */
export function isChange(change: unknown): change is Change {
  if (!Array.isArray(change) || change.length !== 4) return false;
  const [sources, targets, ...flags] = change as unknown as Change;
  const within = (count: number, most: number): boolean =>
    Number.isSafeInteger(count) && count >= 1 && count <= most;
  const all = within(sources, MOST_CHANGE.sources) && within(targets, MOST_CHANGE.targets);
  return all && flags.every((flag) => flag === 0 || flag === 1);
}

/** Whether there are kernels for sums of that shape. */
export function isTerms(terms: unknown): terms is Terms {
  if (!Array.isArray(terms) || terms.length !== 3) return false;
  if (!terms.every((count) => Number.isSafeInteger(count) && (count as number) >= 0)) return false;
  const [open, residues, outputs] = terms as unknown as Terms;
  const count = open + residues;
  return count >= 1 && count <= MOST_TERMS.terms && outputs >= 1 && outputs <= MOST_TERMS.outputs;
}

/**
 * A short name: `forward-8192-50:2,3,4,4 add held u2 c3 t1`, `sum-8192-50:4+0x2 nearest held u2 together`, `change-8192-50:2to3 scaled nearest held u2`,
 * `gpu-forward-8192-50:2,4,3/4 shoup lazy staged w2 g256 e16`.
 */
export function scheduleName(schedule: Schedule): string {
  const { piece, n, bits, prime } = schedule;
  const of = prime === undefined ? String(bits) : `q${prime}`;
  if (isShader(schedule)) {
    const { passes, product, lazy, staged, words, group, each } = schedule;
    const flags = `${product}${lazy ? ' lazy' : ''}${staged ? ' staged' : ''}`;
    const shape = passes.map((steps) => steps.join()).join('/');
    return `${piece.replace('.', '-')}-${n}-${of}:${shape} ${flags} w${words} g${group} e${each}`;
  }
  const { rounding, held, unroll } = schedule;
  const [shape, rest] = shapeText(schedule);
  return `${piece.slice(piece.indexOf('.') + 1)}-${n}-${of}:${shape} ${rounding}${held ? ' held' : ''} u${unroll}${rest}`;
}

function shapeText(schedule: WasmSchedule): [shape: string, rest: string] {
  switch (schedule.piece) {
    case 'ring.sum': {
      const [open, residues, outputs] = schedule.terms;
      return [`${open}+${residues}x${outputs}`, schedule.together ? ' together' : ''];
    }
    case 'rns.change': {
      const [sources, targets, scaled, own] = schedule.change;
      return [`${sources}to${targets}${scaled === 1 ? ' scaled' : ''}${own === 1 ? ' own' : ''}`, ''];
    }
    default:
      return [schedule.passes.join(), ` c${schedule.computed} t${schedule.tile}`];
  }
}

/** Of what shape the kernel is, beside its ring: of sums the terms, of changes of base these. */
export function shapeOf(schedule: Schedule): readonly number[] {
  switch (schedule.piece) {
    case 'ring.sum':
      return schedule.terms;
    case 'rns.change':
      return schedule.change;
    default:
      return [];
  }
}

/** A schedule as a record has it. */
export function scheduleJson(schedule: Schedule): Json {
  return { ...schedule } as unknown as Json;
}
