/** Labels of all operands of an operator [L3, L3d]. */
import { checkArgument, checkOptions, describe } from '../arguments.js';
import type { Dimension, Sizes } from './dimensions.js';
import { type DynamicLabel, dynamicLabel, operationSizes } from './dynamic-label.js';
import {
  checkChoices,
  type Cut,
  cutFor,
  cutTiles,
  type DeriveOptions,
  labelOf,
  type Shape,
  shapeFor,
  whole,
  withBytes,
} from './derive.js';
import { MACHINE, OPERATOR_OPTIONS } from './kinds.js';
import type { Machine } from './machine.js';
import { numberKind } from './numbers.js';
import type { LayoutAttributes, LayoutOperator, LayoutPort, Lead } from './operator.js';
import { attributesOf, layoutOperator } from './operators/index.js';
import { targetOf } from './split-index.js';
import { staticLabel, type StaticLabel, staticSizes } from './static-label.js';
import { type Mode, type PortName, rowsOf } from './strategy.js';
import { tableStrategy } from './strategies/table.js';
import { checkObject, wrong } from './wrong.js';

/** A static and a dynamic label of one datum. */
export interface LabelPair {
  readonly static: StaticLabel;
  readonly dynamic: DynamicLabel;
}

/** Static labels by operand: the output's, too. */
export type OperandLabels = Readonly<Partial<Record<PortName, StaticLabel>>>;

/** An operator with all that its labels say. */
export interface LabelledOperator {
  readonly operator: string;
  readonly attributes: LayoutAttributes;
  readonly machine: Machine;
  readonly mode: Mode;
  readonly input: LabelPair;
  /** Of operators of two operands. */
  readonly weight: LabelPair | undefined;
  readonly output: LabelPair;
  /** What is as it was asked for, and yet not as one may think: parts that cut tiles. */
  readonly notes: readonly string[];
}

/** How an operator is labelled. */
export interface OperatorOptions extends DeriveOptions {
  readonly attributes?: LayoutAttributes | undefined;
  /** Labels that are given; the others are derived. */
  readonly labels?: Readonly<Partial<Record<PortName, DynamicLabel>>> | undefined;
}

/** Where an operand's cut dimension leads; undefined where it is not cut. */
export function leadOf(port: LayoutPort, { split }: DynamicLabel): Lead | undefined {
  return split.parts.length === 1 ? undefined : port.leads[split.dimension];
}

/**
 * Labels of all operands. Those of inputs by the strategy; the output is one part where inputs are cut along what is summed, or where its parts are none that follow from those of the inputs (L3d); else
 * its parts are those of the input, or of the weight, that lead to them. The output's own label may be left out: then it is `on`, of the input's type, in the machine's order. Errors: LayoutError; InputError for options that there are not, and for no machine.
 */
export function labelOperator(
  name: string,
  given: OperandLabels,
  on: Machine,
  options: OperatorOptions = {},
): LabelledOperator {
  const operator = layoutOperator(name);
  checkOptions(name, options, OPERATOR_OPTIONS);
  checkChoices(name, options);
  checkArgument(`${name}, machine`, on, MACHINE);
  const { mode = 'model', labels = {} } = options;
  checkObject('layout.operands', `${name}, operands`, given, ['input', 'weight', 'output']);
  checkObject('layout.operands', `${name}, labels`, labels, ['input', 'weight', 'output']);
  const attributes = attributesOf(operator, options.attributes);
  const statics = operator.ports.map(({ name: port }) => {
    const label = given[port];
    if (label === undefined)
      throw wrong(
        'layout.operands',
        `${name}, operands`,
        `no ${port}`,
        operator.ports.map((one) => one.name).join(', '),
      );
    return staticLabel(label, `${name}, ${port}, static label`);
  });
  if (operator.ports.length === 1 && (given.weight ?? labels.weight) !== undefined)
    throw wrong('layout.operands', `${name}, operands`, 'a second one', 'one');
  const shapes = statics.map((label, index): Shape => {
    const port = operator.ports[index] as LayoutPort;
    const own = labels[port.name];
    if (own === undefined) return shapeFor(label, on, options.fill, port.leads);
    const where = `${name}, ${port.name}, dynamic label`;
    const checked = dynamicLabel(own, label, on, where);
    const exact = Object.entries(checked.padding).find(
      ([letter, { length }]) => length > 0 && port.leads[letter as Dimension] === undefined,
    );
    if (exact !== undefined)
      throw wrong(
        'layout.operands',
        where,
        `padding of ${exact[0]}`,
        'none there: the operator would be another one',
      );
    return checked;
  });
  const sizes = statics.map((label, index) => operationSizes(shapes[index] as Shape, label));
  const [input = {}, weight = {}] = sizes;
  const operands = operator.ports.length === 2 ? { input, weight } : { input };
  const dynamics = statics.map((label, index): DynamicLabel => {
    const port = operator.ports[index] as LayoutPort;
    const shape = shapes[index] as Shape;
    if (labels[port.name] !== undefined) return shape as DynamicLabel;
    const use = { operator: name, port: port.name, mode, operands, category: label.category };
    return labelOf(
      shape,
      cutFor(shape, label, on, use, options),
      label,
      on,
      options,
      `${name}, ${port.name}, derived label`,
    );
  });
  checkSums(operator, statics, dynamics, sizes);
  const pair = (index: number): LabelPair => ({
    static: statics[index] as StaticLabel,
    dynamic: dynamics[index] as DynamicLabel,
  });
  const result = outputLabels(
    operator,
    attributes,
    given.output,
    labels.output,
    on,
    mode,
    pair(0),
    operator.ports.length === 2 ? pair(1) : undefined,
    options,
  );
  const all = { input: pair(0), weight: operator.ports.length === 2 ? pair(1) : undefined, output: result };
  const notes = Object.entries(all).flatMap(([port, labelled]) =>
    labelled !== undefined && cutTiles(labelled.dynamic).length > 0
      ? [
          `${name}, ${port}: parts of ${labelled.dynamic.split.dimension} cut tiles of ${labelled.dynamic.tile[labelled.dynamic.split.dimension]}`,
        ]
      : [],
  );
  return Object.freeze({
    operator: name,
    attributes,
    machine: on,
    mode,
    ...all,
    notes: Object.freeze(notes),
  });
}

/** Errors: LayoutError `layout.operands` where what is summed has two sizes, is filled up with numbers that count, or with one that is not finite in its label's type. */
function checkSums(
  operator: LayoutOperator,
  statics: readonly StaticLabel[],
  labels: readonly DynamicLabel[],
  sizes: readonly Sizes[],
): void {
  const [first, second] = operator.ports;
  if (first === undefined || second === undefined) return;
  const [a, b] = labels as [DynamicLabel, DynamicLabel];
  for (const dimension of Object.keys(first.leads) as Dimension[]) {
    if (first.leads[dimension] !== 'sum' || second.leads[dimension] !== 'sum') continue;
    const [own, other] = [sizes[0]?.[dimension], sizes[1]?.[dimension]];
    const where = `${operator.name}, dimension ${dimension}`;
    if (own !== other)
      throw wrong(
        'layout.operands',
        where,
        `operation sizes ${own} of the input, ${other} of the weight`,
        'equal ones',
      );
    // As it is stored: what is near 0, or far from it, may be 0 or infinite in the label's type.
    const fillOf = ({ padding, type }: DynamicLabel): number =>
      (padding[dimension]?.length ?? 0) > 0 ? numberKind(type).round(padding[dimension]?.fill ?? 0) : 0;
    const infinite = [a, b].find((label) => !Number.isFinite(fillOf(label)));
    if (infinite !== undefined)
      throw wrong(
        'layout.operands',
        where,
        `a fill of ${infinite.padding[dimension]?.fill}, ${fillOf(infinite)} in ${infinite.type}`,
        'a finite one, since it is summed',
      );
    const filled = (label: DynamicLabel): boolean => fillOf(label) !== 0;
    if (filled(a) && filled(b))
      throw wrong(
        'layout.operands',
        where,
        'fills that are not 0 in both operands',
        'a fill of 0 in one, since both are summed',
      );
    // Beyond what is shorter only zeros may count.
    const [sizeA, sizeB] = [
      staticSizes(statics[0] as StaticLabel)[dimension] ?? 1,
      staticSizes(statics[1] as StaticLabel)[dimension] ?? 1,
    ];
    const short = sizeA < sizeB ? a : b;
    if (sizeA !== sizeB && filled(short))
      throw wrong(
        'layout.operands',
        where,
        `a fill of ${fillOf(short)} where the other operand has numbers`,
        'a fill of 0',
      );
  }
}

/** The output's labels; see {@link labelOperator}. */
function outputLabels(
  operator: LayoutOperator,
  attributes: LayoutAttributes,
  given: StaticLabel | undefined,
  own: DynamicLabel | undefined,
  on: Machine,
  mode: Mode,
  input: LabelPair,
  weight: LabelPair | undefined,
  options: DeriveOptions,
): LabelPair {
  const { name } = operator;
  const sizesOf = ({ static: of, dynamic }: LabelPair): Sizes => operationSizes(dynamic, of);
  const raw = operator.output(sizesOf(input), weight === undefined ? {} : sizesOf(weight), attributes);
  const expected = operator.output(
    staticSizes(input.static),
    weight === undefined ? {} : staticSizes(weight.static),
    attributes,
  );
  const order = [...on.order].filter((letter) => expected[letter as Dimension] !== undefined).join('');
  const label = staticLabel(
    given ?? {
      category: 'on',
      type: input.static.type,
      dims: order,
      sizes: [...order].map((letter) => expected[letter as Dimension] ?? 1),
    },
    `${name}, output, static label`,
  );
  const print = (sizes: Sizes): string =>
    Object.entries(sizes)
      .sort()
      .map(([letter, size]) => `${letter}=${size}`)
      .join(' ');
  if (print(staticSizes(label)) !== print(expected))
    throw wrong('layout.operands', `${name}, output, sizes`, print(staticSizes(label)), print(expected));

  // Where the parts of the output come from.
  const leads = operator.ports.map((port, index) =>
    leadOf(port, (index === 0 ? input : (weight as LabelPair)).dynamic),
  );
  const first = leads[0];
  const second = leads[1];
  const source =
    first !== undefined && first !== 'sum'
      ? input
      : first === undefined && second !== undefined && second !== 'sum' && mode === 'model'
        ? weight
        : undefined;
  const lead = source === undefined ? undefined : source === input ? first : second;
  const shape = shapeFor(label, on, options.fill);
  if (own !== undefined) {
    const checked = dynamicLabel(own, label, on, `${name}, output, dynamic label`);
    checkOutput(name, checked, label, source, lead, raw);
    return { static: label, dynamic: checked };
  }
  const { strategy = tableStrategy() } = options;
  const operands =
    weight === undefined ? { input: sizesOf(input) } : { input: sizesOf(input), weight: sizesOf(weight) };
  const sizes = operationSizes(shape, label);
  const rows = rowsOf(strategy, {
    operator: name,
    port: 'output',
    mode,
    operands,
    category: label.category,
    machine: on,
    sizes,
  });
  const target = targetOf(rows, sizes, on.memories);
  const where = `${name}, output, derived label`;
  const aligned =
    source !== undefined && lead !== undefined && lead !== 'sum'
      ? rows.find(({ dimension }) => dimension === lead.to)
      : undefined;
  const parts =
    aligned === undefined ? [] : outputParts(source as LabelPair, lead as Exclude<Lead, 'sum'>, raw);
  if (aligned === undefined || parts.length <= 1) {
    const one: Cut = whole(shape, sizes, target?.storage ?? 'mem', target?.exchange ?? []);
    return { static: label, dynamic: labelOf(shape, one, label, on, options, where) };
  }
  // Its parts have the sizes that inputs give them.
  const { dimension } = aligned;
  const length = (raw[dimension] ?? 1) - (staticSizes(label)[dimension] ?? 1);
  const { [dimension]: taken, ...others } = shape.tile;
  const tile = taken !== undefined && (raw[dimension] ?? 1) % taken === 0 ? shape.tile : others;
  const fill = options.fill ?? 0;
  const fitted = withBytes(
    { ...shape, tile, padding: { ...shape.padding, [dimension]: { length, fill } } },
    label,
  );
  const cut: Cut = { dimension, parts, storage: aligned.storage, exchange: aligned.exchange };
  return { static: label, dynamic: labelOf(fitted, cut, label, on, options, where) };
}

/** The parts of the output that parts of an operand lead to. */
export function outputParts(
  { dynamic }: LabelPair,
  { to }: Exclude<Lead, 'sum'>,
  raw: Sizes,
): readonly (readonly [number, number])[] {
  const size = raw[to] ?? 1;
  const { parts } = dynamic.split;
  // Where the output is longer or shorter than the operand, as of convolutions, the last part is.
  const clipped = parts.map(
    ([from, end], index) =>
      [Math.min(from, size), index === parts.length - 1 ? size : Math.min(end, size)] as const,
  );
  return clipped.filter(([from, end]) => from < end);
}

/** Errors: LayoutError `layout.operands` where an output's label that was given is none that its operator can give. */
function checkOutput(
  name: string,
  own: DynamicLabel,
  label: StaticLabel,
  source: LabelPair | undefined,
  lead: Lead | undefined,
  raw: Sizes,
): void {
  if (own.split.parts.length === 1) return;
  const where = `${name}, output, split index`;
  if (source === undefined || lead === undefined || lead === 'sum' || lead.to !== own.split.dimension)
    throw wrong(
      'layout.operands',
      where,
      `${own.split.parts.length} parts of ${own.split.dimension}`,
      'one part: inputs are not cut so',
    );
  const parts = outputParts(source, lead, raw);
  const print = (ranges: readonly (readonly [number, number])[]): string =>
    ranges.map((range) => `[${range.join(', ')})`).join(' ');
  if (operationSizes(own, label)[lead.to] !== raw[lead.to] || print(parts) !== print(own.split.parts))
    throw wrong('layout.operands', where, describe(print(own.split.parts)), print(parts));
}
