// Kernels made at run time, in real workers: tried against the reference, explored, refused, and used. They need relaxed SIMD, which old releases of Node have behind a flag.
import { setFlagsFromString } from 'node:v8';
import { createTask, kernelsText, load, type Loom, type TraceView, type Value } from 'cipherloom';
import { memoryCache, newExplorerKeys, signRecord, tuneClient } from 'cipherloom/tune';
import { chooseKernels } from 'cipherloom/tune/kernels';
import { keyText, operatorKey, type OperatorKey } from '../../dist/tune/key.js';
import type { Best, Implementation, TuneRecord } from '../../dist/tune/record.js';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseMode, detectFeatures } from '../../dist/choose-mode.js';
import { Bench } from '../../dist/tune/kernels/bench.js';
import { derive } from '../../dist/tune/kernels/derive.js';
import { KernelExplorer } from '../../dist/tune/kernels/explorer.js';
import { bitsOf, pieceOf, type PieceOfKey } from '../../dist/tune/kernels/pieces.js';
import {
  type ChangeSchedule,
  type Schedule,
  scheduleName,
  type Terms,
} from '../../dist/tune/kernels/schedule.js';
import { seeded, type Space, spaceOf } from '../../dist/tune/kernels/space.js';
import { SumSpace } from '../../dist/tune/kernels/sum-space.js';
import { TransformSpace } from '../../dist/tune/kernels/transform-space.js';
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

/** Sums of products whose factors have these forms, transformed back or not. */
function convolve(
  n: number,
  q: number,
  forms: readonly string[],
  outputs: number,
  form?: string,
): OperatorKey {
  const factors = forms.map((own) => limb(n, q, own));
  return operatorKey({
    operator: 'limb.convolve',
    attributes: { q: BigInt(q), outputs, ...(form !== undefined && { form }) },
    inputs: [...factors, ...Array.from({ length: forms.length * outputs }, () => limb(n, q, 'ntt'))],
    outputs: [`limbs[${outputs * n}]{}`],
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

const LIBRARY: Implementation = { kind: 'library', call: 'simd', time: 10, spread: 0.1, samples: 9 };

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
      const space = TransformSpace.of(
        forward ? 'ring.forward' : 'ring.inverse',
        n,
        q > 2 ** 49 ? 50 : 43,
      ) as TransformSpace;
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
        [48, 0xffff_fffa_0001],
        [43, p],
        [17, 65_537],
      ] as const) {
        const ntt = limb(n, t, 'ntt');
        const forward = (TransformSpace.of('ring.forward', n, bits) as TransformSpace).random(random);
        const inverse = (TransformSpace.of('ring.inverse', n, bits) as TransformSpace).random(random);
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

  it('sum products as the reference does, by random schedules, whatever the terms and the prime', async () => {
    const wrong: string[] = [];
    for (let round = 0; round < 40; round++) {
      const [n, outputs] = [2 ** (4 + (round % 6)), 1 + (round % 4)];
      const [bits, q] = (
        [
          [50, PRIMES[0]],
          [50, PRIMES[1]],
          [48, 0xffff_fffa_0001],
          [43, PRIMES[1]],
          [17, 65_537],
        ] as [number, number][]
      )[round % 5] as [number, number];
      // In any order; most sums have more terms than can be added before they are reduced.
      const forms = Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
        random() < 0.3 ? 'ntt' : 'coeff',
      );
      const open = forms.filter((form) => form === 'coeff').length;
      const terms: Terms = [open, forms.length - open, outputs];
      const schedule = (SumSpace.of(terms, n, bits) as SumSpace).random(random);
      const rounding = round % 3 === 0 ? 'add' : schedule.rounding;
      const one = { ...schedule, rounding, ...(round % 7 === 0 && { prime: q }) };
      const { kernel } = await derive(one);
      for (const form of [undefined, 'ntt']) {
        const key = convolve(n, q, forms, outputs, form);
        const [trial] = await bench.trial(key, [{ platform: 'simd', kernels: [kernel] }], TRY);
        if (trial?.problem !== undefined) wrong.push(`${kernel.name} of ${q}: ${trial.problem}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('change the base as the reference does, by random schedules, whatever the primes', async () => {
    const wrong: string[] = [];
    // Of 50, 50, 48, 43, 40 and 17 bits, 1 modulo 2^11.
    const primes = [
      PRIMES[0],
      0x3_ffff_ffd2_0001,
      0xffff_fffa_0001,
      PRIMES[1],
      1_099_511_480_321,
      65_537,
    ] as number[];
    for (let round = 0; round < 36; round++) {
      const n = 2 ** (4 + (round % 6));
      const order = [...primes].sort(() => random() - 0.5);
      const count = 1 + (round % 5);
      const [some, rest] = [order.slice(0, count), order.slice(count)];
      const list = (all: readonly number[]): bigint[] => all.map(BigInt);
      const [operator, attributes, all] = (
        [
          ['rns.extend', { to: list(rest) }, some],
          ['rns.switch', { to: list(rest) }, some],
          ['rns.scale_round', { drop: list(some), factor: BigInt(1 + (round % 2)) }, order],
        ] as [string, Record<string, bigint | bigint[]>, number[]][]
      )[round % 3] as [string, Record<string, bigint | bigint[]>, number[]];
      const inputs = [`poly[${all.length * n}]{form="coeff", n=${n}, q=[${all.join(', ')}]}`];
      const key = operatorKey({ operator, attributes, inputs, outputs: [], device: 'test' });
      const asked = pieceOf(key) as PieceOfKey;
      const schedule = (spaceOf(asked, bitsOf(asked.prime)) as Space).random(random) as ChangeSchedule;
      const { kernel } = await derive({ ...schedule, rounding: round % 4 === 0 ? 'add' : schedule.rounding });
      // So that it is known to be this kernel that is tried: one whose factors are wrong gives other results.
      const planted = {
        ...kernel,
        layout: kernel.layout.map((at, index) => (index === 5 * some.length ? 0 : at)),
      };
      const [right, other] = await bench.trial(
        key,
        [
          { platform: 'simd', kernels: [kernel] },
          { platform: 'simd', kernels: [planted] },
        ],
        TRY,
      );
      if (right?.problem !== undefined) wrong.push(`${kernel.name} in ${operator}: ${right.problem}`);
      if (other?.problem === undefined) wrong.push(`${kernel.name} in ${operator}: not taken`);
    }
    expect(wrong).toEqual([]);
  });

  it('of sums are refused where they are wrong, and explored', async () => {
    const [n, q] = [1024, PRIMES[0] as number];
    const key = convolve(n, q, ['coeff', 'coeff', 'ntt'], 2);
    const { kernel } = await derive((SumSpace.of([2, 1, 2], n, 50) as SumSpace).schedule());
    // For primes of 17 bits: `high` has no room for larger ones.
    const narrow = (await derive((SumSpace.of([2, 1, 2], n, 17) as SumSpace).schedule())).kernel;
    const [right, wrong] = await bench.trial(
      key,
      [
        { platform: 'simd', kernels: [kernel] },
        { platform: 'simd', kernels: [{ ...kernel, module: narrow.module }] },
      ],
      TRY,
    );
    expect([right?.problem, wrong?.problem]).toEqual([undefined, expect.stringContaining('limb.convolve')]);
    const { signal } = new AbortController();
    const found = (await explorer.explore(key, { signal })).generated as Implementation;
    expect(found.schedule).toMatchObject({ piece: 'ring.sum', terms: [2, 1, 2] });
    expect(await explorer.verify(recordOf(key, found), found)).toBe(true);
    // Of other terms, it is no implementation.
    const other = convolve(n, q, ['coeff', 'ntt', 'ntt'], 2);
    await expect(explorer.verify(recordOf(other, found), found)).rejects.toMatchObject({
      code: 'tune.record',
    });
  });

  it('are refused where they are wrong, however fast', async () => {
    const key = transform('limb.ntt', 1024, PRIMES[0] as number);
    const { kernel } = await derive(
      (TransformSpace.of('ring.forward', 1024, 50) as TransformSpace).schedule([3, 3, 4]),
    );
    // The factors of another layer.
    const planted = { ...kernel, layout: kernel.layout.map((at, index) => (index === 9 ? at ^ 2 : at)) };
    const other = (
      await derive((TransformSpace.of('ring.forward', 1024, 50) as TransformSpace).schedule([4, 3, 3]))
    ).kernel;
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
    const device = 'test';
    const keys = newExplorerKeys();
    const stranger = newExplorerKeys();
    const signed = async (key: OperatorKey, best: Best, by = keys): Promise<TuneRecord> => {
      const { publicKey: explorer } = await by;
      return signRecord({ key, best, at: 1, version: 'test', explorer }, await by);
    };
    const choose = async (...records: TuneRecord[]) =>
      chooseKernels({ records, explorers: [(await keys).publicKey], device });
    /** Signed records of the transforms of several rings, schedules at random. */
    const records = (): Promise<TuneRecord[]> =>
      Promise.all(
        [2048, 4096, 8192, 16384].flatMap((n) =>
          (['limb.ntt', 'limb.intt'] as const).map((operator) => {
            const space = TransformSpace.of(
              operator === 'limb.ntt' ? 'ring.forward' : 'ring.inverse',
              n,
              50,
            ) as TransformSpace;
            const key = transform(operator, n, PRIMES[0] as number);
            return signed(key, { library: LIBRARY, generated: generated(space.random(random)) });
          }),
        ),
      );
    let loom: Loom | undefined;
    afterAll(() => loom?.dispose());

    it('what a client found is verified, runs on one thread and on two, and gives the same bytes', async () => {
      const found = await records();
      const cache = memoryCache();
      await cache.put(new Map(found.map((record) => [keyText(record.key), record])), 100);
      const client = await tuneClient({
        url: 'http://127.0.0.1:9',
        device,
        explorers: [(await keys).publicKey],
        cache,
        share: () => false,
      });
      // One more that nobody knows.
      const asked = [...found.map(({ key }) => key), transform('limb.ntt', 64, PRIMES[0] as number)];
      const kernels = await chooseKernels({ client, keys: asked });
      await client.close();
      expect(kernels.refused).toEqual([]);
      expect(kernels.names).toHaveLength(8);
      const task = createTask();
      const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, { shape: [8], min: -1000, max: 1000 }));
      // Of depth two, so that there is key switching.
      task.output(
        'z',
        (x as Value)
          .multiply(y as Value)
          .multiply(x as Value)
          .add(x as Value),
      );
      task.output('sum', (x as Value).multiply(x as Value).sum());
      const encrypted = { x: [1, -2, 3, 1000, -1000, 7, 0, 5], y: [9, 8, -7, 1000, 1000, 3, 1, -5] };
      for (const threads of [1, 2]) {
        loom = await load({ threads, kernels });
        expect(loom.mode.kernels).toEqual(kernels.names);
        expect(await compute(loom, task, { encrypted })).toEqual({
          z: encrypted.x.map((one, at) => one * one * (encrypted.y[at] as number) + one),
          sum: encrypted.x.reduce((sum, one) => sum + one * one, 0),
        });
        // Ciphertexts of one worker are read by another one that has none of these kernels, to the same bytes.
        using plain = await load({ threads: 1 });
        using program = await loom.compile(task);
        using client = await program.client();
        const inputs = await client.encrypt(encrypted);
        using same = await plain.program(program.toBytes());
        const traces: TraceView[] = [];
        const onTrace = (trace: TraceView): void => void traces.push(trace);
        const [one, other] = [
          await program.run(inputs, client.evaluationKeys, { onTrace }),
          await same.run(inputs, client.evaluationKeys, { onTrace }),
        ];
        // Which kernels ran, and why: those of the ring that the program has, in what is made of transforms.
        const [ran, built] = traces.map((trace) =>
          Array.from(trace.op).map((op): [string, string] => [
            trace.types[trace.type[op] as number] as string,
            kernelsText(trace, op, (trace === traces[0] ? (loom as Loom) : plain).mode.chosen) as string,
          ]),
        ) as [[string, string][], [string, string][]];
        expect(built.filter(([, text]) => !text.endsWith(', built in'))).toEqual([]);
        const measured = `10.00 times as fast as simd (0.001 µs, not 0.01 µs)`;
        const by = `measured by ${(await keys).publicKey.slice(0, 8)} on 1970-01-01`;
        for (const [direction, operator] of [
          ['forward', 'limb.ntt'],
          ['inverse', 'limb.intt'],
        ]) {
          const name = kernels.names.find((known) => known.startsWith(`${direction}-${program.info.n}-`));
          const texts = ran.filter(([, text]) => text.includes(`${direction}-`));
          const why = `f64x2-fma, built in; ${name}, made at run time: ${measured} in ${operator}, ${by}`;
          expect([...new Set(texts.map(([, text]) => text))]).toEqual([why]);
        }
        // What is no transform has what is built in, there too.
        expect(
          ran.filter(([type]) => type === 'limb.add').every(([, text]) => text.endsWith('built in')),
        ).toBe(true);
        for (const [name, bytes] of Object.entries(one))
          expect(Buffer.from(bytes).equals(Buffer.from(other[name] as Uint8Array)), name).toBe(true);
        loom.dispose();
      }
    });

    it('nothing runs that is not verified', async () => {
      const space = TransformSpace.of('ring.forward', 1024, 50) as TransformSpace;
      const [schedule, changed, miscompiled] = [
        [3, 3, 4],
        [4, 3, 3],
        [2, 4, 4],
      ].map((passes) => space.schedule(passes)) as [Schedule, Schedule, Schedule];
      const key = transform('limb.ntt', 1024, PRIMES[0] as number);
      const { code } = await derive(schedule);
      const good = generated(schedule, code);
      const best = { library: LIBRARY, generated: good };
      const right = await signed(key, best);
      const times = { time: 1e-9, spread: 0, samples: 9 };
      const byHand: Implementation = { kind: 'hand-written', code: '0'.repeat(64), ...times };
      const schedules = (other: unknown): Best => ({
        library: LIBRARY,
        generated: { ...good, time: 1e-9, schedule: other as never },
      });
      const cases: [what: string, code: string | undefined, taken: number, record: TuneRecord][] = [
        ['what is right', undefined, 1, right],
        ['an explorer that nobody believes', 'tune.signature', 0, await signed(key, best, stranger)],
        [
          'a schedule that was changed after it was signed',
          'tune.signature',
          0,
          { ...right, best: schedules(changed) },
        ],
        [
          'a schedule that gives other code than what was measured',
          'tune.code',
          0,
          await signed(key, schedules(changed)),
        ],
        [
          'a record of another device',
          'tune.device',
          0,
          await signed({ ...key, device: 'another class' }, best),
        ],
        [
          'a schedule of another ring',
          'tune.record',
          0,
          await signed(key, schedules({ ...schedule, n: 2048, passes: [3, 4, 4] })),
        ],
        ['no schedule', 'tune.record', 0, await signed(key, schedules({ code: 'AGFzbQ==' }))],
        [
          'code of somebody, with a wonderful time',
          'tune.code',
          1,
          await signed(key, { ...best, 'hand-written': byHand }),
        ],
        [
          'what wins by less than noise',
          undefined,
          0,
          await signed(key, { library: LIBRARY, generated: { ...good, time: 9.95 } }),
        ],
        ['what was compared with nothing', undefined, 0, await signed(key, { generated: good })],
        ['no record', 'tune.record', 0, {} as never],
      ];
      for (const [what, refusal, taken, record] of cases) {
        const chosen = await choose(record);
        expect([chosen.names.length, chosen.refused.map((error) => error.code)], what).toEqual([
          taken,
          refusal === undefined ? [] : [refusal],
        ]);
      }

      // Code that is not what the generator wrote, as a compiler that is wrong would make it: it leaves everything as it is, at no time at all.
      const { compile } = WebAssembly;
      const nothing = await compile(
        Uint8Array.of(
          ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
          ...[1, 8, 1, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 0, 3, 3, 2, 0, 0],
          ...[
            7,
            17,
            2,
            6,
            ...new TextEncoder().encode('closed'),
            0,
            0,
            4,
            ...new TextEncoder().encode('open'),
            0,
            1,
          ],
          ...[10, 7, 2, 2, 0, 0x0b, 2, 0, 0x0b],
        ),
      );
      try {
        WebAssembly.compile = async (bytes) => {
          const module = await compile.call(WebAssembly, bytes);
          return WebAssembly.Module.exports(module).some(({ name }) => name === 'closed') ? nothing : module;
        };
        const planted = await choose(
          await signed(key, { library: LIBRARY, generated: generated(miscompiled) }),
        );
        expect(planted.names).toEqual([]);
        expect(planted.refused.map((error) => error.code)).toEqual(['tune.conformance']);
      } finally {
        WebAssembly.compile = compile;
      }

      // And records of several: who is refused keeps none from running.
      const some = await choose(await signed(key, best, stranger), right);
      using other = await load({ threads: 1, kernels: some });
      expect(other.mode.kernels).toEqual([scheduleName(schedule)]);
      expect(other.mode.reasons.join(' ')).toContain('A kernel was not taken: record, explorer');
      using single = await load({ mode: 'single', kernels: some });
      expect(single.mode.kernels).toEqual([]);
    });

    it('of two records for one piece the faster runs, and those for fewer primes go before', async () => {
      const [n, q, small] = [1024, PRIMES[0] as number, PRIMES[1] as number];
      const [wide, narrow] = [50, 43].map((bits) => TransformSpace.of('ring.forward', n, bits)) as [
        TransformSpace,
        TransformSpace,
      ];
      const of = async (prime: number, schedule: Schedule, time: number): Promise<TuneRecord> =>
        signed(transform('limb.ntt', n, prime), {
          library: LIBRARY,
          generated: { ...generated(schedule), time },
        });
      // Not those of the test before, of which one was compiled to something else.
      const [slow, fast] = [wide.schedule([3, 4, 3]), wide.schedule([2, 3, 3, 2])];
      const few = narrow.schedule([4, 3, 3]);
      const one = { ...narrow.schedule([4, 4, 2]), prime: small };
      // In any order.
      const some = [
        await of(q, slow, 5),
        await of(q, fast, 2),
        await of(small, few, 4),
        await of(small, one, 6),
      ];
      for (const order of [some, [...some].reverse()]) {
        const kernels = await choose(...order);
        expect(kernels.refused).toEqual([]);
        expect(kernels.names).toEqual([fast, few, one].map(scheduleName));
        expect(kernels.chosen.map(({ time }) => time)).toEqual([2, 4, 6]);
      }
      // The same record twice is one kernel; sums of other terms are other work.
      expect((await choose(some[0] as TuneRecord, some[0] as TuneRecord)).names).toHaveLength(1);
      const sums = await Promise.all(
        [['coeff'], ['coeff', 'ntt']].map((forms) => {
          const open = forms.filter((form) => form === 'coeff').length;
          const space = SumSpace.of([open, forms.length - open, 2], n, 50) as SumSpace;
          const best = { library: LIBRARY, generated: generated(space.schedule()) };
          return signed(convolve(n, q, forms, 2), best);
        }),
      );
      expect((await choose(...sums)).names).toEqual([
        'sum-1024-50:1+0x2 nearest held u2 together',
        'sum-1024-50:1+1x2 nearest held u2 together',
      ]);
    });

    it('a worker that does not start is an error, and no verdict on a record', async () => {
      const found = (await records()).slice(0, 1);
      const source = { records: found, explorers: [(await keys).publicKey], device };
      const worker = (): never => {
        throw new Error('no worker today');
      };
      await expect(chooseKernels(source, { worker })).rejects.toMatchObject({
        code: 'worker.failed',
        message: expect.stringContaining('no worker today') as string,
      });
      const threads = process.getBuiltinModule('node:worker_threads');
      const { Worker } = threads;
      threads.Worker = class extends Worker {
        constructor(address: string | URL, options: object) {
          const gone = String(address).includes('conformance-worker');
          super(gone ? new URL('file:///none.js') : address, options);
        }
      } as typeof Worker;
      try {
        await expect(chooseKernels(source)).rejects.toMatchObject({ code: 'worker.failed' });
      } finally {
        threads.Worker = Worker;
      }
      // Nothing is left of it: the next call is as if there had been none. Without records there is nothing to try, and no worker.
      expect((await chooseKernels(source)).names).toHaveLength(1);
      expect((await chooseKernels({ ...source, records: [] }, { worker })).names).toEqual([]);
    });

    it('load takes nothing else, whatever it looks like', async () => {
      const right = (await records())[0] as TuneRecord;
      const like = { names: ['a'], refused: [] };
      for (const kernels of [
        [right],
        [],
        {},
        'all',
        like,
        Object.create(Object.getPrototypeOf(await choose())),
      ])
        await expect(load({ kernels: kernels as never })).rejects.toMatchObject({ code: 'input.type' });
      for (const [source, code] of [
        [undefined, 'tune.option'],
        [{ records: 'all', explorers: [], device }, 'tune.option'],
        [{ records: [], explorers: ['short'], device }, 'tune.record'],
        [{ records: [], explorers: [], device: '' }, 'tune.option'],
      ] as const)
        await expect(chooseKernels(source as never)).rejects.toMatchObject({ code });
      await expect(
        chooseKernels({ records: [], explorers: [], device }, { signal: AbortSignal.abort() }),
      ).rejects.toMatchObject({ name: 'AbortError' });
    });
  });
});
