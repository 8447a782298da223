/** The schedules that a search may choose among for one piece, and how one is changed a little. */
import { LEAST, LARGEST, BITS, MOST_LAYERS, type Piece, type Schedule } from './schedule.js';

/** A number in [0, 1), as `Math.random` gives them. */
export type Random = () => number;

/** The same numbers for the same seed (T. Ettinger, mulberry32). For searches, not for secrets. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The schedules of a piece for a ring and primes of so many bits. */
export class Space {
  readonly piece: Piece;
  readonly n: number;
  readonly bits: number;
  /** All ways to cut the layers into passes, without those of more passes than need be by two. */
  readonly cuts: readonly (readonly number[])[];

  /** Undefined where no kernel can be made. */
  static of(piece: Piece, n: number, bits: number): Space | undefined {
    const fits = Number.isInteger(Math.log2(n)) && n >= LEAST && n <= LARGEST;
    return fits && bits >= BITS.least && bits <= BITS.most ? new Space(piece, n, bits) : undefined;
  }

  private constructor(piece: Piece, n: number, bits: number) {
    this.piece = piece;
    this.n = n;
    this.bits = bits;
    const layers = Math.log2(n);
    const all = cutsOf(layers).filter((cut) => cut.length >= 2);
    const least = Math.min(...all.map((cut) => cut.length));
    this.cuts = all.filter((cut) => cut.length <= Math.max(least + 2, Math.ceil(layers / 2)));
  }

  /** One with these choices, as far as they fit its passes. */
  schedule(passes: readonly number[], choices: Partial<Schedule> = {}): Schedule {
    const { rounding = 'add', computed = passes.length, held = true, unroll = 1, tile = 0 } = choices;
    return {
      version: 2,
      piece: this.piece,
      n: this.n,
      bits: this.bits,
      passes,
      rounding,
      computed: Math.min(computed, passes.length),
      held,
      unroll,
      tile: Math.min(tile, passes.length - 2),
    };
  }

  random(random: Random): Schedule {
    const passes = one(this.cuts, random);
    return this.schedule(passes, {
      rounding: one(['add', 'nearest'] as const, random),
      computed: Math.floor(random() * (passes.length + 1)),
      held: random() < 0.5,
      unroll: one([1, 2, 4], random),
      tile: Math.floor(random() * (passes.length - 1)),
    });
  }

  /** One choice changed. */
  mutated(schedule: Schedule, random: Random): Schedule {
    const other = this.random(random);
    const { passes } = schedule;
    const changes: (() => Schedule)[] = [
      () => this.schedule(other.passes, schedule),
      () => this.schedule(this.#moved(passes, random), schedule),
      () => this.schedule(passes, { ...schedule, rounding: other.rounding }),
      () => this.schedule(passes, { ...schedule, computed: Math.floor(random() * (passes.length + 1)) }),
      () => this.schedule(passes, { ...schedule, held: !schedule.held }),
      () => this.schedule(passes, { ...schedule, unroll: other.unroll }),
      () => this.schedule(passes, { ...schedule, tile: Math.floor(random() * (passes.length - 1)) }),
    ];
    return one(changes, random)();
  }

  /** A layer goes from one pass to another. */
  #moved(passes: readonly number[], random: Random): readonly number[] {
    const from = Math.floor(random() * passes.length);
    const to = Math.floor(random() * passes.length);
    const moved = passes.map((layers, at) => layers + (at === to ? 1 : 0) - (at === from ? 1 : 0));
    return moved.every((layers) => layers >= 1 && layers <= MOST_LAYERS) ? moved : passes;
  }
}

function cutsOf(layers: number): number[][] {
  if (layers === 0) return [[]];
  return Array.from({ length: Math.min(layers, MOST_LAYERS) }, (_, at) => at + 1).flatMap((first) =>
    cutsOf(layers - first).map((rest) => [first, ...rest]),
  );
}

function one<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}
