/** From a question to all that the tab shows; runs in a worker, and gives plain data. */
import {
  compile,
  type Counts,
  countMoves,
  type DynamicLabel,
  type Execution,
  type LabelledOperator,
  labelOperator,
  learnedStrategy,
  machine,
  type Machine,
  MODES,
  type Mode,
  numberKind,
  type LayoutTensor,
  type NumberType,
  parseDynamic,
  parseStatic,
  type Plan,
  type PortName,
  printDynamic,
  printStatic,
  ruleStrategy,
  runPlan,
  type StaticLabel,
  type Strategy,
  tableStrategy,
} from 'cipherloom/layout';
import { MOST_CORES } from './examples.js';
import { fill, OPERATORS, plainly } from './plain.js';
import { type LabelField, PORTS, type Question, type StrategyName } from './question.js';

/** Most parts of an operand, numbers of an operand, operations of a plan, and instructions of one: what goes beyond would keep a visitor waiting. */
export const LIMITS = {
  parts: 64,
  numbers: 2 ** 19,
  operations: 2 ** 21,
  instructions: 12_000,
} as const;
/** Numbers that are shown of a piece. */
const SHOWN = 8;

/** What a core has computed. */
export interface Piece {
  readonly dims: string;
  readonly sizes: readonly number[];
  readonly bytes: number;
  /** Its first numbers. */
  readonly first: readonly number[];
}

/** The result beside that of plain loops. */
export interface Verdict {
  /** How many numbers there are, and how many differ in at least one bit. */
  readonly numbers: number;
  readonly different: number;
  /** Largest difference. */
  readonly most: number;
  /** How far the result, and that of plain loops, are at most from sums in doubles. */
  readonly off: { readonly result: number; readonly plain: number };
}

/** A mode's totals, or why there are none. */
export type ModeRow =
  | {
      readonly mode: Mode;
      readonly counts: Counts;
      readonly time: number;
      readonly steps: number;
      readonly verdict: Verdict;
    }
  | { readonly mode: Mode; readonly wrong: string };

export interface Answer {
  readonly labelled: LabelledOperator;
  readonly plan: Plan;
  readonly texts: Readonly<Partial<Record<LabelField, string>>>;
  readonly pieces: Readonly<Record<string, Piece>>;
  /** The first numbers of the output. */
  readonly output: readonly number[];
  readonly modes: readonly ModeRow[];
}

/** Where a question is wrong, and how. */
export interface Wrong {
  readonly field: LabelField | 'machine' | 'question';
  readonly code: string;
  readonly sentence: string;
}

/** What the tab refuses before the package sees it. */
class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

function tooLarge(message: string): Refused {
  return new Refused('page.limit', message);
}

const TRIES: Readonly<Record<StrategyName, () => Strategy>> = {
  table: () => tableStrategy(),
  rule: () => ruleStrategy,
  learned: () => learnedStrategy(),
};

/** The answer, or what is wrong. */
export function answerOf(question: Question): Answer | Wrong {
  let field: Wrong['field'] = 'machine';
  const at = <T>(name: Wrong['field'], work: () => T): T => {
    field = name;
    return work();
  };
  try {
    const on = at('machine', () => machineOf(question.machine));
    const statics: Partial<Record<PortName, StaticLabel>> = {};
    const dynamics: Partial<Record<PortName, DynamicLabel>> = {};
    for (const port of portsOf(question.operator)) {
      const [static_, dynamic] = [question.labels[`${port}-static`], question.labels[`${port}-dynamic`]];
      if (static_ !== undefined) statics[port] = at(`${port}-static`, () => small(parseStatic(static_)));
      if (dynamic !== undefined) dynamics[port] = at(`${port}-dynamic`, () => parseDynamic(dynamic));
    }
    field = 'question';
    const label = (mode: Mode): LabelledOperator =>
      labelOperator(question.operator, statics, on, {
        mode,
        attributes: question.attributes,
        strategy: TRIES[question.strategy](),
        labels: dynamics,
      });
    const plain: Plain = { outputs: new Map() };
    const chosen = run(question, label(question.mode), plain);
    const modes = MODES.map((mode): ModeRow => {
      try {
        const { plan, simulation, verdict } =
          mode === question.mode ? chosen : run(question, label(mode), plain);
        const { counts, time } = simulation;
        return { mode, counts, time, steps: plan.steps.length, verdict };
      } catch (error) {
        return { mode, wrong: error instanceof Error ? error.message : String(error) };
      }
    });
    const { labelled, plan, simulation, output } = chosen;
    return {
      labelled,
      plan,
      texts: Object.fromEntries(
        PORTS.flatMap((port) => {
          const pair = labelled[port];
          if (pair === undefined) return [];
          return [
            [`${port}-static`, printStatic(pair.static)],
            [`${port}-dynamic`, printDynamic(pair.dynamic)],
          ];
        }),
      ),
      pieces: Object.fromEntries(
        [...simulation.values].map(([name, { dims, sizes, values }]) => [
          name,
          {
            dims,
            sizes,
            bytes: values.length * numberKind(typeOf(name, labelled)).bytes,
            first: Array.from(values.subarray(0, SHOWN)),
          },
        ]),
      ),
      output: Array.from(output.values.subarray(0, SHOWN)),
      modes,
    };
  } catch (error) {
    return wrongOf(error, field);
  }
}

/** The operands that an operator has labels of. */
export function portsOf(operator: string): readonly PortName[] {
  return OPERATORS[operator]?.operands === 1 ? ['input', 'output'] : PORTS;
}

function machineOf(text: string): Machine {
  let description: unknown;
  try {
    description = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused('layout.machine', `This is no JSON: ${reason}`);
  }
  const on = machine(description as Parameters<typeof machine>[0]);
  const cores = on.clusterOf.length;
  if (cores > MOST_CORES) throw tooLarge(`The machine has ${cores} cores; this tab draws ${MOST_CORES}`);
  if (on.memories > MOST_CORES)
    throw tooLarge(`The machine has ${on.memories} memories; this tab draws ${MOST_CORES}`);
  return on;
}

function small(label: StaticLabel): StaticLabel {
  const numbers = label.sizes.reduce((all, size) => all * size, 1);
  if (numbers > LIMITS.numbers)
    throw tooLarge(`These are ${numbers} numbers; this tab computes with up to ${LIMITS.numbers}`);
  return label;
}

type Run = Execution & { readonly verdict: Verdict };

/** Operands, and what plain loops make of them by type; the same for all modes. */
interface Plain {
  input?: LayoutTensor;
  weight?: LayoutTensor | undefined;
  readonly outputs: Map<NumberType, Float64Array>;
}

function run(question: Question, labelled: LabelledOperator, plain: Plain): Run {
  for (const port of PORTS) {
    const pair = labelled[port];
    if (pair === undefined) continue;
    const { length } = pair.dynamic.split.parts;
    if (length > LIMITS.parts)
      throw tooLarge(`${port}: ${length} parts; this tab draws up to ${LIMITS.parts}`);
    const numbers = pair.dynamic.bytes / numberKind(pair.dynamic.type).bytes;
    if (numbers > LIMITS.numbers)
      throw tooLarge(`${port}: ${numbers} numbers with its padding; up to ${LIMITS.numbers} do here`);
  }
  const { input, weight, output } = labelled;
  const plan = compile(labelled);
  const { operations } = countMoves(plan);
  if (operations > LIMITS.operations)
    throw tooLarge(`These are ${operations} operations; this tab simulates up to ${LIMITS.operations}`);
  const instructions = plan.steps.flat().reduce((sum, core) => sum + core.instructions.length, 0);
  if (instructions > LIMITS.instructions)
    throw tooLarge(`The plan has ${instructions} instructions; this tab shows up to ${LIMITS.instructions}`);
  plain.input ??= fill('input', input.static, question.numbers);
  plain.weight ??= weight && fill('weight', weight.static, question.numbers);
  const execution = runPlan(plan, labelled, { input: plain.input, weight: plain.weight });
  const expected = (type: NumberType): Float64Array => {
    const found = plain.outputs.get(type);
    if (found !== undefined) return found;
    const made = plainly(
      question.operator,
      labelled.attributes,
      plain.input!,
      plain.weight,
      type,
      output.static,
    );
    plain.outputs.set(type, made);
    return made;
  };
  const verdict = compare(execution.output.values, expected(output.dynamic.type), expected('float64'));
  return { ...execution, verdict };
}

/** Bit by bit: 0 and -0 differ, NaN is NaN. */
export function compare(found: Float64Array, expected: Float64Array, exact = expected): Verdict {
  const different = expected.reduce((sum, value, at) => sum + (Object.is(found[at], value) ? 0 : 1), 0);
  const apart = (a: Float64Array, b: Float64Array): number =>
    a.reduce(
      (most, value, at) => (Object.is(value, b[at]) ? most : Math.max(most, Math.abs(value - b[at]!))),
      0,
    );
  return {
    numbers: expected.length,
    different: different + Math.abs(found.length - expected.length),
    most: apart(found, expected),
    off: { result: apart(found, exact), plain: apart(expected, exact) },
  };
}

function typeOf(name: string, { input, weight, output }: LabelledOperator): DynamicLabel['type'] {
  const pair = name.startsWith('i') ? input : name.startsWith('w') ? weight : output;
  return (pair ?? output).dynamic.type;
}

function wrongOf(error: unknown, field: Wrong['field']): Wrong {
  const { message, code, name, details } = (
    error instanceof Error ? error : new Error(String(error))
  ) as Error & {
    code?: string;
    details?: { where?: unknown };
  };
  // Errors of labels say whose they are.
  const where = String(details?.where ?? '');
  const [, port, kind] = /, (input|weight|output), (static|dynamic) label/.exec(where) ?? [];
  const cut = /, output, split index/.test(where) ? ('output-dynamic' as const) : undefined;
  const named = port === undefined ? cut : (`${port}-${kind}` as LabelField);
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return { field: named ?? field, code: code ?? name, sentence };
}
