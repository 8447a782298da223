import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  beats,
  bestOfEach,
  canonicalJson,
  checkRecord,
  checkSigned,
  coOccurrence,
  deviceClass,
  fastest,
  indexedDbCache,
  keyText,
  measure,
  newExplorerKeys,
  openExplorerKeys,
  operatorKey,
  readKey,
  saveExplorerKeys,
  signRecord,
  skipGram,
  summary,
  tuneClient,
  winner,
} from '../src/tune/index.js';
import type { Candidate, OperatorKey, Predictor } from '../src/tune/index.js';
import { fingerprint } from '../src/tune/device-class.js';
import { authorization, checkAuthorization } from '../src/tune/sign.js';
import { random as below } from './random.js';

const DEVICE = 'a class';
const key = (word: string): OperatorKey =>
  operatorKey({ operator: word, inputs: ['u64[8]'], outputs: ['u64[8]'], device: DEVICE });

afterEach(() => vi.unstubAllGlobals());

describe('keys', () => {
  const parts = { operator: 'limb.ntt', inputs: ['a', 'b'], outputs: ['c'], device: DEVICE };

  it('are one text for equal operators, and read back', () => {
    const one = operatorKey({ ...parts, attributes: { q: [3n, 5], n: 8 } });
    const other = operatorKey({ ...parts, attributes: { n: 8, q: [3, 5n] } });
    expect(keyText(one)).toBe(keyText(other));
    expect(keyText(one)).toBe('["limb.ntt","{n=8, q=[3,5]}",["a","b"],["c"],"a class"]');
    expect(readKey(keyText(one))).toEqual(one);
    expect(keyText(operatorKey(parts))).not.toBe(keyText(one));
    expect(keyText({ ...one, inputs: ['a'], outputs: ['b', 'c'] })).not.toBe(keyText(one));
  });

  it('hold neither data nor seeds', () => {
    const data = new Uint8Array([1, 2, 3]) as unknown as string;
    const long = Array.from({ length: 65 }, (_, at) => 1_000_000 + at);
    const made = operatorKey({
      ...parts,
      attributes: { n: 8, seed: [77, 78, 79, 80], stream: 9, data, long },
    });
    expect(made.attributes).toBe('{data="3 bytes", long="list of 65", n=8}');
  });

  it('that break a rule are refused', () => {
    for (const more of [
      { operator: 'a b' },
      { operator: '' },
      { inputs: ['\ud800'] },
      { inputs: [''] },
      { outputs: ['x'.repeat(5000)] },
      { device: '' },
      { inputs: Array.from({ length: 100 }, () => 'x'.repeat(4000)) },
    ])
      expect(() => operatorKey({ ...parts, ...more }), JSON.stringify(more).slice(0, 50)).toThrow(
        expect.objectContaining({ code: 'tune.key' }) as Error,
      );
    for (const text of ['', '{}', '[1,2]', '["a","{}",[],[],7]'])
      expect(() => readKey(text)).toThrow(expect.objectContaining({ code: 'tune.key' }) as Error);
  });
});

describe('canonical JSON', () => {
  // The example of RFC 8785, section 3.2.3, in short: members by UTF-16 units.
  it('sorts as RFC 8785 says', () => {
    const given = {
      '\u20ac': 'Euro',
      '\r': 'CR',
      '\ufb33': 'Dalet',
      1: 'One',
      '\u0080': 'Control',
      '\u00f6': 'O',
    };
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ufb33'];
    expect(
      [...canonicalJson(given).matchAll(/"([^"]*)":/g)].map(([, name]) => JSON.parse(`"${name}"`) as string),
    ).toEqual(sorted);
    expect(canonicalJson({ b: [1e30, 4.5, 2e-3, 1e-27, -0], a: null })).toBe(
      '{"a":null,"b":[1e+30,4.5,0.002,1e-27,0]}',
    );
  });

  it('takes nothing that JSON has not', () => {
    let deep: unknown = 0;
    for (let at = 0; at < 40; at++) deep = [deep];
    for (const value of [NaN, Infinity, undefined, 1n, () => 0, '\ud800', { '\udfff': 1 }, deep])
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: 'tune.record' }) as Error);
  });
});

describe('records', () => {
  const library = { kind: 'library', call: 'f', time: 5, spread: 1, samples: 3 } as const;
  const generated = { kind: 'generated', schedule: { radix: 4 }, time: 3, spread: 1, samples: 3 } as const;

  it('are signed, kept and checked', async () => {
    const made = await newExplorerKeys({ extractable: true });
    const keys = await openExplorerKeys(await saveExplorerKeys(made));
    const unsigned = {
      key: key('o'),
      best: { library, generated },
      at: 1,
      version: '1',
      explorer: keys.publicKey,
    };
    const record = await signRecord(unsigned, keys);
    const own = new Set([keys.publicKey]);
    expect(await checkSigned(JSON.parse(JSON.stringify(record)), own)).toEqual(record);
    // Every change of every part is seen.
    for (const changed of [
      { ...record, at: 2 },
      { ...record, version: '2' },
      { ...record, key: { ...record.key, device: 'another' } },
      { ...record, best: { library } },
      { ...record, best: { library, generated: { ...generated, schedule: { radix: 8 } } } },
      { ...record, signature: record.signature.replace(/^../, (two) => (two === '00' ? '01' : '00')) },
    ])
      await expect(checkSigned(changed, own)).rejects.toMatchObject({ code: 'tune.signature' });
    await expect(checkSigned(record, new Set())).rejects.toMatchObject({ code: 'tune.signature' });
    await expect(signRecord({ ...unsigned, explorer: '0'.repeat(64) }, keys)).rejects.toMatchObject({
      code: 'tune.signature',
    });
    await expect(saveExplorerKeys(keys)).rejects.toMatchObject({ code: 'tune.signature' });
    const other = await saveExplorerKeys(await newExplorerKeys({ extractable: true }));
    const mixed = new Uint8Array([...other.subarray(0, 32), ...(await saveExplorerKeys(made)).subarray(32)]);
    for (const bytes of [new Uint8Array(), new Uint8Array(80), mixed])
      await expect(openExplorerKeys(bytes)).rejects.toMatchObject({ code: 'tune.signature' });
  });

  it('have one best of each kind, and the fastest of these', () => {
    const slow = { ...generated, time: 4 };
    expect(bestOfEach([slow, library, generated])).toEqual({ library, generated });
    expect(fastest({ library, generated })).toBe(generated);
    expect(fastest({})).toBeUndefined();
    // Equally fast: what is built in.
    expect(fastest({ generated: { ...generated, time: 5 }, library })?.kind).toBe('library');
    expect(() => checkRecord({})).toThrow(expect.objectContaining({ code: 'tune.record' }) as Error);
  });

  it('travel in requests that are signed for one service and one moment', async () => {
    const keys = await newExplorerKeys();
    const request = { origin: 'https://a', method: 'POST', path: '/v1/tasks', body: { room: 1 } };
    const header = await authorization(keys, { ...request, at: 1000 });
    expect(await checkAuthorization(header, request, 1500, 1000)).toBe(keys.publicKey);
    for (const other of [
      { origin: 'https://b' },
      { method: 'PUT' },
      { path: '/v1/tasks/' },
      { body: { room: 2 } },
    ])
      await expect(checkAuthorization(header, { ...request, ...other }, 1500, 1000)).rejects.toMatchObject({
        code: 'tune.signature',
      });
    for (const now of [2001, -1])
      await expect(checkAuthorization(header, request, now, 1000)).rejects.toMatchObject({
        code: 'tune.signature',
      });
    for (const text of [undefined, '', header.slice(0, -1)])
      await expect(checkAuthorization(text, request, 1500, 1000)).rejects.toMatchObject({
        code: 'tune.signature',
      });
  });
});

describe('measuring', () => {
  /** Candidates on a clock of their own: each run takes what its list says next. */
  function staged(times: Readonly<Record<string, readonly number[]>>) {
    let now = 0;
    const order: string[] = [];
    const candidates = Object.entries(times).map(([name, list]): Candidate => {
      let at = 0;
      return {
        name,
        run: () => {
          order.push(name);
          now += list[at++ % list.length] as number;
        },
      };
    });
    return { candidates, clock: () => now, order };
  }

  it('gives median and spread of what comes after the warm-up', async () => {
    const { candidates, clock, order } = staged({ a: [900, 10, 30, 20, 50, 40], b: [900, 7, 7, 7, 7, 7] });
    const measured = await measure(candidates, { clock, warmUp: 1, rounds: 5 });
    expect(measured).toEqual([
      { name: 'a', time: 30, spread: 20, samples: 5 },
      { name: 'b', time: 7, spread: 0, samples: 5 },
    ]);
    expect(order).toHaveLength(12);
  });

  it('lets candidates take turns, in another order each round', async () => {
    const { candidates, clock, order } = staged({ a: [1], b: [1], c: [1] });
    await measure(candidates, { clock, warmUp: 0, rounds: 6 });
    const rounds = Array.from({ length: 6 }, (_, at) => order.slice(3 * at, 3 * at + 3).join(''));
    for (const round of rounds) expect([...round].sort().join('')).toBe('abc');
    expect(new Set(rounds).size).toBe(6);
    expect(new Set(rounds.map((round) => round[0])).size).toBe(3);
  });

  it('runs as often as a sample needs', async () => {
    const { candidates, clock, order } = staged({ a: [10], b: [1000] });
    const measured = await measure(candidates, { clock, warmUp: 1, rounds: 2, sample: 100 });
    expect(measured.map(({ time }) => time)).toEqual([10, 1000]);
    // 1 + 2 + 4 + 8 + 16 in the warm-up, 16 each after it.
    expect(order.filter((name) => name === 'a')).toHaveLength(31 + 16 + 16);
    expect(order.filter((name) => name === 'b')).toHaveLength(3);
  });

  it('knows noise from a difference', () => {
    const of = (time: number, spread: number, samples = 25) => ({ time, spread, samples });
    // Notches: 1.57 * 10 / 5 = 3.14 on each side.
    expect(beats(of(93.7, 10), of(100, 10))).toBe(true);
    expect(beats(of(93.8, 10), of(100, 10))).toBe(false);
    // Certain, and not worth it.
    expect(beats(of(99.5, 0), of(100, 0))).toBe(false);
    expect(beats(of(98.9, 0), of(100, 0))).toBe(true);
    const [incumbent, near, far] = [of(100, 10), of(99, 10), of(80, 10)];
    expect(winner([incumbent, near])).toBe(incumbent);
    expect(winner([incumbent, near, far])).toBe(far);
    expect(() => winner([])).toThrow(expect.objectContaining({ code: 'tune.measure' }) as Error);
  });

  it('hardly ever takes equal ones for different, and finds those that are', () => {
    const random = (): number => below(2 ** 30) / 2 ** 30;
    const sample = (mean: number) =>
      summary(Array.from({ length: 25 }, () => mean + 10 * (random() + random() + random())));
    let [false_, found] = [0, 0];
    for (let go = 0; go < 1000; go++) {
      if (beats(sample(100), sample(100))) false_++;
      if (beats(sample(90), sample(100))) found++;
    }
    expect(false_).toBeLessThan(40);
    expect(found).toBeGreaterThan(800);
  });

  it('ends when it is told to, and refuses what cannot be measured', async () => {
    const { candidates, clock } = staged({ a: [1] });
    await expect(
      measure(candidates, { clock, signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    await expect(measure([...candidates, ...candidates], { clock })).rejects.toMatchObject({
      code: 'tune.measure',
    });
    await expect(measure(candidates, { rounds: 0 })).rejects.toMatchObject({ code: 'tune.measure' });
    expect(() => summary([])).toThrow();
  });
});

describe('classes of devices', () => {
  it('say what matters, in words', () => {
    const traits = {
      processor: 'AMD Ryzen 9 5950X 16-Core Processor',
      engine: 'v8',
      wasm: ['threads', 'relaxed-simd'],
    };
    expect(deviceClass({ ...traits, cores: 12 })).toBe('amd-ryzen-9-5950x|v8|relaxed-simd,threads|8 cores');
    expect(
      deviceClass({ ...traits, cores: 12, gpu: { vendor: 'NVIDIA', architecture: 'hopper' } }),
    ).toContain('|gpu nvidia hopper');
    const xeon = (rate: string) =>
      deviceClass({ ...traits, processor: `Intel(R) Xeon(R) CPU E5-2690 v4 @ ${rate}GHz` });
    expect(xeon('2.60')).toBe(xeon('3.20'));
    expect(deviceClass()).toBe(deviceClass());
    expect(fingerprint()).toMatch(/^f-?\d+\.-?\d+$/);
  });
});

describe('predictors', () => {
  /** Tasks of two sorts, each a walk through its own operators. */
  function train(predictor: Predictor, tasks = 40): void {
    const random = (): number => below(2 ** 30) / 2 ** 30;
    for (let task = 0; task < tasks; task++) {
      const sort = task % 2 === 0 ? 'ntt' : 'sum';
      for (let step = 0; step < 12; step++)
        predictor.observe(`task ${task}`, key(`${sort}.s${Math.floor(random() * 6)}`));
    }
  }

  for (const [name, make] of [
    ['co-occurrence', () => coOccurrence()],
    ['vectors', () => skipGram()],
  ] as const)
    it(`${name}: names what comes with it, and not itself`, () => {
      const predictor = make();
      expect(predictor.related(key('ntt.s0'))).toEqual([]);
      train(predictor);
      const related = predictor.related(key('ntt.s0')).map(({ operator }) => operator);
      expect(related.slice(0, 5).sort()).toEqual(['ntt.s1', 'ntt.s2', 'ntt.s3', 'ntt.s4', 'ntt.s5']);
      expect(related).not.toContain('ntt.s0');
    });

  it('co-occurrence counts, forgets what is old, and goes on from what it has learned', () => {
    const first = coOccurrence({ window: 2, most: 2, known: 3 });
    for (const word of ['a', 'b', 'a', 'b', 'c']) first.observe('t', key(word));
    const names = (of: Predictor, word: string) => of.related(key(word)).map(({ operator }) => operator);
    // a b, b a, a b (b is itself), b c and a c: a and b three times together, c once with each.
    expect(names(first, 'a')).toEqual(['b', 'c']);
    const state = JSON.parse(JSON.stringify(first.state())) as ReturnType<typeof first.state>;
    expect(names(coOccurrence({ state }), 'a')).toEqual(['b', 'c']);
    first.observe('t', key('d'));
    expect(names(first, 'a')).toEqual([]);
    expect(names(first, 'd')).toEqual(['b', 'c']);
    expect(() => coOccurrence({ state: { kind: 'other', version: 1 } })).toThrow(
      expect.objectContaining({ code: 'tune.option' }) as Error,
    );
  });
});

describe('a client', () => {
  it('says so where there is no database of pages', async () => {
    await expect(indexedDbCache()).rejects.toMatchObject({ code: 'tune.cache' });
  });

  it('never lets a service, a listener or a cache that fails stop anything', async () => {
    const keys = await newExplorerKeys();
    const best = { library: { kind: 'library', call: 'f', time: 5, spread: 1, samples: 3 } } as const;
    const record = await signRecord(
      { key: key('o'), best, at: 1, version: '1', explorer: keys.publicKey },
      keys,
    );
    const client = await tuneClient({
      url: 'https://tune.example',
      device: DEVICE,
      explorers: [keys.publicKey],
      fetch: async () => new Response(JSON.stringify({ records: [record] })),
      onHit: () => {
        throw new Error('a listener');
      },
      cache: {
        load: async () => [],
        put: async () => Promise.reject(new Error('a full disk')),
        remove: async () => {},
        close: async () => {},
      },
      share: ({ operator }) => operator !== 'secret',
    });
    expect(await client.query(key('o'))).toEqual(record);
    expect(client.counts).toMatchObject({ requests: 1, answered: 1, failed: 2 });
    // What is not to be shared is not asked for.
    expect(await client.query(key('secret'))).toBeUndefined();
    expect(client.counts.requests).toBe(1);
    await client.close();
    // Nothing but true lets a key out; what is thrown later is counted, too.
    const fails = async (): Promise<never> => Promise.reject(new Error('later'));
    for (const share of [fails, () => 1, () => undefined, () => expect.fail()]) {
      const other = await tuneClient({
        url: 'https://tune.example',
        device: DEVICE,
        explorers: [keys.publicKey],
        fetch: async () => new Response(JSON.stringify({ records: [record] })),
        share: share as never,
      });
      expect(await other.query(key('o'))).toBeUndefined();
      expect(other.counts).toMatchObject({ requests: 0 });
      await other.close();
    }
  });
});
