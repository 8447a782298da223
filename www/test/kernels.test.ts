// The tab Kernels: who is best, and by how much; what is measured.
import type { Compared } from 'cipherloom/tune/kernels';
import { describe, expect, it } from 'vitest';
import { bestOf, type Finding, gainOf, gainText, timed, timeText } from '../src/kernels/findings.js';
import { DIMENSIONS, OPERATORS } from '../src/kernels/operators.js';

const one = (name: string, time: number | undefined, spread = 2, problem?: string): Compared => ({
  kind: name === 'simd' || name === 'scalar' ? 'library' : 'generated',
  name,
  schedules: [],
  problem,
  times: time === undefined ? undefined : { time, spread, samples: 25 },
});
const finding = (...compared: Compared[]): Finding => ({ operator: OPERATORS[0]!, compared });

describe('findings', () => {
  it('have a best one, which beats the own choice by more than noise, and conforms', () => {
    expect(bestOf(finding(one('simd', 100), one('scalar', 500), one('made', 80)))?.name).toBe('made');
    expect(bestOf(finding(one('simd', 100, 40), one('made', 90, 40)))?.name).toBe('simd');
    expect(bestOf(finding(one('simd', 100), one('made', 99.5, 0)))?.name).toBe('simd');
    // Wrong, with a wonderful time.
    const wrong = finding(one('simd', 100), one('made', 0.001, 0, 'other bits'), one('other', 90, 1));
    expect(bestOf(wrong)?.name).toBe('other');
    expect(timed(wrong)).toHaveLength(2);
    // Where the engine's own choice is wrong there is nothing to be compared with.
    expect(bestOf(finding(one('simd', undefined, 0, 'other bits'), one('made', 1)))).toBeUndefined();
    expect(bestOf(finding())).toBeUndefined();
  });

  it('say how much, between which ends', () => {
    const own = one('simd', 100_000, 10_000);
    const made = one('made', 50_000, 10_000);
    const found = finding(own, made);
    const gain = gainOf(found, timed(found)[1]!)!;
    expect(gain.gain).toBe(2);
    expect(gain.least).toBeCloseTo(95 / 55, 12);
    expect(gain.most).toBeCloseTo(105 / 45, 12);
    expect(gainText(gain)).toBe('2.00 times as fast (1.73 to 2.33)');
    expect(timed(found).map(timeText)).toEqual(['100 µs ± 5', '50 µs ± 5']);
    expect(timeText(timed(finding(one('simd', 12_345_678, 1234)))[0]!)).toBe('12346 µs ± 0.617');
    // What a coarse clock gives: the same again and again, but for rounding.
    expect(timeText(timed(finding(one('simd', 4321.5, 1e-9)))[0]!)).toBe('4.32 µs ± 0');
  });
});

describe('operators', () => {
  it('are made of what is searched before, and keys name it', () => {
    const searched = OPERATORS.filter(({ name, made }) => made.includes(name)).map(({ name }) => name);
    expect(searched).toEqual(['limb.ntt', 'limb.intt', 'limb.convolve', 'rns.extend']);
    for (const [at, { name, made, key }] of OPERATORS.entries()) {
      for (const other of made) expect(OPERATORS.slice(0, at + 1).map((one) => one.name)).toContain(other);
      for (const n of DIMENSIONS) {
        const { operator, device, inputs } = key(n, 'device');
        expect([operator, device]).toEqual([name, 'device']);
        for (const input of inputs) expect(input).toContain(`n=${n},`);
      }
    }
  });
});
