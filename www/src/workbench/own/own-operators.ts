/**
 * Operators of a visitor's own. The package asks for a meaning in the middle of a call and wants it at once, the code
 * answers from its worker: so the call fails, the code is asked, and the call is made again with what it said.
 */
import {
  type Attributes,
  bit,
  type DataArray,
  type DataType,
  type ExpansionBuilder,
  f32,
  f64,
  i32,
  i64,
  type Loom,
  type Operand,
  type,
  u32,
  u64,
  u8,
} from 'cipherloom';
import { OPERATORS } from 'virtual:operator-names';
import { askCode, type NamedType, type Recorded, type Use } from './own-worker.js';

export interface OwnOperator {
  readonly name: string;
  /** JavaScript that declares `expand(g, inputs, use)`. */
  readonly code: string;
}

/** An operator's code went wrong. */
export class OwnOperatorError extends Error {
  override readonly name = 'OwnOperatorError';
  readonly operator: string;
  readonly line: number | undefined;

  constructor(operator: string, message: string, line: number | undefined, cause: unknown) {
    super(`${operator}${line === undefined ? '' : `, line ${line}`}: ${message}`, { cause });
    this.operator = operator;
    this.line = line;
  }
}

/** A question to an operator's code. */
interface Asked {
  readonly operator: OwnOperator;
  readonly key: string;
  readonly use: Use;
}

const MAKERS = { bit, u8, i32, u32, i64, u64, f32, f64 } as const;

export class OwnOperators {
  readonly #operators = new Map<string, OwnOperator>();
  /** What the code said, by operator and use. */
  readonly #recorded = new Map<string, Recorded>();
  /** The use that the package asked about last, without an answer. */
  #asked: Asked | undefined;
  /** What each loom knows; names cannot be taken back. */
  readonly #known = new WeakMap<Loom, Map<string, string>>();

  get names(): string[] {
    return [...this.#operators.keys()];
  }

  get(name: string): OwnOperator | undefined {
    return this.#operators.get(name);
  }

  /** The same operators, as they are now, for work that goes on beside other calls: questions are not mixed up, nor meanings changed. */
  copy(): OwnOperators {
    const copy = new OwnOperators();
    for (const [name, operator] of this.#operators) copy.#operators.set(name, operator);
    for (const [key, recorded] of this.#recorded) copy.#recorded.set(key, recorded);
    return copy;
  }

  /** Takes an operator, or another meaning of one. Errors: OwnOperatorError for a name of the core's, which no loom gives up. */
  define(operator: OwnOperator): void {
    if (OPERATORS.has(operator.name))
      throw new OwnOperatorError(
        operator.name,
        'the name is taken by an operator that there is',
        undefined,
        undefined,
      );
    if (this.#operators.get(operator.name)?.code === operator.code) return;
    this.#operators.set(operator.name, operator);
    for (const key of [...this.#recorded.keys()])
      if (key.startsWith(`${operator.name}(`)) this.#recorded.delete(key);
  }

  /** Whether a loom knows one of the operators with another meaning, so that it has to be replaced. */
  isOutdated(loom: Loom): boolean {
    const known = this.#known.get(loom);
    return [...this.#operators.values()].some(({ name, code }) => (known?.get(name) ?? code) !== code);
  }

  /** Makes a call to a loom that may need operators. Errors: its own, OwnOperatorError. */
  async resolved<T>(loom: Loom, call: () => Promise<T>): Promise<T> {
    this.#declare(loom);
    for (;;) {
      this.#asked = undefined;
      try {
        return await call();
      } catch (error) {
        const asked = this.#asked as Asked | undefined;
        if (asked === undefined) throw error;
        await this.#ask(asked);
      }
    }
  }

  /** Errors: GraphError `operator.name` for a name that is taken, or none. */
  #declare(loom: Loom): void {
    const known = this.#known.get(loom) ?? new Map<string, string>();
    this.#known.set(loom, known);
    for (const { name, code } of this.#operators.values()) {
      if (known.has(name)) continue;
      try {
        loom.operator({ name, expand: (g, inputs, use) => this.#expand(name, g, inputs, use) });
      } catch (error) {
        this.#operators.delete(name);
        throw error;
      }
      known.set(name, code);
    }
  }

  #expand(
    name: string,
    g: ExpansionBuilder,
    inputs: readonly Operand[],
    { types, attributes }: { readonly types: readonly DataType[]; readonly attributes: Attributes },
  ): Operand {
    const key = `${name}(${types.map(({ text }) => text).join()}; ${g.unit}; ${keyOf(attributes)})`;
    const recorded = this.#recorded.get(key);
    if (recorded !== undefined) return replay(recorded, g, inputs);
    this.#asked = { operator: this.#operators.get(name)!, key, use: { unit: g.unit, types, attributes } };
    throw new Error('not asked yet');
  }

  async #ask({ operator, key, use }: Asked): Promise<void> {
    try {
      this.#recorded.set(key, await askCode(operator.code, use));
    } catch (error) {
      const { message, line } = error as Error & { line?: number };
      throw new OwnOperatorError(operator.name, message, line, error);
    }
  }
}

/** Makes the calls that were recorded; wrong ones are refused as if they had been made here. */
function replay({ calls, result }: Recorded, g: ExpansionBuilder, inputs: readonly Operand[]): Operand {
  const operands = [...inputs];
  const at = (number: number): Operand => operands[number]!;
  for (const call of calls) {
    switch (call.kind) {
      case 'op':
        operands.push(g.op(call.name, call.inputs.map(at), call.attributes));
        break;
      case 'view':
        operands.push(g.view(at(call.operand), typeOf(call.type), call.options));
        break;
      case 'merge':
        operands.push(g.merge(call.parts.map(at), typeOf(call.type)));
        break;
      case 'constant':
        operands.push(g.constant(typeOf(call.type), call.data as DataArray as never));
    }
  }
  return at(result);
}

/** The real type. Types of operands are handed back as they were. */
function typeOf(named: NamedType): DataType {
  if ('text' in named && typeof named.text === 'string' && !('element' in named && named.element))
    return named as unknown as DataType;
  if ('element' in named) {
    if (!Object.hasOwn(MAKERS, named.element)) throw new TypeError(`${String(named.element)} is no element`);
    return MAKERS[named.element as keyof typeof MAKERS](...named.shape);
  }
  return type(named.head, named.attributes, named.units);
}

function keyOf(attributes: Attributes): string {
  return JSON.stringify(attributes, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
