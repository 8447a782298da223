/** The schedules of sums of products that a search may choose among. */
import { sumPlanOf, sumRoundings } from './bounds.js';
import { one, UNROLLS } from './draw.js';
import { isRing, isTerms, type Rounding, type SumSchedule as Schedule, type Terms } from './schedule.js';
import type { Random, Space } from './space.js';

/** The schedules for a ring, primes of so many bits, and a shape of sums. */
export class SumSpace implements Space {
  readonly piece = 'ring.sum';
  readonly terms: Terms;
  readonly n: number;
  readonly bits: number;
  /** Rounding by adding, too, where it takes no more reductions. */
  readonly roundings: readonly Rounding[];

  /** Undefined where no kernel can be made. */
  static of(terms: unknown, n: number, bits: number): SumSpace | undefined {
    return isRing(n, bits) && isTerms(terms) ? new SumSpace(terms, n, bits) : undefined;
  }

  private constructor(terms: Terms, n: number, bits: number) {
    this.terms = terms;
    this.n = n;
    this.bits = bits;
    this.roundings = sumRoundings((rounding) => sumPlanOf({ bits, rounding, terms }).most);
  }

  /** One with these choices. */
  schedule(choices: Partial<Schedule> = {}): Schedule {
    const { rounding = 'nearest', held = true, unroll = 2, together = true } = choices;
    const { n, bits, piece, terms } = this;
    return { version: 3, piece, n, bits, rounding, held, unroll, terms, together };
  }

  random(random: Random): Schedule {
    return this.schedule({
      rounding: one(this.roundings, random),
      held: random() < 0.5,
      unroll: one(UNROLLS, random),
      together: random() < 0.5,
    });
  }

  mutated(schedule: Schedule, random: Random): Schedule {
    const { rounding, unroll } = this.random(random);
    const changes: Partial<Schedule>[] = [
      { rounding },
      { unroll },
      { held: !schedule.held },
      { together: !schedule.together },
    ];
    return this.schedule({ ...schedule, ...one(changes, random) });
  }

  /** Every choice. */
  *points(): Generator<Schedule, undefined> {
    for (const together of [true, false])
      for (const held of [true, false])
        for (const rounding of this.roundings)
          for (const unroll of UNROLLS) yield this.schedule({ rounding, held, unroll, together });
    return undefined;
  }
}
