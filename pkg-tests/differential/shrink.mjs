/** Makes a failing case smaller for as long as it still fails. */
import { cuts, smallestFailing } from '../lib/shrink.mjs';
import { sourceOf } from './source.mjs';

/** The smallest case found within a time. `fails(case)` tells whether it is still wrong. */
export function shrink(start, fails, milliseconds) {
  return smallestFailing(start, { smaller, size: (one) => sourceOf(one).length, fails, milliseconds });
}

function* smaller({ programs, journey }) {
  if (programs.length > 1) for (const part of cuts(programs)) yield { programs: part, journey };
  for (const key of Object.keys(journey)) {
    const { [key]: value, ...rest } = journey;
    if (isSaid(value)) yield { programs, journey: { ...rest, [key]: plainest(value) } };
  }
  for (const [k, program] of programs.entries()) {
    for (const less of smallerPrograms(program)) yield { programs: programs.with(k, less), journey };
  }
}

function isSaid(value) {
  return typeof value === 'object' ? Object.keys(value).length > 0 : value !== plainest(value);
}

function plainest(value) {
  return { object: {}, string: 'no', boolean: false }[typeof value];
}

function* smallerPrograms(program) {
  yield unused(program);
  yield { ...program, inputs: shortNames(program.inputs), outputs: shortNames(program.outputs) };
  if (program.outputs.length > 1) for (const outputs of cuts(program.outputs)) yield unused({ ...program, outputs });
  const before = program.inputs.length;
  for (let index = program.nodes.length - 1; index >= 0; index--) {
    for (const operand of operandsOf(program.nodes[index])) yield unused(instead(program, before + index, operand));
  }
  for (const rows of new Set(program.inputs.map(({ options }) => options.rows))) yield* fewerRows(program, rows);
  for (const [index, node] of program.nodes.entries()) {
    for (const args of simplerArguments(node))
      yield { ...program, nodes: program.nodes.with(index, { ...node, args }) };
  }
  for (const [index, input] of program.inputs.entries()) {
    for (const simpler of simplerInputs(input)) yield { ...program, inputs: program.inputs.with(index, simpler) };
  }
}

function shortNames(list) {
  return list.map((one, index) => ({ ...one, name: String.fromCodePoint(97 + index) }));
}

/** Uses an operand in the place of another. */
function instead(program, replaced, operand) {
  const other = (one) => (one === replaced ? operand : one);
  return mapped(program, other);
}

/** Without inputs and nodes that lead to no output. */
function unused(program) {
  const { inputs, nodes, outputs } = program;
  const used = new Set(outputs.map(({ operand }) => operand));
  for (let index = nodes.length - 1; index >= 0; index--) {
    if (used.has(inputs.length + index)) for (const operand of operandsOf(nodes[index])) used.add(operand);
  }
  const kept = [...inputs, ...nodes].flatMap((_, operand) => (used.has(operand) ? [operand] : []));
  if (!kept.some((operand) => operand < inputs.length)) return program;
  if (program.lacking !== undefined) return program;
  const renumbered = mapped(program, (operand) => kept.indexOf(operand));
  return {
    ...renumbered,
    inputs: inputs.filter((_, index) => used.has(index)),
    nodes: renumbered.nodes.filter((_, index) => used.has(inputs.length + index)),
  };
}

function mapped({ nodes, outputs, ...rest }, other) {
  const argument = (arg) => ('operand' in arg ? { operand: other(arg.operand) } : arg);
  return {
    ...rest,
    nodes: nodes.map(({ on, method, args }) => ({ on: other(on), method, args: args.map(argument) })),
    outputs: outputs.map(({ name, operand }) => ({ name, operand: other(operand) })),
  };
}

function operandsOf({ on, args }) {
  return new Set([on, ...args.flatMap(({ operand }) => operand ?? [])]);
}

/** All columns of so many rows become shorter, with the lists that they meet. */
function* fewerRows(program, rows) {
  const rings = program.inputs.some(({ options }) => options.rows === rows && options.rings === 2) ? 2 : 1;
  for (const less of new Set([rings, rings * (rows >> (rings + 1)), rings * (rows >> rings), rows - rings])) {
    if (less < 1 || less >= rows || less % rings !== 0) continue;
    const shorter = (list) => Array.from(list).slice(0, less);
    yield {
      ...program,
      inputs: program.inputs.map((input) => {
        if (input.options.rows !== rows) return input;
        return { ...input, options: { ...input.options, rows: less }, values: shorter(input.values) };
      }),
      nodes: program.nodes.map((node) => ({
        ...node,
        args: node.args.map((arg) => (arg.value?.length === rows ? { value: shorter(arg.value) } : arg)),
      })),
    };
  }
}

function* simplerArguments({ method, args }) {
  const [{ value } = {}] = args;
  if (typeof value === 'object' && value !== null && value.length > 0) yield [{ value: value[0] }];
  if (['add', 'sub', 'multiply'].includes(method) && typeof value === 'number') yield* [[{ value: 1 }], [{ value: 2 }]];
  if (method === 'rotateRows') yield* [[{ value: 1 }], [{ value: -1 }], [{ value: Math.trunc(value / 2) }]];
}

function* simplerInputs({ name, options, values }) {
  const list = Array.from(values);
  const small = list.map((value) => (value === null || value === undefined || Number.isNaN(value) ? null : 0));
  yield { name, options, values: small };
  yield { name, options, values: small.map((value, row) => (value === null ? null : row)) };
  yield { name, options, values: small.with(0, list[0]) };
  for (const optional of ['decimals', 'missing']) {
    if (optional in options)
      yield { name, values, options: Object.fromEntries(Object.entries(options).filter(([key]) => key !== optional)) };
  }
  if (options.min < -10 || options.max > 10) yield { name, values: small, options: { ...options, min: -9, max: 9 } };
}
