/** The schedules of transforms that a search may choose among. */
import { one, UNROLLS } from './draw.js';
import { isRing, MOST_LAYERS, type TransformSchedule as Schedule } from './schedule.js';
import type { Random, Space } from './space.js';

/** The schedules of a piece for a ring and primes of so many bits. */
export class TransformSpace implements Space {
  readonly piece: Schedule['piece'];
  readonly n: number;
  readonly bits: number;
  /** All ways to cut the layers into passes, without those of more passes than need be by two. */
  readonly cuts: readonly (readonly number[])[];

  /** Undefined where no kernel can be made. */
  static of(piece: Schedule['piece'], n: number, bits: number): TransformSpace | undefined {
    return isRing(n, bits) ? new TransformSpace(piece, n, bits) : undefined;
  }

  private constructor(piece: Schedule['piece'], n: number, bits: number) {
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
      version: 3,
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
      unroll: one(UNROLLS, random),
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

  /** All ways to cut layers into passes with the usual choices, then all other choices for each. */
  *points(): Generator<Schedule, undefined> {
    // Cuts into passes that are alike come first: they are rarely bad.
    const spread = (cut: readonly number[]): number => Math.max(...cut) - Math.min(...cut);
    const cuts = [...this.cuts].sort(
      (one, other) => spread(one) - spread(other) || one.length - other.length,
    );
    for (const unroll of [1, 2])
      for (const held of [true, false])
        for (const rounding of ['add', 'nearest'] as const)
          for (const passes of cuts)
            for (const computed of [passes.length, 0])
              yield this.schedule(passes, { rounding, computed, held, unroll });
    return undefined;
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
