/** Outputs of runs beside what they should be. */
import { difference, isKnown } from './bits.mjs';
import { ELEMENTS } from './elements.mjs';
import { arrayBits } from './recipe.mjs';

/** Bits of what a run gave. Of plain units the last byte may have some to spare, all 0. */
export function foundBits(found, meaning) {
  const of = ([name, { element, bits }]) => {
    const all = arrayBits(element, found[name]);
    const spare =
      element === undefined && all.length - bits.length < 8 && all.subarray(bits.length).every((bit) => bit === 0);
    return [name, spare ? all.subarray(0, bits.length) : all];
  };
  return Object.fromEntries(Object.entries(meaning).map(of));
}

/** Bits of what a text means. */
export function bitsOfAll(meaning) {
  return Object.fromEntries(Object.entries(meaning).map(([name, { bits }]) => [name, bits]));
}

/** Where bits of outputs are not what they should be: the first element of the first such output. */
export function differencesIn(found, meaning) {
  const differences = [];
  for (const [name, { element, bits }] of Object.entries(meaning)) {
    const own = found[name];
    const width = ELEMENTS[element]?.bits ?? bits.length;
    if (own.length !== bits.length)
      differences.push({ where: name, told: { found: own.length, expected: bits.length } });
    for (let at = 0; at < bits.length; at += width) {
      const told = difference(element, own.subarray(at, at + width), bits.subarray(at, at + width));
      if (told) return [...differences, { where: `${name}[${at / width}]`, told }];
    }
  }
  return differences;
}

/** How many elements outputs have, and of how many not every bit is said. */
export function counted(meaning) {
  let [elements, open] = [0, 0];
  for (const { element, bits } of Object.values(meaning ?? {})) {
    const width = ELEMENTS[element]?.bits ?? bits.length;
    for (let at = 0; at < bits.length; at += width) {
      elements++;
      if (!isKnown(bits.subarray(at, at + width))) open++;
    }
  }
  return { elements, open };
}
