/** What callers of this room hand in: kinds for the package's checks of arguments and options. Where a label or a value has a rule of its own, it is checked where that is. */
import {
  ATTRIBUTES,
  CALL_OPTIONS,
  FUNCTION,
  type Kind,
  type Kinds,
  objectOf,
  oneOf,
  tag,
} from '../arguments.js';
import type { DatumOptions, DeriveOptions } from './derive.js';
import type { DetectOptions } from './detect.js';
import { isDimension } from './dimensions.js';
import type { ExecuteOptions } from './execute.js';
import type { OperatorOptions } from './label-operator.js';
import { NUMBER_TYPES } from './numbers.js';
import type { PartsOptions } from './split-index.js';
import { MODES } from './strategy.js';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; of anything else none. */
function fieldsOf(value: unknown): Fields {
  return tag(value) === 'Object' ? (value as Fields) : {};
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isObject = (value: unknown): boolean => tag(value) === 'Object';

/** What `machine` gives. */
export const MACHINE: Kind = {
  expected: 'a machine of machine()',
  fits: (value) => {
    const { clusterOf, clusters, hops, order, tile, cost, memories } = fieldsOf(value);
    return (
      isArray(clusterOf) &&
      isArray(clusters) &&
      clusters.every(isObject) &&
      isArray(hops) &&
      hops.every(isArray) &&
      [tile, cost].every(isObject) &&
      typeof order === 'string' &&
      typeof memories === 'number'
    );
  },
};
/** What has sizes: a static label, a tensor. */
export const SIZED: Kind = {
  expected: 'a static label',
  fits: (value) => {
    const { dims, sizes } = fieldsOf(value);
    return typeof dims === 'string' && isArray(sizes);
  },
};
/** What has padding: a dynamic label. */
export const PADDED: Kind = {
  expected: 'a dynamic label',
  fits: (value) => {
    const { padding } = fieldsOf(value);
    return isObject(padding) && Object.values(padding as object).every(isObject);
  },
};
/** What is cut: a dynamic label. */
export const CUT: Kind = {
  expected: 'a dynamic label',
  fits: (value) => {
    const { tile, split } = fieldsOf(value);
    const { parts, dimension } = fieldsOf(split);
    return isObject(tile) && isDimension(dimension) && isArray(parts) && parts.every(isArray);
  },
};
/** Two labels of a datum; they are looked at by themselves. */
export const PAIR: Kind = objectOf('static and dynamic, the labels of a datum');
/** What `labelOperator` gives; its pairs are looked at by themselves. */
export const LABELLED: Kind = {
  expected: 'an operator of labelOperator()',
  fits: (value) => {
    const { operator, attributes, machine, mode, input, output } = fieldsOf(value);
    return (
      typeof operator === 'string' &&
      (MODES as readonly unknown[]).includes(mode) &&
      MACHINE.fits(machine) &&
      [attributes, input, output].every(isObject)
    );
  },
};
/** A plan but for its steps, which may come out of packets. */
export const STEPLESS_PLAN: Kind = {
  expected: 'a plan of compile()',
  fits: (value) => {
    const { machine, type, placed, results, joined } = fieldsOf(value);
    return (
      MACHINE.fits(machine) &&
      (NUMBER_TYPES as readonly unknown[]).includes(type) &&
      [placed, results].every((all) => isArray(all) && all.every(isObject)) &&
      isDimension(joined)
    );
  },
};
/** What `compile` gives; instructions are looked at when they run. */
export const PLAN: Kind = {
  expected: STEPLESS_PLAN.expected,
  fits: (value) => {
    const { steps } = fieldsOf(value);
    const isCore = (one: unknown): boolean => {
      const { core, instructions } = fieldsOf(one);
      return Number.isSafeInteger(core) && isArray(instructions) && instructions.every(isObject);
    };
    return (
      STEPLESS_PLAN.fits(value) &&
      isArray(steps) &&
      steps.every((step) => isArray(step) && step.every(isCore))
    );
  },
};
/** Parts of operands, by name. */
export const PARTS: Kind = { expected: 'a Map of tensors by name', fits: (value) => tag(value) === 'Map' };
/** Objects, one after the other. */
export const listOf = (what: string): Kind => ({
  expected: `an array of ${what}`,
  fits: (value) => isArray(value) && value.every(isObject),
});
/** Sizes by dimension. */
export const SIZES: Kind = objectOf('sizes by dimension');
/** A circuit, also of another copy of the package. */
export const CIRCUIT: Kind = {
  expected: 'a circuit',
  fits: (value) => {
    const { graph, toText, inputs } = (value ?? {}) as Fields;
    return [graph, toText].every(FUNCTION.fits) && isArray(inputs);
  },
};
/** What records operators. */
export const BUILDER: Kind = {
  expected: 'what builds a graph, of loom.graph() or of an expansion',
  fits: (value) => {
    const { op, view, merge, constant } = (value ?? {}) as Fields;
    return [op, view, merge, constant].every(FUNCTION.fits);
  },
};

/** Checked where it is used. */
const ELSEWHERE: Kind = { expected: 'a value', fits: () => true };

/** Options of `partsOf`. */
export const PARTS_OPTIONS: Kinds<PartsOptions> = {
  rounding: ELSEWHERE,
  rest: ELSEWHERE,
  multiple: ELSEWHERE,
};
/** How labels are derived. */
export const DERIVE_OPTIONS: Kinds<DeriveOptions> = {
  rounding: ELSEWHERE,
  rest: ELSEWHERE,
  mode: ELSEWHERE,
  strategy: ELSEWHERE,
  fill: { expected: 'a finite number', fits: (value) => Number.isFinite(value) },
  tiles: ELSEWHERE,
};
/** Options of `deriveLabel`. */
export const DATUM_OPTIONS: Kinds<DatumOptions> = {
  ...DERIVE_OPTIONS,
  operator: ELSEWHERE,
  port: oneOf('input', 'weight', 'output'),
  operands: objectOf('sizes by operand'),
};
/** Options of `labelOperator`. */
export const OPERATOR_OPTIONS: Kinds<OperatorOptions> = {
  ...DERIVE_OPTIONS,
  attributes: ATTRIBUTES,
  labels: ELSEWHERE,
};
/** Options of `execute`. */
export const EXECUTE_OPTIONS: Kinds<ExecuteOptions> = {
  ...OPERATOR_OPTIONS,
  type: oneOf(...NUMBER_TYPES),
  statics: objectOf('static labels by operand'),
};
/** Options of `deviceMachine`. */
export const DEVICE_OPTIONS: Kinds<{ readonly threads?: number | undefined }> = { threads: ELSEWHERE };
/** Options of `detectLabels`. */
export const DETECT_OPTIONS: Kinds<DetectOptions> = {
  signal: CALL_OPTIONS.signal,
  dims: objectOf('orders of dimensions by name'),
};
