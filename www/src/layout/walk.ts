/** A plan, walked through: what moves in each step, what is computed, and what lies where after it. */
import { Exchange, type Instruction, type Place, type Plan } from 'cipherloom/layout';

/** Something that goes from one place to another, for one core. */
export interface Move {
  readonly core: number;
  readonly way: 'read' | 'write';
  readonly place: Place;
  readonly datum: string;
  readonly bytes: number;
  /** `no` for what concerns this core alone. */
  readonly level: Exchange;
  /** The core that had or made it. */
  readonly from: number;
}

/** Something that lies somewhere. */
export interface Held {
  readonly name: string;
  readonly bytes: number;
}

/** One step, from the plan's beginning (0: the host has put the parts to their places). */
export interface Stop {
  readonly moves: readonly Move[];
  readonly cores: readonly { readonly core: number; readonly instructions: readonly Instruction[] }[];
  /** After it, by place. */
  readonly held: ReadonlyMap<Place, readonly Held[]>;
}

/** A core's own memory. */
export function corePlace(core: number): Place {
  return `core${core + 1}`;
}

/** All stops; `bytesOf` says how large what a core computed is. */
export function walk(plan: Plan, bytesOf: (name: string) => number): readonly Stop[] {
  /** What comes to lie where, in each stop; what lies there after it is made of these when it is asked for. */
  const arrivals: (readonly [Place, string, number])[][] = [[]];
  /** The core that has a datum, or made it. */
  const makers = new Map<string, number>();
  const put = (place: Place, name: string, bytes: number): void => {
    arrivals.at(-1)!.push([place, name, bytes]);
  };
  const after = (stop: number): Stop['held'] => {
    const held = new Map<Place, Map<string, number>>();
    for (const [place, name, bytes] of arrivals.slice(0, stop + 1).flat()) {
      const there = held.get(place) ?? new Map<string, number>();
      held.set(place, there.set(name, bytes));
    }
    return new Map(
      [...held].map(([place, data]) => [place, [...data].map(([name, bytes]) => ({ name, bytes }))]),
    );
  };
  const stopAt = (at: number, moves: readonly Move[], cores: Stop['cores']): Stop => ({
    moves,
    cores,
    get held() {
      return after(at);
    },
  });
  for (const { name, core, place, bytes } of plan.placed) {
    makers.set(name, core);
    put(place, name, bytes);
  }
  const stops: Stop[] = [stopAt(0, [], [])];
  for (const cores of plan.steps) {
    arrivals.push([]);
    const moves: Move[] = [];
    for (const { core, instructions } of cores)
      for (const one of instructions) {
        if (one.kind === 'compute') {
          put(corePlace(core), one.output, bytesOf(one.output));
          makers.set(one.output, core);
          continue;
        }
        const { datum, bytes } = one;
        if (one.kind === 'access' && one.action === 'write') {
          put(one.to, datum, bytes);
          moves.push({ core, way: 'write', place: one.to, datum, bytes, level: Exchange.None, from: core });
          continue;
        }
        put(corePlace(core), one.as, bytes);
        const level = one.kind === 'exchange' ? one.level : Exchange.None;
        const from = makers.get(datum) ?? core;
        moves.push({ core, way: 'read', place: one.from, datum: one.as, bytes, level, from });
      }
    stops.push(stopAt(stops.length, moves, cores));
  }
  return stops;
}
