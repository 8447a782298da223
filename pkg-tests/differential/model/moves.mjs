/** Where cells go, and what is made of missing ones. */
import { ofDouble } from '../fraction.mjs';
import { hull, single, UNIT } from '../cells.mjs';
import { cellsOf, isShape, joint, moved, repeated, sameShape } from '../shapes.mjs';
import { constant, operandOf } from './constants.mjs';
import { factorOfAll } from './digits.mjs';
import { filledCells, maskOf, otherMasks, presentIn } from './gaps.mjs';
import { alike } from './logic.mjs';
import { ACCEPTED, isKept, ModelValue, operation, Refusal, Rules } from './value.mjs';

const isAxis = (axis, { length }) => Number.isInteger(axis) && axis >= 0 && axis < length;

/** The cells of these numbers, in a shape. */
function taken(self, shape, from, levels = 0) {
  const { kind, decimals, categories, names, factor } = self;
  // What cells may be is told of a value, not of each cell.
  const compute = ({ cells }, view) => {
    const all = view === 1 && cells.length > from.length ? cells.reduce(hull) : undefined;
    return from.map((at) => all ?? cells[at]);
  };
  const there = ({ present }) => from.map((at) => present[at]);
  const gaps = self.missing && { there, masks: otherMasks(self.masks), declared: self.declared };
  const how = { compute, factor, levels: self.isCiphertext ? levels : 0, ...gaps };
  return operation(new Rules(), [self], { kind, decimals, categories, names, shape }, how);
}

/** A cell of the kind of a value, with no more decimals. */
function fillOf(self, value) {
  const { shape, kind, decimals, cells } = constant(self.task, value, self);
  const isReal = self.kind === 'real' && (kind === 'integer' || kind === 'real');
  if (shape.length > 0 || !(isReal || (kind === self.kind && decimals <= self.decimals)))
    throw new Refusal('input.type');
  return isReal ? single(ofDouble(Number(value))) : cells[0];
}

export const MOVES = {
  at(self, ...indices) {
    const { shape } = self;
    if (indices.length < 1 || indices.length > shape.length) throw new Refusal('graph.shape');
    const start = indices.map((index, axis) => (index < 0 ? shape[axis] + index : index));
    if (!start.every((index, axis) => Number.isInteger(index) && index >= 0 && index < shape[axis]))
      throw new Refusal('graph.shape');
    const rest = shape.slice(start.length);
    return taken(
      self,
      rest,
      moved(rest, shape, (place) => [...start, ...place]),
      0.5,
    );
  },

  slice(self, start, end) {
    const [from, to] = [start, end].map((bounds) => (Array.isArray(bounds) ? bounds : [bounds]));
    const { shape } = self;
    if (shape.length === 0 || from.length > shape.length || to.length > shape.length) throw new Refusal('graph.shape');
    if (![...from, ...to].every((bound) => bound === undefined || Number.isInteger(bound)))
      throw new Refusal('input.type');
    // As arrays are sliced.
    const along = shape.map((length, axis) => [...Array(length).keys()].slice(from[axis], to[axis]));
    if (along.some(({ length }) => length === 0)) throw new Refusal('graph.shape');
    const size = along.map(({ length }) => length);
    return taken(
      self,
      size,
      moved(size, shape, (place) => place.map((index, axis) => along[axis][index])),
      0.5,
    );
  },

  concat(self, others, axis = 0) {
    if (!isAxis(axis, self.shape)) throw new Refusal('graph.shape');
    const several = Array.isArray(others) && others.length > 0 && others.every((one) => one instanceof ModelValue);
    const all = [self, ...(several ? others : [others]).map((other) => operandOf(self, other))];
    const rest = ({ shape }) => shape.map((length, at) => (at === axis ? 0 : length));
    const type = alike(all);
    const fits = all.every((one) => one.shape.length > axis && sameShape(rest(one), rest(self)));
    const rules = new Rules().broken(!fits, 'graph.shape').broken(!type, 'operator.invalid');
    rules.end();
    const length = all.reduce((sum, { shape }) => sum + shape[axis], 0);
    const shape = self.shape.map((own, at) => (at === axis ? length : own));
    // Of all in a row: which part, and where in it.
    const parts = all.flatMap((one, part) => Array.from({ length: one.shape[axis] }, (_, index) => ({ part, index })));
    const numbers = moved(shape, shape, (place) => place);
    const firsts = moved(shape, [length], (place) => [place[axis]]).map((at) => parts[at]);
    const inside = all.map((one, part) =>
      moved(shape, one.shape, (place) => {
        const { part: found, index } = parts[place[axis]];
        return found === part ? place.with(axis, index) : place.map(() => 0);
      }),
    );
    const compute = (...views) => {
      const all = views.pop() === 1 ? views.flatMap(({ cells }) => cells).reduce(hull) : undefined;
      return numbers.map((at) => all ?? views[firsts[at].part].cells[inside[firsts[at].part][at]]);
    };
    const levels = all.some((one) => one.isCiphertext) ? 0.5 : 0;
    const missing = all.filter((one) => one.missing);
    const there = (...views) => numbers.map((at) => presentIn(views[firsts[at].part], inside[firsts[at].part][at]));
    const masks = [maskOf([{ place: 'public', half: 'either', masks: missing.flatMap((one) => one.masks) }], 0.5)];
    const declared = missing.every((one) => one.declared);
    const gaps = missing.length > 0 && { there, masks, declared };
    return operation(rules, all, { ...type, shape }, { compute, levels, factor: factorOfAll(all, type), ...gaps });
  },

  reshape(self, shape) {
    if (!isShape(shape) || cellsOf(shape) !== cellsOf(self.shape)) throw new Refusal('graph.shape');
    return taken(self, shape, [...Array(cellsOf(shape)).keys()], 0.25);
  },

  broadcast(self, shape) {
    if (!isShape(shape)) throw new Refusal('graph.shape');
    if (sameShape(shape, self.shape)) return self;
    const fits = joint(self.shape, shape);
    if (!fits || !sameShape(fits, shape)) throw new Refusal('graph.shape');
    return taken(self, shape, repeated(self.shape, shape), 0.25);
  },

  rotate(self, steps, axis = 0) {
    if (!Number.isSafeInteger(steps)) throw new Refusal('input.type');
    const { shape } = self;
    if (!isAxis(axis, shape)) throw new Refusal('graph.shape');
    const turned = (index) => (((index + steps) % shape[axis]) + shape[axis]) % shape[axis];
    return taken(
      self,
      shape,
      moved(shape, shape, (place) => place.with(axis, turned(place[axis]))),
      0.5,
    );
  },

  /** Dimension k of the result is dimension axes[k]. */
  transpose(self, axes = self.shape.map((_, axis) => axis).toReversed()) {
    const isList = Array.isArray(axes) && axes.every((axis) => typeof axis === 'bigint' || Number.isFinite(axis));
    if (!isList) throw new Refusal('input.type');
    const { shape } = self;
    if (`${axes.toSorted((a, b) => a - b)}` !== `${[...shape.keys()]}`) throw new Refusal('graph.shape');
    if (shape.length === 0) return self;
    const turned = axes.map((axis) => shape[axis]);
    const from = moved(turned, shape, (place) => shape.map((_, axis) => place[axes.indexOf(axis)]));
    return taken(self, turned, from, 0.5);
  },

  filled(self, value) {
    const fill = value === undefined ? undefined : fillOf(self, value);
    if (!self.missing) return self;
    const { kind, shape, decimals, categories, names, declared } = self;
    const isZero = fill === undefined || fill.low.n === 0n;
    // Digits of an input's are those with 0 in the place of what is missing.
    const factor = declared && isZero ? self.factor : undefined;
    const compute = (view) => filledCells(view, fill);
    const rules = new Rules();
    if (!declared) rules.broken(isKept(self), 'operator.invalid').broken(isKept(self), ACCEPTED);
    const levels = self.allLevels - self.levels - (declared ? 1 : 0);
    return operation(rules, [self], { kind, shape, decimals, categories, names }, { compute, factor, levels });
  },

  present(self) {
    const { task, shape, masks } = self;
    if (self.missing) {
      const { place, half, levels } = maskOf([{ place: 'public', half: 'either', masks }], 0);
      const views = self.views.map(({ present }) => ({ cells: present }));
      return new ModelValue(task, { kind: 'boolean', shape, place }, { half, views, levels, record: self.record });
    }
    const view = { cells: Array(cellsOf(shape)).fill(single(UNIT.low)) };
    return new ModelValue(task, { kind: 'boolean', shape, place: 'public' }, { half: 'either', views: [view, view] });
  },
};
