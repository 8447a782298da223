/** O = W where I is above 0, else 0, element by element: the derivative of `relu` at I times W. */
import type { Operand } from '../../graph-types.js';
import { each } from '../each.js';

/** See the file. */
export const RELU_GRADIENT = /* @__PURE__ */ each(
  'relu_gradient',
  2,
  (a, b) => (a > 0 ? b : 0),
  (recorder, a, b) => {
    const zero = recorder.number(0);
    return recorder.op('select', [recorder.op('lt', [zero, a]), b as Operand, zero]);
  },
);
