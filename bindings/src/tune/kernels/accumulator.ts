/**
 * Sums of products modulo a prime, in two parts: products are exact, their sums are `high` and `low`, and the quotient is taken once for many terms. `bounds.ts` has the proof
 * ({@link SumPlan}).
 */
import type { SumPlan } from './bounds.js';
import type { Emitter } from './emitter.js';
import type { Local } from './wasm-writer.js';

/** One sum. */
export interface Sum {
  readonly high: Local;
  readonly low: Local;
}

/** What writes such sums. */
export class Accumulator {
  readonly #e: Emitter;
  readonly #plan: SumPlan;
  readonly #integers: Local;
  readonly #start: Local;
  readonly #next: Local;

  /** `integers`: 2^52. */
  constructor(e: Emitter, plan: SumPlan, integers: Local) {
    this.#e = e;
    this.#plan = plan;
    this.#integers = integers;
    [this.#start, this.#next] = [e.vector(), e.vector()];
    e.body.f64x2(1.5 * 2 ** plan.exponent).set(this.#start);
  }

  sum(): Sum {
    return { high: this.#e.vector(), low: this.#e.vector() };
  }

  /** Makes room for term number `term`, where there is none left: what there is of the sums is reduced. */
  room(sums: readonly Sum[], term: number): void {
    if (term === 0 || term % this.#plan.most > 0) return;
    for (const sum of sums) {
      this.#total(sum);
      this.#e.reduce(sum.low);
    }
  }

  /** Adds the product of two values, which is term number `term` from 0 on. */
  add({ high, low }: Sum, x: Local, y: Local, term: number): void {
    const { body } = this.#e;
    const [start, next] = [this.#start, this.#next];
    const before = term % this.#plan.most === 0 ? start : high;
    body.get(x).get(y).get(before).do('f64x2.relaxed_madd').set(next);
    body.get(x).get(y).get(before).get(next).do('f64x2.sub').do('f64x2.relaxed_madd');
    if (term > 0) body.get(low).do('f64x2.add');
    body.set(low).get(next).set(high);
  }

  /** Ends a sum: as residues, words in `low`, by `bias` of the prime ({@link Emitter.setBias}) where the plan is to use `floor`; `open`, as doubles that are reduced. */
  end(sum: Sum, how: 'closed' | 'open', bias: Local): void {
    const e = this.#e;
    this.#total(sum);
    if (how === 'closed' && this.#plan.floor) {
      e.floored(sum.low, this.#integers, bias);
      return;
    }
    e.reduce(sum.low);
    if (how === 'closed') e.lifted(sum.low, this.#integers);
  }

  /** `low` becomes all that a sum is, modulo the prime. */
  #total({ high, low }: Sum): void {
    const e = this.#e;
    e.body.get(high).get(this.#start).do('f64x2.sub').tee(high).get(e.inverse);
    e.roundedProduct();
    e.body.get(e.q).get(high).do('f64x2.relaxed_nmadd').get(low).do('f64x2.add').set(low);
  }
}
