/**
 * Where a transform has to reduce its values, and where it need not: lazy reduction (D. Harvey, "Faster arithmetic for number-theoretic transforms", 2014) with a bound
 * for each value of a pass, so that only those that would grow too large are reduced.
 *
 * Values are signed integers in doubles, exact below 2^53. A product of `a`, at most `x` in size, with a centered factor is at most `q (1/2 + k x 2^-54)`: its
 * quotient, at most `x/2`, is rounded `k` times before it becomes an integer. For the product to be exact `x` is at most 2^52 (`engine/src/platform/simd/fused.rs`).
 * All bounds leave out a factor of `1 + 2^-20`, which `MARGIN` takes in.
 *
 * Sums of products are kept in two parts, `high` and `low` ({@link sumPlanOf}). With `t` terms of `b` bits `high` starts at `C = 1.5 * 2^e`, `e = 2 b + ceil(log2 t) + 1`.
 * Factors are below `q <= 2^b` in size, so all products together are below `t q^2 <= 2^(e - 1)`, and `high` stays between `2^e` and `2^(e + 1)`, where doubles are
 * multiples of `2^(e - 52)`. Adding a product there rounds once; what `high` gained is exact, being a difference of two such multiples below `2^53` of them, and the product less
 * that is at most `2^(e - 53)` in size and an integer, hence exact in one fused operation, and is added to `low`. In the end `H = high - C` is at most `t q^2`, `H / q` as computed is off
 * by at most `t q 2^-52` (one rounding of `1/q`, one of the product; fused with rounding by adding one fewer), and rounded to an integer `k`, so that `H - k q`, at most
 * `q (1/2 + t q 2^-52)`, is exact. All of it, `H - k q + low`, with `low` at most `t 2^(e - 53)` and what a sum before left, `9/16 q` at most, has to be below 2^53. Rounding by adding 1.5 * 2^52
 * takes `H / q` up to 2^51. Where the second factors are centered ones of the prime `q` at hand, and the first ones below `2^b` whatever prime they are of, products are below `2^b q / 2`, and
 * `H / q` is at most `t 2^(b - 1)`: so `e` is one less, and the quotient is off by half as much.
 */
import { wrong } from '../wrong.js';
import {
  type ChangeSchedule,
  MOST_LAYERS,
  type Rounding,
  type SumSchedule,
  type TransformSchedule as Schedule,
} from './schedule.js';

/** What a factor may multiply. */
const LIMIT = 2 ** 52;
/** What is exact. */
const EXACT = 2 ** 53;
/** What a forward transform starts from at least: centered residues of any prime below 2^50, whatever its own. Residues of its own are taken as they are, up to the prime. */
const INPUT = 2 ** 49;
const MARGIN = 1 - 2 ** -16;
/** What reducing leaves, by the prime: a half, and what the quotient is off by. */
const REDUCED = 0.501;
/** What reducing costs, in instructions of arithmetic, beside those that end in residues by `floor` and by `nearest`. */
const COST = { reduce: 3, floor: 5, nearest: 8 } as const;

/** What is reduced in a pass. */
export interface PassPlan {
  /** Values that are reduced before the layers: of a forward pass the first so many of each block's parts. */
  readonly first: number;
  /** Before the butterfly of a layer: pairs of layer and value, `layer * 16 + value`. */
  readonly within: readonly number[];
  /** Values that are reduced after the layers. */
  readonly after: readonly number[];
}

/** What is reduced in a transform. */
export interface Plan {
  readonly passes: readonly PassPlan[];
  /** Whether residues are found by `floor`: the quotient is exact then. */
  readonly floor: boolean;
}

/** How often the quotient of a product is rounded, in a pass. */
export function roundings({ rounding, computed }: Schedule, pass: number): number {
  return (pass >= computed ? 3 : 2) - (rounding === 'add' ? 1 : 0);
}

/** The cheapest plan. */
export function planOf(schedule: Schedule): Plan {
  return schedule.piece === 'ring.forward' ? forward(schedule) : inverse(schedule);
}

function productBound(schedule: Schedule, pass: number, bound: number): number {
  return 2 ** schedule.bits * (0.5 + roundings(schedule, pass) * bound * 2 ** -54);
}

/** Whether `floor((a + 1/2) / q)` is right for what is at most so large: the rounding of a quotient is less than half of `1/q`. */
function floors(schedule: Schedule, bound: number): boolean {
  return 2 * (bound / 2 ** schedule.bits) * 2 ** -53 < MARGIN * 2 ** -(schedule.bits + 1);
}

interface Step {
  readonly cost: number;
  readonly plans: readonly PassPlan[];
  readonly floor: boolean;
}

function forward(schedule: Schedule): Plan {
  const { passes, bits } = schedule;
  const q = 2 ** bits;
  const known = new Map<string, Step | undefined>();
  const from = (pass: number, bound: number): Step | undefined => {
    if (pass === passes.length) {
      if (bound > EXACT * MARGIN) return undefined;
      const floor = floors(schedule, bound);
      return { cost: floor ? COST.floor : COST.nearest, plans: [], floor };
    }
    const key = `${pass} ${bound}`;
    if (known.has(key)) return known.get(key);
    const values = 2 ** (passes[pass] as number);
    let best: Step | undefined;
    // Of those whose first product comes late; more would be reduced by it anyway.
    for (const first of [0, 1, 2, 4, 8].filter((count) => count <= values / 2)) {
      const { within, most } = grown(schedule, pass, bound, first, q);
      const rest = from(pass + 1, most);
      if (rest === undefined) continue;
      const cost = rest.cost + (COST.reduce * (first + within.length)) / values;
      if (best === undefined || cost < best.cost)
        best = { cost, plans: [{ first, within, after: [] }, ...rest.plans], floor: rest.floor };
    }
    known.set(key, best);
    return best;
  };
  const found = from(0, Math.max(INPUT, q));
  if (found === undefined) throw new Error('every value can be reduced in every pass');
  return { passes: found.plans, floor: found.floor };
}

/** The largest value after a forward pass, and which had to be reduced on the way. */
function grown(
  schedule: Schedule,
  pass: number,
  bound: number,
  first: number,
  q: number,
): { within: number[]; most: number } {
  const layers = schedule.passes[pass] as number;
  const values = Array.from({ length: 2 ** layers }, (_, at) => (at < first ? REDUCED * q : bound));
  const within: number[] = [];
  for (let layer = 0; layer < layers; layer++)
    for (const [a, b] of pairs(layers, layer)) {
      for (const one of [a, b])
        if ((values[one] as number) > LIMIT * MARGIN) {
          values[one] = REDUCED * q;
          within.push(layer * 2 ** MOST_LAYERS + one);
        }
      values[a] = values[b] = (values[a] as number) + productBound(schedule, pass, values[b] as number);
    }
  return { within, most: Math.max(...values) };
}

/** Which values meet in a layer of a pass. */
export function pairs(layers: number, layer: number): [a: number, b: number, factor: number][] {
  const half = 2 ** (layers - layer - 1);
  return Array.from({ length: 2 ** layer }, (_, block) =>
    Array.from({ length: half }, (_, at): [number, number, number] => {
      const a = 2 * half * block + at;
      return [a, a + half, 2 ** layer - 1 + block];
    }),
  ).flat();
}

function inverse(schedule: Schedule): Plan {
  const { passes, bits } = schedule;
  const q = 2 ** bits;
  const known = new Map<string, Step | undefined>();
  const from = (pass: number, bound: number): Step | undefined => {
    if (pass < 0) return { cost: 0, plans: [], floor: false };
    const key = `${pass} ${bound}`;
    if (known.has(key)) return known.get(key);
    const { within, values } = summed(schedule, pass, bound, q);
    let best: Step | undefined;
    // All above one of the bounds are reduced; none, too.
    const thresholds = pass === 0 ? [Infinity] : [...new Set([...values, REDUCED * q])];
    for (const most of thresholds) {
      const after = values.flatMap((value, at) => (value > most ? [at] : []));
      const left = Math.max(...values.map((value) => (value > most ? REDUCED * q : value)));
      const rest = from(pass - 1, left);
      if (rest === undefined) continue;
      const cost = rest.cost + (COST.reduce * (within.length + after.length)) / values.length;
      if (best === undefined || cost < best.cost)
        best = { cost, plans: [...rest.plans, { first: 0, within, after }], floor: false };
    }
    known.set(key, best);
    return best;
  };
  const found = from(passes.length - 1, q);
  if (found === undefined) throw new Error('every value can be reduced in every pass');
  return { passes: found.plans, floor: false };
}

/** The values after a backward pass, and which of them had to be reduced on the way. */
function summed(
  schedule: Schedule,
  pass: number,
  bound: number,
  q: number,
): { within: number[]; values: number[] } {
  const layers = schedule.passes[pass] as number;
  const values = Array.from({ length: 2 ** layers }, () => bound);
  const within: number[] = [];
  for (let layer = layers - 1; layer >= 0; layer--) {
    // The last products are to end below the prime, so that one addition makes them residues.
    const last = pass === 0 && layer === 0;
    const most = last ? Math.min(LIMIT, (0.49 * 2 ** 54) / roundings(schedule, pass)) : LIMIT;
    for (const [a, b] of pairs(layers, layer)) {
      const larger = (values[a] as number) >= (values[b] as number) ? [a, b] : [b, a];
      for (const one of larger) {
        if ((values[a] as number) + (values[b] as number) <= most * MARGIN) break;
        values[one] = REDUCED * q;
        within.push(layer * 2 ** MOST_LAYERS + one);
      }
      const sum = (values[a] as number) + (values[b] as number);
      values[a] = last ? productBound(schedule, pass, sum) : sum;
      values[b] = productBound(schedule, pass, sum);
    }
  }
  return { within, values };
}

/** How sums of products are kept. */
export interface SumPlan {
  /** Most terms before a sum is reduced. */
  readonly most: number;
  /** `high` starts at 1.5 by this power of two. */
  readonly exponent: number;
  /** Whether residues are found by `floor`. */
  readonly floor: boolean;
}

/** What a sum that was reduced starts from, by the prime: as `open` values. */
const LEFT = 9 / 16;
/** What rounds by adding takes. */
const ADDS = 2 ** 51;

/** The plan of sums of products with the fewest reductions: factors are at most `2^bits` in size. */
export function sumPlanOf({
  bits,
  rounding,
  terms,
}: Pick<SumSchedule, 'bits' | 'rounding' | 'terms'>): SumPlan {
  return planOfSums(bits, rounding, terms[0] + terms[1], 2 ** bits);
}

/** That of a change of base: the second factors are known ones, centered, so half as large. */
export function changePlanOf({
  bits,
  rounding,
  change: [sources, , , own],
}: Pick<ChangeSchedule, 'bits' | 'rounding' | 'change'>): SumPlan {
  return planOfSums(bits, rounding, sources + 1 + own, 2 ** (bits - 1));
}

/** `count` terms, whose second factors are at most `known` in size. */
function planOfSums(bits: number, rounding: Rounding, count: number, known: number): SumPlan {
  if (!(Number.isInteger(count) && count > 0))
    throw wrong('tune.record', 'schedule, number of products', String(count), 'at least 1');
  const q = 2 ** bits;
  for (let most = count; ; most--) {
    const exponent = bits + Math.log2(known) + Math.ceil(Math.log2(most)) + 1;
    const total = q * (0.5 + most * known * 2 ** -52 + LEFT) + most * 2 ** (exponent - 53);
    const quotient = rounding === 'nearest' || most * known <= ADDS * MARGIN;
    if (total <= EXACT * MARGIN && quotient)
      return { most, exponent, floor: 2 * (total / q) * 2 ** -53 < MARGIN * 2 ** -(bits + 1) };
    if (most === 1) throw wrong('tune.record', 'schedule, bits', String(bits), 'fewer: not one product fits');
  }
}

/** How products that are summed may be rounded: by adding, too, where as many terms fit before a sum is reduced. */
export function sumRoundings(most: (rounding: Rounding) => number): readonly Rounding[] {
  return most('add') === most('nearest') ? ['add', 'nearest'] : ['nearest'];
}
