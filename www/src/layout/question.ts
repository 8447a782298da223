/** What the layout tab is asked: settings alone, as texts, and how they stand in the page's address. */
import { MODES, type Mode, type PortName } from 'cipherloom/layout';

/** Operands in the order in which they are shown. */
export const PORTS = ['input', 'weight', 'output'] as const satisfies readonly PortName[];
/** A label's text, of an operand. */
export type LabelField = `${PortName}-static` | `${PortName}-dynamic`;
export const LABEL_FIELDS: readonly LabelField[] = PORTS.flatMap(
  (port) => [`${port}-static`, `${port}-dynamic`] as const,
);

export const STRATEGIES = {
  table: 'Stored table',
  rule: 'Rule over the machine’s traits',
  learned: 'Learned from simulated times',
} as const;
export type StrategyName = keyof typeof STRATEGIES;

/** Numbers that operands are filled with. */
export const NUMBERS = {
  count: 'Ones, and weights n + 1',
  whole: 'Small whole numbers',
  fractions: 'Fractions, which are rounded',
} as const;
export type NumbersName = keyof typeof NUMBERS;

export interface Question {
  readonly operator: string;
  readonly attributes: Readonly<Record<string, number>>;
  /** The static ones of the operands; others, where a person wrote them: what is missing is derived. */
  readonly labels: Readonly<Partial<Record<LabelField, string>>>;
  /** A machine's description, JSON. */
  readonly machine: string;
  readonly strategy: StrategyName;
  readonly mode: Mode;
  readonly numbers: NumbersName;
}

/** Longest text of one setting that an address may bring. */
const LONGEST = 8192;

/** The hash of a question's address. A machine that has a name among `machines` is that name. */
export function hashOf(question: Question, machines: Readonly<Record<string, string>>): string {
  const { operator, attributes, labels, machine, strategy, mode, numbers } = question;
  const named = Object.entries(machines).find(([, text]) => text === machine)?.[0];
  const fields: [string, string][] = [
    ['operator', operator],
    ...Object.entries(attributes).map(([name, value]): [string, string] => [name, String(value)]),
    ...LABEL_FIELDS.flatMap((field): [string, string][] =>
      labels[field] === undefined ? [] : [[field, labels[field]]],
    ),
    ['machine', named ?? machine],
    ['strategy', strategy],
    ['mode', mode],
    ['numbers', numbers],
  ];
  return `#layout?${new URLSearchParams(fields).toString()}`;
}

/**
 * The question of an address: what it does not say is that of `usual`, which is asked for the operator that it names; undefined for an address without a question. What labels and machines
 * say is looked at where they are read.
 */
export function questionOf(
  hash: string,
  machines: Readonly<Record<string, string>>,
  usual: (operator: string | null) => Question,
): Question | undefined {
  const at = hash.indexOf('?');
  if (!hash.startsWith('#layout') || at < 0) return undefined;
  const fields = new URLSearchParams(hash.slice(at + 1));
  const text = (name: string): string | undefined => fields.get(name)?.slice(0, LONGEST);
  const one = <T extends string>(name: string, of: readonly T[], otherwise: T): T =>
    of.find((known) => known === text(name)) ?? otherwise;
  const base = usual(text('operator') ?? null);
  const attributes = Object.fromEntries(
    Object.entries(base.attributes).map(([name, value]) => {
      const given = Number(text(name) ?? 'none');
      return [name, Number.isFinite(given) ? given : value];
    }),
  );
  const given = Object.fromEntries(
    LABEL_FIELDS.flatMap((field) => (text(field) === undefined ? [] : [[field, text(field)]])),
  ) as Question['labels'];
  const machine = text('machine') ?? base.machine;
  return {
    operator: base.operator,
    attributes,
    labels: { ...base.labels, ...given },
    machine: Object.hasOwn(machines, machine) ? machines[machine]! : machine,
    strategy: one('strategy', Object.keys(STRATEGIES) as StrategyName[], base.strategy),
    mode: one('mode', MODES, base.mode),
    numbers: one('numbers', Object.keys(NUMBERS) as NumbersName[], base.numbers),
  };
}
