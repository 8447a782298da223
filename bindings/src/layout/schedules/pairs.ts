/** Parts that are computed at once, each by the core that has it, without a ring. */
import { type LabelledOperator, leadOf } from '../label-operator.js';
import { layoutOperator } from '../operators/index.js';
import { coreOfPart } from '../storage.js';
import { wrong } from '../wrong.js';
import type { Schedule } from './task.js';

/** One task for each part. */
export function pairs(
  { machine }: LabelledOperator,
  count: number,
  of: (part: number) => { readonly input: number | undefined; readonly weight: number | undefined },
): Schedule {
  const owners = Array.from({ length: count }, (_, part) => coreOfPart(machine, part, count));
  return { tasks: owners.map((core, part) => ({ step: 0, core, group: part, ...of(part) })), owners };
}

/**
 * Where there is one operand: part by part. Where both are cut along what is summed, or both along what leads to one dimension of the output: part k of one goes with part k of the other, in every mode. Undefined where they are not. Errors: LayoutError
 * `layout.operands` for other parts of the one than of the other.
 */
export function alike(labelled: LabelledOperator): Schedule | undefined {
  const { operator, mode, input, weight } = labelled;
  const [first, second] = layoutOperator(operator).ports;
  const a = first && leadOf(first, input.dynamic);
  const b = second && weight && leadOf(second, weight.dynamic);
  if (second === undefined)
    return pairs(labelled, input.dynamic.split.parts.length, (part) => ({ input: part, weight: undefined }));
  if (a === undefined || b === undefined || weight === undefined) return undefined;
  if (a === 'sum' ? b !== 'sum' : b === 'sum' || a.to !== b.to) return undefined;
  const print = ({ dynamic }: typeof input): string =>
    `${dynamic.split.dimension} ${dynamic.split.parts.map((part) => `[${part.join(', ')})`).join(' ')}`;
  if (print(input) !== print(weight))
    throw wrong(
      'layout.operands',
      `${operator}, ${mode}`,
      `parts ${print(weight)} of the weight`,
      `the input's, ${print(input)}`,
    );
  return pairs(labelled, input.dynamic.split.parts.length, (part) => ({ input: part, weight: part }));
}
