// Schedules, the code that follows from them, bounds, and the search, without an engine.
import { describe, expect, it } from 'vitest';
import { operatorKey } from '../src/tune/key.js';
import type { Implementation } from '../src/tune/record.js';
import { planOf, roundings } from '../src/tune/kernels/bounds.js';
import { hashOf } from '../src/tune/consent.js';
import { deriveCode, deriveFor } from '../src/tune/kernels/derive.js';
import { ChosenKernels } from '../src/tune/kernels/chosen.js';
import { pieceOf } from '../src/tune/kernels/pieces.js';
import { checkSchedule, type Schedule, scheduleName } from '../src/tune/kernels/schedule.js';
import { seeded, Space } from '../src/tune/kernels/space.js';
import { evolution } from '../src/tune/kernels/techniques/evolution.js';
import { grid } from '../src/tune/kernels/techniques/grid.js';
import { randomly } from '../src/tune/kernels/techniques/random.js';
import type { Tried } from '../src/tune/kernels/techniques/technique.js';
import { make } from '../src/tune/kernels/transform.js';
import { kernelText } from '../src/tune/kernels/wasm-text.js';
import { ModuleWriter } from '../src/tune/kernels/wasm-writer.js';

const SCHEDULE: Schedule = {
  version: 2,
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
const random = seeded(5);
const spaceOf = (piece: Schedule['piece'], n: number, bits: number): Space => {
  const space = Space.of(piece, n, bits);
  if (space === undefined) throw new Error('a space');
  return space;
};

describe('schedules', () => {
  it('are checked', () => {
    expect(checkSchedule(JSON.parse(JSON.stringify(SCHEDULE)))).toEqual(SCHEDULE);
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
    ])
      expect(() => checkSchedule(wrong), JSON.stringify(wrong)).toThrow(
        expect.objectContaining({ code: 'tune.record' }),
      );
  });

  it('give the same code each time, and other code for every other choice', async () => {
    expect(make(SCHEDULE)).toEqual(make(checkSchedule(SCHEDULE)));
    const others: Partial<Schedule>[] = [
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
    const hashes = await Promise.all(schedules.map((schedule) => hashOf(make(schedule).bytes)));
    expect(new Set(hashes).size).toBe(schedules.length);
    // Who changes the generator changes its version, too: records name code by its hash.
    expect(hashes[0]).toBe(KNOWN);
  });

  it('name the doubles that are read by numbers that there are', () => {
    for (let round = 0; round < 100; round++) {
      const n = 2 ** (4 + (round % 8));
      const space = spaceOf(round % 2 === 0 ? 'ring.forward' : 'ring.inverse', n, 17 + (round % 34));
      const schedule = checkSchedule(space.random(random));
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
    for (let round = 0; round < 20; round++) {
      const piece = round % 2 === 0 ? 'ring.forward' : 'ring.inverse';
      const { bytes } = make(spaceOf(piece, 2 ** (4 + (round % 8)), 17 + ((round * 7) % 34)).random(random));
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
      const schedule = spaceOf(piece, n, 17 + ((round * 7) % 34)).random(random);
      const plan = planOf(schedule);
      const q = 2 ** schedule.bits;
      // Forward from residues of any prime that there is, whatever the own one.
      const values = Array.from({ length: n }, () => (piece === 'ring.forward' ? 2 ** 49 : q));
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
    expect(pieceOf(operatorKey({ ...parts, operator: 'limb.add' }))).toBeUndefined();
    expect(pieceOf(operatorKey({ ...parts, operator: 'toString' }))).toBeUndefined();
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
  const distance = (schedule: Schedule): number =>
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
        tried.push({ schedule, ratio: distance(schedule) });
      }
    expect(Math.min(...tried.map(({ ratio }) => ratio))).toBeLessThanOrEqual(most);
    if (name !== 'random')
      expect(new Set(tried.map(({ schedule }) => scheduleName(schedule))).size).toBe(tried.length);
  });

  it('ends where there is no more', () => {
    const small = spaceOf('ring.inverse', 16, 43);
    const one = grid();
    const all = one.propose(small, [], 10_000, random);
    expect(all.length).toBeGreaterThan(20);
    expect(one.propose(small, [], 10, random)).toEqual([]);
    expect(Space.of('ring.forward', 8, 50)).toBeUndefined();
    expect(Space.of('ring.forward', 1000, 50)).toBeUndefined();
    expect(Space.of('ring.forward', 1024, 51)).toBeUndefined();
  });
});

const KNOWN = '101e2437bf6fd8ee9106dfd34a01672ac71245e503b79b5c7596e869d9525dc8';
