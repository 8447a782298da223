/** O = I - W, element by element. */
import type { Operand } from '../../graph-types.js';
import { each } from '../each.js';

/** See the file. */
export const SUB = /* @__PURE__ */ each(
  'sub',
  2,
  (a, b) => a - b,
  (recorder, a, b) => recorder.op('sub', [a, b as Operand]),
);
