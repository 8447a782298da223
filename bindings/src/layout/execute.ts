/** An operator from data to data, on a machine that is simulated [L4, L5, L5e]. */
import type { Category } from './category.js';
import { compile } from './compile.js';
import {
  type LabelledOperator,
  labelOperator,
  type LabelPair,
  type OperandLabels,
  type OperatorOptions,
} from './label-operator.js';
import type { Machine } from './machine.js';
import type { NumberType } from './numbers.js';
import { layoutOperator } from './operators/index.js';
import type { Plan } from './plan.js';
import { prepare, type Prepared, restore } from './prepare.js';
import { type Simulation, simulate } from './simulate.js';
import { join, type LayoutTensor } from './tensor.js';
import { wrong } from './wrong.js';

/** Data by operand. */
export type OperandData = Readonly<{ input: LayoutTensor; weight?: LayoutTensor | undefined }>;

/** How an operator is executed. */
export interface ExecuteOptions extends OperatorOptions {
  /** What data are in the host's memory. Default `float32`. */
  readonly type?: NumberType | undefined;
  /** Static labels; default: an input neuron, an input weight, of the data's sizes. */
  readonly statics?: OperandLabels | undefined;
}

/** What an execution gave. */
export interface Execution {
  /** In the order of the output's static label. */
  readonly output: LayoutTensor;
  readonly labelled: LabelledOperator;
  readonly plan: Plan;
  readonly prepared: Readonly<Partial<Record<'input' | 'weight', Prepared>>>;
  readonly simulation: Simulation;
}

/** Labels at run time: labels, compiles and runs. Errors: LayoutError. */
export function execute(
  operator: string,
  data: OperandData,
  on: Machine,
  options: ExecuteOptions = {},
): Execution {
  const { type = 'float32', statics = {}, ...rest } = options;
  const labels: OperandLabels = { ...statics };
  const given: Record<string, OperandLabels['input']> = { ...labels };
  for (const { name, role } of layoutOperator(operator).ports) {
    const datum = data[name];
    if (datum === undefined)
      throw wrong('layout.data', `${operator}, data`, `no ${name}`, 'data of every operand');
    const category: Category = role === 'weight' ? 'iw' : 'in';
    given[name] ??= { category, type, dims: datum.dims, sizes: datum.sizes };
  }
  const labelled = labelOperator(operator, given, on, rest);
  return runPlan(compile(labelled), labelled, data);
}

/** Runs a plan that was compiled before, of the same labels, on data. Errors: LayoutError. */
export function runPlan(plan: Plan, labelled: LabelledOperator, data: OperandData): Execution {
  const prepared: Partial<Record<'input' | 'weight', Prepared>> = {};
  const parts = new Map<string, LayoutTensor>();
  for (const { name, letter } of layoutOperator(labelled.operator).ports) {
    const datum = data[name];
    if (datum === undefined)
      throw wrong('layout.data', `${labelled.operator}, data`, `no ${name}`, 'data of every operand');
    const ready = prepare(labelled[name] as LabelPair, datum);
    prepared[name] = ready;
    ready.parts.forEach((part, index) => parts.set(`${letter}${index + 1}`, part));
  }
  const simulation = simulate(plan, parts);
  const whole = join(simulation.results, plan.joined);
  return { output: restore(labelled.output, whole), labelled, plan, prepared, simulation };
}
