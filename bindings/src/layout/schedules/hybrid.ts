/** Hybrid: weights stay, inputs travel; what comes out goes to the owner of its input (R49). */
import { leadOf } from '../label-operator.js';
import { layoutOperator } from '../operators/index.js';
import { coreOfPart } from '../storage.js';
import { wrong } from '../wrong.js';
import { alike } from './pairs.js';
import { ring } from './ring.js';
import type { Scheduler } from './task.js';

/** See the file. Errors: LayoutError `layout.operands` for an input that is cut along what is summed. */
export const hybrid: Scheduler = (labelled) => {
  const { operator, machine, input, weight } = labelled;
  const [port] = layoutOperator(operator).ports;
  if (port !== undefined && leadOf(port, input.dynamic) === 'sum')
    throw wrong(
      'layout.operands',
      `${operator}, hybrid`,
      `an input cut along ${input.dynamic.split.dimension}, which is summed`,
      'one cut along what leads to the output',
    );
  const together = alike(labelled);
  if (together !== undefined) return together;
  const inputs = input.dynamic.split.parts.length;
  const weights = weight?.dynamic.split.parts.length ?? 1;
  return {
    tasks: ring(machine, weights, inputs, (own, travels) => ({
      input: travels,
      weight: own,
      group: travels,
    })),
    owners: Array.from({ length: inputs }, (_, group) => coreOfPart(machine, group, inputs)),
  };
};
