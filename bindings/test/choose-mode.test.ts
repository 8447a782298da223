import { describe, expect, it } from 'vitest';
import { chooseMode, detectFeatures } from '../src/choose-mode.js';
import { codeOf } from './code.js';

const node = { crossOriginIsolated: undefined, sharedMemory: true, processors: 8 };
const isolated = { ...node, crossOriginIsolated: true };
const open = { ...node, crossOriginIsolated: false, sharedMemory: false };

describe('chooseMode', () => {
  it('takes threads where it can', () => {
    for (const features of [node, isolated]) {
      expect(chooseMode(features, {})).toEqual({
        variant: 'threads',
        threads: 8,
        reasons: [],
        flexible: true,
      });
    }
    expect(chooseMode({ ...node, processors: 128 }, {}).threads).toBe(16);
    expect(chooseMode(node, { threads: 40 }).threads).toBe(40);
    expect(chooseMode(node, { mode: 'threads' })).toMatchObject({ variant: 'threads', flexible: false });
    expect(chooseMode(node, { mode: 'threads', threads: 1 })).toMatchObject({
      variant: 'threads',
      threads: 1,
    });
  });

  it('gives a reason for less', () => {
    expect(chooseMode(open, {})).toMatchObject({
      variant: 'single',
      threads: 1,
      reasons: [expect.stringContaining('isolated')],
    });
    expect(chooseMode({ ...node, sharedMemory: false }, {}).reasons).toEqual([
      'This engine has no shared memory.',
    ]);
    expect(chooseMode({ ...node, processors: 1 }, {}).reasons).toEqual(['There is one processor.']);
    expect(chooseMode(node, { threads: 1 }).reasons).toEqual(['One thread was asked for.']);
    expect(chooseMode(node, { mode: 'single' }).variant).toBe('single');
  });

  it('refuses explicit requests that cannot be met', () => {
    expect(codeOf(() => chooseMode(open, { mode: 'threads' }))).toBe('parameters.mode');
    expect(codeOf(() => chooseMode(node, { mode: 'single', threads: 2 }))).toBe('parameters.mode');
    expect(codeOf(() => chooseMode(node, { mode: 'gpu' as never }))).toBe('parameters.mode');
    for (const threads of [0, -1, 1.5, 257, Number.NaN]) {
      expect(codeOf(() => chooseMode(node, { threads }))).toBe('parameters.threads');
    }
  });

  it('sees shared memory and processors in Node', () => {
    expect(detectFeatures()).toMatchObject({ crossOriginIsolated: undefined, sharedMemory: true });
    expect(detectFeatures().processors).toBeGreaterThan(0);
  });
});
