/** Random programs over the whole public API, as data. */
import { Dice } from './dice.mjs';
import { NO_VALUE } from './cells.mjs';
import { randomStep, sample } from './draw-calls.mjs';
import { MOST_DAY, randomInputs } from './draw-inputs.mjs';
import { mistaken } from './mistakes.mjs';
import { digitsOf } from './model/digits.mjs';
import { comparedDecimals, spread } from './model/logic.mjs';
import { tried } from './model/predict.mjs';
import { operandOf } from './model/constants.mjs';
import { isWhole, ModelValue } from './model/value.mjs';
import { ModelTask } from './model/task.mjs';
import { cellsIn, modelHost, readBy } from './recipe.mjs';
import { cellsOf } from './shapes.mjs';

/** Share of those of integers whose results another one takes. */
const NEXT = 0.15;
/** Share of programs with a mistake in them, which must be refused. */
const MISTAKES = 0.08;
/** Share of those of integers that draw numbers which are compared by digits. */
const WIDE = 0.35;
const WIDE_LEVELS = 13;
const MOST_CELLS = 40;
/** Bits of what is compared by digits, and of what a program can give. */
const MOST_COMPARED = 123;
const MOST_GIVEN = 50;
const MOST_OUTPUTS = 5;
/** Draws for one step. */
const DRAWS = 40;

/** One program. The same for the same seed and index; schemes take turns. */
export function randomProgram(seed, index, mistakes = MISTAKES) {
  const dice = new Dice(seed, index);
  const scheme = index % 2 === 0 ? 'BGV' : 'CKKS';
  const limits = randomLimits(dice, scheme);
  const inputs = randomInputs(dice, limits);
  const drawing = new Drawing(dice, inputs, limits);
  const count = Number(dice.weighted({ 2: 1, 4: 3, 8: 4, 14: 3 }));
  for (let step = 0; step < count; step++) drawing.add();
  drawing.addNarrow();
  const program = { scheme, inputs, steps: drawing.steps, outputs: drawing.outputs() };
  if (dice.chance(mistakes)) return mistaken(dice, program, drawing);
  return scheme === 'BGV' && dice.chance(NEXT) ? withNext(dice, program, drawing, limits) : program;
}

/** The same, and another program that takes one of its results, and some of its inputs. */
function withNext(dice, program, { operands }, limits) {
  const isTaken = ({ isCiphertext, missing, levels }) => isCiphertext && !missing && levels < limits.levels - 1;
  const outputs = program.outputs.filter(({ operand }) => isTaken(operands[operand]));
  if (outputs.length === 0) return program;
  const { name: output, operand } = dice.pick(outputs);
  const before = { [output]: operands[operand] };
  const taken = { place: 'result', name: 'taken', options: { output } };
  const shared = program.inputs.filter(({ place }) => place === 'encrypted' && dice.chance(0.7));
  const inputs = [taken, ...shared];
  const drawing = new Drawing(dice, inputs, limits, before);
  for (let step = dice.between(1, 5); step > 0; step--) drawing.add();
  return { ...program, next: { scheme: program.scheme, inputs, steps: drawing.steps, outputs: drawing.outputs() } };
}

/** How deep, how large and how hard to compare values get. */
function randomLimits(dice, scheme) {
  const levels = Number(dice.weighted({ 1: 2, 2: 5, 3: 4, 5: 2, 8: 1.5 }));
  const inRow = dice.chance(0.3);
  if (scheme === 'CKKS')
    return { scheme, inRow, levels: levels + (dice.chance(0.12) ? 8 : 0), bits: 14, entries: Infinity };
  const wide = dice.chance(WIDE);
  return {
    scheme,
    inRow,
    wide,
    levels: wide ? WIDE_LEVELS : levels,
    bits: dice.chance(0.1) ? 90 : 40,
    entries: Number(dice.weighted({ 20: 6, 100: 3, 700: 0.5 })),
  };
}

/** A program that is being drawn, with the values of the model beside it. */
class Drawing {
  #dice;
  #limits;
  #inputs;
  #task;
  operands;
  steps = [];

  constructor(dice, inputs, limits, before) {
    this.#dice = dice;
    this.#limits = limits;
    this.#inputs = inputs;
    const places = ['encrypted', 'plain', 'public'];
    const data = Object.assign({}, ...places.map((place) => cellsIn({ inputs }, place)));
    this.#task = new ModelTask({ scheme: limits.scheme, data });
    const host = modelHost(this.#task, before);
    this.operands = inputs.map(({ place, name, options }) => host.input(place, name, options));
  }

  /** One more step, if one is found. */
  add() {
    const found = this.#dice.chance(0.07) ? this.#forEach() : this.#drawn(this.operands);
    if (!found) return;
    this.steps.push(found.step);
    this.operands.push(...found.made);
  }

  /** Steps until there is a result that a program can give. */
  addNarrow() {
    for (let draw = 0; draw < DRAWS && !this.operands.some(isGiven); draw++) this.add();
  }

  /** What a step gives; undefined where it is refused. */
  try = (step, operands = this.operands) => tried(this.#task, operands, step);

  /** What is decrypted: mostly what nothing else is made of, sometimes another value, too, and no value of the server's own. */
  outputs() {
    const dice = this.#dice;
    const names = ['a', 'b', 'x', 'Ausgabe 1', '0', 'c', 'd', 'e', 'f'];
    const all = [...this.operands.keys()].filter(
      (at) =>
        this.operands[at].place !== 'plain' &&
        isWhole(this.operands[at]) &&
        !(this.#limits.wide && isWide(this.operands[at])),
    );
    const read = new Set(this.steps.flatMap(readBy));
    const last = all.filter((at) => at >= this.#inputs.length && !read.has(at)).slice(-MOST_OUTPUTS);
    const chosen = new Set(last);
    if (all.length > 0 && (last.length === 0 || dice.chance(0.3))) chosen.add(dice.pick(all));
    // Else nothing would be encrypted, or the task would be one of integers.
    if (![...chosen].some((at) => this.operands[at].isEncrypted))
      chosen.add(Math.max(0, this.operands.findIndex(isGiven)));
    const isReal = (operand) => this.operands[operand].isCiphertext && this.operands[operand].kind === 'real';
    if (this.#limits.scheme === 'CKKS' && ![...this.#read(chosen)].some(isReal)) chosen.add(0);
    const list = [...chosen].map((operand, index) => ({ name: names[index], operand }));
    // One value under two names.
    if (dice.chance(0.05)) list.push({ name: names[list.length], operand: list[0].operand });
    return list;
  }

  /** All operands that some are made of. */
  #read(operands) {
    const read = new Set(operands);
    let first = this.operands.length;
    for (const step of this.steps.toReversed()) {
      const count = step.records ? step.results.length : 1;
      first -= count;
      const needed = Array.from({ length: count }, (_, at) => first + at).some((made) => read.has(made));
      if (needed) for (const operand of readBy(step)) if (operand < first) read.add(operand);
    }
    return read;
  }

  #drawn(operands) {
    for (let draw = 0; draw < DRAWS; draw++) {
      const step = randomStep(this.#dice, operands, this.#limits);
      const made = step && this.try(step, operands);
      if (made?.every((value) => this.#isTakable(value, operands, step))) return { step, made };
    }
    return undefined;
  }

  #forEach() {
    const dice = this.#dice;
    const counts = this.operands.flatMap(({ shape }) => (shape.length > 0 && shape[0] <= 8 ? [shape[0]] : []));
    if (counts.length === 0) return undefined;
    const count = dice.pick(counts);
    const columns = [...this.operands.keys()].filter((at) => this.operands[at].shape[0] === count);
    // Without columns: all inputs that are no single values, if these have as many records.
    const inputs = [...this.#inputs.keys()].filter((at) => this.operands[at].shape.length > 0);
    const all = inputs.length > 0 && inputs.every((at) => this.operands[at].shape[0] === count) && dice.chance(0.4);
    const records = all ? inputs : Array.from({ length: dice.between(1, 3) }, () => dice.pick(columns));
    const [steps, results] = [[], []];
    const given = Object.fromEntries(records.map((operand, index) => [`c${index}`, this.operands[operand]]));
    const body = (record) => {
      const inside = [...this.operands, ...records.map((_, index) => record[`c${index}`])];
      for (let step = dice.between(1, 5); step > 0; step--) {
        const found = this.#drawn(inside);
        if (!found) continue;
        steps.push(found.step);
        inside.push(...found.made);
      }
      const last = inside.length - 1;
      const own = last - steps.length;
      const many = dice.between(1, 2);
      for (let at = 0; at < many; at++) {
        const result = at === 0 ? last : dice.between(Math.max(0, own - 1), last);
        results.push(result);
      }
      return {};
    };
    this.#task.forEach(given, body);
    if (results.length === 0) return undefined;
    const step = { records, steps, results, ...(all && { names: inputs.map((at) => this.#inputs[at].name) }) };
    const made = this.try(step);
    return made?.every((value) => this.#isTakable(value, this.operands, step)) ? { step, made } : undefined;
  }

  /** Whether a value is small enough, and one that a program of the scheme has. */
  #isTakable(value, operands, step) {
    const all = value.rows ?? [value];
    if (step.method && !this.#isOfScheme(step, operands, value)) return false;
    return (
      cellsOf(value.shape) * all.length <= MOST_CELLS &&
      all.every((one, row) => this.#isSmall(one, operands, step, row))
    );
  }

  /** In a task of integers nothing real is computed on ciphertexts; in one of reals these are not compared for equality. */
  #isOfScheme(step, operands, value) {
    const read = readBy(step).map((operand) => sample(operands[operand]));
    const hidden = read.some(({ isCiphertext }) => isCiphertext);
    if (this.#limits.scheme === 'BGV')
      return (
        !hidden ||
        (!sample(value).isCiphertext && !STATISTICS.has(step.method)) ||
        read
          .concat(sample(value))
          .every(({ kind, isCiphertext, finished }) => kind !== 'real' || (finished && !isCiphertext))
      );
    return !hidden || step.method !== 'equals' || read.every(({ kind }) => kind !== 'real');
  }

  #isSmall(value, operands, step, row) {
    const { levels, bits } = this.#limits;
    const { cells, reach, kind, decimals, isCiphertext, finished } = value;
    // Without a value is what the client computes only: the server would have nothing to go on with.
    if (cells === NO_VALUE && !finished) return false;
    if (value.bits > 2.5 * bits) return false;
    if (!step.records && !this.#isTellable(value, operands, step, row)) return false;
    if (kind === 'date' && !reach.every((one) => one && isDay(one.low) && isDay(one.high))) return false;
    if (!isCiphertext) return decimals < 40;
    if (value.allLevels > levels || reach === NO_VALUE) return false;
    // What the server has in the clear needs bounds, such as quotients by what is never 0.
    const bounded = (operand) => sample(operands[operand]).reach.every(Boolean);
    if (!step.records && !readBy(step).every(bounded)) return false;
    const units = value.factor === undefined || this.#limits.scheme === 'CKKS' ? bits : Math.max(bits, MOST_COMPARED);
    const most = units - (kind === 'real' ? 0 : decimals * Math.log2(10));
    return reach.every(
      (one) => one && [one.low, one.high].every(({ n, d }) => Math.abs(Number(n) / Number(d)) < 2 ** most),
    );
  }

  /** Whether what is compared may be: by digits, or of few differences. What is wide is only compared, or moved. */
  #isTellable(value, operands, step, row) {
    const { scheme, wide, levels } = this.#limits;
    const { method } = step;
    const compares = COMPARISONS.has(method) || TALLIES.has(method);
    if (TALLIES.has(method) && value.levels > levels) return false;
    if (
      wide &&
      !compares &&
      method !== 'present' &&
      value.factor === undefined &&
      readBy(step).some((at) => isWide(operands[at]))
    )
      return false;
    if (wide && value.finished && !compares && readBy(step).some((at) => isWide(operands[at]))) return false;
    return (
      !compares || scheme === 'CKKS' || this.#compared(operands, step, row).every((pair) => this.#isCheap(...pair))
    );
  }

  #isCheap(first, given, isEquality) {
    const other = given instanceof ModelValue ? given : operandOf(first, given);
    if (!first.isCiphertext && !other.isCiphertext) return true;
    const decimals = comparedDecimals(first, given, other);
    if (digitsOf(first, other, decimals, isEquality)) return true;
    return spread(first, other) * 10 ** Math.max(first.decimals, other.decimals ?? 0) <= this.#limits.entries;
  }

  /** What a step compares, as a call takes it: a value, another or constants, and whether for equality. */
  #compared(operands, { on, method, args }, row) {
    const of = (operand) => operands[operand].rows?.[row] ?? sample(operands[operand]);
    const first = of(on);
    const [arg] = args;
    if (COMPARISONS.has(method)) return [[first, 'operand' in arg ? of(arg.operand) : arg.value, method === 'equals']];
    if (method === 'histogram' || method === 'quantile')
      return args.find((one) => Array.isArray(one.value)).value.map((edge) => [first, edge, false]);
    if (method === 'lookup' && first.kind === 'integer') {
      const count = 'operand' in arg ? of(arg.operand).shape[0] : arg.value.length;
      return [[first, [...Array(count).keys()], true]];
    }
    return [];
  }
}

const isDay = ({ n, d }) => Math.abs(Number(n / d)) <= MOST_DAY;

/** Whether its integers are too long to be given, or computed with. */
function isWide(operand) {
  const { isCiphertext, reach, kind, decimals } = sample(operand);
  if (!isCiphertext || kind === 'real') return false;
  const units = ({ n, d }) => Math.abs(Number(n) / Number(d)) * 10 ** decimals;
  return (
    !Array.isArray(reach) ||
    reach.some((one) => one && [one.low, one.high].some((end) => units(end) >= 2 ** MOST_GIVEN))
  );
}

/** Whether a program can give it, encrypted. */
function isGiven(operand) {
  return sample(operand).isEncrypted && isWhole(sample(operand)) && !isWide(operand);
}

const TALLIES = new Set(['counts', 'histogram', 'quantile', 'lookup']);
const STATISTICS = new Set(['mean', 'variance', 'covariance', 'correlation', 'regression']);
const COMPARISONS = new Set(['lessThan', 'atMost', 'greaterThan', 'atLeast', 'equals', 'max', 'min']);
