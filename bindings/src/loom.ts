/** The workers, and what is made with them. */
import {
  BYTES,
  CALL_OPTIONS,
  checkArgument,
  checkCall,
  checkOptions,
  COMPILE_OPTIONS,
  CONFORMANCE_OPTIONS,
  GRAPH_OPTIONS,
  OPEN_OPTIONS,
  OPERATOR_DEFINITION,
  SAVED_CIRCUIT,
  TASK,
  TASKS,
} from './arguments.js';
import { movable } from './bytes.js';
import { recorded, saved } from './circuit-origin.js';
import { WorkerCircuit } from './circuit.js';
import type { Choice } from './choose-mode.js';
import { DisposedError } from './errors.js';
import { GraphRecorder } from './graph-builder.js';
import type { Circuit, GraphBuilder, GraphOptions, OperatorDefinition } from './graph-types.js';
import { OwnOperators } from './own-operators.js';
import { plannedBytes } from './planned.js';
import { kernelsFor, type RawKernel } from './raw.js';
import { abortable, Resource } from './resource.js';
import type { SharedGraph } from './parties/types.js';
import type { DeviceTimes } from './gpu/times.js';
import type { CallOptions, GpuTimes, LoadOptions, Loom, Mode } from './types.js';
import { givenParameters, givenPasses, givenReleases, levelOf } from './values/program-info.js';
import { CompiledProgram } from './values/program.js';
import { stepsOf } from './values/steps.js';
import { TaskBuilder } from './values/task.js';
import type { LoomTask, CompileOptions, OpenOptions, Program, Task } from './values/types.js';
import { conformance } from './verification.js';
import type { Conformance, ConformanceOptions } from './verification-types.js';
import { ClientWorkers } from './worker/client-workers.js';
import { aboutPrograms, type Connection } from './worker/connection.js';
import { createWorker, type Engine, memoryFor, type Recipe, startEngine } from './worker/engine.js';
import { LazyEngine } from './worker/lazy-engine.js';
import type { SharedMemory } from './worker/memory.js';
import { OperatorWorkers } from './worker/operator-workers.js';
import type { ClientMethods, ConformanceMethods, EvaluatorMethods, GraphMethods } from './worker/protocol.js';
import { moduleOf } from './worker/wasm-module.js';

/** The workers of a loom. */
interface Workers {
  readonly clients: ClientWorkers;
  readonly evaluator: LazyEngine<EvaluatorMethods>;
  readonly graphs: LazyEngine<GraphMethods>;
}

/** What is there when a loom begins: `memory` for its evaluator, or the evaluator itself. */
interface Begun {
  readonly client: Engine<ClientMethods>;
  readonly evaluator: Engine<EvaluatorMethods> | undefined;
  readonly memory: SharedMemory | undefined;
}

/** See {@link Loom}. */
export class WorkerLoom extends Resource implements Loom {
  readonly mode: Mode;
  readonly version: string;
  /** Operators of users' own. */
  readonly own: OwnOperators;
  readonly #recipe: Recipe;
  readonly #wasm: LoadOptions['wasm'];
  readonly #workers: Workers;
  readonly #gpuTimes: LoadOptions['gpuTimes'];
  #restarting: Promise<void> | undefined;
  #deviceTimes: Promise<DeviceTimes> | undefined;

  private constructor(
    recipe: Recipe,
    { wasm, kernels: chosen, gpuTimes }: Pick<LoadOptions, 'wasm' | 'kernels' | 'gpuTimes'>,
    { client, evaluator, memory }: Begun,
  ) {
    const ended = new AbortController();
    const clients = new ClientWorkers(client.connection, async () => {
      return (await startEngine<ClientMethods>('client', recipe, ended.signal)).connection;
    });
    let module: Recipe['module'] | undefined;
    const ofGraphs = (): Recipe => {
      // Kept for later starts, but for one that could not be had.
      module ??= moduleOf('graphs', recipe.choice.variant, wasm, ended.signal);
      module.catch(() => (module = undefined));
      return { ...recipe, module };
    };
    let reserved = memory;
    const evaluators = new LazyEngine(() => {
      const own = reserved;
      reserved = undefined;
      return startEngine<EvaluatorMethods>('evaluator', recipe, ended.signal, own);
    }, evaluator);
    const graphs = new LazyEngine(() => startEngine<GraphMethods>('graph', ofGraphs(), ended.signal));
    const operators = new OperatorWorkers(
      () => createWorker('operator', recipe.worker),
      recipe.choice.threads,
    );
    const workers = { clients, evaluator: evaluators, graphs };
    super('loom', () => {
      ended.abort(new DisposedError('disposed', 'The loom was disposed'));
      clients.close();
      evaluators.close();
      reserved = undefined;
      graphs.close();
      operators.close();
    });
    this.own = new OwnOperators(operators);
    const { variant, threads, reasons } = recipe.choice;
    const made = kernelsFor(variant, recipe.kernels).map(({ name }) => name);
    this.mode = {
      variant,
      threads,
      reasons,
      memoryBytes: Math.min(
        client.memoryBytes,
        evaluator?.memoryBytes ?? memory?.maximumBytes ?? client.memoryBytes,
      ),
      kernels: made,
      chosen: chosen?.chosen.filter(({ name }) => made.includes(name)) ?? [],
    };
    this.version = client.version;
    this.#recipe = recipe;
    this.#wasm = wasm;
    this.#gpuTimes = gpuTimes;
    this.#workers = workers;
  }

  /**
   * Starts both workers; none is left if one fails. Where they have threads, which are workers, too, the evaluator starts behind the client, and is not waited for: its memory is
   * reserved first, since that is what may not be had. Where a program is run before it is there, the run waits.
   */
  static async start(
    choice: Choice,
    module: Recipe['module'],
    options: Pick<LoadOptions, 'wasm' | 'gpuTimes' | 'signal' | 'kernels'>,
    worker: Recipe['worker'],
    kernels: readonly RawKernel[],
  ): Promise<WorkerLoom> {
    const failed = new AbortController();
    const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
    const recipe: Recipe = { choice, module, worker, kernels };
    const memory = memoryFor(choice);
    const client = startEngine<ClientMethods>('client', recipe, signal);
    const evaluator =
      memory === undefined ? startEngine<EvaluatorMethods>('evaluator', recipe, signal) : undefined;
    try {
      const [begun, started] = await Promise.all([client, evaluator]);
      const loom = new WorkerLoom(recipe, options, { client: begun, evaluator: started, memory });
      // Whoever runs something is told of what goes wrong.
      loom.evaluator.worker().catch(() => {});
      return loom;
    } catch (error) {
      failed.abort();
      for (const engine of [client, evaluator])
        engine?.then(
          ({ connection }) => connection.close(),
          () => {},
        );
      throw error;
    }
  }

  /** The workers that hold secret keys. */
  get clients(): ClientWorkers {
    this.checkLife();
    return this.#workers.clients;
  }

  /** The worker that computes. */
  get evaluator(): LazyEngine<EvaluatorMethods> {
    this.checkLife();
    return this.#workers.evaluator;
  }

  /** The worker for graphs of users' own. */
  get graphs(): LazyEngine<GraphMethods> {
    this.checkLife();
    return this.#workers.graphs;
  }

  task(): LoomTask {
    return new LoomTaskBuilder(this);
  }

  async compile(task: Task, options: CompileOptions & CallOptions = {}): Promise<Program> {
    checkCall('compile', { task: [task, TASK] }, options, COMPILE_OPTIONS);
    const [program] = await this.#compileAll([task], options);
    return program as Program;
  }

  async compileAll<const T extends readonly Task[]>(
    tasks: T,
    options: CompileOptions & CallOptions = {},
  ): Promise<{ -readonly [K in keyof T]: Program }> {
    checkCall('compileAll', { tasks: [tasks, TASKS] }, options, COMPILE_OPTIONS);
    return (await this.#compileAll(tasks, options)) as { -readonly [K in keyof T]: Program };
  }

  async #compileAll(tasks: readonly Task[], options: CompileOptions & CallOptions): Promise<Program[]> {
    const { steps, under } = stepsOf(tasks, options.scheme ?? options.parameters?.scheme);
    const {
      scheme,
      n,
      precision,
      keyBytes,
      publicKey,
      parties,
      allowInsecure,
      parameters: given = under,
      onProgress,
    } = options;
    const level = levelOf(options.security, given);
    const parameters = given && givenParameters(given);
    const passes = options.passes && givenPasses(options.passes);
    const releases = options.releases && givenReleases(options.releases);
    const { memoryLimit = plannedBytes(this.mode.memoryBytes, this.mode.threads) } = options;
    const signal = this.signal(options.signal);
    onProgress?.({ phase: 'compile', done: 0, total: 1 });
    const { main } = this.clients;
    const opened = await main.call(
      'compile',
      [
        steps,
        {
          scheme,
          ...level,
          allowInsecure,
          n,
          precision,
          memoryLimit,
          keyBytes,
          parameters,
          passes,
          publicKey,
          releases,
          parties,
        },
      ],
      {
        signal,
        watched: true,
        onProgress: onProgress && ((progress) => onProgress({ phase: 'compile', ...progress })),
      },
      (opened) => opened.forEach(({ program }) => main.send('freeProgram', [program])),
    );
    onProgress?.({ phase: 'compile', done: 1, total: 1 });
    return opened.map((one) => new CompiledProgram(this, 'task', aboutPrograms(main), one));
  }

  async program(bytes: Uint8Array, options: OpenOptions = {}): Promise<Program> {
    checkCall('program', { bytes: [bytes, BYTES] }, options, OPEN_OPTIONS);
    const signal = this.signal(options.signal);
    const own = movable(bytes);
    // Whoever made it may want to do harm: it is opened where there are no keys.
    const { connection } = await abortable(this.evaluator.worker(), signal);
    const opened = await connection.call(
      'openProgram',
      [own, options.allowInsecure ?? false],
      { signal, watched: true },
      ({ program }) => connection.send('freeProgram', [program]),
    );
    return new CompiledProgram(this, 'bytes', aboutPrograms(connection), opened);
  }

  operator(definition: OperatorDefinition): void {
    checkArgument('operator', definition, OPERATOR_DEFINITION);
    this.checkLife();
    this.own.add(definition);
  }

  graph(options: GraphOptions = {}): GraphBuilder {
    checkOptions('graph', options, GRAPH_OPTIONS);
    this.checkLife();
    return new GraphRecorder(
      options.unit ?? 8,
      async (recording, { signal, onProgress }) =>
        WorkerCircuit.open(this, 'build', recorded(recording), this.signal(signal), onProgress),
      async (recording, owners, { signal }) => {
        const mark = recording.mark();
        const ended = this.signal(signal);
        // Who has no parties does not load what they need.
        const { Shared } = await import('./parties/shared.js');
        return Shared.recorded(this, recording, mark, owners, ended);
      },
    );
  }

  async shared(bytes: Uint8Array, options: CallOptions = {}): Promise<SharedGraph> {
    checkCall('shared', { bytes: [bytes, BYTES] }, options, CALL_OPTIONS);
    const ended = this.signal(options.signal);
    const own = movable(bytes);
    const { Shared } = await import('./parties/shared.js');
    return Shared.saved(this, own, ended);
  }

  /** A signal that ends with the caller's or with the loom. Errors: DisposedError. */
  while(signal: AbortSignal | undefined): AbortSignal {
    return this.signal(signal);
  }

  async circuit(from: string | Uint8Array, options: CallOptions = {}): Promise<Circuit> {
    checkCall('circuit', { saved: [from, SAVED_CIRCUIT] }, options, CALL_OPTIONS);
    const { signal, onProgress } = options;
    return WorkerCircuit.open(this, 'build', saved(from), this.signal(signal), onProgress);
  }

  async conformance(options: ConformanceOptions = {}): Promise<Conformance> {
    checkOptions('conformance', options, CONFORMANCE_OPTIONS);
    const { platforms = ['simd', 'scalar'], onProgress } = options;
    const signal = this.signal(options.signal);
    const connection = await this.#conformanceWorker(signal);
    const records = await connection
      .call('conformance', [[...platforms]], {
        signal,
        onProgress: onProgress && ((progress) => onProgress({ phase: 'conformance', ...progress })),
      })
      .finally(() => connection.close());
    const total = records.reduce((sum, { operators }) => sum + operators.length, 0);
    onProgress?.({ phase: 'conformance', done: total, total });
    return conformance(records);
  }

  /** One that tries kernels and shaders, of one thread, which its caller closes. */
  async #conformanceWorker(signal: AbortSignal): Promise<Connection<ConformanceMethods>> {
    const { choice } = this.#recipe;
    const module = moduleOf('conformance', choice.variant, this.#wasm, signal);
    // Nobody waits for it if no worker can be created.
    module.catch(() => {});
    const recipe: Recipe = { ...this.#recipe, choice: { ...choice, threads: 1 }, module };
    return (await startEngine<ConformanceMethods>('conformance', recipe, signal)).connection;
  }

  /** Times that operators are placed by; loaded when somebody first asks for them. */
  deviceTimes(): Promise<DeviceTimes> {
    this.checkLife();
    this.#deviceTimes ??= this.#loadTimes(this.signal(undefined));
    return this.#deviceTimes;
  }

  async #loadTimes(ended: AbortSignal): Promise<DeviceTimes> {
    const { DeviceTimes } = await import('./gpu/times.js');
    const about = `cipherloom ${this.version}, ${this.mode.variant}`;
    return new DeviceTimes((use) => this.#measuring(use, ended), about, this.#gpuTimes);
  }

  async gpuTimes(): Promise<GpuTimes | undefined> {
    return abortable(
      this.deviceTimes().then((times) => times.ready()),
      this.signal(undefined),
    );
  }

  /** A worker that measures, while the loom lives. */
  async #measuring<T>(
    use: (connection: Connection<ConformanceMethods>, ended: AbortSignal) => Promise<T>,
    ended: AbortSignal,
  ): Promise<T> {
    const connection = await this.#conformanceWorker(ended);
    return use(connection, ended).finally(() => connection.close());
  }

  async restart(): Promise<void> {
    // One under way may have passed by a worker that has died since.
    while (this.#restarting !== undefined) await this.#restarting.catch(() => {});
    this.#restarting = this.#replaceDead().finally(() => {
      this.#restarting = undefined;
    });
    await this.#restarting;
  }

  async #replaceDead(): Promise<void> {
    this.checkLife();
    const { clients, evaluator, graphs } = this.#workers;
    await clients.restart();
    await evaluator.restart();
    await graphs.restart();
  }
}

class LoomTaskBuilder extends TaskBuilder implements LoomTask {
  readonly #loom: WorkerLoom;

  constructor(loom: WorkerLoom) {
    super();
    this.#loom = loom;
  }

  compile(options?: CompileOptions & CallOptions): Promise<Program> {
    return this.#loom.compile(this, options);
  }
}
