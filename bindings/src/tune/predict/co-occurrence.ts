/**
 * What came together will come together: for each operator, how often each other one was asked for within the same few steps of a task. The default.
 */
import { checkOptions } from '../../arguments.js';
import { checkKey } from '../key.js';
import type { OperatorKey } from '../key.js';
import { CO_OCCURRENCE } from '../options.js';
import { wrong } from '../wrong.js';
import { Numbered, Windows } from './window.js';
import type { Predictor, PredictorState } from './types.js';

/** Settings. */
export interface CoOccurrenceOptions {
  /** Steps of a task that count as together. Default 16. */
  readonly window?: number;
  /** Most operators that it names. Default 16. */
  readonly most?: number;
  /** Most operators that it knows; who was not met for longest is forgotten. Default 4096. */
  readonly known?: number;
  /** What it has learned before. */
  readonly state?: PredictorState;
}

/** Counts; `state()` gives what it has learned. Errors: TuneError `tune.option` of a state that is none of its; InputError `input.type`, `input.option`. */
export function coOccurrence(options: CoOccurrenceOptions = {}): Predictor & { state(): PredictorState } {
  checkOptions('coOccurrence', options, CO_OCCURRENCE);
  const { window = 16, most = 16, known = 4096, state } = options;
  const numbered = new Numbered(known);
  const windows = new Windows(window, 256);
  const counts = new Map<number, Map<number, number>>();
  const count = (one: number, other: number, add: number): void => {
    const row = counts.get(one) ?? new Map<number, number>();
    counts.set(one, row);
    row.set(other, (row.get(other) ?? 0) + add);
  };
  if (state !== undefined) {
    const { kind, version, keys, pairs } = state;
    if (kind !== 'co-occurrence' || version !== 1 || !Array.isArray(keys) || !Array.isArray(pairs))
      throw wrong('tune.option', 'state', 'another one', 'that of a predictor of co-occurrence');
    const numbers = (keys as unknown[]).slice(0, known).map((key) => numbered.of(checkKey(key)).number);
    for (const [one, other, times] of pairs as [number, number, number][]) {
      const [from, to] = [numbers[one], numbers[other]];
      if (from !== undefined && to !== undefined && times > 0) count(from, to, times);
    }
  }
  return {
    observe(task, key) {
      const { number, replaced } = numbered.of(key);
      if (replaced) {
        counts.delete(number);
        for (const row of counts.values()) row.delete(number);
        windows.forget(number);
      }
      for (const before of new Set(windows.add(task, number))) {
        if (before === number) continue;
        count(before, number, 1);
        count(number, before, 1);
      }
    },
    related(key) {
      const number = numbered.find(key);
      const row = number === undefined ? undefined : counts.get(number);
      const all = [...(row ?? [])].sort(([a, one], [b, other]) => other - one || a - b);
      return all.slice(0, most).map(([other]): OperatorKey => numbered.key(other));
    },
    state: () => ({
      kind: 'co-occurrence',
      version: 1,
      keys: numbered.keys(),
      pairs: [...counts].flatMap(([one, row]) => [...row].map(([other, times]) => [one, other, times])),
    }),
  };
}
