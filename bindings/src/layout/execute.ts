/** An operator from data to data, on a machine that is simulated [L4, L5, L5e]. */
import { checkArgument, checkOptions } from '../arguments.js';
import type { Category } from './category.js';
import { checkLabelled, checkWeight } from './checks.js';
import { compile } from './compile.js';
import { EXECUTE_OPTIONS, PLAN } from './kinds.js';
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
import { checkTensor, join, type LayoutTensor } from './tensor.js';
import { checkObject } from './wrong.js';

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

/** Labels at run time: labels, compiles and runs. Errors: LayoutError; InputError for options that there are not, and for no machine. */
export function execute(
  operator: string,
  data: OperandData,
  on: Machine,
  options: ExecuteOptions = {},
): Execution {
  const { ports } = layoutOperator(operator);
  checkOptions('execute', options, EXECUTE_OPTIONS);
  checkData(operator, data);
  const { type = 'float32', statics = {}, ...rest } = options;
  const given: Record<string, OperandLabels['input']> = { ...statics };
  for (const { name, role } of ports) {
    const datum = data[name] as LayoutTensor;
    const category: Category = role === 'weight' ? 'iw' : 'in';
    given[name] ??= { category, type, dims: datum.dims, sizes: datum.sizes };
  }
  const labelled = labelOperator(operator, given, on, rest);
  return runPlan(compile(labelled), labelled, data);
}

/** Data of just the operands that there are. Errors: LayoutError `layout.data`. */
function checkData(operator: string, data: OperandData): void {
  const where = `${operator}, data`;
  checkObject('layout.data', where, data, ['input', 'weight']);
  checkTensor(`${where}, input`, data.input);
  checkWeight('layout.data', where, operator, data.weight);
  if (data.weight !== undefined) checkTensor(`${where}, weight`, data.weight);
}

/** Runs a plan that was compiled before, of the same labels, on data. Errors: LayoutError; InputError `input.type` for no plan, or no labelled operator. */
export function runPlan(plan: Plan, labelled: LabelledOperator, data: OperandData): Execution {
  checkArgument('runPlan, plan', plan, PLAN);
  checkLabelled('runPlan', labelled);
  checkData(labelled.operator, data);
  const prepared: Partial<Record<'input' | 'weight', Prepared>> = {};
  const parts = new Map<string, LayoutTensor>();
  for (const { name, letter } of layoutOperator(labelled.operator).ports) {
    const ready = prepare(labelled[name] as LabelPair, data[name] as LayoutTensor);
    prepared[name] = ready;
    ready.parts.forEach((part, index) => parts.set(`${letter}${index + 1}`, part));
  }
  const simulation = simulate(plan, parts);
  const whole = join(simulation.results, plan.joined);
  return { output: restore(labelled.output, whole), labelled, plan, prepared, simulation };
}
