/** Labels that callers made, looked at before they are gone by. */
import { checkArgument } from '../arguments.js';
import { dynamicLabel } from './dynamic-label.js';
import { LABELLED, PAIR } from './kinds.js';
import type { LabelledOperator, LabelPair } from './label-operator.js';
import type { Machine } from './machine.js';
import { attributesOf, layoutOperator } from './operators/index.js';
import { staticLabel } from './static-label.js';
import { wrong } from './wrong.js';

/** Both labels of a datum. Errors: InputError `input.type` for no two labels; LayoutError `layout.label`, `layout.split`, `layout.storage`. */
export function checkPair(where: string, pair: LabelPair, on?: Machine): LabelPair {
  checkArgument(`${where}, labels`, pair, PAIR);
  const of = staticLabel(pair.static, `${where}, static label`);
  return { static: of, dynamic: dynamicLabel(pair.dynamic, of, on, `${where}, dynamic label`) };
}

/** An operator with its labels. Errors: those of {@link checkPair}; LayoutError `layout.operator`, and `layout.operands` for a weight that is missing, or one too many. */
export function checkLabelled(where: string, labelled: LabelledOperator): void {
  checkArgument(`${where}, labelled`, labelled, LABELLED);
  const { machine, weight } = labelled;
  const operator = layoutOperator(labelled.operator);
  attributesOf(operator, labelled.attributes);
  checkWeight('layout.operands', `${where}, ${operator.name}`, operator.name, weight);
  for (const port of ['input', 'output'] as const)
    checkPair(`${where}, ${operator.name}, ${port}`, labelled[port], machine);
  if (weight !== undefined) checkPair(`${where}, ${operator.name}, weight`, weight, machine);
}

/** That there is a weight just where an operator takes one. Errors: LayoutError of that code. */
export function checkWeight(
  code: 'layout.operands' | 'layout.data',
  where: string,
  operator: string,
  weight: unknown,
): void {
  const takes = layoutOperator(operator).ports.length === 2;
  if (takes === (weight !== undefined)) return;
  throw takes
    ? wrong(code, where, 'no weight', 'input, weight')
    : wrong(code, where, 'a weight', 'input alone');
}
