/** What each core does, step by step, as plain data [L5]. */
import { checkArgument } from '../arguments.js';
import type { Dimension, Sizes } from './dimensions.js';
import { Exchange } from './exchange.js';
import { checkInstruction } from './instruction.js';
import { PLAN } from './kinds.js';
import { clusterOfCore, type Machine, partsOfPlace, type Place } from './machine.js';
import type { NumberType } from './numbers.js';
import type { LayoutAttributes } from './operator.js';
import type { Mode, PortName } from './strategy.js';
import type { Box } from './tensor.js';

/** Reads, into the core's own memory, what the host put there for it; or writes what it has made. */
export type Access =
  | {
      readonly kind: 'access';
      readonly action: 'read';
      readonly datum: string;
      readonly from: Place;
      /** The part of it that is read; all of it where it is missing. */
      readonly box?: Box;
      /** What the core calls it. */
      readonly as: string;
      readonly bytes: number;
    }
  | {
      readonly kind: 'access';
      readonly action: 'write';
      readonly datum: string;
      readonly to: Place;
      readonly bytes: number;
    };

/** Reads what another core uses, too, or has made. */
export interface ExchangeRead {
  readonly kind: 'exchange';
  readonly datum: string;
  /** Of which operand it is a part. */
  readonly operand: PortName;
  readonly from: Place;
  readonly box?: Box;
  readonly as: string;
  readonly bytes: number;
  /** Between whom. */
  readonly level: Exchange;
}

/** Computes on what is in the core's own memory. */
export interface Compute {
  readonly kind: 'compute';
  /** An operator of layouts, or `join` (along `dimension`), `slice` (`box`), `fit` (to `sizes`), `zeros` (of `sizes`, out of nothing). */
  readonly operation: string;
  readonly attributes?: LayoutAttributes;
  readonly dimension?: Dimension;
  readonly box?: Box;
  readonly sizes?: Sizes;
  readonly inputs: readonly string[];
  readonly output: string;
  /** Order of the output's dimensions. */
  readonly dims: string;
  /** A multiplication and an addition are one; what only moves numbers within a core has none. */
  readonly operations: number;
}

/** See the three kinds. */
export type Instruction = Access | ExchangeRead | Compute;

/** What one core does in a step, in this order. */
export interface CoreStep {
  /** From 0. */
  readonly core: number;
  readonly instructions: readonly Instruction[];
}

/** A part that the host puts into a place before the first step. */
export interface PlacedPart {
  readonly name: string;
  readonly operand: 'input' | 'weight';
  /** From 0. */
  readonly part: number;
  /** The core that has it, from 0. */
  readonly core: number;
  readonly place: Place;
  readonly bytes: number;
}

/** A part of the output that the host fetches after the last step. */
export interface PlannedResult {
  readonly name: string;
  readonly place: Place;
  readonly bytes: number;
}

/**
 * A program for all cores. A step is a barrier: what is written to memories and caches in it can be read from the next step on; what a core has in its own memory stays.
 */
export interface Plan {
  readonly operator: string;
  readonly mode: Mode;
  readonly machine: Machine;
  /** What all computations are rounded to. */
  readonly type: NumberType;
  readonly placed: readonly PlacedPart[];
  /** For each step the cores that do something, ascending. */
  readonly steps: readonly (readonly CoreStep[])[];
  /** Along `joined` one after the other. */
  readonly results: readonly PlannedResult[];
  /** The dimension along which results are joined. */
  readonly joined: Dimension;
}

/** The level of a move between two cores over a place (R29): within a cluster, over a cache, over a memory; none for a core's own. */
export function levelOf(on: Machine, from: number, to: number, place: Place): Exchange {
  if (from === to) return Exchange.None;
  if (clusterOfCore(on, from) === clusterOfCore(on, to)) return Exchange.Core;
  return partsOfPlace(place).kind === 'cluster' ? Exchange.Cluster : Exchange.Memory;
}

/** Of each operand the levels at which a plan exchanges it, as it is and not as labels say (R30, R31). Errors: InputError `input.type` for no plan. */
export function levelsOf(plan: Plan): Readonly<Record<PortName, readonly Exchange[]>> {
  checkArgument('levelsOf, plan', plan, PLAN);
  const { steps } = plan;
  const found = { input: new Set<Exchange>(), weight: new Set<Exchange>(), output: new Set<Exchange>() };
  for (const step of steps)
    for (const { instructions } of step)
      for (const one of instructions) if (one.kind === 'exchange') found[one.operand]?.add(one.level);
  const sorted = (levels: ReadonlySet<Exchange>): readonly Exchange[] =>
    Object.values(Exchange).filter((level) => levels.has(level));
  return { input: sorted(found.input), weight: sorted(found.weight), output: sorted(found.output) };
}

/** An instruction in words: `reads i1 from mem1`, `o1 = mlp(i1, w1)`. Errors: LayoutError `layout.plan` for what is none. */
export function printInstruction(instruction: Instruction): string {
  checkInstruction('printInstruction', instruction);
  switch (instruction.kind) {
    case 'access':
      return instruction.action === 'read'
        ? `reads ${instruction.as} from ${instruction.from}`
        : `writes ${instruction.datum} to ${instruction.to}`;
    case 'exchange':
      return `reads ${instruction.as} from ${instruction.from} (${instruction.level})`;
    case 'compute':
      return `${instruction.output} = ${instruction.operation}(${instruction.inputs.join(', ')})`;
  }
}
