/** A finished graph of a user's own: what becomes of it, and its runs. */
import { Dependencies } from './analysis.js';
import {
  CALL_OPTIONS,
  checkArgument,
  checkCall,
  CIRCUIT_RUN_OPTIONS,
  DATA,
  describe,
  EXPAND_OPTIONS,
  isName,
  OPTIMIZE_OPTIONS,
  PLACE_OPTIONS,
  PROTECT_OPTIONS,
  SEED,
  VERIFY_OPTIONS,
  wrongType,
} from './arguments.js';
import { derived, type Deriving, type Origin } from './circuit-origin.js';
import { fromBytes, orderedData } from './data.js';
import { failure, GpuError } from './errors.js';
import { isReserved, numberOf } from './graph-builder.js';
import type {
  Analysis,
  Circuit,
  CircuitRunOptions,
  DataArray,
  ExpandOptions,
  Growth,
  Operand,
  OptimizeOptions,
  PlaceOptions,
  PlatformName,
  Port,
  ProtectOptions,
  RunInputs,
  RunOutputs,
} from './graph-types.js';
import type { WorkerLoom } from './loom.js';
import type { OwnOperators } from './own-operators.js';
import { plannedBytes } from './planned.js';
import type { NamedBytes, RawExpandOptions, RawOutgoing, RawPort, RawUse } from './raw.js';
import { abortable, Resource } from './resource.js';
import { told } from './tracing.js';
import type { CallOptions, GraphView, PlacementTrace, Progress } from './types.js';
import { type CallSettings, type Connection, Remote } from './worker/connection.js';
import { readCheck, verification } from './verification.js';
import type { Verification, VerifyOptions } from './verification-types.js';
import type {
  Args,
  CheckRecord,
  GraphMethods,
  Handle,
  OpenCircuit,
  Result,
  VerifyRequest,
} from './worker/protocol.js';

/** The work behind a new circuit, as progress tells it. */
type Making = Extract<Progress['phase'], 'build' | Deriving>;

/** See {@link Circuit}. */
export class WorkerCircuit extends Resource implements Circuit {
  readonly id: string;
  readonly operators: number;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly growth: Growth | undefined;
  readonly placement: PlacementTrace | undefined;
  readonly #loom: WorkerLoom;
  readonly #origin: Origin;
  readonly #opened: Remote<GraphMethods>;
  /** What is measured for its runs, by the platforms of these. */
  readonly #runs = new Map<string, object>();

  private constructor(
    loom: WorkerLoom,
    origin: Origin,
    connection: Connection<GraphMethods>,
    opened: OpenCircuit,
  ) {
    const inputs = opened.inputs.map(describePort);
    const outputs = opened.outputs.map(describePort);
    checkPortNames([...inputs, ...outputs], outputs);
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
    this.growth = opened.growth;
    this.placement = opened.placement;
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
    const opened = await loom.own.resolved(connection, make, signal).catch((error: unknown) => {
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
    const wanted = expansionWanted(options);
    return this.#derive('expand', derived(this.#origin, this.#opened, 'expand', [wanted]), options);
  }

  async place(options: PlaceOptions & CallOptions = {}): Promise<Circuit> {
    checkCall('place', {}, options, PLACE_OPTIONS);
    const { platform = USUAL, pin = {}, times } = options;
    const platforms = preferred(platform);
    const pins: [string[], string[]] = [Object.keys(pin), Object.values(pin)];
    const table =
      times === 'measured'
        ? await this.#measured(platforms, this.signal(options.signal))
        : times && JSON.stringify(times);
    const origin =
      table === undefined
        ? derived(this.#origin, this.#opened, 'place', [platforms, ...pins])
        : derived(this.#origin, this.#opened, 'placeByTimes', [platforms, table, ...pins]);
    return this.#derive('place', origin, options);
  }

  async optimize(options: OptimizeOptions & CallOptions = {}): Promise<Circuit> {
    checkCall('optimize', {}, options, OPTIMIZE_OPTIONS);
    const passes = options.passes && [...options.passes];
    return this.#derive('optimize', derived(this.#origin, this.#opened, 'optimize', [passes]), options);
  }

  async protect(options: ProtectOptions & CallOptions): Promise<Circuit> {
    checkCall('protect', {}, options, PROTECT_OPTIONS);
    checkArgument('protect, option seed', options.seed, SEED);
    const { kinds, growth, keep, anonymous } = options;
    // Copies: they may be needed again after a restart.
    const policy = { seed: options.seed.slice(), kinds: kinds && [...kinds], growth, keep, anonymous };
    return this.#derive('protect', derived(this.#origin, this.#opened, 'protect', [policy]), options);
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

  async verify(options: VerifyOptions = {}): Promise<Verification> {
    checkCall('verify', {}, options, VERIFY_OPTIONS);
    const signal = this.signal(options.signal);
    const { against, passes, platforms, platform, trials = 6, seed, inputs = {}, onProgress } = options;
    const unsaid = against === undefined && passes === undefined && platforms === undefined;
    const given = this.inputs.filter(({ name }) => inputs[name] !== undefined);
    const data = orderedData(given, inputs, this.inputs);
    const { connection } = await abortable(this.#loom.graphs.worker(), signal);
    const circuit = await abortable(this.#opened.in(connection), signal);
    const other = against && (await abortable(this.#sibling(against).#opened.in(connection), signal));
    const request: VerifyRequest = {
      against: other,
      passes: unsaid ? undefined : [...(passes ?? [])],
      platforms: unsaid ? ['simd', 'scalar'] : [...(platforms ?? [])],
      trials: {
        platform,
        rounds: trials,
        first: 0,
        seed: seed === undefined ? undefined : BigInt(seed),
        names: given.map(({ name }) => name),
        data,
      },
    };
    const verify = (): Promise<CheckRecord[]> =>
      connection.call('verify', [circuit, request], {
        signal,
        onProgress: onProgress && ((progress) => onProgress({ phase: 'verify', ...progress })),
      });
    const checks = await this.#loom.own.resolved(connection, verify, signal);
    onProgress?.({ phase: 'verify', done: checks.length, total: checks.length });
    return verification(checks.map(readCheck));
  }

  async run(inputs: RunInputs, options: CircuitRunOptions = {}): Promise<RunOutputs> {
    checkCall('run', { inputs: [inputs, DATA] }, options, CIRCUIT_RUN_OPTIONS);
    return this.runWith(inputs, options, undefined);
  }

  /** As `run`, with what sends and receives in the circuit of a cut. */
  runWith(
    inputs: RunInputs,
    options: CircuitRunOptions,
    exchange: Pick<OwnOperators, 'compute'> | undefined,
  ): Promise<RunOutputs> {
    return this.during(options.signal, (signal) => this.#runUntil(signal, inputs, options, exchange));
  }

  async #runUntil(
    signal: AbortSignal,
    inputs: RunInputs,
    options: CircuitRunOptions,
    exchange: Pick<OwnOperators, 'compute'> | undefined,
  ): Promise<RunOutputs> {
    const { keep = [], platform = USUAL, secret = false, onProgress, onTrace } = options;
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
      { platforms: preferred(platform), memoryLimit, secret },
      onTrace !== undefined,
    ] satisfies Args<GraphMethods, 'run'>;
    // What users' functions still compute when the run has ended, by an error too, is nobody's any more.
    const ended = new AbortController();
    const computing = AbortSignal.any([signal, ended.signal]);
    const answered = await connection
      .call('run', sent, {
        signal,
        watched: true,
        transfer: data.map(({ buffer }) => buffer),
        onProgress: onProgress && ((progress) => onProgress({ phase: 'run', ...progress })),
        answer: async (outgoing) => {
          const call = outgoing as RawOutgoing;
          const ends = call.platform === PARTY ? (exchange ?? NO_EXCHANGE) : this.#loom.own;
          const bytes = await ends.compute(call, computing);
          return [bytes, [bytes.buffer]];
        },
      })
      .finally(() => ended.abort());
    onProgress?.({ phase: 'run', done: this.operators, total: this.operators });
    const { objects, kept } = told(answered, onTrace, { phase: 'run', role: 'graph' });
    const outputs = byName(this.outputs, objects);
    const values = byName(kept.map(describePort), objects);
    const found = [...numbers].map(([number, operand]) => [operand, values[`%${number}`]] as const);
    return Object.defineProperty(outputs, 'kept', {
      value: new Map(found as (readonly [Operand, DataArray])[]),
    }) as unknown as RunOutputs;
  }

  /**
   * The times of this device as the core reads them, once what runs on these platforms are made of was measured; a table of nothing where there is no GPU. Errors: as of
   * opening the circuit; WorkerError, MemoryError of a worker that measures.
   */
  async #measured(platforms: string[], signal: AbortSignal): Promise<string> {
    const times = await abortable(this.#loom.deviceTimes(), signal);
    const name = platforms.join();
    const runs = this.#runs.get(name) ?? {};
    this.#runs.set(name, runs);
    const learned = times.learn(runs, async () => {
      const alive = this.signal(undefined);
      const { connection } = await abortable(this.#loom.graphs.worker(), alive);
      const circuit = await abortable(this.#opened.in(connection), alive);
      const ask = (): Promise<readonly RawUse[]> =>
        connection.call('usesOf', [circuit, platforms], { signal: alive, watched: true });
      return this.#loom.own.resolved(connection, ask, alive);
    });
    try {
      return await abortable(learned, signal);
    } catch (error) {
      if (error instanceof GpuError) return times.none;
      throw error;
    }
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

  /** Another circuit of this loom. Errors: InputError `input.type`, GraphError `graph.foreign`. */
  #sibling(other: Circuit): WorkerCircuit {
    if (other instanceof WorkerCircuit && other.#loom === this.#loom) {
      other.checkLife();
      return other;
    }
    const where = 'verify, option against';
    if (other instanceof WorkerCircuit) {
      const [found, expected] = ['a circuit of another loom', 'one of this loom'];
      throw failure('graph.foreign', `${where}: ${found}, expected ${expected}`, { where, found, expected });
    }
    const [found, expected] = [describe(other), 'a circuit'];
    throw wrongType(where, expected, found);
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

/** The platform of what parties send each other. */
const PARTY = 'party';
const NO_EXCHANGE: Pick<OwnOperators, 'compute'> = {
  compute: async ({ name }) => {
    const problem = `operator ${name} has no transport: the circuit of a cut runs by the cut's run`;
    throw failure('party.transport', problem, { operator: name });
  },
};

/** How far to expand, as the core is told. Errors: InputError `input.option` for none or several of the ways. */
export function expansionWanted({ platform, level, steps, base: names }: ExpandOptions): RawExpandOptions {
  // Copies: they may be needed again after a restart.
  const platforms = platform && preferred(platform);
  const base = names && [...names];
  const given = Object.entries({ platforms, base, level, steps }).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const expected = 'exactly one of platform, base, level, steps';
    const found =
      given.map(([name]) => (name === 'platforms' ? 'platform' : name)).join(', ') || 'none of them';
    throw failure('input.option', `expand: expected ${expected}, found ${found}`, { found, expected });
  }
  return { platforms: [], ...Object.fromEntries(given) };
}

/** Vectors where they serve, and users' own base operators. */
const USUAL: readonly PlatformName[] = ['simd', 'javascript'];

function preferred(platform: PlatformName | readonly PlatformName[]): PlatformName[] {
  return typeof platform === 'string' ? [platform] : [...platform];
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

/** A port as people read it. */
export function describePort({ name, type, element, shape, bytes }: RawPort): Port {
  const tensor = {
    element: element ?? undefined,
    shape: shape === null ? undefined : Object.freeze([...shape]),
  };
  return Object.freeze({ name, type, ...tensor, bytes });
}

/** Errors: FormatError if a name is none that a builder would take: who wrote a text may not have asked one. */
export function checkPortNames(ports: readonly Port[], outputs: readonly Port[]): void {
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
