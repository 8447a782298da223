/** A compiled task: what runs. */
import {
  BYTES,
  CALL_OPTIONS,
  checkArgument,
  checkCall,
  CIPHERTEXTS,
  KEYS,
  PARTY_OPTIONS,
  PARTY_NAME,
  RESTORE_OPTIONS,
  STAGE,
  TRACED_OPTIONS,
  TRIAL_OPTIONS,
  HOLD_OPTIONS,
  RUN_OPTIONS,
} from '../arguments.js';
import { checkAtMost, checkBytes, movable, MOST_SAVED_BYTES } from '../bytes.js';
import { failure } from '../errors.js';
import type { DeviceTimes } from '../gpu/times.js';
import type { WorkerLoom } from '../loom.js';
import { JobProgress } from '../progress.js';
import type { KeyParty, PartyOptions } from '../parties/types.js';
import { abortable, Resource } from '../resource.js';
import { withSaved } from '../sealed-key.js';
import { STAGES } from '../stages.js';
import { told } from '../tracing.js';
import type {
  CallOptions,
  Ciphertexts,
  EvaluationKeys,
  GraphView,
  RestoreOptions,
  TraceOptions,
} from '../types.js';
import { readCheck } from '../verification.js';
import type { TrialOptions, Verification } from '../verification-types.js';
import { verifyStages } from '../verify-stages.js';
import { lentCopy } from '../worker/lent.js';
import type { Tenant } from '../worker/client-workers.js';
import { aboutPrograms, type Connection, Remote } from '../worker/connection.js';
import { Key, type Lodger } from '../worker/key.js';
import { KeyedEvaluators } from '../worker/keyed-evaluators.js';
import type {
  ByTimes,
  ClientMethods,
  EvaluatorMethods,
  Handle,
  OpenProgram,
  ProgramMethods,
} from '../worker/protocol.js';
import type { ValueRule } from './cells.js';
import { KeyHolder } from './client.js';
import { PublicKeyHolder } from './data-owner.js';
import {
  buffersOf,
  checkDigitsGiven,
  encodedByName,
  type EncodedByName,
  givenValues,
  orderedCiphertexts,
} from './named.js';
import { explanation } from './explanation.js';
import { describeProgram, operandTypes, rulesOf } from './program-info.js';
import type {
  HeldValues,
  Stage,
  Client,
  DataOwner,
  Explanation,
  GpuPlacement,
  HoldOptions,
  ProgramStats,
  Program,
  ProgramInfo,
  RunOptions,
  TaskLiteral,
} from './types.js';

/** A program that this loom compiled, or one from bytes, which others may have made. */
type Origin = 'task' | 'bytes';

/** More than a key takes beside its words. */
const MOST_HEADER_BYTES = 4096;

/** See {@link Program}. */
export class CompiledProgram extends Resource implements Program {
  readonly info: ProgramInfo;
  readonly #loom: WorkerLoom;
  readonly #origin: Origin;
  /** Of clients, and of data owners. */
  readonly #tenants: { readonly clients: Tenant; readonly owners: Tenant };
  readonly #bytes: Uint8Array;
  readonly #rules: readonly ValueRule[];
  readonly #literal: TaskLiteral;
  readonly #opened: Remote<ProgramMethods>;
  readonly #evaluators: KeyedEvaluators;

  /** `opened`: in the worker at `connection`, where questions about the program go. */
  constructor(loom: WorkerLoom, origin: Origin, connection: Connection<ProgramMethods>, opened: OpenProgram) {
    const { bytes, report, literal } = opened;
    // Whoever has it open has allowed it.
    const sent = [bytes, report.security === 'insecure'] as const;
    const evaluators = new KeyedEvaluators(sent, (key, index) => {
      const what = `Evaluation key ${index}`;
      const most = Math.max(0, ...report.keys.map(([, bytes]) => bytes)) + MOST_HEADER_BYTES;
      checkAtMost(what, checkBytes(what, key), most);
      return key;
    });
    const remote = new Remote<ProgramMethods>(
      async (connection) => (await connection.call('openProgram', [...sent])).program,
      (connection, handle) => connection.send('freeProgram', [handle]),
    );
    remote.adopt(connection, Promise.resolve(opened.program));
    super('program', () => {
      remote.free();
      evaluators.free();
    });
    this.info = describeProgram(report, literal, loom.mode.threads);
    this.#rules = rulesOf(literal);
    this.#literal = literal;
    this.#loom = loom;
    this.#origin = origin;
    const { clients } = loom;
    this.#tenants = origin === 'task' ? { clients, owners: clients.owners } : { clients: {}, owners: {} };
    this.#bytes = bytes;
    this.#opened = remote;
    this.#evaluators = evaluators;
  }

  async explain(options: CallOptions = {}): Promise<Explanation> {
    checkCall('explain', {}, options, CALL_OPTIONS);
    const { connection, program, signal } = await this.#asked(options);
    const raw = await connection.call('explain', [program], { signal });
    return explanation(raw, this.#literal, operandTypes(this.#literal));
  }

  async stats(options: CallOptions = {}): Promise<ProgramStats> {
    checkCall('stats', {}, options, CALL_OPTIONS);
    const { connection, program, signal } = await this.#asked(options);
    return connection.call('sizes', [program], { signal });
  }

  async toText(stage: Stage, options: CallOptions = {}): Promise<string> {
    checkCall('toText', { stage: [stage, STAGE] }, options, CALL_OPTIONS);
    const { connection, program, signal } = await this.#asked(options);
    return connection.call('text', [program, stage], { signal });
  }

  async graph(stage: Stage, options: CallOptions = {}): Promise<GraphView> {
    checkCall('graph', { stage: [stage, STAGE] }, options, CALL_OPTIONS);
    const { connection, program, signal } = await this.#asked(options);
    return connection.call('graph', [program, stage], { signal });
  }

  async verify(options: TrialOptions = {}): Promise<Verification> {
    checkCall('verify', {}, options, TRIAL_OPTIONS);
    const signal = this.signal(options.signal);
    return verifyStages(
      {
        names: STAGES,
        text: (stage, options) => this.toText(stage, options),
        open: (text, options) => this.#loom.circuit(text, options),
        meaning: async (stage, { trials = 3, seed, signal: ended }) => {
          const { connection, program, signal } = await this.#asked({ signal: ended });
          const rounds = { rounds: trials, first: 0, seed: seed === undefined ? undefined : BigInt(seed) };
          return (await connection.call('verify', [program, stage, rounds], { signal })).map(readCheck);
        },
      },
      { ...options, signal },
    );
  }

  toBytes(): Uint8Array {
    this.checkLife();
    this.#loom.while(undefined);
    return this.#bytes.slice();
  }

  async client(options: CallOptions & TraceOptions = {}): Promise<Client> {
    checkCall('client', {}, options, TRACED_OPTIONS);
    return this.#keyHolder(undefined, options);
  }

  async restoreClient(saved: Uint8Array, options: RestoreOptions = {}): Promise<Client> {
    checkCall('restoreClient', { saved: [saved, BYTES] }, options, RESTORE_OPTIONS);
    checkAtMost('The saved client', saved, MOST_SAVED_BYTES);
    return withSaved(saved, options.passphrase, this.signal(options.signal), (plain) =>
      this.#keyHolder(plain, options),
    );
  }

  async owner(publicKey: Uint8Array, options: CallOptions = {}): Promise<DataOwner> {
    checkCall('owner', { publicKey: [publicKey, BYTES] }, options, CALL_OPTIONS);
    const signal = this.signal(options.signal);
    if (!this.info.publicKey) {
      const problem =
        'The program takes nothing that a public key encrypts: its bounds do not hold for that. Compile it with { publicKey: true }';
      throw failure('key.public', problem, { expected: 'a program compiled with publicKey' });
    }
    checkAtMost('The public key', publicKey, this.info.cost.publicKeyBytes);
    const lodger = ownerOf(this.#sent(), this.#opened);
    const key = await Key.make(this.#loom.clients, this.#tenants.owners, lodger, publicKey, signal);
    return new PublicKeyHolder(this.#loom, this.#rules, key);
  }

  async party(name: string, options: PartyOptions): Promise<KeyParty> {
    checkCall('party', {}, options, PARTY_OPTIONS);
    checkArgument('party, name', name, PARTY_NAME);
    const { parties, threshold, saved } = options;
    checkArgument('party, option parties', parties, PARTY_OPTIONS.parties);
    const signal = this.signal(options.signal);
    const { SharingParty } = await import('../parties/key-party.js');
    const group = { parties: [...parties], threshold };
    const lodger = partyOf(this.#sent(), this.#opened, name, group);
    const key = await Key.make(this.#loom.clients, this.#tenants.clients, lodger, saved, signal);
    return new SharingParty(this.#loom, this.info, this.#rules, key, name, group);
  }

  async hold(inputs: Ciphertexts, keys: EvaluationKeys, options: HoldOptions = {}): Promise<HeldValues> {
    checkCall('hold', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, HOLD_OPTIONS);
    const signal = this.signal(options.signal);
    const encrypted = orderedCiphertexts(this.#rules, inputs, () => false);
    const own = encrypted.map(({ name, bytes }) => ({ name, bytes: movable(bytes) }));
    const clear = this.#clear(options);
    const given = givenValues(own, clear);
    const evaluators = this.#evaluators;
    // Once more in the worker that takes the place of one that died.
    const held = new Remote<EvaluatorMethods>(
      (connection) =>
        evaluators.use(keys, async (remote) => connection.call('hold', [await remote.in(connection), given])),
      (connection, handle) => connection.send('freeHeld', [handle]),
    );
    const { connection } = await abortable(this.#loom.evaluator.worker(), signal);
    try {
      await abortable(held.in(connection), signal);
    } catch (error) {
      // They may still come, and would take memory that nobody can free.
      held.free();
      throw error;
    }
    const names = new Set([...own, ...clear].map(({ name }) => name));
    return new ValuesOfProgram(held, (inputs, options, signal) =>
      this.#run(inputs, keys, { ...options, signal }, { remote: held, names }),
    );
  }

  async run(inputs: Ciphertexts, keys: EvaluationKeys, options: RunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS], keys: [keys, KEYS] }, options, RUN_OPTIONS);
    return this.#run(inputs, keys, options);
  }

  #run(inputs: Ciphertexts, keys: EvaluationKeys, options: RunOptions, held?: Held): Promise<Ciphertexts> {
    return this.during(options.signal, (signal) => this.#runUntil(signal, inputs, keys, options, held));
  }

  #clear({ plain, public: open }: HoldOptions): EncodedByName[] {
    return [...encodedByName(this.#rules, 'plain', plain), ...encodedByName(this.#rules, 'public', open)];
  }

  async #runUntil(
    signal: AbortSignal,
    inputs: Ciphertexts,
    keys: EvaluationKeys,
    options: RunOptions,
    held: Held | undefined,
  ): Promise<Ciphertexts> {
    const { onProgress, onTrace, gpu = false } = options;
    // Copied before anything is waited for: what the caller changes meanwhile is of another run.
    const sent = orderedCiphertexts(this.#rules, inputs, (name) => !held?.names.has(name)).map(
      ({ name, bytes }) => ({ name, bytes: lentCopy(bytes) }),
    );
    const clear = this.#clear(options);
    checkDigitsGiven(this.#rules, clear, held?.names);
    const { connection } = await abortable(this.#loom.evaluator.worker(), signal);
    // Who asks for no times loads nothing of them.
    const times = typeof gpu === 'boolean' ? undefined : await abortable(this.#loom.deviceTimes(), signal);
    const placing = typeof gpu === 'boolean' ? gpu : placingBy(gpu, times?.of(this), times?.none);
    const answered = await this.#evaluators.use(keys, async (remote) => {
      const evaluator = await abortable(remote.in(connection), signal);
      const stays = held && (await abortable(held.remote.in(connection), signal));
      return connection.call(
        'run',
        [evaluator, stays, givenValues(sent, clear), onTrace !== undefined, placing],
        {
          signal,
          transfer: [...sent.map(({ bytes }) => bytes.buffer), ...buffersOf(clear)],
          onProgress: onProgress && ((progress) => onProgress({ phase: 'run', ...progress })),
        },
      );
    });
    // In the background, once there is a result.
    if (gpu === 'measured' || (typeof gpu === 'object' && gpu.times === undefined)) this.#learn(times);
    onProgress?.({ phase: 'run', done: 1, total: 1 });
    const outputs = told(answered, onTrace, { phase: 'run', role: 'evaluator' });
    return Object.fromEntries(outputs.flatMap(({ names, bytes }) => names.map((name) => [name, bytes])));
  }

  #learn(times: DeviceTimes | undefined): void {
    const learned = times?.learn(this, async () => {
      const { connection, program, signal } = await this.#asked({});
      return connection.call('uses', [program], { signal });
    });
    // Without times all stays with the processors; why there are none, `gpuTimes()` says.
    learned?.catch(() => {});
  }

  async #asked(
    options: CallOptions,
  ): Promise<{ connection: Connection<ProgramMethods>; program: number; signal: AbortSignal }> {
    const signal = this.signal(options.signal);
    // One that others may have made is asked where no keys are.
    const connection =
      this.#origin === 'task'
        ? aboutPrograms(this.#loom.clients.main)
        : aboutPrograms((await abortable(this.#loom.evaluator.worker(), signal)).connection);
    return { connection, program: await abortable(this.#opened.in(connection), signal), signal };
  }

  /** What a worker opens the program with: whoever has it agreed to what it is. */
  #sent(): Sent {
    return [this.#bytes, this.info.security === 'insecure'];
  }

  async #keyHolder(saved: Uint8Array | undefined, options: RestoreOptions): Promise<Client> {
    const signal = this.signal(options.signal);
    const lodger = clientOf(this.#sent(), this.#opened);
    const key = await Key.make(this.#loom.clients, this.#tenants.clients, lodger, saved, signal);
    try {
      const keys = options.evaluationKeys ?? (await this.#makeKeys(key, { ...options, signal }));
      return new KeyHolder(this.#loom, this.info, this.#rules, key, keys);
    } catch (error) {
      key.free();
      throw error;
    }
  }

  async #makeKeys(
    key: Key,
    { signal, onProgress: hear, onTrace }: CallOptions & TraceOptions,
  ): Promise<EvaluationKeys> {
    const { connection, handle } = await key.find();
    const progress = new JobProgress('keys', this.info.keys.length, hear);
    const keys: Uint8Array[] = [];
    for (const { name } of this.info.keys) {
      const onProgress = progress.during(name);
      const made = await connection.call('key', [handle, onTrace !== undefined, name], {
        signal,
        onProgress,
      });
      keys.push(told(made, onTrace, { phase: 'keys', item: name, role: 'client' }));
      progress.finished(name);
    }
    return Object.freeze(keys);
  }
}

/** How a run is placed: not at all before something was measured, but for what is pinned. */
function placingBy(
  gpu: 'measured' | GpuPlacement,
  measured: string | undefined,
  none: string | undefined,
): boolean | ByTimes {
  const { times, pins = {} }: GpuPlacement = gpu === 'measured' ? {} : gpu;
  const pinned = Object.keys(pins);
  const known = times === undefined ? measured : JSON.stringify(times);
  const table = known ?? (pinned.length > 0 ? none : undefined);
  return table === undefined ? false : { times: table, pinned, to: Object.values(pins) };
}

/** What stays with the evaluator, and its names. */
interface Held {
  readonly remote: Remote<EvaluatorMethods>;
  readonly names: ReadonlySet<string>;
}

/** See {@link HeldValues}. */
class ValuesOfProgram extends Resource implements HeldValues {
  readonly #run: RunHeld;

  constructor(held: Remote<EvaluatorMethods>, run: RunHeld) {
    super('values held', () => held.free());
    this.#run = run;
  }

  async run(inputs: Ciphertexts = {}, options: RunOptions = {}): Promise<Ciphertexts> {
    checkCall('run', { inputs: [inputs, CIPHERTEXTS] }, options, RUN_OPTIONS);
    return this.during(options.signal, (signal) => this.#run(inputs, options, signal));
  }
}

type RunHeld = (inputs: Ciphertexts, options: RunOptions, signal: AbortSignal) => Promise<Ciphertexts>;

/** A program's bytes, and whether it may be insecure. */
type Sent = Readonly<Parameters<ProgramMethods['openProgram']>>;

/** A client of a program. */
function clientOf(sent: Sent, opened: Remote<ProgramMethods>): Lodger {
  return {
    name: 'client',
    make: (connection, saved) =>
      withProgram(connection, sent, opened, (program) =>
        saved === undefined
          ? connection.call('createClient', [program])
          : connection.call('restoreClient', [program, saved]),
      ),
    free: (connection, handle) => connection.send('freeClient', [handle]),
  };
}

/** A data owner, whose public key is what is saved. */
function ownerOf(sent: Sent, opened: Remote<ProgramMethods>): Lodger {
  return {
    name: 'data owner',
    make: (connection, saved = new Uint8Array()) =>
      withProgram(connection, sent, opened, (program) => connection.call('createOwner', [program, saved])),
    free: (connection, handle) => connection.send('freeOwner', [handle]),
  };
}

/** A party at a shared key. */
function partyOf(
  sent: Sent,
  opened: Remote<ProgramMethods>,
  name: string,
  { parties, threshold }: { parties: string[]; threshold: number | undefined },
): Lodger {
  return {
    name: 'party',
    make: (connection, saved) =>
      withProgram(connection, sent, opened, (program) =>
        connection.call('createParty', [program, parties, threshold, name, saved]),
      ),
    save: (connection, handle, signal) => connection.call('saveParty', [handle], { signal }),
    free: (connection, handle) => connection.send('freeParty', [handle]),
  };
}

/** Works with a program in a client worker: one that has it already, or where it is opened anew, if only for so long. */
async function withProgram<T>(
  connection: Connection<ClientMethods>,
  sent: Sent,
  opened: Remote<ProgramMethods>,
  work: (program: Handle) => Promise<T>,
): Promise<T> {
  const held = opened.held(connection);
  const program = await (held ?? connection.call('openProgram', [...sent]).then(({ program }) => program));
  try {
    return await work(program);
  } finally {
    if (held === undefined) connection.send('freeProgram', [program]);
  }
}
