/** A task of the model: what is called on it and on its values, as the package documents it. */
import { NO_VALUE } from '../cells.mjs';
import { cellsOf, isShape } from '../shapes.mjs';
import { ARITHMETIC } from './arithmetic.mjs';
import { constant, COUNTED } from './constants.mjs';
import { boundsOf, countOf, namesOf, readBound, readCells } from './data.mjs';
import { mask, otherMasks } from './gaps.mjs';
import { LOGIC } from './logic.mjs';
import { MOVES } from './moves.mjs';
import { SUMS } from './sums.mjs';
import { TALLIES } from './tallies.mjs';
import { isWhole, ModelValue, Refusal, Rules } from './value.mjs';

const METHODS = { ...ARITHMETIC, ...LOGIC, ...SUMS, ...MOVES, ...TALLIES };
export const METHOD_NAMES = Object.keys(METHODS);

/** Options that only these kinds have. */
const OWN = {
  min: ['integer', 'real', 'date'],
  max: ['integer', 'real', 'date'],
  decimals: ['integer'],
  categories: ['category'],
};
const KINDS = ['integer', 'real', 'boolean', 'date', 'category'];
const MOST_UNITS = 2n ** 126n - 1n;

/** A value of each of some records, one for each. */
class RecordValue {
  constructor(records, rows) {
    this.records = records;
    this.rows = rows;
  }
}

for (const name of ['kind', 'shape', 'place', 'decimals', 'missing', 'categories', 'names', 'finished']) {
  Object.defineProperty(RecordValue.prototype, name, {
    get() {
      return this.rows[0][name];
    },
  });
}

/** See above. `data`: the cells of inputs by name; `scheme` and `off`: of the program, and what its reals may be off by. */
export class ModelTask {
  #inputs = new Map();
  #data;
  outputs = [];

  constructor({ scheme = 'BGV', data = {}, off, unencrypted = false } = {}) {
    this.scheme = scheme;
    this.unencrypted = unencrypted;
    this.off = off;
    this.#data = data;
  }

  input(place, name, options) {
    checkName(name, this.#inputs.has(name));
    checkOptions(options);
    const { kind = 'integer', shape = [], decimals = 0, missing = false } = options;
    const [categories, names] = [countOf(options.categories), namesOf(options.categories)];
    const reach = boundsOf(options);
    const read = Object.hasOwn(this.#data, name) ? readCells({ ...options, kind }, this.#data[name]) : {};
    const type = { kind, shape, place, decimals, missing, categories, names };
    const half = place === 'public' ? 'either' : 'server';
    const views = [read.cells ? read : reach, reach];
    const factor = COUNTED.includes(kind) ? 1n : undefined;
    const masks = missing ? [mask(place, half)] : [];
    const made = new ModelValue(this, type, {
      half,
      views,
      ofDoubles: kind === 'real',
      factor,
      masks,
      declared: missing,
    });
    this.#inputs.set(name, made);
    return made;
  }

  #columns() {
    return Object.fromEntries([...this.#inputs].filter(([, { shape }]) => shape.length > 0));
  }

  /** What another task gave, as an input: nobody has digits of it. */
  result(name, value) {
    checkName(name, this.#inputs.has(name));
    const { kind, shape, decimals, categories, names, views, levels } = value;
    const type = { kind, shape, place: 'encrypted', decimals, categories, names };
    const made = new ModelValue(this, type, { half: 'server', views, levels, ofDoubles: kind === 'real' });
    this.#inputs.set(name, made);
    return made;
  }

  constant(cells) {
    return constant(this, cells);
  }

  output(name, value) {
    checkName(
      name,
      this.outputs.some((output) => output.name === name),
    );
    if (value instanceof RecordValue || value.task !== this) throw new Refusal('graph.foreign');
    if (value.place === 'plain' || !isWhole(value)) throw new Refusal('operator.invalid');
    this.outputs.push({ name, value });
  }

  /** Without columns of all inputs that are no single values. */
  forEach(columns = this.#columns(), body) {
    const all = Object.entries(columns);
    const rules = new Rules();
    for (const [, value] of all) rules.broken(value instanceof RecordValue || value.task !== this, 'graph.foreign');
    rules.end();
    const lengths = new Set(all.map(([, { shape }]) => shape[0]));
    const [count] = lengths;
    if (lengths.size !== 1 || count === undefined) throw new Refusal('graph.shape');
    const records = { count };
    const made = body(Object.fromEntries(all.map(([name, value]) => [name, recordsOf(value, records)])));
    return Object.fromEntries(Object.entries(made).map(([name, value]) => [name, ofAll(value, records)]));
  }
}

/** What `run` gives where these methods are other ones: for tests of the comparison. */
export function withMethods(others, run) {
  const own = { ...METHODS };
  Object.assign(METHODS, others);
  try {
    return run();
  } finally {
    Object.assign(METHODS, own);
  }
}

/** A call of a method. Errors: Refusal. */
export function call(on, method, args) {
  const list = [on, ...args.flat(1)].filter((one) => one instanceof RecordValue);
  const [first] = list;
  if (first === undefined) return METHODS[method](on, ...args);
  if (list.some(({ records }) => records !== first.records)) throw new Refusal('graph.foreign');
  const rowOf = (one, row) => {
    if (Array.isArray(one)) return one.map((part) => rowOf(part, row));
    return one instanceof RecordValue ? one.rows[row] : one;
  };
  const rows = first.rows.map((_, row) => METHODS[method](rowOf(on, row), ...args.map((arg) => rowOf(arg, row))));
  // What no record is in is the same for each.
  return rows[0].record ? new RecordValue(first.records, rows) : rows[0];
}

function recordsOf(value, records) {
  const shape = value.shape.slice(1);
  const size = cellsOf(shape);
  const { kind, place, decimals, missing, categories, names, half, levels, task, ofDoubles, factor, declared } = value;
  const part = (list, row) => (Array.isArray(list) ? list.slice(row * size, (row + 1) * size) : list);
  const rows = Array.from({ length: records.count }, (_, row) => {
    const views = value.views.map(({ cells, present }) => ({
      cells: part(cells, row),
      ...(present && { present: part(present, row) }),
    }));
    return new ModelValue(
      task,
      { kind, shape, place, decimals, missing, categories, names },
      { half, views, levels, record: records, ofDoubles, factor, declared, masks: otherMasks(value.masks) },
    );
  });
  return new RecordValue(records, rows);
}

function ofAll(value, records) {
  if (!(value instanceof RecordValue)) {
    if (value.record) throw new Refusal('graph.foreign');
    return call(value, 'broadcast', [[records.count, ...value.shape]]);
  }
  if (value.records !== records) throw new Refusal('graph.foreign');
  const [first] = value.rows;
  const { kind, shape, place, decimals, missing, categories, names, half, levels, task, ofDoubles, factor, declared } =
    first;
  const masks = otherMasks(first.masks);
  const joined = (lists) => (lists.includes(NO_VALUE) ? NO_VALUE : lists.flat());
  const views = first.views.map((_, view) => ({
    cells: joined(value.rows.map(({ views }) => views[view].cells)),
    ...(missing && { present: value.rows.flatMap(({ views }) => views[view].present) }),
  }));
  const type = { kind, shape: [records.count, ...shape], place, decimals, missing, categories, names };
  return new ModelValue(task, type, { half, views, levels, ofDoubles, factor, declared, masks });
}

function checkName(name, taken) {
  if (!isName(name) || taken) throw new Refusal('graph.name');
}

function isName(name) {
  const bytes = typeof name === 'string' ? new TextEncoder().encode(name).length : 0;
  return bytes > 0 && bytes <= 256 && name !== '__proto__' && name.isWellFormed();
}

/** So many, or different names. */
function areCategories(given) {
  if (!Array.isArray(given)) return Number.isInteger(given) && given >= 1 && given <= 2 ** 32;
  return given.length >= 1 && given.length <= 256 && given.every(isName) && new Set(given).size === given.length;
}

function checkOptions(options) {
  const { kind = 'integer', shape = [], decimals = 0, categories, missing } = options;
  const known = [...Object.keys(OWN), 'kind', 'shape', 'missing'];
  const names = Object.keys(options).filter((name) => options[name] !== undefined);
  const rules = new Rules()
    .broken(
      names.some((name) => !known.includes(name)),
      'input.option',
    )
    .broken(!KINDS.includes(kind) || (missing !== undefined && typeof missing !== 'boolean'), 'input.type');
  rules.end();
  rules
    .broken(
      names.some((name) => OWN[name] && !OWN[name].includes(kind)),
      'input.option',
    )
    .broken(!Number.isInteger(decimals) || decimals < 0 || decimals > 36, 'parameters.decimals')
    .broken(kind === 'category' && !areCategories(categories), 'parameters.categories')
    .broken(!isShape(shape), 'graph.shape');
  rules.end();
  if (OWN.min.includes(kind)) {
    const [min, max] = [options.min, options.max].map((bound) => readBound({ kind, decimals }, bound));
    const inOrder = min && max && min.n * max.d <= max.n * min.d;
    const units = (bound) => (bound.n * 10n ** BigInt(decimals)) / bound.d;
    rules
      .broken(!inOrder, 'parameters.bounds')
      .broken(inOrder && kind !== 'real' && (units(min) < -MOST_UNITS || units(max) > MOST_UNITS), 'range.integer');
  }
  rules.end();
}
