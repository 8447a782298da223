/** The public API of cipherloom. */
export { load } from "./load.js";
export { createTask } from "./task.js";
export { plainStatistics } from "./plain.js";
export {
  CipherloomError, DisposedError, ERROR_CODES, FormatError, GraphError, InputError, KeyError, MemoryError, NoiseError,
  OutOfRangeError, ParameterError, TableError, UndefinedStatisticError, WorkerError,
} from "./errors.js";
export type { ErrorCode, ErrorDetails } from "./errors.js";
export type { PlainOutput } from "./plain.js";
export type {
  Attribute, CallOptions, Ciphertexts, Client, ColumnOptions, CompiledModule,
  CompileOptions, Decimal, DecimalPlaces, DecryptedOutput,
  DecryptedValue, EncryptedColumn, EvaluationKeys, GraphView, InputInfo, Layout, LoadOptions, Loom, LoomTask, Mode,
  MomentOptions, OutputInfo, Plain, Program, ProgramInfo, Progress, RestoreOptions, Role, RunOptions, Stage, StageStats, Statistic,
  StatisticKind, Task, TaskLiteral, TraceView, Values, Variant, WasmSource, WorkerLike,
} from "./types.js";
