/** O = `factor` I, element by element. Attribute `factor`, 1 where it is not given. */
import { each } from '../each.js';

/** See the file. */
export const SCALE = /* @__PURE__ */ each(
  'scale',
  1,
  (a, _, { factor = 1 }) => a * factor,
  (recorder, a, _, { factor = 1 }) => recorder.op('mul', [a, recorder.number(factor)]),
  { factor: 1 },
);
