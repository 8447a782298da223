// What the functions of best implementations are given that is none of it: errors of the package, and nothing of it done.
import { describe, expect, it } from 'vitest';
import * as tune from '../src/tune/index.js';
import type { OperatorKey, TuneClientOptions } from '../src/tune/index.js';
import * as kernels from '../src/tune/kernels/index.js';
import { createTuneService } from '../src/tune/service/index.js';
import { unhandledOf } from './unhandled.js';

const DEVICE = 'a class';
const key = (device = DEVICE): OperatorKey =>
  tune.operatorKey({ operator: 'limb.ntt', inputs: ['a'], outputs: ['b'], device });
const MEASURED = { time: 1, spread: 0, samples: 1 };
const { signal } = new AbortController();

/** The code of the error that a call ends with. */
async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
  return 'no error';
}

/** Calls with arguments of no type that they have. */
const any = <T>(value: unknown): T => value as T;

describe('arguments of best implementations', () => {
  it('that are null, nothing, or a text are refused', async () => {
    const keys = await tune.newExplorerKeys();
    for (const wrong of [null, undefined, 'x', 5] as unknown[]) {
      const calls: Record<string, () => unknown> = {
        operatorKey: () => tune.operatorKey(any(wrong)),
        keyText: () => tune.keyText(any(wrong)),
        bestOfEach: () => tune.bestOfEach(any(wrong)),
        'bestOfEach of it': () => tune.bestOfEach([any(wrong)]),
        fastest: () => tune.fastest(any(wrong)),
        signedText: () => tune.signedText(any(wrong)),
        beats: () => tune.beats(any(wrong), MEASURED),
        measure: () => tune.measure(any(wrong)),
        'measure of it': () => tune.measure([any(wrong)]),
        summary: () => tune.summary(any(wrong)),
        winner: () => tune.winner(any(wrong)),
        checkSigned: () => tune.checkSigned({}, any(wrong)),
        openExplorerKeys: () => tune.openExplorerKeys(any(wrong)),
        saveExplorerKeys: () => tune.saveExplorerKeys(any(wrong)),
        'signRecord with it': () => tune.signRecord(any({}), any(wrong)),
        consented: () => tune.consented(any(wrong), {}),
        hashOf: () => tune.hashOf(any(wrong)),
        tuneClient: () => tune.tuneClient(any(wrong)),
        runExplorer: () => tune.runExplorer(any(wrong)),
        KernelExplorer: () => new kernels.KernelExplorer(any(wrong)),
        explore: () => new kernels.KernelExplorer({ device: DEVICE }).explore(key(), any(wrong)),
        compare: () => new kernels.KernelExplorer({ device: DEVICE }).compare(key(), [], any(wrong)),
      };
      for (const [name, call] of Object.entries(calls))
        expect([name, wrong, await codeOf(call)]).toEqual([name, wrong, 'input.type']);
      const records: Record<string, () => unknown> = {
        signRecord: () => tune.signRecord(any(wrong), keys),
        checkRecord: () => tune.checkRecord(wrong),
        'checkSigned of it': () => tune.checkSigned(wrong, new Set()),
      };
      for (const [name, call] of Object.entries(records))
        expect([name, wrong, await codeOf(call)]).toEqual([name, wrong, 'tune.record']);
    }
    // What may be left out is something where it is given.
    for (const wrong of [null, 'x', 5] as unknown[]) {
      const calls: Record<string, () => unknown> = {
        coOccurrence: () => tune.coOccurrence(any(wrong)),
        skipGram: () => tune.skipGram(any(wrong)),
        newExplorerKeys: () => tune.newExplorerKeys(any(wrong)),
        'measure, options': () => tune.measure([], any(wrong)),
        gpuTraits: () => kernels.gpuTraits(any(wrong)),
        chooseKernels: () =>
          kernels.chooseKernels({ records: [], explorers: [], device: DEVICE }, any(wrong)),
        'createTuneService, parts': () => createTuneService({}, any(wrong)),
      };
      for (const [name, call] of Object.entries(calls))
        expect([name, wrong, await codeOf(call)]).toEqual([name, wrong, 'input.type']);
      expect(await codeOf(() => createTuneService(any(wrong)))).toBe('tune.option');
    }
    expect(await codeOf(() => tune.sqliteCache(any(undefined)))).toBe('input.type');
  });

  it('that there are not are refused, and those of another type', async () => {
    const client = { url: 'https://tune.example', device: DEVICE, explorers: ['0'.repeat(64)] };
    const explorer = { device: DEVICE, explore: async () => ({}) };
    const keys = await tune.newExplorerKeys();
    const running = { url: client.url, keys, explorer, version: '1', signal };
    const unknown: (() => unknown)[] = [
      () => tune.tuneClient(any({ ...client, timout: 5 })),
      () => tune.runExplorer(any({ ...running, rooms: 5 })),
      () => tune.measure([], any({ round: 3 })),
      () => tune.operatorKey(any({ ...key(), attributes: {}, attribute: {} })),
      () => tune.coOccurrence(any({ size: 1 })),
      () => tune.skipGram(any({ size: 1 })),
      () => tune.newExplorerKeys(any({ extract: true })),
      () => new kernels.KernelExplorer(any({ device: DEVICE, trial: 5 })),
      () => new kernels.KernelExplorer({ device: DEVICE }).explore(key(), any({ signal, onDone: () => {} })),
      () => kernels.chooseKernels({ records: [], explorers: [], device: DEVICE }, any({ workers: 1 })),
      () => kernels.gpuTraits(any({ gpu: 1 })),
      () => createTuneService({}, any({ clock: Date.now })),
    ];
    for (const call of unknown)
      expect([String(call), await codeOf(call)]).toEqual([String(call), 'input.option']);
    const wrong: (() => unknown)[] = [
      ...[{ cache: {} }, { predictor: {} }, { codes: ['0'] }, { token: 5 }, { onHit: 'x' }].map(
        (more) => () => tune.tuneClient(any<TuneClientOptions>({ ...client, ...more })),
      ),
      ...[{ keys: {} }, { explorer: {} }, { version: undefined }, { signal: undefined }, { fetch: 1 }].map(
        (more) => () => tune.runExplorer(any({ ...running, ...more })),
      ),
      () => tune.measure([], any({ rounds: '5' })),
      () => tune.operatorKey(any({ ...key(), attributes: '{n=8}' })),
      () => tune.coOccurrence({ window: 0 }),
      () => tune.skipGram({ dimensions: NaN }),
    ];
    for (const call of wrong)
      expect([String(call), await codeOf(call)]).toEqual([String(call), 'input.type']);
    expect(await codeOf(() => tune.measure([], { sample: NaN }))).toBe('tune.measure');
    expect(await codeOf(() => tune.measure([], { sample: -1 }))).toBe('tune.measure');
    expect(await codeOf(() => kernels.chooseKernels(any({ client: 5, keys: [] })))).toBe('tune.option');
  });
});

describe('traits of a device', () => {
  it('that are none are refused', () => {
    const wrong: unknown[] = [
      null,
      5,
      [],
      { core: 5 },
      ...[NaN, Infinity, 0, -1, 1.5, '8', 2 ** 40].map((cores) => ({ cores })),
      ...['threads', ['a|b'], ['a,b'], [''], [5], ['x'.repeat(100)]].map((wasm) => ({ wasm })),
      ...[null, {}, 'nvidia', { vendor: 'a' }, { vendor: 1, architecture: 'b' }].map((gpu) => ({ gpu })),
      { processor: 5 },
      { engine: null },
    ];
    for (const traits of wrong)
      expect(() => tune.deviceClass(any(traits)), JSON.stringify(traits)).toThrow(
        expect.objectContaining({ code: 'tune.option', name: 'TuneError' }) as Error,
      );
  });

  it('may be fewer, and those of a GPU more', () => {
    const gpu = { vendor: '', architecture: 'hopper', limits: {} };
    expect(tune.deviceClass({ processor: 'p', engine: 'e', wasm: [], cores: 1, gpu })).toBe(
      'p|e||1 cores|gpu unknown hopper',
    );
    expect(tune.deviceClass({ processor: 'a|b', engine: '' })).toMatch(/^a-b\|unknown\|/);
  });
});

describe('what is no record', () => {
  it('is not chosen from, and leaves nothing behind that ends the process', async () => {
    const keys = await tune.newExplorerKeys();
    const client = await tune.tuneClient({
      url: 'https://tune.example',
      device: DEVICE,
      explorers: [keys.publicKey],
      share: () => false,
    });
    const left = await unhandledOf(async () => {
      for (const wrong of [null, undefined, 5, 'x', {}, { best: {} }])
        expect(await codeOf(() => client.choose(any(wrong)))).toBe('tune.record');
    });
    expect(left).toEqual([]);
    await client.close();
  });
});

describe('an explorer of kernels', () => {
  it('takes keys of its own class alone', async () => {
    const explorer = new kernels.KernelExplorer({ device: DEVICE });
    expect(await codeOf(() => explorer.explore(key('another class'), { signal }))).toBe('tune.device');
    expect(await codeOf(() => explorer.compare(key('another class'), [], { signal }))).toBe('tune.device');
    expect(await codeOf(() => explorer.explore(any({ device: DEVICE }), { signal }))).toBe('tune.key');
    explorer.close();
  });

  it('takes a number of trials', () => {
    for (const trials of [NaN, -1, 1.5, Infinity, '5'])
      expect(() => new kernels.KernelExplorer({ device: DEVICE, trials: any(trials) })).toThrow(
        expect.objectContaining({ code: 'tune.option' }) as Error,
      );
    expect(() => new kernels.KernelExplorer({ device: '' })).toThrow(
      expect.objectContaining({ code: 'tune.option' }) as Error,
    );
    new kernels.KernelExplorer({ device: DEVICE, trials: 0 }).close();
  });
});
