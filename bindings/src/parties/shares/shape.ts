/** Shapes of shared tensors, by the rules of the operators that compute them: they are checked where a call is written. */
import { describe } from '../../arguments.js';
import { elementsOf } from '../../element.js';
import { failure } from '../../errors.js';

export type Shape = readonly number[];

/** Errors: GraphError `graph.shape`. */
export function misshapen(where: string, found: string, expected: string): Error {
  return failure('graph.shape', `${where}: expected ${expected}, found ${found}`, { where, found, expected });
}

/** As people write it. */
export function show(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

/** The shape of an element-wise result: aligned at the right, missing dimensions and those of 1 fit any other. */
export function broadcast(where: string, x: Shape, y: Shape): Shape {
  const rank = Math.max(x.length, y.length);
  return Array.from({ length: rank }, (_, at) => {
    const [a = 1, b = 1] = [x[x.length - rank + at], y[y.length - rank + at]];
    if (a !== b && a !== 1 && b !== 1)
      throw misshapen(where, `${show(x)} and ${show(y)}`, 'shapes that broadcast with each other');
    return a === 1 ? b : a;
  });
}

/** [m, k] times [k, n]; a vector is a row on the left, a column on the right. */
export function product(where: string, x: Shape, y: Shape): Shape {
  const [left, right] = [x.slice(0, -1), y.slice(1)];
  const fits = x.length >= 1 && y.length >= 1 && left.length < 2 && right.length < 2;
  if (!fits || x.at(-1) !== y[0])
    throw misshapen(where, `${show(x)} times ${show(y)}`, 'matrices or vectors, [m, k] times [k, n]');
  return [...left, ...right];
}

/** A dimension of a shape. */
export function checkAxis(where: string, shape: Shape, axis: unknown): number {
  if (Number.isInteger(axis) && (axis as number) >= 0 && (axis as number) < shape.length)
    return axis as number;
  throw misshapen(`${where}, axis`, describe(axis), `a dimension of ${show(shape)}, counted from 0`);
}

/** A shape of as many elements. */
export function checkSame(where: string, shape: Shape, other: unknown): Shape {
  const dimensions: readonly unknown[] = Array.isArray(other) ? other : [NaN];
  const whole = dimensions.every(
    (dimension) => Number.isSafeInteger(dimension) && (dimension as number) >= 1,
  );
  if (whole && elementsOf(dimensions as Shape) === elementsOf(shape)) return [...(dimensions as Shape)];
  throw misshapen(`${where}, shape`, describe(other), `one of ${elementsOf(shape)} elements`);
}

/** Each dimension once, in any order. */
export function checkAxes(where: string, shape: Shape, axes: unknown): Shape {
  const given: readonly unknown[] = Array.isArray(axes) ? axes : [];
  if (given.length === shape.length && shape.every((_, at) => given.includes(at)))
    return [...(given as Shape)];
  throw misshapen(`${where}, axes`, describe(axes), `each dimension of ${show(shape)} once`);
}

/** A box that lies within a shape. */
export function checkBox(where: string, shape: Shape, start: unknown, size: unknown): void {
  const [from, sizes]: (readonly unknown[])[] = [start, size].map((list) =>
    Array.isArray(list) ? list : [],
  );
  const fits = (dimension: number, at: number): boolean => {
    const [begin, length] = [from?.[at], sizes?.[at]];
    if (!Number.isInteger(begin) || !Number.isInteger(length)) return false;
    return (
      (begin as number) >= 0 && (length as number) >= 1 && (begin as number) + (length as number) <= dimension
    );
  };
  if (from?.length === shape.length && sizes?.length === shape.length && shape.every(fits)) return;
  const found = `start ${describe(start)}, size ${describe(size)}`;
  throw misshapen(where, found, `a number for each dimension, and a box within ${show(shape)}`);
}

/** The shape of tensors one after the other. */
export function concatenated(where: string, shapes: readonly Shape[], axis: number): Shape {
  const first = shapes[0] as Shape;
  const alike = (shape: Shape): boolean =>
    shape.length === first.length && shape.every((dimension, at) => at === axis || dimension === first[at]);
  if (!shapes.every(alike))
    throw misshapen(where, shapes.map(show).join(', '), `shapes that differ in dimension ${axis} alone`);
  const all = shapes.reduce((sum, shape) => sum + (shape[axis] as number), 0);
  return first.map((dimension, at) => (at === axis ? all : dimension));
}
