/** O = I - W, element by element. */
import { each } from '../each.js';

/** See the file. */
export const SUB = /* @__PURE__ */ each('sub', 2, (a, b) => a - b);
