import { describe, expect, it } from 'vitest';
import { encodeValue, type ValueRule } from '../src/values/cells.js';
import { describeValueProgram } from '../src/values/program-info.js';
import { createValueTask } from '../src/values/task.js';
import { readValueType, typeOf, typeText } from '../src/values/type.js';
import type { Cells, Value, ValueOptions, ValueTask, ValueTaskLiteral } from '../src/values/types.js';
import type { RawTaskReport } from '../src/raw.js';
import { codeOf, messageOf, thrownBy } from './code.js';

const integers: ValueOptions = { shape: [3], min: 0, max: 9 };
const money: ValueOptions = { shape: [3], min: 0, max: 9, decimals: 2 };
const reals: ValueOptions = { kind: 'real', shape: [3], min: -1, max: 1 };
const flags: ValueOptions = { kind: 'boolean', shape: [3] };
const days: ValueOptions = { kind: 'date', shape: [3], min: '2020-01-01', max: '2029-12-31' };
const sorts: ValueOptions = { kind: 'category', shape: [3], categories: 4 };
const matrix: ValueOptions = { shape: [2, 3], min: 0, max: 9 };

/** Inputs of all kinds, by short names. */
function inputs() {
  const task = createValueTask();
  return {
    task,
    x: task.encrypted('x', integers),
    y: task.encrypted('y', money),
    r: task.encrypted('r', reals),
    b: task.encrypted('b', flags),
    d: task.encrypted('d', days),
    c: task.encrypted('c', sorts),
    m: task.encrypted('m', matrix),
    g: task.encrypted('g', { ...integers, missing: true }),
    p: task.plain('p', integers),
    u: task.public('u', integers),
  };
}
type Inputs = ReturnType<typeof inputs>;

/** Operators that an expression is made of, as `op(operands) attrs`, and its type. */
function made(build: (all: Inputs) => Value): [nodes: string[], type: string] {
  const all = inputs();
  const value = build(all);
  if (value.place !== 'plain') all.task.output('out', value);
  else all.task.output('out', all.x.multiply(0).sum());
  const { nodes, inputs: declared } = all.task.literal();
  const names = declared.map(({ name }) => name);
  const shown = nodes.map(({ op, inputs, attrs = '' }) => {
    const operands = inputs.map((operand) => names[operand] ?? `%${operand - names.length}`);
    return `${op}(${operands.join(', ')})${attrs}`;
  });
  const { kind, shape, place, decimals, missing, categories } = value;
  return [shown, typeText({ kind, shape, place, decimals, missing, categories })];
}

const single = 'kind="integer", shape=[], where="encrypted"';
const vector = 'kind="integer", shape=[3], where="encrypted"';
const real = 'kind="real", shape=[], where="encrypted"';

const FLAGS = 'kind="boolean", shape=[3], where="encrypted"';
/** What stands behind an expression that cannot be an output. */
const REST = [
  'value.constant(){kind="integer", shape=[3], value=0}',
  'value.multiply(x, %1)',
  'value.sum(%2)',
];

describe('the operators of values', () => {
  it.each<[string, (all: Inputs) => Value, string[], string]>([
    ['add', ({ x, u }) => x.add(u), ['value.add(x, u)'], vector],
    [
      'add, decimals aligned',
      ({ x, y }) => x.add(y),
      ['value.scale(x){decimals=2, numerator=100}', 'value.add(%0, y)'],
      `${vector}, decimals=2`,
    ],
    [
      'add of a number, with the decimals of the value',
      ({ y }) => y.add(1.5),
      ['value.constant(){decimals=2, kind="integer", shape=[3], value=150}', 'value.add(y, %0)'],
      `${vector}, decimals=2`,
    ],
    [
      'add of an array, broadcast',
      ({ m }) => m.add([1, 2, 3]),
      [
        'value.constant(){kind="integer", shape=[3], value=[1,2,3]}',
        'value.broadcast(%0){shape=[2,3]}',
        'value.add(m, %1)',
      ],
      'kind="integer", shape=[2,3], where="encrypted"',
    ],
    [
      'add of a number to reals',
      ({ r }) => r.add(0.1),
      ['value.constant(){kind="real", shape=[3], value=0.1}', 'value.add(r, %0)'],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'multiply of reals with an array, as data',
      ({ r }) => r.multiply(Float64Array.of(1, 0.5, -2)),
      [
        'value.constant(){kind="real", shape=[3], value=@"AAAAAAAA8D8AAAAAAADgPwAAAAAAAADA"}',
        'value.multiply(r, %0)',
      ],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'add of days',
      ({ d, x }) => d.add(x).add(30),
      ['value.add(d, x)', 'value.constant(){kind="integer", shape=[3], value=30}', 'value.add(%0, %1)'],
      'kind="date", shape=[3], where="encrypted"',
    ],
    [
      'sub of a Date',
      ({ d }) => d.sub(new Date('1970-01-11')),
      ['value.constant(){kind="date", shape=[3], value=10}', 'value.sub(d, %0)'],
      vector,
    ],
    ['sub', ({ x, p }) => x.sub(p), ['value.sub(x, p)'], vector],
    ['multiply', ({ y }) => y.multiply(y), ['value.multiply(y, y)'], `${vector}, decimals=4`],
    [
      'multiply with booleans',
      ({ y, b }) => b.multiply(y),
      ['value.multiply(b, y)'],
      `${vector}, decimals=2`,
    ],
    [
      'multiply with a decimal',
      ({ x }) => x.multiply(0.25),
      ['value.constant(){decimals=2, kind="integer", shape=[3], value=25}', 'value.multiply(x, %0)'],
      `${vector}, decimals=2`,
    ],
    ['negate', ({ b }) => b.negate(), ['value.negate(b)'], vector],
    ['square', ({ y }) => y.square(), ['value.square(y)'], `${vector}, decimals=4`],
    ['power', ({ y }) => y.power(3), ['value.power(y){exponent=3}'], `${vector}, decimals=6`],
    ['power 1', ({ y }) => y.power(1), [], `${vector}, decimals=2`],
    [
      'polynomial',
      ({ y }) => y.polynomial([1, -0.5, 2n]),
      ['value.polynomial(y){coefficients=[10,-5,20], decimals=1}'],
      `${vector}, decimals=5`,
    ],
    [
      'polynomial of reals',
      ({ r }) => r.polynomial([0, 1]),
      ['value.polynomial(r){coefficients=[0,1]}'],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'approximate',
      ({ r }) => r.approximate((x) => 2 * x + 1, { from: 0, to: 2, degree: 1 }),
      ['value.chebyshev(r){coefficients=@"AAAAAAAACEAAAAAAAAAAQA==", max=2, min=0}'],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'within',
      ({ y, r, d }) =>
        y.within(0, 1.5).add(r.within(0, 0.5)).add(d.within('1970-01-02', '1970-01-03').sub(d)),
      [
        'value.within(y){max=150, min=0}',
        'value.within(r){max=0.5, min=0}',
        'value.add(%0, %1)',
        'value.within(d){max=2, min=1}',
        'value.sub(%3, d)',
        'value.add(%2, %4)',
      ],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'divide of single values',
      ({ x, y }) => x.sum().divide(y.sum()),
      ['value.sum(x)', 'value.sum(y)', 'value.divide(%0, %1)'],
      real,
    ],
    [
      'divide of reals by a number',
      ({ r }) => r.divide(4),
      ['value.constant(){kind="real", shape=[3], value=0.25}', 'value.multiply(r, %0)'],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'divide of clear values',
      ({ p, u }) => p.divide(u),
      ['value.divide(p, u)', ...REST],
      'kind="real", shape=[3], where="plain"',
    ],
    ['sqrt', ({ x }) => x.sum().sqrt(), ['value.sum(x)', 'value.root(%0)'], real],
    [
      'finish',
      ({ x }) => x.sum().finish().square(),
      ['value.sum(x)', 'value.finish(%0)', 'value.square(%1)'],
      'kind="integer", shape=[], where="encrypted"',
    ],
    ['lessThan', ({ x, u }) => x.lessThan(u), ['value.compare(x, u){relation="lt"}'], FLAGS],
    ['atMost', ({ x, u }) => x.atMost(u), ['value.compare(x, u){relation="le"}'], FLAGS],
    [
      'lessThan of reals',
      ({ r, x }) => r.lessThan(x, { gap: 0.5 }),
      ['value.compare(r, x){gap=0.5, relation="lt"}'],
      FLAGS,
    ],
    ['max', ({ x, u }) => x.max(u), ['value.compare(x, u){relation="lt"}', 'value.select(%0, u, x)'], vector],
    ['min', ({ x, u }) => x.min(u), ['value.compare(x, u){relation="lt"}', 'value.select(%0, x, u)'], vector],
    ['greaterThan', ({ x, u }) => x.greaterThan(u), ['value.compare(u, x){relation="lt"}'], FLAGS],
    ['atLeast', ({ x, u }) => x.atLeast(u), ['value.compare(u, x){relation="le"}'], FLAGS],
    [
      'equals of a category',
      ({ c }) => c.equals(3),
      [
        'value.constant(){categories=4, kind="category", shape=[3], value=3}',
        'value.compare(c, %0){relation="eq"}',
      ],
      FLAGS,
    ],
    ['and', ({ b }) => b.and(b.not()), ['value.not(b)', 'value.and(b, %0)'], FLAGS],
    [
      'or',
      ({ b }) => b.or(true),
      ['value.constant(){kind="boolean", shape=[3], value=1}', 'value.or(b, %0)'],
      FLAGS,
    ],
    ['select', ({ b, x, u }) => b.select(x, u), ['value.select(b, x, u)'], vector],
    [
      'select of numbers of unequal kinds and decimals',
      ({ b, y }) => b.select(y, b),
      ['value.scale(b){decimals=2, numerator=100}', 'value.select(b, y, %0)'],
      `${vector}, decimals=2`,
    ],
    [
      'select of reals and integers',
      ({ b, r, x }) => b.select(r, x),
      ['value.constant(){kind="real", shape=[3], value=0}', 'value.add(x, %0)', 'value.select(b, r, %1)'],
      'kind="real", shape=[3], where="encrypted"',
    ],
    [
      'select of constants',
      ({ b }) => b.select(1, 0.5),
      [
        'value.constant(){decimals=1, kind="integer", shape=[], value=10}',
        'value.constant(){decimals=1, kind="integer", shape=[], value=5}',
        'value.broadcast(%0){shape=[3]}',
        'value.broadcast(%1){shape=[3]}',
        'value.select(b, %2, %3)',
      ],
      `${vector}, decimals=1`,
    ],
    ['sum', ({ y }) => y.sum(), ['value.sum(y)'], `${single}, decimals=2`],
    ['sum along a dimension', ({ m }) => m.sum(0), ['value.sum(m){axis=0}'], vector],
    ['dot', ({ x, y }) => x.dot(y), ['value.dot(x, y)'], `${single}, decimals=2`],
    ['matmul of vectors', ({ x, p }) => x.matmul(p), ['value.dot(x, p)'], single],
    [
      'matmul of a matrix and a vector',
      ({ m, x }) => m.matmul(x),
      ['matrix.vector(m, x)'],
      'kind="integer", shape=[2], where="encrypted"',
    ],
    [
      'matmul of matrices',
      ({ m }) => m.matmul([[1], [2], [3]]),
      ['value.constant(){kind="integer", shape=[3,1], value=[1,2,3]}', 'matrix.multiply(m, %0)'],
      'kind="integer", shape=[2,1], where="encrypted"',
    ],
    [
      'matmul of a vector and a matrix',
      ({ m, x }) => x.matmul(m.reshape([3, 2])),
      [
        'value.reshape(m){shape=[3,2]}',
        'value.reshape(x){shape=[1,3]}',
        'matrix.multiply(%1, %0)',
        'value.reshape(%2){shape=[2]}',
      ],
      'kind="integer", shape=[2], where="encrypted"',
    ],
    ['count', ({ g }) => g.count(), ['stats.count(g)'], single],
    [
      'count of complete values',
      ({ x }) => x.count(),
      ['stats.count(x)'],
      'kind="integer", shape=[], where="public"',
    ],
    ['mean', ({ g }) => g.mean(), ['stats.mean(g)'], real],
    ['variance', ({ x }) => x.variance(), ['stats.variance(x){of="sample"}'], real],
    [
      'variance of all',
      ({ x }) => x.variance({ of: 'population' }),
      ['stats.variance(x){of="population"}'],
      real,
    ],
    ['covariance', ({ x, g }) => x.covariance(g), ['stats.covariance(x, g){of="sample"}'], real],
    ['correlation', ({ x, p }) => x.correlation(p), ['stats.correlation(x, p)'], real],
    [
      'regression',
      ({ x, p }) => x.regression(p),
      ['stats.regression(x, p)'],
      'kind="real", shape=[2], where="encrypted"',
    ],
    [
      'at',
      ({ m }) => m.at(-1),
      ['value.slice(m){size=[1,3], start=[1,0]}', 'value.reshape(%0){shape=[3]}'],
      vector,
    ],
    [
      'at of all dimensions',
      ({ m }) => m.at(0, 2),
      ['value.slice(m){size=[1,1], start=[0,2]}', 'value.reshape(%0){shape=[]}'],
      single,
    ],
    [
      'slice',
      ({ m }) => m.slice(-1),
      ['value.slice(m){size=[1,3], start=[1,0]}'],
      'kind="integer", shape=[1,3], where="encrypted"',
    ],
    [
      'slice of a box',
      ({ m }) => m.slice([0, 1], [2, -1]),
      ['value.slice(m){size=[2,1], start=[0,1]}'],
      'kind="integer", shape=[2,1], where="encrypted"',
    ],
    [
      'concat',
      ({ x, y }) => x.concat([y, y]),
      ['value.scale(x){decimals=2, numerator=100}', 'value.concat(%0, y, y){axis=0}'],
      'kind="integer", shape=[9], where="encrypted", decimals=2',
    ],
    [
      'concat with numbers',
      ({ m }) => m.concat([[1], [2]], 1),
      ['value.constant(){kind="integer", shape=[2,1], value=[1,2]}', 'value.concat(m, %0){axis=1}'],
      'kind="integer", shape=[2,4], where="encrypted"',
    ],
    [
      'reshape',
      ({ c }) => c.reshape([3, 1]),
      ['value.reshape(c){shape=[3,1]}'],
      'kind="category", shape=[3,1], where="encrypted", categories=4',
    ],
    [
      'broadcast',
      ({ d }) => d.broadcast([2, 3]),
      ['value.broadcast(d){shape=[2,3]}'],
      'kind="date", shape=[2,3], where="encrypted"',
    ],
    ['rotate', ({ x }) => x.rotate(-1), ['value.rotate(x){axis=0, steps=-1}'], vector],
    ['filled', ({ g }) => g.filled(), ['value.cells(g)'], vector],
    ['present', ({ g }) => g.present(), ['value.present(g)'], FLAGS],
    [
      'present of complete values',
      ({ x }) => x.present(),
      ['value.constant(){kind="boolean", shape=[3], value=1}'],
      'kind="boolean", shape=[3], where="public"',
    ],
  ])('%s', (_, build, nodes, type) => {
    expect(made(build)).toEqual([nodes, `value[1]{${type}}`]);
  });

  it('know what the client computes', () => {
    const { x, r } = inputs();
    expect(
      [x.sum(), x.mean(), x.mean().add(1), r.divide(2), x.sum().divide(x.count())].map(
        ({ finished }) => finished,
      ),
    ).toEqual([false, true, true, false, true]);
    const exactly = made(({ x }) => x.mean().divide(3))[0];
    expect(exactly.at(-1)).toBe('value.divide(%0, %1)');
  });
});

describe('records', () => {
  it('have one dimension less, and what comes of them one more', () => {
    const { task, m, x } = inputs();
    const shapes: string[] = [];
    const found = task.forEach({ m, flag: m.at(0).slice(0, 2).lessThan(3) }, ({ m, flag }) => {
      shapes.push(`${m.shape}`, `${flag.shape}`, `${m.add(x).shape}`);
      return { sum: m.sum(), same: x, both: flag.select(m.at(0), 1) };
    });
    expect(shapes).toEqual(['3', '', '3']);
    expect(Object.values(found).map(({ shape }) => shape)).toEqual([[2], [2, 3], [2]]);
    task.output('sum', found.sum);
    const nodes = task.literal().nodes.map(({ op, attrs }) => `${op}${attrs ?? ''}`);
    expect(nodes).toContain('value.sum{axis=1}');
  });

  it('tell what is wrong with one of them', () => {
    const { task, m } = inputs();
    expect(messageOf(() => task.forEach({ m }, ({ m }) => m.add([1, 2])))).toContain('shapes [3] and [2]');
    expect(messageOf(() => task.forEach({ m }, ({ m }) => m.variance()))).toContain('outside of forEach');
  });
});

describe('wrong use of values', () => {
  it.each<[string, (all: Inputs) => unknown, string]>([
    [
      'shapes that do not broadcast',
      ({ x, task }) => x.add(task.encrypted('z', { ...integers, shape: [4] })),
      'graph.shape',
    ],
    ['two dates added', ({ d }) => d.add(d), 'operator.invalid'],
    ['a date and a fraction', ({ d }) => d.add(0.5), 'operator.invalid'],
    ['a date negated', ({ d }) => d.negate(), 'operator.invalid'],
    ['an order of categories', ({ c }) => c.lessThan(2), 'operator.invalid'],
    ['categories and numbers', ({ c, x }) => c.equals(x), 'operator.invalid'],
    ['encrypted reals compared', ({ r }) => r.lessThan(0), 'operator.invalid'],
    ['equality of encrypted reals', ({ r }) => r.equals(0), 'operator.invalid'],
    ['a gap that is none', ({ r }) => r.lessThan(0, { gap: 0 }), 'input.type'],
    ['an option that is none', ({ r }) => r.lessThan(0, { gab: 1 } as object), 'input.option'],
    ['a function without an interval', ({ r }) => r.approximate(Math.exp), 'input.type'],
    ['an interval without length', ({ r }) => r.approximate(Math.exp, { from: 1, to: 1 }), 'input.type'],
    ['a function with a pole', ({ r }) => r.approximate((x) => 1 / x, { from: 0, to: 1 }), 'input.type'],
    ['a step', ({ r }) => r.approximate(Math.sign, { from: -1, to: 1 }), 'parameters.approximation'],
    ['bounds in the wrong order', ({ r }) => r.within(1, 0), 'input.type'],
    ['bounds with more decimals', ({ x }) => x.within(0, 0.12345), 'input.type'],
    ['numbers as booleans', ({ x, b }) => b.and(x), 'operator.invalid'],
    ['a condition of numbers', ({ x }) => x.select(1, 0), 'operator.invalid'],
    ['select of two kinds', ({ b, d, x }) => b.select(d, x), 'operator.invalid'],
    ['cells that may be missing, added', ({ g }) => g.add(1), 'graph.missing'],
    ['cells that may be missing, broadcast', ({ g, m }) => g.add(m), 'graph.missing'],
    ['cells that may be missing, summed', ({ g }) => g.sum(), 'graph.missing'],
    ['many encrypted cells divided', ({ x }) => x.divide(2), 'operator.invalid'],
    ['a root of many encrypted cells', ({ x }) => x.sqrt(), 'operator.invalid'],
    ["a quotient by the server's own", ({ x, p }) => x.sum().divide(p.sum()), 'operator.invalid'],
    ["a regression on the server's own", ({ x, p }) => p.regression(x), 'operator.invalid'],
    ['a mean beside many encrypted cells', ({ x }) => x.sub(x.mean()), 'operator.invalid'],
    ['a division by 0', ({ r }) => r.divide(0), 'input.type'],
    ["an output of the server's own", ({ task, p }) => task.output('o', p), 'operator.invalid'],
    ['vectors of unequal lengths', ({ x }) => x.dot([1, 2]), 'graph.shape'],
    ['matrices that do not fit', ({ m }) => m.matmul(m), 'graph.shape'],
    ['a variance of one cell', ({ x }) => x.slice(0, 1).variance(), 'graph.shape'],
    ['an axis that is none', ({ x }) => x.sum(1), 'graph.shape'],
    ['an axis that is no number', ({ x }) => x.sum('0' as never), 'graph.shape'],
    ['an index that is none', ({ x }) => x.at(3), 'graph.shape'],
    ['too many indices', ({ x }) => x.at(0, 0), 'graph.shape'],
    ['a slice of nothing', ({ x }) => x.slice(2, 2), 'graph.shape'],
    ['a slice by halves', ({ x }) => x.slice(0.5), 'input.type'],
    ['a slice of a single value', ({ x }) => x.sum().slice(0), 'graph.shape'],
    ['another number of cells', ({ x }) => x.reshape([2]), 'graph.shape'],
    ['a shape of nothing', ({ x }) => x.reshape([3, 0]), 'graph.shape'],
    ['a shape that is none', ({ x }) => x.reshape(3 as never), 'graph.shape'],
    ['a shape that it does not broadcast to', ({ x }) => x.broadcast([3, 2]), 'graph.shape'],
    ['columns beside rows', ({ x, m }) => x.concat(m), 'graph.shape'],
    ['an array of unequal parts', ({ m }) => m.add([[1, 2, 3], [4]]), 'graph.shape'],
    ['half a rotation', ({ x }) => x.rotate(0.5), 'input.type'],
    ['the exponent 0', ({ x }) => x.power(0), 'input.type'],
    ['a polynomial without degree', ({ x }) => x.polynomial([1]), 'input.type'],
    ['a polynomial of no such degree', ({ x }) => x.polynomial([1, 0]), 'input.type'],
    ['a coefficient that is none', ({ x }) => x.polynomial([1, NaN]), 'input.type'],
    ['a moment of something', ({ x }) => x.variance({ of: 'all' as never }), 'input.type'],
    ['a text', ({ x }) => x.add('1' as never), 'input.type'],
    ['numbers and booleans in one array', ({ x }) => x.add([1, true, 2]), 'input.type'],
    ['an infinite number', ({ x }) => x.add(Infinity), 'input.not_a_number'],
    ['a time within a day', ({ d }) => d.sub(new Date(1)), 'input.not_a_number'],
    ['a number beyond all integers', ({ x }) => x.add(2n ** 127n), 'range.integer'],
    ['another task', ({ x }) => x.add(inputs().x), 'graph.foreign'],
    ['an output of another task', ({ task }) => task.output('o', inputs().x), 'graph.foreign'],
    ['an output that is none', ({ task }) => task.output('o', 1 as never), 'input.type'],
    ['too many decimals', ({ y }) => y.power(501), 'operator.invalid'],
    ['a task without outputs', ({ task }) => task.literal(), 'graph.no_outputs'],
    ['records of nothing', ({ task }) => task.forEach({}, () => 1 as never), 'graph.shape'],
    ['records of unequal columns', ({ task, x, m }) => task.forEach({ x, m }, () => x), 'graph.shape'],
    ['records of a single value', ({ task, x }) => task.forEach({ x: x.sum() }, () => x), 'graph.shape'],
    ['records without a function', ({ task, x }) => task.forEach({ x }, 1 as never), 'graph.shape'],
    ['a column that is none', ({ task }) => task.forEach({ x: 1 as never }, () => 1 as never), 'input.type'],
    [
      'a function that gives nothing',
      ({ task, x }) => task.forEach({ x }, () => undefined as never),
      'input.type',
    ],
    ['a function that waits', ({ task, x }) => task.forEach({ x }, (async () => x) as never), 'input.type'],
    [
      'a statistic of a record',
      ({ task, m }) => task.forEach({ m }, ({ m }) => m.mean()),
      'operator.invalid',
    ],
    ['a record divided', ({ task, x }) => task.forEach({ x }, ({ x }) => x.divide(2)), 'operator.invalid'],
    ['an axis of the records', ({ task, m }) => task.forEach({ m }, ({ m }) => m.sum(1)), 'graph.shape'],
    ['a record of another task', ({ task, x }) => task.forEach({ x: inputs().x }, () => x), 'graph.foreign'],
    [
      'a record outside',
      ({ task, x }) => {
        let kept: Value = x;
        task.forEach({ x }, (record) => (kept = record.x));
        task.output('o', kept);
      },
      'graph.foreign',
    ],
    [
      'a record beside one of another forEach',
      ({ task, x }) => task.forEach({ x }, ({ x: a }) => task.forEach({ x }, ({ x: b }) => a.add(b))),
      'graph.foreign',
    ],
  ])('%s', (_, use, code) => {
    expect(codeOf(() => use(inputs()))).toBe(code);
  });

  it('is told with what was found and expected, and records nothing', () => {
    const { task, x, d, g, m } = inputs();
    expect(messageOf(() => x.add([1, 2]))).toBe(
      'add: shapes [3] and [2] do not go together, expected lengths that are equal or 1, counted from the last',
    );
    expect(messageOf(() => d.add(d))).toBe(
      'add: expected whole days: two dates have no sum, found encrypted date [3]',
    );
    expect(messageOf(() => g.multiply(2))).toContain(
      'filled() and present() take one with missing cells apart',
    );
    expect(messageOf(() => m.divide(2))).toContain('multiply with its inverse');
    task.output('out', x);
    expect(task.literal().nodes.map(({ op }) => op)).not.toContain('value.add');
  });
});

describe('inputs of values', () => {
  const declared = (options: unknown): string =>
    codeOf(() => createValueTask().encrypted('x', options as ValueOptions));

  it('have types and bounds as the core reads them', () => {
    const { task, x } = inputs();
    task.output('out', x);
    expect(task.literal().inputs).toEqual([
      { name: 'x', type: 'value[1]{kind="integer", shape=[3], where="encrypted"}', min: '0', max: '9' },
      {
        name: 'y',
        type: 'value[1]{kind="integer", shape=[3], where="encrypted", decimals=2}',
        min: '0',
        max: '900',
      },
      { name: 'r', type: 'value[1]{kind="real", shape=[3], where="encrypted"}', min: '-1', max: '1' },
      { name: 'b', type: 'value[1]{kind="boolean", shape=[3], where="encrypted"}' },
      { name: 'd', type: 'value[1]{kind="date", shape=[3], where="encrypted"}', min: '18262', max: '21914' },
      { name: 'c', type: 'value[1]{kind="category", shape=[3], where="encrypted", categories=4}' },
      { name: 'm', type: 'value[1]{kind="integer", shape=[2,3], where="encrypted"}', min: '0', max: '9' },
      {
        name: 'g',
        type: 'value[1]{kind="integer", shape=[3], where="encrypted", missing=1}',
        min: '0',
        max: '9',
      },
      { name: 'p', type: 'value[1]{kind="integer", shape=[3], where="plain"}', min: '0', max: '9' },
      { name: 'u', type: 'value[1]{kind="integer", shape=[3], where="public"}', min: '0', max: '9' },
    ]);
    for (const { type } of task.literal().inputs) expect(typeText(readValueType(type))).toBe(type);
  });

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'input.type'],
    ['an option that does not exist', { ...integers, rows: 3 }, 'input.option'],
    ['an option of another kind', { ...flags, max: 1 }, 'input.option'],
    ['decimals of reals', { ...reals, decimals: 1 }, 'input.option'],
    ['another kind', { kind: 'text' }, 'input.type'],
    ['no bounds', { shape: [3] }, 'parameters.bounds'],
    ['bounds that are none', { min: 3, max: 2 }, 'parameters.bounds'],
    ['bounds of more decimals', { min: 0.5, max: 2 }, 'parameters.bounds'],
    ['a bound that is no day', { ...days, max: '2023-02-29' }, 'parameters.bounds'],
    ['an infinite bound', { ...reals, max: Infinity }, 'parameters.bounds'],
    ['bounds beyond 126 bits', { min: 0, max: 2n ** 126n }, 'range.integer'],
    ['too many decimals', { ...money, decimals: 37 }, 'parameters.decimals'],
    ['half a category', { ...sorts, categories: 0.5 }, 'parameters.categories'],
    ['no categories', { kind: 'category' }, 'parameters.categories'],
    ['a shape of nothing', { ...integers, shape: [0] }, 'graph.shape'],
    ['too many cells', { ...integers, shape: [2 ** 16, 2 ** 17] }, 'graph.shape'],
  ])('are refused with %s', (_, options, code) => {
    expect(declared(options)).toBe(code);
  });

  it('have names of their own', () => {
    const task = createValueTask();
    task.plain('x', integers);
    expect(codeOf(() => task.encrypted('x', integers))).toBe('graph.name');
    expect(codeOf(() => task.encrypted('', integers))).toBe('graph.name');
    task.output('x', task.constant(1));
    expect(codeOf(() => task.output('x', task.constant(1)))).toBe('graph.name');
  });
});

describe('cells', () => {
  const rule = (options: ValueOptions): ValueRule => {
    const task = createValueTask();
    task.output('out', task.encrypted('v', options).count());
    return ruleIn(task);
  };
  const encoded = (options: ValueOptions, cells: Cells): unknown => {
    const { cells: found, present } = encodeValue(rule(options), cells);
    return [Array.from(found as ArrayLike<unknown>), present && Array.from(present)];
  };

  it('become numbers that the core reads', () => {
    expect(encoded(money, [0.25, 3, 9n])).toEqual([[25, 300, 900], undefined]);
    expect(
      encoded(matrix, [
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ).toEqual([[1, 2, 3, 4, 5, 6], undefined]);
    expect(encoded(matrix, Uint8Array.of(1, 2, 3, 4, 5, 6))).toEqual([[1, 2, 3, 4, 5, 6], undefined]);
    expect(encoded({ min: 0, max: 9 }, 7)).toEqual([[7], undefined]);
    expect(encoded({ ...integers, missing: true }, [1, null, NaN])).toEqual([
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(encoded(flags, [true, false, 1])).toEqual([[1, 0, 1], undefined]);
    expect(encoded(days, ['2020-01-01', new Date('2024-02-29'), '2029-12-31'])).toEqual([
      [18262, 19782, 21914],
      undefined,
    ]);
    expect(encoded(sorts, [0, 3, 1])).toEqual([[0, 3, 1], undefined]);
    expect(encoded(reals, [0.1, -1, 1n])).toEqual([[0.1, -1, 1], undefined]);
  });

  it('become longer integers where there may be such', () => {
    const long = { shape: [2], min: 0, max: 2n ** 63n - 1n, missing: true } as const;
    expect(encodeValue(rule(long), [2n ** 62n, null]).cells).toEqual(BigInt64Array.of(2n ** 62n, 0n));
    const longer = { ...long, max: 2n ** 100n };
    expect(encodeValue(rule(longer), [2n ** 100n, null]).cells).toEqual([`${2n ** 100n}`, '0']);
  });

  it.each<[string, ValueOptions, unknown, string]>([
    ['another length', integers, [1, 2], 'input.shape'],
    ['no array', integers, 1, 'input.shape'],
    [
      'another length within',
      matrix,
      [
        [1, 2, 3],
        [4, 5],
      ],
      'input.shape',
    ],
    ['a flat array of a matrix', matrix, [1, 2, 3, 4, 5, 6], 'input.shape'],
    ['another length of a typed array', matrix, Uint8Array.of(1), 'input.shape'],
    ['a missing cell', integers, [1, null, 3], 'input.missing_value'],
    ['a cell that is too large', integers, [1, 2, 10], 'range.value'],
    ['a category that there is not', sorts, [0, 4, 0], 'range.value'],
    ['a day that is too late', days, ['2020-01-01', '2020-01-01', '2030-01-01'], 'range.value'],
    ['too many decimals', money, [0.125, 0, 0], 'input.decimals'],
    ['a text', integers, ['1', 2, 3], 'input.kind'],
    ['a number as a boolean', flags, [true, false, 2], 'input.kind'],
    ['a boolean as a number', integers, [true, 2, 3], 'input.kind'],
    ['an infinite real', reals, [Infinity, 0, 0], 'input.kind'],
    ['no day', days, ['2023-02-29', '2023-02-28', '2023-02-28'], 'input.kind'],
    ['half a category', sorts, [0.5, 0, 0], 'input.kind'],
  ])('are refused: %s', (_, options, cells, code) => {
    expect(codeOf(() => encodeValue(rule(options), cells as Cells))).toBe(code);
  });

  it('are told by their place, and by their value only where that is asked for', () => {
    const wrong = (showValues: boolean) =>
      thrownBy(() =>
        encodeValue(
          rule(matrix),
          [
            [1, 2, 3],
            [4, 5555, 6],
          ],
          showValues,
        ),
      );
    expect(wrong(false)?.message).toBe('Input "v", cell [1, 1] (counted from 0): a value is not in 0..9');
    expect(JSON.stringify(wrong(false)?.details)).not.toContain('5555');
    expect(wrong(true)?.message).toContain('5555');
  });
});

/** What the only input of a task declares. */
function ruleIn(task: ValueTask): ValueRule {
  const { inputs } = described(task.literal());
  const { name, min, max, ...type } = inputs[0] as (typeof inputs)[number];
  const units = (bound: typeof min): bigint | number | undefined =>
    bound instanceof Date
      ? BigInt(bound.getTime() / 86_400_000)
      : typeof bound === 'object'
        ? bound.units
        : bound;
  const most = type.categories === undefined ? units(max) : type.categories - 1;
  return { name, type, min: type.categories === undefined ? units(min) : 0, max: most };
}

function described(literal: ValueTaskLiteral) {
  const report: RawTaskReport = {
    scheme: 'BGV',
    n: 2048,
    plainModuli: [],
    moduli: [],
    special: [],
    security: '',
    totalBits: 0,
    maxTotalBits: 0,
    seconds: 0,
    keys: [],
    operators: {},
    inputs: {},
    outputs: [],
    downloadBytes: 0,
  };
  return describeValueProgram(report, literal, 1);
}

describe('programs over values', () => {
  it('know what their outputs are, from the literal alone', () => {
    const { task, x, y, r, b, d, g, m } = inputs();
    const outputs: Record<string, Value> = {
      aligned: x.add(y).multiply(0.5),
      real: r.polynomial([0.5, 0.25]).add([0.5, 1, 2]),
      select: b.select(y, 7),
      days: d.sub(new Date('2020-01-01')),
      mean: g.mean(),
      row: m.at(1).concat([x, y]),
      product: m.matmul(x),
    };
    for (const [name, value] of Object.entries(outputs)) task.output(name, value);
    const { outputs: found } = described(task.literal());
    expect(found).toEqual(
      Object.entries(outputs).map(([name, { kind, shape, place, decimals, missing, categories }]) => {
        return { name, kind, shape, place, decimals, missing, categories };
      }),
    );
  });

  it('are refused if what they say is none', () => {
    const literal = (change: Partial<ValueTaskLiteral>) => {
      const { task, x } = inputs();
      task.output('out', x);
      return () => described({ ...task.literal(), ...change });
    };
    expect(codeOf(literal({ outputs: [{ name: '__proto__', operand: 0 }] }))).toBe('format.program');
    expect(codeOf(literal({ outputs: [{ name: 'out', operand: 99 }] }))).toBe('format.program');
    expect(codeOf(literal({ inputs: [{ name: 'x', type: 'u8' }] }))).toBe('format.program');
    const type = typeText(typeOf('integer', []));
    expect(codeOf(literal({ inputs: [{ name: 'x', type, min: 'a', max: '1' }] }))).toBe('format.program');
    expect(codeOf(literal({ nodes: [{ op: 'value.toString', inputs: [] }] }))).toBe('operator.invalid');
  });
});
