/**
 * What callers hand in, checked at the door of every public method: TypeScript's types are gone at run time, and
 * some callers have none. Here it is types and names; which values are possible is checked where they are used.
 */
import { failure, type OwnCode } from './errors.js';
import { STAGES, TASK_PASSES } from './stages.js';
import { ChosenKernels } from './tune/kernels/chosen.js';
import type {
  CircuitRunOptions,
  ExpandOptions,
  GraphOptions,
  OptimizeOptions,
  PlaceOptions,
  ProtectionKind,
  ProtectOptions,
  ViewOptions,
} from './graph-types.js';
import type {
  CallOptions,
  EncryptOptions,
  LoadOptions,
  RestoreOptions,
  TimesStore,
  TraceOptions,
  WasmVariant,
  WorkerLike,
} from './types.js';
import type {
  CategoryOptions,
  IntegerOptions,
  ApproximationOptions,
  ComparisonOptions,
  MomentOf,
  VarianceOptions,
  OutputOptions,
  ResultOptions,
  Program,
  CompileOptions,
  TaskPass,
  Parameters,
  DecryptOptions,
  HoldOptions,
  OpenOptions,
  RunOptions,
  Releases,
  SecurityLevel,
  Task,
} from './values/types.js';
import type { InlineOptions } from './job/crew/inline.js';
import type { ThreadsOptions } from './job/crew/threads.js';
import type { JobOptions, JobRunOptions } from './job/job.js';
import type { IntroduceOptions } from './parties/introduce.js';
import type { PortLike } from './parties/transports/port.js';
import type {
  CutRunOptions,
  DecryptTogetherOptions,
  MakeKeysOptions,
  PartyOptions,
  PartyStore,
  ProtocolOptions,
  RefreshOptions,
  SwitchOptions,
  Transport,
} from './parties/types.js';
import type { ConformanceOptions, TrialOptions, VerifyOptions } from './verification-types.js';

/** What an argument may be: in words, and as a test. */
export interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Data that nobody but the caller should see: errors tell of what sort a wrong value is, and not the value. */
  readonly secret?: boolean;
}

/** The options of a method: all there are, and what each may be if it is given. */
export type Kinds<T> = { readonly [name in keyof Required<T>]: Kind };

/** Its type in the language's own words, also for objects of other realms, such as a frame's. */
export function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';
const isBytes = (value: unknown): boolean => tag(value) === 'Uint8Array' && !isDetached(value);

/** Whether what bytes lie in has gone elsewhere, as `postMessage` moves it: they have no length then, and whoever copies them throws. */
export function isDetached(value: unknown): boolean {
  try {
    if (tag(value) === 'ArrayBuffer') void new Uint8Array(value as ArrayBuffer);
    // One that is read throws; so does the length of a DataView.
    else if (ArrayBuffer.isView(value) && value.byteLength === 0) void (value as Partial<Uint8Array>).at?.(0);
    return false;
  } catch {
    return true;
  }
}

/** One of some words. */
export const oneOf = (...words: readonly unknown[]): Kind => ({
  expected: `one of ${words.map(describe).join(', ')}`,
  fits: (value) => words.includes(value),
});
const arrayOf = (what: string, fits: (value: unknown) => boolean): Kind => ({
  expected: `an array of ${what}`,
  fits: (value) => Array.isArray(value) && value.every(fits),
});
/** An object that is only what it holds: no array, no Map, no Promise. */
export const objectOf = (what: string): Kind => ({
  expected: `an object with ${what}`,
  fits: (value) => tag(value) === 'Object',
});

/** What stands where options do may be data that were meant for the place before. */
const OPTIONS: Kind = { ...objectOf('options'), secret: true };
export const FUNCTION: Kind = { expected: 'a function', fits: (value) => typeof value === 'function' };
const SIGNAL: Kind = { expected: 'an AbortSignal', fits: (value) => tag(value) === 'AbortSignal' };
const BOOLEAN = oneOf(true, false);
const MEMORY: Kind = {
  expected: 'a number of bytes',
  fits: (value) => typeof value === 'number' && value >= 0,
};
/** A whole number that is exact, from 0. */
export const WHOLE: Kind = {
  expected: 'a whole number',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
/** A number whose range is checked where it is used. */
const NUMBER: Kind = { expected: 'a number', fits: isNumber };
const PRIMES = arrayOf('primes as decimal strings', isText);

/** Text. */
export const TEXT: Kind = { expected: 'a string', fits: isText };
/** Several texts. */
export const TEXTS = arrayOf('strings', isText);
/** Bytes. */
export const BYTES: Kind = { expected: 'bytes (Uint8Array)', fits: isBytes, secret: true };
/** What `Client.encrypt` and `Program.run` give. */
export const CIPHERTEXTS = objectOf('ciphertexts by name');
/** What `Client.encrypt` takes. */
export const VALUES_BY_NAME: Kind = { ...objectOf('values by name'), secret: true };
/** Keys; each is looked at when it is sent. */
export const KEYS: Kind = { expected: 'client.evaluationKeys, an array', fits: Array.isArray };
/** What the `worker` of `load` makes. */
export const WORKER: Kind = {
  expected: 'a Worker',
  fits: (value) => {
    const { postMessage, addEventListener, terminate } = (value ?? {}) as Partial<WorkerLike>;
    return [postMessage, addEventListener, terminate].every(FUNCTION.fits);
  },
};
/** Rows of cells. */
export const ROWS_OF_TEXTS: Kind = { ...arrayOf('arrays of strings', isTexts), secret: true };
/** A CSV file. */
export const FILE: Kind = {
  expected: 'text or bytes',
  fits: (value) =>
    isText(value) || ((ArrayBuffer.isView(value) || tag(value) === 'ArrayBuffer') && !isDetached(value)),
  secret: true,
};

/** Options of calls that take long. */
export const CALL_OPTIONS: Kinds<CallOptions> = { signal: SIGNAL, onProgress: FUNCTION };
/** Options of calls that take long, and whose operators can be traced. */
export const TRACED_OPTIONS: Kinds<CallOptions & TraceOptions> = { ...CALL_OPTIONS, onTrace: FUNCTION };
/** Options of `Client.encrypt`. */
export const ENCRYPT_OPTIONS: Kinds<EncryptOptions> = { ...TRACED_OPTIONS, showValues: BOOLEAN };
/** What a key is exported with. Halves of surrogate pairs would all be one letter. */
export const PASSPHRASE: Kind = {
  expected: 'a passphrase: a well-formed string that is not empty',
  fits: (value) => isText(value) && value !== '' && !/\p{Surrogate}/u.test(value as string),
  secret: true,
};
/** Options of `Program.restoreClient`. */
export const RESTORE_OPTIONS: Kinds<RestoreOptions> = {
  ...TRACED_OPTIONS,
  passphrase: PASSPHRASE,
  evaluationKeys: arrayOf('bytes (Uint8Array)', isBytes),
};
/** At most as many workers as there are threads anywhere. */
const WORKERS: Kind = {
  expected: 'a whole number from 0 to 256',
  fits: (value) => WHOLE.fits(value) && (value as number) <= 256,
};
/** Options of `threads`, of jobs. */
export const THREADS_OPTIONS: Kinds<ThreadsOptions> = {
  cpu: WORKERS,
  gpu: WORKERS,
  timeout: { expected: 'a number of milliseconds', fits: (value) => typeof value === 'number' && value > 0 },
  store: objectOf('put, get and drop'),
  worker: FUNCTION,
};
/** Options of `inline`, of jobs. */
export const INLINE_OPTIONS: Kinds<InlineOptions> = {
  workers: {
    expected: 'a whole number from 1 to 256',
    fits: (value) => WORKERS.fits(value) && value !== 0,
  },
  store: objectOf('put, get and drop'),
};
/** Options of `loadJob`. */
export const JOB_OPTIONS: Kinds<JobOptions> = {
  crew: objectOf('workers, a store and run'),
  table: FUNCTION,
  threshold: MEMORY,
};
/** Options of `Job.run`. */
export const JOB_RUN_OPTIONS: Kinds<JobRunOptions> = { signal: SIGNAL };
/** Options of `load`. */
export const LOAD_OPTIONS: Kinds<LoadOptions> = {
  signal: SIGNAL,
  mode: TEXT,
  native: BOOLEAN,
  threads: NUMBER,
  wasm: objectOf('a source for each build'),
  worker: FUNCTION,
  kernels: {
    expected: 'what chooseKernels gave',
    fits: (value) => ChosenKernels.taken(value) !== undefined,
  },
  workers: BOOLEAN,
  gpuTimes: {
    expected: 'a store with get, put and delete, or false',
    fits: (value) => {
      const { get, put, delete: drop } = (value || {}) as Partial<TimesStore>;
      return value === false || [get, put, drop].every(FUNCTION.fits);
    },
  },
};
const SOURCE: Kind = { expected: 'an address, bytes or a module', fits: (value) => value !== null };
/** The builds that `load` may be given. */
export const WASM_BUILDS: Kinds<Record<WasmVariant, unknown>> = {
  relaxed: SOURCE,
  threads: SOURCE,
  single: SOURCE,
};
/** These, and those of the other modules. */
export const WASM_OPTIONS: Kinds<Record<WasmVariant | 'graphs' | 'conformance', unknown>> = {
  ...WASM_BUILDS,
  graphs: objectOf('a source for each build'),
  conformance: objectOf('a source for each build'),
};
/** Attributes of an operator or a type. Their values are checked where they become text. */
export const ATTRIBUTES = objectOf('attributes by name');
/** The name of an operator. Whether there is one, the core says. */
export const OPERATOR: Kind = {
  expected: 'the name of an operator',
  fits: (value) => isText(value) && value !== '',
};
/** What `Loom.operator` takes. */
export const OPERATOR_DEFINITION: Kind = {
  expected:
    'an operator: { name, expand } or { name, output, module }, with a name such as my.operator, an absolute address, and ' +
    'perhaps a number of operands and names of attributes',
  fits: (value) => {
    const {
      name,
      expand,
      output,
      module,
      function: exported = '',
      operands = 0,
      attributes = [],
    } = (value ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || !/^[A-Za-z_]\w*(\.\w+)+$/.test(name)) return false;
    if (!Number.isInteger(operands) || (operands as number) < 0 || !isTexts(attributes)) return false;
    if (expand !== undefined) return [expand, output, module].map((part) => typeof part).join() === EXPANDED;
    return typeof output === 'function' && typeof exported === 'string' && isAddress(module);
  },
};
const EXPANDED = 'function,undefined,undefined';
const isAddress = (value: unknown): boolean =>
  typeof value === 'string' ? URL.canParse(value) : tag(value) === 'URL';
/** Operands; each is looked at where it is used. */
export const OPERANDS: Kind = { expected: 'an array of operands', fits: Array.isArray };
/** What `Circuit.run` takes; each is looked at where it is sent. */
export const DATA: Kind = { ...objectOf('data by name of their input'), secret: true };
/** What `Loom.circuit` opens. */
export const SAVED_CIRCUIT: Kind = {
  expected: 'text or bytes (Uint8Array) of a circuit',
  fits: (value) => isText(value) || isBytes(value),
  secret: true,
};
const PLACES = ['simd', 'scalar', 'javascript', 'gpu'];
/** One, or several, the preferred ones first. */
const PREFERRED: Kind = {
  expected: `one of ${PLACES.map(describe).join(', ')}, or an array of some of them, each once`,
  fits: (value) => {
    const names: unknown[] = Array.isArray(value) ? value : [value];
    return (
      names.length > 0 &&
      new Set(names).size === names.length &&
      names.every((name) => PLACES.includes(name as string))
    );
  },
};
/** One whose kernels are the package's own. */
const PLATFORM = oneOf('simd', 'scalar');
/** Options of `Loom.graph`. */
export const GRAPH_OPTIONS: Kinds<GraphOptions> = { unit: oneOf(1, 2, 4, 8, 16, 32, 64) };
/** Options of `GraphBuilder.view`. */
export const VIEW_OPTIONS: Kinds<ViewOptions> = { from: WHOLE };
/** Options of `Circuit.expand`. */
export const EXPAND_OPTIONS: Kinds<ExpandOptions & CallOptions> = {
  ...CALL_OPTIONS,
  platform: PREFERRED,
  base: TEXTS,
  level: oneOf('task', 'scheme', 'polynomial', 'base'),
  steps: {
    expected: 'a whole number from 1 to 4294967295',
    fits: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) < 2 ** 32,
  },
};
/** Options of `Circuit.place`. */
export const PLACE_OPTIONS: Kinds<PlaceOptions & CallOptions> = {
  ...CALL_OPTIONS,
  platform: PREFERRED,
  pin: {
    expected: `an object with one of ${PLACES.map(describe).join(', ')} for names of operators`,
    fits: (value) =>
      tag(value) === 'Object' &&
      Object.values(value as object).every((name) => PLACES.includes(name as string)),
  },
  times: {
    expected: '"measured" or an object of times',
    fits: (value) => value === 'measured' || tag(value) === 'Object',
  },
};
/** Options of `Circuit.optimize`. */
export const OPTIMIZE_OPTIONS: Kinds<OptimizeOptions & CallOptions> = { ...CALL_OPTIONS, passes: TEXTS };
/** What a protection draws from. */
export const SEED: Kind = {
  expected: '32 bytes (Uint8Array)',
  fits: (value) => isBytes(value) && (value as Uint8Array).length === 32,
  secret: true,
};
const KINDS = [
  'dead_code',
  'branches',
  'additive_shares',
  'multiplicative_shares',
  'xor_shares',
  'table_splitting',
  'rewriting',
] as const satisfies readonly ProtectionKind[];
/** Options of `Circuit.protect`. */
export const PROTECT_OPTIONS: Kinds<ProtectOptions & CallOptions> = {
  ...CALL_OPTIONS,
  seed: SEED,
  kinds: {
    expected: `an array of at least one of ${KINDS.join(', ')}`,
    fits: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((kind) => KINDS.some((own) => own === kind)),
  },
  growth: {
    expected: 'a number from 1 to 256',
    fits: (value) => typeof value === 'number' && value >= 1 && value <= 256,
  },
  keep: BOOLEAN,
  anonymous: BOOLEAN,
};
/** Options of `Circuit.run`. */
export const CIRCUIT_RUN_OPTIONS: Kinds<CircuitRunOptions> = {
  ...TRACED_OPTIONS,
  keep: OPERANDS,
  platform: PREFERRED,
  memoryLimit: MEMORY,
  secret: BOOLEAN,
};
/** Options of `GraphBuilder.share`. */
export const SHARE_OPTIONS: Kinds<Pick<CallOptions, 'signal'>> = { signal: SIGNAL };
/** What carries messages between parties. */
export const TRANSPORT: Kind = {
  expected: "a Transport, such as inProcess().join('one')",
  fits: (value) => {
    const { send, listen } = (value ?? {}) as Partial<Transport>;
    return [send, listen].every(FUNCTION.fits);
  },
};
/** Where parties keep what lets them come back. */
export const PARTY_STORE: Kind = {
  expected: "a PartyStore, such as inFolder('runs')",
  fits: (value) => {
    const { get, put, remove } = (value ?? {}) as Partial<PartyStore>;
    return [get, put, remove].every(FUNCTION.fits);
  },
};
/** Ports of `overPorts`. */
export const PORTS: Kind = {
  expected: 'an object with a MessagePort for each other party, by its name',
  fits: (value) =>
    tag(value) === 'Object' &&
    Object.entries(value as object).every(([name, port]: [string, Partial<PortLike> | undefined]) =>
      [isName(name), FUNCTION.fits(port?.postMessage), FUNCTION.fits(port?.addEventListener)].every(Boolean),
    ),
};
/** What has inputs, of which some may be seeds. */
export const WITH_INPUTS: Kind = {
  expected: 'a Circuit or a Cut',
  fits: (value) => Array.isArray((value as { readonly inputs?: unknown } | null | undefined)?.inputs),
};
/** Who takes part where several do. */
export const PARTY_NAME: Kind = { expected: 'the name of a party', fits: isName };
/** A run of several parties. */
export const RUN_NAME: Kind = {
  expected: '32 hexadecimal digits, as newRun() gives them',
  fits: (value) => isText(value) && /^[0-9a-f]{32}$/.test(value as string),
};
const { keep: _, ...WITHOUT_KEEP } = CIRCUIT_RUN_OPTIONS;
/** Options of `Cut.run`. */
export const CUT_RUN_OPTIONS: Kinds<CutRunOptions> = {
  ...WITHOUT_KEEP,
  transport: TRANSPORT,
  run: RUN_NAME,
  keep: PARTY_STORE,
  leaves: { expected: 'cut.leaves, an array', fits: Array.isArray },
  approve: FUNCTION,
  timeout: {
    expected: 'a number of milliseconds above 0',
    fits: (value) => typeof value === 'number' && value > 0 && value <= 2 ** 31 - 1,
  },
  onRefused: FUNCTION,
};
const { run, transport, approve, timeout, onRefused } = CUT_RUN_OPTIONS;
/** Options of `introduce`. */
export const INTRODUCE_OPTIONS: Kinds<IntroduceOptions> = {
  transport,
  party: PARTY_NAME,
  parties: {
    expected: 'an array of 2 to 16 different names',
    fits: (value) =>
      Array.isArray(value) &&
      value.length >= 2 &&
      value.length <= 16 &&
      value.every(isName) &&
      new Set(value).size === value.length,
  },
  meeting: RUN_NAME,
  about: BYTES,
  keep: PARTY_STORE,
  onCame: FUNCTION,
  onRefused,
  timeout,
  signal: SIGNAL,
};
/** Options of `KeyParty.deal`. */
export const PROTOCOL_OPTIONS: Kinds<ProtocolOptions> = {
  ...CALL_OPTIONS,
  run,
  transport,
  approve,
  timeout,
  onRefused,
};
const PARTY_NAMES = arrayOf('names of parties', isName);
const RECEIVERS: Kind = {
  expected: 'different names of parties, one or more',
  fits: (value) => {
    const names = value as readonly unknown[];
    return PARTY_NAMES.fits(value) && names.length > 0 && new Set(names).size === names.length;
  },
};
/** Options of `KeyParty.makeKeys`. */
export const MAKE_KEYS_OPTIONS: Kinds<MakeKeysOptions> = {
  ...PROTOCOL_OPTIONS,
  active: PARTY_NAMES,
  hub: PARTY_NAME,
  publicKey: BYTES,
};
/** Options of `KeyParty.switchTo`. */
export const SWITCH_OPTIONS: Kinds<SwitchOptions> = MAKE_KEYS_OPTIONS;
/** Options of `KeyParty.refresh`. */
export const REFRESH_OPTIONS: Kinds<RefreshOptions> = SWITCH_OPTIONS;
/** Options of `KeyParty.decrypt`. */
export const DECRYPT_TOGETHER_OPTIONS: Kinds<DecryptTogetherOptions> = {
  ...PROTOCOL_OPTIONS,
  active: PARTY_NAMES,
  to: RECEIVERS,
  publicKey: BYTES,
  public: VALUES_BY_NAME,
};
/** Options of `Program.party`. */
export const PARTY_OPTIONS: Kinds<PartyOptions> = {
  ...CALL_OPTIONS,
  parties: PARTY_NAMES,
  threshold: WHOLE,
  saved: BYTES,
};
/** Options of `Program.verify`. */
export const TRIAL_OPTIONS: Kinds<TrialOptions> = {
  ...CALL_OPTIONS,
  trials: {
    expected: 'a whole number from 1 to 1000000',
    fits: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1e6,
  },
  seed: {
    expected: 'a whole number from 0, a bigint below 2^64',
    fits: (value) => WHOLE.fits(value) || (typeof value === 'bigint' && BigInt.asUintN(64, value) === value),
  },
};
const PLATFORMS = arrayOf('simd and scalar', PLATFORM.fits);
/** Options of `Circuit.verify`. */
export const VERIFY_OPTIONS: Kinds<VerifyOptions> = {
  ...TRIAL_OPTIONS,
  against: { expected: 'a circuit', fits: (value) => typeof value === 'object' && value !== null },
  passes: TEXTS,
  platforms: {
    expected: 'two platforms or more, each simd or scalar, the last of which is right',
    fits: (value) => PLATFORMS.fits(value) && (value as unknown[]).length >= 2,
  },
  inputs: DATA,
  platform: PLATFORM,
};
/** Options of `Loom.conformance`. */
export const CONFORMANCE_OPTIONS: Kinds<ConformanceOptions> = {
  ...CALL_OPTIONS,
  platforms: arrayOf('simd, scalar and gpu', (value) => value === 'gpu' || PLATFORM.fits(value)),
};

/** A task, also of another copy of the package. */
export const TASK: Kind = {
  expected: 'a task of loom.task() or createTask()',
  fits: (value) => {
    const { literal, ties } = (value ?? {}) as Partial<Task>;
    return typeof literal === 'function' && typeof ties === 'function';
  },
};
/** Tasks that are compiled together. */
export const TASKS: Kind = {
  expected: 'an array of at least one task, each of loom.task() or createTask()',
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(TASK.fits),
};
/** Whose results are inputs of a task. */
export const RESULT_MAKER: Kind = {
  expected: 'a task or a compiled program',
  fits: (value) => TASK.fits(value) || tag((value as Partial<Program> | null | undefined)?.info) === 'Object',
};
/** A level of a program. */
export const STAGE = oneOf(...STAGES);
/** What an input of a task is declared with; what is possible for its kind is checked by the task. */
export const VALUE_OPTIONS: Kinds<Record<keyof IntegerOptions | keyof CategoryOptions, unknown>> = {
  kind: oneOf('integer', 'real', 'boolean', 'date', 'category'),
  shape: { expected: 'a shape', fits: () => true },
  missing: BOOLEAN,
  min: { expected: 'a bound', fits: () => true },
  max: { expected: 'a bound', fits: () => true },
  decimals: { expected: 'a number of decimals', fits: () => true },
  categories: { expected: 'a number of categories', fits: () => true },
};
/** How an output is declared. */
export const OUTPUT_OPTIONS: Kinds<OutputOptions> = { keep: BOOLEAN, refresh: BOOLEAN };
/** How a result of another task is taken. */
export const RESULT_OPTIONS: Kinds<ResultOptions> = { refreshed: BOOLEAN };
/** Coefficients. */
export const NUMBERS = arrayOf(
  'finite numbers',
  (value) => typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value)),
);
/** Options of variance and covariance. */
export const MOMENT_OF: Kinds<MomentOf> = { of: oneOf('sample', 'population') };
/** Options of a variance: the dimension is looked at where the shape is known. */
export const VARIANCE_OPTIONS: Kinds<VarianceOptions> = { ...MOMENT_OF, axis: NUMBER };
/** No infinity either. */
const FINITE: Kind = { expected: 'a finite number', fits: (value) => Number.isFinite(value) };
/** Options of `Value.approximate`. */
export const APPROXIMATION_OPTIONS: Kinds<ApproximationOptions> = {
  from: FINITE,
  to: FINITE,
  degree: FINITE,
  error: FINITE,
};
/** Options of comparisons. */
export const COMPARISON_OPTIONS: Kinds<ComparisonOptions> = { gap: FINITE };
/** A security level. */
export const SECURITY_LEVEL: Kinds<SecurityLevel> = {
  table: TEXT,
  bits: oneOf(128, 192, 256),
  quantum: BOOLEAN,
};
/** The level that parameters tell. */
export const TOLD_LEVEL: Kinds<Pick<Parameters, 'security' | 'securityBits' | 'quantum'>> = {
  security: TEXT,
  securityBits: oneOf(0, 128, 192, 256),
  quantum: BOOLEAN,
};
/** Options of `Loom.program`. */
export const OPEN_OPTIONS: Kinds<OpenOptions> = { ...CALL_OPTIONS, allowInsecure: BOOLEAN };
const SCHEME = oneOf('BFV', 'BGV', 'CKKS');
/** Options of `Loom.compile`. */
export const COMPILE_OPTIONS: Kinds<CompileOptions & CallOptions> = {
  ...CALL_OPTIONS,
  scheme: SCHEME,
  security: {
    expected: 'a table, or a level: { table, bits, quantum }',
    fits: (value) => isText(value) || tag(value) === 'Object',
  },
  allowInsecure: BOOLEAN,
  n: WHOLE,
  precision: { expected: 'a number of bits', fits: (value) => typeof value === 'number' },
  memoryLimit: MEMORY,
  keyBytes: MEMORY,
  parameters: objectOf('parameters, such as the info of another program'),
  passes: objectOf('passes by name, each true or false'),
  publicKey: BOOLEAN,
  releases: objectOf('releases: { count, statisticalBits }'),
  parties: {
    expected: 'a whole number from 2 to 256',
    fits: (value) => WHOLE.fits(value) && (value as number) >= 2,
  },
};
/** Option `releases`. */
export const RELEASES: Kinds<Releases> = { count: WHOLE, statisticalBits: WHOLE };
/** Passes that are made or not. */
export const TASK_PASS_CHOICES = Object.fromEntries(TASK_PASSES.map((pass) => [pass, BOOLEAN])) as Kinds<
  Record<TaskPass, boolean>
>;
/** Parameters of values. */
export const PARAMETERS: Kinds<Omit<Parameters, keyof typeof TOLD_LEVEL>> = {
  scheme: SCHEME,
  n: WHOLE,
  moduli: PRIMES,
  special: PRIMES,
  plainModuli: PRIMES,
  scale: FINITE,
  publicKey: BOOLEAN,
  parties: WHOLE,
  inputs: {
    expected: 'inputs by name, with their layouts, such as those in the info of another program',
    fits: (value) => Array.isArray(value) && value.every(isLaidOut),
  },
};
/** Options of `Program.hold`. */
export const HOLD_OPTIONS: Kinds<HoldOptions> = {
  signal: CALL_OPTIONS.signal,
  plain: VALUES_BY_NAME,
  public: VALUES_BY_NAME,
};
/** Options of `Program.run`. */
export const RUN_OPTIONS: Kinds<RunOptions> = {
  ...TRACED_OPTIONS,
  ...HOLD_OPTIONS,
  gpu: {
    expected: "true, false, 'measured' or an object with times or pins",
    fits: (value) => BOOLEAN.fits(value) || value === 'measured' || isPlacement(value),
  },
};
/** Options of `Client.decrypt`. */
export const DECRYPT_OPTIONS: Kinds<DecryptOptions> = {
  ...TRACED_OPTIONS,
  public: VALUES_BY_NAME,
  inputs: CIPHERTEXTS,
};

/** Whether something says what of a run goes to a GPU; times themselves are looked at where they are used. */
function isPlacement(value: unknown): boolean {
  if (tag(value) !== 'Object') return false;
  const { times = {}, pins = {}, ...others } = value as Record<string, unknown>;
  return (
    Object.keys(others).length === 0 &&
    tag(times) === 'Object' &&
    tag(pins) === 'Object' &&
    Object.values(pins as object).every((to) => to === 'gpu' || to === 'simd')
  );
}

/** Whether something is an input with its layout, if it has one. */
function isLaidOut(input: unknown): boolean {
  if (tag(input) !== 'Object') return false;
  const { name, layout } = input as Partial<Record<string, unknown>>;
  if (!isName(name) || layout === undefined) return isName(name);
  const { axes, repeated } = (tag(layout) === 'Object' ? layout : {}) as Partial<Record<string, unknown>>;
  const isAxis = (axis: unknown): boolean =>
    Array.isArray(axis) && axis.length === 2 && WHOLE.fits(axis[0]) && (axis[1] === null || isBit(axis[1]));
  return Array.isArray(axes) && axes.every(isAxis) && WHOLE.fits(repeated);
}

function isBit(value: unknown): boolean {
  return WHOLE.fits(value) && (value as number) < 64;
}

/**
 * Whether a name can be given to an input or output. As `__proto__` it could not be written in an object of
 * columns, which would take it for its prototype: `{ __proto__: [1, 2] }` has no property. Half a surrogate pair would
 * not come back from the core as it went there, and what is longer than 256 bytes of UTF-8 it refuses.
 */
export function isName(name: unknown): name is string {
  if (typeof name !== 'string' || name === '' || name === '__proto__' || name.length > MOST_NAME_BYTES)
    return false;
  return !/\p{Surrogate}/u.test(name) && new TextEncoder().encode(name).length <= MOST_NAME_BYTES;
}

const MOST_NAME_BYTES = 256;

/** Errors: InputError `input.type`, which says what was found and expected, and where. */
export function checkArgument(where: string, value: unknown, { expected, fits, secret }: Kind): void {
  if (fits(value)) return;
  throw wrongType(where, expected, secret ? sortOf(value) : describe(value));
}

/** InputError `input.type`: what was found, in words, where something else is expected. */
export function wrongType(where: string, expected: string, found: string): Error {
  return unexpected('input.type', where, expected, found);
}

/** An error of that code: what was found, in words, where something else is expected. */
export function unexpected(code: OwnCode, where: string, expected: string, found: string): Error {
  return failure(code, `${where}: expected ${expected}, found ${found}`, { where, found, expected });
}

/** Errors: InputError `input.type` for what is no object of options, `input.option` for one that does not exist. */
export function checkOptions<T>(method: string, options: unknown, kinds: Kinds<T>): void {
  checkArgument(`${method}, options`, options, OPTIONS);
  for (const [name, value] of Object.entries(options as object)) {
    if (!Object.hasOwn(kinds, name)) {
      const expected = Object.keys(kinds);
      const problem = `${method}: there is no option ${describe(name)}; there are ${expected.join(', ')}`;
      throw failure('input.option', problem, { where: method, found: name, expected });
    }
    if (value !== undefined) checkArgument(`${method}, option ${name}`, value, kinds[name as keyof T]);
  }
}

/** Checks a call: its arguments by name, and its options. Errors: as of {@link checkOptions}. */
export function checkCall<T>(
  method: string,
  given: Readonly<Record<string, readonly [value: unknown, kind: Kind]>>,
  options: unknown,
  kinds: Kinds<T>,
): void {
  for (const [name, [value, kind]] of Object.entries(given)) checkArgument(`${method}, ${name}`, value, kind);
  checkOptions(method, options, kinds);
}

/**
 * What was found, for people: strings in quotes, so that "5" is not 5. Of an array how long it is, since it may be a
 * column: what is in it has no place in a log.
 */
export function describe(value: unknown): string {
  return Array.isArray(value) ? `an array of ${value.length}` : describeOne(value);
}

/** Of what sort a value is, without the value. */
export function sortOf(value: unknown): string {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'string':
    case 'boolean':
      if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
        return 'an infinite number';
      return Number.isNaN(value) ? 'NaN' : `a ${typeof value}`;
    default:
      return Array.isArray(value) ? 'an array' : describeOne(value);
  }
}

function describeOne(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
    case 'bigint':
      return `${value}n`;
    case 'symbol':
    case 'function':
      return `a ${typeof value}`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return String(value);
  }
}

function describeObject(value: object): string {
  if (isDetached(value)) return 'detached bytes';
  switch (tag(value)) {
    case 'Object':
      return 'an object';
    case 'Array':
      return 'an array';
    case 'Promise':
      // Nobody waits for it, so that what it fails by is not to end the process.
      Promise.resolve(value).catch(() => {});
      return 'a Promise: an await is missing';
    default:
      return `an object (${tag(value)})`;
  }
}
