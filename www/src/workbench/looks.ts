/** Operands that one wants to look into: further outputs of the stage's text, since circuits of a text have no handles to keep. */
import type { GraphText } from '../graph/graph-text.js';

const PREFIX = 'look #';

/** The name under which a run gives an operator's operand. */
export function lookName(op: number): string {
  return `${PREFIX}${op}`;
}

/** The text with further outputs. */
export function withLooks(text: GraphText, ops: Iterable<number>): string {
  const looks = Array.from(ops, (op) => `output ${text.place(op)} ${JSON.stringify(lookName(op))}\n`);
  return `${text.text.trimEnd()}\n${looks.join('')}`;
}
