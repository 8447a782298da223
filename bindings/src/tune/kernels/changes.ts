/**
 * From the schedule of a change of the RNS base to its code (S. Halevi, Y. Polyakov, V. Shoup, ia.cr/2018/117; `engine/src/math/base_change.rs`): of sources `x_i` modulo `a_i`
 * `y_i = x_i c_i mod a_i`, `v = round(sum of y_i / a_i)`, and for each target `b_j` the sum of `y_i c_ij`, of `v w_j` and, where it has a limb of its own, of `x_j s_j`, modulo `b_j`.
 * Deterministic. The quotient `v` is rounded as the reference rounds it: products and sums in order, none fused.
 *
 * `a` is a table of addresses: of the sources, then of the targets' own limbs; the targets follow each other in `out`. The doubles are those of
 * `engine/src/platform/simd/base_change.rs`. Every address is one of these plus a counter that ends at a constant.
 */
import { Accumulator } from './accumulator.js';
import { changePlanOf } from './bounds.js';
import { Emitter, INTEGERS, type Made, PARAMETERS, VECTOR, WORD } from './emitter.js';
import { Limbs } from './limbs.js';
import type { ChangeSchedule } from './schedule.js';
import { type Body, ModuleWriter } from './wasm-writer.js';

/** Doubles of a source: the prime, one by it, its factor, that by the prime, one by the prime as the quotient is summed by. */
const SOURCE = 5;

/** The code of a schedule that was checked. */
export function makeChange(schedule: ChangeSchedule): Made {
  const module = new ModuleWriter();
  const closed = module.add(PARAMETERS, (body) => writeChange(body, schedule), 'closed');
  // There is nothing that could be left open.
  module.add(
    PARAMETERS,
    (body) => {
      for (let at = 0; at < PARAMETERS; at++) body.get(body.parameter(at));
      body.call(closed);
    },
    'open',
  );
  const [sources, targets, , own] = schedule.change;
  const doubles = SOURCE * sources + targets * (3 + sources + own);
  return { bytes: module.bytes(), layout: Uint32Array.from({ length: doubles }, (_, at) => at) };
}

function writeChange(body: Body, schedule: ChangeSchedule): void {
  const e = new Emitter(body, schedule, 0);
  const { n, unroll } = schedule;
  const [sources, targets, scaled, own] = schedule.change;
  const plan = changePlanOf(schedule);
  const [integers, bias, c, x] = [e.vector(), e.vector(), e.vector(), e.vector()];
  body.f64x2(INTEGERS).set(integers);
  const accumulator = new Accumulator(e, plan, integers);
  const limbs = new Limbs(e, sources + (own === 1 ? targets : 0), schedule.held);
  const constant = (number: number) => (): void => void body.get(e.factors).loadSplat(number * WORD);
  const prime = (number: number): void => {
    constant(number)();
    body.set(e.q);
    constant(number + 1)();
    body.set(e.inverse);
  };

  const vectors = Array.from({ length: unroll }, (_, vector) => vector);
  const y = Array.from({ length: sources }, () => vectors.map(() => e.vector()));
  const v = vectors.map(() => e.vector());
  const sums = vectors.map(() => accumulator.sum());
  const source = (index: number): void => {
    const first = index * SOURCE;
    if (scaled === 1) prime(first);
    for (const [vector, quotient] of v.entries()) {
      const value = y[index]?.[vector] as typeof c;
      limbs.load(index, vector);
      e.fromWords(integers);
      body.set(value);
      if (scaled === 1) {
        e.product(value, constant(first + 2), constant(first + 3));
        body.set(value);
        body.get(value).get(value).f64x2(0).do('f64x2.lt').get(e.q).do('v128.and').do('f64x2.add').set(value);
      }
      body.get(value);
      constant(first + 4)();
      body.do('f64x2.mul');
      if (index > 0) body.get(quotient).do('f64x2.add');
      body.set(quotient);
    }
  };
  const target = (index: number): void => {
    const first = SOURCE * sources + index * (3 + sources + own);
    prime(first);
    if (plan.floor) e.setBias(bias);
    for (let term = 0; term <= sources + own; term++) {
      accumulator.room(sums, term);
      constant(first + 2 + term)();
      body.set(c);
      for (const [vector, sum] of sums.entries()) {
        const known = term < sources ? y[term]?.[vector] : v[vector];
        if (term > sources) {
          limbs.load(sources + index, vector);
          e.fromWords(integers);
          body.set(x);
        }
        accumulator.add(sum, term > sources ? x : (known as typeof c), c, term);
      }
    }
    for (const [vector, sum] of sums.entries()) {
      accumulator.end(sum, 'closed', bias);
      limbs.store(sum.low, index * n * WORD + vector * VECTOR);
    }
  };
  limbs.each(n * WORD, unroll * VECTOR, () => {
    for (let index = 0; index < sources; index++) source(index);
    for (const quotient of v) body.get(quotient).f64x2(0.5).do('f64x2.add').do('f64x2.floor').set(quotient);
    for (let index = 0; index < targets; index++) target(index);
  });
}
