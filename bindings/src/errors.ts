/** Errors with stable codes. `family.kind`: the family decides the class. */

/** Codes of this side of the package. */
const OWN_CODES = {
  'input.unknown': 'data whose name the program or circuit does not know',
  'input.missing': 'an input of the program or circuit was not given',
  'input.length': 'an array has another length than declared',
  'input.missing_value': 'a cell is missing in a value that was declared without missing cells',
  'input.not_a_number': 'a value is no finite number',
  'input.decimals': 'a value has more decimals than declared',
  'input.shape': 'cells that are not in the shape that was declared',
  'input.kind': 'a cell is not of the kind that was declared, such as a number where a boolean belongs',
  'input.type': 'an argument is of the wrong type, or none of the words that it can be',
  'input.option': 'an option that does not exist, or not with the others',
  'range.value': 'a value lies outside the declared min..max, or a bit is neither 0 nor 1',
  'range.integer': 'a bound or a known number of 2^126 and more, after scaling',
  'parameters.decimals': 'the number of decimals is not a whole number from 0 to 36',
  'parameters.fraction':
    'bits behind the point that are no whole number in their range, or of a shared tensor too many or too few',
  'parameters.categories': 'the number of categories is not a whole number from 1 to 2^32',
  'parameters.bounds': 'min and max are not numbers of the declared decimals with min <= max',
  'parameters.approximation': 'no polynomial of any degree that there is comes so near to a function',
  'parameters.mode': 'the build that was insisted on cannot run here',
  'parameters.crypto': 'the platform has no WebCrypto, which passphrases need',
  'parameters.threads': 'the number of threads is not a whole number from 1 to 256',
  'graph.name': 'a name is empty, or taken',
  'graph.foreign': 'an expression belongs to another task, or an operand to another builder',
  'graph.shape':
    'a tensor of no such shape, or of no whole number of units; values of shapes that do not go together',
  'graph.missing': 'missing cells where complete values are taken: a table that is looked up in',
  'graph.no_outputs': 'a task without outputs computes nothing',
  'format.program': 'bytes are not a saved program',
  'format.circuit': 'a text or bytes are not a circuit that can be run',
  'format.size': 'bytes of another size than the program expects',
  'format.job': 'bytes are not a job file, or no file of rows',
  'format.sealed': 'bytes are not a key that was exported with a passphrase',
  'operator.invalid': 'an operator over operands that it does not take',
  'operator.name': "the name of an operator of one's own is none, or taken",
  'operator.expand': "the expansion of an operator of one's own threw, or gave no operand",
  'operator.output': "the type that an operator of one's own says it gives is none, or it threw",
  'operator.failed': "the function of an operator of one's own threw, or is not in its module",
  'operator.result': "the function of an operator of one's own gave something else than its output",
  'operator.endless_expansion': 'an operator whose expansion does not end',
  'operand.not_kept': 'an operand that was to be kept is not computed by the circuit',
  'key.public':
    'a public key, or what was encrypted with one, for a program that was compiled without publicKey',
  'key.missing': 'an evaluation key that the program needs was not given',
  'key.passphrase': 'a passphrase that is not the one of an exported key, or bytes that were changed',
  'key.sealed': 'a key that was exported with a passphrase, and none was given',
  'table.empty': 'a file without data rows',
  'table.encoding': 'a file that is no text in the encoding that was asked for',
  'table.quotes': 'a quoted field that does not end, or is followed by text',
  'table.ragged': 'a row with another number of fields than the header',
  'table.duplicate': 'two columns of one name',
  'table.no_numbers': 'a file without a numeric column',
  'table.column': 'a column that is not in the file',
  'table.not_numeric': 'a column that is not numeric',
  'table.numeric': 'a column of numbers where one of texts is wanted',
  'worker.wasm': 'the wasm file could not be loaded',
  'worker.failed': 'a worker could not be started',
  'worker.trap': 'a worker crashed in the middle of a call',
  'worker.dead': 'a worker is gone: call loom.restart()',
  'worker.key_lost': 'a client whose secret key was never saved died with its worker',
  'worker.unexpected': 'an error that has no code: a defect of the package',
  'gpu.none': 'there is no GPU that WebGPU gives to this page or process',
  'gpu.limit': 'a buffer that is larger than the GPU takes',
  'gpu.memory': 'memory for the GPU that cannot be had',
  'gpu.shader': 'the GPU does not take a shader: a defect of the package or of a driver',
  'gpu.lost': 'the GPU was lost, or gave no answer',
  'job.definition': 'a job whose definition breaks a rule',
  'job.template': 'a value that the template of its vector does not take',
  'job.key': 'a key that the template of its vector does not take',
  'job.partitioner': 'a Partitioner that gives no sub-vector that there is, or throws',
  'job.operator': 'the operator of a round threw, or is not in its module',
  'job.result': 'a result of another type than the others of its round, or of none that vectors hold',
  'job.timeout': 'a part of a job that took longer than it may',
  'job.worker': 'a worker died of a task, again and again, or is of another version',
  'job.kind': 'a kind of worker that the crew has not',
  'job.chunk': 'stored bytes that are not what their name says, or hold no rows',
  'job.store': 'a store that does not take bytes, or does not give them',
  'job.refused':
    'a module, circuit or program that a worker was not told to accept, or a module that was edited since its job began',
  'job.format': 'rows that the wanted format cannot say, or whose library is not installed',
  'party.unapproved': 'values would leave a party, and nobody has said that they were looked at',
  'party.refused': 'values would leave a party, and that was not approved',
  'party.graph': 'a party with another graph',
  'party.stopped': 'a party that stopped before all had crossed',
  'party.timeout': 'a party that is silent for longer than it may be while something of it is awaited',
  'party.value': 'a value of another party that is none of its type',
  'party.transport': 'a transport that does not take messages, or a run without one',
  'party.message': 'a message that is none',
  'party.stranger': 'a message of somebody with whom a party exchanges nothing',
  'party.run': 'a message of another run',
  'party.hello': 'a message before the hello of its party, or another hello than before',
  'party.channel': 'a channel that a party has not, or not in that direction',
  'party.sender': 'a message on a channel of other parties',
  'party.size': 'a value of another size than its type has',
  'party.shares':
    'a holder of shares that is named twice or is the dealer, a result that would be opened to the dealer, or what takes a dealer where there is none',
  'party.order':
    'a piece of a value, a receipt, or a sealed message, that does not follow on the one before; a key before its commitment',
  'party.twice': 'a value, or a sealed message, that is there already',
  'party.ended': 'a message of a party that had said that nothing more comes',
  'party.attempt': 'a message of, or for, an attempt of a party before its latest one',
  'party.restarted': 'a party that has begun a run anew, which was not kept for that',
  'party.changed':
    'a value that a party has sent before and now computes otherwise, or other inputs than those of the results that it has kept',
  'party.store': 'a store of what a party keeps that does not take bytes, or does not give them',
  'party.key': 'keys of parties that are none, or do not belong together',
  'party.sealed': 'a sealed message that was altered, or is of another run, other keys or other parties',
  'party.introduction':
    'a party that says another key than it has committed to, or somebody between who alters what it says',
  'layout.label': 'a label that breaks a rule, or does not fit its datum or the machine',
  'layout.text': 'a text that is no label',
  'layout.machine': 'a description of a machine that breaks a rule',
  'layout.storage': 'a storage that the machine has not',
  'layout.split': 'parts that overlap, leave something out or lie outside; a rounding that loses data',
  'layout.strategy': 'an operator and category of which a strategy knows nothing, or a row that is none',
  'layout.operator': 'an operator that the room of layouts has not, or a mode that there is not',
  'layout.operands': 'operands, or labels of operands, that do not go together',
  'layout.data': 'data of another size than their label says, or no numbers',
  'layout.plan': 'an instruction that reads what is not there, or that is none',
  'layout.packet': 'bytes that are no packet of constants',
  'tune.key': 'a key of an operator that breaks a rule',
  'tune.record': 'a record of implementations that breaks a rule',
  'tune.signature': 'a record, or a request, that is not signed by an explorer that was allowed',
  'tune.device': 'a record of another class of devices, or of another operator, than was asked for',
  'tune.code':
    'code that is not the one that was named, or that the user has not allowed and no schedule gives',
  'tune.conformance': 'an implementation that does not compute on this device what its operator says',
  'tune.measure': 'measurements that cannot be made, or compared',
  'tune.option': 'a setting of the service or of its client that cannot be',
  'tune.service': 'a service that does not answer, or refuses',
  'tune.lease': "a result of a task that is another explorer's by now, or nobody's",
  'tune.cache': 'a cache that cannot be opened, read or written',
  'tune.library': 'a package that a part of cipherloom/tune needs, and that is not installed',
  'memory.shared': 'shared memory could not be allocated',
  'memory.refused': 'the platform has no memory, or no addresses, for another engine',
  disposed: 'the object, or the loom that it belongs to, was disposed',
} as const;

/** Codes that the core alone gives. */
const CORE_CODES = {
  'range.overflow': 'an output of the task can exceed what plaintext moduli can hold',
  'parameters.none': 'no secure parameters are large enough for the task',
  'parameters.insecure': 'parameters below the security level that was asked for, which nobody has allowed',
  'parameters.invalid': 'parameters that were given do not fit',
  'task.invalid': 'a task literal that breaks a rule',
  'operator.unknown': 'an operator type that does not exist',
  'operator.no_expansion': 'an operator that leads to none of those that were asked for',
  'operator.not_implemented': 'an operator that a platform has no kernel for',
  'platform.unknown': 'an operator is placed on a platform that there is not',
  'gpu.secret':
    'data that are to be overwritten after a run, and operators that are placed on a GPU, whose memory cannot be for certain',
  'graph.attribute': 'a type or an attribute that is missing, or not what it can be',
  'graph.size': 'data of another size than where they are put',
  'graph.split': 'a view that reaches beyond its operand',
  'graph.syntax': 'a text that breaks the grammar of the text form',
  'graph.cycle': 'operators that wait for each other',
  'graph.undefined': 'units that are read, and that nobody writes',
  'graph.overlapping_inputs': 'two inputs that share units',
  'graph.overlapping_outputs': 'two operators that write one unit',
  'graph.writes_input': 'an operator that writes an input',
  'graph.address_space': 'more units than a graph can have',
  'pass.unknown': 'a pass of the optimizer that does not exist',
  'party.shared': 'owners that are none of a shared graph, or a party that it has not',
  'verify.differs': 'two computations that have to give the same do not',
  'format.truncated': 'bytes that end early',
  'format.magic': 'bytes that cipherloom did not make',
  'format.kind': 'bytes of another kind of object',
  'format.checksum': 'bytes that were changed',
  'format.version': 'bytes of a version that this one does not read',
  'format.decisions': 'a program of which another version made other keys, values or results than this one',
  'format.content': 'bytes whose content breaks a rule of its kind',
  'key.foreign': 'a ciphertext or key of another program, other parameters or another client',
  'key.released': 'a key that has decrypted as many results as may be published',
  'noise.exhausted': 'a ciphertext with too much noise to be decrypted',
  'statistic.undefined': 'a result that has no value, such as the mean of no cells',
  'memory.limit': 'a plan that needs more memory than the limit',
  'memory.exhausted': 'memory that was asked for cannot be had',
  'program.too_large': 'a task that would become more than any run should take',
} as const;

/** Every stable code that a user can meet, and what it means. */
export const ERROR_CODES = { ...OWN_CODES, ...CORE_CODES } as const;

/** A stable code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Facts of an error: found, expected, where. Survives structured clone. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Base of every error of the package. */
export class CipherloomError extends Error {
  override readonly name: string = 'CipherloomError';
  /** Stable: see {@link ERROR_CODES}. */
  readonly code: string;
  readonly details: ErrorDetails;

  constructor(code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** Data handed in is not what the program takes. */
export class InputError extends CipherloomError {
  override readonly name = 'InputError';
}
/** A number is outside the bounds that were declared, or that the parameters can hold. */
export class OutOfRangeError extends CipherloomError {
  override readonly name = 'OutOfRangeError';
}
/** Options that cannot be met. */
export class ParameterError extends CipherloomError {
  override readonly name = 'ParameterError';
}
/** A task or a graph that is not well formed. */
export class GraphError extends CipherloomError {
  override readonly name = 'GraphError';
}
/** Bytes that are not what they should be. */
export class FormatError extends CipherloomError {
  override readonly name = 'FormatError';
}
/** Keys that are missing, or of other parameters, or of another client; public ones where none are taken. */
export class KeyError extends CipherloomError {
  override readonly name = 'KeyError';
}
/** The noise leaves no room: for any secure parameters, or to decrypt this ciphertext. */
export class NoiseError extends CipherloomError {
  override readonly name = 'NoiseError';
}
/** A statistic without a value, such as the mean of no rows. */
export class UndefinedStatisticError extends CipherloomError {
  override readonly name = 'UndefinedStatisticError';
}
/** A table (CSV file) that cannot be read as asked. */
export class TableError extends CipherloomError {
  override readonly name = 'TableError';
}
/** A worker that crashed or could not start; `loom.restart()` replaces it. Or a key that was lost with one. */
export class WorkerError extends CipherloomError {
  override readonly name = 'WorkerError';
}
/** More memory, or more work, than there may be. */
export class MemoryError extends CipherloomError {
  override readonly name = 'MemoryError';
}
/** A GPU that is not there, or does not do what it is asked for. */
export class GpuError extends CipherloomError {
  override readonly name = 'GpuError';
}
/** A job over vectors, or a part of it, that cannot be done. */
export class JobError extends CipherloomError {
  override readonly name = 'JobError';
}
/** Other parties of a shared graph, and what they send, or are not to be sent. */
export class PartyError extends CipherloomError {
  override readonly name = 'PartyError';
}
/** Labels, machines and plans of a layout that break a rule, or do not go together. */
export class LayoutError extends CipherloomError {
  override readonly name = 'LayoutError';
}
/** Records of best implementations, who measured them, and the service that remembers them. */
export class TuneError extends CipherloomError {
  override readonly name = 'TuneError';
}
/** Use of something after `dispose()`. */
export class DisposedError extends CipherloomError {
  override readonly name = 'DisposedError';
}

const FAMILIES: Readonly<Record<string, typeof CipherloomError>> = {
  input: InputError,
  range: OutOfRangeError,
  parameters: ParameterError,
  math: ParameterError,
  graph: GraphError,
  task: GraphError,
  operator: GraphError,
  operand: GraphError,
  pass: InputError,
  platform: InputError,
  verify: GraphError,
  format: FormatError,
  key: KeyError,
  noise: NoiseError,
  statistic: UndefinedStatisticError,
  table: TableError,
  worker: WorkerError,
  gpu: GpuError,
  job: JobError,
  party: PartyError,
  layout: LayoutError,
  tune: TuneError,
  memory: MemoryError,
  program: MemoryError,
  disposed: DisposedError,
};

/** An error as plain data: Error objects do not keep their class and fields through a worker's messages. */
export interface ErrorRecord {
  code: string;
  message: string;
  details: ErrorDetails;
}

/** The codes of errors of this side. */
export type OwnCode = keyof typeof OWN_CODES;

/** The error of a code, in the class of its family. */
export function failure(
  code: OwnCode,
  message: string,
  details?: ErrorDetails,
  cause?: unknown,
): CipherloomError {
  return fromRecord({ code, message, details: details ?? {} }, cause);
}

/** The error that a record tells of. Unknown families give a plain CipherloomError. */
export function fromRecord(record: ErrorRecord, cause?: unknown): CipherloomError {
  const family = record.code.split('.', 1)[0] as string;
  const options = cause === undefined ? undefined : { cause };
  return new (FAMILIES[family] ?? CipherloomError)(record.code, record.message, record.details, options);
}
