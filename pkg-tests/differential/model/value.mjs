/**
 * Values of the model: types, who computes them, and cells. There are two views of the cells of each value: what they are of the data that were given, and
 * what they may be by the bounds of inputs.
 */
import { NO_VALUE, NOUGHT, widened } from '../cells.mjs';
import { cellsOf, nested, repeated, sameShape } from '../shapes.mjs';
import { masksOf, otherMasks, placeOf, present, presentIn, surelyMissing } from './gaps.mjs';

const PLACES = ['public', 'plain', 'encrypted'];
const HALVES = ['either', 'server', 'client'];
const MOST_DECIMALS = 1000;

/** Beside codes: or not refused at all, as where an input in the clear is not given that nothing needs. */
export const ACCEPTED = 'accepted';

/** What the package must refuse, with one of these codes: there is one for each rule that is broken. */
export class Refusal extends Error {
  constructor(...codes) {
    super(`refused: ${codes.join(', ')}`);
    this.codes = codes;
  }
}

/** Collects the codes of broken rules. */
export class Rules {
  #codes = new Set();

  broken(isBroken, code) {
    if (isBroken) this.#codes.add(code);
    return this;
  }

  /** Errors: Refusal if any was broken. */
  end() {
    if (this.#codes.size > 0) throw new Refusal(...this.#codes);
  }
}

/**
 * A value. `half`: who computes it. `record`: those that it is a value of one of. `levels`: about how many products of ciphertexts follow one another. `ofDoubles`: made of reals that were given.
 * `factor`: what units of an input its own are multiples of, where it is an input, or known, and was only moved, multiplied with known numbers and added to such; undefined for anything else.
 * `masks`: what tells which cells are there, of one with missing cells (gaps.mjs); `declared`: it is an input with such, or cells of one, moved.
 */
export class ModelValue {
  constructor(task, type, how) {
    const { half, views, levels = 0, bits = 0, record, constant = false, ofDoubles = false, factor } = how;
    Object.assign(this, { decimals: 0, missing: false, categories: undefined, names: undefined }, type);
    Object.assign(this, { task, half, views, levels, bits, record, constant, ofDoubles, factor });
    Object.assign(this, { masks: how.masks ?? [], declared: how.declared ?? false });
  }

  get finished() {
    return this.half === 'client';
  }

  get isNumber() {
    return ['integer', 'real', 'boolean'].includes(this.kind);
  }

  get isEncrypted() {
    return this.place === 'encrypted';
  }

  /** Whether a server computes it on ciphertexts. */
  get isCiphertext() {
    return this.isEncrypted && this.half === 'server';
  }

  /** With what tells which cells are there. */
  get allLevels() {
    return this.missing ? Math.max(this.levels, ...this.masks.map(({ levels }) => levels)) + 1 : this.levels;
  }

  get cells() {
    return this.views[0].cells;
  }

  get reach() {
    return this.views[1].cells;
  }

  /** Cells as arrays in arrays; undefined for a missing one. */
  nested() {
    const [view] = this.views;
    return nested(
      this.shape,
      view.cells.map((cell, at) => (surelyMissing(view, at) ? undefined : cell)),
    );
  }
}

export function mostHidden(values) {
  return PLACES[Math.max(0, ...values.map(({ place }) => PLACES.indexOf(place)))];
}

/**
 * What an operation gives. `finishes`: no scheme computes it; `statistic`: of sums, which are single; `shape`: in which what is beside each other is read, where
 * that is another one than operands have. `compute` makes cells of the views of the operands, `there` what is there of them, as `masks` tell; without these all of it is.
 */
export function operation(
  rules,
  inputs,
  type,
  { compute, there, masks, declared, levels = 0, bits = 0, factor, ...how },
) {
  const place = type.place ?? mostHidden(inputs);
  const half = place === 'public' ? 'either' : halfOf(rules, inputs, how);
  rules.broken((type.decimals ?? 0) > MOST_DECIMALS, 'operator.invalid');
  rules.end();
  const [{ task }] = inputs;
  const crosses = half === 'client' && !how.statistic;
  const views = [0, 1].map((number) => {
    const read = inputs.map((input) => (crosses && number === 0 ? crossed(input) : input.views[number]));
    const gaps = there && { present: there(...read, number) };
    if (read.some(({ cells }) => cells === NO_VALUE)) return { cells: NO_VALUE, ...gaps };
    const cells = compute(...read, number);
    if (!cells.includes(NO_VALUE)) return { cells, ...gaps };
    return { cells: number === 0 ? NO_VALUE : cells.map((cell) => (cell === NO_VALUE ? undefined : cell)), ...gaps };
  });
  const deepest = Math.max(0, ...inputs.map((input) => (input.isEncrypted ? input.levels : 0)));
  const record = inputs.find((input) => input.record)?.record;
  const ofDoubles = inputs.some((input) => input.ofDoubles);
  const made = { half, views, bits, record, ofDoubles, factor, masks, declared, levels: deepest + levels };
  return new ModelValue(task, { ...type, place, missing: there !== undefined }, made);
}

/** Who computes: whoever reads something is at least where that is. */
function halfOf(rules, inputs, { finishes = false, statistic = false, shape }) {
  const encrypted = inputs.some((input) => input.isEncrypted);
  const read = HALVES[Math.max(...inputs.map(({ half }) => HALVES.indexOf(half)))];
  const half = encrypted && finishes ? 'client' : read;
  if (half !== 'client' || (statistic && read !== 'client')) return half;
  const inRecord = inputs.some(({ record }) => record);
  for (const input of inputs.filter((input) => input.half === 'server')) {
    const isSingle = (shape ?? input.shape).length === 0 && !inRecord;
    rules.broken(!input.isEncrypted || !isSingle, 'operator.invalid');
  }
  return half;
}

/** What the client reads of the server's: reals are off by a little under CKKS. */
function crossed(input) {
  const [view] = input.views;
  const off = input.half === 'server' && input.kind === 'real' ? input.task.off : undefined;
  return off && view.cells !== NO_VALUE ? { ...view, cells: view.cells.map((cell) => widened(cell, off)) } : view;
}

/** One cell of each operand after the other, in a shape that they broadcast to: missing where one of them is, unless `known`, of each cell and whether it is there, and `masks` say otherwise. */
export function elementwise(rules, inputs, type, { of, known, masks, ...how }) {
  const { shape } = type;
  // What is refused has no shape to broadcast to.
  if (shape === undefined) return rules.end();
  const from = inputs.map((input) => repeated(input.shape, shape));
  const each = (make) => Array.from({ length: cellsOf(shape) }, (_, at) => make(at));
  const missing = inputs.some((input) => input.missing);
  const all = (...views) => {
    const told = (at) => views.slice(0, -1).map((view, k) => presentIn(view, from[k][at]));
    if (!known) return each((at) => present(...told(at)));
    return each((at) => known(...told(at).map((is, k) => [cellIn(views[k], from[k][at]), is])));
  };
  const compute = (...views) => {
    const number = views.at(-1);
    const gaps = missing ? all(...views) : undefined;
    return each((at) =>
      surelyMissing({ present: gaps }, at)
        ? NOUGHT
        : of(...views.slice(0, -1).map(({ cells }, k) => cells[from[k][at]]), number),
    );
  };
  const repeats = (input) => (sameShape(input.shape, shape) ? input.masks : otherMasks(input.masks));
  return operation(rules, inputs, type, {
    ...how,
    ...(missing && { there: all, masks: masks ?? masksOf(...inputs.map(repeats)) }),
    compute,
    shape,
  });
}

/** Of what has no value anything. */
const cellIn = ({ cells }, at) => (cells === NO_VALUE ? undefined : cells[at]);

/** Whether the client has the cells, and the server keeps which ones are there: who reads both is nobody. */
export function isKept({ missing, half, masks }) {
  return missing && half === 'client' && masks.some((one) => one.half === 'server' && one.place === 'plain');
}

/** Whether a value can be had as a whole, with which cells are there: not where the server alone knows that of what is encrypted. */
export function isWhole(value) {
  return !value.missing || !value.isEncrypted || placeOf(value.masks) !== 'plain';
}

/** About how many levels a product costs. */
export function productLevels(inputs) {
  const many = inputs.filter((input) => input.isCiphertext).length;
  return many > 1 ? 1 : many === 1 ? 0.5 : 0;
}
