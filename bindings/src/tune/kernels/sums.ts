/**
 * From the schedule of sums of products to its code: `out_k = sum over i of x_i y_ik` modulo a prime, index by index, the inner product of key switching between its transforms.
 * Deterministic.
 *
 * `a` is a table of addresses: of each `x`, those that a transform left open first, then of the `y` of each term, output by output; the outputs follow each other in `out`.
 * Every address is one of these plus a counter that ends at a constant: what is touched is the table, `n` words of each, those of all outputs, and the prime and its inverse,
 * whatever the data.
 */
import { Accumulator, type Sum } from './accumulator.js';
import { type SumPlan, sumPlanOf } from './bounds.js';
import { Emitter, INTEGERS, type Made, PARAMETERS, VECTOR, WORD } from './emitter.js';
import { Limbs } from './limbs.js';
import type { SumSchedule } from './schedule.js';
import { type Body, ModuleWriter } from './wasm-writer.js';

/** The code of a schedule that was checked. */
export function makeSum(schedule: SumSchedule): Made {
  const plan = sumPlanOf(schedule);
  const module = new ModuleWriter();
  for (const end of ['closed', 'open'] as const)
    module.add(PARAMETERS, (body) => writeSum(body, schedule, plan, end), end);
  return { bytes: module.bytes(), layout: Uint32Array.of(0, 1) };
}

function writeSum(body: Body, schedule: SumSchedule, plan: SumPlan, end: 'closed' | 'open'): void {
  const e = new Emitter(body, schedule, 0);
  const { n, unroll, together } = schedule;
  const [open, residues, outputs] = schedule.terms;
  const terms = open + residues;
  const [integers, bias, y] = [e.vector(), e.vector(), e.vector()];
  body.f64x2(INTEGERS).set(integers);
  if (end === 'closed' && plan.floor) e.setBias(bias);
  const accumulator = new Accumulator(e, plan, integers);
  const limbs = new Limbs(e, terms * (1 + outputs), schedule.held);

  const all = Array.from({ length: outputs }, (_, output) => output);
  const groups = together ? [all] : all.map((output) => [output]);
  const x = Array.from({ length: unroll }, () => e.vector());
  // By vector, for each output of a group.
  const sums = x.map(() => Array.from({ length: together ? outputs : 1 }, () => accumulator.sum()));
  const step = (group: readonly number[]): void => {
    for (let term = 0; term < terms; term++) {
      accumulator.room(sums.flat(), term);
      for (const [vector, value] of x.entries()) {
        limbs.load(term, vector);
        if (term >= open) e.fromWords(integers);
        body.set(value);
      }
      for (const [place, output] of group.entries())
        for (const [vector, value] of x.entries()) {
          limbs.load(terms + term * outputs + output, vector);
          e.fromWords(integers);
          body.set(y);
          accumulator.add(at(sums, vector, place), value, y, term);
        }
    }
    for (const [place, output] of group.entries())
      for (const vector of x.keys()) {
        const sum = at(sums, vector, place);
        accumulator.end(sum, end, bias);
        limbs.store(sum.low, output * n * WORD + vector * VECTOR);
      }
  };
  limbs.each(n * WORD, unroll * VECTOR, () => groups.forEach(step));
}

function at(sums: readonly (readonly Sum[])[], vector: number, place: number): Sum {
  return sums[vector]?.[place] as Sum;
}
