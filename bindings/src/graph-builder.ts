/** The graph builder: checks what a person writes, and records it. */
import {
  ATTRIBUTES,
  CALL_OPTIONS,
  checkArgument,
  checkOptions,
  describe,
  isName,
  OPERANDS,
  OPERATOR,
  SHARE_OPTIONS,
  VIEW_OPTIONS,
  wrongType,
} from './arguments.js';
import { attributesText } from './attributes.js';
import { copiedData, toBytes } from './data.js';
import { DATA_TYPE, ELEMENTS, elementsOf } from './element.js';
import { failure } from './errors.js';
import type {
  Analysis,
  Attributes,
  Circuit,
  CircuitRunOptions,
  DataOf,
  DataType,
  ExpandOptions,
  GraphBuilder,
  Operand,
  ExpandedOperatorDefinition,
  OptimizeOptions,
  PartyBuilder,
  RunInputs,
  RunOutputs,
  Unit,
  ViewOptions,
} from './graph-types.js';
import type { SharedGraph } from './parties/types.js';
import { Recording } from './recording.js';
import type { CallOptions } from './types.js';
import type { OwnerTable } from './worker/protocol.js';

/** Makes a circuit of what was recorded until now. */
export type Build = (recording: Recording, options: CallOptions) => Promise<Circuit>;

/** Makes a shared graph of what was recorded until now, by owner. */
export type Share = (
  recording: Recording,
  owners: OwnerTable,
  options: Pick<CallOptions, 'signal'>,
) => Promise<SharedGraph>;

/** The owner of what every party has, as the core numbers it. */
const NOBODY = 2 ** 32 - 1;
const NO_NAMES: ReadonlySet<string> = new Set();

/** Owners one after the other: those of equal neighbours once, since most graphs have no parties at all. */
class OwnerList {
  readonly #runs: { readonly owner: number; count: number }[] = [];

  add(owner: number): void {
    const last = this.#runs.at(-1);
    if (last?.owner === owner) last.count += 1;
    else this.#runs.push({ owner, count: 1 });
  }

  all(): Uint32Array<ArrayBuffer> {
    const all = new Uint32Array(this.#runs.reduce((sum, { count }) => sum + count, 0));
    let at = 0;
    for (const { owner, count } of this.#runs) all.fill(owner, at, (at += count));
    return all;
  }
}

/** Whose the calls of a builder are. */
class Owners {
  readonly inputs = new OwnerList();
  readonly operators = new OwnerList();
  readonly outputs = new OwnerList();
  readonly #parties: string[] = [];

  /** The number of a party, known or new. */
  numberOf(name: string): number {
    const known = this.#parties.indexOf(name);
    return known >= 0 ? known : this.#parties.push(name) - 1;
  }

  table(): OwnerTable {
    const { inputs, operators, outputs } = this;
    return {
      parties: [...this.#parties],
      inputs: inputs.all(),
      operators: operators.all(),
      outputs: outputs.all(),
    };
  }
}

/** An operand: a number that only its recording can be asked about. */
class Handle {
  readonly #owner: Recording;
  readonly #number: number;

  constructor(owner: Recording, number: number) {
    this.#owner = owner;
    this.#number = number;
  }

  /** Its number in that recording; undefined if it is no operand, or one of another. */
  static numberIn(owner: Recording | undefined, value: unknown): number | undefined {
    const own = typeof value === 'object' && value !== null && #owner in value;
    return own && (value as Handle).#owner === owner ? (value as Handle).#number : undefined;
  }

  static is(value: unknown): boolean {
    return typeof value === 'object' && value !== null && #owner in value;
  }
}

/**
 * The number of an operand in a recording. Errors: InputError `input.type` for what is no operand, GraphError
 * `graph.foreign` for one of another builder.
 */
export function numberOf(where: string, owner: Recording | undefined, value: unknown): number {
  const number = Handle.numberIn(owner, value);
  if (number !== undefined) return number;
  if (!Handle.is(value)) {
    const [found, expected] = [describe(value), 'an operand, as the calls of a builder give it'];
    throw wrongType(where, expected, found);
  }
  const expected = owner === undefined ? 'none: this circuit has no builder' : 'one of this builder';
  const problem = `${where}: an operand of another builder, expected ${expected}`;
  throw failure('graph.foreign', problem, { where, found: 'an operand of another builder', expected });
}

/** Whether outputs cannot have that name: runs give operands that were kept as `kept`, and the core as `%N`. */
export function isReserved(name: string): boolean {
  return name === 'kept' || /^%\d+$/.test(name);
}

/** What all views of a builder have in common. */
interface Common {
  readonly recording: Recording;
  readonly build: Build;
  readonly share: Share;
  readonly inputs: Set<string>;
  readonly outputs: Set<string>;
  readonly owners: Owners;
}

/** See {@link GraphBuilder}. */
export class GraphRecorder implements GraphBuilder {
  readonly #common: Common;
  readonly #recording: Recording;
  /** Whose the calls are. */
  readonly #party: number;

  constructor(unit: Unit, build: Build, share: Share = NEVER, common?: Common, party: number = NOBODY) {
    this.#common = common ?? {
      recording: new Recording(unit),
      build,
      share,
      inputs: new Set(),
      outputs: new Set(),
      owners: new Owners(),
    };
    this.#recording = this.#common.recording;
    this.#party = party;
  }

  /** What was recorded. */
  get recording(): Recording {
    return this.#recording;
  }

  get unit(): Unit {
    return this.#recording.unit;
  }

  input(name: string, type: DataType): Operand {
    const { inputs, owners } = this.#common;
    checkName('input', name, inputs);
    this.#checkType('input, type', type);
    this.#recording.site(this.input);
    inputs.add(name);
    owners.inputs.add(this.#party);
    return this.#handle(this.#recording.input(name, type));
  }

  op(name: string, inputs: readonly Operand[], attributes?: Attributes): Operand {
    checkArgument('op, name', name, OPERATOR);
    checkArgument('op, inputs', inputs, OPERANDS);
    if (attributes !== undefined) checkArgument('op, attributes', attributes, ATTRIBUTES);
    const numbers = this.#numbers('op, input', inputs);
    const text = attributes && attributesText('op', attributes);
    this.#recording.site(this.op);
    this.#common.owners.operators.add(this.#party);
    return this.#handle(this.#recording.op(name, numbers, text === '{}' ? undefined : text));
  }

  view(operand: Operand, type: DataType, options: ViewOptions = {}): Operand {
    const number = numberOf('view, operand', this.#recording, operand);
    this.#checkType('view, type', type);
    checkOptions('view', options, VIEW_OPTIONS);
    this.#recording.site(this.view);
    return this.#handle(this.#recording.view(number, options.from ?? 0, type));
  }

  merge(parts: readonly Operand[], type: DataType): Operand {
    checkArgument('merge, parts', parts, OPERANDS);
    this.#checkType('merge, type', type);
    const numbers = this.#numbers('merge, part', parts);
    this.#recording.site(this.merge);
    return this.#handle(this.#recording.merge(numbers, type));
  }

  constant<T extends DataType>(type: T, data: DataOf<T>): Operand {
    this.#checkType('constant, type', type);
    const bytes = toBytes('constant, data', { element: type.element, shape: type.shape }, data);
    this.#recording.site(this.constant);
    // Everybody has it.
    this.#common.owners.operators.add(NOBODY);
    return this.#handle(this.#recording.constant(type, bytes));
  }

  output(name: string, operand: Operand): void {
    const { outputs, owners } = this.#common;
    checkName('output', name, outputs);
    const number = numberOf('output, operand', this.#recording, operand);
    this.#recording.site(this.output);
    outputs.add(name);
    owners.outputs.add(this.#party);
    this.#recording.output(name, number);
  }

  async build(options: CallOptions = {}): Promise<Circuit> {
    checkOptions('build', options, CALL_OPTIONS);
    return this.#common.build(this.#recording, options);
  }

  party(name: string): PartyBuilder {
    checkName('party', name, NO_NAMES);
    const { build, share, owners } = this.#common;
    return new GraphRecorder(this.unit, build, share, this.#common, owners.numberOf(name));
  }

  async share(options: Pick<CallOptions, 'signal'> = {}): Promise<SharedGraph> {
    checkOptions('share', options, SHARE_OPTIONS);
    return this.#common.share(this.#recording, this.#common.owners.table(), options);
  }

  async expand(options: ExpandOptions & CallOptions): Promise<Circuit> {
    return this.#once(options, (circuit) => circuit.expand(options));
  }

  async optimize(options: OptimizeOptions & CallOptions = {}): Promise<Circuit> {
    return this.#once(options, (circuit) => circuit.optimize(options));
  }

  async analyze(options: CallOptions = {}): Promise<Analysis> {
    return this.#once(options, (circuit) => circuit.analyze(options));
  }

  async run(inputs: RunInputs, options: CircuitRunOptions = {}): Promise<RunOutputs> {
    // The circuit is built first: what the caller changes meanwhile is of another run.
    const own = copiedData(inputs);
    return this.#once(options, (circuit) => circuit.run(own, options));
  }

  /** A circuit for one call. Wrong options are that call's to refuse. */
  async #once<T>(options: CallOptions, call: (circuit: Circuit) => Promise<T>): Promise<T> {
    const { signal, onProgress } = options ?? {};
    const circuit = await this.build({ signal, onProgress });
    try {
      return await call(circuit);
    } finally {
      circuit.dispose();
    }
  }

  #handle(number: number): Operand {
    return new Handle(this.#recording, number) as unknown as Operand;
  }

  #numbers(where: string, operands: readonly Operand[]): number[] {
    // By index, which sees holes, too. Texts are made for errors alone: there may be a million calls.
    const numbers: number[] = [];
    for (let index = 0; index < operands.length; index++) {
      const operand = operands[index];
      const number = Handle.numberIn(this.#recording, operand);
      numbers.push(number ?? numberOf(`${where} ${index}`, this.#recording, operand));
    }
    return numbers;
  }

  /** Errors: InputError `input.type`, GraphError `graph.shape`. What else is wrong with a type, the core says. */
  #checkType(where: string, type: DataType): void {
    checkArgument(where, type, DATA_TYPE);
    if (type.element === undefined) return;
    const bits = ELEMENTS[type.element].bits * elementsOf(type.shape ?? []);
    if (bits % this.unit === 0) return;
    const found = `${type.element}[${(type.shape ?? []).join(', ')}] of ${bits} bits`;
    const expected = `a whole number of the graph's units of ${this.unit} bits`;
    throw failure('graph.shape', `${where}: expected ${expected}, found ${found}`, {
      where,
      found,
      expected,
    });
  }
}

/** Recorded calls never become a circuit by themselves. */
const NEVER = (): Promise<never> =>
  Promise.reject(failure('operator.expand', 'an expansion is not built by itself'));

/**
 * What an operator of a user's own means for such operands: the calls that its expansion makes. Errors: GraphError
 * `operator.expand`, with what the expansion threw as its cause; those of the calls.
 */
export function expansionOf(
  { name, expand }: ExpandedOperatorDefinition,
  unit: number,
  types: readonly DataType[],
  attributes: Attributes,
  use: string,
): Recording {
  const builder = new GraphRecorder(unit as Unit, NEVER);
  const inputs = types.map((type, index) => builder.input(`${index}`, type));
  const result = ((): unknown => {
    try {
      return expand(builder, inputs, { types, attributes });
    } catch (cause) {
      const problem = `operator "${name}": its expansion for ${use} threw: ${String(cause)}`;
      throw failure('operator.expand', problem, { operator: name, use }, cause);
    }
  })();
  if (Handle.numberIn(builder.recording, result) === undefined) {
    const found = Handle.is(result) ? 'an operand of another builder' : describe(result);
    const expected = 'an operand of its builder';
    const problem = `operator "${name}": its expansion for ${use} gave ${found}, expected ${expected}`;
    throw failure('operator.expand', problem, { operator: name, use, found, expected });
  }
  builder.output('out', result as Operand);
  return builder.recording;
}

/** Errors: GraphError `graph.name`. */
function checkName(where: 'input' | 'output' | 'party', name: unknown, taken: ReadonlySet<string>): void {
  const problem = !isName(name)
    ? 'expected well-formed text of 1 to 256 bytes, and not "__proto__"'
    : taken.has(name)
      ? `the name is taken by another ${where}`
      : where === 'output' && isReserved(name)
        ? 'the name is one under which runs give operands that were kept'
        : undefined;
  if (problem === undefined) return;
  throw failure('graph.name', `${where} ${describe(name)}: ${problem}`, { where, name: describe(name) });
}
