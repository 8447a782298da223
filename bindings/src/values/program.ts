/** A compiled task over values: what runs. */
import {
  BYTES,
  CALL_OPTIONS,
  checkCall,
  CIPHERTEXTS,
  KEYS,
  RESTORE_OPTIONS,
  TASK_STAGE,
  TRIAL_OPTIONS,
  VALUE_HOLD_OPTIONS,
  VALUE_RUN_OPTIONS,
} from '../arguments.js';
import { checkAtMost, checkBytes, MOST_SAVED_BYTES, movable } from '../bytes.js';
import type { WorkerLoom } from '../loom.js';
import type { Origin } from '../program.js';
import { JobProgress } from '../progress.js';
import { abortable, Resource } from '../resource.js';
import { withSaved } from '../sealed-key.js';
import { TASK_STAGES } from '../stages.js';
import type { CallOptions, Ciphertexts, EvaluationKeys, GraphView, RestoreOptions } from '../types.js';
import { readCheck } from '../verification.js';
import type { TrialOptions, Verification } from '../verification-types.js';
import { verifyStages } from '../verify-stages.js';
import type { Tenant } from '../worker/client-workers.js';
import { aboutTasks, type Connection, Remote } from '../worker/connection.js';
import { Key, type MakeClient } from '../worker/key.js';
import { KeyedEvaluators } from '../worker/keyed-evaluators.js';
import type { OpenTask, TaskClientMethods, TaskEvaluatorMethods, TaskMethods } from '../worker/protocol.js';
import type { ValueRule } from './cells.js';
import { ValueKeyHolder } from './client.js';
import { buffersOf, encodedByName, type EncodedByName, givenValues, orderedCiphertexts } from './named.js';
import { explanation } from './explanation.js';
import { describeValueProgram, operandTypes, rulesOf } from './program-info.js';
import type {
  HeldValues,
  TaskStage,
  ValueClient,
  ValueExplanation,
  ValueHoldOptions,
  ValueProgramStats,
  ValueProgram,
  ValueProgramInfo,
  ValueRunOptions,
  ValueTaskLiteral,
} from './types.js';

/** More than a key takes beside its words. */
const MOST_HEADER_BYTES = 4096;

/** See {@link ValueProgram}. */
export class CompiledValueProgram extends Resource implements ValueProgram {
  readonly info: ValueProgramInfo;
  readonly #loom: WorkerLoom;
  readonly #origin: Origin;
  readonly #tenant: Tenant;
  readonly #bytes: Uint8Array;
  readonly #rules: readonly ValueRule[];
  readonly #literal: ValueTaskLiteral;
  readonly #opened: Remote<TaskMethods>;
  readonly #evaluators: KeyedEvaluators<TaskEvaluatorMethods>;

  /** `opened`: in the worker at `connection`, where questions about the program go. */
  constructor(loom: WorkerLoom, origin: Origin, connection: Connection<TaskMethods>, opened: OpenTask) {
    const { bytes, report, literal } = opened;
    const evaluators = new KeyedEvaluators<TaskEvaluatorMethods>(bytes, (key, index) => {
      const what = `Evaluation key ${index}`;
      const most = Math.max(0, ...report.keys.map(([, bytes]) => bytes)) + MOST_HEADER_BYTES;
      checkAtMost(what, checkBytes(what, key), most);
      return key;
    });
    const remote = new Remote<TaskMethods>(
      async (connection) => (await connection.call('openProgram', [bytes])).task,
      (connection, handle) => connection.send('freeProgram', [handle]),
    );
    remote.adopt(connection, Promise.resolve(opened.task));
    super('program', () => {
      remote.free();
      evaluators.free();
    });
    this.info = describeValueProgram(report, literal, loom.mode.threads);
    this.#rules = rulesOf(literal);
    this.#literal = literal;
    this.#loom = loom;
    this.#origin = origin;
    this.#tenant = origin === 'task' ? loom.tasks : {};
    this.#bytes = bytes;
    this.#opened = remote;
    this.#evaluators = evaluators;
  }

  async explain(options: CallOptions = {}): Promise<ValueExplanation> {
    checkCall('explain', {}, options, CALL_OPTIONS);
    const { connection, task, signal } = await this.#asked(options);
    const raw = await connection.call('explain', [task], { signal });
    return explanation(raw, this.#literal, operandTypes(this.#literal));
  }

  async stats(options: CallOptions = {}): Promise<ValueProgramStats> {
    checkCall('stats', {}, options, CALL_OPTIONS);
    const { connection, task, signal } = await this.#asked(options);
    return connection.call('sizes', [task], { signal });
  }

  async toText(stage: TaskStage, options: CallOptions = {}): Promise<string> {
    checkCall('toText', { stage: [stage, TASK_STAGE] }, options, CALL_OPTIONS);
    const { connection, task, signal } = await this.#asked(options);
    return connection.call('text', [task, stage], { signal });
  }

  async graph(stage: TaskStage, options: CallOptions = {}): Promise<GraphView> {
    checkCall('graph', { stage: [stage, TASK_STAGE] }, options, CALL_OPTIONS);
    const { connection, task, signal } = await this.#asked(options);
    return connection.call('graph', [task, stage], { signal });
  }

  async verify(options: TrialOptions = {}): Promise<Verification> {
    checkCall('verify', {}, options, TRIAL_OPTIONS);
    const signal = this.signal(options.signal);
    return verifyStages(
      {
        names: TASK_STAGES,
        text: (stage, options) => this.toText(stage, options),
        open: (text, options) => this.#loom.circuit(text, options),
        meaning: async (stage, { trials = 3, seed, signal: ended }) => {
          const { connection, task, signal } = await this.#asked({ signal: ended });
          const rounds = { rounds: trials, first: 0, seed: seed === undefined ? undefined : BigInt(seed) };
          return (await connection.call('verify', [task, stage, rounds], { signal })).map(readCheck);
        },
      },
      { ...options, signal },
    );
  }

  toBytes(): Uint8Array {
    this.signal(undefined);
    return this.#bytes.slice();
  }

  async client(options: CallOptions = {}): Promise<ValueClient> {
    checkCall('client', {}, options, CALL_OPTIONS);
    return this.#keyHolder(undefined, options);
  }

  async restoreClient(saved: Uint8Array, options: RestoreOptions = {}): Promise<ValueClient> {
    checkCall('restoreClient', { saved: [saved, BYTES] }, options, RESTORE_OPTIONS);
    checkAtMost('The saved client', saved, MOST_SAVED_BYTES);
    return withSaved(saved, options.passphrase, this.signal(options.signal), (plain) =>
      this.#keyHolder(plain, options),
    );
  }

  async hold(inputs: Ciphertexts, keys: EvaluationKeys, options: ValueHoldOptions = {}): Promise<HeldValues> {
    checkCall('hold', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, VALUE_HOLD_OPTIONS);
    const signal = this.signal(options.signal);
    const encrypted = orderedCiphertexts(this.#rules, inputs, () => false);
    const own = encrypted.map(({ name, bytes }) => ({ name, bytes: bytes.slice() }));
    const given = givenValues(own, this.#clear(options));
    const evaluators = this.#evaluators;
    // Once more in the worker that takes the place of one that died.
    const held = new Remote<TaskEvaluatorMethods>(
      (connection) =>
        evaluators.use(keys, async (remote) => connection.call('hold', [await remote.in(connection), given])),
      (connection, handle) => connection.send('freeHeld', [handle]),
    );
    const connection = await abortable(this.#loom.tasks.evaluator(), signal);
    await abortable(held.in(connection), signal);
    const names = new Set(own.map(({ name }) => name));
    return new ValuesOfProgram(held, (inputs, options, signal) =>
      this.#run(inputs, keys, { ...options, signal }, { remote: held, names }),
    );
  }

  async run(inputs: Ciphertexts, keys: EvaluationKeys, options: ValueRunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, VALUE_RUN_OPTIONS);
    return this.#run(inputs, keys, options);
  }

  #clear({ plain, public: open }: ValueHoldOptions): EncodedByName[] {
    return [...encodedByName(this.#rules, 'plain', plain), ...encodedByName(this.#rules, 'public', open)];
  }

  async #run(
    inputs: Ciphertexts,
    keys: EvaluationKeys,
    options: ValueRunOptions,
    held?: { readonly remote: Remote<TaskEvaluatorMethods>; readonly names: ReadonlySet<string> },
  ): Promise<Ciphertexts> {
    const signal = this.signal(options.signal);
    const { onProgress, onTrace } = options;
    const encrypted = orderedCiphertexts(this.#rules, inputs, (name) => !held?.names.has(name));
    const clear = this.#clear(options);
    const connection = await abortable(this.#loom.tasks.evaluator(), signal);
    const { outputs, trace } = await this.#evaluators.use(keys, async (remote) => {
      const evaluator = await abortable(remote.in(connection), signal);
      const stays = held && (await abortable(held.remote.in(connection), signal));
      const sent = encrypted.map(({ name, bytes }) => ({ name, bytes: movable(bytes) }));
      return connection.call('run', [evaluator, stays, givenValues(sent, clear), onTrace !== undefined], {
        signal,
        transfer: [...sent.map(({ bytes }) => bytes.buffer), ...buffersOf(clear)],
        onProgress: onProgress && ((progress) => onProgress({ phase: 'run', ...progress })),
      });
    });
    onProgress?.({ phase: 'run', done: 1, total: 1 });
    if (trace !== undefined) onTrace?.(trace);
    return Object.fromEntries(outputs.flatMap(({ names, bytes }) => names.map((name) => [name, bytes])));
  }

  async #asked(
    options: CallOptions,
  ): Promise<{ connection: Connection<TaskMethods>; task: number; signal: AbortSignal }> {
    const signal = this.signal(options.signal);
    const { tasks } = this.#loom;
    // One that others may have made is asked where no keys are.
    const asking =
      this.#origin === 'task'
        ? tasks.clients().then(({ main }) => aboutTasks(main))
        : tasks.evaluator().then((worker) => aboutTasks(worker));
    const connection = await abortable(asking, signal);
    return { connection, task: await abortable(this.#opened.in(connection), signal), signal };
  }

  async #keyHolder(saved: Uint8Array | undefined, options: RestoreOptions): Promise<ValueClient> {
    const signal = this.signal(options.signal);
    const clients = await abortable(this.#loom.tasks.clients(), signal);
    const maker = clientMaker(this.#bytes, this.#opened);
    const key = await Key.make(clients, this.#tenant, maker, saved, signal);
    try {
      const keys = options.evaluationKeys ?? (await this.#makeKeys(key, { ...options, signal }));
      return new ValueKeyHolder(this.#loom, this.info, this.#rules, key, keys);
    } catch (error) {
      key.free();
      throw error;
    }
  }

  async #makeKeys(key: Key<TaskClientMethods>, options: CallOptions): Promise<EvaluationKeys> {
    const { connection, handle } = await key.find();
    const progress = new JobProgress('keys', this.info.keys.length, options.onProgress);
    const keys: Uint8Array[] = [];
    for (const { name } of this.info.keys) {
      const onProgress = progress.during(name);
      keys.push(await connection.call('key', [handle, name], { signal: options.signal, onProgress }));
      progress.finished(name);
    }
    return Object.freeze(keys);
  }
}

/** See {@link HeldValues}. */
class ValuesOfProgram extends Resource implements HeldValues {
  readonly #run: RunHeld;

  constructor(held: Remote<TaskEvaluatorMethods>, run: RunHeld) {
    super('values held', () => held.free());
    this.#run = run;
  }

  async run(inputs: Ciphertexts = {}, options: ValueRunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS] }, options, VALUE_RUN_OPTIONS);
    return this.#run(inputs, options, this.signal(options.signal));
  }
}

type RunHeld = (inputs: Ciphertexts, options: ValueRunOptions, signal: AbortSignal) => Promise<Ciphertexts>;

/** Makes clients of a program: see program.ts. */
function clientMaker(bytes: Uint8Array, opened: Remote<TaskMethods>): MakeClient<TaskClientMethods> {
  return async (connection, saved) => {
    const held = opened.held(connection);
    const task = await (held ?? connection.call('openProgram', [bytes]).then(({ task }) => task));
    try {
      return await (saved === undefined
        ? connection.call('createClient', [task])
        : connection.call('restoreClient', [task, saved]));
    } finally {
      if (held === undefined) connection.send('freeProgram', [task]);
    }
  };
}
