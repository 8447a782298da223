/** A finished graph of a user's own: what becomes of it, and its runs. */
import { Dependencies } from './analysis.js';
import {
  CALL_OPTIONS,
  checkCall,
  CIRCUIT_RUN_OPTIONS,
  DATA,
  describe,
  EXPAND_OPTIONS,
  isName,
  OPTIMIZE_OPTIONS,
} from './arguments.js';
import { derived, type Origin } from './circuit-origin.js';
import { fromBytes, orderedData } from './data.js';
import { failure } from './errors.js';
import { isReserved, numberOf } from './graph-builder.js';
import type {
  Analysis,
  Circuit,
  CircuitRunOptions,
  DataArray,
  ExpandOptions,
  Operand,
  OptimizeOptions,
  Port,
  RunInputs,
  RunOutputs,
} from './graph-types.js';
import type { WorkerLoom } from './loom.js';
import { plannedBytes } from './planned.js';
import type { NamedBytes, RawPort } from './raw.js';
import { abortable, Resource } from './resource.js';
import type { CallOptions, GraphView, Progress } from './types.js';
import { type CallSettings, type Connection, Remote } from './worker/connection.js';
import type { Args, GraphMethods, Handle, OpenCircuit, Result } from './worker/protocol.js';

/** The work behind a new circuit, as progress tells it. */
type Making = Extract<Progress['phase'], 'build' | 'expand' | 'optimize'>;

/** See {@link Circuit}. */
export class WorkerCircuit extends Resource implements Circuit {
  readonly id: string;
  readonly operators: number;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly #loom: WorkerLoom;
  readonly #origin: Origin;
  readonly #opened: Remote<GraphMethods>;

  private constructor(
    loom: WorkerLoom,
    origin: Origin,
    connection: Connection<GraphMethods>,
    opened: OpenCircuit,
  ) {
    const inputs = opened.inputs.map(describePort);
    const outputs = opened.outputs.map(describePort);
    checkNames([...inputs, ...outputs], outputs);
    const remote = new Remote<GraphMethods>(
      async (connection) => (await loom.own.resolved(connection, () => origin.make(connection))).circuit,
      (connection, handle) => connection.send('free', [handle]),
    );
    remote.adopt(connection, Promise.resolve(opened.circuit));
    super('circuit', () => remote.free());
    this.id = opened.id;
    this.operators = opened.operators;
    this.inputs = inputs;
    this.outputs = outputs;
    this.#loom = loom;
    this.#origin = origin;
    this.#opened = remote;
  }

  /** Makes a circuit. Errors of calls are told where these were made. */
  static async open(
    loom: WorkerLoom,
    phase: Making,
    origin: Origin,
    signal: AbortSignal,
    onProgress: CallOptions['onProgress'],
  ): Promise<WorkerCircuit> {
    onProgress?.({ phase, done: 0, total: 1 });
    const { connection } = await abortable(loom.graphs.worker(), signal);
    const during = growing(onProgress && ((done) => onProgress({ phase, done, total: 1 })));
    const make = (): Promise<OpenCircuit> => origin.make(connection, { signal, onProgress: during });
    const opened = await loom.own.resolved(connection, make).catch((error: unknown) => {
      throw origin.recording?.located(error) ?? error;
    });
    try {
      const circuit = new WorkerCircuit(loom, origin, connection, opened);
      onProgress?.({ phase, done: 1, total: 1 });
      return circuit;
    } catch (error) {
      connection.send('free', [opened.circuit]);
      throw error;
    }
  }

  async expand(options: ExpandOptions & CallOptions): Promise<Circuit> {
    checkCall('expand', {}, options, EXPAND_OPTIONS);
    const { platform, level, steps } = options;
    // A copy: it may be needed again after a restart.
    const base = options.base && [...options.base];
    const given = Object.entries({ platform, base, level, steps }).filter(([, value]) => value !== undefined);
    if (given.length !== 1) {
      const expected = 'exactly one of platform, base, level, steps';
      const found = given.map(([name]) => name).join(', ') || 'none of them';
      throw failure('input.option', `expand: expected ${expected}, found ${found}`, { found, expected });
    }
    const wanted = Object.fromEntries(given) as ExpandOptions;
    return this.#derive('expand', derived(this.#origin, this.#opened, 'expand', wanted), options);
  }

  async optimize(options: OptimizeOptions & CallOptions = {}): Promise<Circuit> {
    checkCall('optimize', {}, options, OPTIMIZE_OPTIONS);
    const passes = options.passes && [...options.passes];
    return this.#derive('optimize', derived(this.#origin, this.#opened, 'optimize', passes), options);
  }

  async analyze(options: CallOptions = {}): Promise<Analysis> {
    checkCall('analyze', {}, options, CALL_OPTIONS);
    return new Dependencies(await this.#ask('analyze', options, 'analyze'));
  }

  async toText(options: CallOptions = {}): Promise<string> {
    checkCall('toText', {}, options, CALL_OPTIONS);
    return this.#ask('text', options);
  }

  async toBytes(options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('toBytes', {}, options, CALL_OPTIONS);
    return this.#ask('bytes', options, 'save');
  }

  async graph(options: CallOptions = {}): Promise<GraphView> {
    checkCall('graph', {}, options, CALL_OPTIONS);
    return this.#ask('view', options);
  }

  async run(inputs: RunInputs, options: CircuitRunOptions = {}): Promise<RunOutputs> {
    checkCall('run', { inputs: [inputs, DATA] }, options, CIRCUIT_RUN_OPTIONS);
    const signal = this.signal(options.signal);
    const { keep = [], platform, secret = false, onProgress, onTrace } = options;
    const numbers = new Map(keep.map((operand, index) => [this.#kept(operand, index), operand] as const));
    const data = orderedData(this.inputs, inputs);
    const { connection, memoryBytes } = await abortable(this.#loom.graphs.worker(), signal);
    const circuit = await abortable(this.#opened.in(connection), signal);
    const { memoryLimit = plannedBytes(memoryBytes, this.#loom.mode.threads) } = options;
    const names = this.inputs.map(({ name }) => name);
    const sent = [
      circuit,
      names,
      data,
      Uint32Array.from(numbers.keys()),
      { platform, memoryLimit, secret },
      onTrace !== undefined,
    ] satisfies Args<GraphMethods, 'run'>;
    const { objects, kept, trace } = await connection.call('run', sent, {
      signal,
      watched: true,
      transfer: data.map(({ buffer }) => buffer),
      onProgress: onProgress && ((progress) => onProgress({ phase: 'run', ...progress })),
    });
    onProgress?.({ phase: 'run', done: this.operators, total: this.operators });
    if (trace !== undefined) onTrace?.(trace);
    const outputs = byName(this.outputs, objects);
    const values = byName(kept.map(describePort), objects);
    const found = [...numbers].map(([number, operand]) => [operand, values[`%${number}`]] as const);
    return Object.defineProperty(outputs, 'kept', {
      value: new Map(found as (readonly [Operand, DataArray])[]),
    }) as unknown as RunOutputs;
  }

  async #derive(phase: Making, origin: Origin, options: CallOptions): Promise<Circuit> {
    const signal = this.signal(options.signal);
    const { connection } = await abortable(this.#loom.graphs.worker(), signal);
    // Made here again after a restart, it stays.
    await abortable(this.#opened.in(connection), signal);
    return WorkerCircuit.open(this.#loom, phase, origin, signal, options.onProgress);
  }

  async #ask<K extends 'analyze' | 'text' | 'bytes' | 'view'>(
    method: K,
    options: CallOptions,
    phase?: Progress['phase'],
  ): Promise<Result<GraphMethods, K>> {
    const { onProgress } = options;
    const told = phase && onProgress && ((done: number) => onProgress({ phase, done, total: 1 }));
    const signal = this.signal(options.signal);
    const { connection } = await abortable(this.#loom.graphs.worker(), signal);
    const circuit: Handle = await abortable(this.#opened.in(connection), signal);
    const settings = { signal, watched: true, onProgress: growing(told) };
    const result = await connection.call(method, [circuit] as Args<GraphMethods, K>, settings);
    told?.(1);
    return result;
  }

  /** Number of an operand that is wanted. Errors: as of {@link numberOf}, GraphError `operand.not_kept`. */
  #kept(operand: Operand, index: number): number {
    const where = `run, option keep, operand ${index}`;
    const { recording, mark } = this.#origin;
    const number = numberOf(where, recording, operand);
    if (mark !== undefined && number < mark.operands) return number;
    throw failure('operand.not_kept', `${where}: it was made after the circuit was built`, {
      where,
      operand: `%${number}`,
    });
  }
}

/** Tells only what is more than was told: a worker begins anew with what it was not told of before. */
function growing(tell: ((done: number) => void) | undefined): CallSettings['onProgress'] {
  let most = 0;
  return ({ done }) => {
    if (done <= most) return;
    most = done;
    tell?.(done);
  };
}

function describePort({ name, type, element, shape, bytes }: RawPort): Port {
  const tensor = {
    element: element ?? undefined,
    shape: shape === null ? undefined : Object.freeze([...shape]),
  };
  return Object.freeze({ name, type, ...tensor, bytes });
}

/** Errors: FormatError if a name is none that a builder would take: who wrote a text may not have asked one. */
function checkNames(ports: readonly Port[], outputs: readonly Port[]): void {
  const bad = ports.find(({ name }) => !isName(name)) ?? outputs.find(({ name }) => isReserved(name));
  if (bad === undefined) return;
  const problem = `Not a circuit: ${describe(bad.name)} is no name of an input or output`;
  throw failure('format.circuit', problem, { name: bad.name });
}

/** Data by name, in the order of the ports. */
function byName(ports: readonly Port[], objects: readonly NamedBytes[]): Record<string, DataArray> {
  const found = new Map(objects.flatMap(({ names, bytes }) => names.map((name) => [name, bytes] as const)));
  return Object.fromEntries(
    ports.map((port) => [port.name, fromBytes(port, found.get(port.name) ?? new Uint8Array())] as const),
  );
}
