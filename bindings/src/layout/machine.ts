/** Machines with many cores, as people describe them [L2]. */
import { describe } from '../arguments.js';
import { CATEGORIES, type Category } from './category.js';
import { lettersOf, MOST_ELEMENTS } from './dimensions.js';
import { NUMBER_TYPES, type NumberType } from './numbers.js';
import { checkObject, checkOneOf, checkWhole, wrong } from './wrong.js';

/** Some cores that share a way to memory. */
export interface Cluster {
  /** Cores in it, from 1. */
  readonly cores: number;
  /** Whether they share a cache; else they are of bus type. Default false. */
  readonly cache?: boolean | undefined;
  /** The number of its local memory, from 1. Default: clusters are dealt out over memories in turn. */
  readonly memory?: number | undefined;
}

/** What moves and operations take, in cycles; see `timeOf`. */
export interface Cost {
  /** One multiplication with an addition, or any other operation on one number. Default 1. */
  readonly operation?: number | undefined;
  /** A hop, for each move. Default 20. */
  readonly hop?: number | undefined;
  /** A byte over a memory's channel. Default 0.5. */
  readonly memoryByte?: number | undefined;
  /** A byte to or from a cache. Default 0.0625. */
  readonly cacheByte?: number | undefined;
  /** A move to or from a cache. Default 5. */
  readonly cache?: number | undefined;
}

/** A machine as it is written, plain data. */
export interface MachineDescription {
  readonly name?: string | undefined;
  /** `smp`: two hops to any memory. `numa`: one to a cluster's own memory, two or more to others. Default `numa`. */
  readonly architecture?: 'smp' | 'numa' | undefined;
  /** Memories, each with a channel of its own. Default: one for each cluster. */
  readonly memories?: number | undefined;
  readonly clusters: readonly Cluster[];
  /** Hops from each cluster (outer) to each memory (inner), for `numa`. */
  readonly hops?: readonly (readonly number[])[] | undefined;
  /** Whether a core reads the caches of other clusters, over a link; else data for these go through memory (R32). Default true. */
  readonly cacheLink?: boolean | undefined;
  /** What it computes. Default `float32`. */
  readonly type?: NumberType | undefined;
  /** How it reads and writes: dimensions, the outermost first. Default `TNCDHW`. */
  readonly order?: string | undefined;
  /** How many numbers of the innermost dimension it takes at once: one number, or by category, `default` for the others. Default 1. */
  readonly tile?: number | Readonly<Partial<Record<Category | 'default', number>>> | undefined;
  readonly cost?: Cost | undefined;
}

/** A cluster that was looked at: as {@link Cluster}. */
export interface MachineCluster {
  readonly cores: number;
  readonly cache: boolean;
  readonly memory: number;
}

/** A machine that was looked at: as {@link MachineDescription}, with nothing left out. */
export interface Machine {
  readonly name: string;
  readonly architecture: 'smp' | 'numa';
  readonly memories: number;
  readonly clusters: readonly MachineCluster[];
  readonly hops: readonly (readonly number[])[];
  readonly cacheLink: boolean;
  readonly type: NumberType;
  readonly order: string;
  readonly tile: Readonly<Partial<Record<Category | 'default', number>>>;
  readonly cost: Readonly<Record<keyof Cost, number>>;
  /** The cluster of each core, both counted from 0. */
  readonly clusterOf: readonly number[];
}

/** A place that holds data: a memory, the cache of a cluster, a core's own memory; numbers from 1. */
export type Place = `mem${number}` | `cluster${number}` | `core${number}`;

/** Most cores, clusters and memories of a machine. */
export const MOST_CORES = 4096;
const DEFAULT_COST = { operation: 1, hop: 20, memoryByte: 0.5, cacheByte: 0.0625, cache: 5 } as const;
const NAMES: readonly (keyof MachineDescription)[] = [
  'name',
  'architecture',
  'memories',
  'clusters',
  'hops',
  'cacheLink',
  'type',
  'order',
  'tile',
  'cost',
];

/** A machine of its description, frozen. Errors: LayoutError `layout.machine`. */
export function machine(description: MachineDescription): Machine {
  const bad = 'layout.machine';
  checkObject(bad, 'machine', description, NAMES);
  const {
    name = 'machine',
    architecture = 'numa',
    cacheLink = true,
    type = 'float32',
    order = 'TNCDHW',
  } = description;
  if (typeof name !== 'string') throw wrong(bad, 'machine, name', describe(name), 'a text');
  checkOneOf(bad, 'machine, architecture', architecture, ['smp', 'numa']);
  checkFlag('machine, cacheLink', cacheLink);
  checkOneOf(bad, 'machine, type', type, NUMBER_TYPES);
  lettersOf(bad, 'machine, order', order);
  const given = description.clusters;
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_CORES)
    throw wrong(bad, 'machine, clusters', describe(given), `an array of 1 to ${MOST_CORES} clusters`);
  const memories = checkWhole(bad, 'machine, memories', description.memories ?? given.length, 1, MOST_CORES);
  const clusters = given.map((cluster: Cluster, index): MachineCluster => {
    const where = `machine, cluster ${index + 1}`;
    checkObject(bad, where, cluster, ['cores', 'cache', 'memory']);
    const { cores, cache = false, memory = (index % memories) + 1 } = cluster;
    checkWhole(bad, `${where}, cores`, cores, 1, MOST_CORES);
    checkFlag(`${where}, cache`, cache);
    checkWhole(bad, `${where}, memory`, memory, 1, memories);
    return Object.freeze({ cores, cache, memory });
  });
  const clusterOf = clusters.flatMap(({ cores }, index) => Array<number>(cores).fill(index));
  checkWhole(bad, 'machine, cores in all', clusterOf.length, 1, MOST_CORES);
  return Object.freeze({
    name,
    architecture,
    memories,
    clusters: Object.freeze(clusters),
    clusterOf: Object.freeze(clusterOf),
    hops: hopsOf(description, clusters, memories),
    cacheLink,
    type,
    order,
    tile: tilesOf(description.tile ?? 1),
    cost: costOf(description.cost ?? {}),
  });
}

function checkFlag(where: string, value: unknown): void {
  if (typeof value !== 'boolean') throw wrong('layout.machine', where, describe(value), 'true or false');
}

function hopsOf(
  { architecture = 'numa', hops }: MachineDescription,
  clusters: readonly MachineCluster[],
  memories: number,
): readonly (readonly number[])[] {
  const own = architecture === 'smp' ? 2 : 1;
  const usual = clusters.map(({ memory }) =>
    Object.freeze(Array.from({ length: memories }, (_, at) => (at + 1 === memory ? own : 2))),
  );
  if (hops === undefined) return Object.freeze(usual);
  const where = 'machine, hops';
  const fits =
    Array.isArray(hops) &&
    hops.length === clusters.length &&
    hops.every((row) => Array.isArray(row) && row.length === memories);
  if (!fits)
    throw wrong('layout.machine', where, describe(hops), `${clusters.length} arrays of ${memories} numbers`);
  hops.forEach((row: readonly number[], cluster) =>
    row.forEach((count, at) => {
      const isOwn = clusters[cluster]?.memory === at + 1;
      const [least, most] = architecture === 'smp' ? [2, 2] : isOwn ? [1, 1] : [2, 1024];
      checkWhole(
        'layout.machine',
        `${where}, cluster ${cluster + 1} to memory ${at + 1}`,
        count,
        least,
        most,
      );
    }),
  );
  return Object.freeze(hops.map((row: readonly number[]) => Object.freeze([...row])));
}

function tilesOf(tile: NonNullable<MachineDescription['tile']>): Machine['tile'] {
  const tiles = typeof tile === 'object' && tile !== null ? tile : { default: tile };
  const names = [...CATEGORIES, 'default'] as const;
  checkObject('layout.machine', 'machine, tile', tiles, names);
  for (const [name, size] of Object.entries(tiles))
    checkWhole('layout.machine', `machine, tile of ${name}`, size, 1, MOST_ELEMENTS);
  return Object.freeze({ default: 1, ...tiles });
}

function costOf(cost: Cost): Machine['cost'] {
  const names = Object.keys(DEFAULT_COST) as (keyof Cost)[];
  checkObject('layout.machine', 'machine, cost', cost, names);
  const all = names.map((name) => {
    const value = cost[name] ?? DEFAULT_COST[name];
    if (typeof value !== 'number' || !(value >= 0 && value <= 1e9))
      throw wrong(
        'layout.machine',
        `machine, cost of ${name}`,
        describe(value),
        'a number of cycles from 0 to 10^9',
      );
    return [name, value] as const;
  });
  return Object.freeze(Object.fromEntries(all) as Record<keyof Cost, number>);
}

/** How many cores a machine has in all. */
export function coresOf({ clusterOf }: Machine): number {
  return clusterOf.length;
}

/** The cluster that a core is in; both from 0. */
export function clusterOfCore({ clusterOf }: Machine, core: number): number {
  return clusterOf[core] ?? 0;
}

/** The local memory of a cluster, counted from 0. */
export function localMemory({ clusters }: Machine, cluster: number): Place {
  return `mem${clusters[cluster]?.memory ?? 1}`;
}

/** A place, taken apart: `mem2` is kind `mem`, number 1 from 0. */
export function partsOfPlace(place: Place): {
  readonly kind: 'mem' | 'cluster' | 'core';
  readonly number: number;
} {
  const [, kind = 'mem', number = '1'] = /^(mem|cluster|core)(\d+)$/.exec(place) ?? [];
  return { kind: kind as 'mem' | 'cluster' | 'core', number: Number(number) - 1 };
}

/**
 * Hops of a move between a core and a place: a core's own memory and its cluster's cache 0, another cluster's cache 1, memories as the machine says.
 */
export function hopsTo(on: Machine, core: number, place: Place): number {
  const { kind, number } = partsOfPlace(place);
  const cluster = clusterOfCore(on, core);
  if (kind === 'core') return 0;
  if (kind === 'cluster') return number === cluster ? 0 : 1;
  return on.hops[cluster]?.[number] ?? 2;
}
