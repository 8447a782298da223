/** Why a program is as it is, as people read it. */
import type { RawExplanation } from '../raw.js';
import { describeType } from './type.js';
import type { ExplainedValue, Explanation, TaskLiteral, ValueType } from './types.js';

/** A cell of a table, left of the next. */
const GAP = '  ';

/** See {@link Explanation}; `types` are those of the task's inputs, then of its operators. */
export function explanation(
  raw: RawExplanation,
  { inputs, nodes, outputs }: TaskLiteral,
  types: readonly ValueType[],
): Explanation {
  const values = types.map((type, operand): ExplainedValue => {
    const node = nodes[operand - inputs.length];
    const told = raw.values[operand];
    const operators = told?.operators ?? {};
    return {
      name: inputs[operand]?.name,
      operator: node?.op,
      attributes: node?.attrs ?? '',
      operands: node?.inputs ?? [],
      outputs: outputs.filter((output) => output.operand === operand).map(({ name }) => name),
      type,
      encrypted: told?.encrypted ?? false,
      clear: told?.clear ?? false,
      finished: told?.finished ?? false,
      ciphertexts: told?.ciphertexts ?? 0,
      level: told?.level ?? undefined,
      scaleBits: told?.scaleBits ?? undefined,
      messageBits: told?.messageBits ?? undefined,
      errorBits: told?.errorBits ?? undefined,
      budgetBits: told?.budgetBits ?? undefined,
      operators,
      cost: told?.cost ?? 0,
    };
  });
  const { reasons, keys } = raw;
  return { reasons, values, keys, toString: () => text(reasons, values, keys) };
}

function text(
  reasons: Explanation['reasons'],
  values: readonly ExplainedValue[],
  keys: Explanation['keys'],
): string {
  const rows = values.map((value, operand) => [
    `%${operand}`,
    shown(value),
    where(value),
    value.ciphertexts > 0 ? String(value.ciphertexts) : '',
    value.level === undefined ? '' : String(value.level),
    fixed(value.budgetBits),
    fixed(value.errorBits),
    value.cost > 0 ? `${(100 * value.cost).toFixed(1)} %` : '',
    Object.entries(value.operators)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  ]);
  const heads = [
    '',
    'value',
    'computed',
    'ciphertexts',
    'level',
    'budget',
    'log2 error',
    'work',
    'operators',
  ];
  return [
    ...table(reasons.map(({ about, text }) => [about, text])),
    '',
    ...table([heads, ...rows]),
    '',
    ...table(
      keys.map(({ name, bytes, of }) => [
        name,
        `${(bytes / 1e6).toFixed(2)} MB`,
        `for ${of.map((operand) => `%${operand}`).join(', ')}`,
      ]),
    ),
  ].join('\n');
}

function shown({ name, operator, attributes, operands, outputs, type }: ExplainedValue): string {
  const what =
    operator === undefined
      ? JSON.stringify(name)
      : `${operator}(${operands.map((operand) => `%${operand}`).join(', ')})${short(attributes)}`;
  const called = outputs.map((output) => ` -> ${JSON.stringify(output)}`).join('');
  return `${what}: ${describeType(type)}${called}`;
}

/** Constants are long. */
function short(attributes: string): string {
  return attributes.length > 40 ? `${attributes.slice(0, 39)}…` : attributes;
}

function where({ encrypted, clear, finished }: ExplainedValue): string {
  const all = [encrypted && 'encrypted', clear && 'clear', finished && 'by the client'];
  return all.filter((one) => one !== false).join(', ');
}

function fixed(bits: number | undefined): string {
  return bits === undefined || !Number.isFinite(bits) ? '' : bits.toFixed(1);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}
