/** All that one run did, on both sides, on one axis: the page's phases, and the spans of every trace. */
import { kernelsText, type TraceView } from 'cipherloom';
import { evaluationOf } from '../run/evaluation.js';
import { laneOf } from '../run/lane.js';
import type { Phase, PhaseName } from '../run/phases.js';
import { isShorter, resolutionOf } from './clock.js';
import { criticalPath } from './critical-path.js';
import { type Lane, lanesOf, lengthOf } from './spans.js';

/** What a lane is: the page's phases, a thread of a side, what functions of one's own compute, or a device. */
export interface Row {
  readonly side: 'page' | 'client' | 'evaluator';
  /** At most eight letters. */
  readonly short: string;
  readonly name: string;
}

const SIDES = ['client', 'evaluator'] as const;

/** Numbers of `Lane.op` are spans: the phases come first, then the spans of the traces, in their order. */
export class Recording {
  readonly phases: readonly Phase[];
  readonly traces: readonly TraceView[];
  readonly rows: readonly Row[];
  readonly lanes: readonly Lane[];
  /** Milliseconds since 1970 at 0 of the axis. */
  readonly origin: number;
  /** Milliseconds from there to the last end. */
  readonly length: number;
  /** Least difference of two times, milliseconds; undefined where nothing tells. */
  readonly resolution: number | undefined;
  /** By span, 1 on the critical path of its trace. */
  readonly critical: Uint8Array;
  /** By trace, the time of its critical path. */
  readonly paths: readonly number[];
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  readonly #trace: Uint32Array;
  readonly #first: readonly number[];

  /** Of a run that is done; phases that had been done before it are left out. */
  constructor(phases: readonly Phase[], traces: readonly TraceView[]) {
    this.phases = phases.filter(({ start, seconds }) => start !== undefined && seconds !== undefined);
    this.traces = traces;
    const begins = [...this.phases.map(({ start }) => start!), ...traces.map(({ origin }) => origin)];
    this.origin = begins.length === 0 ? 0 : begins.reduce((a, b) => Math.min(a, b));
    let size = this.phases.length;
    this.#first = traces.map(({ op }) => (size += op.length) - op.length);
    this.rows = rowsOf(traces);
    const row = new Map(this.rows.map(({ side, short }, index) => [`${side} ${short}`, index]));
    this.#start = new Float64Array(size);
    this.#end = new Float64Array(size);
    this.#trace = new Uint32Array(size);
    this.critical = new Uint8Array(size);
    const thread = new Uint32Array(size);
    for (const [index, { start, seconds }] of this.phases.entries()) {
      this.#start[index] = start! - this.origin;
      this.#end[index] = start! - this.origin + seconds! * 1000;
    }
    for (const [index, trace] of traces.entries()) {
      const [first, since] = [this.#first[index]!, trace.origin - this.origin];
      for (let at = 0; at < trace.op.length; at++) {
        this.#start[first + at] = since + trace.start[at]!;
        this.#end[first + at] = since + trace.end[at]!;
        this.#trace[first + at] = index;
        thread[first + at] = row.get(`${trace.role} ${shortName(trace, trace.thread[at]!)}`)!;
      }
    }
    const op = Uint32Array.from({ length: size }, (_, span) => span);
    this.lanes = lanesOf({ op, thread, start: this.#start, end: this.#end }, this.rows.length);
    this.length = lengthOf(this.lanes);
    this.resolution = leastResolution(traces);
    this.paths = traces.map((trace, index) => this.#markPath(trace, this.#first[index]!));
  }

  get size(): number {
    return this.#start.length;
  }

  isPhase(span: number): boolean {
    return span < this.phases.length;
  }

  /** Name of the phase, or type of the operator. */
  type(span: number): string {
    if (this.isPhase(span)) return this.phases[span]!.name;
    const { types, type } = this.trace(span);
    return types[type[this.op(span)]!]!;
  }

  /** The trace that a span is of; phases have none. */
  trace(span: number): TraceView {
    return this.traces[this.#trace[span]!]!;
  }

  /** Number of the operator in the graph of its trace. */
  op(span: number): number {
    return this.trace(span).op[span - this.#first[this.#trace[span]!]!]!;
  }

  /** Which kernels computed it, and why; phases have none. */
  kernels(span: number): string | undefined {
    return this.isPhase(span) ? undefined : kernelsText(this.trace(span), this.op(span));
  }

  /** Index of the evaluation among the traces; undefined where there was none. */
  get evaluation(): number | undefined {
    const trace = evaluationOf(this.traces);
    return trace && this.traces.indexOf(trace);
  }

  /** The first span of an operator of the evaluation. */
  spanOf(op: number): number | undefined {
    const trace = this.evaluation;
    const at = trace === undefined ? -1 : this.traces[trace]!.op.indexOf(op);
    return at === -1 ? undefined : this.#first[trace!]! + at;
  }

  start(span: number): number {
    return this.#start[span]!;
  }

  end(span: number): number {
    return this.#end[span]!;
  }

  isShort(span: number): boolean {
    return isShorter(this.#end[span]! - this.#start[span]!, this.resolution);
  }

  #markPath(trace: TraceView, first: number): number {
    const took = new Float64Array(trace.type.length);
    for (const [at, op] of trace.op.entries()) took[op]! += trace.end[at]! - trace.start[at]!;
    const { ops, milliseconds } = criticalPath(trace, took);
    const on = new Set(ops);
    for (const [at, op] of trace.op.entries()) if (on.has(op)) this.critical[first + at] = 1;
    return milliseconds;
  }
}

/** Threads have clocks of their own, which began at other times: differences are between times of one thread. */
function leastResolution(traces: readonly TraceView[]): number | undefined {
  let least: number | undefined;
  for (const trace of traces)
    for (const { start, end } of lanesOf(trace)) {
      const found = resolutionOf([...start, ...end]);
      if (found !== undefined && !(least !== undefined && least < found)) least = found;
    }
  return least;
}

/** The phase of the page that a trace belongs to. */
export function phaseOf({ phase }: TraceView): PhaseName {
  return phase === 'run' ? 'evaluate' : phase;
}

function shortName(trace: TraceView, thread: number): string {
  const lane = laneOf(trace, thread);
  return lane === 'thread' ? `${trace.role === 'client' ? 'client' : 'eval.'} ${thread}` : lane;
}

/** Every thread of every pool has a row, whether it did anything or not. */
function rowsOf(traces: readonly TraceView[]): Row[] {
  const rows: Row[] = [{ side: 'page', short: 'phases', name: 'phases, as the page sees them' }];
  for (const side of SIDES) {
    const own = traces.filter(({ role }) => role === side);
    const last = own.reduce(
      (most, { threads, thread }) => Math.max(most, threads - 1, ...new Set(thread)),
      -1,
    );
    for (let thread = 0; thread <= last; thread++) {
      const trace = own.find(({ threads, thread: all }) => thread < threads || all.includes(thread));
      if (trace === undefined) continue;
      const short = shortName(trace, thread);
      const gpu = trace.gpu?.device ?? 'GPU';
      const lanes = { own: 'functions of one’s own', GPU: gpu, copies: `copies to ${gpu} and back` };
      const what = (lanes as Record<string, string>)[short] ?? `thread ${thread}`;
      rows.push({ side, short, name: `${side}, ${what}` });
    }
  }
  return rows;
}
