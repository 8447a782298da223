/** O = max(I, 0), element by element; NaN and -0 stay. */
import { each } from '../each.js';

/** See the file. */
export const RELU = /* @__PURE__ */ each(
  'relu',
  1,
  (a) => (a < 0 ? 0 : a),
  (recorder, a) => {
    const zero = recorder.number(0);
    return recorder.op('select', [recorder.op('lt', [a, zero]), zero, a]);
  },
);
