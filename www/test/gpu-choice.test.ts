import { GpuError, type Loom, type TraceView } from 'cipherloom';
import { describe, expect, test } from 'vitest';
import {
  evaluateOn,
  type GpuUse,
  gpuUseOf,
  gpuWords,
  measuredWords,
  settingOf,
} from '../src/run/gpu-choice.js';

const none = new GpuError('gpu.none', 'No GPU: WebGPU without an adapter');
/** Of four operators on two threads and a GPU (which is lane 3), which computed the last two, and a copy there. */
const traceOf = (more: object): TraceView =>
  ({
    threads: 2,
    op: Uint32Array.of(0, 1, 2, 2, 3),
    thread: Uint32Array.of(0, 1, 4, 3, 3),
    ...more,
  }) as TraceView;

test('the setting of an address, there and back', () => {
  for (const use of [false, 'measured', true] as const) expect(gpuUseOf(settingOf(use))).toBe(use);
  expect(gpuUseOf(null)).toBe(false);
  expect(gpuUseOf('false')).toBe(false);
  // For the package to refuse.
  expect(gpuUseOf('fast')).toBe('fast');
});

describe('an evaluation', () => {
  /** What it was asked with, each time. */
  const evaluation = (fails: unknown, asked: unknown[] = []) => {
    const evaluate = ({ gpu, onTrace }: { gpu?: unknown; onTrace?: (trace: TraceView) => void }) => {
      asked.push(gpu);
      if (gpu !== undefined && fails !== undefined) return Promise.reject(fails as Error);
      onTrace?.(traceOf({}));
      return Promise.resolve('results');
    };
    return { asked, evaluate };
  };

  test('of whom no GPU is wanted is told nothing of one, nor traced for it', async () => {
    let options: object | undefined;
    const { value, gpu } = await evaluateOn(false, (asking) => ((options = asking), Promise.resolve(1)));
    expect([value, options, gpuWords(gpu)]).toEqual([1, {}, '']);
  });

  test('goes to the processors where there is no GPU, and says why', async () => {
    const { asked, evaluate } = evaluation(none);
    const { value, gpu } = await evaluateOn(true, evaluate as never);
    expect([value, asked]).toEqual(['results', [true, undefined]]);
    expect(gpuWords(gpu)).toBe(
      'This browser has no GPU for this page (WebGPU without an adapter): the processors computed all of it.',
    );
  });

  test('fails as it does otherwise', async () => {
    const { evaluate } = evaluation(new Error('no key'));
    await expect(evaluateOn(true, evaluate as never)).rejects.toThrow('no key');
  });

  test('is heard once, on either way', async () => {
    for (const use of [false, true] as GpuUse[]) {
      const heard: TraceView[] = [];
      await evaluateOn(use, evaluation(undefined).evaluate as never, (trace) => heard.push(trace));
      expect(heard).toHaveLength(1);
    }
  });
});

describe('what came of it, in words', () => {
  const device = { device: 'Some GPU', submissions: 1, queue: [], lost: undefined };

  test('who computed how much', () => {
    expect(gpuWords({ asked: true, trace: traceOf({ gpu: device }) })).toBe(
      'The GPU (Some GPU) computed 2 of 4 operators.',
    );
  });

  test('a GPU that was lost in the middle', () => {
    const lost = { code: 'gpu.lost', message: 'The GPU was lost: unplugged.' };
    expect(gpuWords({ asked: true, trace: traceOf({ gpu: { ...device, lost } }) })).toBe(
      'The GPU was lost: unplugged. The processors began anew, and computed all of it.',
    );
  });

  test('a GPU that is measured, and one that is of no use', async () => {
    const measuring = { asked: 'measured', trace: traceOf({}) } as const;
    expect(gpuWords(measuring)).toMatch(/is being measured, for the runs that follow\.$/);
    const placement = { way: 'host', operators: 0, expected: 0, alone: 0 };
    const useless = { asked: 'measured', trace: traceOf({ placement }) } as const;
    expect(gpuWords(useless)).toMatch(/would be faster at no part\.$/);

    const loom = (gpuTimes: () => Promise<unknown>): Promise<Loom> =>
      Promise.resolve({ gpuTimes } as unknown as Loom);
    expect(
      await measuredWords(
        measuring,
        loom(() => Promise.resolve({})),
      ),
    ).toMatch(/run it again/);
    expect(
      await measuredWords(
        measuring,
        loom(() => Promise.reject(none)),
      ),
    ).toMatch(/^This browser has no GPU/);
    expect(
      await measuredWords(
        useless,
        loom(() => Promise.reject(none)),
      ),
    ).toBeUndefined();
  });
});
