/** The schedules of changes of base that a search may choose among. */
import { changePlanOf, sumRoundings } from './bounds.js';
import { one, UNROLLS } from './draw.js';
import { type Change, type ChangeSchedule as Schedule, isChange, isRing, type Rounding } from './schedule.js';
import type { Random, Space } from './space.js';

/** The schedules for a ring, primes of so many bits, and a shape of changes of base. */
export class ChangeSpace implements Space {
  readonly piece = 'rns.change';
  readonly change: Change;
  readonly n: number;
  readonly bits: number;
  /** Rounding by adding, too, where it takes no more reductions. */
  readonly roundings: readonly Rounding[];

  /** Undefined where no kernel can be made. */
  static of(change: unknown, n: number, bits: number): ChangeSpace | undefined {
    return isRing(n, bits) && isChange(change) ? new ChangeSpace(change, n, bits) : undefined;
  }

  private constructor(change: Change, n: number, bits: number) {
    this.change = change;
    this.n = n;
    this.bits = bits;
    this.roundings = sumRoundings((rounding) => changePlanOf({ bits, rounding, change }).most);
  }

  /** One with these choices. */
  schedule(choices: Pick<Partial<Schedule>, 'rounding' | 'held' | 'unroll'> = {}): Schedule {
    const { rounding = 'nearest', held = true, unroll = 2 } = choices;
    const { n, bits, piece, change } = this;
    return { version: 3, piece, n, bits, rounding, held, unroll, change };
  }

  random(random: Random): Schedule {
    return this.schedule({
      rounding: one(this.roundings, random),
      held: random() < 0.5,
      unroll: one(UNROLLS, random),
    });
  }

  mutated(schedule: Schedule, random: Random): Schedule {
    const { rounding, unroll } = this.random(random);
    return this.schedule({
      ...schedule,
      ...one([{ rounding }, { unroll }, { held: !schedule.held }], random),
    });
  }

  /** Every choice. */
  *points(): Generator<Schedule, undefined> {
    for (const held of [true, false])
      for (const rounding of this.roundings)
        for (const unroll of UNROLLS) yield this.schedule({ rounding, held, unroll });
    return undefined;
  }
}
