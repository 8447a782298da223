import { describe, expect, it } from 'vitest';
import { chooseLess, chooseMode, detectFeatures } from '../src/choose-mode.js';
import { failure } from '../src/errors.js';
import { codeOf } from './code.js';

const node = { crossOriginIsolated: undefined, sharedMemory: true, relaxedSimd: true, processors: 8 };
const isolated = { ...node, crossOriginIsolated: true };
const open = { ...node, crossOriginIsolated: false };
const plain = { ...node, relaxedSimd: false };
const old = { ...open, relaxedSimd: false };
const none = { ...old, sharedMemory: false };

describe('chooseMode', () => {
  it.each([
    ['Node', node, {}, 'relaxed', 8, []],
    ['an isolated page', isolated, {}, 'relaxed', 8, []],
    ['many processors', { ...node, processors: 128 }, {}, 'relaxed', 16, []],
    ['many threads', node, { threads: 40 }, 'relaxed', 40, []],
    ['one thread', node, { threads: 1 }, 'relaxed', 1, [/One thread was asked for/]],
    ['one processor', { ...node, processors: 1 }, {}, 'relaxed', 1, [/one processor/]],
    ['another page', open, {}, 'relaxed', 1, [/not cross-origin isolated/]],
    ['another page, one thread', open, { threads: 1 }, 'relaxed', 1, [/One thread was asked for/]],
    ['no relaxed SIMD', plain, {}, 'threads', 8, [/no relaxed SIMD/]],
    ['no relaxed SIMD, one thread', plain, { threads: 1 }, 'single', 1, [/One thread/, /no relaxed SIMD/]],
    ['neither', old, { threads: 2 }, 'single', 1, [/not cross-origin isolated/, /no relaxed SIMD/]],
    ['no shared memory', none, {}, 'single', 1, [/no shared memory/]],
    ['relaxed insisted on', open, { mode: 'relaxed' }, 'relaxed', 1, [/isolated/]],
    ['threads insisted on', node, { mode: 'threads' }, 'threads', 8, []],
    ['threads insisted on, one', node, { mode: 'threads', threads: 1 }, 'threads', 1, [/One thread/]],
    ['single insisted on', node, { mode: 'single' }, 'single', 1, [/One thread/]],
    ['no workers', node, { workers: false }, 'relaxed', 1, [/Without workers/]],
    ['no workers, and threads', node, { workers: false, threads: 4 }, 'relaxed', 1, [/Without workers/]],
    ['no workers, a build insisted on', node, { workers: false, mode: 'threads' }, 'threads', 1, [/Without/]],
  ] as const)('%s', (_, features, request, variant, threads, reasons) => {
    const choice = chooseMode(features, request);
    expect(choice).toEqual({
      variant,
      threads,
      reasons: reasons.map((reason) => expect.stringMatching(reason)),
      flexible: !('mode' in request) && variant !== 'single',
    });
  });

  it('refuses explicit requests that cannot be met', () => {
    for (const [features, request] of [
      [open, { mode: 'relaxed', threads: 2 }],
      [open, { mode: 'threads', threads: 2 }],
      [plain, { mode: 'relaxed' }],
      [none, { mode: 'threads' }],
      [node, { mode: 'single', threads: 2 }],
      [node, { mode: 'threads', threads: 2, workers: false }],
      [node, { mode: 'gpu' as never }],
    ] as const) {
      expect(codeOf(() => chooseMode(features, request))).toBe('parameters.mode');
    }
    for (const threads of [0, -1, 1.5, 257, Number.NaN]) {
      expect(codeOf(() => chooseMode(node, { threads }))).toBe('parameters.threads');
    }
  });

  it('sees shared memory, relaxed SIMD and processors in Node', () => {
    const relaxedSimd = Number(process.versions.node.split('.')[0]) >= 22;
    expect(detectFeatures()).toMatchObject({
      crossOriginIsolated: undefined,
      sharedMemory: true,
      relaxedSimd,
    });
    expect(detectFeatures().processors).toBeGreaterThan(0);
  });
});

describe('chooseLess', () => {
  const noWorker = failure('worker.failed', 'no worker', {});
  const noMemory = failure('memory.shared', 'no memory', {});
  const best = chooseMode(node, {});

  it('keeps the fast kernels where only the threads fail, then takes the build that runs everywhere', () => {
    const one = chooseLess(best, noWorker, node);
    expect(one).toMatchObject({
      variant: 'relaxed',
      threads: 1,
      reasons: [expect.stringContaining('no worker')],
    });
    expect(chooseLess(one!, noWorker, node)).toMatchObject({
      variant: 'single',
      threads: 1,
      flexible: false,
    });
    expect(chooseLess(best, noMemory, node)).toMatchObject({
      variant: 'single',
      reasons: [expect.stringContaining('no memory')],
    });
    expect(chooseLess(chooseMode(plain, {}), noWorker, plain)).toMatchObject({
      variant: 'single',
      threads: 1,
    });
  });

  it('gives up nothing that was insisted on, nor for other errors', () => {
    expect(chooseLess(chooseMode(node, { mode: 'relaxed' }), noMemory, node)).toBeUndefined();
    expect(chooseLess(chooseMode(node, { mode: 'single' }), noWorker, node)).toBeUndefined();
    expect(chooseLess(best, failure('disposed', 'gone', {}), node)).toBeUndefined();
  });
});

describe('the native build', () => {
  const native = { ...node, native: { path: '/addon.node' } };
  const broken = { ...node, native: { problem: 'it is of another version' } };

  it.each([
    ['is taken where it is', native, {}, 8, []],
    ['has as many threads as are wanted', native, { threads: 3 }, 3, []],
    ['runs on one thread', native, { threads: 1 }, 1, [/One thread was asked for/]],
    ['may be insisted on', native, { native: true }, 8, []],
    ['is a mode, too', native, { mode: 'native' }, 8, []],
  ] as const)('%s', (_, features, request, threads, reasons) => {
    expect(chooseMode(features, request)).toEqual({
      variant: 'native',
      native: '/addon.node',
      threads,
      reasons: reasons.map((reason) => expect.stringMatching(reason)),
      flexible: !('mode' in request || 'native' in request),
    });
  });

  it('is left out where it is switched off, another build is asked for, or there are no workers', () => {
    for (const request of [{ native: false }, { mode: 'relaxed' }, { workers: false }] as const)
      expect(chooseMode(native, request)).toEqual(chooseMode(node, request));
  });

  it('is missed only where it is there and cannot be taken', () => {
    expect(chooseMode({ ...node, native: {} }, {})).toEqual(chooseMode(node, {}));
    const { variant, reasons } = chooseMode(broken, {});
    expect(variant).toBe('relaxed');
    expect(reasons).toEqual([expect.stringContaining('it is of another version')]);
  });

  it('is refused, if it was insisted on and cannot be had', () => {
    for (const [features, request] of [
      [node, { native: true }],
      [node, { mode: 'native' }],
      [broken, { native: true }],
      [native, { native: true, mode: 'relaxed' }],
      [native, { native: false, mode: 'native' }],
      [native, { native: true, workers: false }],
    ] as const)
      expect(codeOf(() => chooseMode(features, request))).toBe('parameters.mode');
  });

  it('gives way to WebAssembly where it does not start', () => {
    const noWorker = failure('worker.failed', 'no worker', {});
    expect(chooseLess(chooseMode(native, {}), noWorker, native)).toMatchObject({
      variant: 'relaxed',
      threads: 8,
      reasons: [expect.stringContaining('no worker')],
    });
    expect(chooseLess(chooseMode(native, { native: true }), noWorker, native)).toBeUndefined();
  });
});
