/** Faults in what missing cells, dimensions and planes mean: methods of the model, wrong, in place of the right ones. Types are as they should be. */
import { UNIT } from './cells.mjs';
import { LOGIC } from './model/logic.mjs';
import { present } from './model/gaps.mjs';
import { MOVES } from './model/moves.mjs';
import { SUMS } from './model/sums.mjs';
import { operandOf } from './model/constants.mjs';
import { ModelValue } from './model/value.mjs';
import { sameShape } from './shapes.mjs';

/** The right value, with other cells, and others of them there. */
function otherwise(right, views) {
  return new ModelValue(right.task, right, {
    ...right,
    views: right.views.map((view, at) => ({ ...view, ...views(at) })),
  });
}

const asNought = (method) => (self, other, options) => {
  const right = LOGIC[method](self, other, options);
  if (!right.missing) return right;
  const wrong = LOGIC[method](MOVES.filled(self), MOVES.filled(operandOf(self, other)), options);
  return otherwise(right, (at) => ({ cells: wrong.views[at].cells, present: right.views[at].present.map(() => UNIT) }));
};

/** Missing where either is, though the other one decides. */
const unknown = (method) => (self, other) => {
  const right = LOGIC[method](self, other);
  const both = operandOf(self, other);
  if (!self.missing || !both.missing || !sameShape(self.shape, both.shape)) return right;
  const all = (at) => self.views[at].present.map((is, cell) => present(is, both.views[at].present[cell]));
  return otherwise(right, (at) => ({ present: all(at) }));
};

export const WRONG_METHODS = {
  'what is missing is compared as 0': Object.fromEntries(
    ['lessThan', 'atMost', 'greaterThan', 'atLeast', 'equals'].map((method) => [method, asNought(method)]),
  ),
  'or of what is missing is missing, whatever the other is': { or: unknown('or') },
  'and of what is missing is missing, whatever the other is': { and: unknown('and') },
  'what is not chosen says what is missing': {
    select(self, a, b) {
      const right = LOGIC.select(self, a, b);
      const other = right.missing && LOGIC.select(LOGIC.not(self), a, b);
      return other ? otherwise(right, (at) => ({ present: other.views[at].present })) : right;
    },
  },
  'what is missing is filled with 0, whatever is said': { filled: (self) => MOVES.filled(self) },
  'which cells are there is not moved': {
    rotate(self, ...args) {
      const right = MOVES.rotate(self, ...args);
      return self.missing ? otherwise(right, (at) => ({ present: self.views[at].present })) : right;
    },
  },
  'cells of what is transposed stay where they are': {
    transpose: (self, axes) => MOVES.reshape(self, MOVES.transpose(self, axes).shape),
  },
  'means are along another dimension': {
    mean(self, axis) {
      const right = SUMS.mean(self, axis);
      if (axis === undefined || self.shape.length !== 2) return right;
      const wrong = SUMS.mean(self, 1 - axis);
      return sameShape(right.shape, wrong.shape) ? wrong : right;
    },
  },
  'rows of which a cell is missing count in the plane': {
    regression: (self, other) => {
      SUMS.regression(self, other);
      return SUMS.regression(MOVES.filled(self), MOVES.filled(operandOf(self, other)));
    },
  },
};
