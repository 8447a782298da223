/** Runs a plan on numbers, core by core, step by step. */
import { checkArgument, describe } from '../arguments.js';
import { type Counts, countMoves, timeOf } from './cost.js';
import { inOrder, lettersOf, MOST_ELEMENTS, type Sizes } from './dimensions.js';
import { checkInstruction } from './instruction.js';
import { PARTS, PLAN } from './kinds.js';
import { hopsTo, partsOfPlace, type Place } from './machine.js';
import { numberKind } from './numbers.js';
import { layoutOperator } from './operators/index.js';
import type { Compute, Instruction, Plan } from './plan.js';
import { type Box, checkTensor, fit, join, type LayoutTensor, slice, zeros } from './tensor.js';
import { checkObject, checkWhole, wrong } from './wrong.js';

/** What a run of a plan gave. */
export interface Simulation {
  /** Every piece that a core computed, by name. */
  readonly values: ReadonlyMap<string, LayoutTensor>;
  /** What lies in each memory and cache in the end, by name. */
  readonly places: ReadonlyMap<Place, ReadonlyMap<string, LayoutTensor>>;
  /** In the order of the plan. */
  readonly results: readonly LayoutTensor[];
  readonly counts: Counts;
  /** Cycles, by the model of `timeOf`. */
  readonly time: number;
}

/**
 * Runs a plan; `parts` has the operands' parts by name (`i1`, `w2`). What is written in a step can be read from the next one on. Errors: LayoutError `layout.plan` for an instruction that reads what is not
 * there (yet), writes a second time to one name and place, or computes what there is not; `layout.data` for parts that are missing, or are no tensors; InputError `input.type` for no plan.
 */
export function simulate(plan: Plan, parts: ReadonlyMap<string, LayoutTensor>): Simulation {
  checkArgument('simulate, plan', plan, PLAN);
  checkArgument('simulate, parts', parts, PARTS);
  const places = new Map<Place, Map<string, LayoutTensor>>();
  const at = (place: Place): Map<string, LayoutTensor> => {
    const found = places.get(place) ?? new Map<string, LayoutTensor>();
    places.set(place, found);
    return found;
  };
  for (const { name, place } of plan.placed) {
    const part = parts.get(name);
    if (part === undefined)
      throw wrong('layout.data', 'simulate, parts', `no ${name}`, 'every part that the plan places');
    at(place).set(name, checkTensor(`simulate, part ${name}`, part));
  }
  const values = new Map<string, LayoutTensor>();
  const own = new Map<number, Map<string, LayoutTensor>>();
  const { round } = numberKind(plan.type);
  for (const [number, step] of plan.steps.entries()) {
    const written: (() => void)[] = [];
    const taken = new Set<string>();
    for (const { core, instructions } of step) {
      if (plan.machine.clusterOf[core] === undefined)
        throw wrong(
          'layout.plan',
          `step ${number + 1}`,
          `core ${core + 1}`,
          `one of ${plan.machine.clusterOf.length}`,
        );
      const memory = own.get(core) ?? new Map<string, LayoutTensor>();
      own.set(core, memory);
      for (const instruction of instructions) {
        const where = `step ${number + 1}, core ${core + 1}`;
        checkInstruction(where, instruction);
        const fetch = (name: string): LayoutTensor => {
          const found = memory.get(name);
          if (found === undefined)
            throw wrong(
              'layout.plan',
              where,
              `"${name}", which the core has not`,
              'what it read or computed before',
            );
          return found;
        };
        switch (instruction.kind) {
          case 'compute': {
            const result = compute(instruction, instruction.inputs.map(fetch), round, where);
            memory.set(instruction.output, result);
            values.set(instruction.output, result);
            break;
          }
          case 'exchange':
            memory.set(instruction.as, load(instruction, core, where));
            break;
          case 'access':
            if (instruction.action === 'read') memory.set(instruction.as, load(instruction, core, where));
            else {
              const { datum, to } = instruction;
              const value = fetch(datum);
              checkReach(core, to, where);
              if (places.get(to)?.has(datum) === true || taken.has(`${to} ${datum}`))
                throw wrong('layout.plan', where, `a second "${datum}" in ${to}`, 'one');
              taken.add(`${to} ${datum}`);
              written.push(() => at(to).set(datum, value));
            }
            break;
        }
      }
    }
    for (const write of written) write();
  }
  const results = plan.results.map(({ name, place }) => {
    const found = places.get(place)?.get(name);
    if (found === undefined)
      throw wrong('layout.plan', 'results', `no "${name}" in ${place}`, 'what a step wrote there');
    return found;
  });
  return { values, places, results, counts: countMoves(plan), time: timeOf(plan) };

  function load(
    { datum, from, box }: Extract<Instruction, { as: string }>,
    core: number,
    where: string,
  ): LayoutTensor {
    checkReach(core, from, where);
    const found = places.get(from)?.get(datum);
    if (found === undefined)
      throw wrong('layout.plan', where, `no "${datum}" in ${from}`, 'what was there before this step');
    return box === undefined ? found : slice(found, checkBox(where, found, box));
  }

  function checkReach(core: number, place: Place, where: string): void {
    const { kind, number } = partsOfPlace(place);
    const { machine } = plan;
    const there =
      kind === 'mem'
        ? number < machine.memories
        : kind === 'cluster' && machine.clusters[number]?.cache === true;
    const reached = there && (kind === 'mem' || machine.cacheLink || hopsTo(machine, core, place) === 0);
    if (!reached)
      throw wrong(
        'layout.plan',
        where,
        `place ${describe(place)}`,
        'a memory or a cache that the core reaches',
      );
  }
}

function compute(
  instruction: Compute,
  inputs: readonly LayoutTensor[],
  round: (x: number) => number,
  where: string,
): LayoutTensor {
  const { operation, dimension, box, sizes, attributes = {}, dims } = instruction;
  if (operation === 'zeros') {
    const letters = lettersOf('layout.plan', `${where}, zeros, dimensions`, dims);
    return zeros(dims, inOrder(dims, checkSizes(`${where}, zeros`, sizes, letters)));
  }
  const [first] = inputs;
  if (first === undefined)
    throw wrong('layout.plan', where, `${describe(operation)} of nothing`, 'at least one operand');
  if (operation === 'join') {
    const at = first.dims.indexOf(dimension ?? '?');
    const alike = (one: LayoutTensor): boolean =>
      one.dims === first.dims &&
      one.sizes.every((size, index) => index === at || size === first.sizes[index]);
    if (at < 0 || dimension === undefined || !inputs.every(alike))
      throw wrong(
        'layout.plan',
        `${where}, join along ${describe(dimension)}`,
        'parts that do not fit',
        `parts of ${first.dims}`,
      );
    return join(inputs, dimension);
  }
  if (operation === 'slice') return slice(first, checkBox(where, first, box));
  if (operation === 'fit') return fit(first, checkSizes(`${where}, fit`, sizes, [...first.dims]));
  const numbers = Object.entries(attributes).find(([, value]) => !Number.isFinite(value));
  if (numbers !== undefined)
    throw wrong('layout.plan', `${where}, attribute ${numbers[0]}`, describe(numbers[1]), 'a finite number');
  return layoutOperator(operation).compute(inputs, attributes, dims, round);
}

/** Sizes of some dimensions. Errors: LayoutError `layout.plan`. */
function checkSizes(where: string, sizes: Sizes | undefined, letters: readonly string[]): Sizes {
  for (const [letter, size] of Object.entries(checkObject('layout.plan', where, sizes, letters)))
    checkWhole('layout.plan', `${where}, size of ${letter}`, size, 1, MOST_ELEMENTS);
  return sizes as Sizes;
}

/** A box within a tensor. Errors: LayoutError `layout.plan`. */
function checkBox(where: string, { dims, sizes }: LayoutTensor, box: Box | undefined): Box {
  const ranges = checkObject('layout.plan', `${where}, box`, box, [...dims]);
  for (const [letter, range] of Object.entries(ranges)) {
    const size = sizes[dims.indexOf(letter)] ?? 0;
    const [from, to] = (Array.isArray(range) ? range : []) as unknown[];
    checkWhole('layout.plan', `${where}, box, start of ${letter}`, from, 0, size - 1);
    checkWhole('layout.plan', `${where}, box, end of ${letter}`, to, (from as number) + 1, size);
  }
  return box as Box;
}
