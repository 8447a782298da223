/**
 * Programs as data, and what calls they are. `{ scheme, inputs, steps, outputs }`: an input is `{ place, name, options, cells }`, a step `{ on, method, args }`,
 * `{ constant }` or `{ records, steps, results }`, with `names` of inputs where it is called without columns, an output `{ name, operand }`. Operands are numbered: inputs, then what steps give. In a `forEach` those that
 * are there before go on with its records, which are of the operands `records`, and what its own steps give; `results` are numbers of these, and each is one
 * operand after it. An argument is `{ operand }`, `{ operands }`, `{ value }` or `{ foreign: true }`. `next` is a program that takes results of this one, inputs of
 * place `result`, whose option `output` names them.
 */
import { ModelTask, call } from './model/task.mjs';

/** A call that was refused, and at which step of a program. */
export class Refused extends Error {
  constructor(step, error) {
    super(`${step}: ${error.message}`, { cause: error });
    this.step = step;
  }
}

export function at(step, call) {
  try {
    return call();
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(step, error);
  }
}

/** The package's builder, as a host. `before`: the task whose results are taken. */
export function packageHost(task, other, before) {
  return {
    input: (place, name, options) =>
      place === 'result' ? task.result(name, before, options.output) : task[place](name, options),
    constant: (cells) => task.constant(cells),
    call: (on, method, args) => on[method](...args),
    forEach: (columns, body) => (columns ? task.forEach(columns, body) : task.forEach(body)),
    output: (name, value) => task.output(name, value),
    foreign: (shape) => other().encrypted('foreign', { shape, min: 0, max: 1 }),
  };
}

/** `before`: the values of outputs whose results are taken, by name. */
export function modelHost(task, before) {
  return {
    input: (place, name, options) =>
      place === 'result' ? task.result(name, before[options.output]) : task.input(place, name, options),
    constant: (cells) => task.constant(cells),
    call,
    forEach: (columns, body) => task.forEach(columns, body),
    output: (name, value) => task.output(name, value),
    foreign: (shape) => new ModelTask().input('encrypted', 'foreign', { shape, min: 0, max: 1 }),
  };
}

/** Says a program to a host; `seen` hears of each value and where it was made. Errors: Refused. */
export function build(host, { inputs, steps, outputs }, seen = () => {}) {
  const operands = inputs.map(({ place, name, options }, index) =>
    noted(seen, `input ${index}`, () => host.input(place, name, options)),
  );
  for (const [index, step] of steps.entries()) operands.push(...perform(host, operands, step, `step ${index}`, seen));
  for (const [index, { name, operand }] of outputs.entries())
    at(`output ${index}`, () => host.output(name, operands[operand]));
  return operands;
}

/** The operands that a step gives. */
export function perform(host, operands, step, label, seen = () => {}) {
  if (step.records) return forEach(host, operands, step, label, seen);
  if (step.constant) return [noted(seen, label, () => host.constant(step.constant.value))];
  const on = operands[step.on];
  return [
    noted(seen, label, () =>
      host.call(
        on,
        step.method,
        step.args.map((arg) => argument(host, operands, on, arg)),
      ),
    ),
  ];
}

function argument(host, operands, on, arg) {
  if (arg.foreign) return host.foreign(on.shape);
  if (arg.operands) return arg.operands.map((operand) => operands[operand]);
  return 'operand' in arg ? operands[arg.operand] : arg.value;
}

const nameOf = (index) => `c${index}`;

function forEach(host, operands, { records, steps, results, names }, label, seen) {
  const columns = names
    ? undefined
    : Object.fromEntries(records.map((operand, index) => [nameOf(index), operands[operand]]));
  const body = (record) => {
    const inside = [...operands, ...records.map((_, index) => record[names?.[index] ?? nameOf(index)])];
    for (const [index, step] of steps.entries()) inside.push(...perform(host, inside, step, `${label}.${index}`, seen));
    return Object.fromEntries(results.map((operand, index) => [nameOf(index), inside[operand]]));
  };
  const made = at(label, () => host.forEach(columns, body));
  return results.map((_, index) => noted(seen, `${label}, result ${index}`, () => made[nameOf(index)]));
}

function noted(seen, label, make) {
  const value = at(label, make);
  seen(label, value);
  return value;
}

/** Numbers of operands of a step, with a function for each: `other(operand)` is the new one. */
export function withOperands(step, other) {
  if (step.constant) return step;
  if (step.records) {
    return {
      ...step,
      records: step.records.map(other),
      steps: step.steps.map((inner) => withOperands(inner, other)),
      results: step.results.map(other),
    };
  }
  const args = step.args.map((arg) => {
    if (arg.operands) return { operands: arg.operands.map(other) };
    return 'operand' in arg ? { operand: other(arg.operand) } : arg;
  });
  return { ...step, on: other(step.on), args };
}

/** How many operands a step gives. */
export function countOf(step) {
  return step.records ? step.results.length : 1;
}

/** Two encrypted inputs of one type and bounds, by number: each may be given for the other. Undefined where there are none. */
export function pairOf({ inputs }) {
  const told = inputs.map(({ place, options }) => (place === 'encrypted' ? describe(options) : undefined));
  const first = told.findIndex((one, at) => one !== undefined && told.indexOf(one, at + 1) > 0);
  return first < 0 ? undefined : [first, told.indexOf(told[first], first + 1)];
}

const describe = (options) => JSON.stringify(options, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));

/** The program where two inputs have each other's cells. */
export function exchanged(program, [a, b]) {
  const { inputs } = program;
  const [first, second] = [inputs[a], inputs[b]];
  const cells = (input, { cells }) => ({ ...input, cells });
  return { ...program, inputs: inputs.with(a, cells(first, second)).with(b, cells(second, first)) };
}

/** The numbers of operands that a step reads, those of a `forEach`'s own included. */
export function readBy(step) {
  const read = [];
  withOperands(step, (operand) => (read.push(operand), operand));
  return read;
}

/** Cells of the inputs of a place, by name. */
export function cellsIn({ inputs }, place) {
  return Object.fromEntries(inputs.filter((input) => input.place === place).map(({ name, cells }) => [name, cells]));
}
