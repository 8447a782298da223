/** What a plan moves, and the time that it takes by a stated model. */
import { checkArgument } from '../arguments.js';
import { Exchange } from './exchange.js';
import { PLAN } from './kinds.js';
import { hopsTo, type Machine, partsOfPlace, type Place } from './machine.js';
import type { Instruction, Plan } from './plan.js';

/** Moves of one sort. */
export interface Moves {
  readonly moves: number;
  readonly bytes: number;
}

/** What a plan does, counted. */
export interface Counts {
  /** Moves between cores and places that nobody else is concerned in, and those of each level. */
  readonly access: Moves;
  readonly core: Moves;
  readonly cluster: Moves;
  readonly memory: Moves;
  /** All moves by the number of hops: 0 a cluster's own cache, 1 another one's cache or (NUMA) the own memory, 2 and more. */
  readonly hops: Readonly<Record<number, Moves>>;
  /** Operations of all cores. */
  readonly operations: number;
  /** Bytes that the host copies to the device before, and from it after. */
  readonly host: { readonly before: number; readonly after: number };
}

/** The place and the bytes of a move; undefined of a computation. */
function moveOf(instruction: Instruction): { readonly place: Place; readonly bytes: number } | undefined {
  if (instruction.kind === 'compute') return undefined;
  const place =
    instruction.kind === 'access' && instruction.action === 'write' ? instruction.to : instruction.from;
  return { place, bytes: instruction.bytes };
}

/** Counts the moves of a plan by level and by hops. Errors: InputError `input.type` for no plan. */
export function countMoves(plan: Plan): Counts {
  checkArgument('countMoves, plan', plan, PLAN);
  const { steps, machine, placed, results } = plan;
  const none = { moves: 0, bytes: 0 };
  const levels = { access: none, core: none, cluster: none, memory: none };
  const hops: Record<number, Moves> = {};
  let operations = 0;
  for (const { core, instructions } of steps.flat())
    for (const instruction of instructions) {
      if (instruction.kind === 'compute') operations += instruction.operations;
      const move = moveOf(instruction);
      if (move === undefined) continue;
      const { bytes, place } = move;
      const more = (before: Moves = none): Moves => ({
        moves: before.moves + 1,
        bytes: before.bytes + bytes,
      });
      const level =
        instruction.kind === 'exchange' && instruction.level !== Exchange.None ? instruction.level : 'access';
      levels[level] = more(levels[level]);
      const distance = hopsTo(machine, core, place);
      hops[distance] = more(hops[distance]);
    }
  const sum = (all: readonly { readonly bytes: number }[]): number =>
    all.reduce((bytes, one) => bytes + one.bytes, 0);
  return { ...levels, hops, operations, host: { before: sum(placed), after: sum(results) } };
}

/**
 * Cycles of a plan. A core does its instructions one after the other: `operation` for each operation; for a move `hop` for each hop (none within a cluster) and `memoryByte` for each byte, or of a cache `cache` and `cacheByte` for each
 * byte, and `hop` for each hop to another one. A memory's channel carries one byte after the other: its bytes in a step take `memoryByte` each. A step takes as long as the slowest core or channel; steps follow each other. What the
 * host copies is not in it. Errors: InputError `input.type` for no plan.
 */
export function timeOf(plan: Plan): number {
  checkArgument('timeOf, plan', plan, PLAN);
  const { steps, machine } = plan;
  return steps.reduce((time, step) => {
    const channels = new Map<number, number>();
    const cores = step.map(({ core, instructions }) => {
      return instructions.reduce((sum, instruction) => {
        const move = moveOf(instruction);
        if (move === undefined)
          return sum + (instruction.kind === 'compute' ? instruction.operations * machine.cost.operation : 0);
        const { kind, number } = partsOfPlace(move.place);
        if (kind === 'mem')
          channels.set(number, (channels.get(number) ?? 0) + move.bytes * machine.cost.memoryByte);
        return sum + moveTime(machine, core, move.place, move.bytes);
      }, 0);
    });
    return time + Math.max(0, ...cores, ...channels.values());
  }, 0);
}

function moveTime(machine: Machine, core: number, place: Place, bytes: number): number {
  const { hop, memoryByte, cache, cacheByte } = machine.cost;
  const way = hopsTo(machine, core, place) * hop;
  return partsOfPlace(place).kind === 'cluster' ? way + cache + bytes * cacheByte : way + bytes * memoryByte;
}
