/** The same labels on this device: an operator of a graph, recorded as the parts that its plan has [L5]. */
import { checkArgument, describe } from '../arguments.js';
import type { ExpansionBuilder, Operand } from '../graph-types.js';
import { checkLabelled, checkPair, checkWeight } from './checks.js';
import { BUILDER, MACHINE } from './kinds.js';
import { compile } from './compile.js';
import { type Dimension, inOrder } from './dimensions.js';
import type { DynamicLabel } from './dynamic-label.js';
import type { LabelledOperator, LabelPair } from './label-operator.js';
import { layoutOperator } from './operators/index.js';
import type { Compute, Plan } from './plan.js';
import { Recorder, type Recorded } from './recorded.js';
import type { StaticLabel } from './static-label.js';
import type { Box } from './tensor.js';
import { coreOfPart } from './storage.js';
import { checkObject, wrong } from './wrong.js';

/** Operands of a graph. */
export interface SplitOperands {
  readonly input: Operand;
  readonly weight?: Operand | undefined;
}

/** What one core of the plan computes. */
export interface SplitPart {
  /** From 0: of the plan; which thread takes it the engine decides as threads become free. */
  readonly core: number;
  /** From 0. */
  readonly step: number;
  /** What the plan calls it: `o1`. */
  readonly name: string;
  /** What it computes: an operator of layouts, or a sum of two pieces. */
  readonly operation: string;
  readonly operand: Operand;
}

/** An operator, split. */
export interface SplitResult {
  /** The whole output, with the dimensions and sizes of its static label, or of the input's order where that has none. */
  readonly output: Operand;
  /** Operators that compute; what only moves numbers is none. */
  readonly parts: readonly SplitPart[];
  readonly plan: Plan;
}

/**
 * Records an operator as its labels split it: parts of operands as views where their elements lie one after the other, else as slices; the plan's computations in its order of sums; results merged. The
 * operands are tensors of the static labels' types and as many elements, seen with their dimensions and sizes. Errors: LayoutError `layout.operands` for labels that pad or convert (machines of `deviceMachine` do neither) or whose type graphs have not; what does not fit
 * the operands' own types `build()` says; InputError `input.type` for what records nothing, or is no labelled operator.
 */
export function split(g: ExpansionBuilder, labelled: LabelledOperator, operands: SplitOperands): SplitResult {
  checkArgument('split, graph', g, BUILDER);
  checkLabelled('split', labelled);
  const where = `split, ${labelled.operator}`;
  checkObject('layout.operands', where, operands, ['input', 'weight']);
  checkWeight('layout.operands', where, labelled.operator, operands.weight);
  const operator = layoutOperator(labelled.operator);
  const { type } = labelled.output.static;
  for (const pair of [labelled.input, labelled.weight, labelled.output])
    if (pair !== undefined) checkDevice(labelled.operator, pair, type);
  const recorder = new Recorder(g, type);
  const plan = compile(labelled);
  const placed = new Map<string, Recorded>();
  for (const { name, letter } of operator.ports) {
    const operand = operands[name];
    if (operand === undefined) throw wrong('layout.operands', where, `no ${name}`, 'every operand');
    const { static: of, dynamic } = labelled[name] as LabelPair;
    const whole = recorder.reshape({ operand, dims: of.dims, sizes: of.sizes }, of.dims, of.sizes);
    dynamic.split.parts.forEach((range, part) =>
      placed.set(`${letter}${part + 1}`, recorder.slice(whole, { [dynamic.split.dimension]: range })),
    );
  }
  const written = new Map<string, Recorded>();
  const own = new Map<number, Map<string, Recorded>>();
  const parts: SplitPart[] = [];
  for (const [step, cores] of plan.steps.entries())
    for (const { core, instructions } of cores) {
      const memory = own.get(core) ?? new Map<string, Recorded>();
      own.set(core, memory);
      for (const instruction of instructions) {
        if (instruction.kind === 'compute') {
          const inputs = instruction.inputs.map((name) => memory.get(name) as Recorded);
          const result = record(recorder, instruction, inputs);
          memory.set(instruction.output, result);
          if (instruction.operations > 0)
            parts.push({
              core,
              step,
              name: instruction.output,
              operation: instruction.operation,
              operand: result.operand,
            });
        } else if (instruction.kind === 'access' && instruction.action === 'write')
          written.set(instruction.datum, memory.get(instruction.datum) as Recorded);
        else
          memory.set(
            instruction.as,
            sliced(
              recorder,
              placed.get(instruction.datum) ?? (written.get(instruction.datum) as Recorded),
              instruction.box,
            ),
          );
      }
    }
  const results = plan.results.map(({ name }) => written.get(name) as Recorded);
  const whole = recorder.transpose(recorder.join(results, plan.joined), labelled.output.static.dims);
  return { output: whole.operand, parts, plan };
}

function sliced(recorder: Recorder, of: Recorded, box: Box | undefined): Recorded {
  return box === undefined ? of : recorder.slice(of, box);
}

function record(
  recorder: Recorder,
  { operation, dimension, box, sizes = {}, dims, attributes = {} }: Compute,
  inputs: readonly Recorded[],
): Recorded {
  if (operation === 'zeros') return recorder.zeros(dims, inOrder(dims, sizes));
  if (operation === 'join') return recorder.join(inputs, dimension as Dimension);
  if (operation === 'slice') return recorder.slice(inputs[0] as Recorded, box ?? {});
  return layoutOperator(operation).record(recorder, inputs, attributes);
}

/** Errors: LayoutError `layout.operands` where a label does what this device's graphs do not. */
function checkDevice(operator: string, { static: of, dynamic }: LabelPair, type: StaticLabel['type']): void {
  const where = `split, ${operator}`;
  if (of.type !== type || dynamic.type !== of.type)
    throw wrong(
      'layout.operands',
      where,
      `${of.type}, which becomes ${dynamic.type}`,
      `${type} in all labels`,
    );
  if (Object.values(dynamic.padding).some(({ length }) => length > 0))
    throw wrong('layout.operands', where, 'padding', 'none: a tile of 1');
}

/**
 * Items of a batch by part of a label: that many operands, ciphertexts or whatever there is for each element of the label's split dimension, dealt out in runs, with the core that each run is for. Errors: LayoutError
 * `layout.operands` for another number of items than the dimension has, those of `dynamicLabel` for labels that break a rule; InputError `input.type` for no machine.
 */
export function splitBatch<T>(
  labels: { readonly static: StaticLabel; readonly dynamic: DynamicLabel },
  on: LabelledOperator['machine'],
  items: readonly T[],
): readonly { readonly core: number; readonly items: readonly T[] }[] {
  checkArgument('splitBatch, machine', on, MACHINE);
  const { static: of, dynamic } = checkPair('splitBatch', labels, on);
  const { dimension, parts } = dynamic.split;
  const size = of.sizes[of.dims.indexOf(dimension)] ?? 0;
  if (!Array.isArray(items) || items.length !== size || parts.at(-1)?.[1] !== size)
    throw wrong(
      'layout.operands',
      'split of a batch',
      describe(items),
      `${size} items, one for each of ${dimension}, without padding`,
    );
  return parts.map(([from, to], part) => ({
    core: coreOfPart(on, part, parts.length),
    items: items.slice(from, to),
  }));
}
