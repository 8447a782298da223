// Schedules, the code that follows from them, bounds, and the search, without an engine.
import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { chooseMode, detectFeatures } from '../src/choose-mode.js';
import { kernelsText } from '../src/kernels-text.js';
import { deviceClass } from '../src/tune/device-class.js';
import { operatorKey } from '../src/tune/key.js';
import type { Implementation } from '../src/tune/record.js';
import { changePlanOf, planOf, roundings, sumPlanOf } from '../src/tune/kernels/bounds.js';
import { hashOf } from '../src/tune/consent.js';
import { deriveCode, deriveFor } from '../src/tune/kernels/derive.js';
import { ChosenKernels } from '../src/tune/kernels/chosen.js';
import { pieceOf, usesOf } from '../src/tune/kernels/pieces.js';
import {
  type ChangeSchedule,
  checkSchedule,
  type Schedule,
  scheduleName,
  type ShaderSchedule,
  type SumSchedule,
  type Terms,
  type TransformSchedule,
  type WasmSchedule,
} from '../src/tune/kernels/schedule.js';
import { seeded, type Space } from '../src/tune/kernels/space.js';
import { checkFits, checkGpuClass } from '../src/tune/kernels/gpu-needs.js';
import { ShaderSpace } from '../src/tune/kernels/gpu-space.js';
import { ChangeSpace } from '../src/tune/kernels/change-space.js';
import { SumSpace } from '../src/tune/kernels/sum-space.js';
import { evolution } from '../src/tune/kernels/techniques/evolution.js';
import { grid } from '../src/tune/kernels/techniques/grid.js';
import { randomly } from '../src/tune/kernels/techniques/random.js';
import { TransformSpace } from '../src/tune/kernels/transform-space.js';
import type { Tried } from '../src/tune/kernels/techniques/technique.js';
import { make } from '../src/tune/kernels/make.js';
import { kernelText } from '../src/tune/kernels/wasm-text.js';
import { ModuleWriter } from '../src/tune/kernels/wasm-writer.js';

const SCHEDULE: TransformSchedule = {
  version: 3,
  piece: 'ring.forward',
  n: 1024,
  bits: 50,
  passes: [3, 3, 4],
  rounding: 'add',
  computed: 2,
  held: true,
  unroll: 2,
  tile: 1,
};
// Relaxed SIMD is behind a flag in Node 20.
if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
const random = seeded(5);
const SUM: SumSchedule = {
  version: 3,
  piece: 'ring.sum',
  n: 1024,
  bits: 50,
  rounding: 'nearest',
  held: true,
  unroll: 2,
  terms: [3, 1, 2],
  together: true,
};
/** Relaxed SIMD that rounds once. */
const FUSES = chooseMode(detectFeatures(), { threads: 1 }).variant === 'relaxed';
const CHANGE: ChangeSchedule = {
  version: 3,
  piece: 'rns.change',
  n: 1024,
  bits: 50,
  rounding: 'nearest',
  held: true,
  unroll: 2,
  change: [3, 2, 1, 1],
};
const SHADER: ShaderSchedule = {
  version: 3,
  piece: 'gpu.forward',
  n: 4096,
  bits: 30,
  passes: [[3], [3, 3, 3]],
  group: 128,
  each: 8,
  words: 1,
  product: 'shoup',
  lazy: true,
  staged: true,
};
const spaceOf = (piece: TransformSchedule['piece'], n: number, bits: number): TransformSpace => {
  const space = TransformSpace.of(piece, n, bits);
  if (space === undefined) throw new Error('a space');
  return space;
};

describe('schedules', () => {
  it('are checked', () => {
    expect(checkSchedule(JSON.parse(JSON.stringify(SCHEDULE)))).toEqual(SCHEDULE);
    expect(checkSchedule(JSON.parse(JSON.stringify(SUM)))).toEqual(SUM);
    expect(checkSchedule(JSON.parse(JSON.stringify(CHANGE)))).toEqual(CHANGE);
    expect(checkSchedule(JSON.parse(JSON.stringify(SHADER)))).toEqual(SHADER);
    expect(scheduleName(SHADER)).toBe('gpu-forward-4096-30:3/3,3,3 shoup lazy staged w1 g128 e8');
    expect(scheduleName(CHANGE)).toBe('change-1024-50:3to2 scaled own nearest held u2');
    expect(scheduleName(SUM)).toBe('sum-1024-50:3+1x2 nearest held u2 together');
    for (const wrong of [
      null,
      [],
      { ...SCHEDULE, more: 1 },
      { ...SCHEDULE, version: 1 },
      { ...SCHEDULE, piece: 'ring.other' },
      { ...SCHEDULE, n: 1000 },
      { ...SCHEDULE, n: 2 ** 20 },
      { ...SCHEDULE, n: 8, passes: [1, 2] },
      { ...SCHEDULE, bits: 51 },
      { ...SCHEDULE, prime: 2 ** 50 },
      { ...SCHEDULE, passes: [3, 3, 3] },
      { ...SCHEDULE, passes: [5, 5] },
      { ...SCHEDULE, passes: [3.5, 3.5, 3] },
      { ...SCHEDULE, passes: 'all' },
      { ...SCHEDULE, rounding: 'down' },
      { ...SCHEDULE, computed: 4 },
      { ...SCHEDULE, held: 1 },
      { ...SCHEDULE, unroll: 3 },
      // The last pass alone works on two blocks at a time.
      { ...SCHEDULE, tile: 2 },
      { ...SCHEDULE, piece: 'ring.sum' },
      { ...SUM, piece: 'ring.forward' },
      { ...SUM, passes: [3, 3, 4] },
      { ...SUM, terms: [0, 0, 2] },
      { ...SUM, terms: [16, 1, 2] },
      { ...SUM, terms: [4, 0, 5] },
      { ...SUM, terms: [4, 0, 0] },
      { ...SUM, terms: [4, -1, 1] },
      { ...SUM, terms: [2.5, 0.5, 1] },
      { ...SUM, terms: [4, 0] },
      { ...SUM, terms: 'all' },
      { ...SUM, together: 1 },
      { ...SUM, unroll: 8 },
      { ...SUM, bits: 51 },
      { ...CHANGE, prime: 65_537 },
      { ...CHANGE, terms: [3, 1, 2] },
      { ...CHANGE, change: [0, 2, 1, 0] },
      { ...CHANGE, change: [13, 2, 1, 0] },
      { ...CHANGE, change: [2, 17, 1, 0] },
      { ...CHANGE, change: [2, 1, 2, 0] },
      { ...CHANGE, change: [2, 1, 1] },
      { ...CHANGE, change: 'all' },
      { ...SHADER, rounding: 'add' },
      { ...SHADER, piece: 'ring.forward' },
      { ...SHADER, n: 2048 },
      { ...SHADER, bits: 31 },
      { ...SHADER, lazy: false, bits: 32 },
      { ...SHADER, words: 2, bits: 63 },
      { ...SHADER, words: 3 },
      { ...SHADER, prime: 2 ** 30 },
      { ...SHADER, group: 96 },
      { ...SHADER, group: 2048 },
      { ...SHADER, each: 32 },
      // A step of more words than an invocation has, and a pass of more than a workgroup has.
      { ...SHADER, each: 4 },
      { ...SHADER, passes: [[1], [3, 3, 3, 2]] },
      { ...SHADER, passes: [[3], [], [3, 3, 3]] },
      {
        ...SHADER,
        passes: [
          [3, 0],
          [3, 3, 3],
        ],
      },
      { ...SHADER, passes: [3, 9] },
      { ...SHADER, passes: 'all' },
      { ...SHADER, product: 'barrett' },
      { ...SHADER, lazy: 1 },
      { ...SHADER, staged: undefined },
    ])
      expect(() => checkSchedule(wrong), JSON.stringify(wrong)).toThrow(
        expect.objectContaining({ code: 'tune.record' }),
      );
  });

  it('give the same code each time, and other code for every other choice', async () => {
    expect(make(SCHEDULE)).toEqual(make(checkSchedule(SCHEDULE)));
    const others: Partial<TransformSchedule>[] = [
      { piece: 'ring.inverse' },
      { bits: 43 },
      { prime: 0x7ff_ffdb_0001 },
      { passes: [3, 4, 3] },
      { rounding: 'nearest' },
      { computed: 3 },
      { held: false },
      { unroll: 1 },
      { tile: 0 },
    ];
    const schedules = [SCHEDULE, ...others.map((other) => checkSchedule({ ...SCHEDULE, ...other }))];
    const hashes = await Promise.all(
      schedules.map((schedule) => hashOf(make(schedule as WasmSchedule).bytes)),
    );
    expect(new Set(hashes).size).toBe(schedules.length);
    // Who changes the generator changes its version, too: records name code by its hash.
    expect(hashes[0]).toBe(KNOWN);
    const more: Partial<SumSchedule>[] = [
      { n: 512 },
      { bits: 43 },
      { prime: 0x7ff_ffdb_0001 },
      { rounding: 'add' },
      { held: false },
      { unroll: 4 },
      { terms: [2, 2, 2] },
      { terms: [3, 1, 1] },
      { together: false },
    ];
    const sums = [SUM, ...more.map((other) => checkSchedule({ ...SUM, ...other }))];
    const codes = await Promise.all(sums.map((schedule) => hashOf(make(schedule as WasmSchedule).bytes)));
    expect(new Set(codes).size).toBe(sums.length);
    const changes: Partial<ChangeSchedule>[] = [
      { n: 512 },
      { bits: 43 },
      { rounding: 'add' },
      { held: false },
      { unroll: 4 },
      { change: [2, 3, 1, 1] },
      { change: [3, 2, 0, 1] },
      { change: [3, 2, 1, 0] },
    ];
    const all = [CHANGE, ...changes.map((other) => checkSchedule({ ...CHANGE, ...other }))].map((one) =>
      make(one as WasmSchedule),
    );
    expect(new Set(await Promise.all(all.map(({ bytes }) => hashOf(bytes)))).size).toBe(all.length);
    // As many doubles as the core has: of each source five; of each target the prime and its inverse, and a factor for each term.
    expect(all[0]?.layout).toEqual(Uint32Array.from({ length: 5 * 3 + 2 * (2 + 3 + 1 + 1) }, (_, at) => at));
  });

  it('name the doubles that are read by numbers that there are', () => {
    for (let round = 0; round < 100; round++) {
      const n = 2 ** (4 + (round % 8));
      const space = spaceOf(round % 2 === 0 ? 'ring.forward' : 'ring.inverse', n, 17 + (round % 34));
      const schedule = space.random(random);
      expect(checkSchedule(schedule)).toEqual(schedule);
      const { layout, bytes } = make(schedule);
      expect(layout.every((at) => at < 2 * n + 6)).toBe(true);
      expect(layout.length).toBeLessThanOrEqual(8 * n + 6);
      // Of each layer and block the root, once.
      const roots = [...layout].filter((at) => at < 2 * n && at % 2 === 0);
      expect(new Set(roots).size).toBe(n - 1);
      expect(roots.length).toBe(n - 1);
      expect(bytes.length).toBeLessThan(200_000);
    }
  });
});

describe('schedules of a GPU', () => {
  it('give the same text each time, and another one for every other choice', async () => {
    expect(make(SHADER)).toEqual(make(checkSchedule(SHADER)));
    const others: Partial<ShaderSchedule>[] = [
      { piece: 'gpu.inverse' },
      { n: 2048, passes: [[2], [3, 3, 3]] },
      { prime: 65_537 },
      {
        passes: [
          [3, 3],
          [3, 3],
        ],
      },
      { group: 64 },
      { each: 16, group: 64 },
      { words: 2 },
      { product: 'montgomery' },
      { lazy: false },
      { staged: false },
    ];
    const schedules = [SHADER, ...others.map((other) => checkSchedule({ ...SHADER, ...other }))];
    const texts = schedules.map((schedule) => make(schedule as ShaderSchedule).body);
    expect(new Set(texts).size).toBe(schedules.length);
    expect(await hashOf(new TextEncoder().encode(texts[0]))).toBe(KNOWN_TEXT);
  });

  it('have what they need of a device, and are refused where it has less', () => {
    const { passes, needs, factors, body } = make(SHADER);
    expect([...passes]).toEqual([4, 4]);
    expect(needs).toEqual({ invocations: 128, bytes: 4096 });
    expect(factors).toBe('shoup32');
    expect(body.match(/fn pass\d/g)).toEqual(['fn pass0', 'fn pass1']);
    // Without an exchange there is no memory of a workgroup.
    const apart = make({ ...SHADER, passes: [[3], [3], [3], [3]] });
    expect([apart.needs.bytes, apart.body.includes('workgroup>')]).toEqual([0, false]);
    // A small ring is one workgroup.
    const small = make({ ...SHADER, n: 16, passes: [[2, 2]] });
    expect([[...small.passes], small.needs]).toEqual([[1], { invocations: 2, bytes: 64 }]);
    checkFits(SHADER, { limits: needs });
    checkFits(SCHEDULE, { limits: { invocations: 0, bytes: 0 } });
    for (const limits of [
      { ...needs, invocations: 64 },
      { ...needs, bytes: 4095 },
    ])
      expect(() => checkFits(SHADER, { limits })).toThrow(expect.objectContaining({ code: 'tune.record' }));
    const gpu = { vendor: 'A vendor', architecture: 'one', limits: needs };
    const device = deviceClass({ processor: 'p', gpu });
    checkGpuClass(device, gpu);
    for (const other of [
      deviceClass({ processor: 'p' }),
      device + '2',
      deviceClass({ gpu: { ...gpu, vendor: 'B' } }),
    ])
      expect(() => checkGpuClass(other, gpu)).toThrow(expect.objectContaining({ code: 'tune.device' }));
  });

  it('of a search are all schedules, of every ring, that the device has workgroups for', () => {
    const seen = new Set<string>();
    for (let round = 0; round < 300; round++) {
      const n = 2 ** (4 + (round % 12));
      const bits = 17 + (round % 46);
      const limits = {
        invocations: [64, 256, 1024][round % 3] as number,
        bytes: [4096, 16_384, 49_152][round % 3] as number,
      };
      const space = ShaderSpace.of(
        round % 2 === 0 ? 'gpu.forward' : 'gpu.inverse',
        n,
        bits,
        limits,
      ) as ShaderSpace;
      let schedule = space.random(random);
      for (let step = 0; step < 4; step++) {
        expect(checkSchedule(schedule)).toEqual(schedule);
        checkFits(schedule, { limits });
        const { product, lazy, staged, words, group, each } = schedule as ShaderSchedule;
        for (const [name, value] of Object.entries({ product, lazy, staged, words, group, each }))
          seen.add(`${name} ${value}`);
        schedule = space.mutated(schedule, random);
      }
    }
    expect(seen.size).toBe(2 + 2 + 2 + 2 + 7 + 4);
    for (const bits of [30, 31, 50, 62]) {
      const space = ShaderSpace.of('gpu.forward', 8192, bits) as ShaderSpace;
      const all = [...space.points()];
      expect(new Set(all.map(scheduleName)).size).toBe(all.length);
      expect(all.length).toBeGreaterThan(60);
      for (const schedule of all) expect(checkSchedule(schedule)).toEqual(schedule);
      expect(all.some((one) => (one as ShaderSchedule).words === 1)).toBe(bits <= 31);
    }
    expect(ShaderSpace.of('gpu.forward', 8192, 63)).toBeUndefined();
    expect(ShaderSpace.of('gpu.forward', 1000, 50)).toBeUndefined();
  });
});

describe('code to read', () => {
  it('is what the bytes say', () => {
    const module = new ModuleWriter();
    const inner = module.add(2, (body) => {
      const [at, end] = [body.parameter(0), body.parameter(1)];
      const x = body.local('v128');
      body.loop(() => {
        body.get(at).load(16).tee(x).f64x2(-1.5).do('f64x2.relaxed_madd').set(x);
        body.get(at).i32(-200).do('i32.add').tee(at).get(end).do('i32.lt_u');
      });
    });
    module.add(
      1,
      (body) => {
        const a = body.parameter(0);
        body.get(a).loadDouble(0).get(a).loadDouble(300).do('f64.eq');
        body.either(
          () => void body.get(a).i32(70_000).call(inner),
          () => void body.get(a).get(a).loadSplat(8).get(a).load(0).halves('high').store(0),
        );
      },
      'closed',
    );
    const [first, second] = kernelText(module.bytes());
    expect(first?.lines).toEqual([
      '(func $0 (param i32 i32)',
      '  (local v128)',
      '  loop',
      '    local.get 0',
      '    v128.load offset=16 align=8',
      '    local.tee 2',
      '    v128.const f64x2 -1.5 -1.5',
      '    f64x2.relaxed_madd',
      '    local.set 2',
      '    local.get 0',
      '    i32.const -200',
      '    i32.add',
      '    local.tee 0',
      '    local.get 1',
      '    i32.lt_u',
      '    br_if 0',
      '  end',
      ')',
    ]);
    expect(second).toMatchObject({ index: 1, exported: 'closed' });
    expect(second?.lines.slice(1, 10)).toEqual([
      '  local.get 0',
      '  f64.load align=8',
      '  local.get 0',
      '  f64.load offset=300 align=8',
      '  f64.eq',
      '  if',
      '    local.get 0',
      '    i32.const 70000',
      '    call $0',
    ]);
    expect(second?.lines.slice(-3)).toEqual(['    v128.store align=8', '  end', ')']);
    expect(second?.lines).toContain('    i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31');
  });

  it('is there for every schedule, to the last byte', () => {
    for (let round = 0; round < 30; round++) {
      const piece = round % 2 === 0 ? 'ring.forward' : 'ring.inverse';
      const [n, bits] = [2 ** (4 + (round % 8)), 17 + ((round * 7) % 34)];
      const sums = SumSpace.of([1 + (round % 7), round % 3, 1 + (round % 4)], n, bits) as SumSpace;
      const changes = ChangeSpace.of([1 + (round % 5), 1 + (round % 3), 1, 0], n, bits) as ChangeSpace;
      const space = [spaceOf(piece, n, bits), sums, changes][round % 3] as Space;
      const { bytes } = make(space.random(random) as WasmSchedule);
      const functions = kernelText(bytes);
      expect(functions.flatMap(({ exported }) => exported ?? [])).toEqual(['closed', 'open']);
      for (const { lines, instructions } of functions) {
        const written = lines.filter((line) => /^ +[a-z]/.test(line)).length;
        expect(written).toBe(instructions);
      }
      expect(() => kernelText(bytes.subarray(0, -1))).toThrow(expect.objectContaining({ code: 'tune.code' }));
    }
    expect(() => kernelText(new Uint8Array(8))).toThrow(expect.objectContaining({ code: 'tune.code' }));
  });
});

describe('bounds', () => {
  // An independent model: the largest values that each layer can give, with every value followed on its own.
  it('keep products exact, whatever is reduced', () => {
    for (let round = 0; round < 200; round++) {
      const problems: string[] = [];
      const n = 2 ** (4 + (round % 7));
      const piece = round % 2 === 0 ? 'ring.forward' : 'ring.inverse';
      const schedule = spaceOf(piece, n, 17 + ((Math.floor(round / 2) * 7) % 34)).random(random);
      const plan = planOf(schedule);
      const q = 2 ** schedule.bits;
      // Forward from centered residues of any prime that there is, and from those of the own one as they are.
      const values = Array.from({ length: n }, () => (piece === 'ring.forward' ? Math.max(2 ** 49, q) : q));
      const order = schedule.passes.map((_, at) => at);
      if (piece === 'ring.inverse') order.reverse();
      const reduce = (at: number): void => void (values[at] = 0.501 * q);
      for (const pass of order) {
        const { first, within, after } = plan.passes[pass] as (typeof plan.passes)[number];
        const layers = schedule.passes[pass] as number;
        const done = schedule.passes.slice(0, pass).reduce((sum, one) => sum + one, 0);
        const block = n / 2 ** done;
        const part = block / 2 ** layers;
        // What is at place p of a block is value floor(p / part) of the pass.
        const each = (value: number, f: (at: number) => void): void => {
          for (let start = 0; start < n; start += block)
            for (let at = 0; at < part; at++) f(start + value * part + at);
        };
        const product = (bound: number): number => {
          if (bound > 2 ** 52) problems.push('a product that is not exact');
          return q * (0.5 + roundings(schedule, pass) * bound * 2 ** -54);
        };
        for (let value = 0; value < first; value++) each(value, reduce);
        const steps = Array.from({ length: layers }, (_, at) => at);
        if (piece === 'ring.inverse') steps.reverse();
        for (const layer of steps) {
          for (const one of within) if (one >> 4 === layer) each(one & 15, reduce);
          const distance = block / 2 ** (layer + 1);
          const last = piece === 'ring.inverse' && pass === 0 && layer === 0;
          for (let at = 0; at < n; at++) {
            if ((at / distance) & 1) continue;
            const [a, b] = [values[at] as number, values[at + distance] as number];
            if (piece === 'ring.forward') values[at] = values[at + distance] = a + product(b);
            else [values[at], values[at + distance]] = [last ? product(a + b) : a + b, product(a + b)];
            if ((values[at] as number) >= 2 ** 53) problems.push('a sum that is not exact');
            if (last && (values[at] as number) >= q) problems.push('no residue after one addition');
          }
        }
        for (const value of after) each(value, reduce);
      }
      const most = Math.max(...values);
      expect(problems, scheduleName(schedule)).toEqual([]);
      // The quotient's error is less than what tells a multiple of the prime from its neighbours.
      if (plan.floor) expect((2 * most) / q).toBeLessThan(2 ** (53 - schedule.bits - 1));
    }
  });
});

describe('bounds of sums', () => {
  /** What is added, as it is: exact integers, and doubles rounded to so many bits. */
  const rounded = (value: bigint, unit: bigint): bigint => {
    const down = value - (((value % unit) + unit) % unit);
    const twice = 2n * (value - down);
    const up = twice > unit || (twice === unit && (down / unit) % 2n !== 0n);
    return up ? down + unit : down;
  };

  // An independent model in integers of any size: `high` and `low` as the code has them, with the largest factors of either sign.
  it('keep the two parts exact, and all of a sum below 2^53', () => {
    for (let round = 0; round < 200; round++) {
      const bits = 17 + Math.floor(random() * 34);
      const count = 2 + Math.floor(random() * 12);
      const terms: Terms = [count, 0, 1];
      const rounding = round % 2 === 0 ? 'nearest' : 'add';
      // Of changes of base the second factors are centered, and may be of a smaller prime than the first.
      const known = round % 3 === 0;
      const { most, exponent, floor } = known
        ? changePlanOf({ bits, rounding, change: [count - 1, 1, 1, 0] })
        : sumPlanOf({ bits, rounding, terms });
      expect(most >= 1 && most <= count).toBe(true);
      const large = 2n ** BigInt(bits) - 1n;
      const q = known ? 2n ** BigInt(round % 2 === 0 ? bits : Math.min(bits, 20)) - 1n : large;
      const factor = known ? q / 2n : q;
      const one = 2n ** BigInt(exponent);
      // The unit in the last place of what is from 2^e up to 2^(e + 1), by 2^53 of integers, so that it is one itself.
      const fine = 2n ** 53n;
      const unit = (one * fine) / 2n ** 52n;
      const start = (3n * one * fine) / 2n;
      for (const sign of [1n, -1n]) {
        let high = start;
        // What a sum before left.
        let low = (sign * 9n * q) / 16n;
        for (let term = 0; term < most; term++) {
          const x = sign * (large - BigInt(Math.floor(random() * 3)));
          const y = factor - BigInt(Math.floor(random() * 3));
          const next = rounded(high + x * y * fine, unit);
          const rest = (x * y * fine - (next - high)) / fine;
          expect(rest * fine).toBe(x * y * fine - (next - high));
          expect(rest <= 2n ** 53n && rest >= -(2n ** 53n)).toBe(true);
          [high, low] = [next, low + rest];
          expect(high >= one * fine && high <= 2n * one * fine).toBe(true);
          expect(low < 2n ** 53n && low > -(2n ** 53n)).toBe(true);
        }
        const [sum, prime] = [(high - start) / fine, q];
        const quotient = Number(sum) * (1 / Number(prime));
        if (rounding === 'add') expect(Math.abs(quotient)).toBeLessThan(2 ** 51);
        const rest = sum - BigInt(Math.round(quotient)) * prime;
        const all = Number(rest + low);
        expect(Math.max(Math.abs(Number(rest)), Math.abs(all))).toBeLessThan(2 ** 53);
        // What `floor` takes.
        if (floor) expect(Math.abs(all)).toBeLessThan(2 ** 51);
      }
    }
    // The built-in kernels' own: four terms of 50 bits; of 49 bits they add six, with a coarser `high`, where it takes eight.
    const none = { bits: 30, rounding: 'nearest' } as const;
    expect(() => sumPlanOf({ ...none, terms: [] as never })).toThrow(
      /number of products: expected at least 1/,
    );
    expect(() => changePlanOf({ ...none, change: [] as never })).toThrow(/number of products/);
    expect(() => sumPlanOf({ ...none, bits: 60, terms: [3, 3, 1] })).toThrow(/bits: expected fewer/);
    expect(sumPlanOf({ bits: 50, rounding: 'nearest', terms: [16, 0, 1] })).toMatchObject({
      most: 4,
      exponent: 103,
    });
    expect(sumPlanOf({ bits: 49, rounding: 'nearest', terms: [16, 0, 1] }).most).toBeGreaterThanOrEqual(6);
    expect(changePlanOf({ bits: 50, rounding: 'nearest', change: [12, 1, 1, 1] })).toMatchObject({
      most: 6,
      exponent: 103,
    });
    expect(sumPlanOf({ bits: 43, rounding: 'add', terms: [16, 0, 1] })).toMatchObject({
      most: 16,
      floor: true,
    });
  });
});

describe.runIf(FUSES)('sums of products, run without an engine', () => {
  const memory = new WebAssembly.Memory({ initial: 8, maximum: 8, shared: true });
  const view = new DataView(memory.buffer);
  const [factors, limbs] = [1024, 4096];

  // The model: integers of any size. Open terms are as large as transforms leave them, 9/16 of the prime, of either sign, which no engine's conformance can ask for.
  it('give what integers give, at the bounds too, and touch nothing else', () => {
    const wrong: string[] = [];
    // Its own: other tests draw the same whether it runs or not.
    const random = seeded(7);
    for (let round = 0; round < 120; round++) {
      const [bits, q] = (
        [
          [50, 0x3_ffff_ffdf_0001n],
          [50, 65_537n],
          [49, 0x1_ffff_fff6_0001n],
          [43, 0x7ff_ffdb_0001n],
          [17, 65_537n],
          [50, 97n],
        ] as [number, bigint][]
      )[round % 6] as [number, bigint];
      const [n, outputs, pattern] = [16, 1 + (round % 4), round % 5];
      const [open, residues] = [1 + Math.floor(random() * 9), Math.floor(random() * 8)];
      const drawn = (SumSpace.of([open, residues, outputs], n, bits) as SumSpace).random(random);
      // Rounding by adding has to reduce more often.
      const schedule: SumSchedule = { ...drawn, rounding: round % 3 === 0 ? 'add' : drawn.rounding };
      const module = new WebAssembly.Module(make(schedule).bytes);
      const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as Record<
        'closed' | 'open',
        (out: number, a: number, factors: number, rest: number) => void
      >;
      const terms = open + residues;
      const count = terms * (1 + outputs);
      const place = (limb: number, at: number): number => limbs + (limb * n + at) * 8;
      const values = Array.from({ length: count }, (_, limb) => {
        view.setUint32(4 * limb, place(limb, 0), true);
        return Array.from({ length: n }, (_, at) => {
          const any = BigInt(Math.floor(random() * Number(q)));
          const value = [q - 1n, at % 2 === 0 ? 0n : q - 1n, any, any, 1n][pattern] as bigint;
          if (limb >= open) view.setBigUint64(place(limb, at), value, true);
          const left = pattern === 0 ? ((round % 2 === 0 ? q : -q) * 9n) / 16n : value - q / 2n;
          if (limb < open) view.setFloat64(place(limb, at), Number(left), true);
          return limb < open ? left : value;
        });
      });
      view.setFloat64(factors, Number(q), true);
      view.setFloat64(factors + 8, 1 / Number(q), true);
      const before = new Uint8Array(memory.buffer).slice();
      for (const end of ['closed', 'open'] as const) {
        kernel[end](place(count, 0), 0, factors, 0);
        for (let output = 0; output < outputs; output++)
          for (let at = 0; at < n; at++) {
            let sum = 0n;
            for (let term = 0; term < terms; term++)
              sum +=
                (values[term]?.[at] as bigint) * (values[terms + term * outputs + output]?.[at] as bigint);
            const address = place(count + output, at);
            const double = view.getFloat64(address, true);
            const small = end === 'closed' || Math.abs(double) <= (Number(q) * 9) / 16;
            const found = end === 'closed' ? view.getBigUint64(address, true) : BigInt(double);
            const residue = end === 'closed' ? found : ((found % q) + q) % q;
            if (!small || residue !== ((sum % q) + q) % q) wrong.push(`${end} of ${scheduleName(schedule)}`);
          }
      }
      const after = new Uint8Array(memory.buffer).slice();
      for (const each of [before, after]) each.fill(0, place(count, 0), place(count + outputs, 0));
      if (Buffer.compare(before, after) !== 0) wrong.push(`${scheduleName(schedule)} wrote elsewhere`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('what is derived', () => {
  const parts = {
    operator: 'limb.ntt',
    inputs: ['limb[1024]{form="coeff", n=1024, q=1125899906826241}'],
    outputs: ['limb[1024]{form="ntt", n=1024, q=1125899906826241}'],
    device: 'test',
  };
  const key = operatorKey(parts);
  const one = (schedule: Schedule, code?: string): Implementation => ({
    kind: 'generated',
    schedule: { ...schedule } as never,
    ...(code !== undefined && { code }),
    time: 1,
    spread: 0,
    samples: 1,
  });

  it('finds the piece of an operator', () => {
    expect(pieceOf(key)).toEqual({ piece: 'ring.forward', n: 1024, prime: 1125899906826241n });
    const from = operatorKey({ ...parts, operator: 'limb.ntt_from', attributes: { q: 65537n } });
    expect(pieceOf(from)).toEqual({ piece: 'ring.forward', n: 1024, prime: 65537n });
    const [coeff, ntt] = ['coeff', 'ntt'].map((form) => `limb[1024]{form="${form}", n=1024, q=65537}`) as [
      string,
      string,
    ];
    const sums = {
      ...parts,
      operator: 'limb.convolve',
      attributes: { outputs: 2, q: 65537n },
      inputs: [coeff, ntt, coeff, ntt, ntt, ntt, ntt, ntt, ntt],
    };
    expect(pieceOf(operatorKey(sums))).toEqual({
      piece: 'ring.sum',
      n: 1024,
      prime: 65537n,
      shape: [2, 1, 2],
    });
    const poly = 'poly[3072]{form="coeff", n=1024, q=[65537, 114689, 147457]}';
    const change = { ...parts, inputs: [poly], outputs: [] };
    const shapes = (
      [
        ['rns.extend', { to: [163841n, 12289n] }],
        ['rns.switch', { to: [12289n] }],
        ['rns.scale_round', { drop: [65537n], factor: 1n }],
        ['rns.scale_round', { drop: [65537n], factor: 3n }],
        ['rns.scale_round', { drop: [65537n, 114689n], factor: 1n }],
      ] as const
    ).map(([operator, attributes]) => pieceOf(operatorKey({ ...change, operator, attributes })));
    expect(shapes.map((found) => found?.shape)).toEqual([
      [3, 2, 1, 0],
      [3, 1, 1, 0],
      [1, 2, 0, 1],
      [1, 2, 1, 1],
      [2, 1, 1, 1],
    ]);
    expect(shapes[0]).toMatchObject({ piece: 'rns.change', n: 1024, prime: 163841n });
    expect(shapes[1]?.prime).toBe(147457n);
    expect(pieceOf(operatorKey({ ...change, operator: 'rns.extend' }))).toBeUndefined();
    expect(pieceOf(operatorKey({ ...sums, attributes: { outputs: 8, q: 65537n } }))).toBeUndefined();
    expect(pieceOf(operatorKey({ ...sums, attributes: { q: 65537n } }))).toBeUndefined();
    expect(usesOf(operatorKey(sums)).map(({ attributes }) => attributes)).toEqual([
      '{outputs=2, q=65537}',
      '{form="ntt", outputs=2, q=65537}',
    ]);
    expect(pieceOf(operatorKey({ ...parts, operator: 'limb.add' }))).toBeUndefined();
    expect(pieceOf(operatorKey({ ...parts, operator: 'toString' }))).toBeUndefined();
    // Where an operator is placed on a GPU, its kernel is of another piece, and takes larger primes.
    const placed = operatorKey({ ...parts, operator: 'limb.intt@gpu' });
    expect(pieceOf(placed)).toEqual({ piece: 'gpu.inverse', n: 1024, prime: 1125899906826241n });
    expect(usesOf(placed)).toEqual([]);
    expect(pieceOf(operatorKey({ ...parts, operator: 'limb.add@gpu' }))).toBeUndefined();
    for (const operator of ['limb.ntt@', '@gpu', 'limb.ntt@gpu@gpu', 'limb ntt'])
      expect(() => operatorKey({ ...parts, operator })).toThrow(
        expect.objectContaining({ code: 'tune.key' }),
      );
    expect(pieceOf(operatorKey({ ...parts, inputs: ['raw[4]{}'] }))).toBeUndefined();
  });

  it('is no other code than what follows from the schedule: refused before anything is compiled', async () => {
    // Code that reads beyond its operands, or imports what it likes, has another hash, and there is no way to give bytes.
    const hostile = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    const planted = one(SCHEDULE, await hashOf(hostile));
    const compile = WebAssembly.compile;
    try {
      await expect(deriveFor(key, one({ ...SCHEDULE, n: 2048, passes: [3, 4, 4] }))).rejects.toMatchObject({
        code: 'tune.record',
      });
      await expect(deriveFor(key, one({ ...SCHEDULE, piece: 'ring.inverse' }))).rejects.toMatchObject({
        code: 'tune.record',
      });
      await expect(deriveFor(key, one({ ...SCHEDULE, bits: 49 }))).rejects.toMatchObject({
        code: 'tune.record',
      });
      // Of a GPU the text is derived, too, and what a record says that it is only refuses it.
      const placed = operatorKey({ ...parts, operator: 'limb.ntt@gpu' });
      const shader = { ...SHADER, n: 1024, bits: 50, words: 2, passes: [[1], [3, 3, 3]] } as const;
      const derived = await deriveFor(placed, one(shader));
      expect(derived.kernel).toMatchObject({ piece: 'gpu.forward', body: make(shader).body });
      expect((await deriveFor(placed, one(shader, derived.code))).code).toBe(derived.code);
      for (const [wrong, code] of [
        [one(shader, await hashOf(hostile)), 'tune.code'],
        [one({ ...shader, body: 'fn pass0() {}' } as never), 'tune.record'],
        [one({ ...shader, piece: 'gpu.inverse' }), 'tune.record'],
        [one({ ...shader, bits: 49 }), 'tune.record'],
        [one(SCHEDULE), 'tune.record'],
      ] as const)
        await expect(deriveFor(placed, wrong)).rejects.toMatchObject({ code });
      await expect(deriveFor(key, one(shader))).rejects.toMatchObject({ code: 'tune.record' });
      WebAssembly.compile = () => Promise.reject(new Error('compiled'));
      await expect(deriveFor(key, planted)).rejects.toMatchObject({ code: 'tune.code' });
      const record = { key, best: { generated: planted }, at: 0, version: 'test' };
      const signed = { ...record, explorer: '0'.repeat(64), signature: '0'.repeat(128) };
      await expect(deriveCode(signed, planted)).rejects.toMatchObject({ code: 'tune.code' });
      expect(await hashOf(await deriveCode(signed, one(SCHEDULE)))).toBe(await hashOf(make(SCHEDULE).bytes));
      expect(() => make({ ...SCHEDULE, passes: [5, 5] })).toThrow(
        expect.objectContaining({ code: 'tune.record' }),
      );
    } finally {
      WebAssembly.compile = compile;
    }
  });
});

describe('which kernels ran', () => {
  it('is said with what is known of them', () => {
    const trace = {
      kernels: [['scalar'], ['f64x2-fma', 'one', 'other'], ['javascript'], []],
      kernel: Uint32Array.of(1, 0, 2, 3),
    };
    const known = { operator: 'limb.ntt', explorer: '0a1b2c3d'.repeat(8), at: Date.UTC(2026, 10, 26) };
    const library: Implementation = { kind: 'library', call: 'simd', time: 50_500, spread: 1, samples: 9 };
    const chosen = [
      { ...known, name: 'one', time: 45_100, instead: library },
      { ...known, name: 'third', time: 1, instead: undefined },
      { ...known, name: 'other', time: 900, instead: undefined, at: Number.MAX_SAFE_INTEGER },
    ];
    expect([0, 1, 2, 3, 4].map((op) => kernelsText(trace, op, chosen))).toEqual([
      'f64x2-fma, built in; one, made at run time: 1.12 times as fast as simd (45.1 µs, not 50.5 µs) in limb.ntt, measured by 0a1b2c3d on 2026-11-26; ' +
        'other, made at run time: 0.9 µs in limb.ntt, measured by 0a1b2c3d',
      'scalar, built in',
      'a function in JavaScript',
      undefined,
      undefined,
    ]);
    expect(kernelsText(trace, 0)).toBe('f64x2-fma, built in; one, made at run time; other, made at run time');
  });
});

describe('what load takes', () => {
  it('is made by nobody else', () => {
    const Made = ChosenKernels as unknown as new (...args: unknown[]) => ChosenKernels;
    expect(() => new Made(Symbol('of this room'), [], [])).toThrow(TypeError);
    for (const like of [null, [], {}, { names: [], refused: [] }, Object.create(ChosenKernels.prototype)])
      expect(ChosenKernels.taken(like)).toBeUndefined();
  });
});

describe('techniques', () => {
  // A landscape with one best schedule: how many choices differ from it.
  const space = spaceOf('ring.forward', 8192, 50);
  const target = space.schedule([2, 3, 3, 3, 2], {
    rounding: 'nearest',
    computed: 2,
    held: false,
    unroll: 4,
    tile: 2,
  });
  const distance = (schedule: TransformSchedule): number =>
    (['rounding', 'computed', 'held', 'unroll', 'tile'] as const).filter(
      (name) => schedule[name] !== target[name],
    ).length + (schedule.passes.join() === target.passes.join() ? 0 : 1);

  it.each([
    ['grid', grid, 5],
    ['random', randomly, 3],
    ['evolution', evolution, 1],
  ])('%s proposes schedules, and finds better ones', (name, technique, most) => {
    const one = technique();
    expect(one.name).toBe(name);
    const tried: Tried[] = [];
    for (let round = 0; round < 60; round++)
      for (const schedule of one.propose(space, tried, 6, random)) {
        expect(checkSchedule(schedule)).toEqual(schedule);
        tried.push({ schedule, ratio: distance(schedule as TransformSchedule) });
      }
    expect(Math.min(...tried.map(({ ratio }) => ratio))).toBeLessThanOrEqual(most);
    if (name !== 'random')
      expect(new Set(tried.map(({ schedule }) => scheduleName(schedule))).size).toBe(tried.length);
  });

  it.each([grid, randomly, evolution])('serve sums, too', (technique) => {
    const sums = SumSpace.of([4, 0, 2], 8192, 46) as SumSpace;
    const seen = new Set<string>();
    const one = technique();
    const tried: Tried[] = [];
    for (let round = 0; round < 30; round++)
      for (const schedule of one.propose(sums, tried, 4, random)) {
        expect(checkSchedule(schedule)).toEqual(schedule);
        seen.add(scheduleName(schedule));
        tried.push({ schedule, ratio: (schedule as SumSchedule).unroll });
      }
    // Two roundings, three steps, addresses held or not, together or not.
    expect(seen.size).toBeLessThanOrEqual(24);
    expect(seen.size).toBeGreaterThan(12);
    expect(SumSpace.of([4, 0, 2], 8192, 50)?.roundings).toEqual(['nearest']);
    expect(SumSpace.of([20, 0, 2], 8192, 50)).toBeUndefined();
  });

  it('ends where there is no more', () => {
    const small = spaceOf('ring.inverse', 16, 43);
    const one = grid();
    const all = one.propose(small, [], 10_000, random);
    expect(all.length).toBeGreaterThan(20);
    expect(one.propose(small, [], 10, random)).toEqual([]);
    expect(TransformSpace.of('ring.forward', 8, 50)).toBeUndefined();
    expect(TransformSpace.of('ring.forward', 1000, 50)).toBeUndefined();
    expect(TransformSpace.of('ring.forward', 1024, 51)).toBeUndefined();
  });
});

const KNOWN = 'e23f2723d4b1a9e8a43ba748e175c67b3ffb57f0188087cf19b3692e1e3f1710';
const KNOWN_TEXT = '2ba84bb1e2c849f7dde7f6a39363430924825260a082b64fba47c186620140e6';
