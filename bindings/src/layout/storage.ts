/** Where a label says that data lie [L2]. */
import { describe } from '../arguments.js';
import { clusterOfCore, coresOf, localMemory, type Machine, partsOfPlace, type Place } from './machine.js';
import { wrong } from './wrong.js';

/** All memories, all caches of clusters, or some by name: `mem1`, `cluster2`. A class means spread over all of it. */
export type Storage = 'mem' | 'cluster' | readonly Place[];

const NAMED = /^(mem|cluster)([1-9]\d{0,8})$/;

/** A storage that was looked at. Errors: LayoutError `layout.storage`. */
export function checkStorage(where: string, storage: unknown, on?: Machine): Storage {
  if (storage === 'mem') return storage;
  if (storage === 'cluster') {
    const without = on?.clusters.findIndex(({ cache }) => !cache) ?? -1;
    if (without < 0) return storage;
    throw wrong(
      'layout.storage',
      where,
      '"cluster"',
      `a storage that there is: cluster ${without + 1} has no cache`,
    );
  }
  const expected = '"mem", "cluster", or an array of names such as "mem1", "cluster2"';
  if (!Array.isArray(storage) || storage.length === 0 || storage.length > 4096)
    throw wrong('layout.storage', where, describe(storage), expected);
  for (const name of storage as unknown[]) {
    if (typeof name !== 'string' || !NAMED.test(name))
      throw wrong('layout.storage', where, describe(name), expected);
    if (on === undefined) continue;
    const { kind, number } = partsOfPlace(name as Place);
    const there = kind === 'mem' ? number < on.memories : on.clusters[number]?.cache === true;
    if (!there) {
      const caches = on.clusters.flatMap(({ cache }, at) => (cache ? [`cluster${at + 1}`] : []));
      throw wrong(
        'layout.storage',
        where,
        `"${name}"`,
        `one of mem1 to mem${on.memories}${caches.length > 0 ? `, ${caches.join(', ')}` : ''}`,
      );
    }
  }
  return Object.freeze([...(storage as Place[])]);
}

/** `mem`, `mem1`, `{mem1 mem2}`. */
export function printStorage(storage: Storage): string {
  if (typeof storage === 'string') return storage;
  return storage.length === 1 ? String(storage[0]) : `{${storage.join(' ')}}`;
}

/** The core that has part k of some, from 0: part k of as many as there are cores is core k's; fewer are spread over the clusters, more go in runs. */
export function coreOfPart(on: Machine, part: number, count: number): number {
  return Math.floor((part * coresOf(on)) / count);
}

/**
 * The place of part k of some [L4b]: of a class, in the memory or the cache of the cluster whose core has it (not in turn); of names, dealt out over them in runs.
 */
export function placeOfPart(on: Machine, storage: Storage, part: number, count: number): Place {
  if (typeof storage !== 'string') return storage[Math.floor((part * storage.length) / count)] ?? 'mem1';
  return classPlace(on, storage, coreOfPart(on, part, count));
}

/** A core's place of a class: the local memory or the cache of its cluster. */
export function classPlace(on: Machine, storage: 'mem' | 'cluster', core: number): Place {
  const cluster = clusterOfCore(on, core);
  return storage === 'mem' ? localMemory(on, cluster) : `cluster${cluster + 1}`;
}
