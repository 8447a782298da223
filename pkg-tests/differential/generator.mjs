/** Random programs over the whole public API, as data. */
import { Dice } from './dice.mjs';
import { NO_VALUE } from './cells.mjs';
import { randomStep, sample } from './draw-calls.mjs';
import { randomInputs } from './draw-inputs.mjs';
import { mistaken } from './mistakes.mjs';
import { spread } from './model/logic.mjs';
import { tried } from './model/predict.mjs';
import { ModelTask } from './model/task.mjs';
import { cellsIn, readBy } from './recipe.mjs';
import { cellsOf } from './shapes.mjs';

/** Share of programs with a mistake in them, which must be refused. */
const MISTAKES = 0.08;
const MOST_CELLS = 40;
const MOST_OUTPUTS = 5;
/** Draws for one step. */
const DRAWS = 40;

/** One program. The same for the same seed and index; schemes take turns. */
export function randomProgram(seed, index, mistakes = MISTAKES) {
  const dice = new Dice(seed, index);
  const scheme = index % 2 === 0 ? 'BGV' : 'CKKS';
  const limits = randomLimits(dice, scheme);
  const inputs = randomInputs(dice, scheme);
  const drawing = new Drawing(dice, inputs, limits);
  const count = Number(dice.weighted({ 2: 1, 4: 3, 8: 4, 14: 3 }));
  for (let step = 0; step < count; step++) drawing.add();
  const program = { scheme, inputs, steps: drawing.steps, outputs: drawing.outputs() };
  return dice.chance(mistakes) ? mistaken(dice, program, drawing) : program;
}

/** How deep, how large and how hard to compare values get. */
function randomLimits(dice, scheme) {
  const levels = Number(dice.weighted({ 1: 2, 2: 5, 3: 4, 5: 2, 8: 1.5 }));
  const inRow = dice.chance(0.3);
  if (scheme === 'CKKS')
    return { scheme, inRow, levels: levels + (dice.chance(0.12) ? 8 : 0), bits: 14, entries: Infinity };
  return {
    scheme,
    inRow,
    levels,
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

  constructor(dice, inputs, limits) {
    this.#dice = dice;
    this.#limits = limits;
    this.#inputs = inputs;
    const places = ['encrypted', 'plain', 'public'];
    const data = Object.assign({}, ...places.map((place) => cellsIn({ inputs }, place)));
    this.#task = new ModelTask({ scheme: limits.scheme, data });
    this.operands = inputs.map(({ place, name, options }) => this.#task.input(place, name, options));
  }

  /** One more step, if one is found. */
  add() {
    const found = this.#dice.chance(0.07) ? this.#forEach() : this.#drawn(this.operands);
    if (!found) return;
    this.steps.push(found.step);
    this.operands.push(...found.made);
  }

  /** What a step gives; undefined where it is refused. */
  try = (step, operands = this.operands) => tried(this.#task, operands, step);

  /** What is decrypted: mostly what nothing else is made of, sometimes another value, too, and no value of the server's own. */
  outputs() {
    const dice = this.#dice;
    const names = ['a', 'b', 'x', 'Ausgabe 1', '0', 'c', 'd', 'e', 'f'];
    const all = [...this.operands.keys()].filter((at) => this.operands[at].place !== 'plain');
    const read = new Set(this.steps.flatMap(readBy));
    const last = all.filter((at) => at >= this.#inputs.length && !read.has(at)).slice(-MOST_OUTPUTS);
    const chosen = new Set(last);
    if (last.length === 0 || dice.chance(0.3)) chosen.add(dice.pick(all));
    // Else nothing would be encrypted, or the task would be one of integers.
    if (![...chosen].some((at) => this.operands[at].isEncrypted)) chosen.add(0);
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
    const records = Array.from({ length: dice.between(1, 3) }, () => dice.pick(columns));
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
        // What is the same for each record is repeated, and must be complete.
        if (inside[result].rows || !inside[result].missing) results.push(result);
      }
      return {};
    };
    this.#task.forEach(given, body);
    if (results.length === 0) return undefined;
    const step = { records, steps, results };
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
    const { on, method, args } = step;
    const { scheme, levels, bits, entries } = this.#limits;
    const { cells, reach, kind, decimals, isCiphertext, finished } = value;
    // Without a value is what the client computes only: the server would have nothing to go on with.
    if (cells === NO_VALUE && !finished) return false;
    if (value.bits > 2.5 * bits) return false;
    if (!isCiphertext) return decimals < 40;
    if (value.levels > levels || reach === NO_VALUE) return false;
    // What the server has in the clear needs bounds, such as quotients by what is never 0.
    const bounded = (operand) => sample(operands[operand]).reach.every(Boolean);
    if (!step.records && !readBy(step).every(bounded)) return false;
    const most = bits - (kind === 'real' ? 0 : decimals * Math.log2(10));
    if (
      !reach.every((one) => one && [one.low, one.high].every(({ n, d }) => Math.abs(Number(n) / Number(d)) < 2 ** most))
    )
      return false;
    if (!COMPARISONS.has(method)) return true;
    return scheme === 'CKKS' || this.#differences(operands, on, args, row) <= entries;
  }

  /** How many differences two compared operands may have. */
  #differences(operands, on, [arg], row) {
    const of = (operand) => operands[operand].rows?.[row] ?? sample(operands[operand]);
    const first = of(on);
    const other = 'operand' in arg ? of(arg.operand) : this.#task.constant(arg.value);
    return spread(first, other) * 10 ** Math.max(first.decimals, other.decimals ?? 0);
  }
}

const STATISTICS = new Set(['mean', 'variance', 'covariance', 'correlation', 'regression']);
const COMPARISONS = new Set(['lessThan', 'atMost', 'greaterThan', 'atLeast', 'equals', 'max', 'min']);
