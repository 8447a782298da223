/** Programs with one mistake in them. Where and with which codes they are refused the model says. */
import { countOf as categoriesIn } from './model/data.mjs';
import { METHOD_NAMES } from './model/task.mjs';
import { countOf } from './recipe.mjs';
import { flattened, nested } from './shapes.mjs';

/** Draws for a call that is refused. */
const DRAWS = 200;

export function mistaken(dice, program, drawing) {
  const kind = dice.weighted({ call: 12, record: 4, input: 4, output: 3, cells: 6, given: 2 });
  return MISTAKES[kind](dice, program, drawing) ?? program;
}

const MISTAKES = {
  /** A call that is refused, after all others. */
  call(dice, program, { operands, try: attempt }) {
    const step = wrongStep(dice, operands, attempt);
    return step && { ...program, steps: [...program.steps, step] };
  },

  /** One in a record, or what is of a record outside of it. */
  record(dice, program, { operands, try: attempt }) {
    const columns = [...operands.keys()].filter((at) => operands[at].shape.length > 0);
    const records =
      columns.length > 0
        ? [dice.pick(columns), ...(dice.chance(0.3) ? [dice.pick(columns)] : [])]
        : [dice.below(operands.length)];
    const first = operands.length;
    for (let draw = 0; draw < DRAWS / 10; draw++) {
      const on = dice.chance(0.8) ? first : dice.below(first);
      const method = dice.pick(METHOD_NAMES);
      const step = {
        records,
        steps: [{ on, method, args: wrongArguments(dice, method, first) }],
        results: [first + records.length],
      };
      if (!attempt(step)) return { ...program, steps: [...program.steps, step] };
    }
    return undefined;
  },

  input(dice, program) {
    const wrong = dice.pick([
      { shape: [0] },
      { shape: [2, -1] },
      { shape: 3 },
      { shape: Array(17).fill(1) },
      { shape: [2 ** 17, 2 ** 17] },
      { min: 5, max: 4 },
      { min: 0.5, max: 4 },
      { min: '0', max: 4 },
      { min: NaN, max: 4 },
      { min: 0, max: 2n ** 126n },
      { min: 0, max: 1, decimals: 37 },
      { min: 0, max: 1, decimals: -1 },
      { min: 0, max: 1, decimals: 0.5 },
      { min: 0, max: 1, kind: 'number' },
      { min: 0, max: 1, missing: 1 },
      { min: 0, max: 1, rows: 4 },
      { min: 0, max: 1, categories: 3 },
      { kind: 'real', min: 0, max: Infinity },
      { kind: 'real', min: 0, max: 1, decimals: 1 },
      { kind: 'boolean', min: 0, max: 1 },
      { kind: 'date', min: '2024-02-30', max: '2024-03-01' },
      { kind: 'date', min: 0, max: 1 },
      { kind: 'date', min: '2024-02-02', max: '2024-02-01' },
      { kind: 'category' },
      { kind: 'category', categories: 0 },
      { kind: 'category', categories: 2 ** 32 + 1 },
      { kind: 'category', categories: [] },
      { kind: 'category', categories: ['a', 'b', 'a'] },
      { kind: 'category', categories: ['a', ''] },
      { kind: 'category', categories: ['a', 'b'.repeat(257)] },
      { kind: 'category', categories: [0, 1] },
      { kind: 'category', categories: '2' },
      { kind: 'category', categories: Array.from({ length: 257 }, (_, at) => `${at}`) },
      { kind: 'category', categories: ['a', '\ud800'] },
    ]);
    const place = dice.pick(['encrypted', 'plain', 'public']);
    const name = dice.pick(['another', 'another', '', '__proto__', 'a'.repeat(257), '\ud800', program.inputs[0].name]);
    const options = name === 'another' ? { shape: [2], ...wrong } : { min: 0, max: 1 };
    return {
      ...program,
      inputs: [...program.inputs, { place, name, options, cells: 0 }],
      steps: [],
      outputs: [{ name: 'a', operand: 0 }],
    };
  },

  output(dice, program, { operands }) {
    const hidden = [...operands.keys()].filter((at) => operands[at].place === 'plain');
    const wrong = [
      [],
      [...program.outputs, program.outputs[0]],
      [{ name: '', operand: 0 }],
      [{ name: '__proto__', operand: 0 }],
      [{ name: 5, operand: 0 }],
      ...hidden.slice(-1).map((operand) => [...program.outputs, { name: 'hidden', operand }]),
    ];
    return { ...program, outputs: dice.pick(wrong) };
  },

  cells(dice, program) {
    const number = dice.below(program.inputs.length);
    const { options, cells, ...rest } = program.inputs[number];
    const wrong = wrongCells(dice, options, cells);
    return { ...program, inputs: program.inputs.with(number, { ...rest, options, cells: wrong }) };
  },

  given(dice, program) {
    if (dice.chance(0.5))
      return { ...program, surplus: { place: dice.pick(['encrypted', 'plain', 'public']), name: 'surplus' } };
    const number = dice.below(program.inputs.length);
    return { ...program, inputs: program.inputs.with(number, { ...program.inputs[number], lacking: true }) };
  },
};

function wrongCells(dice, options, cells) {
  const { kind = 'integer', shape = [], max, categories } = options;
  const flat = ArrayBuffer.isView(cells) ? Array.from(cells) : flattened(cells).cells;
  const number = typeof max === 'number' || typeof max === 'bigint';
  const bad = dice.pick([
    ...[null, undefined, NaN, 'x', {}, Infinity, true, 0.123456789, 'surely none'],
    ...(number ? [typeof max === 'bigint' ? max + 1n : max + 1, Number(max) * 10 + 1] : []),
    ...(kind === 'category' ? [categoriesIn(categories), -1, 0.5, ' north', 'toString'] : []),
    ...(kind === 'date' ? ['2024-02-30', '1900-01-01', new Date(1), 5] : []),
  ]);
  const shapes = [[cells], flat.slice(1), [...flat, flat[0]], 5, 'abc', null];
  if (dice.chance(0.25) && shape.length > 0) return dice.pick(shapes);
  return nested(shape, flat.with(dice.below(flat.length), bad));
}

/** One that the model refuses; undefined where none was drawn. */
function wrongStep(dice, operands, attempt) {
  for (let draw = 0; draw < DRAWS; draw++) {
    const method = dice.pick(METHOD_NAMES);
    const step = { on: dice.below(operands.length), method, args: wrongArguments(dice, method, operands.length) };
    if (countOf(step) === 1 && !attempt(step)) return step;
  }
  return undefined;
}

const OPERANDS = [
  'text',
  null,
  NaN,
  Infinity,
  [1, [2]],
  [1, true],
  [],
  [[]],
  new Date(5),
  [1, 2, 3, 4, 5, 6, 7],
  {},
  0.5,
  true,
  3,
  'north',
  ['north', 1],
  '2024-02-30',
];
const EDGES = [
  [],
  [1],
  [1, 1],
  [2, 1],
  [0, NaN],
  [0, '1'],
  ['2024-01-01', '2024-02-01'],
  ['2024-01-01', '2024-02-30'],
  5,
  [0, 1, 2],
  Array.from({ length: 258 }, (_, at) => at),
];
const AXES = [-1, 7, 0.5, '0', NaN];
const SHAPES = [[0], [-1], [1.5], 'x', 3, [7, 11], [2 ** 33]];

function wrongArguments(dice, method, count) {
  const operand = () =>
    dice.chance(0.06)
      ? { foreign: true }
      : dice.chance(0.7)
        ? { operand: dice.below(count) }
        : { value: dice.pick(OPERANDS) };
  const sum = () => (dice.chance(0.1) ? { value: 10n ** 40n } : operand());
  const values = (...all) => dice.pick(all).map((value) => ({ value }));
  switch (method) {
    case 'add':
    case 'sub':
    case 'multiply':
      return [sum()];
    case 'power':
      return values([0], [1.5], [1001], ['2'], [NaN], [3]);
    case 'polynomial':
      return values([[1]], [[1, 0]], [[NaN, 1]], [[1, '2']], ['x'], [[1, 2]], [Array(102).fill(1)]);
    case 'approximate':
      return [{ value: { from: -1, to: 1, coefficients: [0.5, 0.25] } }];
    case 'within':
      return values([5, 1], ['a', 1], [NaN, 1], [0, 1e-7], ['2024-01-01', '2024-02-01'], [0, 3]);
    case 'lessThan':
    case 'atMost':
    case 'greaterThan':
    case 'atLeast':
    case 'max':
    case 'min':
      return [operand(), ...values([], [{ gap: 0 }], [{ gap: -1 }], [{ gap: 0.5 }])];
    case 'counts':
      return [];
    case 'histogram':
      return [{ value: dice.pick(EDGES) }];
    case 'quantile':
      return [{ value: dice.pick([0, 1.5, -1, NaN, '0.5', 0.5, 0.5, 1]) }, { value: dice.pick(EDGES) }];
    case 'lookup':
      return [
        dice.chance(0.5) ? operand() : { value: dice.pick([[], 3, [true, false], ['a'], [1, [2]], [1], [[1, 2]]]) },
      ];
    case 'sum':
      return [{ value: dice.pick(AXES) }];
    case 'mean':
    case 'count':
      return values([], [dice.pick(AXES)], [0]);
    case 'variance':
      return values([{ of: 'all' }], [], [{ axis: dice.pick([-1, 7, 0.5, 0]) }]);
    case 'transpose':
      return values([], [[0, 0]], [[1]], [[0, 1, 2]], ['10'], [[0, NaN]], [1]);
    case 'filled':
      return values([], [0.5], [true], ['2024-02-30'], [[1]], [1e-7], [10n ** 40n], ['north'], [NaN], [null]);
    case 'covariance':
      return [operand(), ...values([{ of: 'all' }], [])];
    case 'at':
      return values([], [0, 0, 0, 0], [40], [-41], [0.5], ['0']);
    case 'slice':
      return values([0.5], [0, 0.5], [9], [3, 1], [[0, 0, 0, 0]], [NaN]);
    case 'concat':
      return [
        dice.chance(0.3) ? { operands: [dice.below(count), dice.below(count)] } : operand(),
        ...values([], [dice.pick(AXES)]),
      ];
    case 'reshape':
    case 'broadcast':
      return [{ value: dice.pick(SHAPES) }];
    case 'rotate':
      return values([0.5], [NaN], ['1'], [1, 5], [1, -1], [2 ** 60]);
    case 'select':
      return [operand(), operand()];
    default:
      return ['negate', 'square', 'sqrt', 'finish', 'not', 'present'].includes(method) ? [] : [operand()];
  }
}
