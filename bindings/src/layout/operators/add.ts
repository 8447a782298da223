/** O = I + W, element by element. */
import { each } from '../each.js';

/** See the file. */
export const ADD = /* @__PURE__ */ each('add', 2, (a, b) => a + b);
