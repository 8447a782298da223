/** Which maps and operators there are for some files, and what does not go together, in words. */
import type { MapName, Work } from './work.js';

/** An operator by a map. */
export interface Choice {
  readonly work: Work;
  readonly map: MapName;
}

/** A choice that is given a name, to begin with. */
export interface Preset extends Choice {
  readonly title: string;
}

export function filesFor({ work, map }: Choice, files: readonly File[]): File[] {
  return files.filter((file) => work.takes(file, map));
}

/** Why it cannot be done with these; undefined where it can. */
export function problemOf(choice: Choice, files: readonly File[]): string | undefined {
  return choice.work.problem(filesFor(choice, files), choice.map);
}

export function mapsOf({ ways }: Work): MapName[] {
  return Object.keys(ways) as MapName[];
}

/** The operators that go by a map. */
export function worksBy(map: MapName, works: readonly Work[]): Work[] {
  return works.filter(({ ways }) => ways[map] !== undefined);
}

/** Why nothing can be done by a map with these files; undefined where something can. */
export function mapProblem(map: MapName, works: readonly Work[], files: readonly File[]): string | undefined {
  const problems = worksBy(map, works).map((work) => problemOf({ work, map }, files));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** What is chosen with another map: the same operator where it goes by that one, else the first that can be done with these files. */
export function withMap(
  { work }: Choice,
  map: MapName,
  works: readonly Work[],
  files: readonly File[],
): Choice {
  const can = worksBy(map, works);
  const isDone = (one: Work): boolean => problemOf({ work: one, map }, files) === undefined;
  if (can.includes(work) && isDone(work)) return { work, map };
  return { work: can.find(isDone) ?? can[0] ?? work, map };
}

/** The operators that a map does not offer, and by which they go. */
export function elsewhere(
  map: MapName,
  works: readonly Work[],
): { readonly title: string; readonly maps: readonly MapName[] }[] {
  return works
    .filter(({ ways }) => ways[map] === undefined)
    .map((work) => ({ title: work.title, maps: mapsOf(work) }));
}
