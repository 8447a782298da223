/** The schedules that a search may choose among for one piece, and how one is changed a little. */
import type { WorkgroupNeeds } from '../../gpu/needs.js';
import { ChangeSpace } from './change-space.js';
import type { PieceOfKey } from './pieces.js';
import type { Piece, Schedule } from './schedule.js';
import { ShaderSpace } from './gpu-space.js';
import { SumSpace } from './sum-space.js';
import { TransformSpace } from './transform-space.js';

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

/** The schedules of a piece. */
export interface Space {
  readonly piece: Piece;
  readonly n: number;
  readonly bits: number;
  /** One by chance, each choice on its own. */
  random(random: Random): Schedule;
  /** One of this space with one choice changed. */
  mutated(schedule: Schedule, random: Random): Schedule;
  /** All that are worth a try, the usual ones first. */
  points(): Iterable<Schedule>;
}

/** The space of a piece for primes of so many bits; undefined where no kernel can be made. `limits`: what a GPU has for a workgroup, if that is known. */
export function spaceOf(
  { piece, n, shape }: Omit<PieceOfKey, 'prime'>,
  bits: number,
  limits?: WorkgroupNeeds,
): Space | undefined {
  switch (piece) {
    case 'ring.sum':
      return SumSpace.of(shape, n, bits);
    case 'rns.change':
      return ChangeSpace.of(shape, n, bits);
    case 'gpu.forward':
    case 'gpu.inverse':
      return ShaderSpace.of(piece, n, bits, limits);
    default:
      return TransformSpace.of(piece, n, bits);
  }
}
