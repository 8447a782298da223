import type { TraceView } from 'cipherloom';
import { expect, test } from 'vitest';
import type { Phase, PhaseName } from '../src/run/phases.js';
import { axisOf, duration } from '../src/timeline/axis.js';
import { chromeTrace } from '../src/timeline/chrome-trace.js';
import { isShorter, resolutionOf } from '../src/timeline/clock.js';
import { criticalPath } from '../src/timeline/critical-path.js';
import { Recording } from '../src/timeline/recording.js';
import { compare, runTimes } from '../src/timeline/run-times.js';
import { timeByType } from '../src/timeline/spans.js';

/** Numbers from 0 to 1 that are the same in every run: a linear congruential generator (Knuth, TAOCP 3.3.4). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

const NANOSECONDS: Record<string, number> = { s: 1e9, ms: 1e6, µs: 1e3, ns: 1 };

/** A tick's text as nanoseconds. */
function read(text: string): number {
  const [, digits, unit] = /^\+?([\d.,]+) (s|ms|µs|ns)$/.exec(text)!;
  return Number(digits!.replaceAll(',', '')) * NANOSECONDS[unit!]!;
}

test('ticks say where they are, and none like its neighbour, at every zoom', () => {
  const random = numbers(1);
  const wrong: unknown[] = [];
  for (let round = 0; round < 2000; round++) {
    const room = 10 ** (random() * 9 - 4); // from 100 ns to 100 s
    const from = random() * 10 ** (random() * 6 - 1);
    const { base, ticks } = axisOf(from, from + room, 1 + Math.floor(random() * 12));
    const isRight = ticks.every(({ at, text }, index) => {
      const said = read(text) + (base === undefined ? 0 : read(base));
      return (
        at >= from - 1e-6 &&
        at <= from + room + 1e-6 &&
        text !== ticks[index - 1]?.text &&
        Math.abs(said - at * 1e6) < 1e-3 * Math.max(1, room * 1e3) &&
        text.startsWith('+') === (base !== undefined)
      );
    });
    if (!isRight || new Set(ticks.map(({ text }) => text)).size < ticks.length)
      wrong.push({ from, room, base, ticks });
  }
  expect(wrong).toEqual([]);
  expect(
    axisOf(0, 10, 10)
      .ticks.map(({ text }) => text)
      .slice(0, 3),
  ).toEqual(['0 ms', '1 ms', '2 ms']);
  expect(axisOf(1234.5, 1234.501, 5)).toMatchObject({ base: '1,234,500 µs' });
  expect(axisOf(0, 0.0001, 2).ticks.map(({ text }) => text)).toEqual(['0 ns', '50 ns', '100 ns']);
});

test('durations have units from nanoseconds to minutes', () => {
  const texts = [0, 0.00025, 0.0015, 0.9994, 1, 12, 1240, 125_000].map(duration);
  expect(texts).toEqual(['0 ms', '250 ns', '1.5 µs', '999 µs', '1 ms', '12 ms', '1.24 s', '2 min 05 s']);
});

test('a coarse clock is seen, and what it cannot tell', () => {
  const random = numbers(2);
  for (const coarse of [0.005, 0.1, 1, 16]) {
    const origin = 1.79e12 + random() * 1e6;
    const times = Array.from(
      { length: 500 },
      (_, i) => Math.floor((i * coarse) / 3 / coarse) * coarse + origin - origin,
    );
    const found = resolutionOf(times.map((time) => time + origin).map((time) => time - origin))!;
    expect(found / coarse).toBeGreaterThan(0.9);
    expect(found / coarse).toBeLessThan(1.1);
    expect([0, coarse, 2 * coarse].map((span) => isShorter(span, found))).toEqual([true, false, false]);
  }
  expect(resolutionOf([])).toBeUndefined();
  expect(resolutionOf([3, 3])).toBeUndefined();
  expect(isShorter(0, undefined)).toBe(false);
});

test('the critical path is the heaviest chain, as trying them all finds it', () => {
  const random = numbers(3);
  for (let round = 0; round < 200; round++) {
    const count = 1 + Math.floor(random() * 9);
    // Numbers need not be in an order in which they can run.
    const order = Array.from({ length: count }, (_, op) => op).sort(() => random() - 0.5);
    const sets: number[][] = Array.from({ length: count }, () => []);
    for (let at = 0; at < count; at++)
      for (let before = 0; before < at; before++) if (random() < 0.4) sets[order[at]!]!.push(order[before]!);
    const took = Float64Array.from({ length: count }, () => Math.floor(random() * 5));
    const waitsStart = Uint32Array.from([0, ...sets.map((_, op) => sets.slice(0, op + 1).flat().length)]);
    const heaviest = (op: number): number => took[op]! + Math.max(0, ...sets[op]!.map(heaviest));
    const expected = Math.max(...sets.map((_, op) => heaviest(op)));
    const { ops, milliseconds } = criticalPath({ waitsStart, waits: Uint32Array.from(sets.flat()) }, took);
    expect(milliseconds).toBe(expected);
    expect(ops.reduce((sum, op) => sum + took[op]!, 0)).toBe(expected);
    for (let at = 1; at < ops.length; at++) expect(sets[ops[at]!]).toContain(ops[at - 1]);
  }
  const circle = { waitsStart: Uint32Array.of(0, 1, 2), waits: Uint32Array.of(1, 0) };
  expect(() => criticalPath(circle, Float64Array.of(1, 1))).toThrow(RangeError);
  expect(
    criticalPath({ waitsStart: Uint32Array.of(0), waits: new Uint32Array() }, new Float64Array()),
  ).toEqual({
    ops: [],
    milliseconds: 0,
  });
});

const ORIGIN = 1.79e12;

function trace(of: Partial<TraceView> & Pick<TraceView, 'phase' | 'role'>): TraceView {
  return {
    origin: ORIGIN,
    threads: 2,
    types: ['limb.ntt', 'limb.add'],
    type: Uint32Array.of(0, 1, 0),
    kernels: [['f64x2-fma', 'forward-8192-50:4,5,4 add u1 c3 t0'], ['scalar']],
    kernel: Uint32Array.of(0, 1, 0),
    waitsStart: Uint32Array.of(0, 0, 1, 1),
    waits: Uint32Array.of(0),
    op: Uint32Array.of(0, 2, 1),
    thread: Uint32Array.of(0, 1, 1),
    start: Float64Array.of(0, 0, 2),
    end: Float64Array.of(2, 1.5, 5),
    ...of,
  };
}

function phase(name: PhaseName, from: number, to: number): Phase {
  return {
    name,
    state: 'done',
    fraction: 1,
    start: ORIGIN + from,
    seconds: (to - from) / 1000,
    item: undefined,
  };
}

const recording = new Recording(
  [
    { ...phase('keys', 0, 0), start: undefined, state: 'kept', seconds: 2 },
    phase('encrypt', 0, 10),
    phase('evaluate', 10, 30),
    phase('decrypt', 30, 40),
  ],
  [
    trace({ phase: 'encrypt', role: 'client', origin: ORIGIN + 1 }),
    trace({
      phase: 'run',
      role: 'evaluator',
      origin: ORIGIN + 12,
      thread: Uint32Array.of(0, 3, 1),
      gpu: { device: 'a GPU', submissions: 1, queue: [], lost: undefined },
    }),
    trace({ phase: 'decrypt', role: 'client', origin: ORIGIN + 31 }),
  ],
);

test('a run is on one axis: its phases, both sides, all threads, and a GPU', () => {
  expect(recording.phases.map(({ name }) => name)).toEqual(['encrypt', 'evaluate', 'decrypt']);
  expect(recording.rows.map(({ short }) => short)).toEqual([
    ...['phases', 'client 0', 'client 1', 'eval. 0', 'eval. 1', 'GPU'],
  ]);
  expect(recording.rows.at(-1)!.name).toBe('evaluator, a GPU');
  expect(recording.lanes.map(({ op }) => op.length)).toEqual([3, 2, 4, 1, 1, 1]);
  expect([recording.origin, recording.length]).toEqual([ORIGIN, 40]);
  const span = recording.spanOf(1)!;
  expect([recording.type(span), recording.op(span)]).toEqual(['limb.add', 1]);
  expect([recording.start(span), recording.end(span)]).toEqual([14, 17]);
  expect(recording.spanOf(7)).toBeUndefined();
  expect([recording.kernels(0), recording.kernels(span)]).toEqual([undefined, 'scalar, built in']);
  expect(recording.kernels(recording.spanOf(0)!)).toBe(
    'f64x2-fma, built in; forward-8192-50:4,5,4 add u1 c3 t0, made at run time',
  );
  // 0 takes 2, and 1, which waits for it, 3.
  expect(recording.paths).toEqual([5, 5, 5]);
  const marked = Array.from(recording.critical.keys()).filter((at) => recording.critical[at] === 1);
  expect(marked.map((at) => recording.op(at))).toEqual([0, 1, 0, 1, 0, 1]);
  expect(recording.resolution).toBeCloseTo(0.5, 9);
});

test('what of a range or of chosen kinds there is adds up', () => {
  const isOperator = (span: number): boolean => !recording.isPhase(span);
  const typeOf = (span: number): string => recording.type(span);
  // Of the evaluation: 12 to 14 and 12 to 13.5 of transforms, 14 to 17 of a sum.
  expect(timeByType(recording.lanes, typeOf, { from: 13, to: 15 }, isOperator)).toEqual([
    { type: 'limb.ntt', count: 2, milliseconds: 1.5 },
    { type: 'limb.add', count: 1, milliseconds: 1 },
  ]);
  expect(timeByType(recording.lanes, typeOf, undefined, (span) => recording.critical[span] === 1)).toEqual([
    { type: 'limb.add', count: 3, milliseconds: 9 },
    { type: 'limb.ntt', count: 3, milliseconds: 6 },
  ]);
});

test('what is saved is a trace that Perfetto reads: every event complete, every process and thread named', async () => {
  const file = JSON.parse((await chromeTrace(recording)).join('')) as {
    traceEvents: {
      ph: string;
      name: string;
      pid: number;
      tid: number;
      ts: number;
      dur: number;
      args: { name?: string };
    }[];
  };
  const events = file.traceEvents;
  const spans = events.filter(({ ph }) => ph === 'X');
  expect(spans.length).toBe(recording.size);
  expect(new Set(events.map(({ ph }) => ph))).toEqual(new Set(['X', 'M']));
  const named = (kind: string): string[] =>
    events
      .filter(({ name }) => name === kind)
      .map(({ pid, tid }) => (kind === 'process_name' ? `${pid}` : `${pid} ${tid}`));
  for (const { pid, tid, ts, dur, name } of spans) {
    expect(named('process_name')).toContain(`${pid}`);
    expect(named('thread_name')).toContain(`${pid} ${tid}`);
    expect(name).not.toBe('');
    expect(Number.isFinite(ts) && ts >= 0 && dur >= 0).toBe(true);
  }
  // Where a thread does two things at a time, readers draw one into the other.
  for (const lane of new Set(spans.map(({ pid, tid }) => `${pid} ${tid}`))) {
    const own = spans.filter(({ pid, tid }) => `${pid} ${tid}` === lane).sort((a, b) => a.ts - b.ts);
    for (let at = 1; at < own.length; at++)
      expect(own[at]!.ts).toBeGreaterThanOrEqual(own[at - 1]!.ts + own[at - 1]!.dur - 0.5);
  }
  expect(spans.find(({ name, pid }) => name === 'limb.add' && pid === 3)).toMatchObject({
    ts: 14_000,
    dur: 3000,
    args: { kernel: 'scalar, built in' },
  });
});

test('repeated runs have a first time, a warm one and a median; a difference has its reason', () => {
  expect(runTimes([9])).toEqual({ first: 9, warm: undefined, median: undefined, runs: 1 });
  expect(runTimes([9, 3, 1, 2])).toEqual({ first: 9, warm: 1, median: 2, runs: 4 });
  expect(runTimes([9, 3, 1, 2, 5])).toMatchObject({ first: 9, median: 2.5 });
  expect(() => runTimes([])).toThrow(RangeError);

  const [, run] = recording.traces;
  // 6.5 ms of work on 2 threads, 5 ms from first to last.
  const told = compare(0.00325, 0.02, run!);
  const measured = told.parts.map((part) => Number((part.measured * 1000).toFixed(6)));
  expect(measured).toEqual([3.25, 1.75, 15]);
  expect(measured.reduce((a, b) => a + b)).toBeCloseTo(20, 9);
  expect(told.reason).toMatch(/around the operators/);
  expect(compare(0.001, 0.005, run!).reason).toMatch(/in the operators themselves: they took 3\.3 times/);
  expect(compare(0.0033, 0.005, run!).reason).toMatch(/threads wait/);
  expect(compare(0.1, 0.006, run!).reason).toMatch(/less than planned, most of it in the operators/);
  expect(compare(0.02, 0.0201, run!).reason).toMatch(/within a tenth/);
});
