/** O = I W, element by element. */
import { each } from '../each.js';

/** See the file. */
export const MUL = /* @__PURE__ */ each('mul', 2, (a, b) => a * b);
