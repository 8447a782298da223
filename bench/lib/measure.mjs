// Times several sides in turns, so that whatever slows the machine down meets all of them.

/** How much is measured: milliseconds of warm-up and of samples for each side, most and fewest samples. */
export const FULL = { warmUp: 300, time: 1500, most: 200, least: 7 };
export const QUICK = { warmUp: 60, time: 200, most: 40, least: 3 };

/**
 * Runs the sides (functions, possibly async) in turns. Gives for each the median in milliseconds, the spread
 * (90th - 10th percentile over the median) and the samples.
 *
 * With `burst`, a turn goes on for that many milliseconds, and its first run does not count but is given as `first`: it
 * finds the caches of another side, and threads that the system has put to sleep, which it spreads over cores only as
 * the load lasts.
 *
 * With `counted`, sides give the milliseconds that count themselves, of what they did; for how long they go on is by all of it.
 */
export async function compare(sides, { warmUp, time, most, least, burst = 0, counted = false }) {
  for (let warm = 0; warm < warmUp * sides.length;) {
    for (const side of sides) warm += (await timed(side)).all;
  }
  const samples = sides.map(() => []);
  const first = sides.map(() => []);
  let spent = 0;
  for (let round = 0; round < least || (round < most && spent < time * sides.length); round++) {
    // Whoever comes second finds other caches: each in turn.
    for (let place = 0; place < sides.length; place++) {
      const index = (place + round) % sides.length;
      if (burst > 0) first[index].push((await timed(sides[index], counted)).milliseconds);
      for (let turn = 0; turn === 0 || turn < burst;) {
        const { milliseconds, all } = await timed(sides[index], counted);
        samples[index].push(milliseconds);
        turn += all;
        spent += all;
      }
    }
  }
  return samples.map((own, index) => ({
    ...statistics(own),
    ...(burst > 0 && { first: statistics(first[index]).median }),
  }));
}

async function timed(side, counted) {
  const start = performance.now();
  const pending = side();
  // Awaiting nothing would cost the others a turn of the event loop.
  const given = pending instanceof Promise ? await pending : pending;
  const all = performance.now() - start;
  return { milliseconds: counted ? given : all, all };
}

/** Median, spread, the least, and number of samples. */
export function statistics(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  return { median: at(0.5), spread: (at(0.9) - at(0.1)) / at(0.5), least: sorted[0], samples: sorted.length };
}

/** The fields of a row that say what was measured, each side's median divided by `count`. */
export function figures([ours, peer], count = 1) {
  return {
    ours: ours.median / count,
    peer: peer.median / count,
    unit: 'ms',
    ratio: peer.median / ours.median,
    spreadOurs: ours.spread,
    spreadPeer: peer.spread,
    leastOurs: ours.least / count,
    leastPeer: peer.least / count,
    samples: ours.samples,
    ...(ours.first !== undefined && { firstOurs: ours.first, firstPeer: peer.first }),
  };
}
