import { describe, expect, it } from 'vitest';
import { type Kind, KINDS } from '../src/job/kinds.js';
import { fromModule, loop, repeatWhile, sequence, when } from '../src/job/operators.js';
import { chooseKind, Measurements, moduleOn, SEED_TABLE, THRESHOLD, traitsOf } from '../src/job/placement.js';
import { codeOf, messageOf, thrownBy } from './code.js';
import { random } from './random.js';

const BOTH = { kinds: ['gpu', 'cpu'] as const };

describe('chooseKind', () => {
  // K-V3
  it.each([
    [-1, 'cpu', 'gpu'],
    [0, 'gpu', 'cpu'],
    [1, 'gpu', 'cpu'],
  ] as const)('need of T%i', (offset, int, float) => {
    const need = THRESHOLD + offset;
    expect(chooseKind({ type: 'int', need }, BOTH)).toBe(int);
    expect(chooseKind({ type: 'float', need }, BOTH)).toBe(float);
    expect([SEED_TABLE('int', need), SEED_TABLE('float', need)]).toEqual([int, float]);
    const threshold = 1000;
    expect(chooseKind({ type: 'int', need: threshold + offset }, { ...BOTH, threshold })).toBe(int);
    expect(chooseKind({ type: 'float', need: threshold + offset }, { ...BOTH, threshold })).toBe(float);
  });

  it('has 3 GB as threshold', () => expect(THRESHOLD).toBe(3_000_000_000));

  it('does what a pin says, whatever table and times say', () => {
    const choices = { kinds: KINDS, table: (): Kind => 'dsp', measured: { gpu: 1, cpu: 2 } };
    for (const pin of KINDS) expect(chooseKind({ type: 'int', need: 0, pin }, choices)).toBe(pin);
    expect(chooseKind({ type: 'int', need: 0 }, choices)).toBe('gpu');
    const error = thrownBy(() => chooseKind({ type: 'int', need: 0, pin: 'fpga' }, BOTH));
    expect([error?.code, error?.details]).toEqual(['job.kind', { found: 'fpga', expected: ['cpu', 'gpu'] }]);
    expect(error?.message).toMatch(/expected one of cpu, gpu, found "fpga"/);
  });

  it('takes another table', () => {
    const table = (type: string, need: number): Kind => (type === 'int' && need > 5 ? 'dsp' : 'arm');
    const choices = { kinds: KINDS, table };
    expect([6, 5].map((need) => chooseKind({ type: 'int', need }, choices))).toEqual(['dsp', 'arm']);
    const wrong = { ...choices, table: () => 'tpu' as Kind };
    expect(messageOf(() => chooseKind({ type: 'int', need: 1 }, wrong))).toMatch(/found "tpu"/);
    expect(codeOf(() => chooseKind({ type: 'int', need: 1 }, wrong))).toBe('job.kind');
  });

  it('falls back to what there is', () => {
    for (const only of KINDS) expect(chooseKind({ type: 'float', need: 1 }, { kinds: [only] })).toBe(only);
    // The table says gpu.
    expect(chooseKind({ type: 'float', need: 1 }, { kinds: ['arm', 'cpu'] })).toBe('cpu');
    expect(chooseKind({ type: 'float', need: 1 }, { kinds: ['arm', 'dsp'] })).toBe('dsp');
    expect(codeOf(() => chooseKind({ type: 'float', need: 1 }, { kinds: [] }))).toBe('job.kind');
    expect(codeOf(() => chooseKind({ type: 'float', need: 1, pin: 'gpu' }, { kinds: ['cpu'] }))).toBe(
      'job.kind',
    );
  });

  it('prefers what was measured, of two kinds of the crew at least', () => {
    const small = { type: 'float', need: 1 } as const;
    expect(chooseKind(small, { ...BOTH, measured: { cpu: 1 } })).toBe('gpu');
    expect(chooseKind(small, { ...BOTH, measured: { cpu: 1, arm: 9 } })).toBe('gpu');
    expect(chooseKind(small, { ...BOTH, measured: { cpu: 1, gpu: 2 } })).toBe('cpu');
    expect(chooseKind(small, { ...BOTH, measured: { cpu: 2, gpu: 1 } })).toBe('gpu');
    expect(chooseKind(small, { ...BOTH, measured: { gpu: 1, cpu: 1 } })).toBe('cpu');
    expect(chooseKind(small, { ...BOTH, measured: { cpu: 3, gpu: 2, arm: 1 } })).toBe('gpu');
  });

  it('never chooses a kind that the crew has not [property]', () => {
    const some = <T>(of: readonly T[]): T[] => of.filter(() => random(2) === 1);
    for (let trial = 0; trial < 1000; trial++) {
      const kinds = some(KINDS);
      if (kinds.length === 0) continue;
      const measured = Object.fromEntries(some(KINDS).map((kind) => [kind, random(5)]));
      const type = random(2) === 0 ? 'int' : 'float';
      const chosen = chooseKind({ type, need: random(2) * 4e9 }, { kinds, measured });
      expect(kinds).toContain(chosen);
      const known = kinds.filter((kind) => measured[kind] !== undefined);
      if (kinds.length > 1 && known.length > 1)
        expect(measured[chosen]).toBe(Math.min(...known.map((kind) => measured[kind] as number)));
    }
  });
});

describe('Measurements', () => {
  it('tell times for a row, and the best of two kinds', () => {
    const measurements = new Measurements();
    expect([measurements.times('a'), measurements.best('a')]).toEqual([{}, undefined]);
    measurements.record('a', 'cpu', 1000, 2);
    measurements.record('a', 'cpu', 3000, 2);
    expect([measurements.times('a'), measurements.best('a')]).toEqual([{ cpu: 1000 }, undefined]);
    measurements.record('a', 'gpu', 10, 0.001);
    expect(measurements.times('a')['gpu']).toBeCloseTo(100);
    expect([measurements.best('a'), measurements.best('b'), measurements.best('constructor')]).toEqual([
      'gpu',
      undefined,
      undefined,
    ]);
    for (const [rows, milliseconds] of [
      [0, 5],
      [5, -1],
      [NaN, 1],
      [1, NaN],
    ] as const)
      measurements.record('b', 'gpu', rows, milliseconds);
    expect(measurements.times('b')).toEqual({});
  });
});

describe('traitsOf', () => {
  const [int, float] = [fromModule('x:i', { type: 'int', need: 3 }), fromModule('x:f', { need: 9 })];
  it('is what an operator says, or else what it is made of', () => {
    expect(traitsOf(int)).toEqual({ type: 'int', need: 3 });
    expect(traitsOf(sequence([int, int]))).toEqual({ type: 'int', need: 3 });
    expect(traitsOf(sequence([int, float]))).toEqual({ type: 'float', need: 9 });
    expect(traitsOf(sequence([int, float], { type: 'int', need: 1, processor: 'dsp' }))).toEqual({
      type: 'int',
      need: 1,
      processor: 'dsp',
    });
    expect(traitsOf(loop({ from: 0, to: 1, body: when(int, int, int) }))).toEqual({ type: 'int', need: 3 });
    const pinned = fromModule('x:p', { processor: 'gpu' });
    expect(traitsOf(repeatWhile(int, sequence([int, pinned]), { most: 1 })).processor).toBe('gpu');
    const other = fromModule('x:p', { processor: 'arm' });
    expect(thrownBy(() => traitsOf(when(int, pinned, other)))?.details['found']).toEqual(['gpu', 'arm']);
    expect(traitsOf(when(int, pinned, other, { processor: 'cpu' })).processor).toBe('cpu');
  });
});

describe('moduleOn', () => {
  it('is that of the kind', () => {
    const operator = fromModule('x:all', {
      on: { gpu: { module: 'x:gpu', name: 'g' }, arm: { module: 'x:arm' } },
    });
    expect(KINDS.map((kind) => moduleOn(operator, kind))).toEqual([
      { module: 'x:all', name: 'default' },
      { module: 'x:gpu', name: 'g' },
      { module: 'x:all', name: 'default' },
      { module: 'x:all', name: 'default' },
      { module: 'x:arm', name: 'default' },
    ]);
  });
});
