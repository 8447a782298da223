// Cells as people have them, and as the core reads them; and what programs say of their outputs.
import { describe, expect, it } from 'vitest';
import { toUnits } from '../src/exact.js';
import { encodeValue, type ValueRule } from '../src/values/cells.js';
import { describeProgram, rulesOf } from '../src/values/program-info.js';
import { createTask } from '../src/values/task.js';
import { typeOf, typeText } from '../src/values/type.js';
import type { Cells, Value, ValueOptions, TaskLiteral } from '../src/values/types.js';
import type { RawProgramReport } from '../src/raw.js';
import { codeOf, thrownBy } from './code.js';
import { days, flags, inputs, integers, matrix, money, reals, sorts } from './inputs.js';
import { random } from './random.js';

describe('cells', () => {
  const rule = (options: ValueOptions): ValueRule => {
    const task = createTask();
    task.output('out', task.encrypted('v', options).count());
    return rulesOf(task.literal())[0] as ValueRule;
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
    // What doubles hold only nearly is taken by its shortest decimal form.
    expect(encoded(money, [0.29, 1.15, 4.35])).toEqual([[29, 115, 435], undefined]);
    expect(encoded(money, Float32Array.of(0, 0.5, 2))).toEqual([[0, 50, 200], undefined]);
  });

  it('are the units of exact decimals, whichever way they take', () => {
    const odd = [0.49999999999999994, 2 ** 51 + 0.5, 2 ** 52 + 1, 2 ** 53 - 1, 1e15, 1e-7, 0.5, 1.5, 2.5, 0];
    for (const decimals of [0, 1, 2, 6, 15, 22]) {
      const given = [...odd, ...Array.from({ length: 300 }, () => random(2 ** 31) / 10 ** random(8))];
      for (const cell of given.flatMap((cell) => [cell, -cell])) {
        const units = toUnits(cell, decimals);
        const within = { shape: [3], decimals, min: -1e10, max: 1e10 } as const;
        // Between others, so that it is taken with them where it can be.
        const found = (): unknown => encoded(within, [1, cell, 2]);
        if (units === undefined) {
          expect(codeOf(found)).toBe('input.decimals');
        } else if (Math.abs(cell) > 1e10) {
          expect(codeOf(found)).toBe('range.value');
        } else {
          const [cells] = found() as [ArrayLike<unknown>];
          expect(BigInt(cells[1] as string)).toBe(units);
        }
      }
    }
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
    ['a cell that is too small', money, [-0.01, 0, 0], 'range.value'],
    ['a missing number', integers, [1, Number.NaN, 3], 'input.missing_value'],
    ['an infinite number', integers, [1, Infinity, 3], 'input.kind'],
    ['nothing', integers, undefined, 'input.shape'],
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

/** What a program says of itself, of which nothing but the literal is known. */
function described(literal: TaskLiteral, seconds = 0, threads = 1) {
  const report: RawProgramReport = {
    scheme: 'BGV',
    n: 2048,
    plainModuli: [],
    moduli: [],
    special: [],
    security: 'guidelines-2024',
    securityBits: 128,
    quantum: false,
    totalBits: 0,
    maxTotalBits: 0,
    seconds,
    keys: [],
    operators: {},
    inputs: {},
    outputs: [],
    results: {},
    downloadBytes: 0,
  };
  return describeProgram(report, literal, threads);
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

  it('tell bounds as decimals and days', () => {
    const { task, x } = inputs();
    task.output('out', x);
    const { inputs: found } = described(task.literal());
    const bounds = Object.fromEntries(found.map(({ name, min, max }) => [name, [min, max]]));
    expect(bounds['y']?.map(String)).toEqual(['0.00', '9.00']);
    expect(bounds['d']).toEqual([new Date('2020-01-01'), new Date('2029-12-31')]);
    expect([bounds['r'], bounds['b'], bounds['c']]).toEqual([
      [-1, 1],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('estimate the time of all threads', () => {
    const { task, x } = inputs();
    task.output('out', x);
    const seconds = (threads: number) => described(task.literal(), 12, threads).cost.seconds;
    expect([seconds(1), seconds(4)]).toEqual([12, 3]);
  });

  it('are refused if what they say is none', () => {
    const literal = (change: Partial<TaskLiteral>) => {
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
