/** Operators of users' own: what each means is asked of them once for every use, and recorded in the graph worker. */
import { describe } from './arguments.js';
import { DATA_TYPE } from './element.js';
import { CipherloomError, failure, fromRecord } from './errors.js';
import { expansionOf } from './graph-builder.js';
import type { Attributes, BaseOperatorDefinition, DataType, OperatorDefinition } from './graph-types.js';
import { OPERATOR_NAMES } from './operators.js';
import type { RawOutgoing } from './raw.js';
import type { Recording } from './recording.js';
import { readAttributes, readType } from './type-text.js';
import type { Connection } from './worker/connection.js';
import type { OperatorWorkers } from './worker/operator-workers.js';
import type { GraphMethods } from './worker/protocol.js';

/** A worker for graphs. */
type Worker = Connection<GraphMethods>;

/** Levels of operators inside operators, as the core has them. */
const MOST_LEVELS = 64;

/** The operators that a loom knows. */
export class OwnOperators {
  readonly #definitions = new Map<string, OperatorDefinition>();
  /** What each worker has been told of; one that died knew other things. */
  readonly #declared = new WeakMap<Worker, Set<string>>();
  readonly #workers: OperatorWorkers;

  /** `workers` compute base operators. */
  constructor(workers: OperatorWorkers) {
    this.#workers = workers;
  }

  /** Makes an operator known. Errors: GraphError `operator.name` if there is one of that name. */
  add(definition: OperatorDefinition): void {
    const { name } = definition;
    if (this.#definitions.has(name) || OPERATOR_NAMES.has(name)) throw taken(name);
    this.#definitions.set(name, { ...definition });
  }

  /**
   * Makes a call that opens a circuit, as often as it asks for a meaning that is not recorded yet. Errors: those of the call;
   * GraphError `operator.expand` for an operator whose expansion throws or gives no operand, `operator.endless_expansion`
   * for one that leads back to itself, or on and on; the signal's reason.
   */
  async resolved<T>(
    worker: Worker,
    call: () => Promise<T>,
    signal?: AbortSignal,
    within: readonly string[] = [],
  ): Promise<T> {
    await this.#declare(worker);
    for (;;) {
      try {
        return await call();
      } catch (error) {
        signal?.throwIfAborted();
        if (!(await this.#recorded(worker, error, signal, within))) throw error;
      }
    }
  }

  /** Computes a base operator. Errors: GraphError `operator.failed`, `operator.result`; WorkerError. */
  async compute(outgoing: RawOutgoing, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const definition = this.#definitions.get(outgoing.name);
    if (definition === undefined || 'expand' in definition)
      throw failure('operator.failed', `operator "${outgoing.name}" has no function`, {});
    const { module, function: exported = 'default' } = definition;
    return this.#workers.compute({ module: String(module), exported }, outgoing, signal);
  }

  async #declare(worker: Worker): Promise<void> {
    const declared = this.#declared.get(worker) ?? new Set();
    this.#declared.set(worker, declared);
    for (const [name, definition] of this.#definitions) {
      if (declared.has(name)) continue;
      await worker.call('declare', [name, !('expand' in definition)]).catch((error: unknown) => {
        // A name of the core's own: this call tells of it, others go on without.
        this.#definitions.delete(name);
        throw taken(name, error);
      });
      declared.add(name);
    }
  }

  /** Records what an error asks for; false for any other error. */
  async #recorded(
    worker: Worker,
    error: unknown,
    signal: AbortSignal | undefined,
    within: readonly string[],
  ): Promise<boolean> {
    if (!(error instanceof CipherloomError) || error.code !== 'operator.not_recorded') return false;
    const { operator, attrs, inputs, unit } = error.details as Record<string, string>;
    const definition = this.#definitions.get(operator ?? '');
    if (definition === undefined || attrs === undefined) return false;
    const texts = inputs ? inputs.split('\n') : [];
    const use = `${definition.name}${attrs}(${texts.join(', ')})`;
    checkEnds(definition, [...within, use]);
    const types = texts.map(readType);
    const attributes = readAttributes(attrs);
    checkUse(definition, texts.length, attributes, error.details['call']);
    if (!('expand' in definition)) {
      const { text } = outputOf(definition, types, attributes, use);
      await worker.call('recordOutput', [definition.name, Number(unit), attrs, texts, text]);
      return true;
    }
    let recording: Recording | undefined;
    try {
      const expansion = expansionOf(definition, Number(unit), types, attributes, use);
      recording = expansion;
      const record = () => {
        const literal = expansion.literal(expansion.mark());
        return worker.call('record', [definition.name, attrs, texts, literal]);
      };
      await this.resolved(worker, record, signal, [...within, use]);
    } catch (problem) {
      const whole = `the expansion of operator "${definition.name}"`;
      throw foundIn(
        isEndless(problem) ? problem : (recording?.located(problem, whole) ?? problem),
        problem,
        error,
      );
    }
    return true;
  }
}

/** Errors: GraphError `operator.endless_expansion` for a use that is inside itself, or too deep. */
function checkEnds({ name }: OperatorDefinition, uses: readonly string[]): void {
  const [first, last] = [uses[0], uses.at(-1) as string];
  const back = uses.indexOf(last) < uses.length - 1;
  if (!back && uses.length <= MOST_LEVELS) return;
  const chain = back ? uses.join(' -> ') : `${first} -> ... -> ${last}`;
  const how = back ? 'leads back to itself' : `does not end within ${MOST_LEVELS} levels`;
  const problem = `operator "${name}" ${how}: ${chain}`;
  throw failure('operator.endless_expansion', problem, { operator: name, chain });
}

/** Errors: GraphError `operator.invalid` for operands or attributes that the definition does not have. */
function checkUse(
  { name, operands, attributes: known }: OperatorDefinition,
  count: number,
  attributes: Attributes,
  call: unknown,
): void {
  const refuse = (at: string, found: string, expected: string): never => {
    const details = { operator: name, at, found, expected, ...(call !== undefined && { call }) };
    throw failure(
      'operator.invalid',
      `operator "${name}": ${at}: found ${found}, expected ${expected}`,
      details,
    );
  };
  if (operands !== undefined && operands !== count) refuse('number of operands', `${count}`, `${operands}`);
  const unknown = known && Object.keys(attributes).find((attribute) => !known.includes(attribute));
  if (unknown !== undefined) refuse('attribute', unknown, known?.join(', ') || 'none');
}

/** A problem inside the expansion of an operator, where that is known `located` there, as one of the call that asked for it. */
function foundIn(located: unknown, problem: unknown, asked: CipherloomError): unknown {
  if (!(located instanceof CipherloomError)) return located;
  const { call: _, ...details } = located.details;
  const { call } = asked.details;
  const { code, message } = located;
  const record = { code, message, details: call === undefined ? details : { ...details, call } };
  return fromRecord(record, located === problem ? located.cause : located);
}

/** Whose chain says more than where each of its links is. */
function isEndless(problem: unknown): boolean {
  return problem instanceof CipherloomError && problem.code === 'operator.endless_expansion';
}

/** What a base operator says that it gives. Errors: GraphError `operator.output`. */
function outputOf(
  { name, output }: BaseOperatorDefinition,
  types: readonly DataType[],
  attributes: Attributes,
  use: string,
): DataType {
  let type: unknown;
  try {
    type = output({ types, attributes });
  } catch (cause) {
    const problem = `operator "${name}": its output for ${use} threw: ${String(cause)}`;
    throw failure('operator.output', problem, { operator: name, use }, cause);
  }
  if (DATA_TYPE.fits(type) && (type as DataType).element !== undefined) return type as DataType;
  const [found, expected] = [describe(type), 'a type of tensor, such as f32(4)'];
  const problem = `operator "${name}": its output for ${use} is ${found}, expected ${expected}`;
  throw failure('operator.output', problem, { operator: name, use, found, expected });
}

/** The name is another operator's, of the user or of the core. */
function taken(name: string, cause?: unknown): CipherloomError {
  return failure('operator.name', `operator "${name}": the name is taken by another one`, { name }, cause);
}
