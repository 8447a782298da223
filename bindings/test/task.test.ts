// What the builder of tasks refuses, and how it declares inputs.
import { describe, expect, it } from 'vitest';
import { createTask } from '../src/values/task.js';
import { readValueType, typeText } from '../src/values/type.js';
import type { Value, ValueOptions } from '../src/values/types.js';
import { codeOf, messageOf } from './code.js';
import { days, flags, inputs, type Inputs, integers, money, reals, sorts } from './inputs.js';

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
    ['a category that there is not', ({ c }) => c.equals(4), 'range.value'],
    ['a category below 0', ({ c }) => c.concat([-1]), 'range.value'],
    ['encrypted reals compared', ({ r }) => r.lessThan(0), 'operator.invalid'],
    ['equality of encrypted reals', ({ r }) => r.equals(0), 'operator.invalid'],
    ['a gap that is none', ({ r }) => r.lessThan(0, { gap: 0 }), 'input.type'],
    ['an option that is none', ({ r }) => r.lessThan(0, { gab: 1 } as object), 'input.option'],
    ['a function without an interval', ({ r }) => r.approximate(Math.exp), 'input.type'],
    ['an interval without length', ({ r }) => r.approximate(Math.exp, { from: 1, to: 1 }), 'input.type'],
    ['a function with a pole', ({ r }) => r.approximate((x) => 1 / x, { from: 0, to: 1 }), 'input.type'],
    ['a step', ({ r }) => r.approximate(Math.sign, { from: -1, to: 1 }), 'parameters.approximation'],
    [
      'what is 1 at one place alone',
      ({ r }) => r.approximate((x) => (Math.abs(x - 0.3) < 0.01 ? 1 : 0), { from: -1, to: 1 }),
      'parameters.approximation',
    ],
    ['bounds in the wrong order', ({ r }) => r.within(1, 0), 'input.type'],
    ['bounds with more decimals', ({ x }) => x.within(0, 0.12345), 'input.type'],
    ['numbers as booleans', ({ x, b }) => b.and(x), 'operator.invalid'],
    ['a condition of numbers', ({ x }) => x.select(1, 0), 'operator.invalid'],
    ['select of two kinds', ({ b, d, x }) => b.select(d, x), 'operator.invalid'],
    ['a table with cells that may be missing', ({ g, x }) => x.lookup(g), 'graph.missing'],
    [
      'a mean of what is there, which the server alone knows',
      ({ task, x }) => x.add(task.plain('gaps', { shape: [3], min: 0, max: 9, missing: true })).mean(),
      'operator.invalid',
    ],
    [
      'an output of what is missing where the server alone knows',
      ({ task, x }) =>
        task.output('o', x.add(task.plain('gaps', { shape: [3], min: 0, max: 9, missing: true }))),
      'operator.invalid',
    ],
    ['a fill of another kind', ({ g }) => g.filled(true), 'input.type'],
    ['a fill with more decimals', ({ g }) => g.filled(0.5), 'input.type'],
    ['several fills', ({ g }) => g.filled([1, 2, 3] as never), 'input.type'],
    ['many encrypted cells divided', ({ x }) => x.divide(2), 'operator.invalid'],
    ['a root of many encrypted cells', ({ x }) => x.sqrt(), 'operator.invalid'],
    ["a quotient by the server's own", ({ x, p }) => x.sum().divide(p.sum()), 'operator.invalid'],
    [
      "a quotient of what may be missing by the server's own",
      ({ task, g }) => g.at(0).divide(task.plain('divisor', { min: 1, max: 9 })),
      'operator.invalid',
    ],
    [
      "a quotient by the server's own, of which cells may be missing",
      ({ task, g }) => g.at(0).divide(task.plain('divisor', { min: 1, max: 9, missing: true })),
      'operator.invalid',
    ],
    [
      "the larger one of what is encrypted and the server's own with gaps",
      ({ task, x }) => task.output('o', x.max(task.plain('divisor', { min: 1, max: 9, missing: true }))),
      'operator.invalid',
    ],
    ["a regression on the server's own", ({ x, p }) => p.regression(x), 'operator.invalid'],
    ['a mean beside many encrypted cells', ({ x }) => x.sub(x.mean()), 'operator.invalid'],
    ['a division by 0', ({ r }) => r.divide(0), 'input.type'],
    ["an output of the server's own", ({ task, p }) => task.output('o', p), 'operator.invalid'],
    ['vectors of unequal lengths', ({ x }) => x.dot([1, 2]), 'graph.shape'],
    ['matrices that do not fit', ({ m }) => m.matmul(m), 'graph.shape'],
    [
      "a target of the server's own",
      ({ task, m }) => m.regression(task.plain('target', { shape: [2], min: 0, max: 9 })),
      'operator.invalid',
    ],
    [
      'predictors that are days',
      ({ task }) =>
        task
          .encrypted('days', { kind: 'date', shape: [3, 2], min: '2020-01-01', max: '2020-12-31' })
          .regression([1, 2, 3]),
      'operator.invalid',
    ],
    ['a target of categories', ({ m, c }) => m.regression(c.slice(0, 2)), 'operator.invalid'],
    ['more targets than rows', ({ m, x }) => m.regression(x), 'graph.shape'],
    [
      'a count of one record, made of others',
      ({ task, g }) => task.forEach({ g }, (of) => of.g.add(1).count()),
      'operator.invalid',
    ],
    ['a variance of one cell', ({ x }) => x.slice(0, 1).variance(), 'graph.shape'],
    ['a mean along a dimension that is none', ({ m }) => m.mean(2), 'graph.shape'],
    ['a mean along half a dimension', ({ m }) => m.mean(0.5), 'graph.shape'],
    [
      'a variance along a dimension of one cell',
      ({ x }) => x.reshape([3, 1]).variance({ axis: 1 }),
      'graph.shape',
    ],
    [
      'more means than are decrypted',
      ({ task }) => task.encrypted('w', { shape: [1025, 2], min: 0, max: 9 }).mean(1),
      'graph.shape',
    ],
    [
      'a mean of one record along a dimension',
      ({ task, m }) => task.forEach({ m }, (of) => of.m.mean(0)),
      'operator.invalid',
    ],
    ['an axis that is none', ({ x }) => x.sum(1), 'graph.shape'],
    ['an axis that is no number', ({ x }) => x.sum('0' as never), 'graph.shape'],
    ['a dimension twice', ({ m }) => m.transpose([0, 0]), 'graph.shape'],
    ['a dimension that is none', ({ m }) => m.transpose([0, 1, 2]), 'graph.shape'],
    ['halves of dimensions', ({ m }) => m.transpose([0.5, 1]), 'graph.shape'],
    ['an index that is none', ({ x }) => x.at(3), 'graph.shape'],
    ['too many indices', ({ x }) => x.at(0, 0), 'graph.shape'],
    ['a slice of nothing', ({ x }) => x.slice(2, 2), 'graph.shape'],
    ['a slice from nothing', ({ x }) => x.slice(null as never), 'input.type'],
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
    [
      'a number beyond all integers after scaling',
      ({ y }) =>
        y
          .multiply(1e-10)
          .multiply(1e-10)
          .add(2n ** 61n),
      'range.integer',
    ],
    ['an array with a missing number', ({ x }) => x.multiply([1, null, 2] as never), 'input.type'],
    ['an array with a number that is none', ({ x }) => x.multiply([1, Number.NaN, 2]), 'input.not_a_number'],
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
    const { task, x, d, m } = inputs();
    expect(messageOf(() => x.add([1, 2]))).toBe(
      'add: shapes [3] and [2] do not go together, expected lengths that are equal or 1, counted from the last',
    );
    expect(messageOf(() => d.add(d))).toBe(
      'add: expected whole days: two dates have no sum, found encrypted date [3]',
    );
    expect(messageOf(() => m.divide(2))).toContain('multiply with its inverse');
    task.output('out', x);
    expect(task.literal().nodes.map(({ op }) => op)).not.toContain('value.add');
  });
});

describe('a literal', () => {
  it('numbers inputs first, then nodes, whatever the order of calls, and is plain data', () => {
    const task = createTask();
    const age = task.encrypted('age', integers);
    task.output('mean', age.mean());
    const pressure = task.encrypted('pressure', money);
    task.output('covariance', age.covariance(pressure, { of: 'population' }));
    const literal = task.literal();
    expect(literal.inputs.map(({ name }) => name)).toEqual(['age', 'pressure']);
    expect(literal.nodes[0]).toMatchObject({ op: 'stats.mean', inputs: [0] });
    expect(literal.outputs.map(({ name }) => name)).toEqual(['mean', 'covariance']);
    for (const { operand } of literal.outputs) expect(operand).toBeLessThan(2 + literal.nodes.length);
    for (const [index, { inputs }] of literal.nodes.entries())
      expect(inputs.every((operand) => operand < 2 + index)).toBe(true);
    expect(structuredClone(literal)).toEqual(literal);
    expect(JSON.parse(JSON.stringify(literal))).toEqual(literal);
  });
});

describe('records', () => {
  it('are of all inputs that are no single values where no columns are given', () => {
    const task = createTask();
    const limit = task.encrypted('limit', { min: 0, max: 9 });
    for (const name of ['a', 'b']) task.encrypted(name, { shape: [3], min: 0, max: 9 });
    task.plain('rows', { shape: [3, 2], min: 0, max: 9 });
    let names: string[] = [];
    const made = task.forEach((record) => {
      names = Object.keys(record);
      return record['a']!.add(record['b']!).add(limit);
    });
    expect(names).toEqual(['a', 'b', 'rows']);
    expect(made.shape).toEqual([3]);
    task.encrypted('other', { shape: [4], min: 0, max: 9 });
    expect(codeOf(() => task.forEach(() => limit))).toBe('graph.shape');
  });
});

describe('inputs of values', () => {
  const declared = (options: unknown): string =>
    codeOf(() => createTask().encrypted('x', options as ValueOptions));

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
    const task = createTask();
    task.plain('x', integers);
    expect(codeOf(() => task.encrypted('x', integers))).toBe('graph.name');
    task.output('x', task.constant(1));
    expect(codeOf(() => task.output('x', task.constant(1)))).toBe('graph.name');
    // Of properties that every object has, too, and of as many bytes as a name may take.
    for (const name of ['constructor', 'toString', 'then', '\u{1f512}'.repeat(64)])
      expect(codeOf(() => task.output(name, task.public(name, integers)))).toBe('no error');
    const long = '\u{1f512}'.repeat(64);
    const wrong = [
      '__proto__',
      '',
      'x'.repeat(257),
      `${long}x`,
      '\ud800',
      5n,
      Symbol('s'),
      null,
      {},
    ] as never[];
    for (const name of wrong) {
      expect(codeOf(() => task.encrypted(name, integers))).toBe('graph.name');
      expect(codeOf(() => task.output(name, task.constant(1)))).toBe('graph.name');
    }
  });
});
