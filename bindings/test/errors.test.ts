import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  CipherloomError,
  ERROR_CODES,
  failure,
  fromRecord,
  MemoryError,
  OutOfRangeError,
} from '../src/errors.js';
import { describeProgram } from '../src/program-info.js';
import type { RawProgramInfo } from '../src/raw.js';
import type { Variant } from '../src/types.js';
import { codeOf } from './code.js';

describe('errors', () => {
  it('get the class of their family, also with codes of the core', () => {
    const error = failure('range.value', 'too large', { row: 3 });
    expect(error).toBeInstanceOf(OutOfRangeError);
    expect(error).toMatchObject({
      name: 'OutOfRangeError',
      code: 'range.value',
      message: 'too large',
      details: { row: 3 },
    });
    expect(fromRecord({ code: 'memory.limit', message: '', details: {} })).toBeInstanceOf(MemoryError);
    expect(fromRecord({ code: 'new.family', message: '', details: {} }).constructor).toBe(CipherloomError);
    expect(failure('memory.shared', '', {}, error).cause).toBe(error);
  });

  it('have no code in the table that nothing throws', () => {
    const read = (folder: URL, type: string): string =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(type) && file !== 'errors.ts')
        .map((file) => readFileSync(new URL(file, folder), 'utf8'))
        .join();
    const source =
      read(new URL('../src/', import.meta.url), '.ts') +
      read(new URL('../../engine/src/', import.meta.url), '.rs') +
      read(new URL('../../src/', import.meta.url), '.rs');
    expect(
      Object.keys(ERROR_CODES).filter(
        (code) => !source.includes(`'${code}'`) && !source.includes(`"${code}"`),
      ),
    ).toEqual([]);
  });
});

describe('program info', () => {
  const info = {
    inputs: [{ name: 'age', decimals: 1, min: '-5', max: '1200' }],
    outputs: [{ name: 'mean', decimals: 1 }],
    cost: { seconds: 3 },
  } as unknown as RawProgramInfo;

  it('tells bounds as decimals', () => {
    const [age] = describeProgram(info, 'single').inputs;
    expect([String(age?.min), String(age?.max)]).toEqual(['-0.5', '120.0']);
  });

  it('estimates longer without relaxed SIMD', () => {
    const seconds = (variant: Variant) => describeProgram(info, variant).cost.seconds;
    expect([seconds('relaxed'), seconds('threads'), seconds('single')]).toEqual([3, 6, 6]);
  });

  it('refuses names that no task takes', () => {
    const odd = { inputs: [], outputs: [{ name: '__proto__' }] } as unknown as RawProgramInfo;
    expect(codeOf(() => describeProgram(odd, 'single'))).toBe('format.program');
  });
});
