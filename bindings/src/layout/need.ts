/** What a computation needs of each operand, and what of the output it gives. */
import type { Dimension, Sizes } from './dimensions.js';
import { operationSizes } from './dynamic-label.js';
import { type LabelledOperator, type LabelPair, leadOf } from './label-operator.js';
import type { LayoutAttributes } from './operator.js';
import { layoutOperator } from './operators/index.js';
import type { ScheduledTask } from './schedules/task.js';
import type { Range } from './split-index.js';
import { staticSizes } from './static-label.js';
import type { Box } from './tensor.js';

/** See the file. */
export interface Need {
  readonly input: Box;
  readonly weight: Box;
  readonly attributes: LayoutAttributes;
  /** Whether a rim needs none of its operand: what comes out is 0. */
  readonly nothing: boolean;
  /** Sizes of what comes out. */
  readonly output: Sizes;
}

/** Operation sizes of a labelled datum. */
export function sizesOfPair(pair: LabelPair | undefined): Sizes {
  return pair === undefined ? {} : operationSizes(pair.dynamic, pair.static);
}

/** Sizes of a box out of something. */
export function boxSizes(sizes: Sizes, box: Box): Sizes {
  return Object.fromEntries(
    (Object.entries(sizes) as [Dimension, number][]).map(([dimension, size]) => {
      const range = box[dimension];
      return [dimension, range === undefined ? size : range[1] - range[0]] as const;
    }),
  );
}

/** What a task needs; undefined for one that gives nothing, since its rows lie beyond the output. */
export function needOf(labelled: LabelledOperator, task: ScheduledTask): Need | undefined {
  const operator = layoutOperator(labelled.operator);
  const input = sizesOfPair(labelled.input);
  const weight = sizesOfPair(labelled.weight);
  const raw = operator.output(input, weight, labelled.attributes);
  // Runs of the output, and of what is summed, that the task's parts are about.
  const out: Partial<Record<Dimension, Range>> = {};
  const summed: Partial<Record<Dimension, Range>> = {};
  const pairs = [labelled.input, labelled.weight];
  const ownSizes = (index: number): Sizes =>
    pairs[index] === undefined ? {} : staticSizes(pairs[index].static);
  for (const [index, part] of [task.input, task.weight].entries()) {
    const [port, pair] = [operator.ports[index], pairs[index]];
    if (part === undefined || port === undefined || pair === undefined) continue;
    const lead = leadOf(port, pair.dynamic);
    const { dimension, parts } = pair.dynamic.split;
    const range = parts[part] as Range;
    if (lead === 'sum') summed[dimension] = range;
    else if (lead !== undefined) {
      const size = raw[lead.to] ?? 1;
      const end = part === parts.length - 1 ? size : Math.min(range[1], size);
      if (range[0] >= end) return undefined;
      out[lead.to] = [range[0], end];
    }
  }
  let attributes = operator.local(labelled.attributes);
  let nothing = false;
  const boxOf = (index: number): Box => {
    const box: Partial<Record<Dimension, Range>> = {};
    for (const [letter, lead] of Object.entries(operator.ports[index]?.leads ?? {})) {
      const dimension = letter as Dimension;
      if (lead !== 'sum' && lead.rim === true && operator.rim !== undefined) {
        const run = out[lead.to] ?? [0, raw[lead.to] ?? 1];
        // Behind the datum's own end there are zeros, whatever its label fills it up with.
        const rim = operator.rim(dimension, run, ownSizes(0), ownSizes(1), labelled.attributes);
        box[dimension] = rim.range;
        attributes = { ...attributes, ...rim.attributes };
        nothing ||= rim.range[0] >= rim.range[1];
        continue;
      }
      const range = lead === 'sum' ? summed[dimension] : out[lead.to];
      if (range !== undefined) box[dimension] = range;
    }
    return box;
  };
  const [first, second] = [boxOf(0), boxOf(1)];
  const sizes = Object.fromEntries(
    (Object.entries(raw) as [Dimension, number][]).map(([dimension, size]) => {
      const range = out[dimension];
      return [dimension, range === undefined ? size : range[1] - range[0]] as const;
    }),
  );
  return { input: first, weight: second, attributes, nothing, output: sizes };
}
