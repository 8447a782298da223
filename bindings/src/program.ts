/** A compiled task: what runs. */
import {
  BYTES,
  CALL_OPTIONS,
  checkCall,
  CIPHERTEXTS,
  KEYS,
  RESTORE_OPTIONS,
  RUN_OPTIONS,
  STAGE,
  TRIAL_OPTIONS,
} from './arguments.js';
import { byName, checkAtMost, checkSize, MOST_SAVED_BYTES, movable, orderedInputs } from './bytes.js';
import { KeyHolder } from './client.js';
import type { WorkerLoom } from './loom.js';
import { describeProgram } from './program-info.js';
import { JobProgress } from './progress.js';
import { abortable, Resource } from './resource.js';
import { withSaved } from './sealed-key.js';
import { STAGES } from './stages.js';
import type {
  CallOptions,
  Ciphertexts,
  Client,
  EvaluationKeys,
  GraphView,
  Program,
  ProgramInfo,
  RestoreOptions,
  RunOptions,
  Stage,
  StageStats,
} from './types.js';
import type { TrialOptions, Verification } from './verification-types.js';
import { type Stages, verifyStages } from './verify-stages.js';
import type { Tenant } from './worker/client-workers.js';
import { aboutPrograms, type Connection, Remote } from './worker/connection.js';
import { Key, type MakeClient } from './worker/key.js';
import { KeyedEvaluators } from './worker/keyed-evaluators.js';
import type { ClientMethods, EvaluatorMethods, OpenProgram, ProgramMethods } from './worker/protocol.js';

/** A program that this loom compiled, or one from bytes, which others may have made. */
export type Origin = 'task' | 'bytes';

/** See {@link Program}. */
export class CompiledProgram extends Resource implements Program {
  readonly info: ProgramInfo;
  readonly #loom: WorkerLoom;
  readonly #origin: Origin;
  readonly #tenant: Tenant;
  readonly #bytes: Uint8Array;
  readonly #opened: Remote<ProgramMethods>;
  readonly #evaluators: KeyedEvaluators<EvaluatorMethods>;

  /** `opened`: in the worker at `connection`, where questions about the program go. */
  constructor(loom: WorkerLoom, origin: Origin, connection: Connection<ProgramMethods>, opened: OpenProgram) {
    const { bytes } = opened;
    const sizes = opened.info.keys.map(({ bytes }) => bytes);
    const evaluators = new KeyedEvaluators<EvaluatorMethods>(bytes, (key, index) =>
      checkSize(`Evaluation key ${index}`, key, sizes),
    );
    const remote = new Remote<ProgramMethods>(
      async (connection) => (await connection.call('openProgram', [bytes])).program,
      (connection, handle) => connection.send('freeProgram', [handle]),
    );
    remote.adopt(connection, Promise.resolve(opened.program));
    super('program', () => {
      remote.free();
      evaluators.free();
    });
    this.info = describeProgram(opened.info, loom.mode.variant);
    this.#loom = loom;
    this.#origin = origin;
    this.#tenant = origin === 'task' ? loom.clients : {};
    this.#bytes = bytes;
    this.#opened = remote;
    this.#evaluators = evaluators;
  }

  stats(): readonly StageStats[] {
    return this.info.stats;
  }

  async toText(stage: Stage, options: CallOptions = {}): Promise<string> {
    checkCall('toText', { stage: [stage, STAGE] }, options, CALL_OPTIONS);
    return this.#ask('text', stage, options);
  }

  async graph(stage: Stage, options: CallOptions = {}): Promise<GraphView> {
    checkCall('graph', { stage: [stage, STAGE] }, options, CALL_OPTIONS);
    return this.#ask('graph', stage, options);
  }

  async verify(options: TrialOptions = {}): Promise<Verification> {
    checkCall('verify', {}, options, TRIAL_OPTIONS);
    const signal = this.signal(options.signal);
    const stages: Stages<Stage> = {
      names: STAGES,
      text: (stage, options) => this.toText(stage, options),
      open: (text, options) => this.#loom.circuit(text, options),
      meaning: (stage) => Promise.resolve(stage satisfies never),
    };
    return verifyStages(stages, { ...options, signal });
  }

  toBytes(): Uint8Array {
    this.signal(undefined);
    return this.#bytes.slice();
  }

  async client(options: CallOptions = {}): Promise<Client> {
    checkCall('client', {}, options, CALL_OPTIONS);
    return this.#keyHolder(undefined, options);
  }

  async restoreClient(saved: Uint8Array, options: RestoreOptions = {}): Promise<Client> {
    checkCall('restoreClient', { saved: [saved, BYTES] }, options, RESTORE_OPTIONS);
    checkAtMost('The saved client', saved, MOST_SAVED_BYTES);
    return withSaved(saved, options.passphrase, this.signal(options.signal), (plain) =>
      this.#keyHolder(plain, options),
    );
  }

  async run(inputs: Ciphertexts, keys: EvaluationKeys, options: RunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, RUN_OPTIONS);
    const signal = this.signal(options.signal);
    const { onProgress, onTrace } = options;
    const ciphertexts = orderedInputs(this.info, inputs);
    const connection = this.#loom.evaluator;
    const { outputs, trace } = await this.#evaluators.use(keys, async (remote) => {
      const evaluator = await abortable(remote.in(connection), signal);
      const sent = ciphertexts.map(movable);
      return connection.call('run', [evaluator, sent, onTrace !== undefined], {
        signal,
        transfer: sent.map(({ buffer }) => buffer),
        onProgress: onProgress && ((progress) => onProgress({ phase: 'run', ...progress })),
      });
    });
    const { operators = 1 } = this.info.stats.find(({ stage }) => stage === 'base') ?? {};
    onProgress?.({ phase: 'run', done: operators, total: operators });
    if (trace !== undefined) onTrace?.(trace);
    // What is public, such as the count of a complete column, has no ciphertexts: no bytes stand for it.
    const open = this.info.outputs.filter(({ ciphertexts }) => ciphertexts === 0);
    const all = [...open.map(({ name }) => ({ names: [name], bytes: new Uint8Array() })), ...outputs];
    return byName(all, this.info.outputs);
  }

  async #ask<K extends 'text' | 'graph'>(
    method: K,
    stage: Stage,
    options: CallOptions,
  ): Promise<ReturnType<ProgramMethods[K]>> {
    const signal = this.signal(options.signal);
    const connection = this.#asked();
    const program = await abortable(this.#opened.in(connection), signal);
    return connection.call<K>(method, [program, stage] as never, { signal });
  }

  /** The worker that knows the program: for one that others may have made, one without keys. */
  #asked(): Connection<ProgramMethods> {
    return this.#origin === 'task'
      ? aboutPrograms(this.#loom.clients.main)
      : aboutPrograms(this.#loom.evaluator);
  }

  async #keyHolder(saved: Uint8Array | undefined, options: RestoreOptions): Promise<Client> {
    const signal = this.signal(options.signal);
    const maker = clientMaker(this.#bytes, this.#opened);
    const key = await Key.make(this.#loom.clients, this.#tenant, maker, saved, signal);
    try {
      const keys = options.evaluationKeys ?? (await this.#makeKeys(key, { ...options, signal }));
      return new KeyHolder(this.#loom, this.info, key, keys);
    } catch (error) {
      key.free();
      throw error;
    }
  }

  async #makeKeys(key: Key<ClientMethods>, options: CallOptions): Promise<EvaluationKeys> {
    const { connection, handle } = await key.find();
    const progress = new JobProgress('keys', this.info.keys.length, options.onProgress);
    const keys: Uint8Array[] = [];
    for (const { index, name } of this.info.keys) {
      const onProgress = progress.during(name);
      keys.push(await connection.call('key', [handle, index], { signal: options.signal, onProgress }));
      progress.finished(name);
    }
    return Object.freeze(keys);
  }
}

/**
 * Makes clients of a program. Where it is not open, it is for that moment only: the client has what it needs. Refers
 * to no program object: a client may outlive it.
 */
function clientMaker(bytes: Uint8Array, opened: Remote<ProgramMethods>): MakeClient<ClientMethods> {
  return async (connection, saved) => {
    const held = opened.held(connection);
    const program = await (held ?? connection.call('openProgram', [bytes]).then(({ program }) => program));
    try {
      return await (saved === undefined
        ? connection.call('createClient', [program])
        : connection.call('restoreClient', [program, saved]));
    } finally {
      if (held === undefined) connection.send('freeProgram', [program]);
    }
  };
}
