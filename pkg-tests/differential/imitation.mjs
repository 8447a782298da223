/** What a package without faults would give of a program: from the model, in the form in which the package gives it. For tests of the comparison. */
import { NO_VALUE } from './cells.mjs';
import { nearest, ofDouble, powerOfTen } from './fraction.mjs';
import { countOf, namesOf, readBound } from './model/data.mjs';
import { predict, predictNext } from './model/predict.mjs';
import { exchanged, pairOf } from './recipe.mjs';
import { nested } from './shapes.mjs';

const DAY_MS = 86_400_000;
/** What is told of ciphertexts. */
export const PROMISED = { level: 1, budgetBits: 10, errorBits: -16 };

/** As what `run` of subject.mjs gives. */
export function imitated({ UndefinedStatisticError }, program) {
  const { scheme } = program;
  const isReal = scheme === 'CKKS';
  const off = isReal ? ofDouble(2 ** PROMISED.errorBits) : undefined;
  const { refusal, outputs, trace } = predict(program, off);
  if (refusal) return { refusal: { step: refusal.step, error: new Error(refusal.codes.join()) }, trace };
  const info = infoOf(program, outputs);
  const details = detailsOf(UndefinedStatisticError, isReal, outputs);
  const found = { info, trace, details, short: shortOf(details), inputs: {}, results: {} };
  const pair = pairOf(program);
  if (pair) {
    const other = predict(exchanged(program, pair), off);
    found.exchanged = { details: detailsOf(UndefinedStatisticError, isReal, other.outputs) };
  }
  if (program.next) {
    const next = predictNext(program, outputs);
    const infos = [info, infoOf(program.next, next.outputs)];
    found.passed = { infos, details: detailsOf(UndefinedStatisticError, isReal, next.outputs) };
  }
  return found;
}

/** As what `decryptDetails` gives. */
function detailsOf(UndefinedStatisticError, isReal, outputs) {
  const details = {};
  for (const { name, value } of outputs) {
    const budgetBits = isReal ? undefined : value.isCiphertext ? PROMISED.budgetBits + 1 : Infinity;
    const problem =
      value.cells === NO_VALUE ? new UndefinedStatisticError('statistic.undefined', 'no value') : undefined;
    details[name] = { value: problem ? undefined : decrypted(value), problem, budgetBits };
  }
  return details;
}

/** `decrypt` beside `decryptDetails`. */
export function shortOf(details) {
  const problem = Object.values(details).find(({ problem }) => problem)?.problem;
  if (problem) return { problem };
  const plain = (one) => (Array.isArray(one) ? one.map(plain) : one instanceof DecimalLike ? one.toNumber() : one);
  return Object.fromEntries(Object.entries(details).map(([name, { value }]) => [name, plain(value)]));
}

/** A decimal as the package has them. */
class DecimalLike {
  constructor(units, decimals) {
    Object.assign(this, { units, decimals });
  }

  toNumber() {
    return nearest({ n: this.units, d: powerOfTen(this.decimals) });
  }

  toString() {
    const digits = `${this.units < 0n ? -this.units : this.units}`.padStart(this.decimals + 1, '0');
    const fraction = this.decimals > 0 ? `.${digits.slice(-this.decimals)}` : '';
    return `${this.units < 0n ? '-' : ''}${digits.slice(0, digits.length - this.decimals)}${fraction}`;
  }

  toJSON() {
    return this.toString();
  }
}

function decrypted({ kind, shape, decimals, names, views: [{ cells, present }] }) {
  const one = (cell, at) => {
    if (present && present[at].low.n === 0n) return null;
    // Where several are right, the first.
    const { n, d } = cell ? cell.low : { n: 0n, d: 1n };
    if (kind === 'real') return nearest({ n, d });
    const units = kind === 'integer' ? (n * powerOfTen(decimals)) / d : n;
    if (kind === 'integer') return new DecimalLike(units, decimals);
    return { boolean: units === 1n, date: new Date(Number(units) * DAY_MS), category: names?.[units] ?? Number(units) }[
      kind
    ];
  };
  return nested(shape, cells.map(one));
}

function infoOf({ scheme, inputs }, outputs) {
  const typed = ({ kind = 'integer', shape = [], decimals = 0, missing = false, categories, names }, place) => ({
    kind,
    shape,
    place,
    decimals,
    missing,
    categories: countOf(categories),
    names: names ?? namesOf(categories),
  });
  const bound = (options, value) => {
    if (value === undefined) return undefined;
    const { n, d } = readBound(options, value);
    if (options.kind === 'date') return new Date(Number(n) * DAY_MS);
    return options.kind === 'real'
      ? nearest({ n, d })
      : new DecimalLike((n * powerOfTen(options.decimals)) / d, options.decimals);
  };
  return {
    scheme,
    totalBits: 1,
    maxTotalBits: 1,
    inputs: inputs.map(({ place, name, options }) => {
      const own = { kind: 'integer', decimals: 0, ...options };
      return { name, ...typed(options, place), min: bound(own, options.min), max: bound(own, options.max) };
    }),
    outputs: outputs.map(({ name, value }) => ({ name, ...typed(value, value.place) })),
    ciphertexts: [
      { values: outputs.map(({ name }) => name), ...PROMISED, ...(scheme === 'BGV' && { errorBits: undefined }) },
    ],
  };
}
