/** Modes in which one operand stays and the other goes round, and each input's owner gets what comes of it. */
import { type LabelledOperator, leadOf } from '../label-operator.js';
import { layoutOperator } from '../operators/index.js';
import { coreOfPart } from '../storage.js';
import { wrong } from '../wrong.js';
import { alike } from './pairs.js';
import { ring } from './ring.js';
import type { Schedule } from './task.js';

/** `called`: the mode, for errors. Errors: LayoutError `layout.operands` for an input that is cut along what is summed. */
export function round(labelled: LabelledOperator, called: string, stays: 'input' | 'weight'): Schedule {
  const { operator, machine, input, weight } = labelled;
  const [port] = layoutOperator(operator).ports;
  if (port !== undefined && leadOf(port, input.dynamic) === 'sum')
    throw wrong(
      'layout.operands',
      `${operator}, ${called}`,
      `an input cut along ${input.dynamic.split.dimension}, which is summed`,
      'one cut along what leads to the output',
    );
  const together = alike(labelled);
  if (together !== undefined) return together;
  const inputs = input.dynamic.split.parts.length;
  const weights = weight?.dynamic.split.parts.length ?? 1;
  const task = (input: number, weight: number): { input: number; weight: number; group: number } => ({
    input,
    weight,
    group: input,
  });
  return {
    tasks:
      stays === 'input'
        ? ring(machine, inputs, weights, task)
        : ring(machine, weights, inputs, (own, travels) => task(travels, own)),
    owners: Array.from({ length: inputs }, (_, group) => coreOfPart(machine, group, inputs)),
  };
}
