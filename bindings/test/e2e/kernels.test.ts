// Kernels made at run time, in real workers: tried against the reference, explored, refused, and used. They need relaxed SIMD, which old releases of Node have behind a flag.
import { setFlagsFromString } from 'node:v8';
import { createTask, load, type Loom, type Value } from 'cipherloom';
import { operatorKey, type OperatorKey } from '../../dist/tune/key.js';
import type { Implementation, TuneRecord } from '../../dist/tune/record.js';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseMode, detectFeatures } from '../../dist/choose-mode.js';
import { Bench } from '../../dist/tune/kernels/bench.js';
import { derive } from '../../dist/tune/kernels/derive.js';
import { KernelExplorer } from '../../dist/tune/kernels/explorer.js';
import { type Schedule, scheduleName } from '../../dist/tune/kernels/schedule.js';
import { seeded, Space } from '../../dist/tune/kernels/space.js';
import { compute } from './compute.js';

if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
const RELAXED = chooseMode(detectFeatures(), { threads: 1 }).variant === 'relaxed';

/** Of 50 and 43 bits, 1 modulo 2^16. */
const PRIMES = [0x3_ffff_ffdf_0001, 0x7ff_ffdb_0001];
const TRY = { warmUp: 0, rounds: 1, sample: 0 };
const random = seeded(11);

function limb(n: number, q: number, form: string): string {
  return `limb[${n}]{form="${form}", n=${n}, q=${q}}`;
}

function transform(operator: 'limb.ntt' | 'limb.intt', n: number, q: number): OperatorKey {
  const [from, to] = operator === 'limb.ntt' ? ['coeff', 'ntt'] : ['ntt', 'coeff'];
  return operatorKey({
    operator,
    inputs: [limb(n, q, from as string)],
    outputs: [limb(n, q, to as string)],
    device: 'test',
  });
}

function recordOf(key: OperatorKey, one: Implementation): TuneRecord {
  return {
    key,
    best: { [one.kind]: one },
    at: 0,
    version: 'test',
    explorer: '0'.repeat(64),
    signature: '0'.repeat(128),
  };
}

function generated(schedule: Schedule, code?: string): Implementation {
  const named = code === undefined ? {} : { code };
  return { kind: 'generated', schedule: { ...schedule } as never, ...named, time: 1, spread: 0, samples: 1 };
}

describe.runIf(RELAXED)('kernels made at run time', () => {
  const bench = new Bench();
  const explorer = new KernelExplorer({ device: 'test', trials: 12 });
  afterAll(() => {
    bench.close();
    explorer.close();
  });

  it('compute what the reference does, by 50 random schedules', async () => {
    const wrong: string[] = [];
    for (let round = 0; round < 50; round++) {
      const forward = round % 2 === 0;
      const n = 2 ** (4 + (round % 11));
      const q = PRIMES[round % 4 < 2 ? 0 : 1] as number;
      const space = Space.of(forward ? 'ring.forward' : 'ring.inverse', n, q > 2 ** 49 ? 50 : 43) as Space;
      const schedule = space.random(random);
      const { kernel } = await derive(round % 5 === 0 ? { ...schedule, prime: q } : schedule);
      const key = transform(forward ? 'limb.ntt' : 'limb.intt', n, q);
      const [trial] = await bench.trial(key, [{ platform: 'simd', kernels: [kernel] }], TRY);
      if (trial?.problem !== undefined) wrong.push(`${kernel.name}: ${trial.problem}`);
    }
    expect(wrong).toEqual([]);
  });

  it('serve what is made of transforms: from other primes, in products and sums of products', async () => {
    const [q, p] = PRIMES as [number, number];
    for (const n of [64, 1024]) {
      const coeff = (prime: number): string => limb(n, prime, 'coeff');
      // Of 43 and 17 bits residues are found by floor, which takes none that are large by the prime.
      for (const [bits, t] of [
        [50, q],
        [43, p],
        [17, 65_537],
      ] as const) {
        const ntt = limb(n, t, 'ntt');
        const forward = (Space.of('ring.forward', n, bits) as Space).random(random);
        const inverse = (Space.of('ring.inverse', n, bits) as Space).random(random);
        for (const schedule of [forward, inverse]) {
          const { kernel } = await derive(schedule);
          for (const [operator, attributes, inputs] of [
            ['limb.ntt_from', { q: BigInt(t) }, [coeff(p)]],
            ['limb.ntt_from', { q: BigInt(t) }, [coeff(65_537)]],
            ['limb.ntt_from', { q: BigInt(t) }, [coeff(q)]],
            ['limb.tensor', {}, [ntt, ntt, ntt, ntt]],
            ['limb.convolve', { q: BigInt(t), outputs: 2 }, [coeff(q), coeff(p), ntt, ntt, ntt, ntt]],
          ] as const) {
            const key = operatorKey({ operator, attributes, inputs, outputs: [ntt], device: 'test' });
            const [trial] = await bench.trial(key, [{ platform: 'simd', kernels: [kernel] }], TRY);
            expect(trial?.problem, `${operator} ${kernel.name}`).toBeUndefined();
          }
        }
      }
    }
  });

  it('are refused where they are wrong, however fast', async () => {
    const key = transform('limb.ntt', 1024, PRIMES[0] as number);
    const { kernel } = await derive((Space.of('ring.forward', 1024, 50) as Space).schedule([3, 3, 4]));
    // The factors of another layer.
    const planted = { ...kernel, layout: kernel.layout.map((at, index) => (index === 9 ? at ^ 2 : at)) };
    const other = (await derive((Space.of('ring.forward', 1024, 50) as Space).schedule([4, 3, 3]))).kernel;
    const [right, wrong, mixed] = await bench.trial(
      key,
      [
        { platform: 'simd', kernels: [kernel] },
        { platform: 'simd', kernels: [planted] },
        { platform: 'simd', kernels: [{ ...kernel, module: other.module }] },
      ],
      TRY,
    );
    expect(right?.problem).toBeUndefined();
    expect(wrong?.problem).toContain('limb.ntt');
    expect(wrong?.time).toBeUndefined();
    expect(mixed?.problem).toContain('limb.ntt');
    // And the worker is as before.
    const [after] = await bench.trial(key, [{ platform: 'simd' }], TRY);
    expect(after?.problem).toBeUndefined();
  });

  it('are explored, and what was found is verified', async () => {
    const key = transform('limb.intt', 1024, PRIMES[0] as number);
    const { signal } = new AbortController();
    const best = await explorer.explore(key, { signal });
    expect(best.library?.call).toMatch(/^(simd|f64x2-fma)$/);
    expect(best.generated?.code).toMatch(/^[0-9a-f]{64}$/);
    const found = best.generated as Implementation;
    expect(found.time).toBeGreaterThan(0);
    expect(await explorer.verify(recordOf(key, found), found)).toBe(true);
    expect(
      await explorer.verify(recordOf(key, best.library as Implementation), best.library as Implementation),
    ).toBe(true);
    const hand: Implementation = {
      kind: 'hand-written',
      code: '0'.repeat(64),
      time: 1e-9,
      spread: 0,
      samples: 1,
    };
    expect(await explorer.verify(recordOf(key, hand), hand)).toBe(false);
    const planted = { ...found, time: 1e-9, code: '0'.repeat(64) };
    await expect(explorer.verify(recordOf(key, planted), planted)).rejects.toMatchObject({
      code: 'tune.code',
    });
    // What no kernel is made of has what is built in.
    const sum = { ...key, operator: 'limb.add', inputs: [...key.inputs, ...key.inputs] };
    const added = await explorer.explore(sum, { signal });
    expect(added.library).toBeDefined();
    expect(added.generated).toBeUndefined();
    await expect(explorer.explore({ ...key, operator: 'limb.none' }, { signal })).rejects.toMatchObject({
      code: expect.stringMatching(/operator/) as string,
    });
    await expect(explorer.explore(key, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  describe('in a loom', () => {
    let loom: Loom | undefined;
    afterAll(() => loom?.dispose());

    it.each([1, 2])('give the same results on %i threads', async (threads) => {
      const records = [2048, 4096, 8192, 16384].flatMap((n) =>
        (['limb.ntt', 'limb.intt'] as const).map((operator) => {
          const space = Space.of(operator === 'limb.ntt' ? 'ring.forward' : 'ring.inverse', n, 50) as Space;
          return recordOf(transform(operator, n, PRIMES[0] as number), generated(space.random(random)));
        }),
      );
      const task = createTask();
      const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, { shape: [8], min: -1000, max: 1000 }));
      task.output('z', (x as Value).multiply(y as Value).add(x as Value));
      task.output('sum', (x as Value).multiply(x as Value).sum());
      const encrypted = { x: [1, -2, 3, 1000, -1000, 7, 0, 5], y: [9, 8, -7, 1000, 1000, 3, 1, -5] };
      loom = await load({ threads, kernels: records });
      expect(loom.mode.kernels).toHaveLength(8);
      expect(loom.mode.kernels.every((name) => name.includes('-50:'))).toBe(true);
      const found = await compute(loom, task, { encrypted });
      expect(found).toEqual({
        z: encrypted.x.map((one, at) => one * (encrypted.y[at] as number) + one),
        sum: encrypted.x.reduce((sum, one) => sum + one * one, 0),
      });
      // Ciphertexts of one worker are read by another one that has none of these kernels, to the same bytes.
      using plain = await load({ threads: 1 });
      using program = await loom.compile(task);
      using client = await program.client();
      const inputs = await client.encrypt(encrypted);
      using same = await plain.program(program.toBytes());
      const [one, other] = [
        await program.run(inputs, client.evaluationKeys),
        await same.run(inputs, client.evaluationKeys),
      ];
      for (const [name, bytes] of Object.entries(one))
        expect(Buffer.from(bytes).equals(Buffer.from(other[name] as Uint8Array)), name).toBe(true);
      loom.dispose();
    });

    it('leaves out records whose code is another one, and those of other builds run without', async () => {
      const schedule = (Space.of('ring.forward', 4096, 50) as Space).schedule([4, 4, 4]);
      const key = transform('limb.ntt', 4096, PRIMES[0] as number);
      using stale = await load({ kernels: [recordOf(key, generated(schedule, '0'.repeat(64)))] });
      expect(stale.mode.kernels).toEqual([]);
      expect(stale.mode.reasons.join(' ')).toContain('A record of limb.ntt was left out');
      await expect(load({ kernels: [{}] as never })).rejects.toMatchObject({ code: 'tune.record' });
      await expect(load({ kernels: 'all' as never })).rejects.toMatchObject({ name: 'InputError' });
      using other = await load({ mode: 'single', kernels: [recordOf(key, generated(schedule))] });
      expect(other.mode.kernels).toEqual([]);
      expect(scheduleName(schedule)).toContain('4,4,4');
    });
  });
});
