/** Operators of users' own: what each means is asked of them once for every use, and recorded in the graph worker. */
import { describe } from './arguments.js';
import { DATA_TYPE } from './element.js';
import { CipherloomError, failure } from './errors.js';
import { expansionOf } from './graph-builder.js';
import type { Attributes, BaseOperatorDefinition, DataType, OperatorDefinition } from './graph-types.js';
import type { RawOutgoing } from './raw.js';
import { readAttributes, readType } from './type-text.js';
import type { Connection } from './worker/connection.js';
import type { OperatorWorkers } from './worker/operator-workers.js';
import type { GraphMethods } from './worker/protocol.js';

/** A worker for graphs. */
type Worker = Connection<GraphMethods>;

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
    if (this.#definitions.has(name)) throw taken(name);
    this.#definitions.set(name, { ...definition });
  }

  /**
   * Makes a call that opens a circuit, as often as it asks for a meaning that is not recorded yet. Errors: those of the call;
   * GraphError `operator.expand` for an operator whose expansion throws or gives no operand, `operator.endless_expansion`
   * for one that leads back to itself.
   */
  async resolved<T>(worker: Worker, call: () => Promise<T>, within: readonly string[] = []): Promise<T> {
    await this.#declare(worker);
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(await this.#recorded(worker, error, within))) throw error;
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
  async #recorded(worker: Worker, error: unknown, within: readonly string[]): Promise<boolean> {
    if (!(error instanceof CipherloomError) || error.code !== 'operator.not_recorded') return false;
    const { operator, attrs, inputs, unit } = error.details as Record<string, string>;
    const definition = this.#definitions.get(operator ?? '');
    if (definition === undefined || attrs === undefined) return false;
    const texts = inputs ? inputs.split('\n') : [];
    const use = `${definition.name}${attrs}(${texts.join(', ')})`;
    if (within.includes(use)) {
      const chain = [...within, use].join(' -> ');
      const problem = `operator "${definition.name}" leads back to itself: ${chain}`;
      throw failure('operator.endless_expansion', problem, { operator: definition.name, chain });
    }
    const types = texts.map(readType);
    const attributes = readAttributes(attrs);
    if (!('expand' in definition)) {
      const { text } = outputOf(definition, types, attributes, use);
      await worker.call('recordOutput', [definition.name, Number(unit), attrs, texts, text]);
      return true;
    }
    const recording = expansionOf(definition, Number(unit), types, attributes, use);
    try {
      await this.resolved(worker, () => {
        const literal = recording.literal(recording.mark());
        return worker.call('record', [definition.name, attrs, texts, literal]);
      }, [...within, use]);
    } catch (problem) {
      throw recording.located(problem);
    }
    return true;
  }
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
