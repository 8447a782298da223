/** The lessons, in the order in which they build on each other. */
import { ABSORB } from './absorb.js';
import { KEY_SWITCHING } from './key-switching.js';
import type { Lesson } from './lesson.js';
import { NOISE } from './noise.js';
import { NTT } from './ntt.js';
import { PACKING } from './packing.js';

export const LESSONS: readonly Lesson[] = [NTT, NOISE, ABSORB, KEY_SWITCHING, PACKING];

/** The lesson that an address names (`#learn?keys`), or the first. */
export function lessonOf(hash: string): Lesson {
  return LESSONS.find(({ id }) => hash === `#learn?${id}`) ?? LESSONS[0]!;
}
