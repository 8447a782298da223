/** Model parallel: cores take parts of one input, or of one weight; partial outputs are exchanged and combined. */
import { leadOf } from '../label-operator.js';
import { layoutOperator } from '../operators/index.js';
import { coreOfPart } from '../storage.js';
import { wrong } from '../wrong.js';
import { alike, pairs } from './pairs.js';
import { ring } from './ring.js';
import type { Schedule, Scheduler } from './task.js';

/**
 * Operands that are cut alike go part by part; where one is cut, its parts go with what they need of the other; where both are, in two ways, the input's parts stay and the weight's go round. Errors:
 * LayoutError `layout.operands` for cuts that do not go together.
 */
export const model: Scheduler = (labelled): Schedule => {
  const { operator, machine, input, weight } = labelled;
  const together = alike(labelled);
  if (together !== undefined) return together;
  const [first, second] = layoutOperator(operator).ports;
  const a = first && leadOf(first, input.dynamic);
  const b = second && weight && leadOf(second, weight.dynamic);
  const [inputs, weights] = [input.dynamic.split.parts.length, weight?.dynamic.split.parts.length ?? 1];
  if (b === undefined)
    return pairs(labelled, a === undefined ? 1 : inputs, (part) => ({
      input: a === undefined ? undefined : part,
      weight: undefined,
    }));
  if (a === undefined) return pairs(labelled, weights, (part) => ({ input: undefined, weight: part }));
  if (a === 'sum') {
    const found = `an input cut along ${input.dynamic.split.dimension}, a weight along ${weight?.dynamic.split.dimension}`;
    throw wrong(
      'layout.operands',
      `${operator}, model parallel`,
      found,
      'both along what is summed, or not the input',
    );
  }
  return {
    tasks: ring(machine, inputs, weights, (own, travels) => ({ input: own, weight: travels, group: own })),
    owners: Array.from({ length: inputs }, (_, group) => coreOfPart(machine, group, inputs)),
  };
};
