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
import { failure } from './errors.js';
import type { WorkerLoom } from './loom.js';
import { describeProgram } from './program-info.js';
import { JobProgress } from './progress.js';
import { abortable, Resource } from './resource.js';
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
import type { EvaluatorMethods, Handle, OpenProgram, ProgramMethods } from './worker/protocol.js';

/** An evaluator that has its keys: one per program, for the keys used last. */
interface KeyedEvaluator {
  keys: EvaluationKeys;
  remote: Remote<EvaluatorMethods>;
  /** Runs that go on with it; it is freed when others took its place and the last of them ends. */
  users: number;
}

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
  readonly #evaluator: { current: KeyedEvaluator | undefined };

  /** `opened`: in the worker at `connection`, where questions about the program go. */
  constructor(loom: WorkerLoom, origin: Origin, connection: Connection<ProgramMethods>, opened: OpenProgram) {
    const { bytes } = opened;
    const evaluator: { current: KeyedEvaluator | undefined } = { current: undefined };
    const remote = new Remote<ProgramMethods>(
      async (connection) => (await connection.call('openProgram', [bytes])).program,
      (connection, handle) => connection.send('freeProgram', [handle]),
    );
    remote.adopt(connection, Promise.resolve(opened.program));
    super('program', () => {
      remote.free();
      evaluator.current?.remote.free();
    });
    this.info = describeProgram(opened.info, loom.mode.variant);
    this.#loom = loom;
    this.#origin = origin;
    this.#tenant = origin === 'task' ? loom.clients : {};
    this.#bytes = bytes;
    this.#opened = remote;
    this.#evaluator = evaluator;
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
    const stages: Stages = {
      text: (stage, options) => this.toText(stage, options),
      open: (text, options) => this.#loom.circuit(text, options),
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
    return this.#keyHolder(saved, options);
  }

  async run(inputs: Ciphertexts, keys: EvaluationKeys, options: RunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, RUN_OPTIONS);
    const signal = this.signal(options.signal);
    const { onProgress, onTrace } = options;
    const ciphertexts = orderedInputs(this.info, inputs);
    const connection = this.#loom.evaluator;
    const { outputs, trace } = await this.#withEvaluator(keys, async (remote) => {
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
    const making = Key.make(this.#loom.clients, this.#tenant, maker, saved);
    const key = await abortable(making, signal).catch((error: unknown) => {
      // It may still come, and would hold a secret that nobody can free.
      making.then(
        (late) => late.free(),
        () => {},
      );
      throw error;
    });
    try {
      const keys = options.evaluationKeys ?? (await this.#makeKeys(key, { ...options, signal }));
      return new KeyHolder(this.#loom, this.info, key, keys);
    } catch (error) {
      key.free();
      throw error;
    }
  }

  async #makeKeys(key: Key, options: CallOptions): Promise<EvaluationKeys> {
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

  /** Works with the evaluator that holds these keys; one with other keys is freed once nobody works with it. */
  async #withEvaluator<T>(
    keys: EvaluationKeys,
    work: (remote: Remote<EvaluatorMethods>) => Promise<T>,
  ): Promise<T> {
    const before = this.#evaluator.current;
    const bytes = this.#bytes;
    const sizes = this.info.keys.map(({ bytes }) => bytes);
    const entry =
      before?.keys === keys
        ? before
        : {
            keys,
            remote: new Remote<EvaluatorMethods>(
              (connection) => openEvaluator(connection, bytes, keys, sizes),
              (connection, handle) => connection.send('free', [handle]),
            ),
            users: 0,
          };
    this.#evaluator.current = entry;
    if (before !== entry && before?.users === 0) before.remote.free();
    entry.users++;
    try {
      return await work(entry.remote);
    } finally {
      entry.users--;
      if (entry.users === 0 && this.#evaluator.current !== entry) entry.remote.free();
    }
  }
}

/**
 * Makes clients of a program. Where it is not open, it is for that moment only: the client has what it needs. Refers
 * to no program object: a client may outlive it.
 */
function clientMaker(bytes: Uint8Array, opened: Remote<ProgramMethods>): MakeClient {
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

async function openEvaluator(
  connection: Connection<EvaluatorMethods>,
  program: Uint8Array,
  keys: EvaluationKeys,
  sizes: readonly number[],
): Promise<Handle> {
  const evaluator = await connection.call('open', [program]);
  try {
    for (const [index, key] of keys.entries()) {
      const sent = movable(checkSize(`Evaluation key ${index}`, key, sizes));
      await connection.call('loadKey', [evaluator, sent], { transfer: [sent.buffer] });
    }
    const missing = await connection.call('missingKeys', [evaluator]);
    if (missing.length === 0) return evaluator;
    throw failure('key.missing', `Evaluation keys are missing: ${missing.join(', ')}`, {
      name: missing.join(', '),
    });
  } catch (error) {
    connection.send('free', [evaluator]);
    throw error;
  }
}
