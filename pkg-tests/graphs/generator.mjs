/**
 * Random graphs as recipes: `{ unit, steps, outputs: [{ name, step }] }`, where a step is one call of the public builder
 * (recipe.mjs) with the type that it should give, `{ element, shape }`; `raw` are plain units. A recipe is given by seed
 * and index.
 */
import { Dice } from '../differential/dice.mjs';
import { randomData, randomPlaces } from './data.mjs';
import { ELEMENTS, FLOATS, INTEGERS, lengthOf, LOGIC, NAMES, NUMBERS, SIGNED } from './elements.mjs';

const UNITS = { 1: 3, 2: 1, 4: 1, 8: 5, 16: 1, 32: 4, 64: 4 };
const MOST_ELEMENTS = 400;
/** Lengths at which blocks of sums begin and end. */
const LONG = [1023, 1024, 1025, 2048, 2056, 3100];

/** A random recipe. */
export function randomRecipe(seed, index) {
  return new Sketch(new Dice(seed, index)).done();
}

class Sketch {
  #dice;
  #unit;
  #steps = [];
  #names = 0;

  constructor(dice) {
    this.#dice = dice;
    this.#unit = Number(dice.weighted(UNITS));
    const calls = dice.chance(0.2) ? dice.between(13, 40) : dice.between(1, 14);
    for (let made = 0, tries = 0; made < calls && tries < 20 * calls; tries++) {
      const before = this.#steps.length;
      if (this.#one(dice.weighted(KINDS))) made++;
      else this.#steps.length = before;
    }
  }

  /** What nobody reads becomes an output, mostly: else no output would see what is wrong there. */
  done() {
    const dice = this.#dice;
    if (this.#steps.length === 0) this.#source({ element: 'u64', shape: [2] });
    const last = this.#steps.length - 1;
    const read = new Set(this.#steps.flatMap(({ inputs }) => inputs));
    const ends = [...this.#steps.keys()].filter((step) => !read.has(step) && (step === last || dice.chance(0.9)));
    const chosen = [...ends, ...Array.from({ length: dice.below(4) }, () => dice.between(0, last))];
    const outputs = chosen.map((step, k) => ({ name: `y${k}`, step }));
    return { unit: this.#unit, steps: this.#steps, outputs };
  }

  /** One more call, if it fits; false otherwise. */
  #one(kind) {
    const [operation, ...rest] = SIGNATURES[kind](this.#tools()) || [];
    return operation !== undefined && this.#call(operation, ...rest) !== undefined;
  }

  #tools() {
    return {
      dice: this.#dice,
      unit: this.#unit,
      operand: (type) => this.#operand(type),
      any: (elements, least) => this.#any(elements, least),
      fresh: (element, shape, data) => this.#source({ element, shape }, data),
      typeOf: (step) => this.#steps[step].type,
      random: (element, rank) => this.#shape(element, rank),
      calls: this.#steps.filter(({ kind }) => !['input', 'constant'].includes(kind)),
    };
  }

  #fits({ element, shape }) {
    return element === 'raw' || (lengthOf(shape) * ELEMENTS[element].bits) % this.#unit === 0;
  }

  #push(step) {
    return this.#steps.push(step) - 1;
  }

  /** Adds the step, if its type fits the unit, and its inputs are there. */
  #call(name, inputs, type, rest = {}) {
    if (inputs.includes(undefined) || !this.#fits(type) || lengthOf(type.shape) > 4 * LONG.at(-1)) return undefined;
    const kind = ['view', 'merge'].includes(name) ? name : 'op';
    return this.#push({ kind, name, inputs, type, ...rest });
  }

  /** An operand of a type: one that is there, a part of one, an input or a constant. Undefined if no unit has it. */
  #operand(type) {
    if (!this.#fits(type)) return undefined;
    const dice = this.#dice;
    const same = this.#find((own) => own.element === type.element && String(own.shape) === String(type.shape));
    if (same.length > 0 && dice.chance(0.7)) return dice.pick(same);
    return (dice.chance(0.3) ? this.#part(type) : undefined) ?? this.#source(type);
  }

  /** A part of an operand that is large enough, seen as that type; it begins at any unit. */
  #part(type) {
    const units = this.#units(type);
    const larger = this.#find((own) => this.#units(own) >= units);
    if (larger.length === 0) return undefined;
    const of = this.#dice.pick(larger);
    const from = this.#dice.between(0, this.#units(this.#steps[of].type) - units);
    return this.#push({ kind: 'view', name: 'view', inputs: [of], from, type });
  }

  #units({ element, shape }) {
    return element === 'raw' ? shape[0] : (lengthOf(shape) * ELEMENTS[element].bits) / this.#unit;
  }

  #find(fits) {
    return this.#steps.flatMap(({ type }, step) => (fits(type) ? [step] : []));
  }

  #source(type, data = randomData(this.#dice, type.element, lengthOf(type.shape))) {
    if (!this.#fits(type)) return undefined;
    if (this.#dice.chance(0.3)) return this.#push({ kind: 'constant', inputs: [], type, data });
    return this.#push({ kind: 'input', inputs: [], name: `x${this.#names++}`, type, data });
  }

  /** An operand of one of some elements, of at least so many dimensions. */
  #any(elements, least = 0) {
    const there = this.#find(({ element, shape }) => elements.includes(element) && shape.length >= least);
    if (there.length > 0 && this.#dice.chance(0.75)) return this.#dice.pick(there);
    const element = this.#dice.pick(elements.filter((name) => name !== 'raw'));
    return this.#operand({ element, shape: this.#shape(element, Math.max(least, this.#dice.below(4))) });
  }

  /** A shape of so many dimensions that fits the unit, mostly. */
  #shape(element, rank) {
    const dice = this.#dice;
    if (rank === 1 && dice.chance(0.06)) return [dice.pick(LONG)];
    const shape = Array.from({ length: rank }, () => (dice.chance(0.1) ? dice.between(6, 40) : dice.between(1, 5)));
    if (rank > 0) shape[dice.below(rank)] *= dice.pick([1, Math.max(1, this.#unit / ELEMENTS[element].bits)]);
    return lengthOf(shape) > MOST_ELEMENTS ? shape.map((d) => Math.min(d, 8)) : shape;
  }
}

/** How often each kind of call is tried. */
const KINDS = {
  unary: 7,
  binary: 22,
  compare: 8,
  select: 4,
  convert: 6,
  reduce: 9,
  scan: 4,
  sort: 3,
  matmul: 8,
  gather: 5,
  scatter: 5,
  slice: 3,
  concat: 3,
  transpose: 3,
  broadcast: 3,
  view: 6,
  merge: 5,
  again: 2,
};

/** Operations of two values and of one, and the elements that have them. */
const BINARY = {
  ...of(NUMBERS, 'add', 'sub', 'mul', 'div', 'rem', 'min', 'max'),
  ...of(LOGIC, 'and', 'or', 'xor'),
  ...of(INTEGERS, 'shl', 'shr', 'rotl'),
};
const UNARY = {
  ...of(NUMBERS, 'neg'),
  ...of(SIGNED, 'abs'),
  ...of(FLOATS, 'sqrt', 'exp', 'log', 'tanh'),
  ...of(LOGIC, 'not'),
};
const REDUCTIONS = {
  ...of(NAMES, 'sum', 'product'),
  ...of(NUMBERS, 'reduce_min', 'reduce_max', 'argmin', 'argmax'),
  ...of(LOGIC, 'reduce_and', 'reduce_or', 'reduce_xor'),
};

function of(elements, ...names) {
  return Object.fromEntries(names.map((name) => [name, elements]));
}

/** Of each kind a random call: the operator's name, its inputs, its type, its attributes. */
const SIGNATURES = {
  unary({ dice, any, typeOf }) {
    const name = dice.pick(Object.keys(UNARY));
    const x = any(UNARY[name]);
    return x !== undefined && op(typeOf(x).element, name, [x], typeOf(x));
  },
  binary({ dice, any, operand, typeOf }) {
    const name = dice.pick(Object.keys(BINARY));
    const a = any(BINARY[name]);
    if (a === undefined) return undefined;
    const { element, shape } = typeOf(a);
    const b = operand({ element, shape: mate(dice, shape) });
    if (b === undefined) return undefined;
    const inputs = dice.chance(0.5) ? [a, b] : [b, a];
    return op(element, name, inputs, { element, shape: together(shape, typeOf(b).shape) });
  },
  compare({ dice, any, operand, typeOf }) {
    const a = any(NAMES);
    if (a === undefined) return undefined;
    const { element, shape } = typeOf(a);
    const b = operand({ element, shape: mate(dice, shape) });
    if (b === undefined) return undefined;
    const type = { element: ELEMENTS[element].mask, shape: together(shape, typeOf(b).shape) };
    return op(element, dice.pick(['eq', 'ne', 'lt', 'le']), [a, b], type);
  },
  select({ dice, any, operand, typeOf }) {
    const a = any(NAMES);
    if (a === undefined) return undefined;
    const { element, shape } = typeOf(a);
    const condition = operand({ element: ELEMENTS[element].mask, shape: mate(dice, shape) });
    const b = operand({ element, shape: mate(dice, shape) });
    if (b === undefined || condition === undefined) return undefined;
    const all = [typeOf(condition), typeOf(b)].reduce((before, own) => together(before, own.shape), shape);
    // Each of them broadcasts with the first, but perhaps not with the other.
    if (![condition, b].every((one) => isWithin(typeOf(one).shape, all))) return undefined;
    return op(element, 'select', dice.chance(0.5) ? [condition, a, b] : [condition, b, a], { element, shape: all });
  },
  convert({ dice, any, typeOf }) {
    const x = any(NAMES);
    const element = dice.pick(NAMES);
    return x !== undefined && op(element, 'convert', [x], { element, shape: typeOf(x).shape });
  },
  reduce({ dice, any, typeOf }) {
    const name = dice.pick(Object.keys(REDUCTIONS));
    const x = any(REDUCTIONS[name], 1);
    if (x === undefined) return undefined;
    const { element, shape } = typeOf(x);
    const axis = dice.below(shape.length);
    const given = name.startsWith('arg') ? 'u64' : name.startsWith('reduce') ? element : ELEMENTS[element].total;
    return op(element, name, [x], { element: given, shape: shape.toSpliced(axis, 1) }, { axis });
  },
  scan({ dice, any, typeOf }) {
    const x = any(NAMES, 1);
    if (x === undefined) return undefined;
    const { element, shape } = typeOf(x);
    const attributes = { axis: dice.below(shape.length), of: dice.pick(['sum', 'product', 'min', 'max']) };
    return op(element, 'scan', [x], { element: ELEMENTS[element].total, shape }, attributes);
  },
  sort({ dice, any, typeOf }) {
    const x = any(NUMBERS, 1);
    if (x === undefined) return undefined;
    return op(typeOf(x).element, 'sort', [x], typeOf(x), { axis: dice.below(typeOf(x).shape.length) });
  },
  matmul({ dice, any, operand, typeOf }) {
    const a = any(NUMBERS, 1);
    if (a === undefined || typeOf(a).shape.length > 2) return undefined;
    const { element, shape } = typeOf(a);
    const columns = dice.chance(0.3) ? [] : [dice.between(1, 6)];
    const b = operand({ element, shape: [shape.at(-1), ...columns] });
    return op(element, 'matmul', [a, b], { element, shape: [...shape.slice(0, -1), ...columns] });
  },
  gather(tools) {
    const x = tools.any(NAMES, 1);
    if (x === undefined) return undefined;
    const { axis, index, shape, element } = places(tools, x);
    return op(element, 'gather', [x, index], { element, shape }, { axis });
  },
  scatter(tools) {
    const x = tools.any(NAMES, 1);
    if (x === undefined) return undefined;
    const { axis, index, shape, element } = places(tools, x);
    const updates = index === undefined ? undefined : tools.operand({ element, shape });
    const mode = tools.dice.pick(['set', 'add']);
    return op(element, 'scatter', [x, index, updates], tools.typeOf(x), { axis, mode });
  },
  slice({ dice, any, typeOf }) {
    const x = any(NAMES);
    if (x === undefined) return undefined;
    const { element, shape } = typeOf(x);
    const size = shape.map((dimension) => dice.between(1, dimension));
    const start = shape.map((dimension, d) => dice.between(0, dimension - size[d]));
    return op(element, 'slice', [x], { element, shape: size }, { start, size });
  },
  concat({ dice, any, operand, typeOf }) {
    const x = any(NAMES, 1);
    if (x === undefined) return undefined;
    const { element, shape } = typeOf(x);
    const axis = dice.below(shape.length);
    const more = Array.from({ length: dice.below(3) }, () =>
      operand({ element, shape: shape.with(axis, dice.chance(0.5) ? shape[axis] : dice.between(1, 5)) }),
    );
    if (more.includes(undefined)) return undefined;
    const size = more.reduce((sum, part) => sum + typeOf(part).shape[axis], shape[axis]);
    return op(element, 'concat', [x, ...more], { element, shape: shape.with(axis, size) }, { axis });
  },
  transpose({ dice, any, typeOf }) {
    const x = any(NAMES, dice.below(3));
    if (x === undefined) return undefined;
    const { element, shape } = typeOf(x);
    const left = shape.map((_, d) => d);
    const axes = shape.map(() => left.splice(dice.below(left.length), 1)[0]);
    return op(element, 'transpose', [x], { element, shape: axes.map((axis) => shape[axis]) }, { axes });
  },
  broadcast({ dice, any, typeOf }) {
    const x = any(NAMES);
    if (x === undefined) return undefined;
    const { element, shape: own } = typeOf(x);
    const more = Array.from({ length: dice.below(3) }, () => dice.between(1, 3));
    const shape = [...more, ...own.map((dimension) => (dimension === 1 ? dice.between(1, 5) : dimension))];
    return op(element, 'broadcast', [x], { element, shape }, { shape });
  },
  /** A part of something as any type at all. */
  view({ dice, unit, any, typeOf, random }) {
    const x = any([...NAMES, 'raw']);
    if (x === undefined) return undefined;
    const { element: own, shape: ownShape } = typeOf(x);
    const room = own === 'raw' ? ownShape[0] : (lengthOf(ownShape) * ELEMENTS[own].bits) / unit;
    const element = dice.chance(0.1) ? 'raw' : dice.pick(NAMES);
    const shape = element === 'raw' ? [dice.between(1, room)] : random(element, dice.between(0, 2));
    const units = element === 'raw' ? shape[0] : (lengthOf(shape) * ELEMENTS[element].bits) / unit;
    if (units > room) return undefined;
    return ['view', [x], { element, shape }, { from: dice.between(0, room - units) }];
  },
  /** A call that was made before, for dedup. */
  again({ dice, calls }) {
    if (calls.length === 0) return undefined;
    const { kind, name, inputs, type, ...rest } = dice.pick(calls);
    return [name, inputs, type, rest];
  },
  /** Several operands as one of any type. */
  merge({ dice, unit, any, typeOf }) {
    const parts = Array.from({ length: dice.between(1, 4) }, () => any([...NAMES, 'raw']));
    if (parts.includes(undefined)) return undefined;
    const bits = parts.reduce((sum, part) => {
      const { element, shape } = typeOf(part);
      return sum + (element === 'raw' ? unit : ELEMENTS[element].bits) * lengthOf(shape);
    }, 0);
    const element = dice.pick(NAMES.filter((name) => bits % ELEMENTS[name].bits === 0));
    return ['merge', parts, { element, shape: [bits / ELEMENTS[element].bits] }];
  },
};

function op(element, operation, inputs, type, attributes) {
  return [`${element}.${operation}`, inputs, type, { attributes }];
}

/** A shape that broadcasts with another. */
function mate(dice, shape) {
  if (dice.chance(0.5)) return shape;
  const own = shape.map((dimension) => (dice.chance(0.3) ? 1 : dimension));
  if (dice.chance(0.3)) return own.slice(dice.below(own.length + 1));
  return dice.chance(0.2) ? [dice.between(1, 3), ...own] : own;
}

/** The shape that two have together. */
function together(a, b) {
  const rank = Math.max(a.length, b.length);
  const at = (shape, d) => shape[d - (rank - shape.length)] ?? 1;
  return Array.from({ length: rank }, (_, d) => (at(a, d) === 1 ? at(b, d) : at(a, d)));
}

/** Whether a shape broadcasts to another. */
function isWithin(shape, all) {
  return shape.every((dimension, d) => dimension === 1 || dimension === all[d + all.length - shape.length]);
}

/** An axis of an operand, places along it, and what lies there. */
function places({ dice, any, fresh, typeOf, random }, x) {
  const { element, shape } = typeOf(x);
  const axis = dice.below(shape.length);
  const computed = dice.chance(0.3) ? any(INTEGERS) : undefined;
  const index = computed ?? freshPlaces(dice, fresh, random, shape[axis]);
  if (index === undefined) return { element, axis };
  return { element, axis, index, shape: [...shape.slice(0, axis), ...typeOf(index).shape, ...shape.slice(axis + 1)] };
}

function freshPlaces(dice, fresh, random, dimension) {
  const element = dice.pick(INTEGERS);
  const shape = random(element, dice.below(3));
  return fresh(element, shape, randomPlaces(dice, element, lengthOf(shape), dimension));
}
