/** Model parallel: cores take parts of one input, or of one weight; partial outputs are exchanged and combined. */
import { leadOf } from '../label-operator.js';
import { layoutOperator } from '../operators/index.js';
import { coreOfPart } from '../storage.js';
import { wrong } from '../wrong.js';
import { ring } from './ring.js';
import type { Schedule, Scheduler } from './task.js';

/**
 * Where both operands are cut along what is summed, or both along what leads to one dimension of the output, part k of one goes with part k of the other; where one is cut, its parts go with what they need of the
 * other; where both are, in two ways, the input's parts stay and the weight's go round. Errors: LayoutError `layout.operands` for cuts that do not go together.
 */
export const model: Scheduler = ({ operator, machine, input, weight }): Schedule => {
  const ports = layoutOperator(operator).ports;
  const [first, second] = ports;
  const a = first && leadOf(first, input.dynamic);
  const b = second && weight && leadOf(second, weight.dynamic);
  const [inputs, weights] = [input.dynamic.split.parts, weight?.dynamic.split.parts ?? []];
  const where = `${operator}, model parallel`;
  if (a !== undefined && b !== undefined) {
    const alike = a === 'sum' ? b === 'sum' : b !== 'sum' && a.to === b.to;
    if (alike) {
      const print = (parts: readonly (readonly [number, number])[]): string =>
        parts.map((part) => `[${part.join(', ')})`).join(' ');
      if (
        print(inputs) !== print(weights) ||
        input.dynamic.split.dimension !== weight?.dynamic.split.dimension
      )
        throw wrong(
          'layout.operands',
          where,
          `${print(weights)} of the weight`,
          `the input's parts, ${print(inputs)}`,
        );
      return pairs(inputs.length, (part) => ({ input: part, weight: part }));
    }
    if (a === 'sum')
      throw wrong(
        'layout.operands',
        where,
        `an input cut along ${input.dynamic.split.dimension}, a weight along ${weight?.dynamic.split.dimension}`,
        'both along what is summed, or not the input',
      );
    return {
      tasks: ring(machine, inputs.length, weights.length, (own, travels) => ({
        input: own,
        weight: travels,
        group: own,
      })),
      owners: inputs.map((_, group) => coreOfPart(machine, group, inputs.length)),
    };
  }
  if (b !== undefined) return pairs(weights.length, (part) => ({ input: undefined, weight: part }));
  return pairs(a === undefined ? 1 : inputs.length, (part) => ({
    input: a === undefined ? undefined : part,
    weight: undefined,
  }));

  function pairs(
    count: number,
    of: (part: number) => { readonly input: number | undefined; readonly weight: number | undefined },
  ): Schedule {
    const cores = Array.from({ length: count }, (_, part) => coreOfPart(machine, part, count));
    return { tasks: cores.map((core, part) => ({ step: 0, core, group: part, ...of(part) })), owners: cores };
  }
};
