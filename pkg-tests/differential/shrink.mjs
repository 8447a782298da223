/** Makes a failing program smaller: fewer outputs, steps, cells and options, simpler numbers. */
import { cuts, smallestFailing } from '../lib/shrink.mjs';
import { STRAIGHT } from './journey.mjs';
import { countOf, readBy, withOperands } from './recipe.mjs';
import { flattened, nested } from './shapes.mjs';
import { sourceOf } from './source.mjs';

/** `fails(program, journey)`: whether one is still wrong in the same way. */
export function shrink(start, fails, milliseconds) {
  return smallestFailing(start, {
    smaller,
    size: ({ program, journey }) => sourceOf(program, journey).length,
    fails: ({ program, journey }) => fails(program, journey),
    milliseconds,
  });
}

function* smaller({ program, journey }) {
  for (const key of Object.keys(STRAIGHT)) {
    if (JSON.stringify(journey[key]) !== JSON.stringify(STRAIGHT[key]))
      yield { program, journey: { ...journey, [key]: STRAIGHT[key] } };
  }
  for (const less of smallerPrograms(program)) yield { program: less, journey: { ...journey, held: STRAIGHT.held } };
}

function* smallerPrograms(program) {
  const { inputs, steps, outputs } = program;
  yield unused(program);
  if (outputs.length > 1) for (const some of cuts(outputs)) yield unused({ ...program, outputs: some });
  let operand = inputs.length;
  for (const [index, step] of steps.entries()) {
    // What a step reads, in the place of what it gives.
    for (const read of new Set(readBy(step))) {
      if (read >= operand) continue;
      const instead = Object.fromEntries(Array.from({ length: countOf(step) }, (_, at) => [operand + at, read]));
      yield unused(renamed(program, (one) => instead[one] ?? one, index + 1));
    }
    if (step.records)
      for (const less of smallerRecords(step, operand)) yield { ...program, steps: steps.with(index, less) };
    for (const less of simplerArguments(step)) yield { ...program, steps: steps.with(index, less) };
    operand += countOf(step);
  }
  for (const length of new Set(inputs.flatMap(({ options: { shape } }) => (Array.isArray(shape) ? shape : [])))) {
    for (const less of new Set([1, length >> 1, length - 1]))
      if (less >= 1 && less < length) yield shorter(program, length, less);
  }
  for (const [index, input] of inputs.entries()) {
    for (const simpler of simplerInputs(input, index)) yield { ...program, inputs: inputs.with(index, simpler) };
  }
}

/** Other numbers of operands, from a step on. */
function renamed(program, other, from = 0) {
  const { steps, outputs } = program;
  return {
    ...program,
    steps: steps.map((step, index) => (index < from ? step : withOperands(step, other))),
    outputs: outputs.map(({ name, operand }) => ({ name, operand: other(operand) })),
  };
}

/** Without inputs and steps that lead to no output. In a `forEach` numbers go on after those outside, and move with these. */
function unused(program) {
  const { inputs, steps, outputs } = program;
  const used = new Set(outputs.map(({ operand }) => operand));
  const firsts = [];
  let count = inputs.length;
  for (const step of steps) {
    firsts.push(count);
    count += countOf(step);
  }
  const kept = steps.map(() => false);
  for (let index = steps.length - 1; index >= 0; index--) {
    const own = Array.from({ length: countOf(steps[index]) }, (_, at) => firsts[index] + at);
    kept[index] = own.some((operand) => used.has(operand));
    if (kept[index]) for (const operand of readBy(steps[index])) if (operand < firsts[index]) used.add(operand);
  }
  const stays = (operand) => {
    if (operand < inputs.length) return used.has(operand);
    const step = firsts.findLastIndex((first) => first <= operand);
    return kept[step];
  };
  const order = Array.from({ length: count }, (_, operand) => operand).filter(stays);
  if (!order.some((operand) => operand < inputs.length)) return program;
  const number = new Map(order.map((operand, index) => [operand, index]));
  const movedStep = (step, first) => {
    const outside = order.filter((operand) => operand < first).length;
    return withOperands(step, (operand) => (operand < first ? number.get(operand) : operand - first + outside));
  };
  return {
    ...program,
    inputs: inputs.filter((_, index) => used.has(index)),
    steps: steps.flatMap((step, index) => (kept[index] ? [movedStep(step, firsts[index])] : [])),
    outputs: outputs.map(({ name, operand }) => ({ name, operand: number.get(operand) })),
  };
}

/** A `forEach` without a result, or with one of its steps left out in favor of what this reads. `before`: operands outside. */
function* smallerRecords(step, before) {
  const { records, steps, results } = step;
  if (results.length > 1) return;
  const first = before + records.length;
  for (const [index, inner] of steps.entries()) {
    if (inner.constant) continue;
    for (const read of new Set(readBy(inner))) {
      const other = (operand) => (operand === first + index ? read : operand > first + index ? operand - 1 : operand);
      yield {
        records,
        steps: steps.toSpliced(index, 1).map((one, at) => (at < index ? one : withOperands(one, other))),
        results: results.map(other),
      };
    }
  }
}

function* simplerArguments(step) {
  if (step.constant) {
    yield { constant: { value: 1 } };
    return;
  }
  for (const [index, arg] of (step.args ?? []).entries()) {
    const flat = Array.isArray(arg.value) || ArrayBuffer.isView(arg.value) ? flattened(arg.value)?.cells : undefined;
    const values =
      flat?.length > 0
        ? [flat[0], 1]
        : typeof arg.value === 'number'
          ? [1, 2, Math.trunc(arg.value)]
          : 'operand' in arg
            ? [1]
            : [];
    for (const value of values) yield { ...step, args: step.args.with(index, { value }) };
  }
}

/** A dimension of so many becomes one of less, wherever there is one. */
function shorter(program, length, less) {
  const cut = (value) => {
    if (ArrayBuffer.isView(value)) return value.length === length ? value.slice(0, less) : value;
    if (!Array.isArray(value)) return value;
    return (value.length === length ? value.slice(0, less) : value).map(cut);
  };
  const lengths = (shape) => shape.map((one) => (one === length ? less : one));
  const argument = (arg, method) => {
    if (!Array.isArray(arg.value) && !ArrayBuffer.isView(arg.value)) return arg;
    return { value: ['reshape', 'broadcast'].includes(method) ? lengths(arg.value) : cut(arg.value) };
  };
  const ofStep = (step) => {
    if (step.constant) return { constant: { value: cut(step.constant.value) } };
    if (step.records) return { ...step, steps: step.steps.map(ofStep) };
    return { ...step, args: step.args.map((arg) => argument(arg, step.method)) };
  };
  const ofInput = (input) => {
    const { shape } = input.options;
    if (!Array.isArray(shape)) return input;
    const cells = ArrayBuffer.isView(input.cells) ? nested(shape, Array.from(input.cells)) : input.cells;
    return { ...input, options: { ...input.options, shape: lengths(shape) }, cells: cut(cells) };
  };
  return { ...program, inputs: program.inputs.map(ofInput), steps: program.steps.map(ofStep) };
}

function* simplerInputs({ name, options, cells, ...rest }, index) {
  const list = ArrayBuffer.isView(cells) ? Array.from(cells) : (flattened(cells)?.cells ?? [cells]);
  const short = String.fromCodePoint(112 + index);
  yield { ...rest, name: short, options, cells };
  if (Array.isArray(options.shape)) {
    const first = list.find((cell) => cell !== null && cell !== undefined);
    yield {
      ...rest,
      name,
      options,
      cells: nested(
        options.shape,
        list.map(() => first),
      ),
    };
    for (const cell of [0, 1])
      yield {
        ...rest,
        name,
        options,
        cells: nested(
          options.shape,
          list.map(() => cell),
        ),
      };
  }
  for (const optional of ['decimals', 'missing']) {
    if (optional in options) {
      const { [optional]: gone, ...others } = options;
      if (gone !== undefined) yield { ...rest, name, options: others, cells };
    }
  }
}
