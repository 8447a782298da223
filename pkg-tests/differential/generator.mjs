/** Random programs over the whole public API, as data: rules.mjs says what they are made of. */
import { Dice } from './dice.mjs';
import { fraction } from './fraction.mjs';
import { sureDimension } from './limits.mjs';
import { mistaken } from './mistakes.mjs';
import { OF_ONE, OF_TWO, sizeOf, study, studyCall } from './rules.mjs';

/** Share of programs with a mistake in them, which must be refused. */
const MISTAKES = 0.06;
/** Share of programs whose values may grow as they like: many of these are refused. */
const UNBOUNDED = 0.04;
const NAMES = [
  'a',
  'b',
  'x y',
  'Größe',
  '0',
  'constructor',
  'toString',
  'a'.repeat(70),
  '數',
  'a"b\\',
  '.',
  '-1',
  'length',
  '\u{1f9ee}',
];

/** One program: `{ inputs, nodes, outputs }`. The same for the same seed and index. */
export function randomProgram(seed, index) {
  const dice = new Dice(seed, index);
  const shapes = Array.from({ length: dice.chance(0.15) ? 2 : 1 }, () => shape(dice));
  const inputs = Array.from({ length: 1 + Number(dice.weighted({ 0: 4, 1: 5, 2: 2, 3: 1 })) }, () =>
    input(dice, dice.pick(shapes)),
  );
  named(dice, inputs);
  const nodes = randomNodes(dice, inputs);
  const program = { inputs, nodes, outputs: outputs(dice, inputs, nodes) };
  return dice.chance(MISTAKES) ? mistaken(dice, program) : program;
}

/** How some programs of one task are run: mostly the straight way. */
export function randomJourney(seed, index, programs) {
  const dice = new Dice(seed ^ 0x5eed, index);
  return {
    compile: {
      ...(dice.chance(0.5) && { n: dimension(dice, programs) }),
      ...(dice.chance(0.1) && { security: dice.pick(['guidelines-2024', 'standard-2018']) }),
    },
    reopened: dice.chance(0.15),
    again: dice.chance(0.1),
    restored: dice.weighted({ no: 8, 'same keys': 1, 'new keys': 1, 'to decrypt': 1 }),
    apart: dice.chance(0.15),
  };
}

/** One that is large enough, or just any: many of those are refused. */
function dimension(dice, programs) {
  const sure = sureDimension(programs.flatMap((program) => study(program).outputs));
  if (sure && dice.chance(0.9)) return sure;
  return Number(dice.weighted({ 2048: 3, 4096: 4, 8192: 4, 16384: 1, 32768: 0.2 }));
}

function shape(dice) {
  if (dice.chance(0.55)) return { rows: someRows(dice), layout: 'column' };
  const rings = dice.pick([1, 2]);
  // One chunk at most, and few of these are as long as that.
  return { rows: rings * Math.min(someRows(dice), 1024), layout: 'slots', rings };
}

function someRows(dice) {
  const most = { one: 1, few: 4, some: 40, hundreds: 400, thousands: 3000, chunks: 9000 };
  return dice.between(1, most[dice.weighted({ one: 6, few: 30, some: 50, hundreds: 10, thousands: 1.5, chunks: 0.3 })]);
}

function input(dice, { rows, layout, rings }) {
  const options = { rows, ...limits(dice) };
  if (layout === 'slots') Object.assign(options, { layout, ...((rings === 2 || dice.chance(0.3)) && { rings }) });
  else if (dice.chance(0.1)) options.layout = layout;
  if (layout === 'column' && dice.chance(0.3)) options.missing = true;
  else if (dice.chance(0.05)) options.missing = false;
  return { options, values: values(dice, options) };
}

/** Decimals and bounds: in units first, most of few digits. */
function limits(dice) {
  const decimals = Number(dice.weighted({ 0: 10, 1: 3, 2: 4, 3: 2, 6: 1, 12: 0.5, 18: 0.5 }));
  const digits = Number(dice.weighted({ 0: 1, 1: 8, 2: 8, 3: 6, 5: 3, 9: 1, 15: 0.5 }));
  const [a, b] = [someUnits(dice, digits), someUnits(dice, digits)];
  const [low, high] = a < b ? [a, b] : [b, a];
  const bounds = { nonnegative: [0n, high < 0n ? -low : high], any: [low, high], constant: [low, low] };
  const chosen = bounds[dice.weighted({ nonnegative: 4, any: 6, constant: 0.4 })].map((units) =>
    numberOf(dice, units, decimals),
  );
  const [min, max] = chosen[0] > chosen[1] ? chosen.reverse() : chosen;
  return { min, max, ...((decimals > 0 || dice.chance(0.1)) && { decimals }) };
}

function someUnits(dice, digits) {
  const largest = 10n ** BigInt(digits) - 1n;
  return dice.chance(0.03) && digits === 15
    ? dice.pick([1n, -1n]) * (2n ** 62n - 1n - dice.bigBetween(0n, 3n) ** 15n)
    : dice.bigBetween(-largest, largest);
}

/**
 * A number that stands for exactly so many units: 15 digits always come back from a double; what has more is a bigint
 * if it is whole, and else loses its last digits.
 */
function numberOf(dice, units, decimals) {
  const scale = 10n ** BigInt(decimals);
  const whole = units / scale;
  const asDouble = Number(whole);
  if (whole * scale === units) return !Number.isSafeInteger(asDouble) || dice.chance(0.1) ? whole : asDouble;
  const short = `${units}`.length > 15 ? (units / 10n ** 5n) * 10n ** 5n : units;
  return Number(`${short}e-${decimals}`);
}

function values(dice, { rows, min, max, decimals = 0, missing }) {
  const scale = 10n ** BigInt(decimals);
  const [low, high] = [min, max].map((bound) => {
    const { n, d } = fraction(bound);
    return (n * scale) / d;
  });
  const kinds = { spread: 8, extremes: 2, constant: 1, zero: 0.5 };
  const kind = dice.weighted(kinds);
  const constant = dice.bigBetween(low, high);
  const absent = missing ? dice.pick([0, 0.1, 0.5, 0.95, 1]) : 0;
  const one = () => {
    if (dice.chance(absent)) return dice.pick([null, undefined, NaN]);
    const extreme = kind === 'extremes' || dice.chance(0.05);
    const units = kind === 'constant' ? constant : extreme ? dice.pick([low, high]) : dice.bigBetween(low, high);
    if (units === low) return min;
    if (units === high) return max;
    return inside(numberOf(dice, kind === 'zero' && low <= 0n && high >= 0n ? 0n : units, decimals), min, max, dice);
  };
  return inArray(dice, Array.from({ length: rows }, one));
}

/** Less digits may lead out of narrow bounds. And zero has two signs. */
function inside(value, min, max, dice) {
  if (value === 0 && dice.chance(0.2)) return -0;
  return value < min ? min : value > max ? max : value;
}

/** Sometimes a typed array, where the values fit into one. */
function inArray(dice, list) {
  if (dice.chance(0.8)) return list;
  if (list.every((value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value))
    return BigInt64Array.from(list);
  if (list.every((value) => Number.isInteger(value) && !Object.is(value, -0) && value === (value | 0)))
    return Int32Array.from(list);
  if (list.every((value) => typeof value === 'number')) return Float64Array.from(list);
  return list;
}

function named(dice, list) {
  const free = [...NAMES];
  for (const one of list) [one.name] = free.splice(dice.chance(0.6) ? 0 : dice.below(free.length), 1);
}

function randomNodes(dice, inputs) {
  const largest = dice.chance(UNBOUNDED) ? 2n ** 200n : 2n ** BigInt(dice.pick([24, 40, 50, 60, 60, 90]));
  const deepest = dice.pick([1, 1, 2, 2, 3, 4]);
  const nodes = [];
  const count = 1 + dice.below(dice.weighted({ short: 8, long: 2 }) === 'long' ? 16 : 6);
  const { facts } = study({ inputs, nodes, outputs: [] });
  for (let tries = 0; nodes.length < count && tries < 4 * count; tries++) {
    const node = randomNode(dice, facts);
    if (!node) continue;
    const { fact } = studyCall(facts, node);
    if (!fact || sizeOf(fact) >= largest || (fact.levels > deepest && largest < 2n ** 100n)) continue;
    nodes.push(node);
    facts.push(fact);
  }
  if (nodes.length === 0) nodes.push({ on: 0, method: 'count', args: [] });
  return nodes;
}

/** A call on an operand, if one is possible there. */
function randomNode(dice, facts) {
  const on = late(dice, facts.length);
  const column = facts[on];
  if (column.kind !== 'column') return null;
  const byRows = column.missing ? 0 : 1;
  const slots = column.layout === 'slots' ? byRows : 0;
  const method = dice.weighted({
    ...Object.fromEntries(OF_ONE.map((name) => [name, name === 'count' ? 0.2 : 0.6])),
    ...Object.fromEntries(OF_TWO.map((name) => [name, 0.6])),
    add: 2 * byRows,
    sub: 2 * byRows,
    multiply: 4 * byRows,
    negate: 0.7 * byRows,
    rotateRows: 4 * slots,
    rotateColumns: column.rings === 2 ? 1.5 * slots : 0,
  });
  const population = () =>
    dice.chance(0.5) ? [{ value: dice.chance(0.7) ? { population: true } : { population: false } }] : [];
  switch (method) {
    case 'rotateRows':
      return { on, method, args: [{ value: steps(dice, column) }] };
    case 'variance':
      return { on, method, args: population() };
    case 'covariance':
      return { on, method, args: [mate(dice, facts, on), ...population()] };
    case 'correlation':
      return { on, method, args: [mate(dice, facts, on)] };
    case 'add':
    case 'sub':
    case 'multiply':
      return {
        on,
        method,
        args: [
          dice.chance(method === 'multiply' ? 0.3 : 0.5)
            ? { value: plain(dice, column.rows) }
            : mate(dice, facts, on, false),
        ],
      };
    default:
      return { on, method, args: [] };
  }
}

/** Late ones more often, so that programs are deep. */
function late(dice, length) {
  return dice.chance(0.3) ? dice.below(length) : Math.max(dice.below(length), dice.below(length));
}

/** A column of the same shape: the operand itself, if there is no other. */
function mate(dice, facts, on, missing = true) {
  const { rows, layout, rings } = facts[on];
  const fits = facts.flatMap((other, operand) => {
    const same = other.kind === 'column' && other.rows === rows && other.layout === layout && other.rings === rings;
    return same && (missing || !other.missing) ? [operand] : [];
  });
  return { operand: fits[late(dice, fits.length)] };
}

function steps(dice, { rows, rings }) {
  const length = rows / rings;
  const most = { near: 3, ring: length + 2, far: 40_000, any: Number.MAX_SAFE_INTEGER };
  const size = dice.below(most[dice.weighted({ near: 5, ring: 6, far: 1, any: 0.5 })] + 1);
  return dice.chance(0.4) ? -size : size;
}

function plain(dice, rows) {
  const decimals = Number(dice.weighted({ 0: 8, 1: 3, 2: 2, 4: 1, 9: 0.3, 20: 0.1 }));
  const digits = Number(dice.weighted({ 1: 8, 2: 5, 4: 2, 9: 0.7, 15: 0.3, 19: 0.2 }));
  const kind = dice.weighted({ any: 8, zero: 0.5, unit: 1, constant: 1 });
  const same = someUnits(dice, digits);
  const one = () => {
    const units = {
      any: () => someUnits(dice, digits),
      zero: () => 0n,
      unit: () => dice.pick([1n, -1n]),
      constant: () => same,
    }[kind]();
    return inside(numberOf(dice, units, decimals), -Infinity, Infinity, dice);
  };
  return dice.chance(0.55) ? one() : inArray(dice, Array.from({ length: rows }, one));
}

/** What nobody uses, and some of the rest. */
function outputs(dice, inputs, nodes) {
  const used = new Set(nodes.flatMap(({ on, args }) => [on, ...args.map(({ operand }) => operand)]));
  const all = Array.from({ length: inputs.length + nodes.length }, (_, operand) => operand);
  const chosen = all.filter(
    (operand) =>
      !inputs[operand]?.options.missing &&
      (used.has(operand) || operand < inputs.length ? dice.chance(0.1) : dice.chance(0.85)),
  );
  if (chosen.length === 0) chosen.push(all.at(-1));
  // The same expression may be two outputs.
  if (dice.chance(0.05)) chosen.push(dice.pick(chosen));
  const made = chosen.map((operand) => ({ operand }));
  named(dice, made.slice(0, NAMES.length));
  return made.slice(0, NAMES.length);
}
