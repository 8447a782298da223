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
} from './arguments.js';
import { byName, checkBytes, movable } from './bytes.js';
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
import { type Connection, Remote } from './worker/connection.js';
import type { ClientMethods, EvaluatorMethods, Handle, OpenProgram } from './worker/protocol.js';

/** An evaluator that has its keys: one per program, for the keys used last. */
interface KeyedEvaluator {
  keys: EvaluationKeys;
  remote: Remote<EvaluatorMethods>;
  /** Runs that go on with it; it is freed when others took its place and the last of them ends. */
  users: number;
}

/** See {@link Program}. */
export class CompiledProgram extends Resource implements Program {
  readonly info: ProgramInfo;
  readonly #loom: WorkerLoom;
  readonly #bytes: Uint8Array;
  readonly #opened: Remote<ClientMethods>;
  readonly #evaluator: { current: KeyedEvaluator | undefined };

  constructor(loom: WorkerLoom, client: Connection<ClientMethods>, opened: OpenProgram) {
    const { bytes } = opened;
    const evaluator: { current: KeyedEvaluator | undefined } = { current: undefined };
    const remote = new Remote<ClientMethods>(
      async (connection) => (await connection.call('openProgram', [bytes])).program,
      (connection, handle) => connection.send('freeProgram', [handle]),
    );
    remote.adopt(client, Promise.resolve(opened.program));
    super('program', () => {
      remote.free();
      evaluator.current?.remote.free();
    });
    this.info = describeProgram(opened.info);
    this.#loom = loom;
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

  toBytes(): Uint8Array {
    this.signal(undefined);
    return this.#bytes.slice();
  }

  async client(options: CallOptions = {}): Promise<Client> {
    checkCall('client', {}, options, CALL_OPTIONS);
    return this.#keyHolder(options, (connection, program) => connection.call('createClient', [program]));
  }

  async restoreClient(saved: Uint8Array, options: RestoreOptions = {}): Promise<Client> {
    checkCall('restoreClient', { saved: [saved, BYTES] }, options, RESTORE_OPTIONS);
    return this.#keyHolder(options, (connection, program) =>
      connection.call('restoreClient', [program, saved]),
    );
  }

  async run(inputs: Ciphertexts, keys: EvaluationKeys, options: RunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, RUN_OPTIONS);
    const signal = this.signal(options.signal);
    const { onProgress, onTrace } = options;
    const ciphertexts = this.#ordered(inputs);
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
    return byName([...open.map(({ name }) => ({ names: [name], bytes: new Uint8Array() })), ...outputs]);
  }

  async #ask<K extends 'text' | 'graph'>(
    method: K,
    stage: Stage,
    options: CallOptions,
  ): Promise<ReturnType<ClientMethods[K]>> {
    const signal = this.signal(options.signal);
    const connection = this.#loom.client;
    const program = await abortable(this.#opened.in(connection), signal);
    return connection.call<K>(method, [program, stage] as never, { signal });
  }

  async #keyHolder(
    options: RestoreOptions,
    open: (connection: Connection<ClientMethods>, program: Handle) => Promise<Handle>,
  ): Promise<Client> {
    const signal = this.signal(options.signal);
    const connection = this.#loom.client;
    const program = await abortable(this.#opened.in(connection), signal);
    // Not aborted midway: the handle must become known, or the secret key could not be freed.
    const handle = await open(connection, program);
    try {
      const keys =
        options.evaluationKeys ?? (await this.#makeKeys(connection, handle, { ...options, signal }));
      return new KeyHolder(this.#loom, this.info, connection, handle, keys);
    } catch (error) {
      connection.send('freeClient', [handle]);
      throw error;
    }
  }

  async #makeKeys(
    connection: Connection<ClientMethods>,
    client: Handle,
    options: CallOptions,
  ): Promise<EvaluationKeys> {
    const progress = new JobProgress('keys', this.info.keys.length, options.onProgress);
    const keys: Uint8Array[] = [];
    for (const { index, name } of this.info.keys) {
      const onProgress = progress.during(name);
      keys.push(await connection.call('key', [client, index], { signal: options.signal, onProgress }));
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
    const entry =
      before?.keys === keys
        ? before
        : {
            keys,
            remote: new Remote<EvaluatorMethods>(
              (connection) => openEvaluator(connection, bytes, keys),
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

  /** The ciphertexts in the program's order of inputs. */
  #ordered(inputs: Ciphertexts): Uint8Array[] {
    const names = this.info.inputs.map(({ name }) => name);
    const unknown = Object.keys(inputs).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw failure('input.unknown', `The program has no input "${unknown}"`, {
        found: unknown,
        expected: names,
      });
    }
    return names.map((name) => {
      const given = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
      if (given !== undefined) return checkBytes(`Input "${name}"`, given);
      throw failure('input.missing', `Input "${name}" is missing`, { input: name, expected: names });
    });
  }
}

async function openEvaluator(
  connection: Connection<EvaluatorMethods>,
  program: Uint8Array,
  keys: EvaluationKeys,
): Promise<Handle> {
  const evaluator = await connection.call('open', [program]);
  try {
    for (const [index, key] of keys.entries()) {
      const sent = movable(checkBytes(`Evaluation key ${index}`, key));
      await connection.call('loadKey', [evaluator, sent], { transfer: [sent.buffer] });
    }
    const missing = await connection.call('missingKeys', [evaluator]);
    if (missing.length === 0) return evaluator;
    const name = missing.join(', ');
    throw failure('key.missing', `Evaluation keys are missing: ${name}`, { name });
  } catch (error) {
    connection.send('free', [evaluator]);
    throw error;
  }
}
