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
    const one = chooseLess(best, noWorker);
    expect(one).toMatchObject({
      variant: 'relaxed',
      threads: 1,
      reasons: [expect.stringContaining('no worker')],
    });
    expect(chooseLess(one!, noWorker)).toMatchObject({ variant: 'single', threads: 1, flexible: false });
    expect(chooseLess(best, noMemory)).toMatchObject({
      variant: 'single',
      reasons: [expect.stringContaining('no memory')],
    });
    expect(chooseLess(chooseMode(plain, {}), noWorker)).toMatchObject({ variant: 'single', threads: 1 });
  });

  it('gives up nothing that was insisted on, nor for other errors', () => {
    expect(chooseLess(chooseMode(node, { mode: 'relaxed' }), noMemory)).toBeUndefined();
    expect(chooseLess(chooseMode(node, { mode: 'single' }), noWorker)).toBeUndefined();
    expect(chooseLess(best, failure('disposed', 'gone', {}))).toBeUndefined();
  });
});
