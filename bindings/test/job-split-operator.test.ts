import { describe, expect, it } from 'vitest';
import { fromModule, loop, repeatWhile, sequence, when } from '../src/job/operators.js';
import { resolved, splitLoop, splitOperator } from '../src/job/split-operator.js';
import type { Library, Loop, Operator, Sequence } from '../src/job/types.js';
import { codeOf, thrownBy } from './code.js';
import { random } from './random.js';

const operator = (name: string): Operator => fromModule('https://example.org/operators.js', { name });
const libraryOf = (...names: string[]): Library =>
  Object.fromEntries(names.map((name) => [name, operator(name)]));
/** Parts as the cases write them: names, and what is an exception. */
const told = (split: ReturnType<typeof splitOperator>) =>
  split.parts.map(({ name, exception }) => (exception ? `${name ?? '?'}(exception)` : name));

const OPERATORS = libraryOf('D', 'E');

describe('splitOperator', () => {
  // K-V1
  it.each([
    [['A', 'B', 'C'], ['A', 'B', 'D'], true, ['A', 'B', 'D(exception)']],
    [['m', 'l', 'n'], ['m', 'l', 'n'], true, ['m', 'l', 'n']],
  ])('library %j: %j', (library, steps, splittable, parts) => {
    const split = splitOperator(sequence(steps), libraryOf(...library), OPERATORS);
    expect(split.splittable).toBe(splittable);
    expect(told(split)).toEqual(parts);
  });

  it('leaves what has nothing of the library as one whole', () => {
    const split = splitOperator(sequence(['D', 'E']), libraryOf('A', 'B', 'C'), OPERATORS);
    expect(split).toEqual({
      splittable: false,
      parts: [
        { operator: sequence([operator('D'), operator('E')]), exception: true, traits: { type: 'float' } },
      ],
    });
    // Whatever is edited: the library or the operator.
    expect(told(splitOperator(sequence(['D', 'E']), libraryOf('E'), libraryOf('D')))).toEqual([
      'D(exception)',
      'E',
    ]);
    expect(splitOperator('D', {}, OPERATORS)).toMatchObject({ splittable: false, parts: [{ name: 'D' }] });
    expect(splitOperator('A', libraryOf('A'))).toMatchObject({ splittable: true, parts: [{ name: 'A' }] });
  });

  it('knows operators by what they compute, not by how they are placed', () => {
    const bytes = (last: number): Operator => ({ kind: 'circuit', bytes: Uint8Array.of(1, 2, last) });
    const library = {
      ...libraryOf('A'),
      C: bytes(3),
      S: sequence(['A', bytes(4)]),
      unnamed: fromModule('x:y'),
    };
    const steps: Operator[] = [
      bytes(3),
      bytes(9),
      { kind: 'circuit', bytes: Uint8Array.of(1, 2, 3, 4) },
      fromModule('https://example.org/operators.js', { name: 'A', processor: 'gpu' }),
      sequence([operator('A'), bytes(4)]),
      fromModule('x:y', { name: 'default' }),
      fromModule('x:y', { name: 'other' }),
    ];
    const split = splitOperator(sequence(steps), library);
    expect(told(split)).toEqual(['C', '?(exception)', '?(exception)', 'A', 'S', 'unnamed', '?(exception)']);
    expect(split.parts[3]?.traits).toEqual({ processor: 'gpu' });
    // A sequence of the library stays whole.
    expect((split.parts[4]?.operator as Sequence).steps).toHaveLength(2);
  });

  it('makes one of sequences in sequences, whose traits go to their steps', () => {
    const inner = sequence(['B', sequence(['D'], { type: 'int' })], { need: 5, processor: 'arm' });
    const { parts } = splitOperator(
      sequence(['A', inner, 'C'], { need: 7 }),
      libraryOf('A', 'B', 'C'),
      OPERATORS,
    );
    expect(parts.map(({ name, traits }) => [name, traits])).toEqual([
      ['A', { need: 7 }],
      ['B', { need: 5, processor: 'arm' }],
      ['D', { type: 'int', need: 5, processor: 'arm' }],
      ['C', { need: 7 }],
    ]);
  });

  it('has for, while and if in every library, each with its body', () => {
    const condition = fromModule('https://example.org/c.js');
    const steps = [
      loop({ from: 0, to: 10, body: 'D' }),
      repeatWhile(condition, sequence(['A', 'D']), { most: 3 }),
      when(condition, 'A', 'D'),
      'E',
    ];
    const split = splitOperator(sequence(steps), libraryOf('A'), OPERATORS);
    expect(told(split)).toEqual(['for', 'while', 'if', 'E(exception)']);
    expect(split.parts[1]?.operator).toMatchObject({ body: { steps: [operator('A'), operator('D')] } });
    expect(splitOperator(loop({ from: 0, to: 10, body: 'D' }), {}, OPERATORS).splittable).toBe(true);
    const own = { mine: loop({ from: 0, to: 10, body: operator('D') }) };
    expect(told(splitOperator(loop({ from: 0, to: 10, body: 'D' }), own, OPERATORS))).toEqual(['mine']);
  });

  it('takes a sequence whose steps are pinned apart step by step', () => {
    const [a, b] = [fromModule('x:a', { processor: 'cpu' }), fromModule('x:b', { processor: 'gpu' })];
    const split = splitOperator(sequence([a, b]));
    expect([split.splittable, split.parts.map(({ traits }) => traits.processor)]).toEqual([
      false,
      ['cpu', 'gpu'],
    ]);
    // What runs as a whole cannot be.
    expect(codeOf(() => splitOperator(when(a, b)))).toBe('job.kind');
  });

  it('finds no operators in prototypes', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const error = thrownBy(() => splitOperator(name, libraryOf('A'), OPERATORS));
      expect([error?.code, error?.details['found'], error?.details['expected']]).toEqual([
        'job.definition',
        name,
        ['A', 'D', 'E'],
      ]);
    }
    expect(told(splitOperator('constructor', libraryOf('constructor')))).toEqual(['constructor']);
    expect(resolved('D', {}, OPERATORS)).toEqual(operator('D'));
  });

  it('keeps the order, whatever the nesting [property]', () => {
    const names = ['A', 'B', 'C', 'D', 'E'];
    for (let trial = 0; trial < 200; trial++) {
      const flat = Array.from({ length: 1 + random(9) }, () => names[random(5)] as string);
      const nested = (steps: readonly string[]): Sequence => {
        const cut = random(steps.length);
        if (cut === 0) return sequence(steps);
        return sequence([nested(steps.slice(0, cut)), nested(steps.slice(cut))]);
      };
      const split = splitOperator(nested(flat), libraryOf('A', 'B', 'C'), OPERATORS);
      const known = flat.some((name) => name < 'D');
      expect(split.splittable).toBe(known);
      if (known) expect(told(split)).toEqual(flat.map((name) => (name < 'D' ? name : `${name}(exception)`)));
      else expect(split.parts).toHaveLength(1);
    }
  });
});

describe('splitLoop', () => {
  const made = (from: number, to: number, parts: number): Loop =>
    loop({ from, to, parts, independent: true, body: 'A' });
  const ranges = (of: Loop) => splitLoop(of).map(({ from, to }) => [from, to]);

  // K-V2
  it('cuts 0..10 into five', () => {
    expect(ranges(made(0, 10, 5))).toEqual([
      [0, 2],
      [2, 4],
      [4, 6],
      [6, 8],
      [8, 10],
    ]);
  });

  it('cuts what does not divide into parts that differ by one at most', () => {
    expect(ranges(made(0, 10, 3))).toEqual([
      [0, 4],
      [4, 7],
      [7, 10],
    ]);
    expect(ranges(made(0, 3, 5))).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(ranges(made(4, 4, 5))).toEqual([[4, 4]]);
  });

  it('cuts nothing whose turns depend on each other', () => {
    const { independent: _, ...dependent } = made(0, 10, 5);
    for (const each of [dependent, { ...dependent, independent: false }])
      expect(ranges(each)).toEqual([[0, 10]]);
    const { parts: __, ...whole } = made(0, 10, 5);
    expect(ranges(whole)).toEqual([[0, 10]]);
  });

  it('covers the range in order, each turn once [property]', () => {
    for (let trial = 0; trial < 500; trial++) {
      const from = random(1000);
      const to = from + random(200);
      const given = { ...made(from, to, 1 + random(300)), processor: 'cpu' as const };
      const parts = splitLoop(given);
      const sizes = parts.map((part) => part.to - part.from);
      expect(parts[0]?.from).toBe(from);
      expect(parts.at(-1)?.to).toBe(to);
      parts.slice(1).forEach((part, index) => expect(part.from).toBe(parts[index]?.to));
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(parts).toHaveLength(Math.max(1, Math.min(given.parts as number, to - from)));
      if (to > from) expect(Math.min(...sizes)).toBeGreaterThan(0);
      const { from: _, to: __, parts: ___, ...rest } = given;
      for (const { from: _, to: __, ...part } of parts) expect(part).toEqual(rest);
    }
    const huge = splitLoop(made(0, Number.MAX_SAFE_INTEGER, 65_536));
    expect(huge.reduce((sum, { from, to }) => sum + BigInt(to - from), 0n)).toBe(2n ** 53n - 1n);
  });
});
