// Makes the small tables that the page offers as samples, the same each time: node data/samples.mjs
// Nobody's data: all numbers are drawn here, by a generator with a fixed seed, in ranges that are usual.
import { writeFileSync } from 'node:fs';

/** Numbers from 0 to below 1, by the 32-bit generator "mulberry32". */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** About normal: a sum of twelve. */
const normal = (next, mean, deviation) =>
  mean + deviation * (Array.from({ length: 12 }, next).reduce((sum, one) => sum + one, 0) - 6);
const write = (name, header, rows) =>
  writeFileSync(
    new URL(name, import.meta.url),
    `${[header, ...rows].map((row) => row.join(',')).join('\n')}\n`,
  );

/** Hourly pay that grows with the years. */
let next = generator(1);
write(
  'wages.csv',
  ['years', 'hours a week', 'pay an hour'],
  Array.from({ length: 48 }, () => {
    const years = Math.floor(next() * 30);
    const hours = [20, 30, 38, 40][Math.floor(next() * 4)];
    return [years, hours, normal(next, 17 + years * 0.45, 2.2).toFixed(2)];
  }),
);

/** The gas that a house takes on a day, which falls with the warmth outside. */
next = generator(2);
write(
  'heating.csv',
  ['degrees outside', 'gas in kWh'],
  Array.from({ length: 90 }, (_, day) => {
    const degrees = normal(next, 9 - 8 * Math.cos((day / 90) * Math.PI - 0.6), 2);
    return [degrees.toFixed(1), Math.max(4, normal(next, 70 - degrees * 3.6, 4)).toFixed(1)];
  }),
);

/** Marks of one class in two subjects; who was ill has none. */
next = generator(3);
write(
  'marks.csv',
  ['physics', 'music'],
  Array.from({ length: 30 }, () =>
    [normal(next, 62, 14), normal(next, 74, 10)].map((mark) =>
      next() < 0.1 ? 'NA' : Math.round(Math.min(100, Math.max(0, mark))),
    ),
  ),
);
