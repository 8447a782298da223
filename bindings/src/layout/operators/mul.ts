/** O = I W, element by element. */
import type { Operand } from '../../graph-types.js';
import { each } from '../each.js';

/** See the file. */
export const MUL = /* @__PURE__ */ each(
  'mul',
  2,
  (a, b) => a * b,
  (recorder, a, b) => recorder.op('mul', [a, b as Operand]),
);
