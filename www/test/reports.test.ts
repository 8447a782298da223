import type { Check, Conformance, Difference } from 'cipherloom';
import { describe, expect, test } from 'vitest';
import * as checks from '../src/verify/check-report.js';
import type { Device } from '../src/verify/device.js';
import { jsonOf } from '../src/verify/report-tools.js';
import * as suites from '../src/verify/suite-report.js';

const DEVICE: Device = {
  browser: 'Browser/1',
  processor: 'x86',
  processors: 4,
  build: 'relaxed',
  threads: 1,
  isolated: false,
  core: '0.1.0',
  at: '2026-11-22T00:00:00.000Z',
};

const SAME: Check = {
  kind: 'circuit',
  name: undefined,
  stage: undefined,
  passed: true,
  compared: ['output `a`', 'output `b`'],
  notCompared: [],
  bytes: 1200,
  problem: undefined,
  difference: undefined,
};

const DIFFERENCE: Difference = {
  what: 'operator 8 (limb.add), part of operator 4 (poly.add)',
  operator: 8,
  name: 'limb.add',
  partOf: { operator: 4, name: 'poly.add' },
  seenIn: 'output `c`',
  type: 'limb[16]{form="coeff"}',
  units: [
    [0, 8],
    [24, 32],
  ],
  byte: 1234,
  cell: undefined,
  slot: undefined,
  found: 1,
  expected: 255,
};

function lineOf(check: Partial<Check>, beside: string | undefined = 'Text'): checks.Line {
  return { stage: 'Step 1', stop: '3', beside, check: { ...SAME, ...check } };
}

function wrongOf(check: Partial<Check>): checks.Line {
  const problem = { code: 'verify.differs', message: 'differs' } as Check['problem'];
  return lineOf({ passed: false, compared: [], bytes: 0, problem, difference: DIFFERENCE, ...check });
}

describe('a check', () => {
  test('says what was compared with what, and how much', () => {
    expect(checks.titleOf(lineOf({}))).toBe('Step 1 beside Text');
    expect(checks.amountOf(lineOf({}))).toBe('2 outputs, 1.2 kB');
    expect(checks.titleOf(lineOf({ kind: 'pass', name: 'prune' }))).toBe(
      'Step 1 before and after the pass prune',
    );
    const platform = lineOf({ kind: 'platform', name: 'simd', compared: ['operator 0 (u8.add)'] });
    expect(checks.titleOf(platform)).toBe('Step 1: every operator on simd kernels beside scalar ones');
    expect(checks.amountOf(platform)).toBe('1 operator, 1.2 kB');
  });

  test('says what was left out, and why', () => {
    const notCompared = ['a', 'b', 'c', 'd', 'e'].map((what) => ({ what, why: 'others are drawn' }));
    expect(checks.leftOut(lineOf({ notCompared }))).toBe(
      'Not compared: a, b, c and 2 more, since others are drawn.',
    );
    expect(checks.amountOf(lineOf({ notCompared }))).toBe('2 outputs, 1.2 kB; 5 not');
    expect(checks.leftOut(lineOf({}))).toBeUndefined();
  });

  test('names what differs, and where', () => {
    expect(checks.faultOf(wrongOf({}))).toBe(
      'limb.add #8 (part of poly.add #4) gives something else than Text. Byte 1,234 of limb[16]{form="coeff"} at units ' +
        '[0, 8) + [24, 32) is 0x01, expected 0xff. It was noticed in output c.',
    );
    expect(checks.faultOf(wrongOf({ kind: 'platform' }))).toMatch(/than the scalar kernels\./);
    expect(checks.faultOf(wrongOf({ difference: undefined }))).toBe('differs (verify.differs)');
    const output = {
      ...DIFFERENCE,
      what: 'output `z`',
      operator: undefined,
      name: undefined,
      seenIn: undefined,
    };
    expect(checks.faultOf(wrongOf({ difference: output }))).toMatch(/^output z gives .*0xff\.$/);
  });

  test('leads to the operator of the stage, but for what a pass has numbered anew', () => {
    expect(checks.operatorIn(wrongOf({}))).toBe(4);
    expect(checks.operatorIn(wrongOf({ difference: { ...DIFFERENCE, partOf: undefined } }))).toBe(8);
    expect(checks.operatorIn(wrongOf({ kind: 'pass' }))).toBeUndefined();
    expect(checks.operatorIn({ ...wrongOf({}), stop: undefined })).toBeUndefined();
  });
});

describe('a report of checks', () => {
  const how = { trials: 30, seed: 5, seconds: 1.5, device: DEVICE };
  const good = { lines: [lineOf({}), lineOf({ kind: 'structure', compared: [], bytes: 0 })], ...how };
  const bad = { lines: [lineOf({}), wrongOf({})], ...how };

  test('says what came of them', () => {
    expect(checks.verdictOf(good)).toBe(
      'All 2 checks passed: 1.2 kB were compared, and are the same (30 rounds of random data from seed 5, 1.5 s).',
    );
    expect(checks.verdictOf(bad)).toMatch(
      /^1 of 2 checks did not pass: limb\.add #8 \(part of poly\.add #4\) differs/,
    );
  });

  test('is a text, and data that JSON can hold', () => {
    expect(checks.textOf(bad).split('\n').slice(2, 8)).toEqual([
      '',
      'same   Step 1 beside Text: 2 outputs, 1.2 kB',
      'WRONG  Step 1 beside Text: –',
      `       ${checks.faultOf(wrongOf({}))}`,
      '',
      'Browser: Browser/1',
    ]);
    const told = JSON.parse(jsonOf({ data: () => checks.dataOf(bad) }));
    expect(told).toMatchObject({ passed: false, trials: 30, seed: 5, device: { browser: 'Browser/1' } });
    expect(told.checks[1]).toMatchObject({
      stage: 'Step 1',
      beside: 'Text',
      difference: { operator: 8 },
      problem: { code: 'verify.differs' },
    });
    expect(JSON.parse(jsonOf({ data: () => checks.dataOf(good) })).passed).toBe(true);
  });
});

describe('a report of the suite', () => {
  const right = { name: 'u8.add', cases: 30, passed: 30, problem: undefined };
  const wrong = { name: 'f32.sqrt', cases: 20, passed: 15, problem: 'found 1, expected 2' };
  const simd = {
    platform: 'simd',
    passed: false,
    cases: 50,
    device: undefined,
    operators: [right, wrong],
    failed: [wrong],
  } as const;
  const scalar = {
    platform: 'scalar',
    device: undefined,
    passed: true,
    cases: 30,
    operators: [right],
    failed: [],
  } as const;
  const suiteOf = (found: Conformance): suites.Suite => ({ found, seconds: 2, device: DEVICE });

  test('says how many cases passed, and names what did not', () => {
    expect(suites.verdictOf(suiteOf({ passed: true, cases: 30, platforms: [scalar] }))).toBe(
      'All 30 cases on scalar kernels passed, in 2 s.',
    );
    const both = suiteOf({ passed: false, cases: 80, platforms: [simd, scalar] });
    expect(suites.verdictOf(both)).toBe(
      '1 operator of this device is wrong (80 cases on simd and scalar kernels, 2 s).',
    );
    const gpu = { ...scalar, platform: 'gpu', device: 'maker, kind' } as const;
    expect(suites.textOf(suiteOf({ passed: true, cases: 30, platforms: [gpu] }))).toContain(
      '\nGPU: maker, kind\n',
    );
    const text = suites.textOf(both);
    expect(text).not.toContain('GPU');
    expect(text).toContain('\nWRONG  f32.sqrt: 5 of 20 cases wrong: found 1, expected 2\n');
    expect(text).toContain('\nsimd: 50 cases of 2 operators, 1 wrong\nsame   u8.add: 30 cases passed\n');
    expect(JSON.parse(jsonOf({ data: () => suites.dataOf(both) }))).toMatchObject({
      passed: false,
      cases: 80,
      platforms: [{ failed: [wrong] }, { failed: [] }],
    });
  });
});
