/** The chain of operators that a run could not be quicker than, with any number of threads. */

/** Who waits for whom: operator i for `waits[waitsStart[i]]` up to, not with, `waits[waitsStart[i + 1]]`. */
export interface Waits {
  readonly waitsStart: Uint32Array;
  readonly waits: Uint32Array;
}

/** Operators one after the other, each of which waited for the one before. */
export interface CriticalPath {
  readonly ops: readonly number[];
  /** Sum of their times. */
  readonly milliseconds: number;
}

/**
 * The chain with the greatest sum of times, `took` by operator in milliseconds: work-span analysis, where it is the span T_inf (Blumofe and Leiserson, "Scheduling multithreaded computations by work
 * stealing", J. ACM 46, 1999). Operators with no time are passed through. O(operators + waits). Errors: RangeError for waits that go round.
 */
export function criticalPath({ waitsStart, waits }: Waits, took: Float64Array): CriticalPath {
  const count = took.length;
  const of = (op: number): Uint32Array => waits.subarray(waitsStart[op], waitsStart[op + 1]);
  // Whoever waits for an operator, the other way round.
  const starts = new Uint32Array(count + 1);
  for (let op = 0; op < count; op++) for (const before of of(op)) starts[before + 1]! += 1;
  for (let op = 0; op < count; op++) starts[op + 1]! += starts[op]!;
  const followers = new Uint32Array(starts[count]!);
  const filled = starts.slice();
  for (let op = 0; op < count; op++)
    for (const before of of(op)) {
      followers[filled[before]!] = op;
      filled[before]! += 1;
    }
  const left = Uint32Array.from({ length: count }, (_, op) => of(op).length);
  const end = new Float64Array(count);
  const latest = new Int32Array(count).fill(-1);
  const ready: number[] = [];
  for (let op = 0; op < count; op++) if (left[op] === 0) ready.push(op);
  let [last, done] = [-1, 0];
  for (let op = ready.pop(); op !== undefined; op = ready.pop()) {
    done += 1;
    end[op]! += took[op]!;
    if (last === -1 || end[op]! > end[last]!) last = op;
    for (const next of followers.subarray(starts[op], starts[op + 1])) {
      if (latest[next] === -1 || end[op]! > end[next]!) {
        end[next] = end[op]!;
        latest[next] = op;
      }
      left[next]! -= 1;
      if (left[next] === 0) ready.push(next);
    }
  }
  if (done < count) throw new RangeError('Operators wait for each other in a circle');
  const ops: number[] = [];
  for (let op = last; op !== -1; op = latest[op]!) ops.push(op);
  return { ops: ops.reverse(), milliseconds: last === -1 ? 0 : end[last]! };
}
