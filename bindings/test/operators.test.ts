// What the builder of tasks writes down for each operator.
import { describe, expect, it } from 'vitest';
import { typeText } from '../src/values/type.js';
import type { Value } from '../src/values/types.js';
import { messageOf } from './code.js';
import { inputs, type Inputs } from './inputs.js';

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
  return [shown, typeText({ kind, shape, place, decimals, missing, categories, names: value.names })];
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
      'add of a number to a quotient',
      ({ x }) => x.sum().divide(3).add(0.1),
      [
        'value.sum(x)',
        'value.constant(){kind="integer", shape=[], value=3}',
        'value.divide(%0, %1)',
        'value.constant(){decimals=1, kind="integer", shape=[], value=1}',
        'value.add(%2, %3)',
      ],
      'kind="real", shape=[], where="encrypted"',
    ],
    [
      'comparison of whole numbers with one between two',
      ({ x }) => x.lessThan([2.5, -2.5, 7]).and(x.atLeast([2.5, -2.5, 7])),
      [
        'value.constant(){kind="integer", shape=[3], value=[3,-2,7]}',
        'value.compare(x, %0){relation="lt"}',
        'value.constant(){kind="integer", shape=[3], value=[3,-2,7]}',
        'value.compare(%2, x){relation="le"}',
        'value.and(%1, %3)',
      ],
      'kind="boolean", shape=[3], where="encrypted"',
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
    ['count of booleans', ({ b }) => b.count(), ['stats.count(b)'], single],
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
    [
      'transpose',
      ({ m }) => m.transpose(),
      ['value.transpose(m){axes=[1,0]}'],
      'kind="integer", shape=[3,2], where="encrypted"',
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
