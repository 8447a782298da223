/** O = I + W, element by element. */
import type { Operand } from '../../graph-types.js';
import { each } from '../each.js';

/** See the file. */
export const ADD = /* @__PURE__ */ each(
  'add',
  2,
  (a, b) => a + b,
  (recorder, a, b) => recorder.op('add', [a, b as Operand]),
);
