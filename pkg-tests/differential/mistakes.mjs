/** Programs that must be refused: one thing in them made wrong. */

/** A program with a mistake in it, or itself where none of the kind can be made in it. */
export function mistaken(dice, program) {
  const copy = { ...program, inputs: program.inputs.map((input) => ({ ...input })), nodes: [...program.nodes] };
  return dice.pick([declaration, name, output, call, call, values, values, columns])(dice, copy);
}

function declaration(dice, program) {
  const input = dice.pick(program.inputs);
  const { decimals = 0 } = input.options;
  const wrong = dice.pick([
    { rows: dice.pick([0, -1, 2.5, 2 ** 24 + 1, NaN]) },
    { rows: 2 ** 14 + 1, layout: 'slots', rings: 1, missing: false },
    { rows: dice.pick([2 ** 15 + 2, 2 * dice.below(50) + 1]), layout: 'slots', rings: 2, missing: false },
    { layout: 'slots', rings: dice.pick([0, 3, 1.5]), missing: false },
    { layout: 'column', rings: dice.pick([1, 2, 2]) },
    { layout: 'slots', missing: true },
    { layout: dice.pick(['rows', 'Slots', 'toString', '']) },
    { missing: dice.pick(['yes', 1, 0]) },
    { decimals: dice.pick([19, -1, 0.5, NaN]) },
    { min: 5, max: 4 },
    { max: dice.pick([NaN, Infinity, 10 ** -(decimals + 1)]) },
    { min: -(2n ** 62n), max: 1 },
    { min: 0, max: dice.pick([2n ** 62n, 2n ** 70n, 1e300]) },
    { scale: 2 },
  ]);
  input.options = { ...input.options, ...wrong };
  return program;
}

function name(dice, program) {
  const list = dice.pick(['inputs', 'outputs']);
  program[list] = program[list].map((one) => ({ ...one }));
  const [first] = program[list];
  if (dice.chance(0.5)) dice.pick(program[list]).name = dice.pick(['', '__proto__']);
  else program[list] = [...program[list], { ...first }];
  if (dice.chance(0.1)) program.outputs = [];
  return program;
}

/** One more call, which is output, too. */
function call(dice, program) {
  const on = dice.below(program.inputs.length);
  const { rows } = program.inputs[on].options;
  const other = dice.below(program.inputs.length);
  const statistic = program.nodes.findIndex(({ method }) => method === 'mean');
  const byRows = dice.pick(['add', 'sub', 'multiply']);
  const nodes = [
    { method: byRows, args: [{ foreign: true }] },
    { method: dice.pick(['covariance', 'correlation']), args: [{ foreign: true }] },
    { method: byRows, args: [{ value: dice.pick([NaN, Infinity, -Infinity]) }] },
    { method: byRows, args: [{ value: dice.pick(['3', '', true, null, undefined]) }] },
    { method: byRows, args: [{ value: Array(rows + dice.pick([-1, 1])).fill(1) }] },
    { method: byRows, args: [{ value: Array(rows).fill(dice.pick([NaN, null, undefined, Infinity, '1'])) }] },
    { method: byRows, args: [{ value: dice.pick([2n ** 126n, -(2n ** 127n), 1e300]) }] },
    {
      method: byRows,
      args: [
        {
          value: Array(rows)
            .fill(1)
            .with(-1, 10n ** 40n),
        },
      ],
    },
    { method: byRows, args: [{ operand: other }] },
    { method: dice.pick(['covariance', 'correlation']), args: [{ operand: other }] },
    { method: 'rotateRows', args: [{ value: dice.pick([1.5, NaN, Infinity, 2 ** 60, '1', 1n]) }] },
    { method: 'rotateColumns', args: [] },
    { method: 'variance', args: [{ value: { divisor: 1 } }] },
    ...(statistic < 0 ? [] : [{ method: 'add', args: [{ operand: program.inputs.length + statistic }] }]),
  ];
  const operand = program.inputs.length + program.nodes.length;
  program.nodes.push({ on, ...dice.pick(nodes) });
  program.outputs = [...program.outputs, { name: 'one more', operand }];
  return program;
}

/** An input as an output, which must not have missing rows. */
function output(dice, program) {
  const operand = program.inputs.findIndex(({ options }) => options.missing);
  if (operand >= 0) program.outputs = [...program.outputs, { name: 'with holes', operand }];
  return program;
}

/** A column too few, or too many. */
function columns(dice, program) {
  if (dice.chance(0.5)) return { ...program, lacking: dice.below(program.inputs.length) };
  return { ...program, surplus: 'nobody' };
}

function values(dice, program) {
  const input = dice.pick(program.inputs);
  const { min, max, decimals = 0 } = input.options;
  const list = Array.from(input.values);
  const outside = (bound, step) => (typeof bound === 'bigint' ? bound + BigInt(step) : bound + step);
  const wrong = dice.pick([
    outside(max, 1),
    outside(min, -1),
    2n ** 62n,
    Infinity,
    -Infinity,
    null,
    undefined,
    NaN,
    '1',
    true,
    Number(`${typeof min === 'bigint' ? 0 : Math.trunc(min)}.${'0'.repeat(decimals)}1`),
  ]);
  list[dice.below(list.length)] = wrong;
  input.values = dice.chance(0.15) ? dice.pick([list.slice(1), [...list, max]]) : list;
  return program;
}
