/** How fine the clock is that times were read from: browsers coarsen it. */

/** Differences up to this, in milliseconds, are what doubles make of one time: they hold a date to about 0.0002 ms. */
const NOISE = 0.0003;

/**
 * The least difference between two times that one thread's clock gave, milliseconds: no span can be told shorter than that. The mean of all that are about as
 * small, since a date in doubles is off by a quarter of a microsecond. Undefined where fewer than two different times are known.
 */
export function resolutionOf(times: Iterable<number>): number | undefined {
  const sorted = Float64Array.from(times).sort();
  let least = Infinity;
  for (let i = 1; i < sorted.length; i++) {
    const gap = sorted[i]! - sorted[i - 1]!;
    if (gap > NOISE / 2 && gap < least) least = gap;
  }
  if (least === Infinity) return undefined;
  let [sum, count] = [0, 0];
  for (let i = 1; i < sorted.length; i++) {
    const gap = sorted[i]! - sorted[i - 1]!;
    if (gap < least || gap > least * 1.5) continue;
    sum += gap;
    count += 1;
  }
  return sum / count;
}

/** Whether a span is shorter than a clock of that resolution can tell. */
export function isShorter(milliseconds: number, resolution: number | undefined): boolean {
  return resolution !== undefined && milliseconds < 0.75 * resolution;
}
