/** Operators that labels know. */
import { describe } from '../../arguments.js';
import type { LayoutAttributes, LayoutOperator } from '../operator.js';
import { wrong } from '../wrong.js';
import { ADD } from './add.js';
import { CONV2D } from './conv2d.js';
import { MLP } from './mlp.js';
import { MUL } from './mul.js';
import { RELU } from './relu.js';
import { RELU_GRADIENT } from './relu-gradient.js';
import { SCALE } from './scale.js';
import { SUB } from './sub.js';

const ALL: readonly LayoutOperator[] = [MLP, CONV2D, ADD, SUB, MUL, RELU, RELU_GRADIENT, SCALE];

/** Their names. */
export const LAYOUT_OPERATORS: readonly string[] = /* @__PURE__ */ ALL.map(({ name }) => name);

/** The operator of a name. Errors: LayoutError `layout.operator`. */
export function layoutOperator(name: string): LayoutOperator {
  const found = ALL.find((operator) => operator.name === name);
  if (found === undefined)
    throw wrong('layout.operator', 'operator', describe(name), `one of ${LAYOUT_OPERATORS.join(', ')}`);
  return found;
}

/** The operator that one of a graph is, if any: `f32.matmul` is `mlp`. */
export function ofGraph(type: string): LayoutOperator | undefined {
  const [, operation] = /^[a-z]\w*\.(\w+)$/.exec(type) ?? [];
  return operation === undefined ? undefined : ALL.find(({ graph }) => graph.includes(operation));
}

/** Attributes with those that were not given. Errors: LayoutError `layout.operator`. */
export function attributesOf(operator: LayoutOperator, given: LayoutAttributes = {}): LayoutAttributes {
  const where = `${operator.name}, attributes`;
  const names = Object.keys(operator.defaults);
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) throw wrong('layout.operator', where, `"${name}"`, names.join(', ') || 'none');
    if (!Number.isFinite(value))
      throw wrong('layout.operator', `${where}, ${name}`, describe(value), 'a finite number');
  }
  return { ...operator.defaults, ...given };
}
